"""Two versions of a project to be compared: files, folders, or what a commit holds, which is read without a checkout."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from toolsurface_lint.model.diagnostics import Skipped
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.project.discovery import PathMissing
from toolsurface_lint.project.discovery.globs import covers
from toolsurface_lint.project.discovery.listing import NEVER_WALKED
from toolsurface_lint.project.discovery.names import TEXT_LANGUAGES, candidate_kind
from toolsurface_lint.project.discovery.paths import display_path, relative_to
from toolsurface_lint.project.git import GitFailed, Repository
from toolsurface_lint.project.grouping import finish
from toolsurface_lint.project.project import Planned, Project, plan_contents, plan_readings, read
from toolsurface_lint.project.settings import Settings
from toolsurface_lint.project.settings.loading import load_settings

MOST_FILES = 20_000
"""How many files of a commit are read."""
MOST_BYTES = 256 * 1024 * 1024
"""How many bytes the files of a commit have together that are read."""
_ALONE = frozenset((*TEXT_LANGUAGES, "json", "jsonl", "yaml", "toml"))
"""The languages of files that say what they say without others."""


class VersionMissing(PathMissing):
    """What is neither a file or folder nor in a commit that is there; `message` says so."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(path)
        self.args = (f"{path}: {message}",)


class Origin(NamedTuple):
    """Where a version comes from: a path on disk, absolute, or the same path as a commit has it.

    `title` is what the user wrote.
    """

    title: str
    path: str
    repository: Repository | None = None
    commit: str = ""


class Version(NamedTuple):
    """One version, read: `cut` is the displayed path of what was asked for, which differs from version to version."""

    title: str
    project: Project
    on_disk: bool
    cut: str

    def relative(self, path: str) -> str:
        """A displayed path as both versions have it: without what was asked for. Something may follow the path of a file."""
        size = len(self.cut)
        is_inside = path.startswith(self.cut) and path[size : size + 1] in ("", "/", ":", "#")
        return path[size:].lstrip("/") if is_inside else path

    def tools(self) -> Iterator[Tool]:
        """Every tool in the files that were asked for, each once, in the order of the surfaces."""
        seen: set[tuple[object, ...]] = set()
        for surface in self.project.scopes:
            for tool in surface.tools:
                key = (id(tool.tree), tool.path, tool.name, tool.namespace)
                path = self.project.full_path(tool.tree.origin)
                if key not in seen and not (surface.agents and not tool.namespace) and self.project.reports(path):
                    seen.add(key)
                    yield tool


def find_versions(old: str, new: str | None) -> tuple[Origin, Origin]:
    """What two arguments mean; without a second one, the working tree.

    A path that exists is that file or folder. Anything else is a revision, alone or before a colon and a path: a path from
    the root of the repository, or with `./` from the working directory. A revision alone means the path of the other
    version. Raises `VersionMissing`.
    """
    first = _origin(old)
    second = None if new is None else _origin(new)
    if second is None:
        second = Origin("the working tree", first.path or os.getcwd())
        if not os.path.lexists(second.path):
            raise VersionMissing(display_path(second.path), "no such file or folder in the working tree")
    here = os.getcwd()
    return (
        first._replace(path=first.path or _inside(second.path, first.repository) or here),
        second._replace(path=second.path or _inside(first.path, second.repository) or here),
    )


def _inside(path: str, repository: Repository | None) -> str:
    """A path if it lies in a repository, else nothing."""
    return path if path and repository is not None and relative_to(path, repository.root) is not None else ""


def _origin(argument: str) -> Origin:
    if argument and os.path.lexists(argument):
        return Origin(argument, os.path.abspath(argument))
    revision, colon, path = argument.partition(":")
    here = os.getcwd()
    try:
        repository = Repository.around(here)
        commit = None if repository is None else repository.commit(revision)
    except GitFailed as failure:
        raise VersionMissing(argument, f"no such file or folder, and git says nothing of it: {failure}") from None
    if repository is None or commit is None:
        why = "no such file or folder"
        if repository is not None:
            why += ", nor a commit of this repository (a shallow clone lacks the earlier ones)"
        raise VersionMissing(argument, why)
    if not colon:
        return Origin(argument, "", repository, commit)
    start = here if path.startswith(("./", "../")) or path in (".", "..") else repository.root
    whole = os.path.normpath(os.path.join(start, path))
    if relative_to(whole, repository.root) is None:
        raise VersionMissing(argument, "this path leads out of the repository")
    return Origin(argument, whole, repository, commit)


def read_versions(
    origins: tuple[Origin, Origin],
    config: str | None = None,
    isolated: bool = False,
    planned: Planned | None = None,
) -> tuple[Version, Version]:
    """Read both versions. What a commit holds is read with the settings of the working tree.

    `planned` is called with what is read from the disk, before it is. Raises `SettingsError` and `PathMissing`.
    """
    old, new = origins
    settings = load_settings([new.path], config, isolated)
    before = settings if old.repository is not None else load_settings([old.path], config, isolated)
    return _read(old, before, new, planned, whole=False), _read(new, settings, old, planned, whole=True)


def _read(origin: Origin, settings: Settings, other: Origin, planned: Planned | None, *, whole: bool) -> Version:
    """One version; unless it is read `whole`, only what may define tools."""
    project = Project(settings)
    if origin.repository is not None:
        contents = _contents(project, origin, whole=whole)
        read(project, plan_contents(project, contents, origin.path))
    else:
        shown = display_path(origin.path)
        # What lies in the other version is of that one alone, unless it holds this one.
        of_other = other.repository is None and relative_to(origin.path, other.path) is None
        readings = plan_readings(project, [shown], apart=[other.path] if of_other else [])
        if planned is not None:
            planned(project, readings)
        read(project, readings)
    finish(project)
    return Version(origin.title, project, origin.repository is None, display_path(origin.path))


def _contents(project: Project, origin: Origin, *, whole: bool) -> dict[str, bytes]:
    """The files of a commit that are candidates, by absolute path. Raises `VersionMissing`."""
    repository, settings = origin.repository, project.settings
    assert repository is not None
    folder = relative_to(origin.path, repository.root)
    assert folder is not None
    try:
        tree = repository.tree(origin.commit)
        below = {name: id for name, id in tree.items() if folder in (".", name) or name.startswith(f"{folder}/")}
        if not below:
            raise VersionMissing(origin.title, f"the commit has no `{folder}`")
        if folder in tree and candidate_kind(folder) not in _ALONE:
            # Programs import one another.
            project.given = frozenset((origin.path,))
            below |= {name: id for name, id in tree.items() if candidate_kind(name) == candidate_kind(folder)}
        names = {
            os.path.join(repository.root, *name.split("/")): id for name, id in below.items() if _is_wanted(name, whole)
        }
        names = {path: id for path, id in names.items() if not _is_excluded(path, settings)}
        if len(names) > MOST_FILES:
            raise VersionMissing(origin.title, f"more than {MOST_FILES:,} files: name a folder, as in `HEAD~1:src`")
        return _blobs(project, repository, names)
    except GitFailed as failure:
        raise VersionMissing(origin.title, f"git cannot read this commit: {failure}") from None


def _blobs(project: Project, repository: Repository, names: dict[str, str]) -> dict[str, bytes]:
    found = repository.blobs(names.values(), min(project.settings.max_file_size, MOST_BYTES))
    contents: dict[str, bytes] = {}
    size = 0
    for path, id in names.items():
        size += len(found.get(id, b""))
        if id in found and size <= MOST_BYTES:
            contents[path] = found[id]
        else:
            project.skipped.append(Skipped(display_path(path), "too large to be read from a commit"))
    return contents


def _is_wanted(name: str, whole: bool) -> bool:
    language = candidate_kind(name)
    if language is None or not NEVER_WALKED.isdisjoint(name.split("/")[:-1]):
        return False
    return whole or (language not in TEXT_LANGUAGES and language != "jsonl")


def _is_excluded(path: str, settings: Settings) -> bool:
    relative = relative_to(path, settings.root)
    return relative is not None and any(covers(glob, relative) for glob in settings.exclude)
