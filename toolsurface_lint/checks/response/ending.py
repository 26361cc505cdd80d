"""How a conversation ends: the answer, and the completion sentinel."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.response._breaks import break_rule, findings
from toolsurface_lint.model.diagnostics import Finding
from toolsurface_lint.model.response import AssistantResponse
from toolsurface_lint.model.surface import Surface

_RULES = {
    "done_mismatch": break_rule("DONE_MISMATCH", "A `<done>` block does not hold the configured completion sentinel."),
    "missing_user_response": break_rule("MISSING_USER_RESPONSE", "The last response has no answer to the user."),
    "sentinel_repeated": break_rule("SENTINEL_REPEATED", "A response holds the completion sentinel more than once."),
    "sentinel_missing": break_rule("SENTINEL_MISSING", "The last response does not hold the completion sentinel."),
}

RULES = tuple(_RULES.values())


def check_response(response: AssistantResponse, surface: Surface) -> Iterator[Finding]:
    return findings(response, response.read.violations, _RULES, {})
