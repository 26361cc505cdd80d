"""Where the places of a text lie after edits of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from toolsurface_lint.source.text import Span


class _Hunk(NamedTuple):
    """A part of the old text and what has taken its place."""

    old: Span
    new: Span


_MOST = 500
"""Hunks that are kept apart; if there are more, all that lies between the first and the last is one."""


class Moves:
    """All edits since a text as one mapping of offsets, in code points: what lies in an edited part stays near it."""

    def __init__(self) -> None:
        self._hunks: list[_Hunk] = []
        """Apart from each other, and in order."""

    def add(self, span: Span, size: int) -> None:
        """An edit of the present text: `size` characters take the place of a span."""
        before = [hunk for hunk in self._hunks if hunk.new.end < span.start]
        after = [hunk for hunk in self._hunks if hunk.new.start > span.end]
        met = self._hunks[len(before) : len(self._hunks) - len(after)]
        start = min([span.start, *(hunk.new.start for hunk in met)])
        end = max([span.end, *(hunk.new.end for hunk in met)])
        old = Span(start - _shift(before), end - _shift(before + met))
        grown = size - (span.end - span.start)
        later = [hunk._replace(new=Span(hunk.new.start + grown, hunk.new.end + grown)) for hunk in after]
        self._hunks = [*before, _Hunk(old, Span(start, end + grown)), *later]
        if len(self._hunks) > _MOST:
            first, last = self._hunks[0], self._hunks[-1]
            self._hunks = [_Hunk(Span(first.old.start, last.old.end), Span(first.new.start, last.new.end))]

    def span(self, span: Span) -> Span:
        """Where a span of the old text lies now. What was inserted at either end is not part of it."""
        start = self._move(span.start, lambda hunk: hunk.old.start <= span.start)
        # The end of a span stays before what was inserted there.
        return Span(start, max(start, self._move(span.end, lambda hunk: hunk.old.start < span.end)))

    def _move(self, offset: int, is_before: Callable[[_Hunk], bool]) -> int:
        hunk = next((hunk for hunk in reversed(self._hunks) if is_before(hunk)), None)
        return offset if hunk is None else _across(offset, hunk.old, hunk.new)

    def back(self, offset: int) -> int:
        """The offset in the old text of what lies at an offset now."""
        hunk = next((hunk for hunk in reversed(self._hunks) if hunk.new.start <= offset), None)
        return offset if hunk is None else _across(offset, hunk.new, hunk.old)


def _shift(hunks: list[_Hunk]) -> int:
    """How far what follows these hunks has moved."""
    return hunks[-1].new.end - hunks[-1].old.end if hunks else 0


def _across(offset: int, here: Span, there: Span) -> int:
    """An offset in or after one side of a hunk, on the other side."""
    if offset >= here.end:
        return offset - here.end + there.end
    return min(offset - here.start + there.start, there.end)


def changed(old: str, new: str) -> tuple[Span, int]:
    """The part of a text that another one replaces: its span, and how many characters are there now."""
    start = _shared(old, new)
    end = _shared(old[start:][::-1], new[start:][::-1])
    return Span(start, len(old) - end), len(new) - end - start


def _shared(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    alike, most = 0, min(len(one), len(other))
    while alike < most:
        middle = (alike + most + 1) // 2
        if one[alike:middle] == other[alike:middle]:
            alike = middle
        else:
            most = middle - 1
    return alike
