"""What may be printed: text from linted files must neither steer a terminal nor hide from the reader."""

from __future__ import annotations

from unicodedata import category, combining, east_asian_width

_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_JOINERS = "\u200c\u200d"
_TAB = "    "


def visible(text: str) -> str:
    """The text with control, format and line-separating characters and lone surrogates written as escapes.

    Format characters include those that reverse the direction of text or have no width. The two joiners stay: emoji
    and several scripts need them.
    """
    if text.isprintable():
        return text
    return "".join(map(_escape, text))


def _escape(char: str) -> str:
    if char.isprintable() or char in _JOINERS or category(char) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}:
        return char
    if char in _NAMED:
        return _NAMED[char]
    code = ord(char)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def cell(char: str) -> tuple[str, int]:
    """How one character of a source line is shown, and how many columns of a terminal that takes."""
    if " " <= char <= "~":
        return char, 1
    if char == "\t":
        return _TAB, len(_TAB)
    shown = _escape(char)
    if shown is not char:
        return shown, len(shown)
    if char in _JOINERS or combining(char) or category(char) in {"Mn", "Me"}:
        return char, 0
    return char, 2 if east_asian_width(char) in "WF" else 1
