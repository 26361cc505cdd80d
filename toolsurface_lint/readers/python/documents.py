"""Python files to documents: their tools, which are read of all files together, and their prompt constants."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from toolsurface_lint.model.document import Document
from toolsurface_lint.model.prompt import Prompt
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.unseen import LIMIT, Unseen
from toolsurface_lint.programs.markers import may_define_tools
from toolsurface_lint.readers.embedded_prompts import may_hold_prompts, python_prompts
from toolsurface_lint.source.crashes import crash
from toolsurface_lint.source.files import read_source
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import GAP, SourceText, Span, Unreadable

if TYPE_CHECKING:
    from toolsurface_lint.readers.python.definitions import OpenReason, PythonTools
    from toolsurface_lint.source.tree import Place, Tree


KEPT_TEXT = 32 * 1024 * 1024
"""Characters of files that stay in memory; beyond them, a text is read again when it is needed."""


class PythonFile(NamedTuple):
    """A Python file to read: its absolute path, how it is shown, its bytes if they are not those on disk.

    `kind` is what somebody said that it is.
    """

    path: str
    display: str
    kind: str | None
    max_size: int
    data: bytes | None = None


def read_python_documents(files: Sequence[PythonFile]) -> dict[str, Document]:
    """The documents of the files that define tools or prompts, and of those that cannot be read, by absolute path.

    No file is parsed before a look at the texts has shown that it is worth it. Raises nothing: what crashes is a problem of
    its file, or, where all are looked at together, of the first that looks as if it defined tools.
    """
    documents: dict[str, Document] = {}
    sources: dict[str, SourceText] = {}
    kept = 0
    for file in files:
        try:
            source = sources[file.path] = read_source(file.path, file.display, file.max_size, file.data)
            kept += len(source.text)
            if kept > KEPT_TEXT:
                source.release()
        except Unreadable as error:
            document = Document(file.display, SourceText(file.display, error.text), "python")
            document.problems.append(error.problem)
            document.begins = may_define_tools(error.text)
            documents[file.path] = document
        except Exception as error:
            document = documents[file.path] = Document(file.display, SourceText(file.display, ""), "python")
            document.problems.append(crash("file", Span(0, 0), error))
    found = None
    try:
        found = _read_tools(sources)
        if found is not None:
            documents.update(_tool_documents(sources, found))
            others = {path: source for path, source in sources.items() if path not in documents}
            documents.update(_unread_documents(others, found))
    except Exception as error:
        found = None
        documents.update(_unfollowed(sources, error))
    instructions: defaultdict[str, list[Prompt]] = defaultdict(list)
    for prompt in () if found is None else found.prompts:
        instructions[prompt.origin].append(prompt)
    parts = {(part.tree.origin, part.span()) for told in instructions.values() for part in _parts(told)}
    for path, source in sources.items():
        try:
            prompts = _prompts(source, found, instructions[source.path], parts)
        except Exception as error:
            prompts = []
            document = documents.setdefault(path, Document(source.path, source, "python"))
            document.problems.append(crash("file", Span(0, 0), error))
        if prompts:
            document = documents.setdefault(path, Document(source.path, source, "python"))
            document.prompts.extend(prompts)
            for prompt in prompts:
                if all(prompt.tree is not tree for tree in document.trees):
                    document.trees.append(prompt.tree)
            document.kinds.append("prompt")
    for file in files:
        if file.kind is not None and file.path in sources:
            document = documents.setdefault(file.path, Document(file.display, sources[file.path], "python"))
            if file.kind not in document.kinds and not document.problems and document.unread is None:
                document.kinds.clear()
                document.problems.append(Problem("wrong_kind", Span(0, 0), {"expected": file.kind}))
    return documents


def _unfollowed(sources: dict[str, SourceText], error: Exception) -> dict[str, Document]:
    """The documents of all files that look as if they defined tools, after a crash with which nothing is known of them."""
    documents: dict[str, Document] = {}
    for path, source in sources.items():
        if may_define_tools(source.peek()):
            document = documents[path] = Document(source.path, source, "python")
            document.unread = Unseen("programs at which the linter itself crashed", source.path)
            document.leaves_open = True
    first = next(iter(documents.values()), None)
    if first is None:
        raise error
    first.problems.append(crash("programs", Span(0, 0), error))
    return documents


def _read_tools(sources: dict[str, SourceText]) -> PythonTools | None:
    if not any(may_define_tools(source.peek()) for source in sources.values()):
        return None
    from toolsurface_lint.readers.python.tools import read_python_project

    return read_python_project(list(sources.values()), list(sources))


def _unread_documents(sources: dict[str, SourceText], found: PythonTools) -> dict[str, Document]:
    """The documents of the files that look as if they had tools, and of which none is known."""
    from toolsurface_lint.readers.python.lookalikes import lookalike

    documents: dict[str, Document] = {}
    reasons: dict[str, Unseen] = {}
    for reason in found.reasons:
        reasons.setdefault(reason.source.path, reason.unseen)
    for path, source in sources.items():
        # Where these matter, they are reasons already.
        unread = reasons.get(source.path)
        leaves_open = unread is None or source.path in found.unfollowed
        if source.path in found.unfollowed:
            unread = Unseen("more code than is followed", source.path, cause=LIMIT)
        elif unread is None and source.path in found.syntax and source.path not in found.trees:
            unread = lookalike(source, found.syntax[source.path])
        if unread is not None:
            document = documents[path] = Document(source.path, source, "python")
            document.unread, document.leaves_open = unread, leaves_open
    return documents


def _parts(told: Iterable[Prompt]) -> Iterator[Place]:
    """The places of the texts that others are put together of."""
    for prompt in told:
        parts = prompt.tree.parts(prompt.path)
        yield from parts if len(parts) > 1 or parts[0].path != prompt.path else ()


def _prompts(
    source: SourceText,
    found: PythonTools | None,
    instructions: Sequence[Prompt],
    parts: Container[tuple[str, Span | None]],
) -> list[Prompt]:
    """The prompts of one file: its constants that are named like prompts, and what agents and servers are told in it.

    A constant that is a part of what they are told, of all files, is not one by itself.
    """
    told: defaultdict[Span | None, list[Prompt]] = defaultdict(list)
    for prompt in instructions:
        # One expression may put together a text for each of several agents.
        told[prompt.node.place.span()].append(prompt)
    prompts: dict[Span | None, list[Prompt]] = {}
    if may_hold_prompts(source.peek()):
        for prompt in python_prompts(source, None if found is None else found.syntax.get(source.path)):
            at = prompt.node.place.span()
            if at in told:
                for each in told[at]:
                    each.field = prompt.field
                prompts[at] = told[at]
            elif (source.path, at) not in parts:
                prompts[at] = [prompt]
    prompts.update(told)
    # One word is a name, or asks a person at a terminal.
    found_prompts = (prompt for each in prompts.values() for prompt in each)
    return [prompt for prompt in found_prompts if len(prompt.text.replace(GAP, " ").split()) > 1]


def _tool_documents(sources: dict[str, SourceText], found: PythonTools) -> dict[str, Document]:
    """The documents of all files with tools, with a part of a tool, or with problems."""
    documents: dict[str, Document] = {}
    by_display: dict[str, Document] = {}
    lists: dict[str, dict[str, list[Tool]]] = {}
    absolute = {source.path: path for path, source in sources.items()}
    for tool in found.tools:
        lists.setdefault(tool.origin, {}).setdefault(tool.namespace, []).append(tool)
        tool.listed_in = frozenset(absolute[path] for path in tool.listed_in)
    for path, source in sources.items():
        display = source.path
        if display not in found.trees and display not in found.problems:
            continue
        document = documents[path] = by_display[display] = Document(display, source, "python")
        document.problems.extend(found.problems.get(display, ()))
        document.begins = bool(document.problems)
        document.tool_lists.extend(lists.get(display, {}).values())
        if display in found.trees:
            document.trees.append(found.trees[display])
            document.kinds.append("tools")
    for display, files in found.prompt_files.items():
        by_display[display].prompt_files.extend(files)
    for agent in found.agents:
        by_display[agent.place.tree.origin].agents.append(agent)
    for permissions in found.permissions:
        by_display[permissions.origin].permissions.append(permissions)
    _add_folders(documents, found.tools)
    _add_reasons(by_display, found.reasons)
    return documents


def _add_folders(documents: dict[str, Document], tools: Iterable[Tool]) -> None:
    """Say for each document which folder its tools are of: the one that is common to all files of their servers."""
    path_of = {id(tree): path for path, document in documents.items() for tree in document.trees}
    # Files that share a server, directly or by way of others, are one group; each file knows a member of its group.
    group = {path: path for path in documents}

    def head(path: str) -> str:
        while group[path] != path:
            group[path] = path = group[group[path]]
        return path

    first: dict[str, str] = {}
    for tool in tools:
        for tree in _trees(tool):
            path = path_of[id(tree)]
            group[head(path)] = head(first.setdefault(tool.namespace, path))
    members: dict[str, list[str]] = {}
    for path in documents:
        members.setdefault(head(path), []).append(path)
    for paths in members.values():
        if any(documents[path].tool_lists for path in paths):
            folder = os.path.commonpath([os.path.dirname(path) for path in paths])
            for path in paths:
                documents[path].folder = folder


def _trees(tool: Tool) -> list[Tree]:
    """The trees of the files that a tool is written in."""
    parts = (tool.name_node, tool.description, tool.code.place if tool.code is not None else None)
    return [tool.tree, *(part.tree for part in parts if part is not None)]


def _add_reasons(documents: dict[str, Document], reasons: Iterable[OpenReason]) -> None:
    """Say in each document why there may be more tools than are seen in its surfaces, or in itself."""
    unseen: list[Unseen] = []
    of: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    near: defaultdict[frozenset[str] | None, list[int]] = defaultdict(list)
    for position, reason in enumerate(reasons):
        unseen.append(reason.unseen)
        of["file", reason.source.path].append(position)
        if reason.namespace:
            of["server", reason.namespace].append(position)
        else:
            for files in reason.files or (None,):
                near[files].append(position)
    holding: defaultdict[str, list[frozenset[str] | None]] = defaultdict(lambda: [None])
    for files in near:
        for path in files or ():
            holding[path].append(files)
    for path, document in documents.items():
        keys = [("file", path), *(("server", tools[0].namespace) for tools in document.tool_lists)]
        positions = {position for key in keys for position in of.get(key, ())}
        if document.tool_lists:
            positions.update(position for files in holding[path] for position in near.get(files, ()))
        document.open_reasons.extend(dict.fromkeys(unseen[position] for position in sorted(positions)))
