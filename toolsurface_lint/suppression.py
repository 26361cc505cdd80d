"""Suppression by directives in the text: which diagnostics they hide, and which directives are of no use.

The lines that a directive without codes hides are not scanned for tool references in the first place (`readers.prose`);
here everything else that would be reported there is taken out, and account is kept of what each directive did.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from toolsurface_lint.diagnostics import (
    INLINE,
    INTERNAL_ERROR,
    Diagnostic,
    Edit,
    Fix,
    Suppressed,
    renaming,
    rewriting,
    selects,
)
from toolsurface_lint.model.names import close_names, suggestion
from toolsurface_lint.source.dates import is_past
from toolsurface_lint.source.directives import END, HARN, START, VERBS, Directive, NamedCode, directives
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Node, Place

if TYPE_CHECKING:
    from datetime import date

UNUSED, UNKNOWN_CODE, UNCLOSED, MALFORMED = "unused", "unknown_code", "unclosed", "malformed"
EXPIRED = "expired"

_PROMPT_RULES = (
    "TOOL_SURFACE_UNKNOWN_PROMPT_TOOL",
    "TOOL_SURFACE_PROMPT_TOOL_NOT_IN_POLICY",
    "TOOL_SURFACE_DEFERRED_TOOL_PROMPT_REFERENCE",
    "TOOL_SURFACE_DEPRECATED_ARG_ALIAS",
)


def is_prompt_rule(code: str) -> bool:
    """Whether a rule speaks about prompt text: the only ones that the specification's markers hide."""
    return code.startswith("PROMPT_") or code in _PROMPT_RULES


class Suppression:
    """One directive in one text, and what it has hidden so far.

    `node` is the string that it stands in: a whole file, or a prompt inside a document. `language` is that of a whole
    file with comments, None where all is prose. One that has `expired` hides nothing.
    """

    __slots__ = ("_covered", "_fired", "directive", "expired", "language", "node", "used")

    def __init__(self, node: Node, directive: Directive, language: str | None = None) -> None:
        self.node = node
        self.directive = directive
        self.language = language
        self.used = False
        self.expired = False
        self._fired: set[str] = set()
        self._covered: list[Span] | None = None

    @property
    def path(self) -> str:
        """The displayed path of the file that it stands in; empty for plain data."""
        source = self.node.tree.source
        return "" if source is None else source.path

    @property
    def covered(self) -> list[Span]:
        """The covered lines in offsets of the file."""
        if self._covered is None:
            places = (self.node.text_place(span.start, span.end) for span in self.directive.covered)
            self._covered = [span for place in places if (span := place.span()) is not None]
        return self._covered

    def covers(self, code: str, offset: int) -> bool:
        """Whether it hides a diagnostic of this code that begins at this offset of the file."""
        directive = self.directive
        if self.expired:
            return False
        if code == INTERNAL_ERROR or code.startswith("SUPPRESSION_"):
            return False
        if directive.prefix == HARN and not is_prompt_rule(code):
            return False
        if directive.codes and not any(selects(named.text, code) for named in directive.codes):
            return False
        return any(span.start <= offset < span.end for span in self.covered)

    def hides(self, code: str) -> None:
        """Take note that it has hidden a diagnostic of this code."""
        self.used = True
        self._fired.add(code)

    def fired(self, named: NamedCode) -> bool:
        return any(selects(named.text, code) for code in self._fired)

    def place(self, span: Span | None = None) -> Place:
        return self.node.text_place(*(self.directive.span if span is None else span))

    @property
    def text(self) -> str:
        """The directive as it is written."""
        span = self.directive.span
        return str(self.node.value)[span.start : span.end]


class Leftover(NamedTuple):
    """Something to say about a directive itself.

    `what` is `UNUSED`, `UNKNOWN_CODE`, `UNCLOSED`, `MALFORMED` or `EXPIRED`.
    """

    what: str
    place: Place
    message: str
    help: str | None = None
    fix: Fix | None = None


def read_directives(node: Node, fences: Sequence[Span] = (), language: str | None = None) -> list[Suppression]:
    """The directives in a string node, in order. `fences`: its fenced code (`markdown.layout`), if it is markdown.

    In a file with comments, of some `language`, the whole text is read, so that the strings in it need not be; see
    `Suppressions.add`.
    """
    if not isinstance(node.value, str):
        return []
    return [Suppression(node, directive, language) for directive in directives(node.value, fences)]


class Suppressions:
    """The directives of a run. `today` is the present day, that of the clock in UTC if None."""

    __slots__ = ("_by_path", "_seen", "_today")

    def __init__(self, today: date | None = None) -> None:
        self._today = today
        self._by_path: dict[str, list[Suppression]] = {}
        self._seen: set[tuple[str, Span | None]] = set()

    def __bool__(self) -> bool:
        return bool(self._by_path)

    def add(self, suppressions: Iterable[Suppression], references: Iterable[int] = ()) -> None:
        """Add the directives of one text.

        `references` are the offsets in it of tool references in lines that they hide (`prose.hidden_references`). A
        directive that is known already, as the same text was read in two ways, is left out.
        """
        offsets = list(references)
        for suppression in suppressions:
            directive = suppression.directive
            if any(span.start <= offset < span.end for span in directive.covered for offset in offsets):
                suppression.used = True
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
            reason = self._hidden(diagnostic)
            if reason is None:
                kept.append(diagnostic)
            else:
                suppressed.append(Suppressed(diagnostic, INLINE, reason or None))
        return kept, suppressed

    def _hidden(self, diagnostic: Diagnostic) -> str | None:
        """The reason that the directives give which hide a diagnostic; None if none does."""
        location = diagnostic.location
        if location is None:
            return None
        reason: str | None = None
        for suppression in self._by_path.get(location.path, ()):
            if suppression.covers(diagnostic.code, location.span.start):
                suppression.hides(diagnostic.code)
                reason = reason or suppression.directive.reason
        return reason

    def leftovers(self, known: Collection[str], enabled: Collection[str] | None = None) -> Iterator[Leftover]:
        """What is wrong with the directives, once all diagnostics have been filtered; by path and place.

        `known` are all codes that there are, `enabled` those whose rules ran (None: all): a code that did not run
        could not fire, and is not called unused.
        """
        for path in sorted(self._by_path):
            for suppression in sorted(self._by_path[path], key=lambda entry: entry.place().span() or Span(0, 0)):
                yield from _leftovers(suppression, known, known if enabled is None else enabled)


def _leftovers(suppression: Suppression, known: Collection[str], enabled: Collection[str]) -> Iterator[Leftover]:
    directive = suppression.directive
    text = suppression.text
    place = suppression.place()
    if directive.problem is not None:
        if not directive.fenced:
            there = suppression.place(directive.problem_span)
            message = f"{directive.problem}: it hides nothing"
            yield Leftover(MALFORMED, there, message, _correction(directive), _repair(suppression))
        return
    unknown = [named for named in directive.codes if not any(selects(named.text, code) for code in known)]
    for named in unknown:
        near = close_names(named.text, known)
        help = suggestion(near)
        there = suppression.place(named.span)
        fix = renaming(there, named.text, near)
        yield Leftover(UNKNOWN_CODE, there, f"`{named.text}` is no diagnostic code", help, fix)
    if directive.verb == START and not directive.closed:
        end = f"{directive.prefix}: {END}"
        message = f"`{text}` is never closed: it hides everything to the end of the text"
        yield Leftover(UNCLOSED, place, message, f"add `{end}`")
        return
    # An example in fenced code that shows how to write a directive.
    if directive.fenced:
        return
    if directive.verb == END:
        if not directive.closed:
            yield Leftover(UNUSED, place, f"`{text}` closes no `{START}`", "remove it", _removal(suppression))
        elif directive.until is not None:
            message = f"an `{END}` has no last day: it belongs to its `{START}`"
            yield Leftover(MALFORMED, suppression.place(directive.until.span), message)
        return
    if suppression.expired:
        assert directive.until is not None
        message = f"`{text}` held until `{directive.until.text}`: it hides nothing any more"
        help = "cure what it hid and remove it, or give it a later day"
        yield Leftover(
            EXPIRED, suppression.place(directive.until.span), message, help, _removal(suppression, safe=False)
        )
        return
    for named in directive.codes:
        ran = any(selects(named.text, code) for code in enabled)
        if named not in unknown and ran and not suppression.fired(named):
            message = f"`{named.text}` is not reported in the lines that this directive covers"
            fix = _removal(suppression, named)
            yield Leftover(UNUSED, suppression.place(named.span), message, "remove it", fix)
    if not directive.codes and not suppression.used:
        yield Leftover(UNUSED, place, f"`{text}` hides nothing", "remove it", _removal(suppression))


_OPENING = re.compile(r"(<!--|/\*|\{\{#|\{#|#|//)[ \t]*\Z")
_CLOSINGS = {"<!--": "-->", "/*": "*/", "{{#": "#}}", "{#": "#}"}


def _removal(suppression: Suppression, named: NamedCode | None = None, *, safe: bool = True) -> Fix | None:
    """The fix that takes out a directive with its comment, or one of the codes that it names.

    None where the directive does not stand at the start of a comment that ends in its line: nobody can tell then how
    far its reason goes.
    """
    codes = suppression.directive.codes
    if named is not None and len(codes) > 1:
        # An end that names codes belongs to the start that names the same ones.
        if suppression.directive.verb == START and f"{END}[" in str(suppression.node.value):
            return None
        index = codes.index(named)
        span = named.span
        span = Span(codes[index - 1].span.end, span.end) if index else Span(span.start, codes[1].span.start)
        return _without(suppression, span, f"remove `{named.text}`", safe)
    comment = _comment(suppression)
    return None if comment is None else _without(suppression, comment, f"remove `{suppression.text}`", safe)


def _without(suppression: Suppression, span: Span, title: str, safe: bool) -> Fix | None:
    """The fix that takes a part out of a text; None if more than a comment would change: a marker may stand in a string."""
    if suppression.language is not None:
        from toolsurface_lint.source.values import values

        text = str(suppression.node.value)
        rest = text[: span.start] + text[span.end :]
        if values(suppression.language, rest) != values(suppression.language, text):
            return None
    return Fix(title, safe, (Edit(suppression.place(span), ""),))


def _comment(suppression: Suppression) -> Span | None:
    """The comment that is a directive: with its line if nothing else stands there, else with the blanks around it."""
    text = str(suppression.node.value)
    directive = suppression.directive.span
    line_start = max(text.rfind("\n", 0, directive.start), text.rfind("\r", 0, directive.start)) + 1
    ending = _LINE_END.search(text, directive.end)
    line_end, next_line = (len(text), len(text)) if ending is None else ending.span()
    opening = _OPENING.search(text, line_start, directive.start)
    if opening is None:
        return None
    closing = _CLOSINGS.get(opening[1])
    end = line_end
    if closing is not None:
        end = text.find(closing, directive.end, line_end) + len(closing)
        if end < directive.end:
            return None
    # A second directive in the same comment stays, and so does what another tool reads there (`# noqa`).
    rest = text[directive.end : end]
    if "tool-surface" in rest or "toolsurface-lint:" in rest or (closing is None and _NEXT_COMMENT.search(rest)):
        return None
    start = opening.start()
    before = text[line_start:start].rstrip(" \t")
    after = text[end:line_end].lstrip(" \t")
    if not before and not after:
        return Span(line_start, next_line)
    return Span(line_start + len(before), end) if before else Span(start, line_end - len(after))


_LINE_END = re.compile(r"\r\n|\r|\n")
_NEXT_COMMENT = re.compile(r"[ \t](?:#|//)[ \t]*[A-Za-z]")


def _repair(suppression: Suppression) -> Fix | None:
    """The fix for a misspelt directive: one space behind its colon, and the one verb that is close to what stands there.

    Unsafe: it begins to hide what is reported now.
    """
    words = _WORDS.fullmatch(suppression.text)
    if words is None:
        return None
    verb = words[2]
    if verb not in VERBS:
        near = close_names(verb, VERBS)
        if len(near) != 1:
            return None
        verb = near[0]
    return rewriting(suppression.place(), f"{words[1]} {verb}")


_WORDS = re.compile(r"([a-z-]+:)[ \t]*([A-Za-z][\w-]*)", re.ASCII)


def _correction(directive: Directive) -> str:
    if directive.until is not None and directive.problem_span == directive.until.span:
        return "give a day of the calendar, the last one on which it is to hold"
    verbs = ", ".join(f"`{directive.prefix}: {verb}`" for verb in VERBS)
    return f"write one of {verbs}"
