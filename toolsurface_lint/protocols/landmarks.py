"""Where the next delimiter is, asked again and again without searching the same text twice."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property

from toolsurface_lint.source.text import Span

_HEREDOC_TAG = re.compile(r"<<['\"]?([A-Za-z0-9_]+)")
_FIRST_WORD = re.compile(r"^[^\S\n]*([A-Za-z0-9_]+)", re.MULTILINE)
_CLOSING_TAG = re.compile(r"</([A-Za-z_][^<>\s]*)>")


class Landmarks:
    """The delimiters of one text.

    Openers that are never closed are what makes a scanner quadratic: each one searches the rest of the text. The
    answers are kept here, so that any number of rising questions costs one pass over the text.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._found: dict[str | re.Pattern[str], tuple[int, int]] = {}

    def next(self, delimiter: str | re.Pattern[str], start: int) -> int:
        """The offset of the first `delimiter` at or after `start`; the length of the text if there is none."""
        asked, found = self._found.get(delimiter, (0, -1))
        if asked <= start <= found:
            return found
        if isinstance(delimiter, str):
            found = self.text.find(delimiter, start)
        else:
            match = delimiter.search(self.text, start)
            found = -1 if match is None else match.start()
        if found < 0:
            found = len(self.text)
        self._found[delimiter] = (start, found)
        return found

    def heredoc_end(self, tag: str, start: int) -> int | None:
        """The offset of `tag` in the first line, of those that begin at or after `start`, whose first word it is."""
        return _first_from(self._heredoc_ends.get(tag, ()), start)

    @cached_property
    def _heredoc_ends(self) -> dict[str, list[int]]:
        ends: dict[str, list[int]] = {word: [] for word in _HEREDOC_TAG.findall(self.text)}
        for match in _FIRST_WORD.finditer(self.text):
            if match[1] in ends:
                ends[match[1]].append(match.start(1))
        return ends

    def closing_tag(self, name: str, start: int) -> int | None:
        """The offset of the first `</name>` at or after `start`; for names that are not known beforehand."""
        return _first_from(self._closing_tags.get(name, ()), start)

    @cached_property
    def _closing_tags(self) -> dict[str, list[int]]:
        tags: dict[str, list[int]] = {}
        for match in _CLOSING_TAG.finditer(self.text):
            tags.setdefault(match[1], []).append(match.start())
        return tags


def _first_from(offsets: list[int] | tuple[()], start: int) -> int | None:
    index = bisect_left(offsets, start)
    return offsets[index] if index < len(offsets) else None


def stripped(text: str, start: int, end: int) -> Span:
    """The span between two offsets without the white space at its ends; empty, at `end`, if there is nothing else."""
    piece = text[start:end]
    left = start + len(piece) - len(piece.lstrip())
    return Span(left, max(left, start + len(piece.rstrip())))
