"""Puts together what came of the parts of transcripts, with every place counted from the beginning of its file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from toolsurface_lint.model.diagnostics import Diagnostic, Location, TranscriptSummary
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.transcript import Transcript
from toolsurface_lint.run.reporting import Outcome
from toolsurface_lint.run.transcripts.parts import PartOutcome, Run
from toolsurface_lint.run.transcripts.reader import Reported
from toolsurface_lint.run.transcripts.tally import Tally
from toolsurface_lint.source.files import unread_source
from toolsurface_lint.source.json_lines import LinePlace, LineSource, joined
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Position, Range, SourceText, Span
from toolsurface_lint.source.tree import Path


def joined_outcome(run: Run, parts: Iterable[PartOutcome], max_file_size: int) -> Outcome:
    """What came of all transcripts of a run: of their parts, in order, and of those that were read whole.

    Files of up to `max_file_size` bytes are among its sources.
    """
    totals = [_Total(transcript, surface) for transcript, surface in run.followed]
    crashed = False
    for part in parts:
        totals[part.transcript].add_part(part)
        crashed = crashed or part.crashed
    for number, total in enumerate(totals):
        reader = run.reader(number)
        for problem in joined(total.problems):
            reader.problem(problem)
        for tree in total.transcript.trees:
            reader.value(tree)
        reader.end()
        total.add(reader.reported, reader.tally)
    return Outcome(
        [item for total in totals for item in total.reported],
        tuple(total.summary() for total in totals),
        _sources(run, max_file_size),
        crashed or run.checks.crashed,
    )


class _Total:
    """What came of one transcript so far."""

    def __init__(self, transcript: Transcript, surface: Surface) -> None:
        self.transcript = transcript
        self.reported: list[tuple[Diagnostic, Path, Surface]] = []
        self.problems: list[Problem[LinePlace]] = []
        self._surface = surface
        self._tally = Tally()
        self._codes: Counter[str] = Counter()
        self._lines = 0
        self._characters = 0

    def add(self, reported: Iterable[Reported], tally: Tally) -> None:
        """Add what was found and counted, with its places as they are."""
        for diagnostic, path in reported:
            self._codes[diagnostic.code] += 1
            self.reported.append((diagnostic, path, self._surface))
        self._tally.add(tally)

    def add_part(self, part: PartOutcome) -> None:
        """Add what came of the next part of the file."""
        path, lines, characters = self.transcript.path, self._lines, self._characters
        reported = part.reported
        if lines or characters:
            reported = [item._replace(diagnostic=_moved(item.diagnostic, path, lines, characters)) for item in reported]
        self.add(reported, part.tally)
        self.problems.extend(problem._replace(at=problem.at.moved(lines, characters)) for problem in part.problems)
        if part.unreadable is not None:
            start = LinePlace(LineSource(path, "", 1, 0), Span(0, 0), 1, 1)
            self.problems.append(Problem("unreadable/os", start, {"reason": part.unreadable}))
        self._lines += part.lines
        self._characters += part.characters

    def summary(self) -> TranscriptSummary:
        tally = self._tally
        return TranscriptSummary(
            self.transcript.path,
            tally.conversations,
            tally.clean,
            tally.turns,
            tally.calls,
            tally.results,
            dict(sorted(self._codes.items())),
            {name: (calls, failures) for name, (calls, failures) in sorted(tally.tools.items())},
        )


def _sources(run: Run, limit: int) -> dict[str, SourceText]:
    """The texts of the files that were read line by line, to be read whole only if somebody asks, and if they may be."""
    return {
        transcript.path: unread_source(transcript.file, transcript.path, limit)
        for transcript, _ in run.followed
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
