"""The files that the client has open, as they stand in its buffers."""

from __future__ import annotations

import os

from lsprotocol import types

from toolsurface_lint.server.positions import Positions
from toolsurface_lint.source.files import read_bytes
from toolsurface_lint.source.text import LineIndex, SourceText


class Buffer:
    """One open file. `text` is the client's, byte order mark and line ends as they are.

    pygls keeps buffers too, but splits them at characters that end no line in the protocol, such as U+2028.
    """

    __slots__ = ("_lines", "_saved", "path", "text", "uri", "version")

    def __init__(self, uri: str, path: str, text: str, version: int | None) -> None:
        self.uri = uri
        self.path = path
        """The absolute path."""
        self.text = text
        self.version = version
        self._lines: LineIndex | None = None
        self._saved: bool | None = None

    @property
    def lines(self) -> LineIndex:
        if self._lines is None:
            self._lines = LineIndex(self.text)
        return self._lines

    @property
    def source(self) -> SourceText:
        """The text as it is checked: without the byte order mark."""
        return SourceText(self.path, self.text.removeprefix("\ufeff"))

    @property
    def data(self) -> bytes:
        """What saving the buffer would write. A lone surrogate becomes bytes that are no UTF-8, and is reported as such."""
        return self.text.encode("utf-8", "surrogatepass")

    @property
    def saved(self) -> bool:
        """Whether the file on disk has this text, as far as has been looked: then it may be read from there."""
        if self._saved is None:
            self._saved = self._is_on_disk()
        return self._saved

    def look_again(self) -> None:
        """The file on disk may have changed."""
        self._saved = None

    def _is_on_disk(self) -> bool:
        data = self.data
        try:
            if os.stat(self.path).st_size != len(data):
                return False
            return read_bytes(self.path, len(data)) == data
        except (OSError, ValueError):
            return False

    def positions(self, encoding: str) -> Positions:
        return Positions(self.lines, encoding)

    def change(self, change: types.TextDocumentContentChangeEvent, encoding: str) -> None:
        """Apply one change: of a range, or of the whole text."""
        if isinstance(change, types.TextDocumentContentChangePartial):
            positions = self.positions(encoding)
            start = positions.raw_offset(change.range.start)
            end = max(positions.raw_offset(change.range.end), start)
            self.text = self.text[:start] + change.text + self.text[end:]
        else:
            self.text = change.text
        self._lines = None
        self._saved = False
