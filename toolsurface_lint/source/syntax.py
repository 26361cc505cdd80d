"""Syntax trees of tree-sitter, read lazily: a node looks at its children when somebody first asks for them.

The grammars are packages of their own and are loaded when a file of their language is parsed. The parser recovers from
errors: what it could not read is an `ERROR` node. tree-sitter counts in UTF-8 bytes; `ByteOffsets` gives code points.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache, cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from toolsurface_lint.source.program_tree import Offsets
from toolsurface_lint.source.text import SourceText, Span

if TYPE_CHECKING:
    from tree_sitter import Language, Node

MAX_LENGTH = 1_000_000
"""Characters of a file that is parsed; what is longer is data, or was written by a program."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_COMMENTS = frozenset(("comment", "line_comment", "block_comment", "multiline_comment", "html_comment"))

_GRAMMARS = {
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    # JavaScript with JSX is read by this grammar too: only type assertions in angle brackets are not in it.
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "java": ("tree_sitter_java", "language"),
    "kotlin": ("tree_sitter_kotlin", "language"),
    "csharp": ("tree_sitter_c_sharp", "language"),
}


def grammar_of(path: str) -> str:
    """The grammar by which a TypeScript or JavaScript file is read."""
    return "typescript" if path.lower().endswith((".ts", ".mts", ".cts")) else "tsx"


class Syntax:
    """A named node. Derived once for each kind of node: see `kind`. `start` and `end` are in bytes."""

    __slots__ = ("_children", "_fields", "_node", "_nodes", "end", "start")

    kind = ""

    def __init__(self, node: Node, nodes: dict[int, Syntax]) -> None:
        self._node = node
        self._nodes = nodes
        self.start = node.start_byte
        self.end = node.end_byte
        self._children: list[Syntax] | None = None
        self._fields: dict[str, Syntax | None] = {}

    def _of(self, node: Node) -> Syntax:
        """The same object for the same node, whichever way leads to it."""
        found = self._nodes.get(node.id)
        if found is None:
            found = self._nodes[node.id] = node_class(node.type)(node, self._nodes)
        return found

    @property
    def children(self) -> list[Syntax]:
        """The named nodes in it, without comments."""
        if self._children is None:
            self._children = [self._of(node) for node in self._node.named_children if node.type not in _COMMENTS]
        return self._children

    @property
    def slots(self) -> list[tuple[int, Syntax]]:
        """The named nodes in it, each with the number of commas before it: `[, second]` leaves one out."""
        found: list[tuple[int, Syntax]] = []
        commas = 0
        for node in self._node.children:
            if node.type == ",":
                commas += 1
            elif node.is_named and node.type not in _COMMENTS:
                found.append((commas, self._of(node)))
        return found

    @property
    def tokens(self) -> frozenset[str]:
        """The keywords and punctuation that stand in it, beside its named nodes."""
        return frozenset(node.type for node in self._node.children if not node.is_named)

    def get(self, field: str) -> Syntax | None:
        """The first node in it under a field."""
        try:
            return self._fields[field]
        except KeyError:
            node = self._node.child_by_field_name(field)
            found = self._fields[field] = None if node is None else self._of(node)
            return found

    def all(self, *kinds: str) -> list[Syntax]:
        """The nodes in it of these kinds."""
        return [child for child in self.children if child.kind in kinds]

    def first(self, *kinds: str) -> Syntax | None:
        """The first node in it of one of these kinds."""
        return next((child for child in self.children if child.kind in kinds), None)

    def walk(self) -> Iterator[Syntax]:
        """It and all nodes below it, in the order in which they are written."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    @property
    def text(self) -> str:
        """What is written there."""
        return (self._node.text or b"").decode("utf-8", "replace")

    @property
    def has_error(self) -> bool:
        return self._node.has_error

    # As the nodes of Python's `ast`: lines from 1, columns from 0 in bytes.

    @property
    def lineno(self) -> int:
        return self._node.start_point[0] + 1

    @property
    def col_offset(self) -> int:
        return self._node.start_point[1]

    @property
    def end_lineno(self) -> int:
        return self._node.end_point[0] + 1

    @property
    def end_col_offset(self) -> int:
        return self._node.end_point[1]


@cache
def node_class(kind: str) -> type[Syntax]:
    """The class of the nodes of one kind, so that a table of types says what a node means in every language."""
    return type(kind, (Syntax,), {"__slots__": (), "kind": kind})


@cache
def _language(grammar: str) -> Language:
    from tree_sitter import Language

    package, function = _GRAMMARS[grammar]
    return Language(getattr(import_module(package), function)())


def parse_syntax(source: SourceText, grammar: str) -> Syntax | None:
    """The syntax tree of a file; None if it is longer than `MAX_LENGTH`. Raises nothing for a file with errors."""
    from tree_sitter import Parser

    text = source.text
    if len(text) > MAX_LENGTH:
        return None
    # Half a pair of surrogates is no character: what stands in for it takes as many bytes.
    data = _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text).encode()
    root = Parser(_language(grammar)).parse(data).root_node
    return node_class(root.type)(root, {})


_STRIDE = 256


class ByteOffsets(Offsets):
    """Turns the positions of `Syntax` into code-point offsets of one text."""

    @cached_property
    def _byte_strides(self) -> list[int]:
        """The offsets in bytes of every 256th character."""
        found = [0]
        for at in range(0, len(self._text), _STRIDE):
            found.append(found[-1] + len(self._text[at : at + _STRIDE].encode("utf-8", "surrogatepass")))
        return found

    def of_byte(self, position: int) -> int:
        """The code-point offset of an offset in bytes."""
        if self._is_ascii:
            return position
        stride = bisect_right(self._byte_strides, position) - 1
        start, rest = min(stride * _STRIDE, len(self._text)), position - self._byte_strides[stride]
        part = self._text[start : start + _STRIDE].encode("utf-8", "surrogatepass")[:rest]
        return start + len(part.decode("utf-8", "surrogatepass"))

    @cached_property
    def _bytes(self) -> bytes:
        return self._text.encode("utf-8", "surrogatepass")

    def span(self, node: Any) -> Span:
        if isinstance(node, Syntax):
            return Span(self.of_byte(node.start), self.of_byte(node.end))
        return super().span(node)

    def text(self, node: Any) -> str:
        if self._is_ascii:
            return self._text[node.start : node.end]
        return self._bytes[node.start : node.end].decode("utf-8", "surrogatepass")

    def identifier(self, node: Any, name: str, *, keyword: bool = False) -> Any:
        """A name is a node of its own."""
        return node
