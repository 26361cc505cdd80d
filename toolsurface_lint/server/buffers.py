"""The files that the client has open, with the text of its buffers."""

from __future__ import annotations

import os

from lsprotocol import types

from toolsurface_lint.server.moves import Moves, changed
from toolsurface_lint.server.positions import BOM, Positions
from toolsurface_lint.source.files import read_bytes
from toolsurface_lint.source.text import LineIndex, SourceText, Span


class Buffer:
    """One open file. `text` is the client's, byte order mark and line ends as they are.

    pygls keeps buffers too, but splits them at characters that end no line in the protocol, such as U+2028.
    """

    def __init__(self, uri: str, path: str, text: str, version: int | None) -> None:
        self.uri = uri
        self.path = path
        """The absolute path."""
        self.text = text
        self.version = version
        self.readable: str | None = text
        """The text when it could last be read, as far as anybody has looked; None if no such text is known."""
        self._moves = Moves()
        """The edits since then."""
        self._lines: LineIndex | None = None
        self._saved: bool | None = None

    def mark_readable(self) -> None:
        """The present text can be read."""
        if self.readable is not self.text:
            self.readable = self.text
            self._moves = Moves()

    def moved(self, span: Span) -> Span:
        """Where a span of the `readable` text, without its byte order mark, lies in the present one."""
        was, now = self._marks()
        start, end = self._moves.span(Span(span.start + was, span.end + was))
        return Span(max(start - now, 0), max(end - now, 0))

    def back(self, offset: int) -> int:
        """The offset in the `readable` text of what lies at an offset of the present one, both without their marks."""
        was, now = self._marks()
        return max(self._moves.back(offset + now) - was, 0)

    def _marks(self) -> tuple[int, int]:
        """The sizes of the byte order marks of the `readable` and the present text."""
        return int((self.readable or "").startswith(BOM)), int(self.text.startswith(BOM))

    @property
    def lines(self) -> LineIndex:
        if self._lines is None:
            self._lines = LineIndex(self.text)
        return self._lines

    @property
    def source(self) -> SourceText:
        """The text as it is checked: without the byte order mark."""
        return SourceText(self.path, self.text.removeprefix(BOM))

    @property
    def data(self) -> bytes:
        """What saving the buffer would write."""
        return to_bytes(self.text)

    @property
    def saved(self) -> bool:
        """Whether the file on disk has this text, as far as has been looked: then it may be read from there."""
        if self._saved is None:
            data = self.data
            try:
                self._saved = os.stat(self.path).st_size == len(data) and read_bytes(self.path, len(data)) == data
            except (OSError, ValueError):
                self._saved = False
        return self._saved

    def look_again(self) -> None:
        """The file on disk may have changed."""
        self._saved = None

    def positions(self, encoding: str) -> Positions:
        return Positions(self.lines, encoding)

    def change(self, change: types.TextDocumentContentChangeEvent, encoding: str) -> None:
        """Apply one change: of a range, or of the whole text."""
        if isinstance(change, types.TextDocumentContentChangePartial):
            positions = self.positions(encoding)
            start = positions.raw_offset(change.range.start)
            end = max(positions.raw_offset(change.range.end), start)
            self._moves.add(Span(start, end), len(change.text))
            self.text = self.text[:start] + change.text + self.text[end:]
        else:
            self._moves.add(*changed(self.text, change.text))
            self.text = change.text
        self._lines = None
        self._saved = False


def to_bytes(text: str) -> bytes:
    """The bytes of a buffer's text. A lone surrogate becomes bytes that are not UTF-8, and is reported as such."""
    return text.encode("utf-8", "surrogatepass")
