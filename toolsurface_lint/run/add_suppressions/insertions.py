"""Texts to insert into another, and where everything lies once they are in it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import accumulate
from typing import NamedTuple


class Insertion(NamedTuple):
    """A text to insert into a document at an offset."""

    offset: int
    text: str


def inserted(text: str, insertions: Iterable[Insertion]) -> str:
    """A text with insertions, of which those at one offset follow each other in order."""
    parts = []
    position = 0
    for offset, added in sorted(insertions, key=lambda insertion: insertion.offset):
        parts += [text[position:offset], added]
        position = offset
    return "".join([*parts, text[position:]])


class Shift:
    """Where offsets of a text lie once insertions have been made in it."""

    def __init__(self, insertions: Iterable[Insertion]) -> None:
        ordered = sorted(insertions, key=lambda insertion: insertion.offset)
        self._offsets = [insertion.offset for insertion in ordered]
        self._added = [0, *accumulate(len(insertion.text) for insertion in ordered)]

    def start(self, offset: int) -> int:
        """For what begins at an offset: after what is inserted there."""
        return offset + self._added[bisect_right(self._offsets, offset)]

    def end(self, offset: int) -> int:
        """For what ends at an offset: before what is inserted there."""
        return offset + self._added[bisect_left(self._offsets, offset)]
