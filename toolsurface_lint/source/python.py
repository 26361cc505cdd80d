"""Python source read with `ast`: parsing, offsets of its positions, and string literals mapped back to their text.

`ast` counts columns in UTF-8 bytes; everything else here counts code points.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Sequence
from keyword import iskeyword
from typing import Any, NamedTuple, Protocol

from toolsurface_lint.source.fstrings import BETWEEN, written_offsets, written_text
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import SourceText, Span
from toolsurface_lint.source.tree import Path, Place, Spans, Tree, character_offsets
from toolsurface_lint.source.warnings import python_warnings

MAX_LENGTH = 1_000_000
"""Characters of a Python file that is parsed: its syntax tree takes a hundred times their memory, and more."""


class Located(Protocol):
    """What has a place in a Python file as `ast` gives it: lines from 1, columns from 0 in UTF-8 bytes."""

    @property
    def lineno(self) -> int: ...
    @property
    def col_offset(self) -> int: ...
    @property
    def end_lineno(self) -> int | None: ...
    @property
    def end_col_offset(self) -> int | None: ...


class Location(NamedTuple):
    """A place that is not a node of its own: the identifier of a function, a parameter or a keyword."""

    lineno: int
    col_offset: int
    end_lineno: int
    end_col_offset: int


def parse_python(source: SourceText) -> tuple[ast.Module | None, Problem[Span] | None]:
    """The syntax tree of a Python file, or why there is none; neither of a file that is longer than `MAX_LENGTH`.

    The problem is of the kinds `syntax/...` (not Python) or `unreadable/...` (nested deeper than the parser follows). What is
    newer than the version that runs this is read as far as `newer_python` knows it. The file is never compiled, imported or run.
    """
    if len(source.text) > MAX_LENGTH:
        return None, None
    with python_warnings("ignore"):
        try:
            return ast.parse(source.text), None
        except SyntaxError as error:
            newer = _parse_newer(source.text)
            if newer is not None:
                return newer, None
            return None, Problem("syntax/other", _error_span(source, error), {"reason": _message(error)})
        except (RecursionError, MemoryError):
            return None, Problem("unreadable/python_nesting", Span(0, 0))
        except ValueError as error:
            return None, Problem("syntax/other", Span(0, 0), {"reason": str(error)})


def _parse_newer(text: str) -> ast.Module | None:
    from toolsurface_lint.source.newer_python import as_older

    older = as_older(text)
    try:
        return None if older is None else ast.parse(older)
    except (SyntaxError, RecursionError, MemoryError, ValueError):
        return None


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


_KEYWORD = re.compile(r"(?:async[ \t]+)?(?:def|class)[ \t]+")


_STRIDE = 256


class Offsets:
    """Turns the positions of `ast` into code-point offsets of one text."""

    def __init__(self, source: SourceText) -> None:
        self._text = source.text
        self._is_ascii = self._text.isascii()
        self._starts = source.lines.starts
        self._strides: dict[int, list[int]] = {}

    def offset(self, line: int, column: int) -> int:
        """The offset of a column in UTF-8 bytes of a line from 1."""
        start = self._starts[line - 1]
        if self._is_ascii:
            return start + column
        if column > _STRIDE:
            # A line may be very long, and hold very many nodes.
            strides = self._strides.get(line) or self._strides.setdefault(line, self._read_strides(line))
            stride = bisect_right(strides, column) - 1
            start += stride * _STRIDE
            column -= strides[stride]
        # No character is longer than its bytes, so the slice holds all that the column counts.
        part = self._text[start : start + column]
        if part.isascii():
            return start + column
        return start + len(part.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore"))

    def _read_strides(self, line: int) -> list[int]:
        """The columns of every 256th character of a line."""
        start = self._starts[line - 1]
        end = self._starts[line] if line < len(self._starts) else len(self._text)
        columns = [0]
        for at in range(start, end - _STRIDE, _STRIDE):
            part = self._text[at : at + _STRIDE]
            columns.append(columns[-1] + len(part.encode("utf-8", "surrogatepass")))
        return columns

    def span(self, node: Located) -> Span:
        start = self.offset(node.lineno, node.col_offset)
        if node.end_lineno is None or node.end_col_offset is None:
            return Span(start, start)
        return Span(start, self.offset(node.end_lineno, node.end_col_offset))

    def text(self, node: Located) -> str:
        """The source text of a node."""
        start, end = self.span(node)
        return self._text[start:end]

    def identifier(self, node: Located, name: str, *, keyword: bool = False) -> Location:
        """The place of a name at the beginning of a node, or after its `def` or `class` (`keyword`)."""
        column = node.col_offset
        if keyword:
            start = self.offset(node.lineno, column)
            # A statement that is broken between its keyword and its name shows its keyword.
            found = _KEYWORD.match(self._text, start)
            if found is not None and self._text.startswith(name, found.end()):
                column += found.end() - start
        return Location(node.lineno, column, node.lineno, column + len(name.encode()))


class PythonTree(Tree):
    """Values found in one Python file.

    A text of such a tree may be the cleaned form of its literal (a docstring without its indentation), or stand for an
    expression that is not a literal at all: only what is known exactly is mapped, else the whole expression is shown.
    A text may be put together of several that lie elsewhere.
    """

    __slots__ = ("_parts",)

    def __init__(self, source: SourceText, value: Any, spans: Spans) -> None:
        super().__init__(source, value)
        self._spans = spans
        self._parts: dict[Path, tuple[list[int], list[Place]]] = {}

    def put_together(self, path: Path, parts: Sequence[tuple[int, Place]]) -> None:
        """Say where the parts of the text at `path` lie: from which offset on, in order, each has which place."""
        self._parts[path] = [start for start, _ in parts], [place for _, place in parts]

    def parts(self, path: Path) -> list[Place]:
        if path not in self._parts:
            return super().parts(path)
        return [Place(place.tree, place.path) for place in self._parts[path][1]]

    def _part(self, path: Path, offset: int, start: int, end: int) -> Place:
        """What of a range of a text lies in the part that an offset is in; behind it, if that is a gap."""
        starts, places = self._parts[path]
        at = max(bisect_right(starts, offset) - 1, 0)
        length = places[at].end - places[at].start
        return places[at].part(*(min(max(each - starts[at], 0), length) for each in (start, end)))

    def text_place(self, path: Path, start: int, end: int) -> Place:
        if path not in self._parts:
            return super().text_place(path, start, end)
        first, last = (self._part(path, at, start, end) for at in (start, max(end - 1, start)))
        return super().text_place(path, start, end) if first != last and first.tree is last.tree is self else first

    def text_span(self, path: Path, start: int, end: int) -> Span:
        if path not in self._parts:
            return super().text_span(path, start, end)
        first, last = (self._part(path, at, start, end).span() for at in (start, max(end - 1, start)))
        assert first is not None
        assert last is not None
        return Span(first.start, max(first.start, last.end))

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
    with python_warnings("ignore"):
        try:
            node = ast.parse(f"({raw}\n)", mode="eval").body
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            return None
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
