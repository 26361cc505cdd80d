"""Where everything in a TOML text is: the tables, the keys and the values."""

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
    """One part of a dotted key: its name, and where it is, quotes included."""

    name: str
    start: int
    end: int


def _redefined(part: _Part, first: Spans) -> NotSyntax:
    """A key or a table is given a second time; `first` is where it was given before."""
    before = Span(first.key_start, first.key_end)
    return NotSyntax("redefined", Span(part.start, part.end), (("syntax/defined", before),), name=part.name)


def _too_deep(start: int, end: int) -> TooDeep:
    return TooDeep("nesting", Span(start, end), most=MAX_DEPTH)


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
        try:
            return self._document()
        except RecursionError:
            # As deep as is followed needs less than half of what Python allows, of which a caller may have used more.
            raise TooDeep("inline_nesting", Span(0, 0), most=MAX_INLINE) from None

    def _document(self) -> Spans:
        text = self.text
        position = _end(_GAP, text, 0)
        root = Spans(position, position, {})
        table = [root]
        while position < len(text):
            if text[position] == "[":
                table, position = self._header(root, position)
            else:
                parts, position = self._key_of_value(position)
                spans = self._value(position, len(table) + len(parts) - 1)
                position = self._put(table, parts, spans)
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
        _extend(path, end)
        return path, end

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
        """The parts of the key at `start`, and the offset of the value after its equals sign."""
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

    def _put(self, table: list[Spans], parts: list[_Part], spans: Spans, depth: int = 0) -> int:
        """Make a value the member of a table, or of one inside that its key leads to; where the value ends.

        The path `table` itself begins inside `depth` tables and arrays.
        """
        self._check(table[-1], parts, spans.end)
        path = table.copy()
        for part in parts[:-1]:
            self._enter(path, part, parts[0].start, depth)
        name = parts[-1]
        items: Any = path[-1].items
        first: Spans = items.setdefault(name.name, spans)
        if first is not spans:
            raise _redefined(name, first)
        spans.key_start, spans.key_end = name.start, name.end
        _extend(path, spans.end)
        return spans.end

    def _value(self, start: int, depth: int, inline: int = 0) -> Spans:
        """The places of the value at `start`, inside `depth` tables and arrays, the last `inline` in one statement."""
        text = self.text
        opener = text[start : start + 1]
        if opener != "[" and opener != "{":
            match = _SCALAR.match(text, start)
            if match is None:
                kind = "string" if opener in ('"', "'") and opener else "value"
                raise NotSyntax(kind, Span(start, min(start + 1, len(text))))
            return Spans(start, match.end())
        if inline >= MAX_INLINE:
            raise TooDeep("inline_nesting", Span(start, start + 1), most=MAX_INLINE)
        if depth >= MAX_DEPTH:
            raise _too_deep(start, start + 1)
        closer = "]" if opener == "[" else "}"
        elements: list[Spans] = []
        spans = Spans(start, start, elements if opener == "[" else {})
        position = _end(_GAP, text, start + 1)
        while not text.startswith(closer, position):
            if opener == "[":
                elements.append(self._value(position, depth + 1, inline + 1))
                position = elements[-1].end
            else:
                parts, position = self._key_of_value(position)
                member = self._value(position, depth + len(parts), inline + 1)
                position = self._put([spans], parts, member, depth)
            position = _end(_GAP, text, position)
            if text.startswith(",", position):
                position = _end(_GAP, text, position + 1)
            elif not text.startswith(closer, position):
                raise NotSyntax("closing", Span(position, min(position + 1, len(text))), closer=closer)
        spans.end = position + 1
        return spans


def _extend(path: list[Spans], end: int) -> None:
    for spans in path:
        spans.end = end


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    """Where the match of a pattern that matches everywhere ends."""
    match = pattern.match(text, position)
    assert match is not None
    return match.end()
