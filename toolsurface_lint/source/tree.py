"""One format-neutral tree: plain values at once, exact places when they are asked for.

A `Tree` is one value of a file (a JSON document, a line of JSON Lines, the front matter of a markdown file) as plain
Python data. A `Node` is a view of one place in it: the value there and the path to it. Where that place lies in the
text is worked out on first demand, once a tree, because most files have no finding and need no positions: reading
plain values is eight times faster and holds a fifth of the memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import NotSyntax, SourceText, Span

Path = tuple[str | int, ...]
"""The way from the root of a tree to a node: keys of objects, indexes of arrays."""


def json_pointer(path: Path) -> str:
    """The JSON pointer of a path (RFC 6901)."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


class Spans:
    """The places of one value: its own, its key's (absent in arrays and at the root), and those of its members.

    `items` is a dict for objects (of a repeated key, the last one, as in the value), a list for arrays, None for scalars.
    A function given in its place is asked for it when it is needed.
    """

    __slots__ = ("_items", "end", "key_end", "key_start", "start")

    def __init__(
        self, start: int, end: int, items: Items | Callable[[], Items] = None, key: tuple[int, int] = (-1, -1)
    ) -> None:
        self.start = start
        self.end = end
        self._items = items
        self.key_start, self.key_end = key

    @property
    def items(self) -> Items:
        if callable(self._items):
            self._items = self._items()
        return self._items

    @items.setter
    def items(self, items: Items) -> None:
        self._items = items


Items = dict[str, Spans] | list[Spans] | None


def character_offsets(raw: str, start: int, end: int, special: re.Pattern[str]) -> Sequence[int]:
    """Where each character that a raw string stands for begins between two offsets, and the end.

    `special` matches what is not one character for one: a group `none` what stands for no character, all else one.
    """
    offsets: list[int] = []
    position = start
    for match in special.finditer(raw, start, end):
        offsets.extend(range(position, match.start() + (match.lastgroup != "none")))
        position = match.end()
    offsets.extend(range(position, end + 1))
    return offsets


def repeated_key(name: str, first: Spans, again: Spans, removable: Span | None) -> Problem[Span]:
    """The problem of a key that comes `again`; `removable` is the text of the first member if it may go."""
    return Problem(
        "duplicate_key",
        Span(again.key_start, again.key_end),
        {"name": name},
        related=(("first", Span(first.key_start, first.key_end)),),
        edits=() if removable is None else ((removable, ""),),
    )


class Tree:
    """One value of a source text; its subclasses know how the text is written. By itself, data without a text."""

    __slots__ = ("_spans", "_value", "source")

    def __init__(self, source: SourceText | None, value: Any) -> None:
        self.source = source
        self._value = value
        self._spans: Spans | None = None

    @property
    def origin(self) -> str:
        """The file that it comes from, as displayed; empty for data of a caller."""
        return "" if self.source is None else self.source.path

    @property
    def root(self) -> Node:
        return Node(self, (), self.value)

    @property
    def value(self) -> Any:
        return self._value

    @property
    def spans(self) -> Spans:
        if self._spans is None:
            try:
                self._spans = self._locate()
            except NotSyntax:
                self._spans = Spans(0, 0)
        return self._spans

    def _locate(self) -> Spans:
        """The places of the value, in offsets of the source's text. Raises `NotSyntax` for a text that has changed."""
        raise NotImplementedError

    def release(self) -> None:
        """Drop what can be read again on demand."""

    def at(self, path: Path) -> Node:
        """The node at a path; the closest ancestor there is if the path leads nowhere."""
        node = self.root
        for step in path:
            child = node.get(step)
            if child is None:
                break
            node = child
        return node

    def spans_at(self, path: Path) -> tuple[Spans, bool]:
        """The spans at a path, or those of the closest ancestor, and whether the whole path was found."""
        spans = self.spans
        for step in path:
            items = spans.items
            member: Spans | None = None
            if isinstance(items, dict) and isinstance(step, str):
                member = items.get(step)
            elif isinstance(items, list) and isinstance(step, int) and step < len(items):
                member = items[step]
            if member is None:
                return spans, False
            spans = member
        return spans, True

    def text_span(self, path: Path, start: int, end: int) -> Span:
        """The raw span of a range of the decoded text of the string at `path`."""
        spans, found = self.spans_at(path)
        if not found or self.source is None:
            return Span(spans.start, spans.end)
        offsets = self._written(path, spans, self.source.text)[1]
        if not offsets:
            return Span(spans.start, spans.end)
        last = len(offsets) - 1
        return Span(spans.start + offsets[min(start, last)], spans.start + offsets[min(end, last)])

    def full_path(self, path: Path) -> Path:
        """The way to a node from the root of the outermost tree: through the strings that hold this one as text."""
        return path

    def parts(self, path: Path) -> list[Place]:
        """The places of the strings that the text at `path` is made of: that text itself, unless it is put together."""
        return [Place(self, path)]

    def text_place(self, path: Path, start: int, end: int) -> Place:
        """The place of a range of the decoded text of the string at `path`: of what is put together, that in its part."""
        return Place(self, path, "text", start, end)

    def raw(self, path: Path) -> str:
        """The text of the file from the start to the end of the value at `path`, or of its closest ancestor."""
        spans, _ = self.spans_at(path)
        return "" if self.source is None else self._written(path, spans, self.source.text)[0]

    @lru_cache(maxsize=4)  # noqa: B019 - few are kept: offsets take eight times the room of the text
    def _written(self, path: Path, spans: Spans, text: str) -> tuple[str, Sequence[int] | None]:
        """The raw text of the value at `path`, and the offsets in it.

        Findings, their fixes and the directives around them ask for one string at a time.
        """
        raw = text[spans.start : spans.end]
        return raw, self._offsets(path, raw)

    def _offsets(self, path: Path, raw: str) -> Sequence[int] | None:
        """Where each character of the string at `path`, and its end, lies in its raw text; None if unknown."""
        return None

    def escape(self, raw: str, text: str, start: int, end: int) -> str | None:
        """A text as it must be written from offset `start` to `end` of the string or key whose raw text is `raw`.

        `raw` has its quotes, and the offsets count from their beginning. None if the text cannot be written there, or
        nobody knows how.
        """
        return None


RELEASED = object()


class FileTree(Tree):
    """A value that is read again from its file after it was released.

    The file may have changed since: what is there then is read as far as it can be.
    """

    __slots__ = ()

    source: SourceText

    @property
    def value(self) -> Any:
        if self._value is RELEASED:
            try:
                self._value = self._load()
            except NotSyntax:
                self._value = None
        return self._value

    def _load(self) -> Any:
        """The value, from the text as it is now. Raises `NotSyntax`."""
        raise NotImplementedError

    def release(self) -> None:
        self._value = RELEASED
        self._spans = None


class TextTree(FileTree):
    """A source's text as it is, or a slice of it, as one string value: what a prompt file is."""

    __slots__ = ("_end", "_start")

    def __init__(self, source: SourceText, start: int = 0, end: int | None = None) -> None:
        super().__init__(source, RELEASED)
        self._start = start
        self._end = end

    def _load(self) -> str:
        return self.source.text[self._start : self._end]

    def _locate(self) -> Spans:
        return Spans(self._start, len(self.source.text) if self._end is None else self._end)

    def text_span(self, path: Path, start: int, end: int) -> Span:
        return Span(self._start + start, self._start + end)

    def escape(self, raw: str, text: str, start: int, end: int) -> str | None:
        return text


class Documents(NamedTuple):
    """The values of one text, in order, and what was wrong with it.

    `begun` is what there is of the value in which the text stopped being readable: never a value to check, but enough to
    see what the file was going to be. None if there is nothing of it.
    """

    trees: list[Tree]
    problems: list[Problem[Span]]
    begun: Any = None


def link_open(containers: Sequence[tuple[Any, str]]) -> Any:
    """The value that is made of the containers that were open where a text broke off, from the outermost one inwards.

    Each comes with the key under which it belongs into the one around it. None without any.
    """
    for (outer, _), (inner, name) in pairwise(containers):
        if type(outer) is list:
            outer.append(inner)
        else:
            outer.setdefault(name, inner)
    return containers[0][0] if containers else None


class Node(NamedTuple):
    """One value of a tree and the path to it.

    `value` is plain data: dict, list, str, int, float, bool, None; for data handed in by a caller, anything.
    """

    tree: Tree
    path: Path
    value: Any

    def get(self, key: str | int) -> Node | None:
        """The member under a key of an object or an index of an array, or None."""
        value = self.value
        if isinstance(value, dict):
            if key in value:
                return Node(self.tree, (*self.path, key), value[key])
        elif isinstance(value, list | tuple) and isinstance(key, int) and 0 <= key < len(value):
            return Node(self.tree, (*self.path, key), value[key])
        return None

    def find(self, *path: str | int) -> Node | None:
        """The node that a path of keys and indexes leads to, or None."""
        node: Node | None = self
        for step in path:
            if node is None:
                return None
            node = node.get(step)
        return node

    def members(self, *path: str | int) -> Iterator[tuple[str, Node]]:
        """The keys and nodes of the object at a path, in order; nothing for any other value."""
        node = self.find(*path)
        if node is not None and isinstance(node.value, dict):
            for key, value in node.value.items():
                yield key, Node(self.tree, (*node.path, key), value)

    def elements(self, *path: str | int) -> Iterator[Node]:
        """The nodes of the array at a path, in order; nothing for any other value."""
        node = self.find(*path)
        if node is not None and isinstance(node.value, list | tuple):
            for index, value in enumerate(node.value):
                yield Node(self.tree, (*node.path, index), value)

    def string(self, key: str | int) -> Node | None:
        """The member under `key` if it is a string."""
        node = self.get(key)
        return node if node is not None and isinstance(node.value, str) else None

    @property
    def key(self) -> str | int | None:
        return self.path[-1] if self.path else None

    @property
    def place(self) -> Place:
        """The place of the value."""
        return Place(self.tree, self.path)

    @property
    def key_place(self) -> Place:
        """The place of the key of this node; of the value itself in arrays and at the root."""
        return Place(self.tree, self.path, "key")

    def text_place(self, start: int, end: int) -> Place:
        """The place of a range of the decoded text of a string value."""
        return self.tree.text_place(self.path, start, end)


class Place(NamedTuple):
    """Something that a diagnostic can point at; resolved to a span only when it is reported.

    `aspect`: `value` (quotes included), `key` (quotes included), `name` (a string value or a key without its quotes), or
    `text` (the range `start` to `end` of the decoded text of a string value).
    """

    tree: Tree
    path: Path
    aspect: str = "value"
    start: int = 0
    end: int = 0

    @property
    def source(self) -> SourceText | None:
        return self.tree.source

    @property
    def pointer(self) -> str:
        """The JSON pointer that leads there from the value of the file, through strings that hold JSON as text."""
        return json_pointer(self.tree.full_path(self.path))

    def span(self) -> Span | None:
        """Where it lies in the text, in code points; None for plain data. A path that is gone gives its closest ancestor."""
        source = self.tree.source
        if source is None:
            return None
        if self.aspect == "text":
            return self.tree.text_span(self.path, self.start, self.end)
        spans, found = self.tree.spans_at(self.path)
        if self.aspect == "key" and found and spans.key_start >= 0:
            return Span(spans.key_start, spans.key_end)
        return Span(spans.start, spans.end)

    def rewritten(self, text: str) -> tuple[Span, str] | None:
        """What to replace in the source, and by what, so that this place reads `text`; quotes stay as they are.

        For strings and keys. What is written in escapes is replaced with them. None where the text there comes from
        elsewhere, or is not written one character after the other, and where `text` cannot be written.
        """
        span = self.span()
        source = self.tree.source
        old = self.reads()
        if span is None or source is None or old is None:
            return None
        if self.aspect == "key":
            whole = span
            if source.text[span.start : span.start + 1] in ('"', "'"):
                span = Span(span.start + 1, span.end - 1)
        else:
            spans, _ = self.tree.spans_at(self.path)
            whole = Span(spans.start, spans.end)
            if self.aspect != "text":
                span = self.tree.text_span(self.path, 0, len(old))
        # Many places of one text may each span all of it.
        is_written = span.end - span.start == len(old) and source.text.startswith(old, span.start)
        raw = self.tree.raw(self.path) if self.aspect != "key" else source.text[whole.start : whole.end]
        if not is_written and not (
            _QUOTED.fullmatch(raw) if self.aspect == "key" else self.part(0, len(old))._is_spelled(source.text, old)
        ):
            return None
        written = self.tree.escape(raw, text, span.start - whole.start, span.end - whole.start)
        return None if written is None else (span, written)

    def _is_spelled(self, source: str, old: str) -> bool:
        """Whether each character of a range of a text is written as itself or as one escape, with nothing between them."""
        position = -1
        for index, character in enumerate(old, self.start):
            start, end = self.tree.text_span(self.path, index, index + 1)
            # Many places of one text may each span all of it, which nobody should copy for each character.
            if end - start > _LONGEST_ESCAPE:
                return False
            written = source[start:end]
            if position not in (-1, start) or not (written == character or _ESCAPE.fullmatch(written)):
                return False
            position = end
        return position >= 0

    def part(self, start: int, end: int) -> Place:
        """The place of a range of the text that this place reads; for a key, the whole of it."""
        if self.aspect == "key":
            return self
        first = self.start if self.aspect == "text" else 0
        return self.tree.text_place(self.path, first + start, first + end)

    def reads(self) -> str | None:
        """The text that this place stands for: a string, a part of one, or a key; None for anything else."""
        if self.aspect == "key":
            return str(self.path[-1]) if self.path else None
        node = self.tree.at(self.path)
        if node.path != self.path or not isinstance(node.value, str):
            return None
        return node.value[self.start : self.end] if self.aspect == "text" else node.value


# One character as JSON, YAML, TOML and Python write it; JSON has two escapes for one beyond the first plane.
_ESCAPE = re.compile(
    r"''|\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}"
    r"|N\{[^{}]*\}|[0-7]{1,3}|[^\r\n])"
)
_LONGEST_ESCAPE = 100
"""Characters: no name of a character in `\\N{...}` is as long."""
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.|'')*+'", re.DOTALL)
"""A key in one pair of quotes: whatever is in it can take the place of all that is."""


def depth_exceeds(value: Any, limit: int) -> bool:
    """Whether plain data nests more than `limit` objects and arrays; level by level, as recursion has a limit too."""
    level = [value] if type(value) is dict or type(value) is list else []
    for _ in range(limit):
        level = [
            child
            for parent in level
            for child in (parent.values() if type(parent) is dict else parent)
            if type(child) is dict or type(child) is list
        ]
        if not level:
            return False
    return bool(level)


_SCALARS = frozenset((str, int, float, bool, type(None)))


def plain(value: Any) -> Node:
    """The root node of data that comes from no text: its places have no span.

    The data is a caller's, so it is copied into what a file could have held: any mapping becomes a dict whose keys are
    texts, a tuple a list. Whatever else it holds is left as it is; data may hold itself.
    """
    whole: list[Any] = [value]
    # What is copied is kept together with its copy: an object that is gone could lend its identity to another one.
    copies: dict[int, tuple[Any, dict[str, Any] | list[Any]]] = {}
    waiting: list[tuple[Any, Any]] = [(whole, 0)]
    while waiting:
        holder, place = waiting.pop()
        found = holder[place]
        if id(found) in copies:
            holder[place] = copies[id(found)][1]
        elif isinstance(found, dict | Mapping):
            members = {text: found[key] for key in found if (text := _key_text(key)) is not None}
            holder[place] = members
            copies[id(found)] = (found, members)
            waiting.extend((members, key) for key, member in members.items() if type(member) not in _SCALARS)
        elif isinstance(found, list | tuple):
            items = holder[place] = list(found)
            copies[id(found)] = (found, items)
            waiting.extend((items, index) for index, item in enumerate(items) if type(item) not in _SCALARS)
    return Tree(None, whole[0]).root


def _key_text(key: object) -> str | None:
    """A key as JSON would write it, None if it could not."""
    if isinstance(key, str):
        return key
    if key is None or isinstance(key, bool):
        return {None: "null", True: "true", False: "false"}[key]
    return str(key) if isinstance(key, int | float) else None
