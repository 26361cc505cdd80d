"""The blocks of a fenced-JSON response: their fences, and the one object that each of them holds."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.response._breaks import break_rule, findings
from toolsurface_lint.diagnostics import Finding
from toolsurface_lint.model.response import AssistantResponse
from toolsurface_lint.model.surface import Surface

_RULES = {
    "wrong_info_string": break_rule("WRONG_INFO_STRING", "A tool block does not open with exactly ` ```tool `."),
    "unclosed_fence": break_rule("UNCLOSED_FENCE", "A tool block is never closed."),
    "unterminated": break_rule("UNTERMINATED_JSON", "The JSON of a tool block is empty or stops early."),
    "invalid_json": break_rule("INVALID_JSON", "A tool block is no JSON."),
    "heredoc": break_rule("HEREDOC_IN_JSON", "A tool block holds a heredoc."),
    "not_single_object": break_rule("NOT_SINGLE_OBJECT", "A tool block holds something else than one JSON object."),
    "missing_name": break_rule("MISSING_NAME", "The object of a tool block has no `name`."),
    "args_not_object": break_rule("ARGS_NOT_OBJECT", "The `args` of a tool block are no object."),
    "wrong_key": break_rule("WRONG_KEY", "The arguments of a tool block stand under another key than `args`."),
    "sentinel_in_tool_block": break_rule("SENTINEL_IN_TOOL_BLOCK", "A tool block holds the completion sentinel."),
    "call_not_in_tool_fence": break_rule("CALL_NOT_IN_TOOL_FENCE", "A call stands outside a ` ```tool ` block."),
}

RULES = tuple(_RULES.values())

_HELP = {
    "not_single_object": "write one block for each call",
    "heredoc": "write the text as one JSON string, line breaks as `\\n`",
}


def check_response(response: AssistantResponse, surface: Surface) -> Iterator[Finding]:
    return findings(response, response.read.violations, _RULES, _HELP)
