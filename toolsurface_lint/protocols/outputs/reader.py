"""What all readers of raw outputs share: reasoning, prose, the places of calls, and what leaks or is lost around them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from toolsurface_lint.protocols.calls import Call, Parts
from toolsurface_lint.protocols.json_calls import JsonSyntaxError, nesting, read_json
from toolsurface_lint.protocols.landmarks import stripped
from toolsurface_lint.protocols.outputs.protocol import HINTS, hints_in
from toolsurface_lint.protocols.outputs.rows import OutputProtocol
from toolsurface_lint.protocols.response import LOST, VARIES, Block, Response, ResponseParser
from toolsurface_lint.source.json_values import scan_value
from toolsurface_lint.source.text import MAX_DEPTH, Span
from toolsurface_lint.source.tree import Spans

BLANKS = " \t\r\n"

_ATTEMPTS = 64
"""How many values of one text are looked for beyond the next marker in vain; each costs at most one pass over the text."""


class Recognised(NamedTuple):
    """A protocol that a text follows, the first call that it reads there, and that call with the markers around it.

    The call is None where the text ends in its first call.
    """

    row: OutputProtocol
    call: Call | None
    block: Span


Recogniser = Callable[[str], Recognised | None]

Schemas = Mapping[str, Mapping[str, Any]]
"""The properties of each tool by its name."""


class OutputReader(ResponseParser):
    """Reads one raw output of a protocol. A grammar says what begins a call, and reads what begins there.

    `schemas` type values that are written without a type. `reasoning`: the prompt has opened the reasoning already;
    None where that is not known, so that only a closing marker before any other says it. `recognise`
    finds calls of other protocols in what this one does not read.
    """

    def __init__(
        self,
        text: str,
        row: OutputProtocol,
        known: frozenset[str] | None,
        schemas: Schemas,
        reasoning: bool | None = None,
        recognise: Recogniser | None = None,
    ) -> None:
        super().__init__(text, row.name, known, "", False)
        self.row = row
        self.schemas = schemas
        self.end = len(text)
        self._begins_in_reasoning = reasoning
        self._recognise = recognise
        self._looks = _ATTEMPTS
        self._prose: list[Span] = []
        self._reasoning: list[Span] = []
        self._lost: list[Span] = []
        self._attempts = 0

    # What a grammar defines

    def read_at(self, start: int, opener: str) -> int | None:
        """Read what `opener` begins at `start`: add its calls and violations; the offset to go on at.

        None if nothing is meant to begin there, so that the marker is prose.
        """
        raise NotImplementedError

    def read_body(self, start: int) -> int:
        """Read calls that stand without a marker where the body of the response begins; the offset after them."""
        return start

    # The response

    def parse(self) -> Response:
        self._find_end()
        self.read()
        response = self.response
        response.prose = self._unframed("".join(self.text[start:end] for start, end in self._prose)).strip()
        response.reasoning = "\n".join(self.text[start:end].strip() for start, end in self._reasoning) or None
        self._check_prose()
        response.violations.sort(key=lambda violation: violation.at)
        response.calls.sort(key=lambda call: call.span)
        return response

    def _unframed(self, prose: str) -> str:
        for frame in self.row.frames:
            prose = prose.replace(frame, "")
        return prose

    def read(self) -> None:
        """The parts of the response, one after the other."""
        # Each has a hint, so that most texts need not be searched for it.
        openers = tuple(opener for opener in self.row.syntax.openers if any(hint in opener for hint in self._hints))
        begun = self._leading_reasoning(openers)
        position = self.read_body(begun)
        if position > begun:
            self.add_block(begun, position, begun)
        while position < self.end:
            at, opener, closer = self._next(position, openers)
            self.add_prose(position, at)
            if not opener:
                return
            if closer:
                position = self._read_reasoning(at, Span(at, at + len(opener)), closer, openers)
                continue
            after = self.read_at(at, opener)
            if after is None:
                after = at + len(opener)
                self.add_prose(at, after)
                if not opener[0].isalpha():
                    self.report("leaked_token", Span(at, after), token=opener)
            else:
                self.add_block(at, after, at + len(opener))
            position = after

    def add_prose(self, start: int, end: int) -> None:
        if start < end:
            self._prose.append(Span(start, end))

    def add_block(self, start: int, end: int, content: int) -> None:
        """What a marker begins at `start`; `content` is the offset after the marker."""
        end = stripped(self.text, start, end).end
        self.response.blocks.append(Block("calls", Span(start, end), Span(min(content, end), end)))

    def add_reasoning(self, start: int, end: int) -> None:
        content = stripped(self.text, start, end)
        if content.start < content.end:
            self._reasoning.append(content)

    def add_lost(self, start: int, end: int) -> None:
        """Text that stands between calls where only calls are read."""
        content = stripped(self.text, start, end)
        if content.start < content.end:
            self.report("lost_text/inside", content)

    def add_call(self, name: str, arguments: dict[str, Any], span: Span, name_span: Span, places: Spans | None) -> None:
        self.response.calls.append(Call(name, arguments, span, Parts(name_span, places)))

    def reported(self, code: str) -> bool:
        """Whether the last violation is of a code: what a marker within has said need not be said of the one around it."""
        violations = self.response.violations
        return bool(violations) and violations[-1].code == code

    def next_of(self, markers: tuple[str, ...], start: int) -> tuple[int, str]:
        """The first of the markers at or after an offset, the longest of those at one place; the end of the text if none."""
        best, found = self.end, ""
        for marker in markers:
            at = self.landmarks.next(marker, start)
            if at < best or (at == best and at < self.end and len(marker) > len(found)):
                best, found = at, marker
        return best, found

    def skip_blanks(self, start: int, end: int) -> int:
        text = self.text
        while start < end and text[start] in BLANKS:
            start += 1
        return start

    def _next(self, start: int, openers: tuple[str, ...]) -> tuple[int, str, str]:
        """The next part that is not prose: its offset, its marker, and what closes it if it is reasoning."""
        at, opener = self.next_of(openers, start)
        closer = ""
        for pair in self.row.reasoning:
            found = self.landmarks.next(pair.open, start)
            if found < at:
                at, opener, closer = found, pair.open, pair.close
        return at, opener, closer

    def _find_end(self) -> None:
        """The tokens that end a response are not a part of what it says."""
        end = len(self.text)
        stops = self.row.stop_tokens
        while stops:
            last = len(self.text[max(0, end - 64) : end].rstrip())
            end_of_words = max(0, end - 64) + last
            token = next((stop for stop in stops if self.text.endswith(stop, 0, end_of_words)), None)
            if token is None:
                break
            end = end_of_words - len(token)
        self.end = end

    # Reasoning

    def _leading_reasoning(self, openers: tuple[str, ...]) -> int:
        """Read the reasoning that the prompt has opened; the offset after it."""
        begins = self._begins_in_reasoning
        if begins is False:
            return 0
        for pair in self.row.reasoning:
            close = self.landmarks.next(pair.close, 0)
            if close >= self.end and not begins:
                continue
            if self.landmarks.next(pair.open, 0) < close:
                return 0
            first, opener = self.next_of(openers, 0)
            if not begins and first < close and self._probe(first, opener)[0] > close:
                # The marker stands in an argument of a call: nothing was opened.
                return 0
            return self._read_reasoning(0, Span(0, 0), pair.close, openers)
        return 0

    def _read_reasoning(self, start: int, opener: Span, closer: str, openers: tuple[str, ...]) -> int:
        close = self.landmarks.next(closer, opener.end)
        position = opener.end
        if close >= self.end:
            call, marker = self.next_of(openers, position)
            self.add_reasoning(position, call)
            if marker:
                self.report("call_in_reasoning/unclosed", Span(call, call + len(marker)), VARIES)
            elif self.end:
                # The prompt has opened it, or this marker.
                self.report("cut_off/reasoning", opener if opener.end else Span(self.end - 1, self.end))
            return call
        self.add_reasoning(position, close)
        while True:
            at, marker = self.next_of(openers, position)
            if at >= close:
                return close + len(closer)
            position, name = self._probe(at, marker)
            if name is not None:
                self.report("call_in_reasoning", Span(at, at + len(marker)), LOST, name=name)

    def _probe(self, start: int, opener: str) -> tuple[int, str | None]:
        """Read what begins at `start` without keeping it: the offset after it, and the name of its first call."""
        calls, violations = self.response.calls, self.response.violations
        called, reported = len(calls), len(violations)
        after = self.read_at(start, opener)
        name = calls[called].name if len(calls) > called else None
        del calls[called:]
        del violations[reported:]
        return max(start + len(opener), after or 0), name

    # Values

    def read_value(self, start: int, stop: int) -> tuple[Any, int]:
        """The JSON value at `start` and the offset after it. Raises `JsonSyntaxError`.

        `stop` is the next marker; a value goes beyond it only where the marker stands in one of its strings.
        """
        if stop >= self.end:
            # Without a copy of the rest for each value.
            return self._scanned(start) or read_json(self.text, start, self.end)
        try:
            return read_json(self.text, start, stop)
        except JsonSyntaxError as broken:
            found = self._scanned(start) if broken.kind == "incomplete" else None
            if found is None:
                raise
            return found

    def _scanned(self, start: int) -> tuple[Any, int] | None:
        """The JSON value at `start` and the offset after it, wherever it ends; None after too many attempts in vain."""
        if self._attempts >= _ATTEMPTS:
            return None
        try:
            plain, end = scan_value(self.text, start)
        except (StopIteration, ValueError, RecursionError):
            end = self.end + 1
        if end > self.end or nesting(self.text[start:end]) > MAX_DEPTH:
            self._attempts += 1
            return None
        return plain, end

    def report_json(self, error: JsonSyntaxError, start: int, stop: int, name: str = "") -> None:
        """Report text that is not JSON, at the character where it stops being so."""
        at = max(start, min(error.offset, stop - 1))
        values = {"name": name} if name else {}
        self.report(f"arguments_not_json/{error.kind}", Span(at, min(at + 1, self.end)), LOST, **values)

    # What is around the calls

    @cached_property
    def _hints(self) -> tuple[str, ...]:
        return hints_in(self.text)

    def report_foreign(self, start: int, end: int) -> bool:
        """Report the call of another protocol between two offsets; whether there is one."""
        if self._recognise is None or self._looks <= 0 or not self._hints:
            return False
        self._looks -= 1
        found = self._recognise(self.text[start:end])
        if found is None or found.call is None or found.row is self.row:
            return False
        at = Span(start + found.call.span.start, start + found.call.span.end)
        self.report("wrong_protocol", at, LOST, name=found.call.name, protocol=found.row.name)
        return True

    def _check_prose(self) -> None:
        if not self._prose:
            return
        self._check_leaks()
        for span in self._prose:
            self.report_foreign(*span)
        calls = self.response.calls
        if not calls:
            return
        first = min(call.span.start for call in calls)
        last = max(call.span.end for call in calls)
        for span in self._prose:
            content = stripped(self.text, *span)
            if content.start > first and self._unframed(self.text[content.start : content.end]).strip():
                kind = "lost_text/between" if content.end < last else "lost_text/after"
                self.report(kind, content)

    def _check_leaks(self) -> None:
        """Tokens that a runtime takes out of the text stand in what the user sees."""
        text = self.text
        starts = [span.start for span in self._prose]
        absent = set(HINTS).difference(self._hints)
        for token in self.row.leaking:
            if any(hint in token for hint in absent):
                continue
            at = self.landmarks.next(token, 0)
            while 0 <= at < self.end:
                index = bisect_right(starts, at) - 1
                if index >= 0 and at < self._prose[index].end:
                    self.report("leaked_token", Span(at, at + len(token)), token=token)
                at = text.find(token, at + len(token))
