"""Lines around spans and beginnings of texts, for people to look at."""

from __future__ import annotations

from typing import NamedTuple

from toolsurface_lint.source.text import SourceText, Span


class Excerpt(NamedTuple):
    """A line around a span, or the part of a long line; the span lies in it from `start` to `end`, as far as it does."""

    text: str
    start: int
    end: int


_CUT = "…"


def beginning(text: str, room: int) -> str:
    """A text, or as many characters of it as there is room for, with a mark where it is cut."""
    return text if len(text) <= room else text[:room] + _CUT


def excerpt(source: SourceText, span: Span, room: int = 240) -> Excerpt:
    """The line that a span begins in, without white space at its ends; of a longer line than `room`, as much around the span.

    A text that has changed and no longer reaches to the span gives its last line.
    """
    text = source.text
    first, last = source.lines.line_span(source.lines.line_at(span.start))
    start = min(max(span.start, first), last)
    end = min(max(span.end, start), last)
    while first < start and text[first].isspace():
        first += 1
    while last > end and text[last - 1].isspace():
        last -= 1
    head = tail = ""
    if last - first > room:
        end = min(end, start + room)
        begin = max(first, start - (room - (end - start)) // 2)
        stop = min(last, begin + room)
        head, tail = _CUT if begin > first else "", _CUT if stop < last else ""
        first, last = begin, stop
    offset = len(head) - first
    return Excerpt(head + text[first:last] + tail, start + offset, end + offset)
