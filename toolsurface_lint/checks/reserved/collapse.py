"""A response in which a model repeats a token that it cannot use as text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolsurface_lint.checks.contract import RESPONSE, check
from toolsurface_lint.model.diagnostics import ERROR, Finding, Rule
from toolsurface_lint.model.response import AssistantResponse
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.source.text import Span

RULE = Rule(
    code="RESERVED_TOKEN_COLLAPSE",
    since="0.1.0",
    severity=ERROR,
    summary="A response repeats the opener of a call over and over.",
    message="`{opener}` is repeated {count} times in a row: the model has it as a token of its own, and has collapsed",
    tags=("reserved tokens", "responses"),
)

_COLLAPSE = re.compile(r"(?P<opener><tool_call>|\[\[CALL\]\])(?:\s*+(?P=opener)){2,}+")


@check(RESPONSE, RULE)
def check_response(response: AssistantResponse, surface: Surface) -> Iterator[Finding]:
    text = response.read.text
    for match in _COLLAPSE.finditer(text):
        yield RULE.at(
            response.place(Span(*match.span())),
            opener=match["opener"],
            count=match.group().count(match["opener"]),
            help="send this model the wire form of the delimiters instead",
        )
        return
