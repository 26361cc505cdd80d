"""Values that a log writes in pieces, each in an event of its own."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from toolsurface_lint.source.text import LineIndex, Position, Range, SourceText, Span
from toolsurface_lint.source.tree import Node, Path, Spans, Tree


class GatheredTree(Tree):
    """An object of which each member is a node of another tree, or the texts of several, put together.

    A place in it lies in its node; what reaches over several texts, from the first of them to the last.
    """

    __slots__ = ("_members", "_starts")

    def __init__(self, members: Mapping[str, Sequence[Node]]) -> None:
        """`members` has at least one, and no empty ones; where one has several nodes, they are strings of one file."""
        self._value = {
            key: nodes[0].value if len(nodes) == 1 else "".join([node.value for node in nodes])
            for key, nodes in members.items()
        }
        self._members = members
        self._starts: dict[str, list[int]] = {}
        self._spans = None

    def __getattr__(self, name: str) -> Any:
        if name != "source":
            raise AttributeError(name)
        sources = {id(source): source for source in self._sources()}
        self.source = next(iter(sources.values())) if len(sources) == 1 else _Apart(list(sources.values()))
        return self.source

    def _sources(self) -> list[SourceText]:
        nodes = [node for nodes in self._members.values() for node in nodes]
        return [node.tree.source for node in nodes if node.tree.source is not None]

    def _in_source(self, node: Node, span: Span) -> Span:
        """A span of a node's source in the source of this tree."""
        source = node.tree.source
        moved = 0 if source is None or source is self.source else source.offset
        return Span(span.start + moved, span.end + moved)

    def full_path(self, path: Path) -> Path:
        nodes = self._members.get(path[0]) if path and isinstance(path[0], str) else None
        if nodes is None:
            first = next(iter(self._members.values()))[0]
            return first.tree.full_path(first.path)
        return nodes[0].tree.full_path(nodes[0].path + path[1:])

    def spans_at(self, path: Path) -> tuple[Spans, bool]:
        nodes = self._members.get(path[0]) if path and isinstance(path[0], str) else None
        if nodes is None:
            first = next(iter(self._members.values()))[0]
            return self._whole(first, first, ()), not path
        return self._whole(nodes[0], nodes[-1], path[1:]), len(nodes) == 1 or len(path) == 1

    def _whole(self, first: Node, last: Node, path: Path) -> Spans:
        start = first.tree.spans_at((*first.path, *path))[0]
        end = start if last is first else last.tree.spans_at((*last.path, *path))[0]
        begin = self._in_source(first, Span(start.start, start.end))
        finish = self._in_source(last, Span(end.start, end.end))
        return Spans(begin.start, max(begin.start, finish.end))

    def text_span(self, path: Path, start: int, end: int) -> Span:
        nodes = self._members.get(path[0]) if path and isinstance(path[0], str) else None
        if nodes is None:
            spans, _ = self.spans_at(path)
            return Span(spans.start, spans.end)
        first = self._part(str(path[0]), nodes, path[1:], start, start, end)
        last = self._part(str(path[0]), nodes, path[1:], max(end - 1, start), start, end)
        return Span(first.start, max(first.start, last.end))

    def _part(self, key: str, nodes: Sequence[Node], path: Path, offset: int, start: int, end: int) -> Span:
        """What of a range of a member's text lies in the node that an offset is in."""
        if len(nodes) == 1:
            return self._in_source(nodes[0], nodes[0].tree.text_span((*nodes[0].path, *path), start, end))
        if key not in self._starts:
            self._starts[key] = [0, *accumulate(len(node.value) for node in nodes[:-1])]
        starts = self._starts[key]
        # Of pieces without a text, the last one that begins here.
        at = bisect_right(starts, offset) - 1
        node = nodes[at]
        length = len(node.value)
        inside = (min(max(each - starts[at], 0), length) for each in (start, end))
        return self._in_source(node, node.tree.text_span(node.path, *inside))


class _Apart(SourceText):
    """Several stretches of one file: spans count from the beginning of the file."""

    __slots__ = ("_stretches",)

    def __init__(self, stretches: Sequence[SourceText]) -> None:
        super().__init__(stretches[0].path, "")
        self._stretches = sorted(stretches, key=lambda source: source.offset)

    @property
    def lines(self) -> LineIndex:
        if self._lines is None:
            self._lines = _LinesApart(self._stretches)
        return self._lines


class _LinesApart(LineIndex):
    """The lines of several stretches of one file, by offsets that count from its beginning."""

    __slots__ = ("_starts", "_stretches")

    def __init__(self, stretches: Sequence[SourceText]) -> None:
        super().__init__("")
        self._stretches = stretches
        self._starts = [source.offset for source in stretches]

    def position(self, offset: int) -> Position:
        source = self._stretches[max(bisect_right(self._starts, offset) - 1, 0)]
        return source.lines.position(offset - source.offset)

    def range(self, span: Span) -> Range:
        return Range(self.position(span.start), self.position(span.end))
