"""What lies in a project on disk, for names of files in settings: asked when the first is looked at."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from typing import Any

from toolsurface_lint.model.files import Files, Package
from toolsurface_lint.project.discovery.listing import NEVER_WALKED, list_folder
from toolsurface_lint.project.discovery.names import lies_in_examples
from toolsurface_lint.project.discovery.paths import relative_to, with_parents
from toolsurface_lint.project.git import GitFailed, Repository
from toolsurface_lint.project.project import Project
from toolsurface_lint.source import disk
from toolsurface_lint.source.files import read_source
from toolsurface_lint.source.text import NotSyntax, SourceText, Unreadable

_MADE = NEVER_WALKED | {"out", "bin", "venv", ".venv", "vendor"}
"""Names of folders that builds and installers fill."""


class ProjectFiles(Files):
    """The files around the documents of a project."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._names = cache(_names_below)
        self._package = cache(_package)
        self._rewritten = cache(_is_rewritten)

    def has(self, origin: str, path: str) -> bool:
        found = self._inside(origin, path)
        return found is not None and disk.lexists(os.path.join(*found))

    def lacking(self, origin: str, paths: Iterable[str]) -> frozenset[str]:
        """As in `Files`: not what git ignores, nor what lies where builds put their results.

        Settings below the root of the repository may be there to be copied together with files from elsewhere: they lack
        only what has no other place in it.
        """
        found: dict[str, str] = {}
        root = ""
        for path in paths:
            inside = self._inside(origin, path)
            if inside is not None and not disk.lexists(os.path.join(*inside)):
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
        return disk.isdir(os.path.join(os.path.dirname(self._project.full_path(origin)), path))

    def folder_name(self, origin: str) -> str | None:
        folder = os.path.dirname(self._project.full_path(origin))
        return None if folder == self._project.boundary(folder) else os.path.basename(folder)

    def lacks_from_above(self, origin: str, path: str) -> bool:
        own = self._project.full_path(origin)
        folder = os.path.dirname(own)
        boundary = self._project.boundary(folder) or folder
        # Of a text that is not a file, and of a page that shows one, nothing is known.
        if not disk.isfile(own) or lies_in_examples(relative_to(own, boundary) or ""):
            return False
        for parent in with_parents(folder):
            if disk.lexists(os.path.join(parent, path)):
                return False
            if parent == boundary:
                break
        return True

    def package(self, origin: str, registry: str, folder: str) -> Package | None:
        name = _PACKAGES.get(registry)
        found = (self._inside(origin, name), self._inside_root(origin, f"{folder}/{name}")) if name is not None else ()
        for inside in filter(None, found):
            package = self._package(*inside)
            if package is not None:
                return package
        return None

    def is_rewritten(self, origin: str) -> bool:
        own = self._project.full_path(origin)
        return self._rewritten(own, self._project.boundary(os.path.dirname(own)))

    def _inside_root(self, origin: str, path: str) -> tuple[str, str] | None:
        """As `_inside`, of a path that begins at the root."""
        found = self._inside(origin, ".")
        root = self._project.boundary(os.path.dirname(self._project.full_path(origin))) if found is None else found[0]
        relative = None if root is None else relative_to(os.path.normpath(os.path.join(root, path.lstrip("/"))), root)
        return None if root is None or not relative or "\0" in path else (root, relative)

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


_PACKAGES = {"npm": "package.json", "pypi": "pyproject.toml"}
_MOST = 1 << 20
"""Bytes of a file that is looked at."""
_WORKFLOWS = (".github", "workflows")


def _source(path: str) -> SourceText | None:
    try:
        return read_source(path, path, _MOST)
    except Unreadable:
        return None


def _value(path: str) -> Any:
    """What a file of JSON or TOML holds; None if it cannot be read."""
    source = _source(path) if disk.isfile(path) else None
    if source is None:
        return None
    if path.endswith(".toml"):
        from toolsurface_lint.source.toml.values import toml_value

        try:
            return toml_value(source.text)
        except NotSyntax:
            return None
    from toolsurface_lint.source.json import read_json

    trees = read_json(source).trees
    return trees[0].value if trees else None


def _package(root: str, relative: str) -> Package | None:
    value = _value(os.path.join(root, relative))
    held = value.get("project") if isinstance(value, dict) and relative.endswith(".toml") else value
    if not isinstance(held, dict):
        return None
    name, version, server = (held.get(key) for key in ("name", "version", "mcpName"))
    if not isinstance(name, str):
        return None
    # Of nobody else's package.
    private = held.get("private") is True
    text = version if isinstance(version, str) else ""
    return None if private else Package(relative, name, text, server if isinstance(server, str) else "")


def _is_rewritten(path: str, root: str | None) -> bool:
    folder, name = os.path.split(path)
    package = _value(os.path.join(folder, "package.json"))
    scripts = package.get("scripts") if isinstance(package, dict) else None
    if isinstance(scripts, dict) and any(name in str(script) for script in scripts.values()):
        return True
    return root is not None and any(name in text for text in _workflows(root))


def _workflows(root: str) -> Iterator[str]:
    """The texts of the workflows of a repository."""
    folder = os.path.join(root, *_WORKFLOWS)
    try:
        names = disk.listdir(folder)
    except OSError:
        return
    for name in names:
        source = _source(os.path.join(folder, name)) if name.endswith((".yml", ".yaml")) else None
        if source is not None:
            yield source.text


def _names_below(root: str) -> frozenset[str]:
    return frozenset(os.path.basename(name) for name in list_folder(root).names)


def _ignored(root: str, paths: Collection[str]) -> Collection[str]:
    """Those of some paths below a root that git ignores; all of them if it cannot say."""
    try:
        repository = Repository.around(root)
        return frozenset() if repository is None else repository.ignored(paths)
    except GitFailed:
        return frozenset(paths)
