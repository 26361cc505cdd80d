"""Where paths lie: below which folder, in which repository, and how they are shown."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from toolsurface_lint.source import disk


def relative_to(path: str, root: str) -> str | None:
    """An absolute path below `root`, relative to it, with forward slashes; `.` for the root itself, None outside it."""
    if path == root:
        return "."
    base = root if root.endswith(os.sep) else root + os.sep
    return path[len(base) :].replace(os.sep, "/") if path.startswith(base) else None


def with_parents(folder: str) -> Iterator[str]:
    """A folder, then every folder that it lies in, up to the root of the file system."""
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return
        folder = parent


def is_below(path: str, folder: str) -> bool:
    """Whether an absolute path lies below a folder, or is it."""
    return relative_to(path, folder) is not None


class Given:
    """The files and folders that the user named, with everything below them."""

    def __init__(self, paths: Iterable[str]) -> None:
        absolute = [os.path.abspath(path) for path in paths]
        self._files = frozenset(absolute)
        self._folders = tuple(os.path.join(path, "") for path in absolute)

    def holds(self, path: str) -> bool:
        """Whether an absolute path is one of them or lies below one."""
        return path in self._files or path.startswith(self._folders)


def working_folder() -> str | None:
    """The working directory; None if it has been deleted, as may happen to a program that stays."""
    try:
        return os.getcwd()
    except OSError:
        return None


def is_repository(folder: str) -> bool:
    """Whether a folder is the root of a repository."""
    return disk.exists(os.path.join(folder, ".git"))


def display_path(path: str) -> str:
    """A path as people are shown it, with forward slashes: relative to the working directory if it lies below it.

    Any other path is shown as it was given.
    """
    here = working_folder()
    relative = None if here is None else relative_to(os.path.abspath(path), here)
    return path.replace(os.sep, "/") if relative is None else relative
