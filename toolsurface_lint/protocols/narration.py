"""Narration between calls: what both protocols want kept out of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolsurface_lint.protocols.calls import scan_calls
from toolsurface_lint.protocols.landmarks import Landmarks
from toolsurface_lint.protocols.response import LONG_PROSE_CHARACTERS, LONG_PROSE_LINES, LOST
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})", re.MULTILINE)
_DIFF = re.compile(r"^(?:diff --git |@@ -\d|--- a/|\+\+\+ b/)", re.MULTILINE)


def narration_remarks(text: str, span: Span) -> Iterator[Problem[Span]]:
    """`code_in_prose` at the first code block or diff of a narration, `long_prose` if it is no longer brief."""
    code = _first_code(text, span)
    if code is not None:
        yield Problem("code_in_prose", code)
    lines = text.count("\n", span.start, span.end) + 1
    if span.end - span.start > LONG_PROSE_CHARACTERS or lines > LONG_PROSE_LINES:
        kind = "long_prose/lines" if lines > LONG_PROSE_LINES else "long_prose/characters"
        yield Problem(kind, span, {"characters": span.end - span.start, "lines": lines})


def _first_code(text: str, span: Span) -> Span | None:
    diff = _DIFF.search(text, span.start, span.end)
    fence = next(fences(text, span), None)
    if diff is not None and (fence is None or diff.start() < fence.start):
        return Span(diff.start(), min(_line_end(text, diff.start()), span.end))
    return fence


def fences(text: str, span: Span) -> Iterator[Span]:
    """The fenced code blocks between two offsets; one that no fence of its length closes goes on to the end."""
    open_: re.Match[str] | None = None
    for match in _FENCE.finditer(text, span.start, span.end):
        if open_ is None:
            open_ = match
        elif match[1].startswith(open_[1]) and not text[match.end() : _line_end(text, match.end())].strip():
            yield Span(open_.start(1), match.end())
            open_ = None
    if open_ is not None:
        yield Span(open_.start(1), span.end)


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def lost_calls(landmarks: Landmarks, known: frozenset[str] | None, span: Span, where: str) -> Iterator[Problem[Span]]:
    """The calls of declared tools in a text that no runtime looks for calls in; code blocks show examples, not calls.

    Silent where the tools are not known: any line of code looks like a call then.
    """
    if known is None or landmarks.text.find("(", span.start, span.end) < 0:
        return
    examples = list(fences(landmarks.text, span))
    index = 0
    for call in scan_calls(landmarks, known, span.start, span.end).calls:
        while index < len(examples) and examples[index].end <= call.span.start:
            index += 1
        if index < len(examples) and examples[index].start <= call.span.start:
            continue
        yield Problem(f"lost_call/{where}", call.span, {"name": call.name, "outcome": LOST})
