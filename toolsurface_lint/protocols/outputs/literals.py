"""Values as Python and Google's call notation write them, each with its place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from toolsurface_lint.source.text import MAX_DEPTH
from toolsurface_lint.source.tree import Spans

_NUMBER = re.compile(r"[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])")
_WORD = re.compile(r"[A-Za-z_]\w*")
_BLANKS = re.compile(r"\s*")
_STRINGS = {
    '"""': re.compile(r'"""((?:[^"\\]|\\.|"(?!""))*+)"""', re.DOTALL),
    "'''": re.compile(r"'''((?:[^'\\]|\\.|'(?!''))*+)'''", re.DOTALL),
    '"': re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL),
    "'": re.compile(r"'((?:[^'\\]|\\.)*+)'", re.DOTALL),
}
_ESCAPE = re.compile(
    r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U(000[0-9A-Fa-f]{5}|0010[0-9A-Fa-f]{4})|([0-7]{1,3})|(.))", re.DOTALL
)
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "a": "\a", "v": "\v", "\n": ""}
_PYTHON_WORDS = {"True": True, "False": False, "None": None, "true": True, "false": False, "null": None}
_JSON_WORDS = {"true": True, "false": False, "null": None}
_BARE = re.compile(r"[^,{}\[\]<>]+")
_MAX_DIGITS = 4000


class LiteralError(Exception):
    """Text that is not a value: what is wrong, and where. `kind` is `incomplete` where it only stops too early."""

    def __init__(self, kind: str, offset: int) -> None:
        super().__init__(kind)
        self.kind = kind
        self.offset = offset


class Notation(NamedTuple):
    """How values are written. `quote` stands around strings, which have no escapes; empty for strings of Python.

    `bare`: keys are written without quotes, and so may strings be.
    """

    quote: str
    bare: bool
    words: Mapping[str, Any]


PYTHON = Notation("", False, _PYTHON_WORDS)


def quoted_notation(quote: str) -> Notation:
    return Notation(quote, True, _JSON_WORDS)


class LiteralReader:
    """Reads values of `text` before `limit`."""

    def __init__(self, text: str, limit: int, notation: Notation) -> None:
        self.text = text
        self.limit = limit
        self.notation = notation

    def blank(self, position: int) -> int:
        return _BLANKS.match(self.text, position, self.limit).end()  # type: ignore[union-attr]

    def read(self, start: int) -> tuple[Any, Spans]:
        """The value at `start`, and its places. Raises `LiteralError`."""
        # A loop with a stack of open containers: nesting is the input's choice.
        open_: list[tuple[Any, Spans, str]] = []
        key: tuple[str, tuple[int, int]] | None = None
        position = start
        while True:
            position = self.blank(position)
            if open_ and self.text.startswith(open_[-1][2], position, self.limit):
                value, places, position = self._closed(open_, position)
            else:
                value, places, position, closer = self._begin(position, key, open_)
                if closer:
                    if len(open_) >= MAX_DEPTH:
                        raise LiteralError("too_deep", places.start)
                    open_.append((value, places, closer))
                    key, position = self._key(open_, position)
                    continue
            while True:
                if not open_:
                    return value, places
                position = self.blank(position)
                if self.text.startswith(",", position, self.limit):
                    key, position = self._key(open_, position + 1)
                    break
                if not self.text.startswith(open_[-1][2], position, self.limit):
                    raise self._wrong("separator", position)
                value, places, position = self._closed(open_, position)

    def _closed(self, open_: list[tuple[Any, Spans, str]], position: int) -> tuple[Any, Spans, int]:
        value, places, closer = open_.pop()
        places.end = position + len(closer)
        return value, places, places.end

    def _begin(
        self, position: int, key: tuple[str, tuple[int, int]] | None, open_: list[tuple[Any, Spans, str]]
    ) -> tuple[Any, Spans, int, str]:
        """Read a scalar or the opening bracket at `position`, and put it where it belongs."""
        bracket = self.text[position : position + 1] if position < self.limit else ""
        closer = {"[": "]", "{": "}", "(": ")" if not self.notation.bare else ""}.get(bracket, "")
        value: Any
        if closer:
            value, end = ({} if bracket == "{" else []), position + 1
        else:
            value, end = self._scalar(position)
        inner: Any = None if not closer else {} if bracket == "{" else []
        places = Spans(position, end, inner, (-1, -1) if key is None else key[1])
        if open_:
            container, outer, _ = open_[-1]
            if isinstance(container, dict) and isinstance(outer.items, dict) and key is not None:
                container[key[0]], outer.items[key[0]] = value, places
            elif isinstance(outer.items, list):
                container.append(value)
                outer.items.append(places)
        return value, places, end, closer

    def _key(
        self, open_: list[tuple[Any, Spans, str]], position: int
    ) -> tuple[tuple[str, tuple[int, int]] | None, int]:
        """The key at `position` if an object is open, and where its value begins; None where the container ends."""
        if not isinstance(open_[-1][0], dict):
            return None, position
        position = self.blank(position)
        if self.text.startswith("}", position, self.limit):
            return None, position
        return self.key(position)

    def key(self, position: int) -> tuple[tuple[str, tuple[int, int]], int]:
        """The key at `position` with its place, and where its value begins. Raises `LiteralError`."""
        quote = self.notation.quote
        if self.notation.bare and not self.text.startswith(quote, position, self.limit):
            colon = self.text.find(":", position, min(self.limit, position + 512))
            if colon < 0:
                raise self._wrong("key", self.limit if self.limit - position < 512 else position)
            return (self.text[position:colon].strip(), (position, colon)), colon + 1
        name, end = self._scalar(position)
        if not isinstance(name, (str, int, float)):
            raise LiteralError("key", position)
        colon = self.blank(end)
        if not self.text.startswith(":", colon, self.limit):
            raise self._wrong("colon", colon)
        return (str(name), (position, end)), colon + 1

    def _scalar(self, position: int) -> tuple[Any, int]:
        text, quote = self.text, self.notation.quote
        if position >= self.limit:
            raise LiteralError("incomplete", position)
        if quote and text.startswith(quote, position, self.limit):
            begun = position + len(quote)
            end = text.find(quote, begun, self.limit)
            if end < 0:
                raise LiteralError("incomplete", self.limit)
            return text[begun:end], end + len(quote)
        if not quote and text[position] in "'\"":
            return self._string(position)
        number = _NUMBER.match(text, position, self.limit)
        if number is not None:
            return _number(number.group(), position), number.end()
        word = _WORD.match(text, position, self.limit)
        if word is not None and word.group() in self.notation.words:
            return self.notation.words[word.group()], word.end()
        if self.notation.bare:
            return self._bare(position)
        kind = "incomplete" if word is not None and word.end() >= self.limit else "value"
        raise LiteralError(kind, position)

    def _string(self, position: int) -> tuple[str, int]:
        text = self.text
        quote = next(quote for quote in _STRINGS if text.startswith(quote, position, self.limit))
        match = _STRINGS[quote].match(text, position, self.limit)
        if match is None:
            raise LiteralError("incomplete", self.limit)
        body = match[1]
        return (_ESCAPE.sub(_unescaped, body) if "\\" in body else body), match.end()

    def _bare(self, position: int) -> tuple[str, int]:
        """Text without quotes: up to the next comma or closing bracket."""
        match = _BARE.match(self.text, position, self.limit)
        if match is None:
            raise self._wrong("value", position)
        return match.group().strip(), match.end()

    def _wrong(self, kind: str, position: int) -> LiteralError:
        return LiteralError("incomplete" if position >= self.limit else kind, position)


def _number(written: str, at: int) -> int | float:
    digits = written.replace("_", "")
    if len(digits) > _MAX_DIGITS:
        raise LiteralError("value", at)
    try:
        return int(digits)
    except ValueError:
        return float(digits)


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code:
        return chr(int(code, 16))
    if match[4]:
        return chr(int(match[4], 8))
    return _CONTROLS.get(match[5], match[5] if match[5] in "\\'\"" else "\\" + match[5])
