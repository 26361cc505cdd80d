"""The folder in which runs are kept: nobody else may write to it, and what somebody else has written is not believed.

Each entry is a file of its own, authenticated by a key that lies beside it and that only its owner can read. Any number of
processes may read and write at once: a file takes its place in one step, and of two equal ones either will do.
"""

from __future__ import annotations

import hmac
import os
import re
import stat
import sys
import time
from collections.abc import Sequence
from contextlib import suppress

from toolsurface_lint.project.discovery.paths import is_below

_KEY = "key"
_KEY_SIZE = 32
_MAC_SIZE = 32
_ENTRY = re.compile(r"[0-9a-f]{32}\.run")
_DRAFT = re.compile(r"[0-9a-f]{32}\.tmp")

LARGEST = 64 * 1024 * 1024
"""Bytes of one entry."""
MOST_BYTES = 256 * 1024 * 1024
"""Bytes of all entries."""
MOST_ENTRIES = 1000
DAYS = 30
"""How long an entry is kept that nobody uses."""
_DAY = 86_400


class Unusable(Exception):
    """A folder in which nothing is kept; the message says why."""


def default_folder() -> str | None:
    """The user's own cache folder for this program, as the system has it; None if there is none at an absolute path.

    Source: XDG Base Directory Specification 0.8 (a relative path is ignored); Apple's File System Programming Guide.
    """
    name = "toolsurface-lint"
    home = os.path.expanduser("~")
    if os.name == "nt":
        path = os.path.join(os.environ.get("LOCALAPPDATA", ""), name, "Cache")
    elif sys.platform == "darwin":
        path = os.path.join(home, "Library", "Caches", name)
    else:
        given = os.environ.get("XDG_CACHE_HOME", "")
        path = os.path.join(given if os.path.isabs(given) else os.path.join(home, ".cache"), name)
    return path if os.path.isabs(path) else None


class CacheFolder:
    """A folder outside of what is checked, which belongs to the user alone; it is made when there is something to write.

    `tree` are the real paths of what is checked: whoever wrote that may not say what is found in it. Raises `Unusable`.
    """

    def __init__(self, path: str, tree: Sequence[str]) -> None:
        self._path = os.path.realpath(path)
        if any(is_below(self._path, root) for root in tree):
            raise Unusable("it lies in what is checked, or in the working directory")
        with suppress(FileNotFoundError):
            try:
                _require_own(os.lstat(self._path), stat.S_ISDIR)
            except FileNotFoundError:
                raise
            except OSError as error:
                raise Unusable(error.strerror or str(error)) from None
        self._secret: bytes | None = None

    def read(self, name: str) -> bytes | None:
        """What is kept under a name; None if there is nothing, or nothing that we have written under that name."""
        try:
            secret = self._key()
            path = self._file(name)
            data = b"" if secret is None else _read(path, LARGEST)
        except (OSError, Unusable):
            return None
        if secret is None or not hmac.compare_digest(data[:_MAC_SIZE], _mac(secret, name, data[_MAC_SIZE:])):
            return None
        with suppress(OSError):
            if time.time() - os.stat(path).st_mtime > _DAY:
                # It is in use.
                os.utime(path)
        return data[_MAC_SIZE:]

    def write(self, name: str, data: bytes) -> None:
        """Keep something under a name, in place of what was there, and remove what is too old or too much."""
        if len(data) + _MAC_SIZE > LARGEST:
            return
        with suppress(OSError, Unusable):
            os.makedirs(self._path, mode=0o700, exist_ok=True)
            _require_own(os.lstat(self._path), stat.S_ISDIR)
            secret = self._key() or self._new_key()
            draft = self._draft(_mac(secret, name, data), data)
            try:
                os.replace(draft, self._file(name))
            except OSError:
                os.unlink(draft)
                raise
            self._evict()

    def _file(self, name: str) -> str:
        return os.path.join(self._path, f"{name}.run")

    def _key(self) -> bytes | None:
        """The key; None if there is none yet. Raises `OSError` and `Unusable`."""
        if self._secret is None:
            try:
                self._secret = _read(os.path.join(self._path, _KEY), _KEY_SIZE, private=True)
            except FileNotFoundError:
                return None
            if len(self._secret) != _KEY_SIZE:
                raise Unusable("its key is damaged")
        return self._secret

    def _new_key(self) -> bytes:
        draft = self._draft(os.urandom(_KEY_SIZE))
        path = os.path.join(self._path, _KEY)
        try:
            # Another process may have been quicker; its key counts.
            with suppress(FileExistsError):
                os.link(draft, path)
        except OSError:
            os.replace(draft, path)
        with suppress(FileNotFoundError):
            os.unlink(draft)
        secret = self._key()
        if secret is None:
            raise Unusable("its key has been removed")
        return secret

    def _draft(self, *parts: bytes) -> str:
        """A new file that only its owner can read."""
        path = os.path.join(self._path, f"{os.urandom(16).hex()}.tmp")
        binary = getattr(os, "O_BINARY", 0)
        try:
            handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | binary, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.writelines(parts)
        except OSError:
            with suppress(OSError):
                os.unlink(path)
            raise
        return path

    def _evict(self) -> None:
        """Remove the entries that have not been used for the longest time, and what writers that were killed have left."""
        now = time.time()
        found: list[tuple[float, int, str]] = []
        with os.scandir(self._path) as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                if _ENTRY.fullmatch(entry.name):
                    found.append((status.st_mtime, status.st_size, entry.path))
                elif _DRAFT.fullmatch(entry.name) and now - status.st_mtime > _DAY:
                    _remove(entry.path)
        size = 0
        for number, (used, bytes_, path) in enumerate(sorted(found, reverse=True)):
            size += bytes_
            if number >= MOST_ENTRIES or size > MOST_BYTES or now - used > DAYS * _DAY:
                _remove(path)


def _remove(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)


def _read(path: str, limit: int, *, private: bool = False) -> bytes:
    """A file of ours that has at most `limit` bytes; more of it is left out. Raises `OSError` and `Unusable`."""
    flags = os.O_RDONLY | sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
    with os.fdopen(os.open(path, flags), "rb", buffering=0) as file:
        _require_own(os.fstat(file.fileno()), stat.S_ISREG, private=private)
        data = file.read(limit)
        return data if data is not None else b""


def _require_own(status: os.stat_result, is_kind: object, *, private: bool = False) -> None:
    """Raise `Unusable` for what is of another kind, belongs to somebody else, or others may write to; or read, if `private`."""
    if not callable(is_kind) or not is_kind(status.st_mode):
        raise Unusable("it is something else")
    # Windows says who may do what in another way; there, the folder of the user is the user's.
    if os.name == "nt":
        return
    if status.st_uid != os.geteuid():
        raise Unusable("it belongs to somebody else")
    if status.st_mode & (0o077 if private else 0o022):
        raise Unusable("others may read its key" if private else "others may write to it")


def _mac(secret: bytes, name: str, data: bytes) -> bytes:
    """What only we can have written behind a name: an entry that is copied to another name is not one of that name."""
    return hmac.digest(secret, f"toolsurface-lint {name}\n".encode() + data, "sha256")
