"""Files to bytes and text: the only place that opens files written by others."""

from __future__ import annotations

import errno
import os
import stat
from typing import IO

from toolsurface_lint.source.text import SourceText, Unreadable, decode

MAX_FILE_SIZE = 64 * 1024 * 1024
"""Bytes of a file, or of a line of JSON Lines, that is read whole, unless the settings say otherwise."""

LFS_POINTER = "version https://git-lfs.github.com/spec/"
"""How a file begins that Git LFS has in place of the one that it keeps."""
KEPT_ELSEWHERE = "kept by Git LFS, and not fetched"

_PIECE = 1 << 16


class NotRegular(OSError):
    """A pipe, a device or a socket, which could have no end, or none that comes."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.EINVAL, "not a regular file", path)


class TooLarge(OSError):
    """More bytes than are read; `size` is what the file has, None if it has no known size."""

    def __init__(self, limit: int, size: int | None = None) -> None:
        super().__init__(errno.EFBIG, f"it has more than {limit:,} bytes")
        self.size = size


def open_file(path: str, buffering: int = -1) -> IO[bytes]:
    """A regular file, open to be read. Raises `OSError`, such as `NotRegular`."""
    return open(path, "rb", buffering=buffering, opener=_open)


def _open(path: str, flags: int) -> int:
    # Opening a pipe would wait for somebody who writes to it, and a terminal would become ours; for a regular file the
    # flags mean nothing. Only what is open is sure to be what is looked at.
    handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))
    mode = os.fstat(handle).st_mode
    # `open` itself refuses folders.
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        os.close(handle)
        raise NotRegular(path)
    return handle


def read_bytes(path: str, limit: int) -> bytes:
    """The bytes of a regular file that has at most `limit`. Raises `OSError`: `NotRegular` and `TooLarge` among others."""
    with open_file(path, 0) as file:
        size = os.fstat(file.fileno()).st_size
        if size > limit:
            raise TooLarge(limit, size)
        return read_stream(file, limit, size)


def read_stream(file: IO[bytes], limit: int, expected: int = 0) -> bytes:
    """All that an open file or a stream still gives, about `expected` bytes. Raises `OSError`: `TooLarge` above `limit`."""
    parts: list[bytes] = []
    left = limit
    wanted = expected + 1
    while data := file.read(wanted):
        left -= len(data)
        if left < 0:
            raise TooLarge(limit)
        parts.append(data)
        wanted = _PIECE
    return parts[0] if len(parts) == 1 else b"".join(parts)


def read_source(path: str, display: str, max_size: int, data: bytes | None = None) -> SourceText:
    """The text of a file, or of `data` in its place (an editor's unsaved buffer).

    Raises `Unreadable` for a file that is gone, forbidden, not a regular file, larger than `max_size` bytes, or not UTF-8.
    """
    if data is not None:
        return SourceText(display, decode(data))
    return SourceText(display, decode(_read_bytes(path, max_size)), lambda: read_leniently(path, max_size))


def unread_source(path: str, display: str, max_size: int) -> SourceText:
    """The text of a file that another process has read; it is read here on demand."""
    source = SourceText(display, "", lambda: read_leniently(path, max_size))
    source.release()
    return source


def _read_bytes(path: str, max_size: int) -> bytes:
    try:
        return read_bytes(path, max_size)
    except NotRegular:
        raise Unreadable("not_regular") from None
    except TooLarge as error:
        if error.size is None:
            raise Unreadable("endless", most=f"{max_size:,}") from None
        raise Unreadable("large", size=f"{error.size:,}", most=f"{max_size:,}") from None
    except OSError as error:
        raise Unreadable("os", reason=error.strerror or str(error)) from None


def read_leniently(path: str, max_size: int) -> str:
    """The text of a file that was read before; what has become unreadable since is cut off there."""
    try:
        return decode(_read_bytes(path, max_size))
    except Unreadable as error:
        return error.text
