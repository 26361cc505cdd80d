"""The same call over and over, with the same result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolsurface_lint.checks.contract import CONVERSATION, Follow, check
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.transcript import USER, Call, Mismatch, Turn

RULE = Rule(
    code="TRANSCRIPT_REPEATED_CALL",
    since="0.1.0",
    severity=WARNING,
    summary="The same call is made three times running, with the same result each time.",
    message="the call of `{name}` is made for the third time running, with the same arguments and the same result",
    tags=("transcripts",),
)

_TIMES = 3


@check(CONVERSATION, RULE)
def check_conversation(surface: Surface) -> Follow:
    same: list[Call] = []

    def follow(turn: Turn | None, _: list[Mismatch]) -> Iterable[Finding]:
        nonlocal same
        if turn is None or not turn.calls:
            found = list(_findings(same)) if len(same) == _TIMES else []
            if turn is not None and turn.role == USER and not turn.results:
                # Asked again by the user, the same call is no loop.
                same = []
            return found
        found = []
        for call in turn.calls:
            if len(same) == _TIMES:
                found.extend(_findings(same))
            if same and same[-1].name == call.name and same[-1].arguments == call.arguments:
                if len(same) <= _TIMES:
                    same.append(call)
            else:
                same = [call]
        return found

    return follow


def _findings(same: list[Call]) -> Iterator[Finding]:
    first, last = same[0], same[_TIMES - 1]
    results = [call.result for call in same[:_TIMES]]
    if any(result is None for result in results):
        return
    if all(
        result is not None and results[0] is not None and result.content == results[0].content for result in results
    ):
        # One more keeps the run from being told twice.
        same.append(last)
        yield RULE.at(last.place, tool=last.name, related=[("the first of them", first.place)], name=last.name)
