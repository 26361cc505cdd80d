"""TOML: tomli validates and gives the values, an index of our own finds the places when they are asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, time
from typing import Any, NamedTuple

import tomli

from toolsurface_lint.source.text import MAX_DEPTH, NotSyntax, Problem, SourceText, Span, TooDeep
from toolsurface_lint.source.tree import Documents, Spans, Tree, depth_exceeds

_MAX_INLINE = 400
"""The nesting of arrays and inline tables that tomli reads; some of its versions crash on much more."""


def read_toml(source: SourceText) -> Documents:
    """The document of a TOML text; an empty text is an empty table.

    Dates and times are strings, as they are written. The span of a table runs from the place that first names it, its
    header or its first dotted key, to the end of the last value inside; its key is the last part of its header. The
    problems are of the kinds `syntax` (a repeated key too: no host reads such a file) and `unreadable` (nesting).
    """
    text = source.text
    try:
        value = _value(text)
    except _Redefined as error:
        first = Span(error.first.key_start, error.first.key_end)
        return Documents([], [Problem("syntax", error.message, error.span, first, "first defined here")])
    except NotSyntax as error:
        kind = "unreadable" if isinstance(error, TooDeep) else "syntax"
        return Documents([], [Problem(kind, error.message, error.span)])

    # The file may have changed when these are called: what is there then is read as far as it can be.
    def locate() -> Spans:
        try:
            return _Index(source.text).read()
        except NotSyntax:
            return Spans(0, 0)

    def load() -> Any:
        try:
            return _value(source.text)
        except NotSyntax:
            return None

    return Documents([Tree(source, value, locate, unescape, load, escape)], [])


_DATE_OR_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{2}:[0-9]{2}")


def _value(text: str) -> dict[str, Any]:
    """The value of a TOML text. Raises `NotSyntax` at the place where it is none."""
    brackets = text.count("[") + text.count("{")
    if brackets > _MAX_INLINE and (error := _too_deep(text)):
        raise error
    try:
        value = tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        raise _not_syntax(text, error) from None
    except RecursionError:
        raise _too_deep(text) or TooDeep("nested too deeply", Span(0, 0)) from None
    except ValueError:
        raise NotSyntax("an integer too long for TOML", _long_integer(text)) from None
    # Each level but the outermost takes a dot or a bracket.
    if brackets + text.count(".") >= MAX_DEPTH and depth_exceeds(value, MAX_DEPTH):
        raise _too_deep(text) or TooDeep("nested too deeply", Span(0, 0))
    if _DATE_OR_TIME.search(text):
        _write_dates(text, value)
    return value


def _too_deep(text: str) -> TooDeep | None:
    """Where the text nests too deeply; whatever else may be wrong with it, tomli says."""
    try:
        _Index(text).read()
    except TooDeep as error:
        return error
    except NotSyntax:
        pass
    return None


def _write_dates(text: str, value: Any) -> None:
    """Replace the dates and times in a value by their text."""
    containers: list[tuple[Any, Spans]] = [(value, _Index(text).read())]
    while containers:
        container, spans = containers.pop()
        items: Any = spans.items
        for key, member in container.items() if isinstance(container, dict) else enumerate(container):
            place = items[key]
            if isinstance(member, date | time):
                container[key] = text[place.start : place.end]
            elif isinstance(member, dict | list):
                containers.append((member, place))


_INTEGER = re.compile("[-+]?[0-9_]+")


def _long_integer(text: str) -> Span:
    """The place of the first integer that Python refuses to convert."""
    places = [_Index(text).read()]
    found = []
    while places:
        spans = places.pop()
        if spans.items is not None:
            places.extend(spans.items.values() if isinstance(spans.items, dict) else spans.items)
        elif spans.end - spans.start > 1000 and _INTEGER.fullmatch(text, spans.start, spans.end):
            found.append(Span(spans.start, spans.end))
    return min(found, default=Span(0, 0))


class _Redefined(NotSyntax):
    """A key or a table that is given a second time; `first` is where it was given before."""

    def __init__(self, part: _Part, first: Spans) -> None:
        super().__init__(f"`{part.name}` is already defined", Span(part.start, part.end))
        self.first = first


_ELSEWHERE = (
    "Unterminated string",
    "Expected \"'",
    "Illegal character '\\n'",
    "Found invalid character '\\n'",
    "Cannot ",
    "Duplicate ",
)
"""The complaints that tomli has behind the place of the fault, which the index finds."""

_QUOTED = re.compile(r"""(["'])(.*?)\1""")


def _not_syntax(text: str, error: tomli.TOMLDecodeError) -> NotSyntax:
    """tomli's complaint in our words, at the offset in the text as it is."""
    at = _raw_offset(text, error.pos)
    if error.msg.startswith(_ELSEWHERE):
        try:
            _Index(text, at).read()
        except NotSyntax as exact:
            return exact
    if error.msg.startswith(("Invalid value", "Invalid date")) and (word := _BARE.match(text, at)):
        return NotSyntax(f"`{word.group()[:40]}` is no TOML value", Span(*word.span()))
    if error.msg.startswith(("Unescaped", "Invalid hex", "Escaped character")):
        return NotSyntax("not a valid escape in a string", Span(text.rfind("\\", 0, at), at))
    if error.msg.startswith(("Illegal character", "Found invalid character")):
        return NotSyntax(f"U+{ord(text[at]):04X} is not allowed in TOML", Span(at, at + 1))
    if text.startswith("\r", at):
        return NotSyntax("a lone carriage return is no line end in TOML", Span(at, at + 1))
    message = _QUOTED.sub(r"`\2`", error.msg)
    return NotSyntax(message[:1].lower() + message[1:], Span(at, min(at + 1, len(text))))


def _raw_offset(text: str, position: int) -> int:
    """The offset in a text of an offset in the same text with every CRLF made one character."""
    for count, match in enumerate(re.finditer("\r\n", text)):
        if match.start() - count >= position:
            return position + count
    return min(position + text.count("\r\n"), len(text))


_BLANKS = re.compile(r"[ \t]*+")
_GAP = re.compile(r"(?:[ \t\r\n]++|#[^\r\n]*+)*+")
_KEY_PART = re.compile(r"""[A-Za-z0-9_-]++|"(?:[^"\\\r\n]++|\\[^\r\n])*+"|'[^'\r\n]*+'""")
_BARE = re.compile(r"[^\s,\[\]{}#\"'=]++")
_SCALAR = re.compile(
    r'"""(?:[^"\\]++|\\.|""?(?!"))*+"""(?:""?)?'
    r"|'''(?:[^']++|''?(?!'))*+'''(?:''?)?"
    r'|"(?!"")(?:[^"\\\r\n]++|\\[^\r\n])*+"'
    r"|'(?!'')[^'\r\n]*+'"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[^\s,\]}#]*+"
    rf"|{_BARE.pattern}",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_CONTROLS = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b"}


class _Part(NamedTuple):
    """One part of a dotted key: its name, and where it stands, quotes included."""

    name: str
    start: int
    end: int


class _Inline:
    """An array or an inline table that is still open.

    In a table, `path` leads from it to the table that the next value goes into, which a dotted key puts inside it, and
    `part` is the name of that value.
    """

    __slots__ = ("part", "path", "spans")

    def __init__(self, spans: Spans) -> None:
        self.spans = spans
        self.path = [spans]
        self.part: _Part | None = None


class _Index:
    """Finds the places of everything in a text that tomli accepts.

    Of other text it raises `NotSyntax` or, if it nests too deeply, `TooDeep`. With `stop`, the offset up to which tomli
    read, the statement that ends there is taken to give something for the second time.
    """

    __slots__ = ("stop", "text")

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
            raise NotSyntax(f"expected `{']' * brackets}` at the end of this header", Span(start, position))
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
                raise _Redefined(name, tables)
            path += [tables, Spans(start, end, {})]
            tables.items.append(path[-1])
        self._extend(path, end)
        return path, end

    def _pair(self, table: list[Spans], start: int) -> int:
        """Read the key and the value at `start` into a table; where the value ends."""
        parts, position = self._key(start)
        if not self.text.startswith("=", position):
            raise NotSyntax("expected `=` after this key", Span(start, position))
        spans = self._value(_end(_BLANKS, self.text, position + 1), len(table) + len(parts) - 1)
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
            raise _Redefined(found, first)

    def _key(self, start: int) -> tuple[list[_Part], int]:
        """The parts of the key at `start`, and the offset of what follows it."""
        text = self.text
        parts: list[_Part] = []
        position = start
        while True:
            match = _KEY_PART.match(text, position)
            if match is None:
                raise NotSyntax("expected a key", Span(position, min(position + 1, len(text))))
            raw = match.group()
            name = _decoded(raw[1:-1]) if raw[0] == '"' else raw[1:-1] if raw[0] == "'" else raw
            parts.append(_Part(name, match.start(), match.end()))
            position = _end(_BLANKS, text, match.end())
            if len(parts) > MAX_DEPTH:
                raise TooDeep(f"nested deeper than {MAX_DEPTH} levels", Span(match.start(), match.end()))
            if not text.startswith(".", position):
                return parts, position
            position = _end(_BLANKS, text, position + 1)

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
            raise _Redefined(part, table)
        if depth + len(path) > MAX_DEPTH:
            raise TooDeep(f"nested deeper than {MAX_DEPTH} levels", Span(part.start, part.end))

    def _put(self, path: list[Spans], part: _Part, spans: Spans) -> None:
        """Make a value the member of the last table of a path."""
        items: Any = path[-1].items
        first = items.setdefault(part.name, spans)
        if first is not spans:
            raise _Redefined(part, first)
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
                self._check_depth(len(stack), depth, position)
                stack.append(_Inline(Spans(position, position, [] if opener == "[" else {})))
                position = _end(_GAP, text, position + 1)
            else:
                match = _SCALAR.match(text, position)
                if match is None:
                    what = "unterminated string" if opener in ('"', "'") and opener else "expected a value"
                    raise NotSyntax(what, Span(position, min(position + 1, len(text))))
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

    def _check_depth(self, inline: int, depth: int, position: int) -> None:
        if inline >= _MAX_INLINE:
            message = f"arrays and inline tables nested deeper than {_MAX_INLINE} levels"
            raise TooDeep(message, Span(position, position + 1))
        if inline + depth >= MAX_DEPTH:
            raise TooDeep(f"nested deeper than {MAX_DEPTH} levels", Span(position, position + 1))

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
            raise NotSyntax(f"expected `,` or `{closer}`", Span(position, min(position + 1, len(text))))
        return position

    def _inline_key(self, table: _Inline, start: int, depth: int) -> int:
        """Read the key at `start` of an inline table; the offset of its value."""
        parts, position = self._key(start)
        if not self.text.startswith("=", position):
            raise NotSyntax("expected `=` after this key", Span(start, position))
        table.path = [table.spans]
        for part in parts[:-1]:
            self._enter(table.path, part, start, depth)
        table.part = parts[-1]
        return _end(_BLANKS, self.text, position + 1)


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    """Where the match of a pattern that matches everywhere ends."""
    match = pattern.match(text, position)
    assert match is not None
    return match.end()


def _decoded(raw: str) -> str:
    """The text of a basic string without its quotes."""

    def replaced(match: re.Match[str]) -> str:
        digits = match[1] or match[2] or match[3]
        if digits is None:
            return _CONTROLS.get(match[4], match[4])
        code = int(digits, 16)
        return chr(code) if code <= 0x10FFFF else match[0]

    return _ESCAPE.sub(replaced, raw) if "\\" in raw else raw


_MULTI_LINE_BASIC = re.compile(rf"(\\[ \t]*\r?\n[ \t\r\n]*)|\r\n|{_ESCAPE.pattern}", re.DOTALL)
_MULTI_LINE_LITERAL = re.compile("(\0)|\r\n")
_BASIC = re.compile(rf"(\0)|{_ESCAPE.pattern}", re.DOTALL)


def unescape(raw: str) -> Sequence[int] | None:
    """For a raw string with its quotes: the offset in it of each decoded character, and of the closing quotes.

    For other values (a date is a string too) the offset of each character and the end.
    """
    if raw.startswith('"""'):
        return _offsets(raw, 3, _MULTI_LINE_BASIC)
    if raw.startswith("'''"):
        return _offsets(raw, 3, _MULTI_LINE_LITERAL)
    if raw.startswith('"'):
        return _offsets(raw, 1, _BASIC)
    if raw.startswith("'"):
        return range(1, len(raw))
    return range(len(raw) + 1)


def _offsets(raw: str, quotes: int, special: re.Pattern[str]) -> Sequence[int]:
    """`special` matches what is not one character for one; its first group, what stands for none at all."""
    start = quotes
    end = len(raw) - quotes
    if quotes == 3:
        # A line break right after the opening quotes does not count.
        start += 2 if raw.startswith("\r\n", 3) else raw.startswith("\n", 3)
    offsets: list[int] = []
    position = start
    for match in special.finditer(raw, start, end):
        offsets.extend(range(position, match.start()))
        if match[1] is None:
            offsets.append(match.start())
        position = match.end()
    offsets.extend(range(position, end + 1))
    return offsets


_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def escape(raw: str, text: str, start: int, end: int) -> str | None:
    """A text as it is written from `start` to `end` of the string or key `raw`; None if it cannot be written there."""
    if not text.isprintable():
        return None
    opener = raw[:1]
    if opener == '"':
        return text.replace("\\", "\\\\").replace('"', '\\"')
    if opener == "'":
        return None if "'" in text else text
    return text if _BARE_KEY.fullmatch(text) else None
