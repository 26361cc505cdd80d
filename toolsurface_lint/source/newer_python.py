"""Python that is newer than the interpreter, written so that it parses: each place keeps its line and its column in bytes.

What is replaced says nothing about tools: expressions inside of f-strings (3.12 lets them hold quotes and backslashes), type
parameters, and the keyword of a type alias.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"#[^\n]*"
    r"|(?<!\w)(?P<prefix>[A-Za-z]{0,2})(?P<quote>'''|\"\"\"|'|\")"
    r"|(?<![\w.])(?:def|class)[ \t]+\w+[ \t]*(?P<types>\[)"
    r"|^[ \t]*type(?P<alias>[ \t])[ \t]*\w+[ \t]*(?P<alias_types>\[|=)",
    re.MULTILINE,
)
_TEXT = re.compile(r"[^\\'\"{}\n]+")
_DEPTH = 20
"""F-strings within f-strings that are followed."""


class _Unclosed(Exception):
    """The text is not Python of any version."""


def as_older(text: str) -> str | None:
    """The text without what only newer interpreters parse; None if nothing of the kind is in it."""
    parts: list[str] = []
    done = position = 0
    try:
        while token := _TOKEN.search(text, position):
            position = token.end()
            ranges: list[tuple[int, int]] = []
            if token["quote"]:
                position = _string(text, token, ranges, 0)
            elif token["types"] or token["alias_types"] == "[":
                end = _bracket(text, position)
                position = end
                ranges.append((token.end() - 1, end))
            if token["alias"]:
                ranges.insert(0, token.span("alias"))
            for start, end in ranges:
                size = len(text[start:end].encode("utf-8", "surrogatepass"))
                blank = " " if token["types"] or text[start] == "[" else "_"
                parts += (text[done:start], blank * size)
                done = end
    except _Unclosed:
        return None
    return "".join([*parts, text[done:]]) if parts else None


def _string(text: str, token: re.Match[str], fields: list[tuple[int, int]], depth: int) -> int:
    """Where a literal ends; the expressions of an f-string that stand on one line are added to `fields`."""
    prefix, quote = token["prefix"].lower(), token["quote"]
    formatted = "f" in prefix
    position = token.end()
    while position < len(text):
        if text.startswith(quote, position):
            return position + len(quote)
        character = text[position]
        if character == "\n" and len(quote) == 1:
            raise _Unclosed
        if character == "\\":
            position += 2
        elif formatted and character in "{}":
            if character == "{" and not text.startswith("{{", position):
                end = _field(text, position + 1, depth)
                if "\n" not in text[position:end]:
                    fields.append((position + 1, end))
                position = end + 1
            else:
                position += 2 if text.startswith(character * 2, position) else 1
        else:
            plain = _TEXT.match(text, position)
            position = plain.end() if plain else position + 1
    raise _Unclosed


def _field(text: str, position: int, depth: int) -> int:
    """Where the expression that begins here is closed by a brace."""
    if depth > _DEPTH:
        raise _Unclosed
    open_braces = 0
    while position < len(text):
        character = text[position]
        if character in "'\"":
            start = position
            while start > 0 and text[start - 1].isalpha() and position - start < 2:
                start -= 1
            token = _TOKEN.match(text, start) or _TOKEN.match(text, position)
            if token is None or not token["quote"]:
                raise _Unclosed
            position = _string(text, token, [], depth + 1)
            continue
        if character == "{":
            open_braces += 1
        elif character == "}":
            if not open_braces:
                return position
            open_braces -= 1
        position += 1
    raise _Unclosed


def _bracket(text: str, position: int) -> int:
    """Where a bracket that is open is closed, on the same line."""
    depth = 1
    while depth and position < len(text) and text[position] != "\n":
        depth += (text[position] == "[") - (text[position] == "]")
        position += 1
    if depth:
        raise _Unclosed
    return position
