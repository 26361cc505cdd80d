"""Python source read with `ast`: parsing, and string literals mapped back to their text."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from keyword import iskeyword

from toolsurface_lint.source.fstrings import BETWEEN, written_offsets, written_text
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.program_tree import ProgramTree
from toolsurface_lint.source.text import SourceText, Span
from toolsurface_lint.source.tree import Path, character_offsets
from toolsurface_lint.source.warnings import python_warnings

MAX_LENGTH = 1_000_000
"""Characters of a Python file that is parsed: its syntax tree takes a hundred times their memory, and more."""


MAX_DEPTH = 2_500
"""Nodes of a syntax tree below one another, a little fewer than Python 3.11 makes; 3.14 makes a hundred thousand."""


def parse_python(source: SourceText) -> tuple[ast.Module | None, Problem[Span] | None]:
    """The syntax tree of a Python file, or why there is none; neither of a file that is longer than `MAX_LENGTH`.

    The problem is of the kinds `syntax/...` (not Python) or `unreadable/...` (nested deeper than `MAX_DEPTH`). What is newer
    than the version that runs this is read as far as `newer_python` knows it. The file is never compiled, imported or run.
    """
    if len(source.text) > MAX_LENGTH:
        return None, None
    tree, problem = _parse(source)
    if tree is not None and _is_too_deep(tree, source):
        return None, Problem("unreadable/python_nesting", Span(0, 0))
    return tree, problem


def _is_too_deep(tree: ast.Module, source: SourceText) -> bool:
    """Whether a tree has more than `MAX_DEPTH` nodes below one another.

    A node has a character of its own, most of them: what is shorter than the levels that are left is not looked into.
    """
    if len(source.text) <= MAX_DEPTH:
        return False
    starts = source.lines.starts
    waiting: list[tuple[ast.AST, int]] = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        if depth > MAX_DEPTH:
            return True
        first, last, column = (getattr(node, name, None) for name in ("lineno", "end_lineno", "end_col_offset"))
        if first is not None and last is not None and column is not None and last <= len(starts):
            # In bytes, from the beginning of the line: more than it has characters.
            longest = starts[last - 1] + column - starts[first - 1]
            if depth + _NODES * longest <= MAX_DEPTH:
                continue
        waiting.extend((child, depth + 1) for child in ast.iter_child_nodes(node))
    return False


_NODES = 2
"""A character has at most so many nodes below one another on average: `a` alone is an expression and a name."""


def _parse(source: SourceText) -> tuple[ast.Module | None, Problem[Span] | None]:
    with python_warnings("ignore"):
        try:
            return ast.parse(source.text), None
        except SyntaxError as error:
            from toolsurface_lint.source.newer_python import parse_newer

            newer = parse_newer(source.text)
            if newer is not None:
                return newer, None
            return None, Problem("syntax/other", _error_span(source, error), {"reason": _message(error)})
        except (RecursionError, MemoryError):
            return None, Problem("unreadable/python_nesting", Span(0, 0))
        except ValueError as error:
            return None, Problem("syntax/other", Span(0, 0), {"reason": str(error)})


def _message(error: SyntaxError) -> str:
    message = error.msg or "not valid Python"
    return message[0].lower() + message[1:]


def _error_span(source: SourceText, error: SyntaxError) -> Span:
    # A SyntaxError counts its columns in characters, from 1; 0 or less where the parser knows no column.
    starts, size = source.lines.starts, len(source.text)
    line = min(max(error.lineno or 1, 1), len(starts))
    start = min(starts[line - 1] + max((error.offset or 1) - 1, 0), size)
    end = start
    if error.end_lineno is not None and error.end_offset is not None and 1 <= error.end_lineno <= len(starts):
        end = min(starts[error.end_lineno - 1] + max(error.end_offset - 1, 0), size)
    return Span(start, max(start, end))


class PythonTree(ProgramTree):
    """Values found in one Python file."""

    __slots__ = ()

    def _offsets(self, path: Path, raw: str) -> Sequence[int] | None:
        value = self.at(path).value
        return text_offsets(raw, value) if isinstance(value, str) else None

    def escape(self, raw: str, text: str, start: int, end: int) -> str | None:
        """What is written alike in every kind of literal, and in a name another name; None for anything else."""
        if raw.isidentifier():
            return text if text.isidentifier() and not iskeyword(text) else None
        # The characters before must not become an escape together with those that then follow.
        if _OPEN_ESCAPE.search(raw, max(start - 3, 0), start):
            return None
        return text if text.isprintable() and _SPECIAL.isdisjoint(text) else None


_OPEN_ESCAPE = re.compile(r"\\[0-7]{0,2}\Z")
_SPECIAL = frozenset("\\'\"{}")


def text_offsets(raw: str, value: str) -> Sequence[int] | None:
    """Where each character of `value`, and its end, lies in the raw text that it was read from; None if unknown.

    `raw` is a string literal, or implicitly concatenated ones, whose decoded text is `value`, contains `value` once, or
    becomes `value` when it is cleaned as a docstring or loses other white space; or an identifier that is `value`. Of an
    f-string, it is the text that is written there.
    """
    if raw == value:
        return range(len(raw) + 1)
    offsets = unescape(raw) or written_offsets(raw)
    decoded = None if offsets is None else _decode(raw)
    if offsets is None or decoded is None or len(offsets) != len(decoded) + 1:
        return None
    if decoded == value:
        return offsets
    cleaned, places = clean_docstring(decoded)
    if cleaned == value:
        return [offsets[place] for place in places]
    # A part of a docstring: up to its first section, or without the space around it.
    for text, origins in ((decoded, [*range(len(offsets))]), (cleaned, places)):
        at = text.find(value)
        if at >= 0 and text.find(value, at + 1) < 0:
            return [offsets[origin] for origin in origins[at : at + len(value) + 1]]
    return _without_space(decoded, value, offsets)


def _without_space(decoded: str, value: str, offsets: Sequence[int]) -> list[int] | None:
    """Where the characters of a text lie that differs from what is written in white space alone; None if it does not."""
    if "".join(decoded.split()) != "".join(value.split()):
        return None
    at = 0
    found: list[int] = []
    for character in value:
        if not character.isspace():
            while decoded[at].isspace():
                at += 1
        found.append(offsets[at])
        at += not character.isspace() or decoded[at : at + 1].isspace()
    return [*found, offsets[at]]


def _decode(raw: str) -> str | None:
    """The text of a string literal, or of an f-string what is written of it; None for anything else."""
    text = f"({raw}\n)"
    with python_warnings("ignore"):
        try:
            module: ast.Module | None = ast.parse(text)
        except SyntaxError:
            from toolsurface_lint.source.newer_python import parse_newer

            module = parse_newer(text)
        except (ValueError, MemoryError, RecursionError):
            module = None
    statement = None if module is None else module.body[0]
    node = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(node, ast.JoinedStr):
        return written_text(node)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


_LITERAL = re.compile(r"""([A-Za-z]{0,2})('''|\"\"\"|'|")((?:[^\\'"]++|\\.|(?!\2)['"])*+)\2""", re.DOTALL)
_UNIT = re.compile(
    r"\\(?:(?P<none>\r\n|\n|\r)|(?P<one>[0-7]{1,3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}\\]*\}|[\\'\"abfnrtv]))"
    r"|\r\n"
)
_LINE_END = re.compile(r"\r\n")


def unescape(raw: str) -> Sequence[int] | None:
    """For the raw text of a string literal, quotes and prefix included: the offset in it of each decoded character, and
    of the closing quotes.

    Literals that follow one another are one string, as in the language. None for bytes, f-strings, and anything else
    that is not a plain string literal.
    """
    offsets: list[int] = []
    position = 0
    while True:
        literal = _LITERAL.match(raw, position)
        if literal is None or literal[1].lower() not in ("", "r", "u"):
            return None
        special = _LINE_END if literal[1] in ("r", "R") else _UNIT
        *inner, end = character_offsets(raw, *literal.span(3), special)
        offsets += inner
        following = BETWEEN.match(raw, literal.end())
        assert following is not None
        position = following.end()
        if position >= len(raw):
            return [*offsets, end]


def clean_docstring(text: str) -> tuple[str, list[int]]:
    """A docstring as `inspect.cleandoc` gives it, and for each of its characters, and its end, the offset in `text`."""
    rows: list[list[int]] = []
    start = 0
    for line in text.split("\n"):
        row: list[int] = []
        for at, character in enumerate(line, start):
            row += [at] * (8 - len(row) % 8 if character == "\t" else 1)
        rows.append(row)
        start += len(line) + 1
    margins = [_margin(text, row) for row in rows]
    margin = min((margin for margin, row in zip(margins[1:], rows[1:], strict=True) if margin < len(row)), default=0)
    rows = [rows[0][margins[0] :], *(row[margin:] for row in rows[1:])]
    filled = [number for number, row in enumerate(rows) if row] or [0]
    places: list[int] = []
    end = 0
    rows = rows[filled[0] : filled[-1] + 1]
    for row in rows:
        places += row
        end = row[-1] + 1 if row else end
        # What ends the line, or the text.
        places.append(end)
    return "\n".join("".join(text[at] for at in row) for row in rows).replace("\t", " "), places


def _margin(text: str, row: list[int]) -> int:
    return next((margin for margin, at in enumerate(row) if not text[at].isspace()), len(row))
