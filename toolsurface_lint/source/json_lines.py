"""JSON Lines of any size: one line at a time, each with the place that it has in its file."""

from __future__ import annotations

import os
from codecs import getincrementaldecoder
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import IO, Any, NamedTuple

from toolsurface_lint.source import disk
from toolsurface_lint.source.files import MAX_FILE_SIZE, open_file
from toolsurface_lint.source.json import JsonTree, read_json
from toolsurface_lint.source.json_values import read_value, scan_value
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import MAX_DEPTH, LineIndex, SourceText, Span
from toolsurface_lint.source.tree import Tree, depth_exceeds

_BOM = b"\xef\xbb\xbf"


class LineSource(SourceText):
    """The text of one line, `offset` code points and `number` - 1 lines after the beginning of its file.

    Spans count from the beginning of the line, lines from that of the file.
    """

    def __init__(self, path: str, text: str, number: int, offset: int) -> None:
        super().__init__(path, text)
        self.number = number
        self.offset = offset

    @property
    def lines(self) -> LineIndex:
        if self._lines is None:
            self._lines = LineIndex(self.text, self.number - 1)
        return self._lines


class LinePlace(NamedTuple):
    """A place in one line, and how many `lines` of the file, this one among them, have a problem of this kind."""

    source: LineSource
    span: Span
    lines: int

    def moved(self, lines: int, characters: int) -> LinePlace:
        """The place in a file in which so many lines and characters come before what was counted."""
        source = self.source
        return self._replace(
            source=LineSource(source.path, source.text, source.number + lines, source.offset + characters)
        )


def joined(problems: Iterable[Problem[LinePlace]]) -> list[Problem[LinePlace]]:
    """The lines of one file that cannot be read: for each code one problem, at the first of its lines."""
    first: dict[str, Problem[LinePlace]] = {}
    for problem in problems:
        known = first.get(problem.code)
        if known is not None:
            problem = known._replace(at=known.at._replace(lines=known.at.lines + problem.at.lines))
        first[problem.code] = problem
    return list(first.values())


class Lines:
    """Reads the values of a part of a JSON Lines file, from byte `start` to byte `end`, both at line ends.

    After the iteration `problems` says which lines could not be read, `lines` and `characters`
    how much was read. With `complete`, the last line is known to be whole; otherwise the file may still be written to,
    and a last line that breaks off is left alone if it has grown meanwhile. A line of more than `max_line` bytes is never
    held: it cannot be read. `quickly` is a reader of values that is asked first (`json_values.quick_reader`). In a
    `prefixed` file the value of a line is the object that begins at its first brace, whatever stands around it, and a line
    without one is no problem.
    """

    def __init__(
        self,
        path: str,
        display: str,
        start: int = 0,
        end: int | None = None,
        *,
        max_line: int = MAX_FILE_SIZE,
        quickly: Callable[[bytes], Any] | None = None,
        prefixed: bool = False,
    ) -> None:
        self.path = path
        self.display = display
        self.max_line = max_line
        self.prefixed = prefixed
        self.start = start
        self.end = end
        self._quickly = quickly
        self.problems: list[Problem[LinePlace]] = []
        self.lines = 0
        self.characters = 0

    def __iter__(self) -> Iterator[Tree]:
        """A tree for each line that holds a value; lines that cannot be read are noted and left out.

        Raises `OSError` if the file cannot be read.
        """
        left = (1 << 62) if self.end is None else self.end - self.start
        display = self.display
        quickly = self._quickly
        with open_file(self.path, 1 << 20) as file:
            file.seek(self.start)
            for data in iter(partial(file.readline, self.max_line + 1), b""):
                if left <= 0:
                    break
                if len(data) > self.max_line:
                    left -= self._pass_by(data, file)
                    continue
                if len(data) > left:
                    # The file has grown since its size was taken: what came later is left for the next run.
                    data = data[:left]
                left -= len(data)
                if self.lines == 0 and self.start == 0 and data.startswith(_BOM):
                    data = data[3:]
                try:
                    text = data.decode()
                except UnicodeDecodeError as error:
                    at = len(data[: error.start].decode())
                    text = data.decode("utf-8", "replace")
                    values = {"byte": f"{data[error.start]:02x}"}
                    self._problem(Problem("unreadable/utf_8", Span(at, at + 1), values), text)
                    self._advance(text)
                    continue
                if self.prefixed:
                    at, value = _value_within(text)
                    if at >= 0:
                        yield LineTree(display, text, self.lines + 1, self.characters, value, at)
                    self._advance(text)
                    continue
                plain = False
                value = None
                if quickly is not None:
                    try:
                        value = quickly(data)
                        plain = True
                    except (ValueError, RecursionError):
                        pass
                if not plain:
                    try:
                        value, stop = scan_value(text, 0)
                        plain = text[stop:] in _ENDS or not text[stop:].strip(" \t\r\n")
                    except (StopIteration, ValueError, RecursionError):
                        value = None
                if plain and (
                    len(text) <= MAX_DEPTH
                    or text.count("[") + text.count("{") <= MAX_DEPTH
                    or not depth_exceeds(value, MAX_DEPTH)
                ):
                    yield LineTree(display, text, self.lines + 1, self.characters, value)
                elif text.strip(" \t\r\n"):
                    yield from self._read_slowly(text, left <= 0)
                self._advance(text)

    def _pass_by(self, data: bytes, file: IO[bytes]) -> int:
        """Leave out a line that begins with `data` and is too long; the number of its bytes."""
        bom = self.lines == 0 and self.start == 0 and data.startswith(_BOM)
        # What would be shown of it; the rest is only counted.
        shown = data[3 * bom : _SHOWN].decode("utf-8", "replace")
        decode = getincrementaldecoder("utf-8")("replace").decode
        lines, characters, length = 1, -bom, 0
        end = b""
        for piece in chain((data,), () if data.endswith(b"\n") else _rest_of_line(file)):
            text = decode(piece)
            characters += len(text)
            lines += text.count("\r")
            length += len(piece)
            end = (end + piece[-2:])[-2:]
        lines -= end == b"\r\n"
        sizes = {"size": f"{length:,}", "most": f"{self.max_line:,}"}
        self._problem(Problem("unreadable/long_line", Span(0, 0), sizes), shown)
        self.lines += lines
        self.characters += characters + len(decode(b"", True))
        return length

    def _advance(self, text: str) -> None:
        """Count a line that was read; with lone carriage returns, it is several."""
        self.characters += len(text)
        self.lines += _line_ends(text)

    def _read_slowly(self, text: str, last: bool) -> list[Tree]:
        """A line that is not plain JSON: with comments, with a repeated key, broken, too deep."""
        nul = text.find("\0")
        if nul >= 0:
            self._problem(Problem("unreadable/nul", Span(nul, nul + 1)), text)
            return []
        source = LineSource(self.display, text, self.lines + 1, self.characters)
        read = read_json(source, lines=True, comments_allowed=True)
        problem = next((problem for problem in read.problems if problem.kind != "duplicate_key"), None)
        if problem is not None and not (last and not text.endswith("\n") and self._grows()):
            self._problem(problem, text)
        return read.trees

    def _grows(self) -> bool:
        """Whether the file has become longer since its size was taken, so that its last line was not complete then."""
        if self.end is None:
            return False
        try:
            return disk.stat(self.path).st_size > self.end
        except OSError:
            return False

    def _problem(self, problem: Problem[Span], text: str) -> None:
        """Note a problem of the next line."""
        source = LineSource(self.display, text, self.lines + 1, self.characters)
        found = Problem(problem.kind, LinePlace(source, problem.at, 1), problem.values)
        self.problems = joined([*self.problems, found])


def _line_ends(text: str) -> int:
    """How many lines a text is that ends with a line feed, or with the end of its file."""
    return 1 + text.count("\r") - text.endswith("\r\n") if "\r" in text else 1


_ENDS = ("\n", "\r\n", "")


class LineTree(JsonTree):
    """The value of one line of strict JSON; its text is wrapped into a source only when a place is asked for."""

    __slots__ = ("_display", "_number", "_offset", "text")

    def __init__(self, display: str, text: str, number: int, offset: int, value: Any, start: int = 0) -> None:
        self._display = display
        self.text = text
        self._number = number
        self._offset = offset
        self._value = value
        self._spans = None
        self._start = start

    @property
    def before(self) -> str:
        """What stands before the value in its line."""
        return self.text[: self._start]

    def __getattr__(self, name: str) -> Any:
        if name != "source":
            raise AttributeError(name)
        self.source = LineSource(self._display, self.text, self._number, self._offset)
        return self.source


_SHOWN = 200
_PIECE = 1 << 20


def _rest_of_line(file: IO[bytes]) -> Iterator[bytes]:
    """What a file has up to the end of the line, in pieces; it is read on from there."""
    while piece := file.read(_PIECE):
        end = piece.find(b"\n") + 1
        if end:
            file.seek(end - len(piece), os.SEEK_CUR)
            yield piece[:end]
            return
        yield piece


def _value_within(text: str) -> tuple[int, Any]:
    """The object that begins at the first brace of a line, and where; -1 if there is none that can be read.

    In a line of a document nothing but white space comes before it, or something that is no part of it behind.
    """
    at = text.find("{")
    if at >= 0 and (at == 0 or not text[:at].isspace()):
        with suppress(StopIteration, ValueError, RecursionError):
            value, end = scan_value(text, at)
            if at == 0 and not (text[end:] or "\n").isspace():
                return -1, None
            if text.count("[") + text.count("{") <= MAX_DEPTH or not depth_exceeds(value, MAX_DEPTH):
                return at, value
    return -1, None


def first_values(
    path: str, max_line: int = MAX_FILE_SIZE, *, limit: int = 1 << 18, prefixed: bool = False
) -> tuple[list[Any], int]:
    """The values of the first lines of a file, and how many of those lines hold none; `prefixed` as for `Lines`.

    Lines are read that begin before byte `limit`, and no more after many without a value, unless they are `prefixed`.
    Lines of more than `max_line` bytes before the first value do not count, nor does anything from a later one on.
    Raises `OSError`.
    """
    values: list[Any] = []
    broken = read = 0
    with open_file(path, 1 << 16) as file:
        for data in iter(partial(file.readline, max_line + 1), b""):
            if len(data) > max_line:
                if values:
                    break
                if not data.endswith(b"\n"):
                    deque(_rest_of_line(file), maxlen=0)
                continue
            if read == 0 and data.startswith(_BOM):
                data = data[3:]
            read += len(data)
            text = data.decode("utf-8", "replace")
            if not text.isspace():
                value = _value_within(text)[1] if prefixed else read_value(text)
                if value is None:
                    broken += 1
                else:
                    values.append(value)
            if read >= limit or (broken >= _MANY and not prefixed):
                break
    return values, broken


_MANY = 50


def split_at_lines(path: str, size: int, length: int) -> list[tuple[int, int]]:
    """The parts of a file of `size` bytes, each about `length` bytes long and ending at a line end. Raises `OSError`."""
    parts: list[tuple[int, int]] = []
    start = 0
    with open_file(path) as file:
        while start < size:
            end = min(start + length, size)
            if end < size:
                file.seek(end - 1)
                deque(_rest_of_line(file), maxlen=0)
                end = min(file.tell(), size)
            parts.append((start, end))
            start = end
    return parts
