"""Programs to documents: their tools, which are read of all files of a language together, and their prompt constants."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from toolsurface_lint.model.document import Document
from toolsurface_lint.model.prompt import Prompt
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.unseen import LIMIT, Unseen
from toolsurface_lint.readers.embedded_prompts import may_hold_prompts, python_prompts, script_prompts
from toolsurface_lint.source.crashes import crash
from toolsurface_lint.source.files import read_source
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import GAP, SourceText, Span, Unreadable

if TYPE_CHECKING:
    from toolsurface_lint.readers.programs.definitions import OpenReason, ProgramTools
    from toolsurface_lint.source.tree import Place, Tree


KEPT_TEXT = 32 * 1024 * 1024
"""Characters of files that stay in memory; beyond them, a text is read again when it is needed."""


class ProgramFile(NamedTuple):
    """A program to read: its absolute path, how it is shown, its language, its bytes if they are not those on disk.

    `kind` is what somebody said that it is.
    """

    path: str
    display: str
    language: str
    kind: str | None
    max_size: int
    data: bytes | None = None


_FOLLOWED = ("python", "typescript")
"""The languages whose values are followed; of the others, tools are read where they are declared."""

_READ_WITH = {"javascript": "typescript"}
"""The languages whose files are read together with those of another one."""


def read_program_documents(files: Sequence[ProgramFile]) -> dict[str, Document]:
    """The documents of the files that define tools or prompts, and of those that cannot be read, by absolute path.

    No file is parsed before a look at the texts has shown that it is worth it. Raises nothing: what crashes is a problem of
    its file, or, where all are looked at together, of the first that looks as if it defined tools.
    """
    together: defaultdict[str, list[ProgramFile]] = defaultdict(list)
    for file in files:
        together[_READ_WITH.get(file.language, file.language)].append(file)
    documents: dict[str, Document] = {}
    for language, some in together.items():
        if language in _FOLLOWED:
            documents.update(_Programs(language, some).documents)
        else:
            from toolsurface_lint.readers.programs.declared_documents import read_declared

            documents.update(read_declared(language, some))
    return documents


class _Programs:
    """The files of one language, and those that are read with them; `documents` are by absolute path."""

    def __init__(self, language: str, files: Sequence[ProgramFile]) -> None:
        self.documents: dict[str, Document] = {}
        self._language = language
        self._languages = {file.path: file.language for file in files}
        if language == "python":
            from toolsurface_lint.programs.markers import may_define_tools
        else:
            from toolsurface_lint.programs.typescript.markers import may_define_tools
        self._may_define_tools: Callable[[str], bool] = may_define_tools
        self._sources: dict[str, SourceText] = {}
        self._kept = 0
        for file in files:
            try:
                self._read_source(file)
            except Exception as error:
                document = self.documents[file.path] = Document(
                    file.display, SourceText(file.display, ""), file.language
                )
                document.problems.append(crash("file", Span(0, 0), error))
        found = None
        try:
            found = self._read_tools()
            if found is not None:
                self._add_tools(found)
                self._add_unread(found)
        except Exception as error:
            found = None
            self._add_unfollowed(error)
        instructions: defaultdict[str, list[Prompt]] = defaultdict(list)
        for prompt in () if found is None else found.prompts:
            instructions[prompt.origin].append(prompt)
        parts = {(part.tree.origin, part.span()) for told in instructions.values() for part in _parts(told)}
        for path, source in self._sources.items():
            try:
                self._add_prompts(
                    path, _prompts(source, self._constants(source, found), instructions[source.path], parts)
                )
            except Exception as error:
                self._document(path).problems.append(crash("file", Span(0, 0), error))
        for file in files:
            if file.kind is not None and file.path in self._sources:
                document = self._document(file.path)
                if file.kind not in document.kinds and not document.problems and document.unread is None:
                    document.kinds.clear()
                    document.problems.append(Problem("wrong_kind", Span(0, 0), {"expected": file.kind}))

    def _document(self, path: str) -> Document:
        """The document of a file, made now if nothing has been said of it."""
        if path not in self.documents:
            source = self._sources[path]
            self.documents[path] = Document(source.path, source, self._languages[path])
        return self.documents[path]

    def _read_source(self, file: ProgramFile) -> None:
        try:
            source = self._sources[file.path] = read_source(file.path, file.display, file.max_size, file.data)
            self._kept += len(source.text)
            if self._kept > KEPT_TEXT:
                source.release()
        except Unreadable as error:
            document = Document(file.display, SourceText(file.display, error.text), file.language)
            document.problems.append(error.problem)
            document.begins = self._may_define_tools(error.text)
            self.documents[file.path] = document

    def _read_tools(self) -> ProgramTools | None:
        if not any(self._may_define_tools(source.peek()) for source in self._sources.values()):
            return None
        from toolsurface_lint.readers.programs.tools import read_programs

        return read_programs(list(self._sources.values()), list(self._sources), self._language)

    def _add_unfollowed(self, error: Exception) -> None:
        """The documents of all files that look as if they defined tools, after a crash with which nothing is known of them."""
        first = None
        for path, source in self._sources.items():
            if self._may_define_tools(source.peek()):
                self.documents.pop(path, None)
                document = self._document(path)
                document.unread = Unseen("programs at which the linter itself crashed", source.path)
                document.leaves_open = True
                first = first or document
        if first is None:
            raise error
        first.problems.append(crash("programs", Span(0, 0), error))

    def _add_tools(self, found: ProgramTools) -> None:
        """The documents of all files with tools, with a part of a tool, or with problems."""
        by_display: dict[str, Document] = {}
        lists: dict[str, dict[str, list[Tool]]] = {}
        absolute = {source.path: path for path, source in self._sources.items()}
        for tool in found.tools:
            lists.setdefault(tool.origin, {}).setdefault(tool.namespace, []).append(tool)
            tool.listed_in = frozenset(absolute[path] for path in tool.listed_in)
        documents: dict[str, Document] = {}
        for path, source in self._sources.items():
            display = source.path
            if display not in found.trees and display not in found.problems:
                continue
            document = documents[path] = by_display[display] = self._document(path)
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

    def _add_unread(self, found: ProgramTools) -> None:
        """The documents of the other files that look as if they had tools, and of which none is known."""
        reasons: dict[str, Unseen] = {}
        for reason in found.reasons:
            reasons.setdefault(reason.source.path, reason.unseen)
        for path, source in self._sources.items():
            if path in self.documents:
                continue
            # Where these matter, they are reasons already.
            unread = reasons.get(source.path)
            leaves_open = unread is None or source.path in found.unfollowed
            if source.path in found.unfollowed:
                unread = Unseen("more code than is followed", source.path, cause=LIMIT)
            elif unread is None and source.path in found.syntax and source.path not in found.trees:
                from toolsurface_lint.readers.programs.lookalikes import lookalike

                unread = lookalike(source, found.syntax[source.path])
            if unread is not None:
                document = self._document(path)
                document.unread, document.leaves_open = unread, leaves_open

    def _add_prompts(self, path: str, prompts: Sequence[Prompt]) -> None:
        """What a file holds of prompts: constants that are named like them, and what agents and servers are told."""
        if prompts:
            document = self._document(path)
            document.prompts.extend(prompts)
            for prompt in prompts:
                if all(prompt.tree is not tree for tree in document.trees):
                    document.trees.append(prompt.tree)
            document.kinds.append("prompt")

    def _constants(self, source: SourceText, found: ProgramTools | None) -> list[Prompt]:
        """The constants of a file that are named like prompts."""
        if not may_hold_prompts(source.peek(), self._language):
            return []
        if self._language == "python":
            return python_prompts(source, None if found is None else found.syntax.get(source.path))
        return script_prompts(source)


def _parts(told: Iterable[Prompt]) -> Iterator[Place]:
    """The places of the texts that others are put together of."""
    for prompt in told:
        parts = prompt.tree.parts(prompt.path)
        yield from parts if len(parts) > 1 or parts[0].path != prompt.path else ()


def _prompts(
    source: SourceText,
    constants: Sequence[Prompt],
    instructions: Sequence[Prompt],
    parts: Container[tuple[str, Span | None]],
) -> list[Prompt]:
    """The prompts of one file: its constants, and what agents and servers are told in it.

    A constant that is a part of what they are told, of all files, is not one by itself.
    """
    told: defaultdict[Span | None, list[Prompt]] = defaultdict(list)
    for prompt in instructions:
        # One expression may put together a text for each of several agents.
        told[prompt.node.place.span()].append(prompt)
    prompts: dict[Span | None, list[Prompt]] = {}
    for prompt in constants:
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
