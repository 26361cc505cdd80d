"""The body of a `<tool_call>` block: exactly one bare call, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.response._breaks import break_rule, findings
from toolsurface_lint.model.diagnostics import Finding
from toolsurface_lint.model.response import AssistantResponse
from toolsurface_lint.model.surface import Surface

_RULES = {
    "no_call": break_rule("NO_CALL", "A `<tool_call>` block holds no call."),
    "several_calls": break_rule("SEVERAL_CALLS", "A `<tool_call>` block holds more than one call."),
    "nested_tool_call": break_rule(
        "NESTED_TOOL_CALL", "A `<tool_call>` tag follows another one, before the name of a tool."
    ),
    "text_inside_tool_call": break_rule("TEXT_INSIDE_TOOL_CALL", "A `<tool_call>` block holds text beside its call."),
    "label_prefix": break_rule("LABEL_PREFIX", "A label stands before a call."),
    "markdown_fence": break_rule("MARKDOWN_FENCE", "A call is wrapped in a Markdown fence or code span."),
    "json_encoded_call": break_rule("JSON_ENCODED_CALL", "A call is written as JSON."),
    "quoted_call": break_rule("QUOTED_CALL", "A call stands in quotes."),
    "sentinel_in_tool_call": break_rule("SENTINEL_IN_TOOL_CALL", "A `<tool_call>` block holds the sentinel."),
}

RULES = tuple(_RULES.values())

_HELP = {
    "several_calls": "give each call a `<tool_call>` block of its own",
    "text_inside_tool_call": "narration belongs into `<assistant_prose>`",
    "json_encoded_call": "write `name({ key: value })`",
    "sentinel_in_tool_call": "write it into `<done>`",
}


def check_response(response: AssistantResponse, surface: Surface) -> Iterator[Finding]:
    return findings(response, response.read.violations, _RULES, _HELP)
