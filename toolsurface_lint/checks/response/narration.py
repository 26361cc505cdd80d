"""Text around the calls: calls that nobody looks for in it, and what should not be in it."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.response._breaks import break_rule, findings
from toolsurface_lint.model.diagnostics import WARNING, Finding
from toolsurface_lint.model.response import AssistantResponse
from toolsurface_lint.model.surface import Surface

_RULES = {
    "lost_call": break_rule("LOST_CALL", "What is meant as a call stands where no runtime looks for one."),
    "code_in_prose": break_rule("CODE_IN_PROSE", "Narration holds a code block or a diff.", WARNING),
    "long_prose": break_rule("LONG_PROSE", "Narration is not brief.", WARNING),
}

RULES = tuple(_RULES.values())


def check_response(response: AssistantResponse, surface: Surface) -> Iterator[Finding]:
    yield from findings(response, response.read.violations, _RULES, {})
    yield from findings(response, response.read.remarks, _RULES, {})
