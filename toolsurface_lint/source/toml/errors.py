"""The errors of tomli in our words, at their places in the text as it is."""

from __future__ import annotations

import re

import tomli

from toolsurface_lint.source.text import NotSyntax, Span
from toolsurface_lint.source.toml.index import BARE, Index

_ELSEWHERE = (
    "Unterminated string",
    "Expected \"'",
    "Illegal character '\\n'",
    "Found invalid character '\\n'",
    "Cannot ",
    "Duplicate ",
)
"""The complaints for which tomli points past the fault; the index finds its place."""

_CONFLICT = re.compile(r"(?:<{7}|={7}|>{7}|\|{7})(?=[ \r\n]|\Z)")
"""What git writes around both sides of what it could not merge."""
_QUOTED = re.compile(r"""(["'])(.*?)\1""")


def not_syntax(text: str, error: tomli.TOMLDecodeError) -> NotSyntax:
    """The complaint that tomli has about a text."""
    at = _raw_offset(text, error.pos)
    if (marker := _CONFLICT.match(text, text.rfind("\n", 0, at) + 1)) is not None:
        return NotSyntax("conflict", Span(*marker.span()))
    if error.msg.startswith(_ELSEWHERE):
        try:
            Index(text, at).read()
        except NotSyntax as exact:
            return exact
    if error.msg.startswith(("Invalid value", "Invalid date")) and (word := BARE.match(text, at)):
        return NotSyntax("toml_value", Span(*word.span()), word=word.group()[:40])
    if error.msg.startswith(("Unescaped", "Invalid hex", "Escaped character")):
        return NotSyntax("escape", Span(text.rfind("\\", 0, at), at))
    if error.msg.startswith(("Illegal character", "Found invalid character")):
        return NotSyntax("character", Span(at, at + 1), character=f"{ord(text[at]):04X}", language="TOML")
    if text.startswith("\r", at):
        return NotSyntax("carriage_return", Span(at, at + 1))
    message = _QUOTED.sub(r"`\2`", error.msg)
    return NotSyntax("other", Span(at, min(at + 1, len(text))), reason=message[:1].lower() + message[1:])


def _raw_offset(text: str, position: int) -> int:
    """The offset in a text of an offset in the same text with every CRLF made one character."""
    for count, match in enumerate(re.finditer("\r\n", text)):
        if match.start() - count >= position:
            return position + count
    return min(position + text.count("\r\n"), len(text))
