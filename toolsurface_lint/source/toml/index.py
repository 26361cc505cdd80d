"""Where everything in a TOML text stands: the tables, the keys and the values."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from toolsurface_lint.source.text import MAX_DEPTH, MAX_INLINE, NotSyntax, Span, TooDeep
from toolsurface_lint.source.toml.strings import decoded
from toolsurface_lint.source.tree import Spans

_BLANKS = re.compile(r"[ \t]*+")
_GAP = re.compile(r"(?:[ \t\r\n]++|#[^\r\n]*+)*+")
_KEY_PART = re.compile(r"""[A-Za-z0-9_-]++|"(?:[^"\\\r\n]++|\\[^\r\n])*+"|'[^'\r\n]*+'""")
BARE = re.compile(r"[^\s,\[\]{}#\"'=]++")
_SCALAR = re.compile(
    r'"""(?:[^"\\]++|\\.|""?(?!"))*+"""(?:""?)?'
    r"|'''(?:[^']++|''?(?!'))*+'''(?:''?)?"
    r'|"(?!"")(?:[^"\\\r\n]++|\\[^\r\n])*+"'
    r"|'(?!'')[^'\r\n]*+'"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[^\s,\]}#]*+"
    rf"|{BARE.pattern}",
    re.DOTALL,
)


class _Part(NamedTuple):
    """One part of a dotted key: its name, and where it stands, quotes included."""

    name: str
    start: int
    end: int


def _redefined(part: _Part, first: Spans) -> NotSyntax:
    """A key or a table is given a second time; `first` is where it was given before."""
    before = Span(first.key_start, first.key_end)
    return NotSyntax("redefined", Span(part.start, part.end), (("syntax/defined", before),), name=part.name)


def _too_deep(start: int, end: int) -> TooDeep:
    return TooDeep("nesting", Span(start, end), most=MAX_DEPTH)


class _Inline:
    """An array or an inline table that is still open.

    In a table, `path` leads from it to the table that the next value goes into, which a dotted key puts inside it, and
    `part` is the name of that value.
    """

    def __init__(self, spans: Spans) -> None:
        self.spans = spans
        self.path = [spans]
        self.part: _Part | None = None


class Index:
    """Finds the places of everything in a text that tomli accepts.

    Of other text it raises `NotSyntax` or, if it nests too deeply, `TooDeep`. With `stop`, the offset up to which tomli
    read, the statement that ends there is taken to give something for the second time.
    """

    def __init__(self, text: str, stop: int | None = None) -> None:
        self.text = text
        self.stop = len(text) + 1 if stop is None else stop

    def read(self) -> Spans:
        """The places of the whole document."""
        text = self.text
        position = _end(_GAP, text, 0)
        root = Spans(position, position, {})
        table = [root]
        while position < len(text):
            if text[position] == "[":
                table, position = self._header(root, position)
            else:
                position = self._pair(table, position)
            position = _end(_GAP, text, position)
        return root

    def _header(self, root: Spans, start: int) -> tuple[list[Spans], int]:
        """The tables from the root to the one that the header at `start` opens, and where the header ends."""
        brackets = 2 if self.text.startswith("[[", start) else 1
        parts, position = self._key(_end(_BLANKS, self.text, start + brackets))
        self._check(root, parts, position)
        end = position + brackets
        if not self.text.startswith("]" * brackets, position):
            raise NotSyntax("toml_header", Span(start, position), closer="]" * brackets)
        path = [root]
        for part in parts[:-1]:
            self._enter(path, part, start)
        name = parts[-1]
        if brackets == 1:
            self._enter(path, name, start)
            path[-1].key_start, path[-1].key_end = name.start, name.end
        else:
            items: Any = path[-1].items
            tables = items.setdefault(name.name, Spans(start, end, [], (name.start, name.end)))
            if not isinstance(tables.items, list):
                raise _redefined(name, tables)
            path += [tables, Spans(start, end, {})]
            tables.items.append(path[-1])
        self._extend(path, end)
        return path, end

    def _pair(self, table: list[Spans], start: int) -> int:
        """Read the key and the value at `start` into a table; where the value ends."""
        parts, position = self._key_of_value(start)
        spans = self._value(position, len(table) + len(parts) - 1)
        self._check(table[-1], parts, spans.end)
        path = table.copy()
        for part in parts[:-1]:
            self._enter(path, part, start)
        self._put(path, parts[-1], spans)
        return spans.end

    def _check(self, table: Spans, parts: list[_Part], end: int) -> None:
        """Refuse the statement that ends at `stop`: tomli did, because it gives something twice."""
        if end < self.stop:
            return
        found = None
        first = table
        for part in parts:
            items = first.items
            if isinstance(items, list):
                items = items[-1].items if items else None
            if not isinstance(items, dict) or part.name not in items:
                break
            found, first = part, items[part.name]
        if found is not None:
            raise _redefined(found, first)

    def _key(self, start: int) -> tuple[list[_Part], int]:
        """The parts of the key at `start`, and the offset of what follows it."""
        text = self.text
        parts: list[_Part] = []
        position = start
        while True:
            match = _KEY_PART.match(text, position)
            if match is None:
                raise NotSyntax("toml_key", Span(position, min(position + 1, len(text))))
            raw = match.group()
            name = decoded(raw[1:-1]) if raw[0] == '"' else raw[1:-1] if raw[0] == "'" else raw
            parts.append(_Part(name, match.start(), match.end()))
            position = _end(_BLANKS, text, match.end())
            if len(parts) > MAX_DEPTH:
                raise _too_deep(match.start(), match.end())
            if not text.startswith(".", position):
                return parts, position
            position = _end(_BLANKS, text, position + 1)

    def _key_of_value(self, start: int) -> tuple[list[_Part], int]:
        """The parts of the key at `start`, and the offset of the value behind its equals sign."""
        parts, position = self._key(start)
        if not self.text.startswith("=", position):
            raise NotSyntax("toml_equals", Span(start, position))
        return parts, _end(_BLANKS, self.text, position + 1)

    def _enter(self, path: list[Spans], part: _Part, start: int, depth: int = 0) -> None:
        """Lengthen a path by the table of a name, which is made if it is new; of an array of tables, the last one.

        The path itself begins inside `depth` tables and arrays.
        """
        items: Any = path[-1].items
        table = items.get(part.name)
        if table is None:
            table = items[part.name] = Spans(start, part.end, {}, (part.start, part.end))
        path.append(table)
        if isinstance(table.items, list) and table.items:
            path.append(table.items[-1])
        if not isinstance(path[-1].items, dict):
            raise _redefined(part, table)
        if depth + len(path) > MAX_DEPTH:
            raise _too_deep(part.start, part.end)

    def _put(self, path: list[Spans], part: _Part, spans: Spans) -> None:
        """Make a value the member of the last table of a path."""
        items: Any = path[-1].items
        first = items.setdefault(part.name, spans)
        if first is not spans:
            raise _redefined(part, first)
        spans.key_start, spans.key_end = part.start, part.end
        self._extend(path, spans.end)

    def _extend(self, path: list[Spans], end: int) -> None:
        for spans in path:
            spans.end = end

    def _value(self, position: int, depth: int) -> Spans:
        """The places of the value at `position`, which stands inside `depth` tables and arrays."""
        text = self.text
        stack: list[_Inline] = []
        while True:
            opener = text[position : position + 1]
            if opener == "[" or opener == "{":
                if len(stack) >= MAX_INLINE:
                    raise TooDeep("inline_nesting", Span(position, position + 1), most=MAX_INLINE)
                if len(stack) + depth >= MAX_DEPTH:
                    raise _too_deep(position, position + 1)
                stack.append(_Inline(Spans(position, position, [] if opener == "[" else {})))
                position = _end(_GAP, text, position + 1)
            else:
                match = _SCALAR.match(text, position)
                if match is None:
                    kind = "string" if opener in ('"', "'") and opener else "value"
                    raise NotSyntax(kind, Span(position, min(position + 1, len(text))))
                spans = Spans(position, match.end())
                if not stack:
                    return spans
                position = self._add(stack[-1], spans)
            while text.startswith("]" if isinstance(stack[-1].spans.items, list) else "}", position):
                spans = stack.pop().spans
                spans.end = position + 1
                if not stack:
                    return spans
                position = self._add(stack[-1], spans)
            if isinstance(stack[-1].spans.items, dict):
                position = self._inline_key(stack[-1], position, depth + len(stack) - 1)

    def _add(self, container: _Inline, spans: Spans) -> int:
        """Add a complete value to an open array or table; the offset of what follows its comma."""
        text = self.text
        items = container.spans.items
        if isinstance(items, list):
            items.append(spans)
        else:
            assert container.part is not None
            self._put(container.path, container.part, spans)
        position = _end(_GAP, text, spans.end)
        if text.startswith(",", position):
            return _end(_GAP, text, position + 1)
        closer = "]" if isinstance(items, list) else "}"
        if not text.startswith(closer, position):
            raise NotSyntax("closing", Span(position, min(position + 1, len(text))), closer=closer)
        return position

    def _inline_key(self, table: _Inline, start: int, depth: int) -> int:
        """Read the key at `start` of an inline table; the offset of its value."""
        parts, position = self._key_of_value(start)
        table.path = [table.spans]
        for part in parts[:-1]:
            self._enter(table.path, part, start, depth)
        table.part = parts[-1]
        return position


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    """Where the match of a pattern that matches everywhere ends."""
    match = pattern.match(text, position)
    assert match is not None
    return match.end()
