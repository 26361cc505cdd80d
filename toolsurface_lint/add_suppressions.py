"""Writing suppressions: a comment above the line of a finding, or where none can stand, a table in the settings.

Only insertions: every character that was there before stays, line ends and byte order marks among them. A comment that
would change what a file says, or what another directive covers, is not written.
"""

from __future__ import annotations

import json
import os
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from toolsurface_lint.config import OWN_FILE, SHARED_FILE, TABLE, FileIgnore, Settings
from toolsurface_lint.diagnostics import Diagnostic, Report
from toolsurface_lint.discovery import display_path
from toolsurface_lint.fixes import ROUNDS, Change, Outcome, distinct
from toolsurface_lint.model.document import Document
from toolsurface_lint.project import Project
from toolsurface_lint.source.directives import LINE as SAME_LINE
from toolsurface_lint.source.directives import NEXT_LINE, OWN, Directive, directives
from toolsurface_lint.source.markdown import layout
from toolsurface_lint.source.text import LineIndex, SourceText, Span, Unreadable, decode
from toolsurface_lint.source.values import values

_COMMENTS = {
    "markdown": "<!-- {} -->",
    "text": "<!-- {} -->",
    "yaml": "# {}",
    "toml": "# {}",
    "python": "# {}",
    "json": "// {}",
    "template": "{{{{# {} #}}}}",
    "jinja": "{{# {} #}}",
}
_JINJA = (".j2", ".jinja", ".jinja2")
_PROSE = ("markdown", "text")
# Directives do not hide the first two; a file that cannot be read is not one to write into.
_NOT_IN_COMMENTS = ("SUPPRESSION_", "INTERNAL_ERROR", "INPUT_")
_NEVER = "INTERNAL_ERROR"


class Insertion(NamedTuple):
    """A text to insert into a document at an offset."""

    offset: int
    text: str


def inserted(text: str, insertions: Iterable[Insertion]) -> str:
    """A text with insertions, of which those at one offset follow each other in order."""
    parts = []
    position = 0
    for offset, added in sorted(insertions, key=lambda insertion: insertion.offset):
        parts += [text[position:offset], added]
        position = offset
    return "".join([*parts, text[position:]])


class Note(NamedTuple):
    """What is written behind the codes: a reason, and the last day as `YYYY-MM-DD`."""

    reason: str = ""
    until: str | None = None

    def __str__(self) -> str:
        return "".join(f" {part}" for part in (self.until and f"until={self.until}", self.reason) if part)


NO_NOTE = Note()


def read_note(text: str) -> Note:
    """The note that a text means, which may name a last day anywhere: `until=2027-01-31 the host is replaced`.

    Raises `ValueError` for one that a comment of some format could not hold.
    """
    found = directives(f"{OWN}: {SAME_LINE}[X] {text}")
    if not text.isprintable() or any(mark in text for mark in ("-->", "--!>", "*/", "#}", "{{", "}}")):
        raise ValueError("it must be one line that ends no comment")
    if len(found) != 1 or found[0].problem is not None:
        raise ValueError("the last day is written `until=YYYY-MM-DD`" if len(found) == 1 else "it holds a directive")
    note = Note(found[0].reason, None if found[0].until is None else found[0].until.text)
    (again,) = directives(f"{OWN}: {SAME_LINE}[X]{note}")
    # A reason is read up to some length.
    if again.reason != note.reason or len(text) > len(note.reason) + 20:
        raise ValueError("it is too long")
    return note


def can_hide(diagnostic: Diagnostic) -> bool:
    """Whether a comment can hide a diagnostic at all."""
    return diagnostic.location is not None and not diagnostic.code.startswith(_NOT_IN_COMMENTS)


# --- comments -----------------------------------------------------------------------------------------------------


def plan_comments(
    document: Document, text: str, wanted: Mapping[int, Collection[str]], note: Note = NO_NOTE
) -> dict[int, list[Insertion]]:
    """The comments that hide codes in lines of a document's text: insertions by line, which is counted from 1.

    Codes are added to a directive for the line that is there and says the same otherwise. A line is missing if no comment
    can stand there, or if none would count: inside a string, in fenced code, in front matter.
    """
    form = _COMMENTS.get(_syntax(document))
    if form is None or not _reads_comments(document):
        return {}
    plan = _Planner(document, text, form, note)
    planned = {line: made for line, codes in sorted(wanted.items()) if (made := plan.insertions(line, sorted(codes)))}
    return {line: planned[line] for line in plan.accepted(planned, [*planned])}


def _syntax(document: Document) -> str:
    """The syntax of a document's comments: where an engine fills in a prompt, its own, which no model is sent."""
    if document.templates:
        return "template"
    return "jinja" if document.language == "text" and document.path.lower().endswith(_JINJA) else document.language


def _reads_comments(document: Document) -> bool:
    """Whether directives are looked for in a document's comments."""
    if document.templates:
        return True
    return bool(document.prompts) if document.language in _PROSE else document.takes_comments


class _Planner:
    """Works out the comments of one text."""

    def __init__(self, document: Document, text: str, form: str, note: Note) -> None:
        self._document = document
        self._text = text
        self._form = form
        self._note = note
        self._lines = LineIndex(text)
        self._is_prose = document.language in _PROSE and not document.templates
        self._start = _front_matter_end(document, text)
        self._fences = self._fences_of(text)
        self._found = self._directives_of(text)

    def _fences_of(self, text: str) -> list[Span]:
        if not self._is_prose:
            return []
        fences = layout(text[self._start :], exact=True).fences
        return [Span(fence.start + self._start, fence.end + self._start) for fence in fences]

    def _directives_of(self, text: str) -> list[Directive]:
        # Front matter is no part of the prompt: what looks like a directive there is none.
        body = _NOT_LINE_END.sub(" ", text[: self._start]) + text[self._start :]
        return directives(body, self._fences if text is self._text else self._fences_of(text))

    def insertions(self, number: int, codes: Sequence[str]) -> list[Insertion]:
        line = self._lines.line_span(number)
        if self._is_prose and not self._may_hold_comment(line):
            return []
        present = self._directive_for(line)
        if present is not None:
            missing = [code for code in codes if all(code != named.text for named in present.codes)]
            return [Insertion(present.codes[-1].span.end, "".join(f", {code}" for code in missing))] if missing else []
        named = f"[{', '.join(codes)}]{self._note}"
        if self._holds_directive(line) or (self._is_prose and self._is_in_table(number)):
            comment = self._form.format(f"{OWN}: {SAME_LINE}{named}")
            end = line.start + len(self._text[line.start : line.end].rstrip(" \t"))
            return [Insertion(end, f" {comment}")]
        comment = self._form.format(f"{OWN}: {NEXT_LINE}{named}")
        indent = (_QUOTED_INDENT if self._is_prose else _INDENT).match(self._text, line.start, line.end)
        start = self._above_directives(number)
        return [Insertion(start, f"{indent[0] if indent else ''}{comment}{self._line_end(number)}")]

    def _may_hold_comment(self, line: Span) -> bool:
        if line.start < self._start or any(fence.start <= line.start < fence.end for fence in self._fences):
            return False
        text = self._text
        return text.rfind("<!--", self._start, line.start) <= text.rfind("-->", self._start, line.start)

    def _directive_for(self, line: Span) -> Directive | None:
        """A directive that covers just this line and may take more codes."""
        for directive in self._found:
            if (
                directive.prefix == OWN
                and directive.codes
                and directive.problem is None
                and not directive.fenced
                and directive.verb in (SAME_LINE, NEXT_LINE)
                and (None if directive.until is None else directive.until.text) == self._note.until
                and directive.covered[-1].start == line.start
            ):
                return directive
        return None

    def _holds_directive(self, line: Span) -> bool:
        """Whether a directive stands in a line: then it is no next line."""
        return any(line.start <= directive.span.start < line.end for directive in self._found)

    def _is_in_table(self, number: int) -> bool:
        """Whether a line is a row of a table below its first: a line between rows would end the table."""
        if number < 2:
            return False
        rows = (self._lines.line_span(each) for each in (number - 1, number))
        return all(self._text[row.start : row.end].lstrip(" \t>").startswith("|") for row in rows)

    def _above_directives(self, number: int) -> int:
        """Where a line begins, or the first of the directives for it above: one of the specification's covers the next
        line, whatever that is.
        """
        start = self._lines.line_span(number).start
        above = start
        while number > 1:
            number -= 1
            line = self._lines.line_span(number)
            if not any(
                directive.verb == NEXT_LINE
                and line.start <= directive.span.start < above
                and any(span.start == start for span in directive.covered)
                for directive in self._found
            ):
                break
            above = line.start
        return above

    def _line_end(self, number: int) -> str:
        """How the line ends, or the one above it if it is the last."""
        for each in (number, number - 1):
            if 1 <= each < len(self._lines.starts):
                start = self._lines.starts[each]
                return self._text[self._lines.line_span(each).end : start]
        return "\n"

    def accepted(self, planned: Mapping[int, list[Insertion]], lines: Sequence[int]) -> list[int]:
        """Those of the lines whose insertions leave everything else as it is. All at once first: most are harmless."""
        if not lines or self._is_harmless({line: planned[line] for line in lines}):
            return [*lines]
        if len(lines) == 1:
            return []
        half = len(lines) // 2
        return [*self.accepted(planned, lines[:half]), *self.accepted(planned, lines[half:])]

    def _is_harmless(self, planned: Mapping[int, list[Insertion]]) -> bool:
        insertions = [insertion for made in planned.values() for insertion in made]
        text = inserted(self._text, insertions)
        return self._covers_what_it_should(text, planned, _Shift(insertions)) and (
            self._is_prose
            or bool(self._document.templates)
            or values(self._document.language, self._text) == values(self._document.language, text)
        )

    def _covers_what_it_should(self, text: str, planned: Mapping[int, list[Insertion]], shift: _Shift) -> bool:
        """Whether each directive that was there before covers its lines and no others, and each new one its line."""
        starts = {self._lines.line_span(line).start for line, made in planned.items() if OWN in made[0].text}
        missing = {shift.start(start) for start in starts}
        expected = [
            [(shift.start(span.start), shift.end(span.end)) for span in directive.covered] for directive in self._found
        ]
        found = []
        for directive in self._directives_of(text):
            if shift.is_new(directive.span.start):
                missing.difference_update(span.start for span in directive.covered)
            else:
                found.append([(span.start, span.end) for span in directive.covered])
        return found == expected and not missing


class _Shift:
    """Where offsets of a text lie once insertions have been made in it."""

    def __init__(self, insertions: Iterable[Insertion]) -> None:
        ordered = sorted(insertions, key=lambda insertion: insertion.offset)
        self._offsets = [insertion.offset for insertion in ordered]
        self._added = [0, *accumulate(len(insertion.text) for insertion in ordered)]
        self._new = [
            Span(offset + before, offset + after)
            for offset, before, after in zip(self._offsets, self._added, self._added[1:], strict=False)
        ]

    def start(self, offset: int) -> int:
        """For what begins at an offset: behind what is inserted there."""
        return offset + self._added[bisect_right(self._offsets, offset)]

    def end(self, offset: int) -> int:
        """For what ends at an offset: before what is inserted there."""
        return offset + self._added[bisect_left(self._offsets, offset)]

    def is_new(self, offset: int) -> bool:
        """Whether an offset of the new text lies in an insertion."""
        index = bisect_right(self._new, (offset, len(self._new) and self._new[-1].end)) - 1
        return index >= 0 and self._new[index].start <= offset < self._new[index].end


_NOT_LINE_END = re.compile(r"[^\r\n]")
_INDENT = re.compile(r"[ \t]*")
_QUOTED_INDENT = re.compile(r"[ \t]*(?:>[ \t]*)*")


def _front_matter_end(document: Document, text: str) -> int:
    """The end of a prompt file's front matter, in which Markdown has no comments; 0 if there is none."""
    if document.language != "markdown" or document.templates or not text.startswith("---"):
        return 0
    from toolsurface_lint.readers.front_matter import read_front_matter

    matter = read_front_matter(document.source)
    return 0 if matter is None else matter.body


# --- settings -----------------------------------------------------------------------------------------------------


def settings_file(settings: Settings) -> str:
    """The absolute path of the settings file in use, or of the one that would be, which is not there yet."""
    return settings.path or os.path.join(settings.root, OWN_FILE)


def ignoring(
    diagnostics: Iterable[Diagnostic], path: str, settings: Settings, note: Note = NO_NOTE
) -> list[FileIgnore]:
    """The tables that hide diagnostics in the file at an absolute path, one for each place in its value.

    Empty for a file outside of what the settings speak of.
    """
    relative = os.path.relpath(path, settings.root).replace(os.sep, "/")
    if relative.startswith("../") or os.path.isabs(relative) or _unwritable(relative):
        return []
    # Letters that mean something in a glob are put in brackets.
    glob = re.sub(r"([*?\[{}])", r"[\1]", relative)
    codes: dict[str | None, set[str]] = {}
    for diagnostic in diagnostics:
        if diagnostic.code != _NEVER:
            codes.setdefault(_stable_pointer(diagnostic, path), set()).add(diagnostic.code)
    return [
        FileIgnore(glob, tuple(sorted(found)), pointer, note.reason or None, note.until)
        for pointer, found in sorted(codes.items(), key=lambda item: item[0] or "")
    ]


def _stable_pointer(diagnostic: Diagnostic, path: str) -> str | None:
    """The JSON pointer of a diagnostic, as far as it can be written; None in programs, which have none to speak of."""
    pointer = diagnostic.pointer
    if pointer is None or path.endswith(".py"):
        return None
    while _unwritable(pointer):
        pointer = pointer.rpartition("/")[0]
    return pointer or None


def _unwritable(text: str) -> bool:
    """Whether a text has lone surrogates, which TOML has no way to write."""
    return any("\ud800" <= character <= "\udfff" for character in text)


def add_ignores(file: str, text: str, ignores: Sequence[FileIgnore]) -> Insertion | None:
    """What to insert into the text of a settings file, so that it holds these tables too.

    At its end, or where its tables stand in an array, at the end of that. None if the file has no place for them.
    """
    from toolsurface_lint.source.toml import read_toml

    shared = os.path.basename(file) == SHARED_FILE
    header = f"tool.{TABLE}.per-file-ignores" if shared else "per-file-ignores"
    path = ("tool", TABLE, "per-file-ignores") if shared else ("per-file-ignores",)
    line_end = "\r\n" if "\r\n" in text else "\n"
    tables = "\n".join("".join(f"{line}\n" for line in (f"[[{header}]]", *_pairs(ignore))) for ignore in ignores)
    before = "" if not text else "\n" if text.endswith(("\n", "\r")) else "\n\n"
    places = [Insertion(len(text), (before + tables).replace("\n", line_end))]
    trees = read_toml(SourceText("", text)).trees
    node = trees[0].root.find(*path) if trees else None
    if node is not None:
        last = node.get(len(node.value) - 1) if isinstance(node.value, list) and node.value else None
        span = node.place.span() if last is None else last.place.span()
        if span is not None:
            inline = ", ".join(f"{{ {', '.join(_pairs(ignore))} }}" for ignore in ignores)
            places.append(Insertion(span.start + 1, inline) if last is None else Insertion(span.end, f", {inline}"))
    expected = [*(node.value if node is not None and isinstance(node.value, list) else ()), *map(_table, ignores)]
    for place in places:
        read = read_toml(SourceText("", inserted(text, [place])))
        again = read.trees[0].root.find(*path) if read.trees and not read.problems else None
        if again is not None and again.value == expected:
            return place
    return None


def _table(ignore: FileIgnore) -> dict[str, object]:
    values = {**ignore._asdict(), "codes": [*ignore.codes]}
    return {key: value for key, value in values.items() if value is not None}


def _pairs(ignore: FileIgnore) -> list[str]:
    # JSON escapes as TOML does, but for the one control character that JSON allows as it is.
    return [
        f"{key} = {value if key == 'until' else json.dumps(value, ensure_ascii=False).replace(chr(127), chr(92) + 'u007f')}"
        for key, value in _table(ignore).items()
    ]


# --- a whole run --------------------------------------------------------------------------------------------------

Check = Callable[[Mapping[str, bytes]], tuple[Project, Report]]
"""Checks everything, with the bytes of some files, by absolute path, in place of those on disk."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def add_suppressions(check: Check, given: Sequence[str], note: Note = NO_NOTE, *, isolated: bool = False) -> Outcome:
    """Suppress all that is found in the given files and folders, in memory.

    `isolated`: no settings are read, so none are written. What is planned is checked: a comment after which its finding
    still shows, or another one, is given up for a table in the settings.
    """
    project, report = check({})
    plan = _Plan(project, report, given, note, isolated)
    barred: set[tuple[str, int]] = set()
    for attempt in range(ROUNDS):
        changes = plan.make(barred)
        after = check({change.path: change.after for change in changes})[1] if changes else report
        wrong = plan.wrong(after, all_of_a_file=attempt >= ROUNDS // 2) - barred
        if not wrong:
            hidden = len(report.diagnostics) - len(after.diagnostics)
            return Outcome(after, distinct(changes), hidden, plan.refusals(), True)
        barred |= wrong
    return Outcome(report, (), 0, plan.refusals(), False)


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
            with open(self.path, "rb") as file:
                self.data = file.read()
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
        mark = _BYTE_ORDER_MARK if self.data.startswith(_BYTE_ORDER_MARK) else b""
        text = inserted(self.text, [insertion for made in self.comments.values() for insertion in made])
        return Change(self.path, self.display, self.data, mark + text.encode("utf-8"))


def _line(diagnostic: Diagnostic) -> int:
    return 1 if diagnostic.location is None else diagnostic.location.range.start.line


class _Plan:
    """What is to be written for the findings of one report."""

    def __init__(self, project: Project, report: Report, given: Sequence[str], note: Note, isolated: bool) -> None:
        self._settings = project.settings
        self._documents = {document.path: document for document in project.documents}
        self._note = note
        self._isolated = isolated
        self._expected: set[tuple[str, int, str]] = set()
        """The findings that will be left: file, line as it is now, code."""
        by_file: dict[str, list[Diagnostic]] = {}
        for diagnostic in report.diagnostics:
            if diagnostic.code != _NEVER and diagnostic.location is not None:
                by_file.setdefault(diagnostic.location.path, []).append(diagnostic)
        absolute = [os.path.abspath(path) for path in given]
        folders = tuple(os.path.join(path, "") for path in absolute)
        self._files: list[_File] = []
        for display, diagnostics in by_file.items():
            document = self._documents.get(display)
            path = os.path.abspath(display) if document is None else project.absolute(document)
            file = _File(path, display, diagnostics)
            self._files.append(file)
            # A finding may lie in a file that nobody named; changing that one would surprise.
            may_write = path in absolute or path.startswith(folders)
            source = report.sources.get(display)
            if may_write and source is not None and document is not None and _reads_comments(document):
                file.read(source.text)

    def refusals(self) -> tuple[tuple[str, str], ...]:
        return tuple(sorted((file.display, file.refused) for file in self._files if file.refused is not None))

    def make(self, barred: Collection[tuple[str, int]]) -> list[Change]:
        """Plan comments in all lines but the barred ones, and the settings for everything else."""
        self._expected = set()
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
        settings = self._settings_change(ignores) if ignores else None
        for file, left in in_settings if settings is None else ():
            file.refused = f"{display_path(settings_file(self._settings))} cannot take what it needs"
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
        self._expected.update((file.display, _line(diagnostic), diagnostic.code) for diagnostic in diagnostics)

    def _settings_change(self, ignores: Sequence[FileIgnore]) -> Change | None:
        path = settings_file(self._settings)
        data: bytes | None = None
        try:
            with open(path, "rb") as file:
                data = file.read()
            text = decode(data)
        except FileNotFoundError:
            text = ""
        except (OSError, Unreadable):
            return None
        insertion = add_ignores(path, text, ignores)
        if insertion is None:
            return None
        mark = _BYTE_ORDER_MARK if data is not None and data.startswith(_BYTE_ORDER_MARK) else b""
        return Change(path, display_path(path), data, mark + inserted(text, [insertion]).encode("utf-8"))

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
            expected = {
                (display, file.moved(line), code) for display, line, code in self._expected if display == file.display
            }
            lines = {
                _line(diagnostic)
                for diagnostic in file.diagnostics
                if file.has_comment(diagnostic)
                and (file.display, file.moved(_line(diagnostic)), diagnostic.code) not in hidden
            }
            for diagnostic in shown.get(file.display, ()):
                if _key(diagnostic) not in expected:
                    lines.add(min(file.comments, key=lambda line: abs(file.moved(line) - _line(diagnostic))))
            wrong.update((file.display, line) for line in (file.comments if lines and all_of_a_file else lines))
        return wrong


def _key(diagnostic: Diagnostic) -> tuple[str, int, str]:
    return ("" if diagnostic.location is None else diagnostic.location.path, _line(diagnostic), diagnostic.code)


def _hides(table: FileIgnore, diagnostic: Diagnostic) -> bool:
    if diagnostic.code not in table.codes:
        return False
    return table.pointer is None or f"{diagnostic.pointer or ''}/".startswith(f"{table.pointer}/")
