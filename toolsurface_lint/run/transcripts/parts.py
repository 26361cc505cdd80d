"""Transcripts in parts: large files are cut at line ends, and their parts shared between two processes.

What comes out is the same as from one process and from whole files, once `outcomes` has put it together.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.transcript import Transcript
from toolsurface_lint.run.second_process import SecondProcess, may_fork
from toolsurface_lint.run.transcripts.called_surface import CalledSurface
from toolsurface_lint.run.transcripts.enabled_checks import EnabledChecks
from toolsurface_lint.run.transcripts.reader import Reported, TranscriptReader
from toolsurface_lint.run.transcripts.tally import Tally
from toolsurface_lint.source.files import MAX_FILE_SIZE
from toolsurface_lint.source.json_lines import LinePlace, Lines, split_at_lines
from toolsurface_lint.source.problem import Problem

PART = 16 * 1024 * 1024
"""Bytes of a file that are followed at a time."""

ALONE = 24 * 1024 * 1024
"""Bytes that one process reads by itself: a second one costs more than it saves."""


class _Part(NamedTuple):
    """A part of the transcript of a number, from byte to byte."""

    transcript: int
    start: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.start


class PartOutcome(NamedTuple):
    """What came of a part of a transcript: with lines and offsets counted from the beginning of the part.

    `transcript` is the number of the transcript in its run; `lines` and `characters` are how much was read,
    `unreadable` is why the system did not let the rest be read.
    """

    transcript: int
    reported: list[Reported]
    problems: list[Problem[LinePlace]]
    tally: Tally
    lines: int
    characters: int
    crashed: bool
    unreadable: str | None


class Run:
    """The transcripts that are followed, each with its surface, and the checks; lines have at most `max_line` bytes."""

    def __init__(
        self, followed: Sequence[tuple[Transcript, Surface]], checks: EnabledChecks, max_line: int = MAX_FILE_SIZE
    ) -> None:
        self.followed = followed
        self.checks = checks
        self.max_line = max_line
        self._surfaces: dict[int, CalledSurface] = {}

    def reader(self, transcript: int) -> TranscriptReader:
        """A new reader for the transcript of a number, or a part of it."""
        surface = self.followed[transcript][1]
        called = self._surfaces.get(id(surface))
        if called is None:
            called = self._surfaces[id(surface)] = CalledSurface(surface)
        return TranscriptReader(called, self.checks)


def follow_parts(run: Run, progress: Callable[[int, int], None] | None) -> list[PartOutcome]:
    """Follow every transcript that was not read whole, in parts; what came of each, in order."""
    parts = list(_parts(run.followed))
    total = sum(part.size for part in parts)
    if total > ALONE and len(parts) > 1 and may_fork():
        return _share(run, parts, progress, total)
    outcomes = []
    read = 0
    for part in parts:
        outcomes.append(_follow(run, part))
        read += part.size
        if progress is not None:
            progress(read, total)
    return outcomes


def _parts(followed: Sequence[tuple[Transcript, Surface]]) -> Iterator[_Part]:
    for number, (transcript, _) in enumerate(followed):
        if transcript.trees:
            continue
        bounds = [(0, transcript.size)]
        if not transcript.session and transcript.size > PART:
            with suppress(OSError):
                bounds = split_at_lines(transcript.file, transcript.size, PART)
        for start, end in bounds:
            yield _Part(number, start, end)


def _follow(run: Run, part: _Part) -> PartOutcome:
    transcript, _ = run.followed[part.transcript]
    reader = run.reader(part.transcript)
    lines = Lines(transcript.file, transcript.path, part.start, part.end, max_line=run.max_line)
    unreadable = None
    try:
        for tree in lines:
            reader.value(tree)
    except OSError as error:
        unreadable = error.strerror or str(error)
    reader.end()
    # What a traceback or an embedded text ties together is only freed by a collection.
    gc.collect()
    return PartOutcome(
        part.transcript,
        reader.reported,
        lines.problems,
        reader.tally,
        lines.lines,
        lines.characters,
        run.checks.crashed,
        unreadable,
    )


def _share(run: Run, parts: list[_Part], progress: Callable[[int, int], None] | None, total: int) -> list[PartOutcome]:
    """Two processes follow half of the parts each; the second one sends what it found when it is through."""
    mine, theirs = _halves(parts)
    outcomes: dict[_Part, PartOutcome] = {}
    read = 0
    with SecondProcess(lambda: [_follow(run, part) for part in theirs]) as second:
        for part in mine:
            outcomes[part] = _follow(run, part)
            read += 2 * part.size
            if progress is not None:
                progress(min(read, total), total)
        outcomes.update(zip(theirs, second.result(), strict=True))
    return [outcomes[part] for part in parts]


def _halves(parts: list[_Part]) -> tuple[list[_Part], list[_Part]]:
    """Two lists of parts of about the same size, each in order."""
    halves: tuple[list[_Part], list[_Part]] = ([], [])
    sizes = [0, 0]
    for part in sorted(parts, key=lambda part: -part.size):
        smaller = 0 if sizes[0] <= sizes[1] else 1
        halves[smaller].append(part)
        sizes[smaller] += part.size
    for half in halves:
        half.sort()
    return halves
