"""Where something is written in a TOML text, or may be, however unfinished the text is: for whoever is just writing it."""

from __future__ import annotations

import re
from typing import NamedTuple

from toolsurface_lint.source.text import Span
from toolsurface_lint.source.toml.index import BARE
from toolsurface_lint.source.toml.strings import decoded
from toolsurface_lint.source.tree import Path

KEY, HEADER, VALUE = "key", "header", "value"

_DEEPEST = 50
"""Parts of a key, or arrays and tables in one another; nothing deeper is looked at."""

_BLANKS = re.compile(r"[ \t]*+")
_BLANK_LINES = re.compile(r"[ \t\r\n]*+")
_COMMENT = re.compile(r"#[^\r\n]*+")
_LINE_END = re.compile(r"\r?\n")
_REST = re.compile(r"[^\r\n]*+")
_KEY = re.compile(r"""[A-Za-z0-9_-]++|"(?:[^"\\\r\n]++|\\[^\r\n])*+"?|'[^'\r\n]*+'?""")
_STRING = re.compile(
    r'"""(?:[^"\\]++|\\.|""?(?!"))*+(?:"""|\Z)'
    r"|'''(?:[^']++|''?(?!'))*+(?:'''|\Z)"
    r'|"(?:[^"\\\r\n]++|\\[^\r\n])*+"?'
    r"|'[^'\r\n]*+'?",
    re.DOTALL,
)
_HEADER_LINE = re.compile(r"\[\[?[ \t]*+[A-Za-z_-][A-Za-z0-9_.-]*+[ \t]*+\]\]?[ \t]*+(?:#[^\r\n]*+)?(?=[\r\n]|\Z)")
_STATEMENT_LINE = re.compile(r"[A-Za-z0-9_-]++[ \t]*+(?:\.[ \t]*+[A-Za-z0-9_-]++[ \t]*+)*+=")


class Slot(NamedTuple):
    """One place. What is written there is `text`, at `span` without its quotes and at `whole` with them; mostly nothing.

    `role` is KEY, HEADER (a part of one) or VALUE. `path` is that of the value, or of the table that the key is in; of
    arrays of tables, it has the numbers. `whole` of a part of a header is the header. `quote` is what opens the string,
    `is_inline` says that the key is in an inline table, `has_value` that an equals sign follows it.
    """

    role: str
    path: Path
    text: str
    span: Span
    whole: Span
    quote: str = ""
    is_inline: bool = False
    has_value: bool = False


def slots(text: str) -> list[Slot]:
    """All slots of a text, in its order."""
    return _Scanner(text).read()


def slot_at(found: list[Slot], offset: int) -> Slot | None:
    """The slot at an offset: one that has a text before one that has none."""
    at = [slot for slot in found if slot.span.start <= offset <= slot.span.end]
    return next((slot for slot in at if slot.text or slot.quote), at[0] if at else None)


class _Frame:
    """An array or an inline table that is not closed yet."""

    def __init__(self, closer: str, path: Path) -> None:
        self.closer = closer
        self.path = path
        self.index = 0
        self.is_open = True
        """Whether an item may be written now: after the opener, and after a comma."""


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._table: Path = ()
        self._tables: dict[Path, int] = {}
        """How many tables each array of tables has."""
        self._found: list[Slot] = []
        self._ended_early = False
        """Whether the last statement ended where another one begins, and not with its line."""

    def read(self) -> list[Slot]:
        end = len(self._text)
        while self._position < end:
            self._gap(KEY, self._table)
            if self._char == "[":
                self._header()
            else:
                path = self._key(self._table, inline=False)
                if path is not None and self._char == "=":
                    self._position += 1
                    self._value(path)
            if not self._ended_early:
                self._skip(_REST)
                self._skip(_LINE_END)
            self._ended_early = False
        if not self._text or self._text.endswith("\n"):
            self._empty(KEY, self._table, end, end)
        return self._found

    @property
    def _char(self) -> str:
        return self._text[self._position : self._position + 1]

    def _skip(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self._text, self._position)
        if match is None:
            return ""
        self._position = match.end()
        return match[0]

    def _empty(self, role: str, path: Path, start: int, end: int, *, inline: bool = False) -> None:
        self._found.append(Slot(role, path, "", Span(start, end), Span(start, end), is_inline=inline))

    def _gap(self, role: str, path: Path, *, inline: bool = False, is_open: bool = True) -> bool:
        """Pass blanks, line ends and comments; whether there was a line end.

        `is_open`: something may be written between them, which is so nowhere behind a comment in its line.
        """
        first = self._position
        passed = self._skip(_BLANK_LINES)
        if is_open and (passed or inline):
            self._empty(role, path, first, self._position, inline=inline)
        while self._skip(_COMMENT):
            is_next_line = bool(self._skip(_LINE_END))
            start = self._position
            self._skip(_BLANK_LINES)
            if is_open and is_next_line:
                self._empty(role, path, start, self._position, inline=inline)
        return "\n" in self._text[first : self._position]

    def _key(self, table: Path, *, inline: bool) -> Path | None:
        """Pass a key, perhaps with dots; its path, None if there is no key, or one with too many parts."""
        first = len(self._found)
        path = table
        while len(path) - len(table) < _DEEPEST:
            start = self._position
            raw = self._skip(_KEY)
            if not raw:
                if len(self._found) == first:
                    return None
                self._empty(KEY, path, start, start, inline=inline)
                break
            self._found.append(self._slot(KEY, path, start, raw)._replace(is_inline=inline))
            path = (*path, self._found[-1].text)
            self._skip(_BLANKS)
            if self._char != ".":
                break
            self._position += 1
            self._skip(_BLANKS)
        else:
            return None
        if self._char == "=":
            self._found[-1] = self._found[-1]._replace(has_value=True)
        return path

    def _slot(self, role: str, path: Path, start: int, raw: str) -> Slot:
        """What is written at a place, with its quotes if it has any."""
        quote = next((one for one in ('"""', "'''", '"', "'") if raw.startswith(one)), "")
        closed = len(raw) >= 2 * len(quote) and raw.endswith(quote)
        inner = raw[len(quote) : len(raw) - len(quote) if closed else None]
        span = Span(start + len(quote), start + len(quote) + len(inner))
        text = decoded(inner) if quote[:1] == '"' else inner
        return Slot(role, path, text, span, Span(start, start + len(raw)), quote)

    def _header(self) -> None:
        start = self._position
        brackets = 2 if self._text.startswith("[[", start) else 1
        self._position += brackets
        self._skip(_BLANKS)
        first = len(self._found)
        names = self._key((), inline=False) or ()
        if len(self._found) == first:
            self._empty(HEADER, (), self._position, self._position)
        end = self._position
        while end < self._position + brackets and self._text.startswith("]", end):
            end += 1
        self._position = end
        path: Path = ()
        for number in range(first, len(self._found)):
            slot = self._found[number]
            path = self._numbered(path)
            self._found[number] = slot._replace(role=HEADER, path=path, whole=Span(start, end))
            path = (*path, slot.text)
        if names and brackets == 2:
            self._tables[path] = self._tables.get(path, 0) + 1
        self._table = self._numbered(path)

    def _numbered(self, path: Path) -> Path:
        """The path of the table that is open at a path: the last one of an array of tables."""
        count = self._tables.get(path)
        return path if count is None else (*path, count - 1)

    def _value(self, path: Path) -> None:
        """Pass the value of a statement, as far as it goes; a line that begins another statement ends it."""
        start = self._position
        self._skip(_BLANKS)
        stack: list[_Frame] = []
        if not self._begin(path, stack):
            self._empty(VALUE, path, start, self._position)
            return
        while stack:
            frame = stack[-1]
            is_array = frame.closer == "]"
            here = (*frame.path, frame.index) if is_array else frame.path
            role = VALUE if is_array else KEY
            crossed = self._gap(role, here, inline=True, is_open=frame.is_open)
            char = self._char
            if not char or (crossed and self._begins_statement(is_array)):
                self._ended_early = True
                return
            if char in "]}":
                self._position += 1
                stack.pop()
            elif char == ",":
                self._position += 1
                frame.index += 1
                frame.is_open = True
            elif is_array:
                frame.is_open = False
                if not self._begin(here, stack):
                    self._position += 1
            else:
                frame.is_open = False
                self._member(frame.path, stack)

    def _member(self, table: Path, stack: list[_Frame]) -> None:
        path = self._key(table, inline=True)
        if path is None or self._char != "=":
            # In the place of a comma: whatever it is, it is passed.
            self._position += path is None
            return
        self._position += 1
        start = self._position
        self._skip(_BLANKS)
        if not self._begin(path, stack):
            self._empty(VALUE, path, start, self._position)

    def _begins_statement(self, is_array: bool) -> bool:
        if _HEADER_LINE.match(self._text, self._position):
            return True
        return is_array and _STATEMENT_LINE.match(self._text, self._position) is not None

    def _begin(self, path: Path, stack: list[_Frame]) -> bool:
        """Pass a scalar, or what opens an array or a table, which is put on the stack; whether any was there."""
        start = self._position
        char = self._char
        if char in ("[", "{") and char:
            self._position += 1
            if len(stack) >= _DEEPEST:
                self._position = len(self._text)
                stack.clear()
            else:
                stack.append(_Frame("]" if char == "[" else "}", path))
            return True
        raw = self._skip(_STRING) or self._skip(BARE)
        if raw:
            self._found.append(self._slot(VALUE, path, start, raw))
        return bool(raw)
