"""The only place that writes files. Each is written whole, next to the old one, and takes its place in one step: whatever
fails or is ended meanwhile leaves the old file as it was.

Nothing else is left there either, but by a process that is killed in the moment of that step. The next one that writes to
the folder, as it has to do for the file that was not replaced, removes that.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from contextlib import suppress
from types import EllipsisType

from toolsurface_lint.project.discovery.paths import is_below
from toolsurface_lint.source.files import TooLarge, read_bytes


class NotWritten(Exception):
    """A file could not be given its content; the message says which and why."""


class Reach:
    """Where may be written: below the files and folders that the user named, by their real paths.

    A link in the path of a named folder was named with it. The link that a named file is, or that lies below a named
    folder, was made by whoever wrote the files: it may lead to another file that was named, or that lies in or below
    the folder of the named link, and nowhere else.
    """

    def __init__(self, named: Iterable[str]) -> None:
        self._folders: list[str] = []
        self._files: set[str] = set()
        self._real_files: set[str] = set()
        self._reasons: dict[str, str | None] = {}
        for path in named:
            if os.path.isdir(path):
                self._folders.append(os.path.realpath(path))
            else:
                self._files.add(os.path.abspath(path))
                self._real_files.add(unlinked(path))

    def reason_against(self, path: str) -> str | None:
        """Why a file at an absolute path must be left as it is; None if it may be written."""
        if path not in self._reasons:
            self._reasons[path] = self._find_reason(path)
        return self._reasons[path]

    def _find_reason(self, path: str) -> str | None:
        real = os.path.realpath(path)
        folders = [*self._folders, os.path.dirname(unlinked(path))] if path in self._files else self._folders
        if real not in self._real_files and not any(is_below(real, folder) for folder in folders):
            return f"it is a link to {real}, which was not named"
        return _links(real)


def unlinked(path: str) -> str:
    """The real path of the folder that a file lies in, with the file's own name, which may be a link."""
    folder, name = os.path.split(os.path.abspath(path))
    return os.path.join(os.path.realpath(folder), name)


def _links(path: str) -> str | None:
    """What hard links have against replacing a file: its other names, wherever they are, would keep the old one."""
    try:
        names = os.lstat(path).st_nlink
    except OSError:
        return None
    return f"it has {names} hard links, and only this one would change" if names > 1 else None


def reason_against_replacing(path: str) -> str | None:
    """Why what lies at a path must not be replaced by a file; None if nothing does, or a file that may be."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return None
    if stat.S_ISREG(mode):
        return _links(os.path.realpath(path))
    kinds = {stat.S_IFDIR: "folder", stat.S_IFIFO: "pipe", stat.S_IFSOCK: "socket"}
    return f"it is a {kinds.get(stat.S_IFMT(mode), 'device')}"


def replace(path: str, data: bytes, before: bytes | None, display: str) -> None:
    """Give a file new content, in place of `before`; None creates it. A link stays a link, and what it leads to changes.

    The file keeps its mode, its extended attributes and, where it may be given away, its owner. Raises `NotWritten` if
    the file is no longer what it was before, or cannot be written; it is called `display` then.
    """
    _write(unlinked(path) if before is None else os.path.realpath(path), data, display, before)


def overwrite(path: str, data: bytes, display: str) -> None:
    """The same, whatever the content was before, if there was any."""
    _write(os.path.realpath(path), data, display, ...)


def _write(path: str, data: bytes, display: str, before: bytes | EllipsisType | None) -> None:
    reason = reason_against_replacing(path)
    if reason is not None:
        raise NotWritten(f"cannot write {display}: {reason}")
    exists = before is not None and os.path.lexists(path)
    if exists and not os.access(path, os.W_OK):
        raise NotWritten(f"{display} is write-protected")
    draft = None
    try:
        draft = _Draft(os.path.dirname(path), exists)
        draft.fill(data)
        if exists:
            draft.take_status(path)
        if not isinstance(before, EllipsisType) and not _holds(path, before):
            raise NotWritten(f"{display} changed while it was checked")
        draft.move(path, replacing=before is not None)
    except OSError as error:
        raise NotWritten(f"cannot write {display}: {error.strerror or error}") from None
    finally:
        if draft is not None:
            draft.discard()


class _Draft:
    """A new file in a folder, for as long as possible without a name: then nothing is left of it, however the process ends.

    While it needs a name, what ends the process has to wait, and the file is locked: one that is not has been left.
    """

    def __init__(self, folder: str, private: bool) -> None:
        _sweep(folder)
        self._folder = folder
        self._name: str | None = None
        self._blocked: Iterable[int] | None = None
        # A new file gets the mode that the process gives to any.
        mode = 0o600 if private else 0o666
        unnamed = getattr(os, "O_TMPFILE", None)
        if unnamed is not None and os.path.isdir("/proc/self/fd"):
            with suppress(OSError):
                self._file = os.open(folder, unnamed | os.O_RDWR, mode)
                self._lock()
                return
        try:
            name = self._new_name()
            self._file = os.open(name, os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0), mode)
        except BaseException:
            self._release()
            raise
        self._name = name
        self._lock()

    def _lock(self) -> None:
        # On a file system without locks, `_sweep` removes nothing.
        with suppress(OSError):
            lock(self._file)

    @property
    def _path(self) -> str:
        return self._name or f"/proc/self/fd/{self._file}"

    def fill(self, data: bytes) -> None:
        """Write the content, and make sure of it: a disk may find out late that it is full."""
        view = memoryview(data)
        while view:
            view = view[os.write(self._file, view) :]
        os.fsync(self._file)

    def take_status(self, path: str) -> None:
        """Take over the owner, the extended attributes and the mode of a file, as far as the file system lets us."""
        status = os.stat(path)
        # Whoever runs in a container as root works on the files of somebody else.
        for owner, group in ((-1, status.st_gid), (status.st_uid, -1)) if hasattr(os, "fchown") else ():
            with suppress(OSError):
                os.fchown(self._file, owner, group)
        with suppress(OSError):
            for name in os.listxattr(path) if hasattr(os, "listxattr") else ():
                with suppress(OSError):
                    os.setxattr(self._file, name, os.getxattr(path, name))
        # Some file systems have no modes. Only the owner may read the new file so far.
        with suppress(PermissionError):
            os.chmod(self._path, stat.S_IMODE(status.st_mode))

    def move(self, path: str, *, replacing: bool) -> None:
        """Put the file in its place: instead of what is there if `replacing`, else only where nothing is."""
        if not replacing:
            self._create(path)
            return
        if self._name is None:
            name = self._new_name()
            self._link(name)
            self._name = name
        self._rename(path)

    def _create(self, path: str) -> None:
        try:
            self._link(path)
        except FileExistsError:
            raise
        except OSError:
            # A file system without links.
            if self._name is None or os.path.lexists(path):
                raise
            self._rename(path)

    def _rename(self, path: str) -> None:
        assert self._name is not None
        if os.name == "nt":
            # It renames no file that is open.
            self._close()
        os.replace(self._name, path)
        self._name = None

    def _link(self, path: str) -> None:
        if self._name is not None:
            os.link(self._name, path)
        else:
            # Only with a folder's number does it follow the link that means an open file.
            os.link(self._path, path, src_dir_fd=self._file)

    def _new_name(self) -> str:
        import signal

        if hasattr(signal, "pthread_sigmask"):
            # A second process is ended by SIGIO.
            ending = {signal.SIGHUP, signal.SIGINT, signal.SIGIO, signal.SIGQUIT, signal.SIGTERM}
            # Asked first: an interrupt that came before the block is raised by the call that blocks.
            self._blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
            signal.pthread_sigmask(signal.SIG_BLOCK, ending)
        return os.path.join(self._folder, f".toolsurface-lint-{os.urandom(8).hex()}.tmp")

    def _close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def discard(self) -> None:
        """Leave nothing behind but what has been put in its place."""
        with suppress(OSError):
            self._close()
        if self._name is not None:
            with suppress(OSError):
                os.unlink(self._name)
        self._release()

    def _release(self) -> None:
        import signal

        if self._blocked is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, self._blocked)


_LEFT = re.compile(r"\.toolsurface-lint-[0-9a-f]{16}\.tmp")
_swept: set[str] = set()


def _sweep(folder: str) -> None:
    """Remove what a process has left in a folder that was killed while it wrote there, once for each folder."""
    if folder in _swept:
        return
    _swept.add(folder)
    with suppress(OSError):
        for name in filter(_LEFT.fullmatch, os.listdir(folder)):
            _remove_left(os.path.join(folder, name))


def _remove_left(path: str) -> None:
    with suppress(OSError):
        flags = (getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK"))
        file = os.open(path, sum(flags, os.O_RDWR))
        try:
            lock(file)
        finally:
            os.close(file)
        # Windows keeps what another process has open.
        os.unlink(path)


def lock(file: int) -> None:
    """Raises `OSError` if another process has locked the file."""
    try:
        import fcntl
    except ImportError:
        return
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _holds(path: str, content: bytes | None) -> bool:
    """Whether a file has a content; with None, whether there is none."""
    if content is None or not os.path.lexists(path):
        return content is None and not os.path.lexists(path)
    try:
        return read_bytes(path, len(content)) == content
    except TooLarge:
        return False
