"""Comments that hide findings, above their lines or in them.

Only insertions: every character that was there before stays, line ends among them. A comment that would change what a
file says, or what another directive covers, is not written.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence

from toolsurface_lint.model.diagnostics import INTERNAL_ERROR, Diagnostic
from toolsurface_lint.model.document import Document
from toolsurface_lint.run.add_suppressions.insertions import Insertion, Shift, inserted
from toolsurface_lint.run.add_suppressions.notes import NO_NOTE, Note
from toolsurface_lint.source.directives import LINE as SAME_LINE
from toolsurface_lint.source.directives import NEXT_LINE, OWN, Directive, directives
from toolsurface_lint.source.languages import JINJA, PROGRAMS
from toolsurface_lint.source.markdown import layout
from toolsurface_lint.source.text import LineIndex, Span
from toolsurface_lint.source.values import values

_COMMENTS = {
    "markdown": "<!-- {} -->",
    "text": "<!-- {} -->",
    "yaml": "# {}",
    "toml": "# {}",
    "python": "# {}",
    **dict.fromkeys(PROGRAMS - {"python"}, "// {}"),
    "json": "// {}",
    "template": "{{{{# {} #}}}}",
    "jinja": "{{# {} #}}",
}
_PROSE = ("markdown", "text")
# Directives do not hide the first two; a file that cannot be read is not one to write into.
_NOT_IN_COMMENTS = ("SUPPRESSION_", INTERNAL_ERROR, "INPUT_")

_COMMENT_EDGE = re.compile(r"(?=<!--|-->)")
_NOT_LINE_END = re.compile(r"[^\r\n]")
_INDENT = re.compile(r"[ \t]*")
_QUOTED_INDENT = re.compile(r"[ \t]*(?:>[ \t]*)*")


def can_hide(diagnostic: Diagnostic) -> bool:
    """Whether a comment can hide a diagnostic at all."""
    return diagnostic.location is not None and not diagnostic.code.startswith(_NOT_IN_COMMENTS)


def plan_comments(
    document: Document, text: str, wanted: Mapping[int, Collection[str]], note: Note = NO_NOTE
) -> dict[int, list[Insertion]]:
    """The comments that hide codes in lines of a document's text: insertions by line, which is counted from 1.

    Codes are added to a directive for the line that is there and says the same otherwise. A line is missing if no comment
    can stand there, or if none would count: inside a string, in fenced code, in front matter.
    """
    form = _COMMENTS.get(_syntax(document))
    if form is None or not reads_comments(document):
        return {}
    plan = _Planner(document, text, form, note)
    planned = {line: made for line, codes in sorted(wanted.items()) if (made := plan.insertions(line, sorted(codes)))}
    return {line: planned[line] for line in plan.accepted(planned, [*planned])}


def _syntax(document: Document) -> str:
    """The syntax of a document's comments: where an engine fills in a prompt, its own, which no model is sent."""
    if document.templates:
        return "template"
    return "jinja" if document.language == "text" and document.path.lower().endswith(JINJA) else document.language


def reads_comments(document: Document) -> bool:
    """Whether directives are looked for in a document's comments."""
    if document.templates:
        return True
    return bool(document.prompts or document.chat_templates) if document.language in _PROSE else document.takes_comments


class _Planner:
    """Works out the comments of one text."""

    def __init__(self, document: Document, text: str, form: str, note: Note) -> None:
        self._document = document
        self._text = text
        self._form = form
        self._note = note
        self._lines = LineIndex(text)
        self._is_prose = document.language in _PROSE and not (document.templates or document.chat_templates)
        self._start = _front_matter_end(document, text)
        self._fences = self._fences_of(text)
        self._fence_starts = [fence.start for fence in self._fences]
        self._comment_edges = [edge.start() for edge in _COMMENT_EDGE.finditer(text, self._start)]
        self._found = self._directives_of(text)
        self._by_line: dict[int, list[Directive]] = {}
        """The directives in each line, which is counted from 1."""
        self._extensible: dict[int, Directive] = {}
        """The first directive that covers just one line and may take more codes, by where that line begins."""
        for directive in self._found:
            self._by_line.setdefault(self._lines.line_at(directive.span.start), []).append(directive)
            if self._may_take_codes(directive):
                self._extensible.setdefault(directive.covered[-1].start, directive)

    def _fences_of(self, text: str) -> list[Span]:
        if not self._is_prose:
            return []
        fences = layout(text[self._start :]).fences
        return [Span(fence.start + self._start, fence.end + self._start) for fence in fences]

    def _directives_of(self, text: str) -> list[Directive]:
        # Front matter is not part of the prompt, and holds no directives.
        body = _NOT_LINE_END.sub(" ", text[: self._start]) + text[self._start :]
        return directives(body, self._fences if text is self._text else self._fences_of(text))

    def insertions(self, number: int, codes: Sequence[str]) -> list[Insertion]:
        line = self._lines.line_span(number)
        if self._is_prose and not self._may_hold_comment(line):
            return []
        present = self._extensible.get(line.start)
        if present is not None:
            missing = [code for code in codes if all(code != named.text for named in present.codes)]
            return [Insertion(present.codes[-1].span.end, "".join(f", {code}" for code in missing))] if missing else []
        named = f"[{', '.join(codes)}]{self._note}"
        if number in self._by_line or (self._is_prose and self._is_in_table(number)):
            comment = self._form.format(f"{OWN}: {SAME_LINE}{named}")
            end = line.start + len(self._text[line.start : line.end].rstrip(" \t"))
            return [Insertion(end, f" {comment}")]
        comment = self._form.format(f"{OWN}: {NEXT_LINE}{named}")
        indent = (_QUOTED_INDENT if self._is_prose else _INDENT).match(self._text, line.start, line.end)
        start = self._above_directives(number)
        return [Insertion(start, f"{indent[0] if indent else ''}{comment}{self._line_end(number)}")]

    def _may_hold_comment(self, line: Span) -> bool:
        fence = bisect_right(self._fence_starts, line.start) - 1
        if line.start < self._start or (fence >= 0 and line.start < self._fences[fence].end):
            return False
        edge = bisect_left(self._comment_edges, line.start) - 1
        return edge < 0 or self._text.startswith("-->", self._comment_edges[edge])

    def _may_take_codes(self, directive: Directive) -> bool:
        return (
            directive.prefix == OWN
            and bool(directive.codes)
            and directive.problem is None
            and not directive.fenced
            and directive.verb in (SAME_LINE, NEXT_LINE)
            and (None if directive.until is None else directive.until.text) == self._note.until
        )

    def _is_in_table(self, number: int) -> bool:
        """Whether a line is a row of a table below its first: a line between rows would end the table."""
        if number < 2:
            return False
        rows = (self._lines.line_span(each) for each in (number - 1, number))
        return all(self._text[row.start : row.end].lstrip(" \t>").startswith("|") for row in rows)

    def _above_directives(self, number: int) -> int:
        """Where a line begins, or the first of the directives for it above: one of the Harn specification's covers the next
        line, whatever that is.
        """
        start = self._lines.line_span(number).start
        above = start
        while number > 1:
            number -= 1
            if not any(
                directive.verb == NEXT_LINE and any(span.start == start for span in directive.covered)
                for directive in self._by_line.get(number, ())
            ):
                break
            above = self._lines.line_span(number).start
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
        return self._covers_what_it_should(text, planned, Shift(insertions)) and (
            self._is_prose
            or bool(self._document.templates)
            or values(self._document.language, self._text, self._document.path)
            == values(self._document.language, text, self._document.path)
        )

    def _covers_what_it_should(self, text: str, planned: Mapping[int, list[Insertion]], shift: Shift) -> bool:
        """Whether each directive that was there before covers its lines and no others, and each new one its line."""
        starts = {self._lines.line_span(line).start for line, made in planned.items() if OWN in made[0].text}
        missing = {shift.start(start) for start in starts}
        expected = [
            [(shift.start(span.start), shift.end(span.end)) for span in directive.covered] for directive in self._found
        ]
        old = {shift.start(directive.span.start) for directive in self._found}
        found = []
        for directive in self._directives_of(text):
            if directive.span.start in old:
                found.append([(span.start, span.end) for span in directive.covered])
            else:
                missing.difference_update(span.start for span in directive.covered)
        return found == expected and not missing


def _front_matter_end(document: Document, text: str) -> int:
    """The end of a prompt file's front matter, in which Markdown has no comments; 0 if there is none."""
    if document.language != "markdown" or document.templates or not text.startswith("---"):
        return 0
    from toolsurface_lint.readers.front_matter import read_front_matter

    matter = read_front_matter(document.source)
    return 0 if matter is None else matter.body
