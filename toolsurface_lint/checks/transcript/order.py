"""Calls and results that do not belong together, and turns where their role must not be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolsurface_lint.checks.contract import CONVERSATION, Follow, check
from toolsurface_lint.model.diagnostics import ERROR, WARNING, Finding, Rule
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.transcript import ASSISTANT, DUPLICATE, LATE, ORPHAN, TOOL, UNANSWERED, USER, Mismatch, Turn
from toolsurface_lint.source.tree import Place

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
    message="the call of `{name}` has the id `{id}`, which another call without a result has too",
    tags=("transcripts",),
)

RESULT_NOT_ADJACENT = Rule(
    code="TRANSCRIPT_RESULT_NOT_ADJACENT",
    since="0.1.0",
    severity=ERROR,
    summary="Another turn comes between a call and its result, where the format allows none.",
    message="the result of the call of `{name}` does not follow the call: another turn comes between them",
    tags=("transcripts",),
)


@check(CONVERSATION, ORPHAN_RESULT, UNANSWERED_CALL, DUPLICATE_CALL_ID, RESULT_NOT_ADJACENT)
def check_pairs(surface: Surface) -> Follow:
    def follow(_: Turn | None, mismatches: list[Mismatch]) -> Iterable[Finding]:
        return _mismatches(mismatches) if mismatches else ()

    return follow


def _mismatches(mismatches: list[Mismatch]) -> Iterator[Finding]:
    for mismatch in mismatches:
        call, result = mismatch.call, mismatch.result
        if mismatch.kind == ORPHAN:
            yield _orphan(mismatch)
        elif mismatch.kind == UNANSWERED and call is not None:
            yield UNANSWERED_CALL.at(call.id_place, tool=call.name)
        elif mismatch.kind == DUPLICATE and call is not None and mismatch.other is not None:
            related = [("the call that has it", mismatch.other.id_place)]
            yield DUPLICATE_CALL_ID.at(call.id_place, tool=call.name, related=related, id=call.id)
        elif mismatch.kind == LATE and call is not None and result is not None:
            related = [("the call", call.place)]
            yield RESULT_NOT_ADJACENT.at(result.place, tool=call.name, related=related)


def _orphan(mismatch: Mismatch) -> Finding:
    call, result = mismatch.call, mismatch.result
    assert result is not None
    if mismatch.first is not None and call is not None:
        related = [("the result that it has", mismatch.first.place)]
        return ORPHAN_RESULT.at(result.place, "again", tool=call.name, related=related, name=call.name)
    kind = "id" if result.id is not None else "name" if result.name is not None else "any"
    related = [] if call is None else [("this call waits for a result", call.id_place)]
    return ORPHAN_RESULT.at(result.place, kind, tool=result.name, related=related, id=result.id, name=result.name)


ROLE_ORDER = Rule(
    code="TRANSCRIPT_ROLE_ORDER",
    since="0.1.0",
    severity=ERROR,
    summary="A turn is where its role must not be, or holds what its role must not hold.",
    message={
        "calls": "a message of `{role}` must not hold calls",
        "results": "a message of `{role}` must not hold results",
        "first": "a conversation must begin with `user`, not with `{role}`",
        "twice": "two turns of `{role}` follow one another, where user and assistant must alternate",
        "unprompted": "a turn with calls must follow one of the user or one with results",
    },
    tags=("transcripts",),
)

UNKNOWN_ROLE = Rule(
    code="TRANSCRIPT_UNKNOWN_ROLE",
    since="0.1.0",
    severity=WARNING,
    summary="A message has a role that its format does not know.",
    message="`{role}` is not a role of a message",
    tags=("transcripts",),
)


@check(CONVERSATION, ROLE_ORDER, UNKNOWN_ROLE)
def check_roles(surface: Surface) -> Follow:
    before: Turn | None = None

    def follow(turn: Turn | None, _: list[Mismatch]) -> Iterable[Finding]:
        nonlocal before
        if turn is None or turn.role_path is None:
            return ()
        last, before = before, turn
        kind = "unknown" if turn.role is None else _misplaced(turn, last)
        if kind is None:
            return ()
        place = Place(turn.tree, turn.path + turn.role_path)
        word = turn.tree.at(place.path).value
        if kind == "unknown":
            return (UNKNOWN_ROLE.at(place, role=word if isinstance(word, str) else "(none)"),)
        return (ROLE_ORDER.at(place, kind, role=word),)

    return follow


def _misplaced(turn: Turn, last: Turn | None) -> str | None:
    """The kind of what is wrong with the known role of a turn."""
    role, contract = turn.role, turn.contract
    if turn.calls and role != ASSISTANT:
        return "calls"
    if turn.results and role not in contract.result_roles:
        return "results"
    if contract.alternates and role in (USER, ASSISTANT):
        if last is None and role != USER:
            return "first"
        if last is not None and _meant(last) == role:
            return "twice"
    if contract.prompted and turn.calls and not (last is None or last.role in (USER, TOOL) or last.results):
        return "unprompted"
    return None


def _meant(turn: Turn) -> str | None:
    """The role that a turn should have had, so that a wrong one is reported once."""
    return ASSISTANT if turn.calls else USER if turn.results else turn.role
