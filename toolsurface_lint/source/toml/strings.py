"""TOML strings: what they say, where each of their characters is, and writing into them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from toolsurface_lint.source.tree import character_offsets

_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_CONTROLS = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b"}


def decoded(raw: str) -> str:
    """The text of a basic string without its quotes."""

    def replaced(match: re.Match[str]) -> str:
        digits = match[1] or match[2] or match[3]
        if digits is None:
            return _CONTROLS.get(match[4], match[4])
        code = int(digits, 16)
        return chr(code) if code <= 0x10FFFF else match[0]

    return _ESCAPE.sub(replaced, raw) if "\\" in raw else raw


_MULTI_LINE_BASIC = re.compile(rf"(?P<none>\\[ \t]*\r?\n[ \t\r\n]*)|\r\n|{_ESCAPE.pattern}", re.DOTALL)
_MULTI_LINE_LITERAL = re.compile("\r\n")


def unescape(raw: str) -> Sequence[int]:
    """For a raw string with its quotes: the offset in it of each decoded character, and of the closing quotes.

    For other values (a date is a string too) the offset of each character and the end.
    """
    if raw.startswith(('"""', "'''")):
        # A line break right after the opening quotes does not count.
        start = 5 if raw.startswith("\r\n", 3) else 4 if raw.startswith("\n", 3) else 3
        special = _MULTI_LINE_BASIC if raw[0] == '"' else _MULTI_LINE_LITERAL
        return character_offsets(raw, start, len(raw) - 3, special)
    if raw.startswith('"'):
        return character_offsets(raw, 1, len(raw) - 1, _ESCAPE)
    return range(1, len(raw)) if raw.startswith("'") else range(len(raw) + 1)


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
