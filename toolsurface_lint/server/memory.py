"""What has been read of a folder's files, kept between keystrokes, and what was last read of open files that are broken."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Generic, TypeVar

from toolsurface_lint.model.document import Document
from toolsurface_lint.project.project import Reader, Reading, is_ours
from toolsurface_lint.server.buffers import Buffer, to_bytes
from toolsurface_lint.source.files import read_source
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.python import parse_python
from toolsurface_lint.source.text import SourceText, Span, Unreadable

_BREAKING = ("syntax", "unreadable", "front_matter")
"""The kinds of problems with which some of a file's facts are lost."""

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
_Stamp = tuple[int, int, int] | None


class _Two(Generic[_Key, _Value]):
    """The two values that were asked for last, each with what it was made from."""

    def __init__(self) -> None:
        self._known: list[tuple[_Key, _Value]] = []

    def get(self, key: _Key, make: Callable[[], _Value]) -> _Value:
        if not self._known or self._known[0][0] != key:
            found = next((each for each in self._known if each[0] == key), None) or (key, make())
            self._known = [found, *(each for each in self._known if each is not found)][:2]
        return self._known[0][1]

    def forget_other(self) -> None:
        """Keep only the one that was asked for last."""
        del self._known[1:]


class Memory(Reader):
    """Remembers the document of each file until its bytes, or the way to read it, change.

    Of an open file that cannot be read at present, the document is that of the buffer's `readable` text.
    """

    def __init__(self) -> None:
        self.broken: dict[str, Document] = {}
        """What is to be said of such files, by absolute path: documents of the present texts with nothing but problems."""
        self._buffers: Mapping[str, Buffer] = {}
        self._documents: dict[str, _Two[tuple[Reading, _Stamp], Document]] = {}
        self._programs: _Two[list[tuple[Reading, _Stamp]], dict[str, Document]] = _Two()
        self._stamps: dict[str, _Stamp] = {}

    def begin(self, buffers: Mapping[str, Buffer]) -> None:
        """Files are about to be read; `buffers` are the open ones by absolute path."""
        self._buffers = buffers
        self.broken = {}

    def look_again(self) -> None:
        """Compare every file with the one on disk when it is asked for the next time."""
        self._stamps.clear()

    def forget_others(self, paths: Collection[str]) -> None:
        """Forget all files but these."""
        self._documents = {path: known for path, known in self._documents.items() if path in paths}

    def read(self, reading: Reading) -> Document:
        document = self._document(reading)
        buffer = self._buffers.get(reading.path)
        if buffer is None:
            return document
        problems = _breaking(document)
        if not problems:
            buffer.mark_readable()
            self._documents[reading.path].forget_other()
            return document
        before = _before(reading, buffer)
        kept = None if before is None else self._document(before)
        if not is_ours(document, reading) and (kept is None or not is_ours(kept, reading)):
            return document
        if kept is None or _breaking(kept):
            buffer.readable = None
            return document
        self.broken[reading.path] = _only(problems, document.source, reading, document.language)
        return kept

    def read_programs(self, readings: Sequence[Reading]) -> dict[str, Document]:
        documents = self._read_programs(readings)
        broken: dict[str, Document] = {}
        before: dict[str, Reading] = {}
        for reading in readings:
            buffer = self._buffers.get(reading.path)
            if buffer is None or buffer.readable is buffer.text:
                continue
            found = _broken_program(reading, documents.get(reading.path), buffer)
            if found is None:
                buffer.mark_readable()
                continue
            earlier = _before(reading, buffer)
            if earlier is not None:
                broken[reading.path] = found
                before[reading.path] = earlier
        if not broken:
            self._programs.forget_other()
            return documents
        kept = self._read_programs([before.get(reading.path, reading) for reading in readings])
        never = [path for path in broken if path in kept and _breaking(kept[path])]
        if never:
            for path in never:
                self._buffers[path].readable = None
            return self.read_programs(readings)
        for path, found in broken.items():
            # Of a program that defines nothing, neither now nor before, no error is ours to report.
            known = (documents.get(path), kept.get(path))
            if not any(document is not None and is_ours(document, before[path]) for document in known):
                found.problems.clear()
        self.broken.update(broken)
        return kept

    def _document(self, reading: Reading) -> Document:
        known = self._documents.get(reading.path)
        if known is None:
            known = self._documents[reading.path] = _Two()
        return known.get((reading, self._stamp(reading)), reading.read)

    def _read_programs(self, readings: Sequence[Reading]) -> dict[str, Document]:
        wanted = [(reading, self._stamp(reading)) for reading in readings]
        return self._programs.get(wanted, lambda: super(Memory, self).read_programs(readings))

    def _stamp(self, reading: Reading) -> _Stamp:
        """What changes when the file on disk does; None for a buffer, whose bytes are in the reading itself."""
        if reading.data is not None:
            return None
        path = reading.path
        if path not in self._stamps:
            stamp = None
            with suppress(OSError, ValueError):
                status = os.stat(path)
                stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
            self._stamps[path] = stamp
        return self._stamps[path]


def _breaking(document: Document) -> list[Problem[Span]]:
    return [problem for problem in document.problems if problem.code in _BREAKING]


def _before(reading: Reading, buffer: Buffer) -> Reading | None:
    """How to read the text of an open file that could last be read; None if that is the present one, or unknown."""
    if buffer.readable is None or buffer.readable == buffer.text:
        return None
    return reading._replace(data=to_bytes(buffer.readable))


def _only(problems: list[Problem[Span]], source: SourceText, reading: Reading, language: str) -> Document:
    """A document that has problems and nothing else."""
    document = Document(reading.display, source, language)
    document.problems.extend(problems)
    return document


def _broken_program(reading: Reading, document: Document | None, buffer: Buffer) -> Document | None:
    """What is wrong with an open program, None if nothing is; `document` is what it was read to, if to anything."""
    if document is not None:
        problems, source = _breaking(document), document.source
    else:
        # Without a word that tools are defined with, nobody has looked at its syntax.
        try:
            source = read_source(reading.path, reading.display, reading.max_size, buffer.data)
        except Unreadable as error:
            source = SourceText(reading.display, error.text)
            problems = [error.problem]
        else:
            # The parsers of the other languages recover from any error.
            problem = parse_python(source)[1] if reading.language == "python" else None
            problems = [] if problem is None else [problem]
    return _only(problems, source, reading, reading.language) if problems else None
