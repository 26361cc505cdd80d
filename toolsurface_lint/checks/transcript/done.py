"""Completion: what must come before the sentinel that ends a run, and what must not come after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolsurface_lint.checks.contract import CONVERSATION, Follow, check
from toolsurface_lint.model.diagnostics import ERROR, WARNING, Finding, Rule
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.transcript import ASSISTANT, USER, Call, Mismatch, Turn
from toolsurface_lint.source.tree import Place

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
def check_conversation(surface: Surface) -> Follow | None:
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
                found.append(CALL_AFTER_DONE.at(call.place, tool=call.name, related=related, name=call.name))
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
