"""What is kept of one run: its report as plain data, and what it has asked, in JSON.

Whether somebody else has written it, `folder` knows before anything of it is read here.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from toolsurface_lint.model.diagnostics import (
    AppliedFix,
    Diagnostic,
    Location,
    Related,
    Report,
    Rule,
    Skipped,
    Suppressed,
    SurfaceSummary,
    TextEdit,
    TranscriptSummary,
)
from toolsurface_lint.model.unseen import Unseen
from toolsurface_lint.source import disk
from toolsurface_lint.source.files import ReadAgain, changed_since, read_again, unread_source
from toolsurface_lint.source.text import Position, Range, SourceText, Span

if TYPE_CHECKING:
    from datetime import date

_Facts = dict[str, dict[str, Any]]


class Entry:
    """The questions of a run and its report; `refreshed` if a file has been touched that is the same as before."""

    def __init__(self, facts: _Facts, report: bytes) -> None:
        self._facts = facts
        self._report = report
        self.refreshed = False

    @classmethod
    def of(cls, report: Report, facts: disk.Facts) -> Entry | None:
        """The entry of a run; None if its report depends on more than can be asked again, or holds more than can be written."""
        # What crashed or was stopped may come to its end the next time.
        if not facts.steady or report.internal_errors or report.not_rendered:
            return None
        plain = _to_plain(report)
        if plain is None:
            return None
        asked: _Facts = {}
        for (question, about), answer in facts.answers.items():
            if question == disk.CONTENT:
                answer = _kept_content(answer, facts.since)
                if answer == _UNKNOWN:
                    return None
            asked.setdefault(question, {})[about] = answer
        return cls(asked, json.dumps(plain, separators=(",", ":")).encode())

    @classmethod
    def decoded(cls, data: bytes) -> Entry | None:
        facts, _, report = data.partition(b"\n")
        try:
            return cls(json.loads(facts), report)
        except ValueError:
            return None

    def encoded(self) -> bytes:
        return json.dumps(self._facts, separators=(",", ":")).encode() + b"\n" + self._report

    def has_read(self, status: os.stat_result) -> bool:
        """Whether the run has read a file, under whichever name."""
        for path in self._facts.get(disk.CONTENT, ()):
            with suppress(OSError, ValueError):
                if os.path.samestat(os.stat(path), status):
                    return True
        return False

    def report_if_still_so(self, today: date | None) -> Report | None:
        """The report, if every question is answered as it was."""
        since = time.time_ns()
        for question, answers in self._facts.items():
            ask = _asking(question, today)
            for about, answer in answers.items():
                now = read_again(about, answer) if ask is None else ask(about)
                if now != answer:
                    if ask is not None or not _is_same_content(answer, now):
                        return None
                    now = _kept_content(now, since)
                    self.refreshed |= now != answer
                    answers[about] = now
        return _from_plain(json.loads(self._report))


def _asking(question: str, today: date | None) -> Callable[[str], Any] | None:
    """How a question is asked again; None for that of the content of a file."""
    if question == disk.CONTENT:
        return None
    if question == disk.GIT:
        from toolsurface_lint.project.git.process import ask_again

        return ask_again
    if question == disk.DAY:
        from toolsurface_lint.source.dates import day_of

        return lambda _: day_of(today)
    return disk.ASK[question]


_UNKNOWN = [None, None]


def _kept_content(content: Any, since: int) -> Any:
    """What is kept of the content of a file: of one that may change unseen, only its digest."""
    return [None, content[1]] if changed_since(content, since) else content


def _is_same_content(before: Any, now: Any) -> bool:
    return isinstance(before, list) and isinstance(now, list) and before[1] is not None and before[1] == now[1]


def _to_plain(report: Report) -> Any:
    """A report as what JSON can say; named tuples are written as lists, those of the same kinds in the same places."""
    sources: dict[str, Any] = {}
    for path, source in report.sources.items():
        if type(source) is not SourceText:
            # A part of a file, which knows where it begins.
            return None
        again = source.reload
        # What does not stand in a file as it is, such as the readable part of a broken one, comes along.
        sources[path] = [again.path, again.max_size] if isinstance(again, ReadAgain) else [source.text]
    from toolsurface_lint.checks.index import RULES

    codes = report.codes
    if codes is None or not RULES.keys() >= codes:
        return None
    return {
        "diagnostics": report.diagnostics,
        "surfaces": report.surfaces,
        "skipped": report.skipped,
        "counts": report.summary,
        "codes": sorted(codes),
        "suppressed": report.suppressed,
        "sources": sources,
        "fail_on": report.fail_on,
        "empty_folders": report.empty_folders,
        "open_reasons": report.open_reasons,
        "without_tools": report.without_tools,
        "unread_tools": report.unread_tools,
        "not_locked": report.not_locked,
        "transcripts": report.transcripts,
        "broken": sorted(report.broken),
        "protocols": report.protocols,
        "asked": report.asked,
    }


def _from_plain(plain: Any) -> Report:
    codes = frozenset(plain["codes"])

    def rules() -> tuple[Rule, ...]:
        from toolsurface_lint.checks import all_rules

        return tuple(rule for rule in all_rules() if rule.code in codes)

    return Report(
        tuple(map(_diagnostic, plain["diagnostics"])),
        surfaces=tuple(
            SurfaceSummary(name, valid, is_open, tuple(tools), tuple(files))
            for name, valid, is_open, tools, files in plain["surfaces"]
        ),
        skipped=tuple(Skipped(*each) for each in plain["skipped"]),
        counts=plain["counts"],
        rules=rules,
        codes=codes,
        suppressed=tuple(Suppressed(_diagnostic(each), by, reason) for each, by, reason in plain["suppressed"]),
        sources={
            path: SourceText(path, *known) if len(known) == 1 else unread_source(known[0], path, known[1])
            for path, known in plain["sources"].items()
        },
        fail_on=plain["fail_on"],
        empty_folders=tuple(plain["empty_folders"]),
        open_reasons=_unseen(plain["open_reasons"]),
        without_tools=tuple(plain["without_tools"]),
        unread_tools=_unseen(plain["unread_tools"]),
        not_locked=_unseen(plain["not_locked"]),
        transcripts=tuple(map(_transcript, plain["transcripts"])),
        broken=frozenset((path, problem) for path, problem in plain["broken"]),
        protocols=plain["protocols"],
        asked=plain["asked"],
    )


def _unseen(plain: Iterable[Any]) -> tuple[Unseen, ...]:
    return tuple(Unseen(*each) for each in plain)


def _diagnostic(plain: Any) -> Diagnostic:
    code, severity, message, location, related, tool, field, surface, scope, help, fix, pointer, parameters, url = plain
    return Diagnostic(
        code,
        severity,
        message,
        None if location is None else _location(location),
        tuple(Related(text, _location(place)) for text, place in related),
        tool,
        field,
        surface,
        scope,
        help,
        None if fix is None else _fix(fix),
        pointer,
        tuple(parameters),
        url,
    )


def _location(plain: Any) -> Location:
    path, (start, end), span = plain
    return Location(path, Range(Position(*start), Position(*end)), Span(*span))


def _fix(plain: Any) -> AppliedFix:
    title, safe, edits = plain
    return AppliedFix(title, safe, tuple(TextEdit(_location(place), text) for place, text in edits))


def _transcript(plain: Any) -> TranscriptSummary:
    summary = TranscriptSummary(*plain)
    return summary._replace(tools={name: (calls, failures) for name, (calls, failures) in summary.tools.items()})
