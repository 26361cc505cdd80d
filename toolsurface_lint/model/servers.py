"""The MCP servers of a project: which tools their lists in the project serve, and which files declare them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

from toolsurface_lint.knowledge import words
from toolsurface_lint.model.names import folded
from toolsurface_lint.model.permission import ServerFile
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.source.tree import Place

# Names of files and folders that say nothing about whose tools they hold.
_GENERIC = words("tool tools toolslist index mcp server servers src list schema config")
_FORMATS = ("mcp", "python")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")


def server_names(path: str) -> set[str]:
    """The folded names of servers whose tools a file may list: its own name and that of its folder."""
    folder, file = os.path.split(path)
    return {folded(file.partition(".")[0]), folded(os.path.basename(folder))} - _GENERIC - {""}


class _Document(Protocol):
    """What is asked of a `Document`, which knows of surfaces, and they of servers."""

    path: str
    problems: list[Any]
    tool_lists: list[list[Tool]]
    server_files: list[ServerFile]
    open_reasons: list[str]


class Servers:
    """An index over the documents of one project, made when it is first asked.

    A tool list belongs to a server if its file, or the folder of the file, has the server's name. Of several such lists,
    and of one that may be incomplete, nothing is said.
    """

    def __init__(self, documents: Sequence[_Document]) -> None:
        self._documents = documents

    def tools_of(self, server: str) -> Mapping[str, Tool] | None:
        """The tools that a server's list in the project holds, by name; None if there is no such list."""
        return self._lists.get(folded(server))

    @cached_property
    def _lists(self) -> dict[str, dict[str, Tool] | None]:
        lists: dict[str, dict[str, Tool] | None] = {}
        for document in self._documents:
            tools = {tool.name: tool for tools in document.tool_lists for tool in tools if tool.format in _FORMATS}
            known = not document.open_reasons and not document.problems and len(document.tool_lists) == 1
            for name in server_names(document.path) if document.tool_lists else ():
                lists[name] = tools if tools and known and name not in lists else None
        return lists

    def declared(self, path: str, name: str | None = None) -> dict[str, Place]:
        """The servers that files in the folder of a path, or above it, declare; `name`: only files of that name."""
        return {
            server: place
            for document in self._documents
            for file in document.server_files
            if _lies_below(path, file.origin) and name in (None, os.path.basename(file.origin))
            for server, place in file.servers.items()
        }


_OWN_FOLDERS = (".vscode", ".cursor", ".github")


def _lies_below(path: str, origin: str) -> bool:
    """Whether a file lies in the folder that a list of servers is for, at any depth."""
    folder = os.path.dirname(origin)
    if os.path.basename(folder) in _OWN_FOLDERS:
        folder = os.path.dirname(folder)
    return not folder or path.startswith(f"{folder}/")


def normalized(server: str) -> str:
    """A server's name as it is written in the names of its tools (`mcp__SERVER__TOOL`)."""
    return _NOT_IN_NAMES.sub("_", server)
