"""What lies around the files that were asked for: read from the inside out, as far as their surfaces reach."""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property

from toolsurface_lint.model.diagnostics import Skipped
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.project.discovery.names import candidate_kind
from toolsurface_lint.project.discovery.paths import display_path, is_below, with_parents
from toolsurface_lint.project.project import Project, Reader, read
from toolsurface_lint.project.roles import surfaces_of
from toolsurface_lint.source.languages import PROGRAMS

SAMPLE = 32
"""Files of one folder that are named alike and read before the others are taken for transcripts, as all of them are."""


def read_around(project: Project, reader: Reader | None = None) -> None:
    """Read those files around the ones asked for that may be part of the same surfaces; to be called before grouping.

    A tool list may meet a prompt anywhere above it, so all that lies around a given one is read. Any other document meets
    the tools below its closest folder that has any: folders are read from the inside out until other tools turn up.
    Around a folder that was asked for, this is done for what meets no tools in it.
    """
    if not project.nearby.possible:
        return
    around = _Around(project, reader or Reader())
    folders: dict[str, bool] = {}
    for document in list(project.documents):
        path = project.absolute(document)
        if not project.reports(path) or surfaces_of(path, project.settings):
            continue
        folder = os.path.dirname(path)
        named = not any(is_below(path, walked) for walked in project.walked)
        if named and _may_meet_anything(document):
            around.read_below(project.boundary(folder) or folder)
        elif is_for_tools(document) and not document.complete:
            folders[folder] = named
    for folder, named in sorted(folders.items()):
        if named or not around.meets_tools(folder):
            around.climb(folder)
    project.documents.sort(key=lambda document: (document.language in PROGRAMS, project.absolute(document)))


def holds_text(holder: Document | Surface) -> bool:
    """Whether anything is written for a model or by one."""
    return bool(holder.prompts or holder.templates or holder.responses or holder.transcripts)


def is_for_tools(holder: Document | Surface) -> bool:
    """Whether anything is checked against tools."""
    return bool(holds_text(holder) or holder.policies or holder.approvals or holder.permissions)


def _may_meet_anything(document: Document) -> bool:
    """Whether what it has to do with may lie anywhere: prompts that use its tools, or what it asks for."""
    return bool(
        (document.tool_lists and not document.complete)
        or document.asks_for_others
        or any(prompt.audience for prompt in document.prompts)
    )


class _Around:
    """The files around that are still to be read, and the folders that are known to hold tools."""

    def __init__(self, project: Project, reader: Reader) -> None:
        self._project = project
        self._reader = reader
        # Those that a named program has to do with have been read with it.
        known = () if project.walked else project.nearby.readings
        self._read = {path for path in known if candidate_kind(path) in PROGRAMS}
        self._whole: set[str] = set()
        self._noted = 0
        self._tools_below: dict[str, set[str]] = {}
        self._note()

    def meets_tools(self, folder: str) -> bool:
        """Whether there are tools, of those read so far, that what lies in a folder joins."""
        return any(parent in self._tools_below for parent in self._reach(folder))

    def read_below(self, folder: str) -> None:
        """Read all that lies below a folder."""
        for group in self._unread_below(folder):
            self._read_folder(group)
        self._whole.add(folder)

    def climb(self, folder: str) -> None:
        """Read until all is known that joins the same tools as what lies in a folder."""
        joined = 0
        for parent in self._reach(folder):
            if joined and len(self._tools_below[parent]) > joined:
                return
            for group in self._unread_below(parent):
                self._read_folder(group)
                if joined and len(self._tools_below[parent]) > joined:
                    return
            self._whole.add(parent)
            joined = joined or len(self._tools_below.get(parent, ()))

    def _reach(self, folder: str) -> Iterator[str]:
        """A folder and those around it, as far as tools are looked for."""
        boundary = self._project.boundary(folder) or folder
        for parent in with_parents(folder):
            yield parent
            if parent == boundary:
                return

    def _unread_below(self, folder: str) -> list[list[str]]:
        """What has not been read below a folder, by the folders that it lies in: those with few files come first."""
        if not self._whole.isdisjoint(with_parents(folder)):
            return []
        base = os.path.join(folder, "")
        paths = self._paths
        groups: dict[str, list[str]] = {}
        for index in range(bisect_left(paths, base), len(paths)):
            if not paths[index].startswith(base):
                break
            if paths[index] not in self._read:
                groups.setdefault(os.path.dirname(paths[index]), []).append(paths[index])
        return sorted(groups.values(), key=lambda group: (len(group), group))

    @cached_property
    def _paths(self) -> list[str]:
        return list(self._project.nearby.candidates)

    def _read_folder(self, paths: Sequence[str]) -> None:
        """Read files of one folder; of many that are named alike, only some if those are transcripts."""
        project = self._project
        paths = [path for path in paths if path not in self._read]
        if any(candidate_kind(path) in PROGRAMS for path in paths):
            self._take([path for path in self._paths if candidate_kind(path) in PROGRAMS])
        alike: dict[str, list[str]] = {}
        for path in paths:
            if path not in self._read:
                alike.setdefault(_shape(os.path.basename(path)), []).append(path)
        for group in alike.values():
            recordings = project.recordings
            self._take(group[:SAMPLE])
            if len(group) > SAMPLE and project.recordings == recordings + SAMPLE:
                reason = f"{SAMPLE} of {len(group)} files named like `{os.path.basename(group[0])}` are transcripts: not read"
                project.skipped.append(Skipped(display_path(os.path.dirname(group[0])), reason))
            else:
                self._take(group[SAMPLE:])
        self._read.update(paths)
        self._note()

    def _take(self, paths: Sequence[str]) -> None:
        """Read files, as such that nobody asked for."""
        project = self._project
        if project.given is None:
            project.given = project.asked
        self._read.update(paths)
        # A program may have named some of them.
        unread = [path for path in paths if path not in project.readings]
        read(project, [reading for path in unread if (reading := project.plan_nearby(path)) is not None], self._reader)

    def _note(self) -> None:
        """Remember which folders hold tools, of all that has been read since the last time."""
        for document in self._project.documents[self._noted :]:
            if document.tool_lists and not document.complete:
                folder = document.folder or os.path.dirname(self._project.absolute(document))
                for parent in with_parents(folder):
                    self._tools_below.setdefault(parent, set()).add(folder)
        self._noted = len(self._project.documents)


_WORD = r"[^\W_]+"


def _shape(name: str) -> str:
    """What a name has in common with names like it: itself, with one sign for each word that has digits."""
    return re.sub(_WORD, lambda word: "0" if any(map(str.isdecimal, word[0])) else word[0], name)
