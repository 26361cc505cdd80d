"""What lies in a project on disk, for names of files in settings: asked when the first is looked at."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from functools import cache

from toolsurface_lint.project.discovery.listing import NEVER_WALKED, list_folder
from toolsurface_lint.project.discovery.paths import relative_to
from toolsurface_lint.project.git import GitFailed, Repository
from toolsurface_lint.project.project import Project

_MADE = NEVER_WALKED | {"out", "bin", "venv", ".venv", "vendor"}
"""Names of folders that builds and installers fill."""


class ProjectFiles:
    """The files around the documents of a project. Paths are relative to the folder of the document `origin`."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._names = cache(_names_below)

    def has(self, origin: str, path: str) -> bool:
        """Whether anything lies at a path."""
        found = self._inside(origin, path)
        return found is not None and os.path.lexists(os.path.join(*found))

    def lacking(self, origin: str, paths: Iterable[str]) -> frozenset[str]:
        """Those of some paths in the repository where surely nothing is.

        Not what git ignores, nor what lies where builds put their results. Settings below the root of the repository may be
        there to be copied together with files from elsewhere: they lack only what has no other place in it.
        """
        found: dict[str, str] = {}
        root = ""
        for path in paths:
            inside = self._inside(origin, path)
            if inside is not None and not os.path.lexists(os.path.join(*inside)):
                root, relative = inside
                if _MADE.isdisjoint(relative.split("/")[:-1]):
                    found[path] = relative
        if found and not self._is_at_root(origin, root):
            names = self._names(root)
            found = {path: relative for path, relative in found.items() if os.path.basename(relative) not in names}
        if not found:
            return frozenset()
        ignored = _ignored(root, found.values())
        return frozenset(path for path, relative in found.items() if relative not in ignored)

    def _inside(self, origin: str, path: str) -> tuple[str, str] | None:
        """The root of the repository, or of the search outside any, and a path below it; None if it leads out of that."""
        folder = os.path.dirname(self._project.full_path(origin))
        root = self._project.boundary(folder)
        if root is None or "\0" in path:
            return None
        relative = relative_to(os.path.normpath(os.path.join(folder, path)), root)
        return None if not relative or relative == "." else (root, relative)

    def _is_at_root(self, origin: str, root: str) -> bool:
        relative = relative_to(self._project.full_path(origin), root) or ""
        folders = relative.split("/")[:-1]
        return len(folders) < 2 and all(folder.startswith(".") or folder == "hooks" for folder in folders)


def _names_below(root: str) -> frozenset[str]:
    return frozenset(os.path.basename(name) for name in list_folder(root).names)


def _ignored(root: str, paths: Collection[str]) -> Collection[str]:
    """Those of some paths below a root that git ignores; all of them if it cannot say."""
    try:
        repository = Repository.around(root)
        return frozenset() if repository is None else repository.ignored(paths)
    except GitFailed:
        return frozenset(paths)
