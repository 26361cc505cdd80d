"""Checks transcripts against their surfaces: every conversation turn by turn, files of any size line by line.

Nothing of a conversation is kept once it has been followed, so memory is bounded by the longest line and by the findings.
Large files are cut at line ends, so that processes can share their parts; here is decided what is a part, and what came of
the parts is put together. `reader` follows what the values in a part hold, `conversation` checks one conversation, and
`plain_chat` counts those that need no such look.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from itertools import accumulate
from typing import NamedTuple

from toolsurface_lint.model.diagnostics import Diagnostic, Finding, Location, TranscriptSummary
from toolsurface_lint.model.transcript import Transcript
from toolsurface_lint.project.project import Project
from toolsurface_lint.project.settings.selection import Selection
from toolsurface_lint.run.parallel import share
from toolsurface_lint.run.reporting import FollowedTranscripts, Resolver, SurfaceDiagnostic
from toolsurface_lint.run.transcripts.conversation import CalledSurface, ConversationChecks
from toolsurface_lint.run.transcripts.plain_chat import Tally
from toolsurface_lint.run.transcripts.reader import TranscriptReader
from toolsurface_lint.source.files import unread_source
from toolsurface_lint.source.json_lines import LinePlace, Lines, LineSource, joined, split_at_lines
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Position, Range, SourceText, Span
from toolsurface_lint.source.tree import Place, TextTree

PART = 16 * 1024 * 1024
"""Bytes of a file that are followed at a time."""

WORTH_SHARING = 24 * 1024 * 1024
"""Bytes for which one more process is worth its start."""


def check_transcripts(
    project: Project, selection: Selection, progress: Callable[[int, int], None] | None = None, jobs: int = 1
) -> FollowedTranscripts:
    """Follow every transcript of a project, in `jobs` processes.

    `progress` is called with the bytes that have been read, and that there are.
    """
    checks = ConversationChecks(selection)
    limit = project.settings.max_file_size
    totals: list[_Total] = []
    for surface in project.scopes:
        if surface.transcripts:
            called = CalledSurface(surface)
            totals += (_Total(transcript, called, checks, limit) for transcript in surface.transcripts)
    parts = [(total, start, end) for total in totals for start, end in _bounds(total.transcript)]
    read = [0, *accumulate(end - start for _, start, end in parts)]

    def show(index: int) -> None:
        if progress is not None:
            progress(read[index + 1], read[-1])

    works = [partial(total.follow, start, end) for total, start, end in parts]
    results = share(works, min(jobs, 1 + read[-1] // WORTH_SHARING), show)
    for (total, _, _), result in zip(parts, results, strict=True):
        total.add_part(result)
    for total in totals:
        total.follow_whole()
    return FollowedTranscripts(
        [item for total in totals for item in total.found],
        tuple(total.summary() for total in totals),
        _sources((total.transcript for total in totals), limit),
    )


def _start(path: str) -> Place:
    return Place(TextTree(LineSource(path, "", 1, 0)), (), "text")


def _bounds(transcript: Transcript) -> Iterable[tuple[int, int]]:
    """The parts of a transcript, from byte to byte; none if it was read whole."""
    if transcript.trees:
        return ()
    if not transcript.session and transcript.size > PART:
        with suppress(OSError):
            return split_at_lines(transcript.file, transcript.size, PART)
    return ((0, transcript.size),)


class _Part(NamedTuple):
    """What came of a part of a transcript: with lines and offsets counted from the beginning of the part.

    `definitions` is what there is to say about the tools that its conversations carry, by what tells one such finding from
    others in a file; `lines` is what was read of it, `unreadable` is why the system did not let the rest be read.
    """

    found: list[Diagnostic]
    definitions: dict[tuple[str, str], Diagnostic]
    tally: Tally
    lines: Lines
    unreadable: str | None


class _Total:
    """One transcript, and what came of it so far."""

    def __init__(
        self, transcript: Transcript, called: CalledSurface, checks: ConversationChecks, max_line: int
    ) -> None:
        self.transcript = transcript
        self.found: list[SurfaceDiagnostic] = []
        self._called = called
        self._checks = checks
        self._max_line = max_line
        self._problems: list[Problem[LinePlace]] = []
        self._broken_off: list[Problem[LinePlace]] = []
        self._definitions: dict[tuple[str, str], Diagnostic] = {}
        self._tally = Tally()
        self._codes: Counter[str] = Counter()
        self._lines = 0
        self._characters = 0

    def follow(self, start: int, end: int) -> _Part:
        """Follow the part from byte to byte; nothing of it is taken in yet."""
        resolver = Resolver(self._checks.severity)
        found: list[Diagnostic] = []
        definitions: dict[tuple[str, str], Diagnostic] = {}

        def define(finding: Finding) -> None:
            # One tool in a thousand lists of tools is one tool.
            key = finding.rule.code, finding.message
            if key not in definitions:
                definitions[key] = resolver.diagnostic(finding)

        reader = self._reader(resolver, found, define)
        lines = Lines(self.transcript.file, self.transcript.path, start, end, max_line=self._max_line)
        unreadable = None
        try:
            for tree in lines:
                reader.value(tree)
        except OSError as error:
            unreadable = error.strerror or str(error)
        except Exception as error:
            reader.crash(_start(self.transcript.path), error)
        reader.end()
        if not gc.isenabled():
            # What a traceback or an embedded text ties together is only freed by a collection.
            gc.collect(0)
        return _Part(found, definitions, reader.tally, lines, unreadable)

    def add_part(self, part: _Part) -> None:
        """Take in what came of the next part of the file."""
        path, lines, characters = self.transcript.path, self._lines, self._characters
        found, definitions = part.found, part.definitions
        if lines or characters:
            found = [_moved(diagnostic, path, lines, characters) for diagnostic in found]
            definitions = {key: _moved(each, path, lines, characters) for key, each in definitions.items()}
        self._add(found, part.tally)
        self._definitions = definitions | self._definitions
        self._problems.extend(
            problem._replace(at=problem.at.moved(lines, characters)) for problem in part.lines.problems
        )
        if part.unreadable is not None:
            start = LinePlace(LineSource(path, "", 1, 0), Span(0, 0), 1)
            self._broken_off.append(Problem("unreadable/os", start, {"reason": part.unreadable}))
        self._lines += part.lines.lines
        self._characters += part.lines.characters

    def follow_whole(self) -> None:
        """Take in the lines that cannot be read, of all parts, and the values of a transcript that was read whole."""
        found: list[Diagnostic] = []
        # The tools of a document were checked with it.
        reader = self._reader(Resolver(self._checks.severity), found, None)
        for problem in (*joined(self._problems), *self._broken_off[:1]):
            reader.problem(problem)
        for tree in self.transcript.trees:
            reader.value(tree)
        reader.end()
        self._add(found, reader.tally)
        self._add(self._definitions.values(), Tally())

    def _reader(
        self, resolver: Resolver, found: list[Diagnostic], define: Callable[[Finding], None] | None
    ) -> TranscriptReader:
        def sink(finding: Finding) -> None:
            found.append(resolver.diagnostic(finding))

        return TranscriptReader(self._called, self._checks, sink, definitions=define)

    def _add(self, found: Iterable[Diagnostic], tally: Tally) -> None:
        for diagnostic in found:
            self._codes[diagnostic.code] += 1
            self.found.append((diagnostic, self._called.surface))
        self._tally.add(tally)

    def summary(self) -> TranscriptSummary:
        tally = self._tally
        return TranscriptSummary(
            self.transcript.path,
            tally.conversations,
            tally.clean,
            tally.turns,
            tally.calls,
            tally.results,
            tally.duplicate_ids,
            dict(sorted(self._codes.items())),
            {name: (calls, failures) for name, (calls, failures) in sorted(tally.tools.items())},
            dict(sorted(tally.protocols.items())),
            dict(sorted(tally.schemas.items())),
        )


def _sources(transcripts: Iterable[Transcript], limit: int) -> dict[str, SourceText]:
    """The texts of the files that were read line by line, to be read whole only if somebody asks, and if they may be."""
    return {
        transcript.path: unread_source(transcript.file, transcript.path, limit)
        for transcript in transcripts
        if not transcript.trees and transcript.size <= limit
    }


def _moved(diagnostic: Diagnostic, path: str, lines: int, characters: int) -> Diagnostic:
    """A diagnostic of a part of a file, with its places counted from the beginning of the file."""
    related = tuple(
        item._replace(location=_moved_location(item.location, path, lines, characters)) for item in diagnostic.related
    )
    location = diagnostic.location
    if location is not None:
        location = _moved_location(location, path, lines, characters)
    return diagnostic._replace(location=location, related=related)


def _moved_location(location: Location, path: str, lines: int, characters: int) -> Location:
    if location.path != path:
        return location
    start, end = location.range
    moved = Range(Position(start.line + lines, start.column), Position(end.line + lines, end.column))
    return Location(path, moved, Span(location.span.start + characters, location.span.end + characters))
