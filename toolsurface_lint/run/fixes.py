"""Applying fixes: edits of the text, read and checked again until nothing is left to fix.

Everything happens in memory; files are written once, at the end. Only the edited characters change:
nothing is ever serialised again, so layout, comments, line ends and byte order marks stay.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from toolsurface_lint.model.diagnostics import AppliedFix, Report, TextEdit
from toolsurface_lint.project.discovery.paths import Given
from toolsurface_lint.run.writing import NotWritten as NotWritten
from toolsurface_lint.run.writing import Reach, replace
from toolsurface_lint.source.files import open_file
from toolsurface_lint.source.text import Unreadable, decode

ROUNDS = 10
"""A fix may bring up another; what needs more rounds than this goes in circles."""

_MARK = b"\xef\xbb\xbf"

Check = Callable[[Mapping[str, bytes]], Report]
"""Checks everything, with the bytes of some files, by absolute path, in place of those on disk."""


class Change(NamedTuple):
    """One file that changes: its absolute path, its path as displayed, its bytes before and after.

    `before` is None for a file that is not there yet.
    """

    path: str
    display: str
    before: bytes | None
    after: bytes


class Outcome(NamedTuple):
    """What came of fixing.

    `report` is about the files as they are after the `changes`, which are in the order of paths and not yet written.
    `fixed` is the number of fixes applied. `refused` says of each file that was left alone, although it has fixes, why.
    `stable` is false if after `ROUNDS` there was still something to fix: then nothing is changed at all. `more` is the
    number of unsafe fixes that are left because nobody asked for them, `restless` the rules that still had something to fix.
    """

    report: Report
    changes: tuple[Change, ...]
    fixed: int
    refused: tuple[tuple[str, str], ...]
    stable: bool
    more: int = 0
    restless: frozenset[str] = frozenset()


def encoded(text: str, before: bytes | None) -> bytes:
    """The bytes of a file's new text: with a byte order mark if the file had one before."""
    mark = _MARK if before is not None and before.startswith(_MARK) else b""
    return mark + text.encode("utf-8")


def fix(check: Check, given: Sequence[str], *, unsafe: bool) -> Outcome:
    """Fix what can be fixed in the given files and folders; unsafe fixes only if asked for.

    A file whose fixes leave it with a new problem of syntax, or that changes meanwhile, is refused and stays as it is.
    One edit that several findings ask for is made once, and has fixed all of them.
    """
    work = _Work(given, unsafe)
    report = first = check({})
    fixed = 0
    for _ in range(ROUNDS):
        chosen = work.choose(report)
        if not chosen:
            return Outcome(report, work.changes(), fixed, work.refusals(), True, work.unsafe(report))
        edited = work.apply(chosen, report)
        if not edited:
            continue
        again = check({os.path.abspath(path): data for path, data in {**work.current, **edited}.items()})
        broken = new_problems(edited, report, again)
        if broken:
            work.refused.update(dict.fromkeys(broken, "its fixes would leave it with a problem of syntax"))
            continue
        work.current.update(edited)
        report = again
        fixed += len(chosen)
    left = work.choose(report)
    restless = frozenset(each.code for each in report.diagnostics if each.fix in left)
    return Outcome(first, (), 0, work.refusals(), False, restless=restless)


class _Work:
    """The files that fixes have changed so far, and those that they must not touch, by their displayed paths."""

    def __init__(self, given: Sequence[str], unsafe: bool) -> None:
        self._given = Given(given)
        self._reach = Reach(given)
        self._unsafe = unsafe
        self._before: dict[str, bytes] = {}
        self.current: dict[str, bytes] = {}
        self.refused: dict[str, str] = {}

    def choose(self, report: Report) -> list[AppliedFix]:
        """The fixes of one round: in the order of the report, none that touches what another edits."""
        chosen: list[AppliedFix] = []
        taken: dict[str, list[TextEdit]] = {}
        made: set[tuple[TextEdit, ...]] = set()
        for fix in self._fixes(report):
            if not (fix.safe or self._unsafe) or self._refuses(fix):
                continue
            if fix.edits in made:
                chosen.append(fix)
                continue
            if any(_meet(edit, other) for edit in fix.edits for other in taken.get(edit.location.path, ())):
                continue
            chosen.append(fix)
            made.add(fix.edits)
            for edit in fix.edits:
                taken.setdefault(edit.location.path, []).append(edit)
        return chosen

    def unsafe(self, report: Report) -> int:
        """How many fixes of a report were left out as unsafe."""
        if self._unsafe:
            return 0
        return sum(not (fix.safe or self._out_of_reach(fix)) for fix in self._fixes(report))

    def _fixes(self, report: Report) -> Iterator[AppliedFix]:
        for diagnostic in report.diagnostics:
            fix = diagnostic.fix
            if fix is not None and all(map(self._may_edit, fix.edits)):
                yield fix

    def _may_edit(self, edit: TextEdit) -> bool:
        """A finding may lie in a file that nobody named; changing that one would surprise."""
        path = edit.location.path
        return path not in self.refused and self._given.holds(os.path.abspath(path))

    def _refuses(self, fix: AppliedFix) -> bool:
        """Whether a fix is left out because a file that it edits must stay as it is; that is noted."""
        found = self._out_of_reach(fix)
        self.refused.update(found)
        return bool(found)

    def _out_of_reach(self, fix: AppliedFix) -> dict[str, str]:
        """The files that a fix edits and must not, with the reasons."""
        paths = {edit.location.path for edit in fix.edits}
        reasons = {path: self._reach.reason_against(os.path.abspath(path)) for path in paths}
        return {path: reason for path, reason in reasons.items() if reason is not None}

    def apply(self, chosen: Iterable[AppliedFix], report: Report) -> dict[str, bytes]:
        """The new bytes of the files that fixes edit; empty if some of them have to be refused first."""
        edits: dict[str, list[TextEdit]] = {}
        for wanted in {fix.edits: None for fix in chosen}:
            for edit in wanted:
                edits.setdefault(edit.location.path, []).append(edit)
        edited = {}
        for path, of_file in edits.items():
            try:
                data = self.current[path] if path in self.current else read_file(path)
                text = decode(data)
            except (OSError, Unreadable):
                text = None
            source = report.sources.get(path)
            if text is None or source is None or text != source.text:
                self.refused[path] = "it changed while it was checked"
                continue
            self._before.setdefault(path, data)
            edited[path] = encoded(_edited(text, of_file), data)
        return {} if len(edited) < len(edits) else edited

    def refusals(self) -> tuple[tuple[str, str], ...]:
        return tuple(sorted(self.refused.items()))

    def changes(self) -> tuple[Change, ...]:
        return distinct(
            sorted(
                Change(os.path.abspath(path), path, self._before[path], data)
                for path, data in self.current.items()
                if data != self._before[path]
            )
        )


def distinct(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Changes without those that make the same of a file by another name of it, which is a link."""
    made: dict[tuple[str, bytes], Change] = {}
    for change in changes:
        made.setdefault((os.path.realpath(change.path), change.after), change)
    return tuple(made.values())


def _meet(edit: TextEdit, other: TextEdit) -> bool:
    (start, end), (other_start, other_end) = edit.location.span, other.location.span
    return (start < other_end and other_start < end) or (start, end) == (other_start, other_end)


def _edited(text: str, edits: Iterable[TextEdit]) -> str:
    for edit in sorted(edits, key=lambda edit: edit.location.span, reverse=True):
        start, end = edit.location.span
        text = text[:start] + edit.text + text[end:]
    return text


def new_problems(edited: Iterable[str], before: Report, after: Report) -> list[str]:
    """Those of some files, by displayed path, that have a new problem of the file itself, or are read no more."""
    new = {path for path, _ in _problems(after) - _problems(before)}
    new.update(skipped.path for skipped in set(after.skipped) - set(before.skipped))
    return [path for path in edited if path in new]


def _problems(report: Report) -> frozenset[tuple[str, str]]:
    """What is wrong with files as files: what is reported of it, and what is known though its rules are not enabled."""
    reported = {
        (diagnostic.location.path, diagnostic.message)
        for diagnostic in report.diagnostics
        if diagnostic.location is not None and diagnostic.code.startswith("INPUT_")
    }
    return report.broken | reported


def write(change: Change) -> None:
    """Give a file its new content in one step. Raises `NotWritten`."""
    replace(change.path, change.after, change.before, change.display)


def read_file(path: str) -> bytes:
    """All of a file. Raises `OSError`."""
    with open_file(path) as file:
        return file.read()


def diff(change: Change) -> str:
    """A change as a unified diff that `patch -p0` and `git apply -p0` take."""
    from difflib import unified_diff
    from io import StringIO

    # With their byte order marks: a patch is about bytes. Lines end at line feeds alone, as for `patch`.
    texts = ((data or b"").decode("utf-8") for data in (change.before, change.after))
    before, after = (StringIO(text, newline="\n").readlines() for text in texts)
    # `patch` reads a name to its first blank, unless a tab ends it.
    name = f"{change.display}\t" if " " in change.display else change.display
    old = "/dev/null" if change.before is None else name
    lines = unified_diff(before, after, old, name)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
