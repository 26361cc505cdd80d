"""The output for people: each diagnostic with its source line, the exact range marked, and how to fix it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from toolsurface_lint.checks import rule_of
from toolsurface_lint.checks.index import RULES
from toolsurface_lint.model.diagnostics import Diagnostic, Location, Related, Report
from toolsurface_lint.model.secrets import shows_secret
from toolsurface_lint.reporters import RenderOptions
from toolsurface_lint.reporters.account import closing_lines
from toolsurface_lint.reporters.characters import cells, visible
from toolsurface_lint.reporters.concise import line, position
from toolsurface_lint.reporters.styles import paint
from toolsurface_lint.source.text import SourceText

_LINE_END = re.compile(r"[\r\n]")
_CUT = "..."

# Wide enough for most lines, and not wider than a review window.
_WIDTH = 120
_MIN_ROOM = 40

# A defect that touches more places than this is listed whole in the JSON and SARIF outputs.
_MAX_NOTES = 6


def render(report: Report, options: RenderOptions) -> str:
    """Every diagnostic as a block, or a count of each rule's; what explains them if wanted; the closing lines.

    A blank line is between two of these.
    """
    if options.statistics:
        from toolsurface_lint.reporters.code_counts import table

        blocks = [table(report, options)] if report.diagnostics else []
    else:
        told = _Told(report)
        blocks = ["\n".join(_block(diagnostic, report, options, told)) for diagnostic in report.diagnostics]
    if options.explain:
        from toolsurface_lint.reporters.explanations import explanations

        blocks += explanations(report, options)
    blocks += filter(None, ["\n".join(closing_lines(report, options))])
    return "\n\n".join(blocks) + "\n" if blocks else ""


class _Told:
    """What findings share is said with the first of a rule: a place that they are all about, and help that names nothing.

    A text with ten unknown names would otherwise be buried under the same tools, ten times. What was meant by a name is
    said each time.
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self._general: dict[str, frozenset[str]] = {}
        self._said: set[tuple[str, Related | str]] = set()

    def notes(self, diagnostic: Diagnostic) -> list[Related]:
        """The related places that have not been shown yet."""
        return [note for note in diagnostic.related if self._is_new(diagnostic.code, note)]

    def help(self, diagnostic: Diagnostic) -> str | None:
        """What to do, unless it is the rule's general advice and has been said."""
        if diagnostic.help and diagnostic.help in self._advice(diagnostic.code):
            return diagnostic.help if self._is_new(diagnostic.code, diagnostic.help) else None
        return diagnostic.help or (diagnostic.fix.title if diagnostic.fix else None)

    def _advice(self, code: str) -> frozenset[str]:
        """The general advice of a rule; of those that are built in, only the ones that found something are imported."""
        known = self._general.get(code)
        if known is None:
            rules = (rule_of(code),) if code in RULES else self._report.rules
            advice = next((rule.help for rule in rules if rule.code == code), "")
            known = frozenset({advice} if isinstance(advice, str) else advice.values())
            self._general[code] = known
        return known

    def _is_new(self, code: str, said: Related | str) -> bool:
        if (code, said) in self._said:
            return False
        self._said.add((code, said))
        return True


def _block(diagnostic: Diagnostic, report: Report, options: RenderOptions, told: _Told) -> list[str]:
    related = told.notes(diagnostic)
    notes = related if len(related) <= _MAX_NOTES else related[: _MAX_NOTES - 1]
    shown = [location for location in (diagnostic.location, *(note.location for note in notes)) if location]
    gutter = max((len(str(location.range.start.line)) for location in shown), default=1)
    bar = paint(f"{'':{gutter}} |", "gutter", options)

    def excerpt(location: Location, mark: str, style: str, whole: bool = False) -> list[str]:
        """The lines that show a location; none if its text is not at hand, or too long for a line and `whole`."""
        source = report.sources.get(location.path) if options.snippets else None
        if source is None or shows_secret(source, location.span):
            return []
        room = max((options.width or _WIDTH) - gutter - len(" | "), _MIN_ROOM)
        snippet = _snippet(source, location, room)
        if snippet is None or (whole and snippet.cut):
            return []
        number = paint(f"{location.range.start.line:>{gutter}} |", "gutter", options)
        text = f" {snippet.line}" if snippet.line else ""
        marked = paint(mark * snippet.length, style, options)
        return [bar, f"{number}{text}", f"{bar} {'':{snippet.offset}}{marked}", bar]

    lines = [line(diagnostic, options)]
    if diagnostic.location:
        lines += excerpt(diagnostic.location, "^", diagnostic.severity)
    head = paint("note:", "note", options)
    for note in notes:
        lines.append(f"{head} {position(note.location)}: {visible(note.message)}")
        lines += excerpt(note.location, "-", "note", whole=True)
    if len(notes) < len(related):
        lines.append(f"{head} and {len(related) - len(notes)} more places")
    help = told.help(diagnostic)
    if help:
        lines.append(f"{paint('help:', 'help', options)} {visible(help)}")
    elif lines[-1] == bar:
        del lines[-1]
    return lines


class _Snippet(NamedTuple):
    """A source line as shown, where the marked range begins in it and how long it is, in terminal columns."""

    line: str
    offset: int
    length: int
    cut: bool


def _snippet(source: SourceText, location: Location, room: int) -> _Snippet | None:
    """The line at the start of a location, no wider than `room`; None in a file that is empty, or has changed since.

    Looks only at the neighbourhood of the range: one line may hold a whole file.
    """
    text = source.text
    start, stop = location.span
    line_start = start - (location.range.start.column - 1)
    if not text or line_start < 0 or start > len(text):
        return None
    first = max(line_start, start - room)
    end = min(start + 2 * room, len(text))
    line_end = _LINE_END.search(text, first, end)
    if line_end:
        end = line_end.start()
    # The place of a missing line end lies after the line's last character.
    start = min(start, end)
    cut_after = line_end is None and end < len(text)
    shown = cells(text[first:end])
    widths = [width for _, width in shown]
    left, right = 0, len(shown)
    if first > line_start or cut_after or sum(widths) > room:
        left, right = _window(widths, start - first, room - 2 * len(_CUT))
    before = _CUT if left > 0 or first > line_start else ""
    after = _CUT if right < len(shown) or cut_after else ""
    line = before + "".join(text for text, _ in shown[left:right]) + after
    marked = widths[start - first : min(stop - first, right)]
    offset = len(before) + sum(widths[left : start - first])
    return _Snippet(line.rstrip(), offset, max(sum(marked), 1), bool(before or after))


def _window(widths: Sequence[int], start: int, room: int) -> tuple[int, int]:
    """The part of a line that is shown: a third of the room before the range, the rest from its start on.

    Room that the end of the line leaves is for what comes before.
    """
    columns = [0, *accumulate(widths)]
    left = bisect_left(columns, columns[start] - room // 3)
    right = bisect_right(columns, columns[left] + room) - 1
    return bisect_left(columns, columns[right] - room), right
