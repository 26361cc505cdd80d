"""Between code-point offsets and the positions of the protocol, in the encoding that client and server agreed on."""

from __future__ import annotations

from bisect import bisect_left

from lsprotocol import types

from toolsurface_lint.source.text import LineIndex, Position, Span

UTF_8, UTF_16, UTF_32 = "utf-8", "utf-16", "utf-32"
BOM = "\ufeff"


class Positions:
    """The positions of one text: lines from 0, characters in units of `encoding`.

    A byte order mark at the start of `lines.text` is part of the client's first line, but not of the text that is
    checked: offsets begin after it.
    """

    def __init__(self, lines: LineIndex, encoding: str) -> None:
        self._lines = lines
        self._encoding = encoding
        self._skipped = int(lines.text.startswith(BOM))

    def position(self, offset: int) -> types.Position:
        """The position of an offset; one beyond the end is taken as the end."""
        place = self._lines.position(offset + self._skipped)
        start = self._lines.starts[place.line - 1]
        before = self._lines.text[start : start + place.column - 1]
        return types.Position(place.line - 1, _units(before, self._encoding))

    def range(self, span: Span) -> types.Range:
        return types.Range(self.position(span.start), self.position(span.end))

    def at(self, place: Position) -> types.Position:
        """The position of a place in lines and columns from 1, for what has no offset."""
        starts = self._lines.starts
        return self.position(starts[min(place.line, len(starts)) - 1] + place.column - 1 - self._skipped)

    def offset(self, position: types.Position) -> int:
        """The offset of a position; one beyond its line, or beyond the text, is taken as the end of that.

        A position within a character, which no client should send, is taken as after it.
        """
        return max(self.raw_offset(position) - self._skipped, 0)

    def raw_offset(self, position: types.Position) -> int:
        """The offset in the client's own text, a byte order mark included."""
        lines = self._lines
        if position.line >= len(lines.starts):
            return len(lines.text)
        span = lines.line_span(position.line + 1)
        return span.start + _characters(lines.text[span.start : span.end], position.character, self._encoding)


def _units(text: str, encoding: str) -> int:
    """The length of a text in code units."""
    if encoding == UTF_32 or text.isascii():
        return len(text)
    if encoding == UTF_8:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _characters(text: str, units: int, encoding: str) -> int:
    """How many characters of a text so many code units take; all of them if there are fewer units."""
    return bisect_left(range(len(text)), units, key=lambda index: _units(text[:index], encoding))
