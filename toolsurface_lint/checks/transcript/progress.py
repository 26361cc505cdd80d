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
        if turn is None or not turn.calls:
            found = list(_repetition(same)) if len(same) == _TIMES else []
            if turn is not None and turn.role == USER and not turn.results:
                # Asked again by the user, the same call is not a loop.
                same = []
            return found
        found = []
        for call in turn.calls:
            if len(same) == _TIMES:
                found.extend(_repetition(same))
            if same and same[-1].name == call.name and same[-1].arguments == call.arguments:
                if len(same) <= _TIMES:
                    same.append(call)
            else:
                same = [call]
        return found

    return follow


def _repetition(same: list[Call]) -> Iterator[Finding]:
    first, last = same[0], same[_TIMES - 1]
    results = [call.result for call in same[:_TIMES]]
    if any(result is None for result in results):
        return
    if all(
        result is not None and results[0] is not None and result.content == results[0].content for result in results
    ):
        # One more keeps the run from being reported twice.
        same.append(last)
        yield REPEATED_CALL.at(last.place, tool=last.name, related=[("the first of them", first.place)])


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
    verifying = frozenset(tool.name for tool in surface.tools if _verifies(surface, tool.name))
    calls: list[Call] = []
    verified = False
    done: Place | None = None

    def follow(turn: Turn | None, _: list[Mismatch]) -> Iterable[Finding]:
        nonlocal calls, verified, done
        if turn is None:
            return ()
        if turn.results and not verified:
            verified = any(_succeeded(call, verifying) for call in calls)
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
        place = next(_sentinels(turn, sentinel), None)
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


def _verifies(surface: Surface, name: str) -> bool:
    """Whether a tool is annotated as one whose result is evidence that the work is verified."""
    for tool in surface.by_name.get(name, ()):
        annotations = surface.annotations(tool)
        node = None if annotations is None else annotations.node.get("completion_evidence_role")
        if node is not None and node.value == "verification":
            return True
    return False


def _succeeded(call: Call, verifying: frozenset[str]) -> bool:
    return call.result is not None and not call.result.failed and (not verifying or call.name in verifying)


def _sentinels(turn: Turn, sentinel: str) -> Iterator[Place]:
    for text in turn.said():
        start = text.value.find(sentinel)
        if start >= 0:
            yield text.text_place(start, start + len(sentinel))
