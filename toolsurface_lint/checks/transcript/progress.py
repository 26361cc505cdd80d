"""What an agent does: it repeats a call, ignores an error, or ends without a check."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from toolsurface_lint.checks.contract import CONVERSATION, Follow, check
from toolsurface_lint.model.diagnostics import ERROR, INFO, WARNING, Finding, Rule
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.transcript import ASSISTANT, USER, Call, Mismatch, Result, Turn
from toolsurface_lint.source.tree import Place

REPEATED_CALL = Rule(
    code="TRANSCRIPT_REPEATED_CALL",
    since="0.1.0",
    severity=WARNING,
    summary="The same call is made three times in a row, with the same result each time.",
    message="the call of `{name}` is made for the third time in a row, with the same arguments and the same result",
    tags=("transcripts",),
)

_TIMES = 3


@check(CONVERSATION, REPEATED_CALL)
def check_repetition(surface: Surface) -> Follow:
    same: list[Call] = []

    def follow(turn: Turn | None, _: list[Mismatch]) -> Iterable[Finding]:
        nonlocal same
        if turn is not None and turn.contract.wire:
            # Who asked for a call, and whether again, is not recorded.
            return ()
        if turn is None or not turn.calls:
            found = _repetition(same)
            if turn is not None and turn.role == USER and not turn.results:
                # Asked again by the user, the same call is not a loop.
                same = []
            return found
        found = []
        for call in turn.calls:
            found.extend(_repetition(same))
            if same and same[-1].name == call.name and same[-1].arguments == call.arguments:
                if len(same) <= _TIMES:
                    same.append(call)
            else:
                same = [call]
        return found

    return follow


def _repetition(same: list[Call]) -> list[Finding]:
    if len(same) != _TIMES:
        return []
    contents = [call.result.content for call in same if call.result is not None]
    if len(contents) != _TIMES or any(content != contents[0] for content in contents):
        return []
    # One more keeps the run from being reported twice.
    same.append(same[-1])
    return [REPEATED_CALL.at(same[-1].place, tool=same[-1].name, related=[("the first of them", same[0].place)])]


ERROR_IGNORED = Rule(
    code="TRANSCRIPT_ERROR_IGNORED",
    since="0.1.0",
    severity=INFO,
    summary="An answer claims success right after a call that failed.",
    message="the answer claims success, but the call right before it failed",
    tags=("transcripts",),
    preview=True,
)

_CLAIM = re.compile(
    r"\b(?:success(?:ful|fully)?|succeeded|completed|done|all set|(?:is|are|was|were|been|now) (?:fixed|created|updated|"
    r"deleted|booked|cancelled|sent|saved|installed))\b",
    re.IGNORECASE,
)
_ADMISSION = re.compile(
    r"\b(?:error|fail(?:ed|ure|s)?|could ?n[o']t|cannot|can't|unable|unsuccessful|sorry|unfortunately|did ?n[o']t|"
    r"not (?:been |yet )?\w+ed|issue|problem|however|instead|try|retry)\b",
    re.IGNORECASE,
)


@check(CONVERSATION, ERROR_IGNORED)
def check_claims(surface: Surface) -> Follow:
    failed: Result | None = None

    def follow(turn: Turn | None, _: list[Mismatch]) -> Iterable[Finding]:
        nonlocal failed
        if turn is None:
            return ()
        if turn.results:
            last = turn.results[-1]
            failed = last if last.failed else None
            return ()
        before, failed = failed, None
        if before is None or turn.role != ASSISTANT or turn.calls:
            return ()
        return _claims(turn, before)

    return follow


def _claims(turn: Turn, failed: Result) -> Iterator[Finding]:
    for text in turn.said():
        claim = _CLAIM.search(text.value)
        if claim is not None and _ADMISSION.search(text.value) is None:
            yield ERROR_IGNORED.at(text.text_place(*claim.span()), related=[("the failed call's result", failed.place)])
            return


DONE_UNVERIFIED = Rule(
    code="TRANSCRIPT_DONE_UNVERIFIED",
    since="0.1.0",
    severity=ERROR,
    summary="A run is declared done without a successful call before it.",
    message={
        "call": "the run is declared done, but no call has succeeded before",
        "verifying": "the run is declared done, but no verifying call has succeeded before",
    },
    tags=("transcripts", "responses"),
)

CALL_AFTER_DONE = Rule(
    code="TRANSCRIPT_CALL_AFTER_DONE",
    since="0.1.0",
    severity=WARNING,
    summary="A call is made after the run was declared done.",
    message="the call of `{name}` comes after the run was declared done",
    tags=("transcripts", "responses"),
)


@check(CONVERSATION, DONE_UNVERIFIED, CALL_AFTER_DONE)
def check_completion(surface: Surface) -> Follow | None:
    sentinel = surface.target.done_sentinel
    if not sentinel:
        return None
    # Annotated as tools whose results are evidence that the work is verified.
    verifying = frozenset(
        tool.name
        for tool in surface.tools
        if (annotations := surface.annotations(tool)) is not None
        and (role := annotations.node.get("completion_evidence_role")) is not None
        and role.value == "verification"
    )
    calls: list[Call] = []
    verified = False
    done: Place | None = None

    def follow(turn: Turn | None, _: list[Mismatch]) -> Iterable[Finding]:
        nonlocal calls, verified, done
        if turn is None:
            return ()
        if turn.results and not verified:
            succeeded = (call.name for call in calls if call.result is not None and not call.result.failed)
            verified = any(not verifying or name in verifying for name in succeeded)
            calls = [call for call in calls if call.result is None]
        if turn.role == USER and not turn.results:
            # A new task: what was done for the one before says nothing about it.
            done = None
        if turn.role != ASSISTANT:
            return ()
        found: list[Finding] = []
        for call in turn.calls:
            if done is not None:
                related = [("declared done here", done)]
                found.append(CALL_AFTER_DONE.at(call.place, tool=call.name, related=related))
        places = (
            text.text_place(start, start + len(sentinel))
            for text in turn.said()
            if (start := text.value.find(sentinel)) >= 0
        )
        place = next(places, None)
        if place is not None:
            if not verified and done is None:
                found.append(DONE_UNVERIFIED.at(place, "verifying" if verifying else "call"))
            done = done or place
        if not verified:
            if turn.contract.answered:
                calls.extend(turn.calls)
            else:
                # Its results are text: whether it succeeded cannot be known.
                verified = any(not verifying or call.name in verifying for call in turn.calls)
        return found

    return follow
