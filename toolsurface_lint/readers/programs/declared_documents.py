"""Tools that are read where they are declared, to documents: one for each file that declares some."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence

from toolsurface_lint.model.document import Document
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.unseen import Unseen
from toolsurface_lint.readers.programs.declarations import Declaration, DeclaringFile, Folder, Language, language_named
from toolsurface_lint.readers.programs.program_file import ProgramFile
from toolsurface_lint.readers.programs.trees import FileTree, Part
from toolsurface_lint.readers.tool_format import set_schema
from toolsurface_lint.source.crashes import crash
from toolsurface_lint.source.files import read_source
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import SourceText, Span, Unreadable
from toolsurface_lint.source.tree import Node, Spans

UNNAMED = "a tool whose name is not a literal or a constant"


def read_declared(language: str, files: Sequence[ProgramFile]) -> dict[str, Document]:
    """The documents of the files of one language that declare tools, or cannot be read, by absolute path.

    Raises nothing: what crashes is a problem of its file.
    """
    return _Declared(language_named(language), files).documents


class _Declared:
    """The files of one language; `documents` are by absolute path."""

    def __init__(self, language: Language, files: Sequence[ProgramFile]) -> None:
        self.documents: dict[str, Document] = {}
        self._language = language
        self._trees: dict[str, FileTree] = {}
        self._blocks: dict[tuple[str, str], tuple[str, str]] = {}
        """By namespace and name: where the first tool of it is made."""
        folders: dict[str, Folder] = {}
        named: defaultdict[str, list[Folder]] = defaultdict(list)
        read: list[tuple[ProgramFile, DeclaringFile]] = []
        for file in files:
            try:
                source = read_source(file.path, file.display, file.max_size, file.data)
                where = os.path.dirname(file.path)
                if where not in folders:
                    folders[where] = Folder(named)
                    named[os.path.basename(where)].append(folders[where])
                declaring = DeclaringFile(source, file.path, language, folders[where])
            except Unreadable as error:
                self._unreadable(file, error.text, error.problem, begins=language.signs.search(error.text) is not None)
                continue
            except Exception as error:
                self._unreadable(file, "", crash("file", Span(0, 0), error), begins=False)
                continue
            folders[where].files.append(declaring)
            if language.signs.search(source.text) is not None and language.tests.search(file.path) is None:
                read.append((file, declaring))
        for file, declaring in read:
            try:
                self._read(file, declaring)
            except Exception as error:
                document = self._document(declaring)
                document.problems.append(crash("file", Span(0, 0), error))
                document.unread = Unseen("programs at which the linter itself crashed", file.display)
                document.leaves_open = True
        for file in files:
            if file.kind is not None and file.path not in self.documents:
                self._unreadable(file, "", Problem("wrong_kind", Span(0, 0), {"expected": file.kind}), begins=False)

    def _unreadable(self, file: ProgramFile, text: str, problem: Problem[Span], *, begins: bool) -> None:
        document = Document(file.display, SourceText(file.display, text), file.language)
        document.problems.append(problem)
        document.begins = begins
        self.documents[file.path] = document

    def _document(self, file: DeclaringFile) -> Document:
        if file.path not in self.documents:
            self.documents[file.path] = Document(file.source.path, file.source, self._language.name)
        return self.documents[file.path]

    def _tree(self, file: DeclaringFile) -> FileTree:
        if file.path not in self._trees:
            tree = self._trees[file.path] = FileTree(file)
            self._document(file).trees.append(tree.tree)
        return self._trees[file.path]

    def _read(self, file: ProgramFile, declaring: DeclaringFile) -> None:
        if declaring.root is None:
            document = self._document(declaring)
            document.unread, document.leaves_open = Unseen("a file that is too long to be parsed", file.display), True
            return
        lists: dict[str, list[Tool]] = {}
        unseen: list[Unseen] = []
        for found in self._language.read(declaring):
            if found.name is None or not found.name.value:
                unseen.append(Unseen(UNNAMED, file.display, found.node.lineno))
                continue
            folder = os.path.dirname(file.display)
            namespace = f"{file.display}#{found.group}" if found.group else folder or "."
            lists.setdefault(namespace, []).append(self._tool(found, f"{self._language.name}:{namespace}"))
        if lists:
            document = self._document(declaring)
            document.kinds.append("tools")
            document.tool_lists.extend(lists.values())
            document.open_reasons.extend(unseen)
        elif unseen:
            document = self._document(declaring)
            document.unread, document.leaves_open = unseen[0], True

    def _tool(self, found: Declaration, namespace: str) -> Tool:
        file = found.file
        assert found.name is not None
        tree = self._tree(file)
        span = file.span(found.node)
        parts = {"name": file.plain(found.name.value, found.name.span if found.name.file is file else span)}
        description = found.description
        if description is not None:
            parts["description"] = file.plain(description.value, description.span if description.file is file else span)
        if found.schema is not None:
            parts["inputSchema"] = found.schema
        if found.hints is not None:
            parts["annotations"] = found.hints
        whole = file.object(span, parts)
        path = tree.add_tool(Part(whole.value, Spans(*span, whole.spans.items)))
        name = tree.tree.at((*path, "name"))
        if found.name.file is not file:
            name = self._tree(found.name.file).node(found.name.value, found.name.span)
        tool = Tool(name, found.format, tree.tree, path)
        tool.origin = file.source.path
        tool.namespace = namespace
        if description is not None:
            tool.description = self._description(found, tree, path)
        takes = {"schema", "description"}
        if found.format.endswith("-mcp"):
            takes.add("hints")
        # What is made in two places may be offered in place of one another: that is not followed.
        block = (file.path, file.holders[found.node.start])
        if (namespace, tool.name) in self._blocks:
            tool.optional = self._blocks[namespace, tool.name] != block or not block[1]
        self._blocks.setdefault((namespace, tool.name), block)
        schema = tool.definition.get("inputSchema")
        if schema is None:
            takes.discard("schema")
        set_schema(tool, schema)
        tool.hints = tool.definition.get("annotations")
        tool.declarable = frozenset(takes - found.unknown)
        return tool

    def _description(self, found: Declaration, tree: FileTree, path: tuple[str, int]) -> Node:
        said = found.description
        assert said is not None
        if said.file is found.file:
            return tree.tree.at((*path, "description"))
        return self._tree(said.file).node(said.value, said.span)
