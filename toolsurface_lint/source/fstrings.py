"""Where the text of an f-string is written, and where its fields are: `ast` of Python 3.11 does not say."""

from __future__ import annotations

import ast
import re

from toolsurface_lint.source.text import GAP

_MAX_DEPTH = 20
_OPENING = re.compile(r"([A-Za-z]{0,2})('''|\"\"\"|'|\")")
BETWEEN = re.compile(r"(?:[ \t\f\r\n]|\\\r?\n|\\\r|#[^\r\n]*)*")
"""What may lie between string literals that are one string."""
_ESCAPE = re.compile(
    r"\\(?:(?P<none>\r\n|\n|\r)|[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}\\]*\}|[\\'\"abfnrtv])"
)
_CODE = re.compile(r"[A-Za-z]{0,2}(?:'''|\"\"\"|'|\")|[\[({})\]:#]")
_CLOSERS = frozenset(")]}")


def written_text(node: ast.JoinedStr) -> str:
    """The text of an f-string as far as it is written there: a `GAP` stands for each field."""
    parts = (part.value if isinstance(part, ast.Constant) else GAP for part in node.values)
    return "".join(part for part in parts if isinstance(part, str))


def written_offsets(raw: str) -> list[int] | None:
    """Where each character of the `written_text` of an f-string, and its end, lies in its raw text; None if unknown.

    Literals that follow one another are one string, as in the language.
    """
    offsets: list[int] = []
    position = 0
    while (opening := _OPENING.match(raw, position)) is not None:
        prefix, quote = opening[1].lower(), opening[2]
        end = _read_literal(raw, opening.end(), quote, "r" in prefix, "f" in prefix, offsets)
        if "b" in prefix or end is None:
            return None
        following = BETWEEN.match(raw, end + len(quote))
        assert following is not None
        position = following.end()
        if position >= len(raw):
            return [*offsets, end]
    return None


def _read_literal(
    raw: str, position: int, quote: str, is_raw: bool, has_fields: bool, offsets: list[int]
) -> int | None:
    """Add the offsets of what a literal stands for, of a field that of its brace; the offset of the closing quotes.

    None if there are none.
    """
    while position < len(raw):
        character = raw[position]
        if character == quote[0] and raw.startswith(quote, position):
            return position
        if has_fields and character in "{}":
            offsets.append(position)
            doubled = raw.startswith(character, position + 1)
            end = position + 2 if doubled else None if character == "}" else _field_end(raw, position + 1, 0)
            if end is None:
                return None
            position = end
            continue
        escape = None if is_raw or character != "\\" else _ESCAPE.match(raw, position)
        if escape is None or escape["none"] is None:
            offsets.append(position)
        if escape is not None:
            position = escape.end()
        elif character == "\\" and raw[position + 1 : position + 2] in (quote[0], "\\"):
            # In a raw literal it stays, and the quote behind it ends nothing.
            offsets.append(position + 1)
            position += 2
        else:
            position += 2 if raw.startswith("\r\n", position) else 1
    return None


def _field_end(raw: str, position: int, depth: int) -> int | None:
    """The offset behind the brace that closes a field whose expression begins at an offset; None if nothing does."""
    if depth > _MAX_DEPTH:
        return None
    open_brackets = 0
    while (token := _CODE.search(raw, position)) is not None:
        position = token.end()
        text = token[0]
        if text[-1] in "'\"":
            end = _string_end(raw, token, depth)
            if end is None:
                return None
            position = end
        elif text == "#":
            line_end = raw.find("\n", position)
            if line_end < 0:
                return None
            position = line_end
        elif text == ":" and not open_brackets:
            return _specification_end(raw, position, depth)
        elif text in _CLOSERS:
            if not open_brackets:
                return position if text == "}" else None
            open_brackets -= 1
        elif text in "[({":
            open_brackets += 1
    return None


def _specification_end(raw: str, position: int, depth: int) -> int | None:
    """The offset behind a field's closing brace, from its format specification on, which may hold fields."""
    while position < len(raw):
        if raw[position] == "}":
            return position + 1
        if raw[position] == "{":
            end = _field_end(raw, position + 1, depth + 1)
            if end is None:
                return None
            position = end
        else:
            position += 1
    return None


def _string_end(raw: str, opening: re.Match[str], depth: int) -> int | None:
    """The offset behind a string in a field's expression; since Python 3.12 its quotes may be those around it."""
    prefix = _OPENING.fullmatch(opening[0])
    if prefix is None:
        return None
    quote, is_format = prefix[2], "f" in prefix[1].lower()
    position = opening.end()
    while position < len(raw):
        if raw.startswith(quote, position):
            return position + len(quote)
        if raw[position] == "\\":
            position += 2
        elif is_format and raw[position] == "{" and not raw.startswith("{", position + 1):
            end = _field_end(raw, position + 1, depth + 1)
            if end is None:
                return None
            position = end
        else:
            position += 2 if is_format and raw.startswith("{{", position) else 1
    return None
