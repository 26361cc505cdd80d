"""Suppression directives: the markers in a text that hide lines from the checks, and the lines that each one covers.

The `harn-tool-surface:` markers and `tool-surface-ignore` are the Harn specification's, found as plain text anywhere in a
line with exactly one space after the colon. The `toolsurface-lint:` markers take the same verbs, followed by codes
in brackets, a last day, and a reason: `toolsurface-lint: ignore-line[CODE, CODE] until=2027-01-31 reason`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from toolsurface_lint.source.dates import is_day
from toolsurface_lint.source.markdown import uniform
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span

HARN, OWN = "harn-tool-surface", "toolsurface-lint"
START, END, NEXT_LINE, LINE = "ignore-start", "ignore-end", "ignore-next-line", "ignore-line"
# The order in which the Harn specification asks a line for them: the first one found decides.
VERBS = (START, END, NEXT_LINE, LINE)
_BARE = "tool-surface-ignore"


class Word(NamedTuple):
    """A code, a prefix of codes or a last day, as a directive has it, and its place in the text."""

    text: str
    span: Span


class Directive:
    """One marker in a text. All offsets are into that text.

    `prefix` is `HARN` (for `tool-surface-ignore` too) or `OWN`. `covered` are whole lines, the marker's own among
    them; one that reaches the end of the text ends past it, so that a finding at the very end lies in it. `closed`:
    an `ignore-start` has its end, an `ignore-end` its start. `fenced`: the marker is in fenced code. `problem`
    says why it is not a marker although it was meant as one; it covers nothing then.
    """

    def __init__(self, prefix: str, verb: str, span: Span) -> None:
        self.prefix = prefix
        self.verb = verb
        self.span = span
        self.codes: tuple[Word, ...] = ()
        self.until: Word | None = None
        self.reason = ""
        self.covered: list[Span] = []
        self.closed = True
        self.fenced = False
        self.problem: Problem[Span] | None = None

    @property
    def drops_lines(self) -> bool:
        """Whether its lines are not part of a prompt at all.

        Where it names codes or a day, they are, and what is found there is hidden afterwards, as long as it holds.
        """
        return not self.codes and self.until is None


def directives(text: str, fences: Sequence[Span] = ()) -> list[Directive]:
    """The directives of a text, in order. `fences`: its fenced code, in order; none for a file that is not markdown."""
    if "tool-surface" not in text and "toolsurface-lint:" not in text:
        return []
    text = uniform(text)
    found = [directive for match in _MARKER.finditer(text) if (directive := _directive(text, match)) is not None]
    if found:
        _cover(text, found, fences)
    return found


def hidden_lines(found: Iterable[Directive]) -> list[Span]:
    """The lines that directives hide from the scan of a prompt (`drops_lines`): disjoint spans, in order."""
    spans = sorted(span for directive in found if directive.drops_lines for span in directive.covered)
    merged: list[Span] = []
    for span in spans:
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


# Words that are meant to suppress something; others are prose about the program.
_MEANT = "(?i:ignor|disabl|enabl|suppress|skip|noqa|nolint)"
_MARKER = re.compile(rf"({HARN}|{OWN}):([ \t]*)({_MEANT}[\w-]*)?|{_BARE}", re.ASCII)
_CODES = re.compile(r"\[([^\[\]\n]*)(\]?)")
_CODE = re.compile(r"[^\s,]+")
_REASON_END = re.compile(rf"-->|\*/|#\}}|\n|(?:<!--|/\*|\{{+\#|\#|//)?[ \t]*(?:{HARN}:|{OWN}:|{_BARE})")
_REASON_SIZE = 200
_UNTIL = re.compile(r"(?:\A|(?<=[ \t]))until=(\S*)")
# The same in other words, where a reason would begin.
_UNTIL_MEANT = re.compile(r"[ \t:-]*(until(?:[ \t]*[:=][ \t]*|[ \t]+)[0-9][\w./-]*)", re.IGNORECASE)


def _directive(text: str, marker: re.Match[str]) -> Directive | None:
    prefix, space, word = marker.groups()
    if prefix is None:
        return _with_reason(text, Directive(HARN, LINE, Span(*marker.span())), marker.end())
    if word is None:
        return None
    verb = next((verb for verb in VERBS if (word.startswith(verb) if prefix == HARN else word == verb)), None)
    if verb is None or space != " ":
        directive = Directive(prefix, "", Span(*marker.span()))
        kind = "verb" if verb is None else "space"
        directive.problem = Problem(f"malformed/{kind}", directive.span, {"verb": word, "prefix": prefix})
        return directive
    end = marker.start(3) + len(verb)
    directive = Directive(prefix, verb, Span(marker.start(), end))
    codes = _CODES.match(text, end) if prefix == OWN else None
    if codes is None:
        return _with_reason(text, directive, end)
    directive.span = Span(marker.start(), codes.end())
    directive.codes = tuple(
        Word(code[0], Span(*code.span())) for code in _CODE.finditer(text, codes.start(1), codes.end(1))
    )
    if not codes[2] or not directive.codes:
        kind = "no_code" if codes[2] else "bracket"
        directive.problem = Problem(f"malformed/{kind}", directive.span, {"prefix": prefix})
    return _with_reason(text, directive, codes.end())


def _with_reason(text: str, directive: Directive, end: int) -> Directive:
    """Read what follows a marker: to the end of its comment or line, a last day anywhere in it, the rest a reason."""
    rest = _REASON_END.split(text[end : end + _REASON_SIZE], maxsplit=1)[0]
    until = _UNTIL.search(rest)
    found = until or _UNTIL_MEANT.match(rest)
    if found is not None and directive.prefix == OWN:
        start, stop = found.span(1 if found[1] else 0)
        directive.until = Word(found[1], Span(end + start, end + stop))
        if until is not None:
            rest = rest[: until.start()] + rest[until.end() :].lstrip(" \t")
        if directive.verb != END and directive.problem is None and not is_day(found[1]):
            directive.problem = Problem("malformed/day", directive.until.span)
    directive.reason = rest.strip(" \t:-")
    return directive


def _codes(directive: Directive) -> frozenset[str]:
    return frozenset(code.text for code in directive.codes)


class _Block:
    """The state of one family of markers while the lines go by."""

    def __init__(self) -> None:
        self.hiding = 0
        """How many of the open blocks drop their lines."""
        self.open: dict[frozenset[str], list[tuple[Directive, int]]] = {}
        """The `ignore-start` markers without an end so far, by their codes, with the starts of their lines."""
        self.pending: list[Directive] = []
        """The `ignore-next-line` markers that no line has spent so far."""

    def mark(self, directive: Directive, line: Span) -> None:
        if directive.verb == START:
            self.open.setdefault(_codes(directive), []).append((directive, line.start))
            self.hiding += directive.drops_lines
            return
        directive.covered.append(line)
        if directive.verb == NEXT_LINE:
            self.pending.append(directive)
        elif directive.verb == END:
            # An end without codes closes them all.
            closed = [self.open.pop(_codes(directive), [])] if directive.codes else [*self.open.values()]
            if not directive.codes:
                self.open = {}
            directive.closed = any(closed)
            for start, begins in chain.from_iterable(closed):
                start.covered.append(Span(begins, line.end))
                self.hiding -= start.drops_lines

    def spend(self, line: Span) -> None:
        for directive in self.pending:
            directive.covered.append(line)
        self.pending.clear()

    def finish(self, end: int) -> None:
        for directive, begins in chain.from_iterable(self.open.values()):
            directive.covered.append(Span(begins, end))
            directive.closed = False


def _cover(text: str, found: list[Directive], fences: Sequence[Span]) -> None:
    """Work out which lines each directive covers; each family of markers by itself.

    The next line of `ignore-next-line` is the next ordinary one, which may be blank: not in a fence, not in an ignored
    block, not itself dropped by a marker.
    """
    blocks = {HARN: _Block(), OWN: _Block()}
    mark = fence = start = 0
    size = len(text)
    while start <= size:
        end = text.find("\n", start) + 1 or size + 1
        line = Span(start, end)
        while fence < len(fences) and fences[fence].end <= start:
            fence += 1
        fenced = fence < len(fences) and fences[fence].start <= start
        marks = []
        while mark < len(found) and found[mark].span.start < end:
            found[mark].fenced = fenced
            if found[mark].problem is None:
                marks.append(found[mark])
            mark += 1
        for prefix, block in blocks.items():
            # To the Harn specification the other family's markers are ordinary text; ours may follow one another.
            own = [directive for directive in marks if directive.prefix == prefix]
            # Of several specified markers in one line, one decides.
            deciding = sorted(own, key=lambda directive: VERBS.index(directive.verb))[:1] if prefix == HARN else own
            for directive in deciding:
                block.mark(directive, line)
            if not (own if prefix == HARN else marks) and not fenced and not block.hiding:
                block.spend(line)
        start = end
    for block in blocks.values():
        block.finish(size + 1)
