"""What the locks of a project are compared with: the tools that are declared now, each under the key that it has in a lock."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from toolsurface_lint.model.digests import Digests, digests_of
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.lock import DeclaredTool, Lock, LockedProject, ToolKey
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.project.discovery.paths import is_below, relative_to, with_parents
from toolsurface_lint.project.project import Project
from toolsurface_lint.source import disk
from toolsurface_lint.source.languages import PROGRAMS
from toolsurface_lint.source.tree import json_pointer


class _Found(NamedTuple):
    """A tool as it is declared, with the folder of its lock and the path by which that calls its list."""

    tool: Tool
    digests: Digests
    document: Document
    folder: str
    path: str


def declared_below(project: Project, folders: Iterable[str]) -> dict[str, dict[ToolKey, DeclaredTool]]:
    """The tools below each of some folders, given by absolute path, in the order of their keys.

    What lies below several is of the innermost. What a snapshot has of a server that a program makes is the same once more,
    and is left out.
    """
    found: dict[str, list[_Found]] = {folder: [] for folder in folders}
    for document in project.documents:
        for one in _found_in(document, project, found):
            found[one.folder].append(one)
        if project.is_large:
            document.release()
    return {folder: _by_key(those) for folder, those in found.items()}


def _found_in(document: Document, project: Project, folders: Mapping[str, object]) -> Iterator[_Found]:
    path = project.absolute(document)
    folder = next((parent for parent in with_parents(os.path.dirname(path)) if parent in folders), None)
    if folder is None:
        return
    relative = _written(relative_to(path, folder) or document.path)
    lists = {id(tools[0]): tools for tools in _tool_lists(document) if tools}
    places = {key: _pointer(tools) for key, tools in lists.items()}
    several = document.language not in PROGRAMS and len(set(places.values())) > 1
    for key, tools in lists.items():
        at = f"{relative}#{places[key]}" if several else relative
        for tool in tools:
            yield _Found(tool, digests_of([tool]), document, folder, at)


def _tool_lists(document: Document) -> list[list[Tool]]:
    """The tools of a document, a list for each place that declares some."""
    lists = [*document.tool_lists, *(surface.tools for surface in document.surfaces)]
    lists.extend(scope.tools for workflow in document.workflows for scope in workflow.scopes[1:])
    return lists


def _pointer(tools: list[Tool]) -> str:
    """The JSON pointer of what all definitions of a list lie in."""
    common = tools[0].path[:-1]
    for tool in tools:
        while tool.path[: len(common)] != common:
            common = common[:-1]
    return json_pointer(common)


def _by_key(found: list[_Found]) -> dict[ToolKey, DeclaredTool]:
    programs, snapshots = (_owners(one for one in found if one.document.recorded is kind) for kind in (False, True))
    every: dict[ToolKey, list[_Found]] = {}
    for one in found:
        server = one.tool.server
        if one.document.recorded and server in programs:
            continue
        owners = programs.get(server) or snapshots.get(server) or ()
        key = _written(server if len(owners) == 1 else one.path), _written(one.tool.name)
        every.setdefault(key, []).append(one)
    return {key: _declared(every[key]) for key in sorted(every)}


def _owners(found: Iterable[_Found]) -> dict[str, set[str]]:
    """The namespaces that have tools of a server of each name: several where servers share one."""
    owners: dict[str, set[str]] = {}
    for one in found:
        if one.tool.server:
            owners.setdefault(one.tool.server, set()).add(one.tool.namespace)
    return owners


def _declared(found: list[_Found]) -> DeclaredTool:
    tools = [one.tool for one in found]
    return DeclaredTool(tools, found[0].digests if len(found) == 1 else digests_of(tools))


def _written(text: str) -> str:
    """A text as a file can hold it: a lone surrogate is written as an escape."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def compare_locks(project: Project) -> list[LockedProject]:
    """Every lock of a project, with what is declared now."""
    locks = {os.path.dirname(project.absolute(each)): each.lock for each in project.documents if each.lock is not None}
    declared = declared_below(project, locks)
    return [_compare(project, folder, lock, declared[folder]) for folder, lock in locks.items()]


def _compare(project: Project, folder: str, lock: Lock, declared: Mapping[ToolKey, DeclaredTool]) -> LockedProject:
    if lock.problem is not None:
        return LockedProject(lock, {}, {}, ())
    servers = Servers(project, folder, declared)
    gone: dict[ToolKey, Tool | None] = {}
    undecided: list[ToolKey] = []
    for key in lock.tools:
        if key in declared or not servers.are_looked_for(key[0]):
            continue
        if servers.are_known(key[0]):
            gone[key] = servers.first.get(key[0])
        else:
            undecided.append(key)
    return LockedProject(lock, declared, gone, undecided)


_UNDERSTOOD = ("not recognised", "empty")
"""Why a file is skipped that certainly has no tools."""


class Servers:
    """What is known of the servers of a lock that lies in a folder: whether all their files, and all their tools, are."""

    def __init__(self, project: Project, folder: str, declared: Mapping[ToolKey, DeclaredTool]) -> None:
        self._project = project
        self._folder = folder
        self._documents = {document.path: document for document in project.documents}
        self.first: dict[str, Tool] = {}
        """The first tool of each that is declared."""
        self._holders: dict[str, set[str]] = {}
        for (server, _), each in declared.items():
            self.first.setdefault(server, each.tools[0])
            self._holders.setdefault(server, set()).update(tool.tree.origin for tool in each.tools)
        # Files that were named are read with all that lies around them.
        self._is_whole = not project.walked or any(is_below(folder, walked) for walked in project.walked)
        self._has_unread_programs = bool(project.opening) or any(
            document.language in PROGRAMS and document.problems for document in project.documents
        )
        self._not_understood = {each.path for each in project.skipped if each.reason not in _UNDERSTOOD}

    def are_looked_for(self, server: str) -> bool:
        """Whether this run reads every file that a server may have tools in."""
        holders = self._holders.get(server)
        return self._is_whole or (
            holders is not None and all(self._documents[path].language not in PROGRAMS for path in holders)
        )

    def are_known(self, server: str) -> bool:
        """Whether all tools of a server are known, or it is certainly not there any more."""
        if server in self._holders:
            return self.are_read(server) and not any(self.is_open(path) for path in self._holders[server])
        path = self._path(server)
        # What is excluded, or a link, is there all the same.
        is_left_out = path not in self._project.readings and is_below(path, self._folder) and disk.lexists(path)
        return self.are_read(server) and not is_left_out

    def are_read(self, server: str) -> bool:
        """Whether no file that a server may have tools in is one that cannot be read."""
        if server in self._holders:
            return not any(self._documents[path].problems for path in self._holders[server])
        reading = self._project.readings.get(self._path(server))
        if reading is None:
            return not self._has_unread_programs
        document = self._documents.get(reading.display)
        return not (
            reading.path in self._project.unread
            or reading.display in self._not_understood
            or (document is not None and document.problems)
        )

    def is_open(self, path: str) -> bool:
        """Whether the file at a displayed path may have tools which are not seen."""
        return bool(self._documents[path].open_reasons)

    @property
    def open(self) -> list[str]:
        """The servers of which a file may have tools which are not seen."""
        return [server for server, paths in self._holders.items() if any(map(self.is_open, paths))]

    def _path(self, server: str) -> str:
        return os.path.normpath(os.path.join(self._folder, server.partition("#")[0]))
