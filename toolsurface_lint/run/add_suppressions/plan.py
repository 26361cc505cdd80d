"""What is to be written for the findings of one report: comments where they can stand, tables in the settings else."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence

from toolsurface_lint.model.diagnostics import Diagnostic, Report
from toolsurface_lint.model.document import Document
from toolsurface_lint.project.discovery.paths import Given, display_path
from toolsurface_lint.project.project import Project
from toolsurface_lint.project.settings import FileIgnore
from toolsurface_lint.project.settings.loading import MAX_SETTINGS
from toolsurface_lint.run.add_suppressions.comments import can_hide, plan_comments, reads_comments
from toolsurface_lint.run.add_suppressions.ignores import add_ignores, can_ignore, ignoring, settings_file
from toolsurface_lint.run.add_suppressions.insertions import Insertion, inserted
from toolsurface_lint.run.add_suppressions.notes import Note
from toolsurface_lint.run.fixes import Change, encoded, read_file
from toolsurface_lint.run.writing import Reach
from toolsurface_lint.source.files import read_bytes
from toolsurface_lint.source.text import LineIndex, Unreadable, decode


class Plan:
    """What is to be written for the findings of one report."""

    def __init__(self, project: Project, report: Report, given: Sequence[str], note: Note, isolated: bool) -> None:
        self._settings = project.settings
        self._documents = {document.path: document for document in project.documents}
        self._note = note
        self._isolated = isolated
        self._expected: dict[str, set[tuple[int, str]]] = {}
        """The findings that will be left, by file: line as it is now, code."""
        by_file: dict[str, list[Diagnostic]] = {}
        for diagnostic in report.diagnostics:
            if can_ignore(diagnostic) and diagnostic.location is not None:
                by_file.setdefault(diagnostic.location.path, []).append(diagnostic)
        named = Given(given)
        reach = Reach(given)
        self._files: list[_File] = []
        for display, diagnostics in by_file.items():
            document = self._documents.get(display)
            path = os.path.abspath(display) if document is None else project.absolute(document)
            file = _File(path, display, diagnostics)
            self._files.append(file)
            # A finding may lie in a file that nobody named; changing that one would surprise.
            if not named.holds(path) or reach.reason_against(path) is not None:
                continue
            source = report.sources.get(display)
            if source is not None and document is not None and reads_comments(document):
                file.read(source.text)

    def refusals(self) -> tuple[tuple[str, str], ...]:
        """The displayed path of each file that is left as it is, and why."""
        return tuple(sorted((file.display, file.refused) for file in self._files if file.refused is not None))

    def make(self, barred: Collection[tuple[str, int]]) -> list[Change]:
        """Plan comments in all lines but the barred ones, and the settings for everything else."""
        self._expected = {}
        ignores: list[FileIgnore] = []
        in_settings = []
        for file in self._files:
            file.refused = "it changed while it was checked" if file.has_changed else None
            if file.has_changed:
                self._leave(file, file.diagnostics)
                continue
            left, tables = self._make_file(file, barred)
            if left and not tables:
                where = "--isolated reads no settings" if self._isolated else "it lies outside of the settings' folder"
                file.refused = f"no comment can hide all that is found in it, and {where}"
                self._leave(file, left)
            elif left:
                ignores += tables
                in_settings.append((file, left))
        path = settings_file(self._settings)
        reason = Reach([path]).reason_against(path)
        settings = self._settings_change(path, ignores) if ignores and reason is None else None
        for file, left in in_settings if settings is None else ():
            file.refused = f"{display_path(path)} cannot take what it needs{'' if reason is None else f': {reason}'}"
            self._leave(file, left)
        changes = [file.change() for file in self._files if file.comments]
        return sorted(changes if settings is None else [*changes, settings])

    def _make_file(self, file: _File, barred: Collection[tuple[str, int]]) -> tuple[list[Diagnostic], list[FileIgnore]]:
        """Plan the comments of one file; the findings that they do not hide, and the tables that do."""
        free = [diagnostic for diagnostic in file.diagnostics if (file.display, _line(diagnostic)) not in barred]
        document = self._documents.get(file.display)
        if file.text is not None and document is not None:
            file.plan(document, file.text, free, self._note)
        left = [diagnostic for diagnostic in file.diagnostics if not file.has_comment(diagnostic)]
        tables = [] if self._isolated else ignoring(left, file.path, self._settings, self._note)
        if tables and file.comments and file.text is not None and document is not None:
            # What a table hides anyway needs no comment.
            rest = [diagnostic for diagnostic in free if not any(_hides(table, diagnostic) for table in tables)]
            file.plan(document, file.text, rest, self._note)
        return left, tables

    def _leave(self, file: _File, diagnostics: Iterable[Diagnostic]) -> None:
        expected = self._expected.setdefault(file.display, set())
        expected.update((_line(diagnostic), diagnostic.code) for diagnostic in diagnostics)

    def _settings_change(self, path: str, ignores: Sequence[FileIgnore]) -> Change | None:
        data: bytes | None = None
        try:
            data = read_bytes(path, MAX_SETTINGS)
            text = decode(data)
        except FileNotFoundError:
            text = ""
        except (OSError, Unreadable):
            return None
        insertion = add_ignores(path, text, ignores)
        if insertion is None:
            return None
        return Change(path, display_path(path), data, encoded(inserted(text, [insertion]), data))

    def wrong(self, after: Report, *, all_of_a_file: bool) -> set[tuple[str, int]]:
        """The lines whose comments do not do what they should, by file; `all_of_a_file`: those beside them too."""
        hidden = {_key(suppressed.diagnostic) for suppressed in after.suppressed}
        shown: dict[str, list[Diagnostic]] = {}
        for diagnostic in after.diagnostics:
            if diagnostic.location is not None:
                shown.setdefault(diagnostic.location.path, []).append(diagnostic)
        wrong: set[tuple[str, int]] = set()
        for file in self._files:
            if not file.comments:
                continue
            expected = {(file.moved(line), code) for line, code in self._expected.get(file.display, ())}
            lines = {
                _line(diagnostic)
                for diagnostic in file.diagnostics
                if file.has_comment(diagnostic)
                and (file.display, file.moved(_line(diagnostic)), diagnostic.code) not in hidden
            }
            for diagnostic in shown.get(file.display, ()):
                if (_line(diagnostic), diagnostic.code) not in expected:
                    lines.add(min(file.comments, key=lambda line: abs(file.moved(line) - _line(diagnostic))))
            wrong.update((file.display, line) for line in (file.comments if lines and all_of_a_file else lines))
        return wrong


class _File:
    """A file with findings; `comments` are planned in it, if it has any, by line. `text` is None if it can hold none."""

    def __init__(self, path: str, display: str, diagnostics: Sequence[Diagnostic]) -> None:
        self.path = path
        self.display = display
        self.diagnostics = diagnostics
        self.data = b""
        self.text: str | None = None
        self.comments: dict[int, list[Insertion]] = {}
        self.has_changed = False
        self.refused: str | None = None
        self._new_lines: list[int] = []

    def read(self, checked: str) -> None:
        """Read its text, which must be the one that was checked."""
        try:
            self.data = read_file(self.path)
            text = decode(self.data)
        except (OSError, Unreadable):
            return
        if text == checked:
            self.text = text
        else:
            self.has_changed = True

    def plan(self, document: Document, text: str, diagnostics: Iterable[Diagnostic], note: Note) -> None:
        """Plan the comments for some of the diagnostics."""
        wanted: dict[int, set[str]] = {}
        for diagnostic in diagnostics:
            if can_hide(diagnostic):
                wanted.setdefault(_line(diagnostic), set()).add(diagnostic.code)
        self.comments = plan_comments(document, text, wanted, note)
        lines = LineIndex(text)
        self._new_lines = sorted(
            lines.line_at(insertion.offset)
            for made in self.comments.values()
            for insertion in made
            if insertion.text.endswith(("\n", "\r"))
        )

    def has_comment(self, diagnostic: Diagnostic) -> bool:
        return _line(diagnostic) in self.comments and can_hide(diagnostic)

    def moved(self, line: int) -> int:
        """The line that a line is once the comments are written."""
        return line + bisect_right(self._new_lines, line)

    def change(self) -> Change:
        assert self.text is not None
        text = inserted(self.text, [insertion for made in self.comments.values() for insertion in made])
        return Change(self.path, self.display, self.data, encoded(text, self.data))


def _line(diagnostic: Diagnostic) -> int:
    return 1 if diagnostic.location is None else diagnostic.location.range.start.line


def _key(diagnostic: Diagnostic) -> tuple[str, int, str]:
    return ("" if diagnostic.location is None else diagnostic.location.path, _line(diagnostic), diagnostic.code)


def _hides(table: FileIgnore, diagnostic: Diagnostic) -> bool:
    if diagnostic.code not in table.codes:
        return False
    return table.pointer is None or f"{diagnostic.pointer or ''}/".startswith(f"{table.pointer}/")
