"""The blocks of a fenced-JSON response: their fences, and the one object that each of them holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from toolsurface_lint.checks.response._breaks import break_rule, findings
from toolsurface_lint.model.diagnostics import UNSAFE, Edit, Finding, Fix, renaming
from toolsurface_lint.model.response import AssistantResponse
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.protocols.violation import Violation
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Place

_RULES = {
    "wrong_info_string": break_rule(
        "WRONG_INFO_STRING", "A tool block does not open with exactly ` ```tool `.", fix=UNSAFE
    ),
    "unclosed_fence": break_rule("UNCLOSED_FENCE", "A tool block is never closed."),
    "unterminated": break_rule("UNTERMINATED_JSON", "The JSON of a tool block is empty or stops early."),
    "invalid_json": break_rule("INVALID_JSON", "A tool block is no JSON."),
    "heredoc": break_rule("HEREDOC_IN_JSON", "A tool block holds a heredoc."),
    "not_single_object": break_rule("NOT_SINGLE_OBJECT", "A tool block holds something else than one JSON object."),
    "missing_name": break_rule("MISSING_NAME", "The object of a tool block has no `name`."),
    "args_not_object": break_rule("ARGS_NOT_OBJECT", "The `args` of a tool block are no object."),
    "wrong_key": break_rule(
        "WRONG_KEY", "The arguments of a tool block stand under another key than `args`.", fix=UNSAFE
    ),
    "sentinel_in_tool_block": break_rule("SENTINEL_IN_TOOL_BLOCK", "A tool block holds the completion sentinel."),
    "call_not_in_tool_fence": break_rule("CALL_NOT_IN_TOOL_FENCE", "A call stands outside a ` ```tool ` block."),
}

RULES = tuple(_RULES.values())

_HELP = {
    "not_single_object": "write one block for each call",
    "heredoc": "write the text as one JSON string, line breaks as `\\n`",
}


def check_response(response: AssistantResponse, surface: Surface) -> Iterator[Finding]:
    return findings(response, response.read.violations, _RULES, _HELP, _fix)


def _fix(response: AssistantResponse, violation: Violation) -> Fix | None:
    return block_fix(violation, response.read.text, response.place)


def block_fix(violation: Violation, text: str, place: Callable[[Span], Place]) -> Fix | None:
    """The fix for a break in a tool block of a text, whose spans have their places by `place`.

    Unsafe: what looks like a call may be none, and a response of a model is a record of what it said.
    """
    if violation.code == "wrong_info_string":
        return _opening(place(violation.span))
    if violation.code != "wrong_key":
        return None
    key = _KEY.search(text, max(violation.span.start - _KEY_SIZE, 0), violation.span.start)
    return None if key is None else renaming(place(Span(*key.span(1))), key[1], ("args",))


_KEY = re.compile(r'"(arguments)"\s*:\s*\Z')
_KEY_SIZE = 100


def _opening(fence: Place) -> Fix | None:
    """The opening of a tool block as it has to be; None if its closing would have to change too."""
    written = fence.reads() or ""
    if not written.startswith("```") or written.startswith("````"):
        return None
    return Fix("open the block with ```tool", False, (Edit(fence, "```tool"),))
