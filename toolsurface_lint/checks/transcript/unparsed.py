"""Calls that are left in the text of a conversation whose other calls were parsed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolsurface_lint.checks.contract import CONVERSATION, Follow, check
from toolsurface_lint.model.diagnostics import ERROR, Finding, Rule
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.transcript import Call, Mismatch, Turn, called_tools
from toolsurface_lint.source.tree import Place

UNPARSED_CALL = Rule(
    code="TRANSCRIPT_UNPARSED_CALL",
    since="0.1.0",
    severity=ERROR,
    summary="A call is left in the text of an answer although other calls were parsed.",
    message={
        "left": "the call of `{name}` is left in the text: no parser has read it",
        "twice": "the call of `{name}` was parsed, and is left in the text all the same",
    },
    help="check the tool-call parser of the server against the model's chat template",
    tags=("transcripts", "responses"),
)

_MOST = 1000
"""Calls in texts, and names of tools, that are kept of one conversation."""


@check(CONVERSATION, UNPARSED_CALL)
def check_unparsed(surface: Surface) -> Follow:
    left: list[tuple[Call, str]] = []
    called: set[str] = set()

    def follow(turn: Turn | None, mismatches: list[Mismatch]) -> Iterable[Finding]:
        if turn is None:
            return _left(left, called, surface) if called else ()
        parsed = () if turn.calls is turn.text_calls else turn.calls
        for call in turn.text_calls[: _MOST - len(left)]:
            twice = any(other.name == call.name and other.value == call.value for other in parsed[:_MOST])
            left.append((call, "twice" if twice else "left"))
        if len(called) < _MOST:
            called.update(call.name for call in parsed)
        return ()

    return follow


def _left(left: list[tuple[Call, str]], called: set[str], surface: Surface) -> Iterator[Finding]:
    """Only calls of tools that there are: a text may be about calls."""
    for call, kind in left:
        if call.name in called or called_tools(call.name, surface.by_name):
            yield UNPARSED_CALL.at(Place(call.tree, call.path), kind, tool=call.name)
