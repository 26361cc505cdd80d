"""What goes wrong in raw outputs of models alone: reasoning, tokens, and text that a runtime drops."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import RESPONSE, check
from toolsurface_lint.checks.response._rules import findings, rule
from toolsurface_lint.model.diagnostics import WARNING, Finding
from toolsurface_lint.model.response import AssistantResponse
from toolsurface_lint.model.surface import Surface

RULES = (
    rule(
        "CUT_OFF",
        "A response ends in the middle of a call or of its reasoning.",
        {
            "cut_off": "the response ends before this call is complete",
            "cut_off/reasoning": "the response ends before this reasoning does",
        },
        help="allow the model more tokens",
    ),
    rule(
        "UNCLOSED_CALL",
        "The marker that closes a call, or a part of one, is missing.",
        {
            "unclosed_call": "this call is never closed",
            "unclosed_section": "the calls that begin here are never closed",
            "unclosed_argument": "the argument `{key}` is never closed",
            "unclosed_message": "the message before this one is never closed",
        },
        WARNING,
    ),
    rule(
        "CALL_IN_REASONING",
        "A call is in the reasoning of a response.",
        {
            "call_in_reasoning": "this call of `{name}` is in the reasoning",
            "call_in_reasoning/unclosed": "the reasoning is not closed before this call",
        },
    ),
    rule(
        "WRONG_PROTOCOL",
        "A call is written in the format of another kind of model.",
        "the call of `{name}` is written in the format `{protocol}`",
        help="name the protocol of the model with `--protocol`, or teach it another one in its chat template",
    ),
    rule(
        "ARGUMENTS_DOUBLE_ENCODED",
        "The arguments of a call are JSON in a string.",
        "the arguments of `{name}` are JSON in a string, where an object is expected",
    ),
    rule(
        "LEAKED_TOKEN",
        "A special token is in the text that the user sees.",
        "the token `{token}` is in the text that the user sees",
    ),
    rule(
        "LOST_TEXT",
        "Some runtimes drop text between or after calls.",
        {
            "lost_text/inside": "only calls are read here: this text is lost",
            "lost_text/between": "this text is between calls, where some runtimes drop it",
            "lost_text/after": "this text is after the calls, where some runtimes drop it",
        },
        WARNING,
    ),
    rule(
        "MALFORMED_CALL",
        "A call does not begin as its format requires.",
        {
            "malformed_header": "this is not a valid message header",
            "missing_opener": "the call begins without `{opener}`",
            "missing_key": "this argument of `{name}` has no key",
        },
    ),
)


@check(RESPONSE, *RULES)
def check_outputs(response: AssistantResponse, surface: Surface) -> Iterator[Finding]:
    return findings(response, RULES)
