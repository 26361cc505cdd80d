"""Suppression by directives in the text: which diagnostics they hide, and which directives are of no use.

The lines that a directive without codes hides are not scanned for tool references in the first place (`readers.prompt_calls`);
here everything else that would be reported there is taken out, and account is kept of what each directive did.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from toolsurface_lint.model.diagnostics import INLINE, INTERNAL_ERROR, Diagnostic, Suppressed, selects
from toolsurface_lint.model.names import close_names
from toolsurface_lint.source.dates import is_past
from toolsurface_lint.source.directives import END, HARN, START, VERBS, Directive, Word, directives
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import LineIndex, Span
from toolsurface_lint.source.tree import Node, Place

if TYPE_CHECKING:
    from datetime import date

    from toolsurface_lint.readers.suppressed_texts import SuppressedText

_PROMPT_RULES = (
    "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL",
    "TOOL_SURFACE_PROMPT_TOOL_NOT_IN_POLICY",
    "TOOL_SURFACE_DEFERRED_TOOL_PROMPT_REFERENCE",
    "TOOL_SURFACE_DEPRECATED_ARG_ALIAS",
)


def is_prompt_rule(code: str) -> bool:
    """Whether a rule speaks about prompt text: the only ones that the Harn specification's markers hide."""
    return code.startswith("PROMPT_") or code in _PROMPT_RULES


class Suppression:
    """One directive in one text, and what it has hidden so far.

    `node` is the string that it is in: a whole file, or a prompt inside a document. `language` is that of a whole
    file with comments, None where all is prose. One that has `expired` hides nothing.
    """

    __slots__ = ("_covered", "directive", "expired", "language", "node", "used")

    def __init__(self, node: Node, directive: Directive, language: str | None = None) -> None:
        self.node = node
        self.directive = directive
        self.language = language
        self.used = False
        self.expired = False
        self._covered: list[Span] | None = None

    @property
    def path(self) -> str:
        """The displayed path of its file; empty for plain data."""
        source = self.node.tree.source
        return "" if source is None else source.path

    @property
    def covered(self) -> list[Span]:
        """The covered lines in offsets of the file."""
        if self._covered is None:
            places = (self.node.text_place(span.start, span.end) for span in self.directive.covered)
            self._covered = [span for place in places if (span := place.span()) is not None]
        return self._covered

    @property
    def selectors(self) -> Iterator[str]:
        """What a diagnostic must be to be hidden; see `_selectors_of`."""
        if not self.directive.codes:
            yield _SPECIFIED if self.directive.prefix == HARN else _ANY
        for named in self.directive.codes:
            yield from _selectors(named)

    def place(self, span: Span | None = None) -> Place:
        return self.node.text_place(*(self.directive.span if span is None else span))

    @property
    def text(self) -> str:
        """The directive as it is written."""
        span = self.directive.span
        return str(self.node.value)[span.start : span.end]


_ANY, _SPECIFIED = "*", "specified"


def _selectors(named: Word) -> tuple[str, ...]:
    return named.text, named.text.rstrip("_") + "_"


def _selectors_of(code: str) -> Iterator[str]:
    """All the selectors that mean a code: itself, its beginnings up to an underscore, those that every code has."""
    if code == INTERNAL_ERROR or code.startswith("SUPPRESSION_"):
        return
    yield _ANY
    if is_prompt_rule(code):
        yield _SPECIFIED
    yield code
    yield from (code[: match.end()] for match in re.finditer("_", code))


class _Hidden:
    """What the directives with one selector cover in one file, and the offsets of the diagnostics in it.

    Asked with many diagnostics about many directives, each of which may cover the whole file.
    """

    def __init__(self, covered: list[tuple[Span, int, str]]) -> None:
        """`covered` are the lines of all directives, each with the number of its directive and its reason."""
        self._hits: list[int] = []
        self._starts: list[int] = []
        """Where the lines of any directive begin or end."""
        self._reasons: list[tuple[int, str] | None] = []
        """From each of these on: the first directive that gives a reason, else any; None where nothing is covered."""
        waiting = sorted(covered, reverse=True)
        # Those that give a reason come first. What has ended is taken out when it comes to the top.
        active: list[tuple[bool, int, int, str]] = []
        for start in sorted({offset for span, *_ in covered for offset in span}):
            while waiting and waiting[-1][0].start == start:
                span, number, reason = waiting.pop()
                heappush(active, (not reason, number, span.end, reason))
            while active and active[0][2] <= start:
                heappop(active)
            self._starts.append(start)
            self._reasons.append((active[0][1], active[0][3]) if active else None)

    def hit(self, offset: int) -> tuple[int, str] | None:
        """Note a diagnostic: the number and the reason of a directive that hides it; None if none does."""
        index = bisect_right(self._starts, offset) - 1
        found = self._reasons[index] if index >= 0 else None
        if found is not None:
            insort(self._hits, offset)
        return found

    def was_hit(self, span: Span) -> bool:
        index = bisect_left(self._hits, span.start)
        return index < len(self._hits) and self._hits[index] < span.end


class Suppressions:
    """The directives of a run. `today` is the present day, that of the clock in UTC if None."""

    def __init__(self, today: date | None = None) -> None:
        self._today = today
        self._by_path: dict[str, list[Suppression]] = {}
        self._hidden: dict[str, dict[str, _Hidden]] = {}
        """By path and selector, from the first diagnostic on."""
        self._seen: set[tuple[str, Span | None]] = set()

    def __bool__(self) -> bool:
        return bool(self._by_path)

    def add(self, text: SuppressedText) -> None:
        """Add the directives of one text; one that is known already, as the same text was read in two ways, is left out."""
        offsets = [reference.start for reference in text.hidden]
        for directive in text.directives:
            suppression = Suppression(text.node, directive, text.language)
            suppression.used = any(
                bisect_left(offsets, span.start) < bisect_left(offsets, span.end) for span in directive.covered
            )
            if directive.until is not None and directive.problem is None and directive.verb != END:
                suppression.expired = is_past(directive.until.text, self._today)
            key = (suppression.path, suppression.place().span())
            if suppression.path and key not in self._seen:
                self._seen.add(key)
                self._by_path.setdefault(suppression.path, []).append(suppression)

    def filter(self, diagnostics: Iterable[Diagnostic]) -> tuple[list[Diagnostic], list[Suppressed]]:
        """Part diagnostics into those to report and those that a directive hides, both in order."""
        kept: list[Diagnostic] = []
        suppressed: list[Suppressed] = []
        for diagnostic in diagnostics:
            reason = self._reason(diagnostic)
            if reason is None:
                kept.append(diagnostic)
            else:
                suppressed.append(Suppressed(diagnostic, INLINE, reason or None))
        return kept, suppressed

    def _reason(self, diagnostic: Diagnostic) -> str | None:
        """The reason that the directives give which hide a diagnostic; None if none does."""
        location = diagnostic.location
        if location is None or location.path not in self._by_path:
            return None
        hidden = self._hidden_in(location.path)
        chosen: tuple[bool, int, str] | None = None
        for selector in _selectors_of(diagnostic.code):
            found = hidden[selector].hit(location.span.start) if selector in hidden else None
            if found is not None:
                number, reason = found
                chosen = min(chosen or (True, number, ""), (not reason, number, reason))
        return None if chosen is None else chosen[2]

    def _hidden_in(self, path: str) -> dict[str, _Hidden]:
        hidden = self._hidden.get(path)
        if hidden is None:
            covered: dict[str, list[tuple[Span, int, str]]] = {}
            for number, suppression in enumerate(self._by_path[path]):
                if not suppression.expired:
                    for selector in {*suppression.selectors}:
                        spans = covered.setdefault(selector, [])
                        spans.extend((span, number, suppression.directive.reason) for span in suppression.covered)
            hidden = self._hidden[path] = {selector: _Hidden(spans) for selector, spans in covered.items()}
        return hidden

    def _fired(self, suppression: Suppression, named: Word | None = None) -> bool:
        """Whether a directive has hidden anything, or anything that one of its codes selects."""
        hidden = self._hidden.get(suppression.path, {})
        selectors = suppression.selectors if named is None else _selectors(named)
        found = [hidden[selector] for selector in selectors if selector in hidden]
        return any(one.was_hit(span) for one in found for span in suppression.covered)

    def problems(self, known: Collection[str], enabled: Collection[str] | None = None) -> Iterator[Problem[Place]]:
        """What is wrong with the directives, once all diagnostics have been filtered; by path and place.

        `known` are all codes that there are, `enabled` those whose rules ran (None: all): a code that did not run
        could not fire, and is not called unused.
        """
        for path in sorted(self._by_path):
            for suppression in sorted(self._by_path[path], key=lambda entry: entry.place().span() or Span(0, 0)):
                yield from self._problems(suppression, known, known if enabled is None else enabled)

    def _problems(
        self, suppression: Suppression, known: Collection[str], enabled: Collection[str]
    ) -> Iterator[Problem[Place]]:
        directive = suppression.directive
        text = suppression.text
        place = suppression.place()
        if directive.problem is not None:
            if not directive.fenced:
                kind, span, values = directive.problem[:3]
                # What is wrong after a good verb, such as the last day, has no one correction.
                meant = None if directive.verb else _repair(suppression)
                yield Problem(kind, suppression.place(span), {**values, "meant": meant})
            return
        unknown = dict.fromkeys(
            named for named in directive.codes if not any(selects(named.text, code) for code in known)
        )
        for named in unknown:
            values = {"name": named.text, "near": close_names(named.text, known)}
            yield Problem("unknown_code", suppression.place(named.span), values)
        if directive.verb == START and not directive.closed:
            yield Problem("unclosed", place, {"text": text, "prefix": directive.prefix})
            return
        # An example in fenced code that shows how to write a directive.
        if directive.fenced:
            return
        if directive.verb == END:
            if not directive.closed:
                yield Problem("unused/end", place, {"text": text}, edits=_removal(suppression))
            elif directive.until is not None:
                yield Problem("malformed/end_day", suppression.place(directive.until.span))
            return
        if suppression.expired:
            assert directive.until is not None
            values = {"text": text, "day": directive.until.text}
            at = suppression.place(directive.until.span)
            yield Problem("expired/directive", at, values, edits=_removal(suppression))
            return
        for named in directive.codes:
            ran = any(selects(named.text, code) for code in enabled)
            if named not in unknown and ran and not self._fired(suppression, named):
                at = suppression.place(named.span)
                whole = len(directive.codes) == 1
                values = {"name": named.text, "text": text if whole else named.text}
                yield Problem("unused/code", at, values, edits=_removal(suppression, named))
        if not directive.codes and not (suppression.used or self._fired(suppression)):
            yield Problem("unused/directive", place, {"text": text}, edits=_removal(suppression))


_OPENINGS = ("<!--", "/*", "{{#", "{#", "#", "//")
_CLOSINGS = {"<!--": "-->", "/*": "*/", "{{#": "#}}", "{#": "#}"}


def _removal(suppression: Suppression, named: Word | None = None) -> tuple[tuple[Place, str], ...]:
    """What takes out a directive with its comment, or one of the codes that it names.

    Nothing where the directive does not begin a comment that ends in its line: it is unknown then how far
    its reason goes.
    """
    codes = suppression.directive.codes
    if named is not None and len(codes) > 1:
        # An end that names codes belongs to the start that names the same ones.
        if suppression.directive.verb == START and f"{END}[" in str(suppression.node.value):
            return ()
        index = codes.index(named)
        span = named.span
        span = Span(codes[index - 1].span.end, span.end) if index else Span(span.start, codes[1].span.start)
        return _without(suppression, span)
    comment = _comment(suppression)
    return () if comment is None else _without(suppression, comment)


def _without(suppression: Suppression, span: Span) -> tuple[tuple[Place, str], ...]:
    """What takes a part out of a text; nothing if more than a comment would change: a marker may be in a string."""
    if suppression.language is not None:
        start = suppression.directive.span.start
        if start not in _in_comments(suppression.language, str(suppression.node.value)):
            return ()
    return ((suppression.place(span), ""),)


# Asked about one directive of a text after the other.
@lru_cache(maxsize=1)
def _in_comments(language: str, text: str) -> frozenset[int]:
    """The starts of the directives of a text that are in comments, and not in its strings.

    What marks a directive in a string is in the values of the text; what marks one in a comment is not.
    """
    from toolsurface_lint.source.values import values

    starts = [directive.span.start for directive in directives(text)]
    before = str(values(language, text))
    mark = "marked"
    while mark in text or mark in before:
        mark += "d"
    parts = [text[start:end] for start, end in zip([0, *starts], [*starts, len(text)], strict=True)]
    marked = parts[0] + "".join(f"{mark}{number}{mark}{part}" for number, part in enumerate(parts[1:]))
    after = str(values(language, marked))
    found = re.compile(f"{mark}([0-9]+){mark}")
    if found.sub("", after) != before:
        return frozenset()
    in_strings = {int(match[1]) for match in found.finditer(after)}
    return frozenset(start for number, start in enumerate(starts) if number not in in_strings)


@lru_cache(maxsize=1)
def _lines(text: str) -> LineIndex:
    return LineIndex(text)


def _comment(suppression: Suppression) -> Span | None:
    """The comment that is a directive: with its line if nothing else is there, else with the blanks around it."""
    text = str(suppression.node.value)
    directive = suppression.directive.span
    lines = _lines(text)
    line = lines.line_at(directive.start)
    low, high = lines.line_span(line)
    mark_end = _before_blanks(text, low, directive.start)
    mark = next((mark for mark in _OPENINGS if text.endswith(mark, low, mark_end)), None)
    if mark is None:
        return None
    # A second directive in the same comment stays, and so does what another tool reads there (such as `noqa`).
    other = _OTHER.search(text, directive.end, high)
    closing = _CLOSINGS.get(mark)
    end = high
    if closing is not None:
        end = text.find(closing, directive.end, high if other is None else other.start()) + len(closing)
        if end < directive.end:
            return None
    elif other is not None or _NEXT_COMMENT.search(text, directive.end, end):
        return None
    start = mark_end - len(mark)
    left, right = _before_blanks(text, low, start), end
    while right < high and text[right] in " \t":
        right += 1
    if left == low and right == high:
        return Span(low, lines.starts[line] if line < len(lines.starts) else len(text))
    return Span(left, end) if left > low else Span(start, right)


def _before_blanks(text: str, low: int, end: int) -> int:
    """Where the blanks before an offset begin, from `low` on."""
    while end > low and text[end - 1] in " \t":
        end -= 1
    return end


_OTHER = re.compile("tool-surface|toolsurface-lint:")
_NEXT_COMMENT = re.compile(r"[ \t](?:#|//)[ \t]*[A-Za-z]")


def _repair(suppression: Suppression) -> str | None:
    """What a misspelled directive was meant to be: one space after its colon, and the one verb that is close."""
    words = _WORDS.fullmatch(suppression.text)
    if words is None:
        return None
    verb = words[2]
    if verb not in VERBS:
        near = close_names(verb, VERBS)
        if len(near) != 1:
            return None
        verb = near[0]
    return f"{words[1]} {verb}"


_WORDS = re.compile(r"([a-z-]+:)[ \t]*([A-Za-z][\w-]*)", re.ASCII)
