"""Text inside a string of another text: JSON in a JSON string, a call in a message."""

from __future__ import annotations

from typing import Any

from toolsurface_lint.source.json_values import read_value, scan_value
from toolsurface_lint.source.text import MAX_DEPTH, SourceText, Span
from toolsurface_lint.source.tree import Node, Path, Spans, Tree, depth_exceeds


class EmbeddedTree(Tree):
    """The JSON value that a part of a decoded string holds; its places lie in the text that the string is part of.

    Places are mapped through both levels of escapes, one at a time and only when they are asked for; nothing is written
    through them.
    """

    __slots__ = ("_inner", "_outer", "_outer_path", "_start", "_text")

    def __init__(self, outer: Tree, path: Path, text: str, value: Any, start: int = 0) -> None:
        """`text` is the JSON text, which begins at offset `start` of the decoded string at `path` of `outer`."""
        super().__init__(outer.source, value)
        self._outer = outer
        self._outer_path = path
        self._start = start
        self._text = text
        self._inner: Tree | None = None

    def full_path(self, path: Path) -> Path:
        way = self._outer.full_path(self._outer_path)
        # No pointer leads into a part of a text.
        whole = self._outer.at(self._outer_path).value
        return way + path if isinstance(whole, str) and len(whole) == len(self._text) else way

    def _json(self) -> Tree | None:
        if self._inner is None:
            from toolsurface_lint.source.json import read_json

            read = read_json(SourceText("", self._text), comments_allowed=True)
            trees = [] if any(problem.code == "syntax" for problem in read.problems) else read.trees
            self._inner = trees[0] if len(trees) == 1 else None
        return self._inner

    def _span(self, start: int, end: int) -> Span:
        return self._outer.text_span(self._outer_path, self._start + start, self._start + end)

    def spans_at(self, path: Path) -> tuple[Spans, bool]:
        inner = self._json()
        if inner is None:
            span = self._span(0, len(self._text))
            return Spans(span.start, span.end), not path
        found, whole = inner.spans_at(path)
        span = self._span(found.start, found.end)
        key = self._span(found.key_start, found.key_end) if found.key_start >= 0 else (-1, -1)
        return Spans(span.start, span.end, None, key), whole

    def text_span(self, path: Path, start: int, end: int) -> Span:
        inner = self._json()
        if inner is None:
            # No JSON: then the text itself is the value.
            return self._span(start, end)
        return self._span(*inner.text_span(path, start, end))


def read_embedded(node: Node) -> Node | None:
    """The value that a string holds as JSON text; None if it does not, or is nested too deep."""
    text = node.value
    value = read_value(text)
    if value is None or (text.count("[") + text.count("{") > MAX_DEPTH and depth_exceeds(value, MAX_DEPTH)):
        return None
    return EmbeddedTree(node.tree, node.path, text, value).root


def embedded_objects(node: Node, start: int) -> list[Node]:
    """The JSON objects that a string holds one after the other, from the first brace at or after an offset on.

    They end with the first text between them that is neither blank nor a comma.
    """
    text = node.value
    found: list[Node] = []
    position = text.find("{", start)
    while position >= 0:
        try:
            value, end = scan_value(text, position)
        except (StopIteration, ValueError, RecursionError):
            break
        if depth_exceeds(value, MAX_DEPTH):
            break
        found.append(EmbeddedTree(node.tree, node.path, text[position:end], value, position).root)
        position = text.find("{", end)
        if text[end:position].strip(", \t\r\n"):
            break
    return found


def embedded_list(node: Node, start: int) -> Node | None:
    """The JSON list that begins with the first bracket of a string at or after an offset; None if there is none."""
    text = node.value
    position = text.find("[", start)
    if position < 0:
        return None
    try:
        value, end = scan_value(text, position)
    except (StopIteration, ValueError, RecursionError):
        return None
    if depth_exceeds(value, MAX_DEPTH):
        return None
    return EmbeddedTree(node.tree, node.path, text[position:end], value, position).root
