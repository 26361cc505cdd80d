"""Which repository a path lies in."""

from __future__ import annotations

import os

from toolsurface_lint.project.discovery.paths import is_below, is_repository, relative_to, with_parents, working_folder


def repository_root(path: str) -> str | None:
    """The folder of the repository that a path lies in (the closest one with `.git`); None outside any."""
    return Repositories().root(os.path.abspath(path))


def root_around(folder: str) -> str:
    """Where that is looked for which may meet what lies in a folder: its repository, else the working directory it lies in.

    Never a home directory or the root of the file system, which hold too much that has nothing to do with it: then the
    folder itself.
    """
    root = repository_root(folder)
    if root is not None:
        return root
    working = working_folder()
    if (
        working is not None
        and is_below(folder, working)
        and working not in (os.path.expanduser("~"), os.path.abspath(os.sep))
    ):
        return working
    return folder


class Repositories:
    """The same for many folders, each of which is looked into once."""

    def __init__(self) -> None:
        self._roots: dict[str, str | None] = {}

    def root(self, folder: str) -> str | None:
        """The root of the closest repository that a folder, an absolute path, lies in; None outside any."""
        below = []
        for parent in with_parents(folder):
            below.append(parent)
            if parent not in self._roots and is_repository(parent):
                self._roots[parent] = parent
            if parent in self._roots:
                break
        root = self._roots.get(parent)
        self._roots.update(dict.fromkeys(below, root))
        return root

    def inside(self, path: str) -> str | None:
        """An absolute path as its repository knows it, whatever the working directory is; None outside any."""
        root = self.root(os.path.dirname(path))
        return None if root is None else relative_to(path, root)

    def relative(self, path: str) -> str:
        """The same, and outside any repository the whole path."""
        relative = self.inside(path)
        return path.replace(os.sep, "/") if relative is None else relative
