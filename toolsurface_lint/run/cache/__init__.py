"""The outcome of a run, kept in the user's cache folder and taken from there as long as nothing has changed.

`folder` says where entries lie and who may have written them, `entry` what is in one, `identity` which runs are the same.
An entry holds a report and every question that the run asked of the disk, of git and of the calendar (`source.disk`), with
the answers. It is used only if each of them is answered in the same way again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.project.discovery.names import candidate_kind
from toolsurface_lint.project.discovery.paths import is_below, working_folder
from toolsurface_lint.project.discovery.repositories import root_around
from toolsurface_lint.run.cache.entry import Entry
from toolsurface_lint.run.cache.folder import CacheFolder, Unusable, default_folder
from toolsurface_lint.run.cache.identity import identity
from toolsurface_lint.source import disk

if TYPE_CHECKING:
    from datetime import date

__all__ = ["Cache", "Unusable", "open_cache"]


class Cache:
    """What is kept of one run: of certain paths and options, in one working directory."""

    def __init__(self, folder: CacheFolder, name: str, tree: Sequence[str], today: date | None) -> None:
        self._folder = folder
        self._name = name
        self._tree = tree
        self._today = today

    def load(self, written: Iterable[str] = ()) -> Report | None:
        """The report of the same run, if all that it looked at is as it was; `written` are files that the run will write.

        None too where one of those may be a file that the run reads: only a run can refuse that.
        """
        data = self._folder.read(self._name)
        if data is None:
            return None
        entry = Entry.decoded(data)
        if entry is None or any(self._may_be_read(file, entry) for file in written):
            return None
        found = entry.report_if_still_so(self._today)
        if found is not None and entry.refreshed:
            self._folder.write(self._name, entry.encoded())
        return found

    def store(self, report: Report, facts: disk.Facts) -> None:
        """Keep a report, if it depends on nothing but what can be asked again. Nothing fails if the disk is full."""
        entry = Entry.of(report, facts)
        if entry is not None:
            self._folder.write(self._name, entry.encoded())

    def _may_be_read(self, file: str, entry: Entry) -> bool:
        try:
            status = os.stat(file)
        except (OSError, ValueError):
            return False
        real = os.path.realpath(file)
        in_tree = candidate_kind(real) is not None and any(is_below(real, root) for root in self._tree)
        return in_tree or entry.has_read(status)


def open_cache(
    paths: Sequence[str], options: Mapping[str, Any], today: date | None, folder: str | None = None
) -> Cache | None:
    """The cache for a run on `paths` with the settings that `options` give; None if the user has no folder for it.

    `folder` is the one that the user names. Raises `Unusable` if that cannot be trusted.
    """
    here = working_folder()
    if here is None:
        return None
    around = {
        root_around(path if os.path.isdir(path) else os.path.dirname(path)) for path in map(os.path.abspath, paths)
    }
    # Whatever the paths are, the working directory may be a checkout, also one that a container has for a home.
    if here != os.path.abspath(os.sep):
        around.add(here)
    tree = sorted(map(os.path.realpath, around))
    chosen = default_folder() if folder is None else os.path.abspath(folder)
    if chosen is None:
        return None
    try:
        opened = CacheFolder(chosen, tree)
    except Unusable:
        if folder is None:
            return None
        raise
    return Cache(opened, identity(here, paths, options), tree, today)
