"""Data that was put together from parts of a text, each of which keeps its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Path, Spans, Tree


class DerivedTree(Tree):
    """A value that is not written as it is: `where` gives the tree, and the path in it, of what is at a path of the value.

    All parts come from the text of `outer`.
    """

    __slots__ = ("_where",)

    def __init__(self, outer: Tree, value: Any, where: Callable[[Path], tuple[Tree, Path]]) -> None:
        super().__init__(outer.source, value)
        self._where = where

    def full_path(self, path: Path) -> Path:
        tree, written = self._where(path)
        return tree.full_path(written)

    def spans_at(self, path: Path) -> tuple[Spans, bool]:
        tree, written = self._where(path)
        return tree.spans_at(written)

    def text_span(self, path: Path, start: int, end: int) -> Span:
        tree, written = self._where(path)
        return tree.text_span(written, start, end)


def without_nulls(value: Any, kept: frozenset[str], free: frozenset[str] = frozenset()) -> Any:
    """A value without the members of its objects that are null; the same value if there are none.

    Arrow and Hugging Face give every row the keys of all others, with null for those that it does not have. `kept` are
    keys under which null means something, as long as no other member of their object is null; what is under the keys
    `free` is anybody's data.
    """
    if type(value) is dict:
        nulls = 0
        changed: dict[str, Any] = {}
        for key, member in value.items():
            if member is None:
                nulls += key not in kept
            elif (type(member) is dict or type(member) is list) and key not in free:
                present = without_nulls(member, kept, free)
                if present is not member:
                    changed[key] = present
        if not nulls and not changed:
            return value
        return {key: changed.get(key, member) for key, member in value.items() if member is not None or not nulls}
    if type(value) is list:
        copy: list[Any] | None = None
        for index, item in enumerate(value):
            if type(item) is dict or type(item) is list:
                present = without_nulls(item, kept, free)
                if present is not item:
                    copy = list(value) if copy is None else copy
                    copy[index] = present
        return value if copy is None else copy
    return value
