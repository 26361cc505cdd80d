"""Calls whose arguments are literals: calls of Python, and Google's call notation."""

from __future__ import annotations

import re
from typing import Any

from toolsurface_lint.protocols.outputs.literals import PYTHON, LiteralError, LiteralReader, quoted_notation
from toolsurface_lint.protocols.outputs.reader import OutputReader
from toolsurface_lint.protocols.outputs.syntax import CallNotation, PythonicCalls
from toolsurface_lint.protocols.response import LOST, RUNS, VARIES
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Spans

_LIST_START = re.compile(r"\[\s*[A-Za-z_][\w.]*\s*\(")
_CALL = re.compile(r"[A-Za-z_][\w.-]*(?=\s*\()")
_KEYWORD = re.compile(r"([A-Za-z_]\w*)\s*=(?!=)\s*")
_BEGUN_KEYWORD = re.compile(r"\w*\s*(?:=\s*)?")
_NOTATION_CALL = re.compile(r"call:\s*([^\s{<>]{1,512})\s*(?=\{)")
_BEGUN_CALL = re.compile(r"c?a?l?l?:?[^\s{<>]{0,512}\s*\Z")


class PythonicReader(OutputReader):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        syntax = self.row.syntax
        assert isinstance(syntax, PythonicCalls)
        self._syntax = syntax
        self._literals = LiteralReader(self.text, self.end, PYTHON)

    def read_body(self, start: int) -> int:
        at = self.skip_blanks(start, self.end)
        if self._syntax.required or _LIST_START.match(self.text, at, self.end) is None:
            return start
        self._literals.limit = self.end
        return self._read_list(Span(at, at + 1), at)

    def read_at(self, start: int, opener: str) -> int | None:
        mark = Span(start, start + len(opener))
        close = self.landmarks.next(self._syntax.markers.close, mark.end)
        self._literals.limit = self.end
        at = self.skip_blanks(mark.end, self.end)
        if at >= self.end:
            self.report("cut_off", mark, LOST)
            return self.end
        if self._syntax.lines and _CALL.match(self.text, at, self.end):
            after = self._read_calls(mark, at, self._syntax.markers.close)
        elif _LIST_START.match(self.text, at, self.end) or self.text.startswith("[]", at):
            after = self._read_list(mark, at)
        elif close >= self.end:
            return None
        else:
            if not self.report_foreign(mark.start, close):
                self.report("argument_syntax/literal/value", Span(at, at + 1), LOST)
            return close + len(self._syntax.markers.close)
        return self._closed(mark, after)

    def _closed(self, mark: Span, position: int) -> int:
        close = self._syntax.markers.close
        after = self.skip_blanks(position, self.end)
        if self.text.startswith(close, after):
            return after + len(close)
        if after >= self.end:
            if not self.reported("cut_off"):
                self.report("unclosed_section", mark, RUNS)
            return self.end
        end = self.landmarks.next(close, after)
        opener = self.landmarks.next(self._syntax.markers.open, after)
        if end < min(opener, self.end):
            self.add_lost(after, end)
            return end + len(close)
        self.report("unclosed_section", mark, RUNS)
        return position

    def _read_list(self, mark: Span, start: int) -> int:
        return self._read_calls(mark, start + 1, "]", ",")

    def _read_calls(self, mark: Span, position: int, closer: str, separator: str = "") -> int:
        """Read calls up to `closer`, which is passed if it is a bracket; after a broken call the rest is lost."""
        before = len(self.response.calls)
        while True:
            position = self.skip_blanks(position, self.end)
            if position >= self.end:
                if separator:
                    # The list never ends, so that nothing of it runs.
                    del self.response.calls[before:]
                    self.report("cut_off", mark, LOST)
                return self.end
            if self.text.startswith(closer, position):
                return position + len(closer) * bool(separator)
            try:
                position = self._read_call(position)
            except LiteralError as error:
                if error.kind == "incomplete":
                    if separator:
                        del self.response.calls[before:]
                    self.report("cut_off", mark, LOST)
                    return self.end
                at = min(error.offset, self.end - 1)
                self.report(f"argument_syntax/literal/{error.kind}", Span(at, at + 1), LOST)
                if separator:
                    del self.response.calls[before:]
                stop = self.landmarks.next(self._syntax.markers.close or "\n", at)
                return min(self.end, stop)
            after = self.skip_blanks(position, self.end)
            if separator and self.text.startswith(separator, after):
                position = after + len(separator)

    def _read_call(self, start: int) -> int:
        """Read one call; the offset after it. Raises `LiteralError`."""
        text, literals = self.text, self._literals
        name = _CALL.match(text, start, self.end)
        if name is None:
            raise LiteralError("call", start)
        opening = literals.blank(name.end())
        position = literals.blank(opening + 1)
        values: dict[str, Any] = {}
        items: dict[str, Spans] = {}
        while not text.startswith(")", position, self.end):
            keyword = _KEYWORD.match(text, position, self.end)
            if keyword is None:
                raise LiteralError("incomplete" if self._cut(position) else "positional", position)
            value, places = literals.read(keyword.end())
            places.key_start, places.key_end = keyword.span(1)
            values[keyword[1]], items[keyword[1]] = value, places
            position = literals.blank(places.end)
            if text.startswith(",", position, self.end):
                position = literals.blank(position + 1)
            elif not text.startswith(")", position, self.end):
                raise LiteralError("incomplete" if position >= self.end else "separator", position)
        span = Span(start, position + 1)
        self.add_call(name.group(), values, span, Span(*name.span()), Spans(opening, position + 1, items))
        return position + 1

    def _cut(self, position: int) -> bool:
        return self.end - position <= 512 and _BEGUN_KEYWORD.fullmatch(self.text, position, self.end) is not None


class CallNotationReader(OutputReader):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        syntax = self.row.syntax
        assert isinstance(syntax, CallNotation)
        self._pair = syntax.call
        self._literals = LiteralReader(self.text, self.end, quoted_notation(syntax.quote))

    def read_at(self, start: int, opener: str) -> int | None:
        mark = Span(start, start + len(opener))
        at = self.skip_blanks(mark.end, self.end)
        close = self.landmarks.next(self._pair.close, at)
        head = _NOTATION_CALL.match(self.text, at, self.end)
        if head is None:
            return self._read_other(mark, at, close)
        self._literals.limit = self.end
        name = head[1]
        try:
            value, places = self._literals.read(head.end())
        except LiteralError as error:
            if error.kind == "incomplete":
                self.report("cut_off", mark, LOST, name=name)
                return self.end
            place = min(error.offset, self.end - 1)
            self.report(f"argument_syntax/literal/{error.kind}", Span(place, place + 1), LOST, name=name)
            close = self.landmarks.next(self._pair.close, place)
            return min(self.end, close + len(self._pair.close))
        after = self.skip_blanks(places.end, self.end)
        if self.text.startswith(self._pair.close, after):
            after += len(self._pair.close)
        else:
            inner = self.landmarks.next(self._pair.open, after)
            close = self.landmarks.next(self._pair.close, after)
            if after < self.end and close < inner:
                self.add_lost(after, close)
                after = close + len(self._pair.close)
            else:
                complete = after < self.end
                self.report("unclosed_call", mark, RUNS if complete else VARIES, name=name)
                if not complete:
                    return self.end
                after = places.end
        self.add_call(name, value, Span(at, places.end), Span(*head.span(1)), places)
        return after

    def _read_other(self, mark: Span, at: int, close: int) -> int | None:
        inner = self.landmarks.next(self._pair.open, at)
        if inner == at and at < self.end:
            self.report("nested_call", Span(at, at + len(self._pair.open)), LOST)
            return at
        if close < min(inner, self.end):
            if not self.report_foreign(mark.start, close):
                self.report("missing_name", Span(at, close) if at < close else mark, LOST)
            return close + len(self._pair.close)
        if self.end - at < 600 and _BEGUN_CALL.match(self.text, at, self.end):
            self.report("cut_off", mark, LOST)
            return self.end
        return None
