"""TOML strings: what they say, where each of their characters stands, and writing into them."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
