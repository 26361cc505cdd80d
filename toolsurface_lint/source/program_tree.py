"""Places in programs: positions of syntax trees as code points, and the values that are found in one program.

Parsers count columns in UTF-8 bytes; everything else counts code points.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from toolsurface_lint.source.text import SourceText, Span
from toolsurface_lint.source.tree import Path, Place, Spans, Tree


class Located(Protocol):
    """What has a place in a program as its parser gives it: lines from 1, columns from 0 in UTF-8 bytes."""

    @property
    def lineno(self) -> int: ...
    @property
    def col_offset(self) -> int: ...
    @property
    def end_lineno(self) -> int | None: ...
    @property
    def end_col_offset(self) -> int | None: ...


class Location(NamedTuple):
    """A place that is not a node of its own: the identifier of a function, a parameter or a keyword."""

    lineno: int
    col_offset: int
    end_lineno: int
    end_col_offset: int


_KEYWORD = re.compile(r"(?:async[ \t]+)?(?:def|class)[ \t]+")


_STRIDE = 256


class Offsets:
    """Turns the positions of a syntax tree into code-point offsets of one text."""

    def __init__(self, source: SourceText) -> None:
        self._text = source.text
        self._is_ascii = self._text.isascii()
        self._starts = source.lines.starts
        self._strides: dict[int, list[int]] = {}

    def offset(self, line: int, column: int) -> int:
        """The offset of a column in UTF-8 bytes of a line from 1."""
        start = self._starts[line - 1]
        if self._is_ascii:
            return start + column
        if column > _STRIDE:
            # A line may be very long, and hold very many nodes.
            strides = self._strides.get(line) or self._strides.setdefault(line, self._read_strides(line))
            stride = bisect_right(strides, column) - 1
            start += stride * _STRIDE
            column -= strides[stride]
        # No character is longer than its bytes, so the slice holds all that the column counts.
        part = self._text[start : start + column]
        if part.isascii():
            return start + column
        return start + len(part.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore"))

    def _read_strides(self, line: int) -> list[int]:
        """The columns of every 256th character of a line."""
        start = self._starts[line - 1]
        end = self._starts[line] if line < len(self._starts) else len(self._text)
        columns = [0]
        for at in range(start, end - _STRIDE, _STRIDE):
            part = self._text[at : at + _STRIDE]
            columns.append(columns[-1] + len(part.encode("utf-8", "surrogatepass")))
        return columns

    def span(self, node: Located) -> Span:
        start = self.offset(node.lineno, node.col_offset)
        if node.end_lineno is None or node.end_col_offset is None:
            return Span(start, start)
        return Span(start, self.offset(node.end_lineno, node.end_col_offset))

    def text(self, node: Located) -> str:
        """The source text of a node."""
        start, end = self.span(node)
        return self._text[start:end]

    def identifier(self, node: Located, name: str, *, keyword: bool = False) -> Location:
        """The place of a name at the beginning of a node, or after its `def` or `class` (`keyword`)."""
        column = node.col_offset
        if keyword:
            start = self.offset(node.lineno, column)
            # A statement that is broken between its keyword and its name shows its keyword.
            found = _KEYWORD.match(self._text, start)
            if found is not None and self._text.startswith(name, found.end()):
                column += found.end() - start
        return Location(node.lineno, column, node.lineno, column + len(name.encode()))


class ProgramTree(Tree):
    """Values found in one program.

    A text of such a tree may be the cleaned form of its literal (a docstring without its indentation), or stand for an
    expression that is not a literal at all: only what is known exactly is mapped, else the whole expression is shown.
    A text may be put together of several that lie elsewhere.
    """

    __slots__ = ("_parts",)

    source: SourceText

    def __init__(self, source: SourceText, value: Any, spans: Spans) -> None:
        super().__init__(source, value)
        self._spans = spans
        self._parts: dict[Path, tuple[list[int], list[Place]]] = {}

    def put_together(self, path: Path, parts: Sequence[tuple[int, Place]]) -> None:
        """Say where the parts of the text at `path` lie: from which offset on, in order, each has which place."""
        self._parts[path] = [start for start, _ in parts], [place for _, place in parts]

    def parts(self, path: Path) -> list[Place]:
        if path not in self._parts:
            return super().parts(path)
        return [Place(place.tree, place.path) for place in self._parts[path][1]]

    def _part(self, path: Path, offset: int, start: int, end: int) -> Place:
        """What of a range of a text lies in the part that an offset is in; behind it, if that is a gap."""
        starts, places = self._parts[path]
        at = max(bisect_right(starts, offset) - 1, 0)
        length = places[at].end - places[at].start
        return places[at].part(*(min(max(each - starts[at], 0), length) for each in (start, end)))

    def text_place(self, path: Path, start: int, end: int) -> Place:
        if path not in self._parts:
            return super().text_place(path, start, end)
        first, last = (self._part(path, at, start, end) for at in (start, max(end - 1, start)))
        return super().text_place(path, start, end) if first != last and first.tree is last.tree is self else first

    def text_span(self, path: Path, start: int, end: int) -> Span:
        if path not in self._parts:
            return super().text_span(path, start, end)
        first, last = (self._part(path, at, start, end).span() for at in (start, max(end - 1, start)))
        assert first is not None
        assert last is not None
        return Span(first.start, max(first.start, last.end))
