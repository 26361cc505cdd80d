"""Files to bytes and text: the only place that opens files written by others."""

from __future__ import annotations

import errno
import os
import stat
from typing import IO, Any

from toolsurface_lint.source import disk
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
    file = _opened(path, buffering)
    if disk.is_recording():
        _record(path, file)
    return file


def _opened(path: str, buffering: int) -> IO[bytes]:
    try:
        return open(path, "rb", buffering=buffering, opener=_open)
    except OSError as error:
        disk.note(disk.CONTENT, path, error.errno)
        raise


def _record(path: str, file: IO[bytes]) -> None:
    """Record what is about to be read of a file; of a large one, only what changes with its content."""
    status = os.fstat(file.fileno())
    data = None
    if status.st_size <= _DIGESTED:
        data = file.read()
        file.seek(0)
    disk.note(disk.CONTENT, path, _content(status, data))


def _content(status: os.stat_result, data: bytes | None) -> list[Any]:
    """What is recorded of a file: what is not the same any more when it changes, and the digest of its bytes."""
    from hashlib import blake2b

    mark = [status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns]
    return [mark, None if data is None else blake2b(data, digest_size=16).hexdigest()]


def changed_since(content: disk.Answer, since: int) -> bool:
    """Whether a file, by what is recorded of it, changed after a time in nanoseconds since 1970, or just before.

    Then it can have changed again in the same tick of the clock of its file system.
    """
    return isinstance(content, list) and (not content[0] or max(content[0][3:]) > since - _TICK)


def read_again(path: str, before: disk.Answer) -> disk.Answer:
    """What is recorded of a file now: `before` itself if it has plainly not changed since that was recorded.

    None for a file that has changed and is too large to be read for its digest.
    """
    try:
        if isinstance(before, list):
            if before[0] and _content(os.stat(path), None)[0] == before[0]:
                return before
            if before[1] is None:
                return None
        with open(path, "rb", buffering=0, opener=_open) as file:
            status = os.fstat(file.fileno())
            return _content(status, file.read()) if status.st_size <= MAX_FILE_SIZE else None
    except (OSError, ValueError) as error:
        return error.errno if isinstance(error, OSError) else type(error).__name__


_DIGESTED = 1 << 20
"""Bytes of a file that is read for its digest although only a part of it is asked for."""
_TICK = 2_000_000_000
"""Nanoseconds between two times that every file system can tell apart; FAT has the coarsest."""


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
    with _opened(path, 0) as file:
        status = os.fstat(file.fileno())
        if status.st_size > limit:
            disk.note(disk.STATUS, path, disk.sized(status))
            raise TooLarge(limit, status.st_size)
        data = read_stream(file, limit, status.st_size)
        if disk.is_recording():
            disk.note(disk.CONTENT, path, _content(status, data))
        return data


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
    return SourceText(display, decode(_read_bytes(path, max_size)), ReadAgain(path, max_size))


def unread_source(path: str, display: str, max_size: int) -> SourceText:
    """The text of a file that another process has read; it is read here on demand."""
    source = SourceText(display, "", ReadAgain(path, max_size))
    source.release()
    return source


class ReadAgain:
    """How the text of a file comes back: from the file."""

    __slots__ = ("max_size", "path")

    def __init__(self, path: str, max_size: int) -> None:
        self.path = path
        self.max_size = max_size

    def __call__(self) -> str:
        return read_leniently(self.path, self.max_size)


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
