"""Files to text: the only place that opens what is linted."""

from __future__ import annotations

import os
import stat

from toolsurface_lint.source.text import SourceText, Unreadable, decode


def read_source(path: str, display: str, max_size: int, data: bytes | None = None) -> SourceText:
    """The text of a file, or of `data` in its place (an editor's unsaved buffer).

    Raises `Unreadable` for a file that is gone, forbidden, no regular file, larger than `max_size` bytes, or no UTF-8.
    """
    if data is not None:
        return SourceText(display, decode(data))
    return SourceText(display, decode(_read_bytes(path, max_size)), lambda: read_leniently(path, max_size))


def unread_source(path: str, display: str, max_size: int) -> SourceText:
    """The text of a file that another process has read; it is read here when somebody asks for it."""
    source = SourceText(display, "", lambda: read_leniently(path, max_size))
    source.release()
    return source


def _open(path: str, flags: int) -> int:
    # Opening a pipe would wait for somebody who writes to it; for a regular file the flag means nothing.
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _read_bytes(path: str, max_size: int) -> bytes:
    try:
        with open(path, "rb", buffering=0, opener=_open) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise Unreadable("not a regular file")
            if status.st_size > max_size:
                raise Unreadable(f"the file has {status.st_size:,} bytes, more than `max-file-size` ({max_size:,})")
            return file.readall()
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror or error}") from None


def read_leniently(path: str, max_size: int) -> str:
    """The text of a file that was read before; what has become unreadable since is cut off there."""
    try:
        return decode(_read_bytes(path, max_size))
    except Unreadable as error:
        return error.text
