"""Python that is newer than the interpreter, written so that it parses: each place keeps its line and its column in bytes.

What is replaced says nothing about tools: type parameters, the keyword of a type alias, template strings, and the commas of an
`except` without parentheses. Expressions inside of f-strings, which 3.12 lets hold quotes, backslashes and line breaks, keep what
they say wherever other quotes say it, so that a file means the same to every interpreter.
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

_STRING = r"(?:(?<!\w)(?P<prefix>[bBfFrRtTuU]{1,2}))?(?P<quote>'''|\"\"\"|'|\")"
_TOKEN = re.compile(
    rf"#[^\n]*|{_STRING}"
    r"|(?<![\w.])(?:def|class)[ \t]+\w+[ \t]*(?P<types>\[)"
    r"|^[ \t]*(?P<alias>type)(?:[ \t]|\\\r?\n)+\w+(?:[ \t]|\\\r?\n)*(?P<alias_types>\[|=)"
    r"|^[ \t]*except\b(?P<caught>[^#:\n]*):",
    re.MULTILINE,
)
_BRACE = re.compile(rf"{_STRING}|[{{}}]")
_LITERAL_START = re.compile(r"(\w*)(['\"])")
_TEXT = re.compile(r"[^\\'\"{}\n]+")
_VISIBLE = re.compile(r"\S")
_PARENTHESIS = re.compile(r"[ \t]*\(")
_OWN_COMMA = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|(,)")
_BRACKETS = re.compile(r"[\[\]]|#[^\n]*")
_DEPTH = 20
"""F-strings within f-strings that are followed."""


class _Unclosed(Exception):
    """The text is not Python of any version."""


class _Edit(NamedTuple):
    """A range of the text and what stands in its place: as many lines, each with as many bytes."""

    start: int
    end: int
    text: str


def parse_newer(text: str) -> ast.Module | None:
    """The syntax tree of a text that only newer interpreters parse; None if nothing of the kind makes it unreadable."""
    written = _written_older(text)
    try:
        if written is None:
            return None
        module = ast.parse(written.text)
        return _Joined(text, written.spread).visit(module) if written.spread else module
    except (SyntaxError, RecursionError, MemoryError, ValueError):
        return None


def as_older(text: str) -> str | None:
    """The text without what only newer interpreters parse; None if nothing of the kind is in it."""
    written = _written_older(text)
    return None if written is None else written.text


class _Older(NamedTuple):
    """A text written for older interpreters, and the ranges of its f-strings that became a name in it."""

    text: str
    spread: list[tuple[int, int]]


class _Joined(ast.NodeTransformer):
    """Puts f-strings back that break their lines between single quotes: older interpreters read them between three."""

    def __init__(self, text: str, spread: list[tuple[int, int]]) -> None:
        self._strings: dict[tuple[int, int], ast.expr] = {}
        line, at = 1, 0
        for start, end in spread:
            line += text.count("\n", at, start)
            first, column = line, _column(text, start)
            line += text.count("\n", start, end)
            at = end
            string = _between_three(text[start:end])
            if string is not None:
                # Whatever is in it gets the place of the whole, as with older interpreters.
                for part in ast.walk(string):
                    if isinstance(part, ast.expr):
                        part.lineno, part.col_offset = first, column
                        part.end_lineno, part.end_col_offset = line, _column(text, end)
                # The name that stands in its place has a parenthesis before it.
                self._strings[first, column + 1] = string

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._strings.get((node.lineno, node.col_offset), node)


def _column(text: str, offset: int) -> int:
    """The column of an offset as `ast` counts it: in bytes, from 0."""
    return len(text[text.rfind("\n", 0, offset) + 1 : offset].encode("utf-8", "surrogatepass"))


def _between_three(literal: str) -> ast.expr | None:
    """The syntax tree of an f-string between single quotes, as if there were three."""
    opening = _LITERAL_START.match(literal)
    assert opening is not None
    quotes = opening[2] * 3
    tripled = f"({opening[1]}{quotes}{literal[opening.end() : -1]}{quotes}\n)"
    written = _written_older(tripled)
    try:
        return ast.parse(tripled if written is None else written.text, mode="eval").body
    except (SyntaxError, RecursionError, MemoryError, ValueError):
        return None


def _written_older(text: str) -> _Older | None:
    parts: list[str] = []
    spread: list[tuple[int, int]] = []
    done = position = 0
    try:
        while token := _TOKEN.search(text, position):
            position = token.end()
            edits: list[_Edit] = []
            if token["quote"]:
                position = _string(text, token, edits, 0)
                if edits and edits[0].start == token.start() and "t" not in (token["prefix"] or "").lower():
                    spread.append((edits[0].start, edits[0].end))
            elif token["types"]:
                position = _bracket(text, position)
                edits.append(_types(text, token.end() - 1, position))
            elif token["alias"]:
                # Two statements, of which the second gives the type its name.
                edits.append(_Edit(*token.span("alias"), "0;  "))
                if token["alias_types"] == "[":
                    position = _bracket(text, position)
                    edits.append(_Edit(token.end() - 1, position, _subscript(text[token.end() - 1 : position])))
            elif token["caught"]:
                commas = (match for match in _OWN_COMMA.finditer(text, *token.span("caught")) if match[1])
                edits += (_Edit(*match.span(), "|") for match in commas)
            for start, end, instead in edits:
                parts += (text[done:start], instead)
                done = end
    except _Unclosed:
        return None
    return _Older("".join([*parts, text[done:]]), spread) if parts else None


def _blank(text: str, character: str = " ") -> str:
    """As many bytes of one character; line breaks stay."""
    lines = re.split(r"(\r?\n)", text)
    lines[::2] = (character * len(line.encode("utf-8", "surrogatepass")) for line in lines[::2])
    return "".join(lines)


def _types(text: str, start: int, end: int) -> _Edit:
    """Type parameters of a function or a class: over several lines they become a part of the parentheses that follow."""
    if "\n" not in text[start:end]:
        return _Edit(start, end, _blank(text[start:end]))
    inside = _blank(text[start + 1 : end - 1])
    following = _PARENTHESIS.match(text, end)
    if following is None:
        return _Edit(start, end, f"({inside})")
    return _Edit(start, following.end(), f"({inside}{_blank(text[end - 1 : following.end()])}")


def _subscript(types: str) -> str:
    """Type parameters of an alias: over several lines they become a subscript."""
    if "\n" not in types:
        return _blank(types)
    first = _VISIBLE.search(types, 1, len(types) - 1)
    if first is None:
        raise _Unclosed
    rest = len(first[0].encode("utf-8", "surrogatepass")) - 1
    return f"[{_blank(types[1 : first.start()])}0{' ' * rest}{_blank(types[first.end() : -1])}]"


def _string(text: str, token: re.Match[str], edits: list[_Edit], depth: int) -> int:
    """Where a literal ends. What has to be written differently in an f-string is added to `edits`.

    Those are the expressions that stand on one line; or all of one that has others between single quotes, as of a template
    string: it becomes a name in parentheses, which may have as many lines.
    """
    prefix, quote = (token["prefix"] or "").lower(), token["quote"]
    whole = "t" in prefix
    formatted = whole or "f" in prefix
    position = token.end()
    fields: list[_Edit] = []
    while position < len(text):
        if text.startswith(quote, position):
            position += len(quote)
            if whole:
                start = token.start("prefix")
                fields = [_Edit(start, position, f"(_{_blank(text[start + 2 : position - 1])})")]
            edits += fields
            return position
        character = text[position]
        if character == "\n" and len(quote) == 1:
            raise _Unclosed
        if character == "\\":
            position += 2
        elif formatted and character in "{}":
            if character == "{" and not text.startswith("{{", position):
                end = _field(text, position + 1, depth)
                expression = text[position + 1 : end]
                if "\n" in expression:
                    whole = whole or len(quote) == 1
                elif depth == 0 and not _is_older(expression, quote):
                    fields.append(_Edit(position + 1, end, _requoted(expression, quote)))
                position = end + 1
            else:
                position += 2 if text.startswith(character * 2, position) else 1
        else:
            plain = _TEXT.match(text, position)
            position = plain.end() if plain else position + 1
    raise _Unclosed


def _is_older(expression: str, quote: str) -> bool:
    """Whether older interpreters may read a field between these quotes; whether they do, they say themselves."""
    return quote[0] not in expression and "\\" not in expression and "#" not in expression


def _requoted(expression: str, quote: str) -> str:
    """The expression of a field, with other quotes than those around it, or a name as long where these say something else."""
    other = "'" if quote[0] == '"' else '"'
    candidates = [expression] if other in expression else [expression, expression.replace(quote[0], other)]
    for candidate in candidates:
        try:
            ast.parse(f"(f{quote}{{{candidate}}}{quote})")
        except (SyntaxError, RecursionError, MemoryError, ValueError):
            continue
        return candidate
    return _blank(expression, "_")


def _field(text: str, position: int, depth: int) -> int:
    """Where the expression that begins here is closed by a brace."""
    if depth > _DEPTH:
        raise _Unclosed
    open_braces = 0
    while token := _BRACE.search(text, position):
        position = token.end()
        if token["quote"]:
            position = _string(text, token, [], depth + 1)
        elif token[0] == "{":
            open_braces += 1
        elif open_braces:
            open_braces -= 1
        else:
            return token.start()
    raise _Unclosed


def _bracket(text: str, position: int) -> int:
    """Where a bracket that is open is closed."""
    depth = 1
    for match in _BRACKETS.finditer(text, position):
        depth += {"[": 1, "]": -1}.get(match[0], 0)
        if not depth:
            return match.end()
    raise _Unclosed
