"""Calls and results that do not fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolsurface_lint.checks.contract import CONVERSATION, Follow, check
from toolsurface_lint.model.diagnostics import ERROR, Finding, Rule
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.transcript import DUPLICATE, LATE, ORPHAN, UNANSWERED, Mismatch, Turn

ORPHAN_RESULT = Rule(
    code="TRANSCRIPT_ORPHAN_RESULT",
    since="0.1.0",
    severity=ERROR,
    summary="A result answers no call that waits for one.",
    message={
        "again": "the call of `{name}` has a result already",
        "any": "this result answers no call: no call waits for one",
        "id": "this result answers no call: no call with the id `{id}` waits for one",
        "name": "this result answers no call: no call of `{name}` waits for one",
    },
    tags=("transcripts",),
)

UNANSWERED_CALL = Rule(
    code="TRANSCRIPT_UNANSWERED_CALL",
    since="0.1.0",
    severity=ERROR,
    summary="A call has no result, and the conversation goes on.",
    message="the call of `{name}` has no result, and the conversation goes on",
    tags=("transcripts",),
)

DUPLICATE_CALL_ID = Rule(
    code="TRANSCRIPT_DUPLICATE_CALL_ID",
    since="0.1.0",
    severity=ERROR,
    summary="Two calls that wait for their results have the same id.",
    message="the call of `{name}` takes the id `{id}`, which another call without a result has",
    tags=("transcripts",),
)

RESULT_NOT_ADJACENT = Rule(
    code="TRANSCRIPT_RESULT_NOT_ADJACENT",
    since="0.1.0",
    severity=ERROR,
    summary="Another turn stands between a call and its result, where the format allows none.",
    message="the result of the call of `{name}` does not follow the call: another turn stands between them",
    tags=("transcripts",),
)


@check(CONVERSATION, ORPHAN_RESULT, UNANSWERED_CALL, DUPLICATE_CALL_ID, RESULT_NOT_ADJACENT)
def check_conversation(surface: Surface) -> Follow:
    def follow(_: Turn | None, mismatches: list[Mismatch]) -> Iterable[Finding]:
        return _findings(mismatches) if mismatches else ()

    return follow


def _findings(mismatches: list[Mismatch]) -> Iterator[Finding]:
    for mismatch in mismatches:
        call, result = mismatch.call, mismatch.result
        if mismatch.kind == ORPHAN:
            yield _orphan(mismatch)
        elif mismatch.kind == UNANSWERED and call is not None:
            yield UNANSWERED_CALL.at(call.id_place, tool=call.name, name=call.name)
        elif mismatch.kind == DUPLICATE and call is not None and mismatch.other is not None:
            related = [("the call that has it", mismatch.other.id_place)]
            yield DUPLICATE_CALL_ID.at(call.id_place, tool=call.name, related=related, name=call.name, id=call.id)
        elif mismatch.kind == LATE and call is not None and result is not None:
            related = [("the call", call.place)]
            yield RESULT_NOT_ADJACENT.at(result.place, tool=call.name, related=related, name=call.name)


def _orphan(mismatch: Mismatch) -> Finding:
    call, result = mismatch.call, mismatch.result
    assert result is not None
    if mismatch.first is not None and call is not None:
        related = [("the result that it has", mismatch.first.place)]
        return ORPHAN_RESULT.at(result.place, "again", tool=call.name, related=related, name=call.name)
    kind = "id" if result.id is not None else "name" if result.name is not None else "any"
    related = [] if call is None else [("this call waits for a result", call.id_place)]
    return ORPHAN_RESULT.at(result.place, kind, tool=result.name, related=related, id=result.id, name=result.name)
