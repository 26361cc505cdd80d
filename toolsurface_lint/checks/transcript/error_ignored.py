"""A claim of success right after a call that failed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from toolsurface_lint.checks.contract import CONVERSATION, Follow, check
from toolsurface_lint.model.diagnostics import INFO, Finding, Rule
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.transcript import ASSISTANT, Mismatch, Result, Turn

RULE = Rule(
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


@check(CONVERSATION, RULE)
def check_conversation(surface: Surface) -> Follow:
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
        return _findings(turn, before)

    return follow


def _findings(turn: Turn, failed: Result) -> Iterator[Finding]:
    for text in turn.said():
        claim = _CLAIM.search(text.value)
        if claim is not None and _ADMISSION.search(text.value) is None:
            yield RULE.at(text.text_place(*claim.span()), related=[("the failed call's result", failed.place)])
            return
