"""What lies in a project on disk, for names of files in settings: asked when the first is looked at."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from functools import cache

from toolsurface_lint.model.files import Files
from toolsurface_lint.project.discovery.listing import NEVER_WALKED, list_folder
from toolsurface_lint.project.discovery.names import lies_in_examples
from toolsurface_lint.project.discovery.paths import relative_to, with_parents
from toolsurface_lint.project.git import GitFailed, Repository
from toolsurface_lint.project.project import Project

_MADE = NEVER_WALKED | {"out", "bin", "venv", ".venv", "vendor"}
"""Names of folders that builds and installers fill."""


class ProjectFiles(Files):
    """The files around the documents of a project."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._names = cache(_names_below)

    def has(self, origin: str, path: str) -> bool:
        found = self._inside(origin, path)
        return found is not None and os.path.lexists(os.path.join(*found))

    def lacking(self, origin: str, paths: Iterable[str]) -> frozenset[str]:
        """As in `Files`: not what git ignores, nor what lies where builds put their results.

        Settings below the root of the repository may be there to be copied together with files from elsewhere: they lack
        only what has no other place in it.
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

    def has_folder(self, origin: str, path: str) -> bool:
        return os.path.isdir(os.path.join(os.path.dirname(self._project.full_path(origin)), path))

    def folder_name(self, origin: str) -> str | None:
        folder = os.path.dirname(self._project.full_path(origin))
        return None if folder == self._project.boundary(folder) else os.path.basename(folder)

    def lacks_from_above(self, origin: str, path: str) -> bool:
        own = self._project.full_path(origin)
        folder = os.path.dirname(own)
        boundary = self._project.boundary(folder) or folder
        # Of a text that is not a file, and of a page that shows one, nothing is known.
        if not os.path.isfile(own) or lies_in_examples(relative_to(own, boundary) or ""):
            return False
        for parent in with_parents(folder):
            if os.path.lexists(os.path.join(parent, path)):
                return False
            if parent == boundary:
                break
        return True

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
