"""What is to be written for the findings of one report: comments where they are possible, else tables in the settings."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections import defaultdict
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
        self._note = note
        self._isolated = isolated
        self._files: list[_File] = []
        documents = {document.path: document for document in project.documents}
        named = Given(given)
        reach = Reach(given)
        for display, diagnostics in _by_file(filter(can_ignore, report.diagnostics)).items():
            document = documents.get(display)
            path = os.path.abspath(display) if document is None else project.absolute(document)
            file = _File(path, display, diagnostics)
            self._files.append(file)
            source = report.sources.get(display)
            # A finding may lie in a file that nobody named; changing that one would surprise.
            is_named = named.holds(path) and reach.reason_against(path) is None
            if is_named and source is not None and document is not None and reads_comments(document):
                file.read(document, source.text)

    def refusals(self) -> tuple[tuple[str, str], ...]:
        """The displayed path of each file that is left as it is, and why."""
        return tuple(sorted((file.display, file.refused) for file in self._files if file.refused is not None))

    def make(self, barred: Collection[tuple[str, int]]) -> list[Change]:
        """Plan comments in all lines but the barred ones, and the settings for everything else."""
        for file in self._files:
            self._make_file(file, barred)
        path = settings_file(self._settings)
        reason = Reach([path]).reason_against(path)
        ignores = [table for file in self._files for table in file.tables]
        settings = self._settings_change(path, ignores) if ignores and reason is None else None
        for file in self._files:
            file.refused = None
            if file.has_changed:
                file.refused = "it changed while it was checked"
            elif file.left and not file.tables:
                where = "--isolated reads no settings" if self._isolated else "it lies outside of the settings' folder"
                file.refused = f"no comment can hide all that is found in it, and {where}"
            elif file.tables and settings is None:
                file.refused = (
                    f"{display_path(path)} cannot take what it needs{'' if reason is None else f': {reason}'}"
                )
        changes = [file.change() for file in self._files if file.comments]
        return sorted(changes if settings is None else [*changes, settings])

    def _make_file(self, file: _File, barred: Collection[tuple[str, int]]) -> None:
        """Plan the comments of one file, and the tables for the findings that are left."""
        free = [diagnostic for diagnostic in file.diagnostics if (file.display, _line(diagnostic)) not in barred]
        file.plan(free, self._note)
        file.left = [diagnostic for diagnostic in file.diagnostics if not file.has_comment(diagnostic)]
        if self._isolated or file.has_changed:
            return
        file.tables = ignoring(file.left, file.path, self._settings, self._note)
        if file.tables and file.comments:
            # What a table hides anyway needs no comment.
            rest = [diagnostic for diagnostic in free if not any(_hides(table, diagnostic) for table in file.tables)]
            file.plan(rest, self._note)

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
        """The lines whose comments do not do what they should, by file; `all_of_a_file`: all lines of such a file."""
        hidden = {_key(suppressed.diagnostic) for suppressed in after.suppressed}
        shown = _by_file(after.diagnostics)
        wrong: set[tuple[str, int]] = set()
        for file in self._files:
            if not file.comments:
                continue
            left = file.left if file.refused is not None else ()
            expected = {(file.moved(_line(diagnostic)), diagnostic.code) for diagnostic in left}
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
    """A file with findings.

    `comments` are planned in it, if it has a `document` that can hold any, by line; `tables` hide the findings that
    are `left` by them, unless the file is `refused`.
    """

    def __init__(self, path: str, display: str, diagnostics: Sequence[Diagnostic]) -> None:
        self.path = path
        self.display = display
        self.diagnostics = diagnostics
        self.comments: dict[int, list[Insertion]] = {}
        self.tables: list[FileIgnore] = []
        self.left: list[Diagnostic] = []
        self.refused: str | None = None
        self.has_changed = False
        self._document: Document | None = None
        self._data = b""
        self._text = ""
        self._new_lines: list[int] = []

    def read(self, document: Document, checked: str) -> None:
        """Read its text, which must be the one that was checked."""
        try:
            self._data = read_file(self.path)
            self._text = decode(self._data)
        except (OSError, Unreadable):
            return
        self.has_changed = self._text != checked
        self._document = None if self.has_changed else document

    def plan(self, diagnostics: Iterable[Diagnostic], note: Note) -> None:
        """Plan the comments for some of the diagnostics."""
        if self._document is None:
            return
        wanted: dict[int, set[str]] = defaultdict(set)
        for diagnostic in filter(can_hide, diagnostics):
            wanted[_line(diagnostic)].add(diagnostic.code)
        self.comments = plan_comments(self._document, self._text, wanted, note)
        lines = LineIndex(self._text)
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
        text = inserted(self._text, [insertion for made in self.comments.values() for insertion in made])
        return Change(self.path, self.display, self._data, encoded(text, self._data))


def _by_file(diagnostics: Iterable[Diagnostic]) -> dict[str, list[Diagnostic]]:
    found: dict[str, list[Diagnostic]] = defaultdict(list)
    for diagnostic in diagnostics:
        if diagnostic.location is not None:
            found[diagnostic.location.path].append(diagnostic)
    return found


def _line(diagnostic: Diagnostic) -> int:
    return 1 if diagnostic.location is None else diagnostic.location.range.start.line


def _key(diagnostic: Diagnostic) -> tuple[str, int, str]:
    return ("" if diagnostic.location is None else diagnostic.location.path, _line(diagnostic), diagnostic.code)


def _hides(table: FileIgnore, diagnostic: Diagnostic) -> bool:
    if diagnostic.code not in table.codes:
        return False
    return table.pointer is None or f"{diagnostic.pointer or ''}/".startswith(f"{table.pointer}/")
