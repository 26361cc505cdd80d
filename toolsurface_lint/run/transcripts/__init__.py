"""Checks transcripts against their surfaces: every conversation turn by turn, files of any size line by line.

Nothing of a conversation is kept once it has been followed, so memory is bounded by the longest line and by the findings.
Large files are cut at line ends, so that processes can share their parts; here is decided what is a part, and what came of
the parts is put together. `reader` follows what the values in a part hold, `conversation` checks one conversation, and
`plain_chat` counts those that need no such look.
"""

from __future__ import annotations

import gc
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import accumulate, islice
from types import MappingProxyType
from typing import NamedTuple

from toolsurface_lint.checks.contract import CALL, CONVERSATION, RESULT
from toolsurface_lint.checks.input.problems import rule_of, unreadable_lines
from toolsurface_lint.model.diagnostics import Diagnostic, Finding, Location, TranscriptSummary
from toolsurface_lint.model.transcript import Transcript
from toolsurface_lint.project.project import Project
from toolsurface_lint.project.settings.selection import Selection
from toolsurface_lint.run.parallel import shared
from toolsurface_lint.run.reporting import FollowedTranscripts, Resolver, SurfaceDiagnostic
from toolsurface_lint.run.transcripts.beside import RowsBeside
from toolsurface_lint.run.transcripts.conversation import CalledSurface, ConversationChecks
from toolsurface_lint.run.transcripts.plain_chat import Tally
from toolsurface_lint.run.transcripts.reader import TranscriptReader
from toolsurface_lint.source.files import unread_source
from toolsurface_lint.source.json_lines import LinePlace, Lines, LineSource, joined, split_at_lines
from toolsurface_lint.source.json_values import LARGE, quick_reader
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Position, Range, SourceText, Span
from toolsurface_lint.source.tree import Place, TextTree, Tree

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
    followed: list[tuple[Transcript, CalledSurface]] = []
    for surface in project.scopes:
        if surface.transcripts:
            called = CalledSurface(surface)
            followed += ((transcript, called) for transcript in surface.transcripts)
    bounds = [_bounds(transcript) for transcript, _ in followed]
    parts = [
        (*each, start, end) for each, its_bounds in zip(followed, bounds, strict=True) for start, end in its_bounds
    ]
    read = [0, *accumulate(end - start for *_, start, end in parts)]

    quickly = quick_reader() if read[-1] > LARGE else None

    def follow(transcript: Transcript, called: CalledSurface, start: int, end: int) -> _Part:
        lines = Lines(
            transcript.file, transcript.path, start, end, max_line=limit, quickly=quickly, prefixed=transcript.prefixed
        )
        with checks.counting() as asked:
            part = _follow(transcript, called, checks, lines, limit)
        project.release_recording(transcript)
        # What is plain needs no check to be looked at.
        tally = part.tally
        seen = {CALL.name: tally.calls, RESULT.name: tally.served, CONVERSATION.name: tally.conversations}
        return part._replace(asked={**asked, **{name: number for name, number in seen.items() if number}})

    def show(index: int) -> None:
        if progress is not None:
            progress(read[index + 1], read[-1])

    results = shared([partial(follow, *part) for part in parts], min(jobs, 1 + read[-1] // WORTH_SHARING), show)
    found: list[SurfaceDiagnostic] = []
    summaries: list[TranscriptSummary] = []
    members: dict[str, tuple[SourceText, str]] = {}
    asked: Counter[str] = Counter()
    for (transcript, called), its_bounds in zip(followed, bounds, strict=True):
        total = _Total(transcript)
        for part in islice(results, len(its_bounds)):
            total.add(part)
        total.end(checks)
        asked.update(total.asked)
        found.extend((diagnostic, called.surface) for diagnostic in total.found)
        summaries.append(total.summary())
        members.update((path, (source, transcript.path)) for path, source in total.members.items())
    met = {diagnostic.location.path for diagnostic, _ in found if diagnostic.location is not None}
    sources = {
        transcript.path: unread_source(transcript.file, transcript.path, limit)
        for transcript, _ in followed
        if _is_lines(transcript) and transcript.size <= limit and transcript.path in met
    }
    sources.update((path, source) for path, (source, _) in members.items())
    return FollowedTranscripts(
        found, tuple(summaries), sources, {path: archive for path, (_, archive) in members.items()}, asked
    )


def _start(path: str) -> Place:
    return Place(TextTree(LineSource(path, "", 1, 0)), (), "text")


def _is_lines(transcript: Transcript) -> bool:
    return not transcript.trees and transcript.archived is None


def _bounds(transcript: Transcript) -> Sequence[tuple[int, int]]:
    """The parts of a transcript, from byte to byte."""
    if _is_lines(transcript) and not transcript.session and transcript.size > PART:
        with suppress(OSError):
            return split_at_lines(transcript.file, transcript.size, PART)
    return ((0, transcript.size),)


def _key(finding: Finding) -> tuple[str, ...]:
    """What tells a finding about a definition from others: one tool in a thousand lists of tools is one tool."""
    return finding.rule.code, finding.tool or "", finding.field or "", finding.message


class _Part(NamedTuple):
    """What came of a part of a transcript: with lines and offsets counted from the beginning of the part.

    `definitions` is what there is to say about the tools that its conversations carry, by what tells one such finding from
    others in a file; `lines` and `characters` are what was read of it, `unreadable` is why the system did not let the rest be
    read; `members` are the texts of those members of an archive in which something was found; `asked` is how many things
    of each subject were looked at.
    """

    found: list[Diagnostic]
    definitions: dict[tuple[str, ...], Diagnostic]
    tally: Tally
    problems: Sequence[Problem[LinePlace]] = ()
    lines: int = 0
    characters: int = 0
    unreadable: str | None = None
    members: Mapping[str, SourceText] = MappingProxyType({})
    asked: Mapping[str, int] = MappingProxyType({})


def _follow(
    transcript: Transcript, called: CalledSurface, checks: ConversationChecks, lines: Lines, limit: int
) -> _Part:
    """Follow a part of a transcript, of which these are the lines; one that was read whole is a part."""
    resolver = Resolver(checks.severity)
    found: list[Diagnostic] = []
    definitions: dict[tuple[str, ...], Diagnostic] = {}

    def sink(finding: Finding) -> None:
        found.append(resolver.diagnostic(finding))

    def define(finding: Finding) -> None:
        key = _key(finding)
        if key not in definitions:
            definitions[key] = resolver.diagnostic(finding)

    reader = TranscriptReader(
        called,
        checks,
        sink,
        definitions=define,
        documents=bool(transcript.trees),
        beside=RowsBeside(transcript.file, transcript.path, limit),
    )
    unreadable = None
    members: dict[str, SourceText] = {}
    problems: list[Problem[LinePlace]] = []
    values: Iterable[Tree | Problem[LinePlace]] = transcript.trees or lines
    if transcript.archived is not None:
        values = transcript.archived()
    try:
        for value in values:
            if isinstance(value, Problem):
                problems = joined([*problems, value])
                members.setdefault(value.at.source.path, value.at.source)
                continue
            before = len(found)
            reader.value(value)
            if transcript.archived is not None and len(found) > before and value.source is not None:
                members[value.origin] = value.source
                value.source.release()
    except OSError as error:
        unreadable = error.strerror or str(error)
    except Exception as error:
        reader.crash(_start(transcript.path), error)
    reader.end()
    if not gc.isenabled():
        # What a traceback or an embedded text ties together is only freed by a collection.
        gc.collect(0)
    return _Part(
        found,
        definitions,
        reader.tally,
        (*lines.problems, *problems),
        lines.lines,
        lines.characters,
        unreadable,
        members,
    )


class _Total:
    """One transcript, and what came of its parts so far."""

    def __init__(self, transcript: Transcript) -> None:
        self.found: list[Diagnostic] = []
        self.members: dict[str, SourceText] = {}
        """The members of an archive in which something was found, and their texts."""
        self._path = transcript.path
        self._problems: list[Problem[LinePlace]] = []
        self._broken_off: list[Problem[LinePlace]] = []
        self._definitions: dict[tuple[str, ...], Diagnostic] = {}
        self._tally: Tally | None = None
        self.asked: Counter[str] = Counter()
        self._lines = 0
        self._characters = 0

    def add(self, part: _Part) -> None:
        """Take in what came of the next part of the file."""
        path, lines, characters = self._path, self._lines, self._characters
        found, definitions, problems = part.found, part.definitions, part.problems
        if lines or characters:
            found = [_moved(diagnostic, path, lines, characters) for diagnostic in found]
            definitions = {key: _moved(each, path, lines, characters) for key, each in definitions.items()}
            problems = [problem._replace(at=problem.at.moved(lines, characters)) for problem in problems]
        self.found.extend(found)
        self.members.update(part.members)
        self.asked.update(part.asked)
        self._definitions = definitions | self._definitions
        self._problems.extend(problems)
        if part.unreadable is not None:
            start = LinePlace(LineSource(path, "", 1, 0), Span(0, 0), 1)
            self._broken_off.append(Problem("unreadable/os", start, {"reason": part.unreadable}))
        if self._tally is None:
            self._tally = part.tally
        else:
            self._tally.add(part.tally)
        self._lines += part.lines
        self._characters += part.characters

    def end(self, checks: ConversationChecks) -> None:
        """Take in the lines that cannot be read, of all parts, and what there is to say about tools."""
        resolver = Resolver(checks.severity)
        for problem in (*joined(self._problems), *self._broken_off[:1]):
            if rule_of(problem).code in checks.enabled:
                place = Place(TextTree(problem.at.source), (), "text", *problem.at.span)
                what = "line" if problem.at.source.path == self._path else "member"
                self.found.append(resolver.diagnostic(unreadable_lines(problem, place, what)))
        self.found.extend(self._definitions.values())

    def summary(self) -> TranscriptSummary:
        tally = self._tally or Tally()
        codes = Counter(diagnostic.code for diagnostic in self.found)
        return TranscriptSummary(
            self._path,
            tally.conversations,
            tally.clean,
            tally.turns,
            tally.calls,
            tally.results,
            tally.duplicate_ids,
            tally.undeclared,
            dict(sorted(codes.items())),
            # Thousands of transcripts name the same few tools.
            {sys.intern(name): (calls, failures) for name, (calls, failures) in sorted(tally.tools.items())},
            dict(sorted(tally.protocols.items())),
            dict(sorted(tally.schemas.items())),
        )


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
