"""What a folder holds: as git lists it in a repository, else as it is on disk."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable

from toolsurface_lint.project.discovery.paths import is_repository, relative_to
from toolsurface_lint.project.git import GitFailed, Repository
from toolsurface_lint.source import disk

NEVER_WALKED = frozenset(
    (".git", ".hg", ".svn", ".jj", "node_modules", "bower_components", "site-packages", "build", "dist", "target")
) | frozenset(("__pycache__", ".tox", ".nox", ".eggs", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"))
"""Names of folders that are never walked; folders with a `pyvenv.cfg` (virtual environments) are not either."""

_VIRTUAL_ENVIRONMENT = "pyvenv.cfg"


class Listing:
    """The files of one folder, relative to it, with forward slashes: all of them, those that are links, and what is to be
    said of the folders.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.links: set[str] = set()
        self.remarks: dict[str, str] = {}
        """By folder, empty for the listed one itself: that it cannot be read, or was listed without git."""

    def add(self, prefix: str, other: Listing) -> None:
        """Take over what is below the folder `prefix`, which ends with a slash."""
        self.names += [prefix + name for name in other.names]
        self.links.update(prefix + name for name in other.links)
        self.remarks.update({(prefix + name).rstrip("/"): remark for name, remark in other.remarks.items()})

    def add_new(self, folder: str, unsaved: Iterable[str]) -> None:
        """Take in those of the unsaved files below `folder` that are not on disk yet; of others, the disk decides."""
        for path in unsaved:
            name = relative_to(path, folder)
            if name is not None and NEVER_WALKED.isdisjoint(name.split("/")) and not disk.lexists(path):
                self.names.append(name)
        self.names.sort()


def list_folder(root: str) -> Listing:
    """The files below a folder, which is an absolute path, sorted.

    In a repository, those that git tracks or would track; else all. Folders of `NEVER_WALKED`, virtual environments and
    links to folders are left out, and so is what is not a file (pipes, sockets, dead links).
    """
    try:
        repository = Repository.around(root)
        names = [] if repository is None else repository.files(root)
        # Of a folder that git ignores it lists nothing.
        outside = repository is None or (not names and repository.ignores(root))
        listing = _scan(root) if outside else _list_repository(root, names)
    except GitFailed as failure:
        listing = _scan(root)
        listing.remarks[""] = f"files that git ignores are included: {failure}"
    listing.names.sort()
    return listing


def _list_repository(root: str, names: list[str]) -> Listing:
    environments = tuple(
        name[: -len(_VIRTUAL_ENVIRONMENT)] for name in names if name.endswith("/" + _VIRTUAL_ENVIRONMENT)
    )
    listing = Listing()
    base = os.path.join(root, "")
    for name in names:
        if not NEVER_WALKED.isdisjoint(name.split("/")[:-1]) or name.startswith(environments):
            continue
        try:
            mode = disk.own_mode(base + name)
        except OSError:
            continue
        if stat.S_ISREG(mode):
            listing.names.append(name)
        elif stat.S_ISLNK(mode):
            if disk.isfile(base + name):
                listing.names.append(name)
                listing.links.add(name)
        elif stat.S_ISDIR(mode) and is_repository(base + name):
            # A submodule, or a repository inside this one, is listed by its folder's name.
            folder = name.rstrip("/")
            if os.path.basename(folder) not in NEVER_WALKED:
                listing.add(f"{folder}/", list_folder(base + folder))
    return listing


def _scan(root: str) -> Listing:
    """The files below a folder that no repository speaks for; repositories further down speak for themselves."""
    listing = Listing()
    waiting = [""]
    while waiting:
        prefix = waiting.pop()
        try:
            members = disk.scandir(os.path.join(root, prefix))
        except OSError as error:
            listing.remarks[prefix.rstrip("/")] = f"cannot be listed: {error.strerror or error}"
            continue
        inside = {entry.name for entry in members}
        if prefix and _VIRTUAL_ENVIRONMENT in inside:
            continue
        if prefix and ".git" in inside:
            listing.add(prefix, list_folder(os.path.join(root, prefix)))
            continue
        for entry in members:
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in NEVER_WALKED:
                    waiting.append(f"{prefix}{entry.name}/")
            elif entry.is_symlink():
                if disk.isfile(entry.path):
                    listing.names.append(prefix + entry.name)
                    listing.links.add(prefix + entry.name)
            elif entry.is_file(follow_symlinks=False):
                listing.names.append(prefix + entry.name)
    return listing
