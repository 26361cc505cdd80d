"""Values that are put together from parts of others, whose places stay where the parts are written.

What a log flattens (`messages.0.role`) or wraps (`{"stringValue": "..."}`) is read as the value that it stands for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Node, Path, Place, Spans, Tree


class ComposedTree(Tree):
    """A value of parts: the value at each path in `parts`, and all below it, is written where that node is.

    Nothing is written through it. What holds several parts, and is none, is where the first of them is. The key of a part is
    where the node in `keys` is, if it has one: it is not the key under which the part is written.
    """

    __slots__ = ("_first", "_keys", "_parts")

    def __init__(self, of: Tree, value: Any, parts: dict[Path, Node], keys: dict[Path, Node] | None = None) -> None:
        """`of` is the tree in whose source it lies."""
        super().__init__(of.source, value)
        self._parts = parts
        self._keys = keys or {}
        self._first: dict[Path, Node] = {}
        """The first part below each path, made when a place is asked for that is no part's."""

    def _part(self, path: Path) -> tuple[Tree, Path, bool]:
        """Where the value at a path is written, and whether that is the value itself."""
        for length in range(len(path), -1, -1):
            part = self._parts.get(path[:length])
            if part is not None:
                return part.tree, part.path + path[length:], True
        if not self._first:
            for at, part in self._parts.items():
                for length in range(len(at)):
                    self._first.setdefault(at[:length], part)
        for length in range(len(path), -1, -1):
            part = self._first.get(path[:length])
            if part is not None:
                return part.tree, part.path, False
        return Tree(self.source, None), (), False

    def full_path(self, path: Path) -> Path:
        tree, there, _ = self._part(path)
        return tree.full_path(there)

    def _locate(self) -> Spans:
        return self.spans_at(())[0]

    def spans_at(self, path: Path) -> tuple[Spans, bool]:
        tree, there, exact = self._part(path)
        if tree.source is None or type(tree) is Tree:
            return Spans(0, 0), False
        spans, whole = tree.spans_at(there)
        if path in self._parts or not exact:
            key = self._keys.get(path)
            place = (-1, -1) if key is None else _ends(key)
            spans = Spans(spans.start, spans.end, None, place)
        return spans, whole and exact

    def text_span(self, path: Path, start: int, end: int) -> Span:
        tree, there, exact = self._part(path)
        if exact:
            return tree.text_span(there, start, end)
        spans, _ = self.spans_at(path)
        return Span(spans.start, spans.end)

    def text_place(self, path: Path, start: int, end: int) -> Place:
        tree, there, exact = self._part(path)
        return tree.text_place(there, start, end) if exact else Place(self, path)


def joined(at: Node, nodes: Iterable[Node]) -> Node:
    """Nodes from anywhere in one source as one list, which itself is where `at` is."""
    items = list(nodes)
    parts: dict[Path, Node] = {(): at, **{(index,): item for index, item in enumerate(items)}}
    return ComposedTree(at.tree, [item.value for item in items], parts).root


def _ends(node: Node) -> tuple[int, int]:
    spans, _ = node.tree.spans_at(node.path)
    return spans.start, spans.end
