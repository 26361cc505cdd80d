"""The tags of a tagged response: what stands outside of them, and how they follow one another."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.response._breaks import break_rule, findings
from toolsurface_lint.model.diagnostics import Finding
from toolsurface_lint.model.response import AssistantResponse
from toolsurface_lint.model.surface import Surface

_RULES = {
    "stray_content": break_rule("STRAY_CONTENT", "A tagged response has content outside its tags."),
    "bare_call_outside_tags": break_rule("BARE_CALL_OUTSIDE_TAGS", "A call stands outside `<tool_call>`."),
    "unknown_tag": break_rule("UNKNOWN_TAG", "A tag is none of the protocol."),
    "unclosed_tag": break_rule("UNCLOSED_TAG", "A tag of a response is never closed."),
    "empty_done": break_rule("EMPTY_DONE", "A `<done>` block holds no completion sentinel."),
    "nothing_usable": break_rule("NOTHING_USABLE", "A response holds no call, no narration and no answer."),
    "done_before_user_response": break_rule("DONE_BEFORE_USER_RESPONSE", "A `<done>` block stands before the answer."),
    "tool_call_after_user_response": break_rule("TOOL_CALL_AFTER_USER_RESPONSE", "A call comes after the answer."),
}

RULES = tuple(_RULES.values())

_HELP = {
    "stray_content": "narration belongs into `<assistant_prose>`, the answer into `<user_response>`",
    "bare_call_outside_tags": "put the call into a `<tool_call>` block of its own",
    "unknown_tag": "the tags are `<tool_call>`, `<assistant_prose>`, `<user_response>` and `<done>`, without attributes",
    "tool_call_after_user_response": "call first, and answer once no more calls are needed",
}
_WIRE_HELP = "this response is in wire form: remap it first, for instance with `toolsurface-lint wire to-canonical`"


def check_response(response: AssistantResponse, surface: Surface) -> Iterator[Finding]:
    help = _HELP
    if "CALL]]" in response.read.text:
        help = {**_HELP, "stray_content": _WIRE_HELP, "bare_call_outside_tags": _WIRE_HELP}
    return findings(response, response.read.violations, _RULES, help)
