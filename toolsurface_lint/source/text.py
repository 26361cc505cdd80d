"""Text and the places in it: spans in code points, lines and columns from 1."""

# No `from __future__ import annotations`: `NamedTuple` compiles annotations that are strings, each of them at every start.

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate, count
from operator import add, itemgetter
from typing import NamedTuple

from toolsurface_lint.source.problem import Problem

GAP = "\ufffc"
"""Stands in a text for a part that only a run of the program can tell."""


class Span(NamedTuple):
    """A half-open range of code-point offsets into `SourceText.text`."""

    start: int
    end: int


def is_within(offset: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether one of the spans holds an offset; they are in order and do not overlap."""
    index = bisect_right(spans, offset, key=itemgetter(0)) - 1
    return index >= 0 and offset < spans[index][1]


class Position(NamedTuple):
    """A line and a column, both from 1; the column counts code points."""

    line: int
    column: int


class Range(NamedTuple):
    """Where a span lies in lines and columns; the end is exclusive, as in `Span`."""

    start: Position
    end: Position


class Unreadable(Exception):
    """The bytes are not text that any reader can use, for a reason of the kinds `unreadable/...`.

    The place of `problem` lies in `text`, the part that could be decoded.
    """

    def __init__(self, kind: str, text: str = "", span: Span | None = None, **values: object) -> None:
        self.problem = Problem(f"unreadable/{kind}", span or Span(0, 0), values)
        self.text = text


class NotSyntax(Exception):
    """The text stops being readable in its format, as `problem` says: kinds `syntax/...` and, of `TooDeep`, `unreadable/...`."""

    group = "syntax"

    def __init__(self, kind: str, span: Span, related: tuple[tuple[str, Span], ...] = (), /, **values: object) -> None:
        self.problem = Problem(f"{self.group}/{kind}", span, values, related=related)


class TooDeep(NotSyntax):
    """The text nests deeper than is followed, or repeats itself without bound."""

    group = "unreadable"


MAX_DEPTH = 500
"""The nesting that every reader accepts; deeper input is reported, never followed."""

MAX_INLINE = 400
"""The nesting of arrays and inline tables in TOML that tomli reads; some of its versions crash on much more."""

# Not `str.splitlines()`: that also splits at VT, FF, FS, GS, RS, U+0085, U+2028 and U+2029, which no editor counts.
_RETURN = re.compile(r"\r(?!\n)")


class LineIndex:
    """The offsets at which the lines of one text begin; `before` lines come before it in its file."""

    __slots__ = ("before", "starts", "text")

    def __init__(self, text: str, before: int = 0) -> None:
        self.text = text
        self.before = before
        self.starts: list[int] = [0, *map(add, accumulate(map(len, text.split("\n"))), count(1))]
        del self.starts[-1]
        if "\r" in text:
            self.starts = sorted([*self.starts, *(match.end() for match in _RETURN.finditer(text))])

    def position(self, offset: int) -> Position:
        """The line and column of a code-point offset; an offset past the end is taken as the end."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self.starts, offset) - 1
        return Position(self.before + line + 1, offset - self.starts[line] + 1)

    def range(self, span: Span) -> Range:
        return Range(self.position(span.start), self.position(span.end))

    def line_span(self, line: int) -> Span:
        """The span of a line (from 1) without its line end."""
        start = self.starts[line - 1]
        end = self.starts[line] if line < len(self.starts) else len(self.text)
        while end > start and self.text[end - 1] in "\r\n":
            end -= 1
        return Span(start, end)

    def line_at(self, offset: int) -> int:
        return self.position(offset).line


class SourceText:
    """The text of one file: without its byte order mark, its line ends as they are.

    The text of a file can be dropped by `release` and comes back by itself when it is asked for again. A file that
    has changed or vanished meanwhile gives its new text, or an empty one: positions are then clamped, nothing fails.
    """

    __slots__ = ("_lines", "_reload", "_text", "path")

    offset = 0
    """How many code points of the file are before the text."""

    def __init__(self, path: str, text: str, reload: Callable[[], str] | None = None) -> None:
        self.path = path
        self._text: str | None = text
        self._reload = reload
        self._lines: LineIndex | None = None

    @property
    def text(self) -> str:
        if self._text is None:
            assert self._reload is not None
            self._text = self._reload()
        return self._text

    @property
    def reload(self) -> Callable[[], str] | None:
        """What the text comes back from; None if it is never dropped."""
        return self._reload

    def peek(self) -> str:
        """The text, which is not kept if it has been dropped."""
        return self._text if self._text is not None or self._reload is None else self._reload()  # type: ignore[return-value]

    @property
    def lines(self) -> LineIndex:
        if self._lines is None:
            self._lines = LineIndex(self.text)
        return self._lines

    def release(self) -> None:
        """Drop the text and the line index; both are made again on demand."""
        if self._reload is not None:
            self._text = None
            self._lines = None


def decode(data: bytes) -> str:
    """The text of a file's bytes: UTF-8, with or without a byte order mark.

    Raises `Unreadable` at the first byte that is not UTF-8, at a NUL, and for UTF-16 and UTF-32.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Unreadable("utf_16")
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        raise Unreadable("utf_8", before, Span(len(before), len(before)), byte=f"{data[error.start]:02x}") from None
    nul = text.find("\0")
    if nul >= 0:
        raise Unreadable("nul", text, Span(nul, nul + 1))
    return text
