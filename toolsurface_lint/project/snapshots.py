"""What the snapshots of a project are compared with: the programs and the committed lists of the same servers."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.model.document import Document
from toolsurface_lint.model.lock import ServedTools
from toolsurface_lint.model.names import folded
from toolsurface_lint.model.servers import server_names
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.project.project import Project


def compare_snapshots(project: Project) -> list[ServedTools]:
    """Every server of a snapshot with what one program, or one list, of its name declares; of several, nothing is said."""
    programs: dict[str, dict[str, list[tuple[Document, Tool]]]] = {}
    lists: dict[str, list[Document]] = {}
    for document in project.documents:
        if document.recorded:
            continue
        for tool in (tool for tools in document.tool_lists for tool in tools):
            if tool.server:
                programs.setdefault(folded(tool.server), {}).setdefault(tool.namespace, []).append((document, tool))
        if len(document.tool_lists) == 1 and all(tool.format == "mcp" for tool in document.tool_lists[0]):
            for name in server_names(document.path):
                lists.setdefault(name, []).append(document)
    compared = []
    for server, served in _served(project):
        by_name = {tool.name: tool for tool in served}
        start = served[0].name_place
        made = programs.get(folded(server), {})
        if len(made) == 1:
            (held,) = made.values()
            declared = {tool.name: tool for _, tool in held}
            compared.append(
                ServedTools(server, start, by_name, declared, _are_closed(document for document, _ in held))
            )
        listed = lists.get(folded(server), [])
        if len(listed) == 1:
            declared = {tool.name: tool for tool in listed[0].tool_lists[0]}
            compared.append(ServedTools(server, start, by_name, declared, _are_closed(listed)))
    return compared


def _served(project: Project) -> Iterator[tuple[str, list[Tool]]]:
    """The servers of all snapshots, each with its tools, of which there is one at least."""
    for document in project.documents:
        if document.recorded:
            for tools in document.tool_lists:
                if tools and tools[0].server:
                    yield tools[0].server, tools


def _are_closed(documents: Iterator[Document] | list[Document]) -> bool:
    return not any(document.open_reasons or document.problems for document in documents)
