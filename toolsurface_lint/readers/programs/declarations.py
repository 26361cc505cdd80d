"""What a language needs for its tools to be read where they are declared, without following values.

A file in `declared/` says of one language which nodes are strings, names and constants, and yields a `Declaration` for
each tool that is declared in a file. Names that are not literals are those of constants in the same folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from importlib import import_module
from typing import Any, NamedTuple

from toolsurface_lint.readers.programs.trees import Part
from toolsurface_lint.source.string_literals import literals, tree_class
from toolsurface_lint.source.syntax import ByteOffsets, Syntax, parse_syntax
from toolsurface_lint.source.text import SourceText, Span
from toolsurface_lint.source.tree import Spans

_HOLDERS = frozenset((
    "class_declaration", "object_declaration", "companion_object", "record_declaration", "interface_declaration", "impl_item",
    "block",
))  # fmt: skip
MAX_TEXT = 100_000
"""Characters of a text that is put together of others; constants can double it again and again."""
_MAX_PARTS = 1_000
_MAX_DEPTH = 50
ANYTHING: dict[str, Any] = {"anyOf": [{}]}
"""The schema of what is not known."""


class Text(NamedTuple):
    """A text of a program, and where it is written."""

    value: str
    file: DeclaringFile
    span: Span


class Declaration:
    """A tool that is declared in a file: at a node, in a format such as `go-mcp`.

    `unknown` are those of `description`, `schema` and `hints` that are given, or may be, in a way that is not read.
    """

    def __init__(self, file: DeclaringFile, node: Syntax, format: str, name: Text | None) -> None:
        self.file = file
        self.node = node
        self.format = format
        self.name = name
        self.description: Text | None = None
        self.unknown: set[str] = set()
        self.schema: Part | None = None
        self.hints: Part | None = None
        self.group = ""
        """What holds it in its file, where that has tools of its own; tools of one folder share their names otherwise."""

    def describe(self, node: Syntax | None) -> None:
        """Take the text of an expression as the description."""
        if node is not None:
            self.description = self.file.text(node)
            if self.description is None:
                self.unknown.add("description")


class Language(NamedTuple):
    """How tools are declared in one language."""

    name: str
    signs: re.Pattern[str]
    """What the text of a file that declares tools has somewhere."""
    tests: re.Pattern[str]
    """The ends of the paths of files that hold tests."""
    strings: frozenset[str]
    names: frozenset[str]
    """The kinds of nodes that are names of constants, the dotted ones among them."""
    constants: Callable[[Syntax], Iterator[tuple[str, Syntax]]]
    """Of a node of a file: the constants that it declares, each with its value."""
    types: frozenset[str]
    """The kinds of nodes that declare a type of parameters; each has its name in the field `name`."""
    read: Callable[[DeclaringFile], Iterator[Declaration]]
    unwrap: Callable[[DeclaringFile, Syntax], Syntax | None] = lambda file, node: None
    """What an expression of any other kind passes on unchanged: the text of a translation."""


def language_named(name: str) -> Language:
    """Raises `ModuleNotFoundError` for a language without a file of its own."""
    found = import_module(f"toolsurface_lint.readers.programs.declared.{name}").LANGUAGE
    assert isinstance(found, Language)
    return found


class DeclaringFile:
    """One file, parsed when something in it is asked for."""

    def __init__(self, source: SourceText, path: str, language: Language, folder: Folder) -> None:
        self.source = source
        self.path = path
        self.language = language
        self.folder = folder
        self.tree_class = tree_class(language.name)
        self._texts: dict[tuple[int, int], Text | None] = {}

    @cached_property
    def root(self) -> Syntax | None:
        """The syntax tree; None for a file that is too long."""
        return parse_syntax(self.source, self.language.name)

    @cached_property
    def offsets(self) -> ByteOffsets:
        return ByteOffsets(self.source)

    @cached_property
    def nodes(self) -> list[Syntax]:
        return [] if self.root is None else list(self.root.walk())

    @cached_property
    def constants(self) -> dict[str, Syntax]:
        return {name: value for node in self.nodes for name, value in self.language.constants(node)}

    @cached_property
    def holders(self) -> dict[int, str]:
        """By where a node begins: the innermost class around it; in Go, the innermost block."""
        found: dict[int, str] = {}
        around: list[Syntax] = []
        for node in self.nodes:
            while around and around[-1].end <= node.start:
                around.pop()
            found.setdefault(node.start, str(around[-1].start) if around else "")
            if node.kind in _HOLDERS:
                around.append(node)
        return found

    @cached_property
    def types(self) -> dict[str, Syntax]:
        found = (node for node in self.nodes if node.kind in self.language.types)
        return {self.raw(name): node for node in found if (name := node.get("name")) is not None}

    def span(self, node: Syntax) -> Span:
        return self.offsets.span(node)

    def raw(self, node: Syntax) -> str:
        return self.source.text[slice(*self.span(node))]

    def text(self, node: Syntax, depth: int = 0) -> Text | None:
        """The text that an expression is; None if it is not one of literals and constants alone."""
        key = (node.start, node.end)
        if key not in self._texts:
            self._texts[key] = None
            if depth < _MAX_DEPTH:
                self._texts[key] = self._text(node, depth)
        return self._texts[key]

    def _text(self, node: Syntax, depth: int) -> Text | None:
        operands = _operands(node)
        if len(operands) > 1:
            parts = [self.text(operand, depth + 1) for operand in operands[:_MAX_PARTS]]
            value = "".join(part.value for part in parts if part is not None)
            if None in parts or len(operands) > _MAX_PARTS or len(value) > MAX_TEXT:
                return None
            return Text(value, self, self.span(node))
        node = operands[0] if operands else node
        if node.kind in self.language.strings:
            found = [text for text, _ in literals(self.raw(node), self.language.name)]
            return Text(found[0], self, self.span(node)) if len(found) == 1 else None
        if node.kind in self.language.names:
            return self._constant(self.raw(node), depth)
        inner = self.language.unwrap(self, node)
        return None if inner is None else self.text(inner, depth + 1)

    def _constant(self, dotted: str, depth: int) -> Text | None:
        holder, _, name = re.sub(r"\s", "", dotted).replace("::", ".").rpartition(".")
        for file in self.folder.files_with(name, holder.rpartition(".")[2], self):
            if name in file.constants:
                return file.text(file.constants[name], depth + 1)
        return None

    def type_named(self, name: str) -> tuple[DeclaringFile, Syntax] | None:
        """The declaration of a type in this file or its folder."""
        for file in self.folder.files_with(name, "", self):
            if name in file.types:
                return file, file.types[name]
        return None

    def plain(self, value: Any, span: Span) -> Part:
        """A value that is written in another way, or elsewhere: all of it lies at one place."""
        if isinstance(value, dict):
            parts = {key: self.plain(each, span) for key, each in value.items()}
            return Part(dict(value), Spans(*span, {key: part.spans for key, part in parts.items()}))
        if isinstance(value, list):
            return Part(list(value), Spans(*span, [self.plain(each, span).spans for each in value]))
        return Part(value, Spans(*span))

    def object(self, span: Span, entries: Mapping[str, Part]) -> Part:
        return Part(
            {key: part.value for key, part in entries.items()},
            Spans(*span, {key: part.spans for key, part in entries.items()}),
        )

    def keyed(self, part: Part, key: Span) -> Part:
        """A value whose key is written at a place."""
        part.spans.key_start, part.spans.key_end = key
        return part

    def described(self, schema: Mapping[str, Any], span: Span, text: Text | None) -> Part:
        """The schema of a parameter, with what is said of it."""
        part = self.plain(dict(schema), span)
        if text is not None:
            at = text.span if text.file is self else span
            part.value["description"] = text.value
            items = part.spans.items
            assert isinstance(items, dict)
            items["description"] = Spans(*at)
        return part

    def parameters(self, span: Span, properties: Mapping[str, Part], required: Iterable[str]) -> Part:
        """A schema of parameters; an empty list of those that are required is left out."""
        entries = {"type": self.plain("object", span), "properties": self.object(span, properties)}
        names = list(required)
        if names:
            entries["required"] = self.plain(names, span)
        return self.object(span, entries)


def _operands(node: Syntax) -> list[Syntax]:
    """What is joined by `+`, from left to right; the node itself if nothing is."""
    found: list[Syntax] = []
    waiting = [node]
    while waiting and len(found) <= _MAX_PARTS:
        each = waiting.pop()
        if each.kind in ("parenthesized_expression", "literal_element") and len(each.children) == 1:
            waiting.append(each.children[0])
        elif each.kind in ("binary_expression", "additive_expression") and "+" in each.tokens:
            waiting.extend(reversed(each.children))
        else:
            found.append(each)
    return found


class Folder:
    """The files of one language that lie in one folder, and where those that lie elsewhere are found."""

    def __init__(self, folders: Mapping[str, Folder]) -> None:
        self.files: list[DeclaringFile] = []
        self._folders = folders
        self._words: dict[str, list[DeclaringFile]] | None = None

    def files_with(self, name: str, holder: str, first: DeclaringFile) -> Iterator[DeclaringFile]:
        """The files that may declare a name: `first`, then those of this folder, or of one that is named like `holder`."""
        yield first
        for file in self._named(name):
            if file is not first:
                yield file
        if holder:
            for path, folder in self._folders.items():
                if os.path.basename(path) == holder and folder is not self:
                    yield from folder._named(name)

    def _named(self, name: str) -> list[DeclaringFile]:
        if self._words is None:
            self._words = {}
            for file in self.files:
                for word in set(_DECLARED.findall(file.source.text)):
                    self._words.setdefault(word, []).append(file)
        return self._words.get(name, [])


_DECLARED = re.compile(r"\b([A-Za-z_]\w*)(?=(?:[ \t]+\w+|[ \t]*:[^\n=]{0,40})?[ \t]*(?:=(?!=)|\{))")
"""A name that is followed by a value or by a body, with its type between them."""
