"""Calls with a name as text and arguments as JSON, each after a marker."""

from __future__ import annotations

import re
from typing import Any

from toolsurface_lint.protocols.json_calls import JsonSyntaxError
from toolsurface_lint.protocols.landmarks import stripped
from toolsurface_lint.protocols.outputs.json_reader import JsonObjects, json_places
from toolsurface_lint.protocols.outputs.section_reader import SectionReader
from toolsurface_lint.protocols.outputs.syntax import NamedJson
from toolsurface_lint.protocols.response import LOST, RUNS, VARIES
from toolsurface_lint.source.text import Span

_NUMBERED = re.compile(r"(?:functions\.)?(.+?)(?::\d+)?")
_MAX_NAME = 512


class NamedJsonReader(SectionReader, JsonObjects):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        syntax = self.row.syntax
        assert isinstance(syntax, NamedJson)
        self._syntax = syntax

    def read_call(self, start: int) -> int | None:
        syntax, text = self._syntax, self.text
        mark = Span(start, start + len(syntax.call.open))
        position = self.skip_blanks(mark.end, self.end)
        if position >= self.end:
            self.report("cut_off", mark, LOST)
            return self.end
        if syntax.listed and text[position] in "[{":
            return self._read_list(mark, position)
        if syntax.name_open and text.startswith(syntax.name_open, position):
            position += len(syntax.name_open)
        close = self._close(position)
        separator = self.landmarks.next(syntax.separator, position)
        name = stripped(text, position, min(separator, self.landmarks.next("{", position), close))
        if syntax.id:
            name = stripped(text, name.start, min(name.end, self.landmarks.next(syntax.id, name.start)))
        called = self._called(name)
        if called is None:
            return self._without_name(mark, name)
        brace = self.landmarks.next("{", position)
        at = separator + len(syntax.separator) if separator <= brace else brace
        if at >= self.end:
            self.report("cut_off", mark, LOST, name=text[called.start : called.end])
            return self.end
        return self._read_arguments(mark, called, at)

    def _called(self, name: Span) -> Span | None:
        """The place of the name in what stands where it is written; None if that is not a name."""
        written = self.text[name.start : min(name.end, name.start + _MAX_NAME + 1)]
        if not written or len(written) > _MAX_NAME or len(written.split()) > 1 or "<" in written:
            return None
        if self._syntax.numbered:
            match = _NUMBERED.fullmatch(written)
            if match is not None:
                return Span(name.start + match.start(1), name.start + match.end(1))
        return name

    def _without_name(self, mark: Span, name: Span) -> int | None:
        close = self._close(mark.end)
        if self._syntax.call.close and close < self.end:
            after = self._after(close)
            if not self.report_foreign(mark.start, after):
                self.report("missing_name", name if name.start < name.end else mark, LOST)
            return after
        return None

    def _read_arguments(self, mark: Span, called: Span, start: int) -> int:
        syntax, text = self._syntax, self.text
        name = text[called.start : called.end]
        at = self.skip_blanks(start, self.end)
        if syntax.fence.open and text.startswith(syntax.fence.open, at):
            at = self.skip_blanks(at + len(syntax.fence.open), self.end)
        stop = self._close(at)
        if at >= self.end:
            self.report("cut_off", mark, LOST, name=name)
            return self.end
        try:
            value, end = self.read_value(at, stop)
        except JsonSyntaxError as error:
            if error.kind == "incomplete" and stop >= self.end:
                self.report("cut_off", mark, LOST, name=name)
                return self.end
            self.report_json(error, at, max(at + 1, stop), name)
            return self._after(stop)
        after = self.skip_blanks(end, self.end)
        if syntax.fence.close and text.startswith(syntax.fence.close, after):
            after = self.skip_blanks(after + len(syntax.fence.close), self.end)
        closed = bool(syntax.call.close) and text.startswith(syntax.call.close, after)
        if closed:
            after += len(syntax.call.close)
        elif syntax.call.close:
            stop = self._close(after)
            if after < stop < self.end and text.startswith(syntax.call.close, stop):
                self.report("arguments_not_json/rest", Span(after, after + 1), LOST, name=name)
                return self._after(stop)
            self.report("unclosed_call", mark, RUNS if after < self.end else VARIES, name=name)
            if after >= self.end:
                return self.end
        else:
            after = end
        self._add_named(name, value, Span(mark.start, after if closed else end), called, Span(at, end))
        return after

    def _add_named(self, name: str, value: Any, span: Span, called: Span, at: Span) -> None:
        places = json_places(self.text, at.start)
        if isinstance(value, str):
            value = self.decoded(name, value, at)
            if value is None:
                return
        if not isinstance(value, dict):
            self.report("args_not_object/call", at, LOST, name=name)
            return
        self.add_call(name, value, span, called, places)

    def _read_list(self, mark: Span, start: int) -> int:
        try:
            value, end = self.read_value(start, min(self._close(start), self.end))
        except JsonSyntaxError as error:
            if error.kind == "incomplete":
                self.report("cut_off", mark, LOST)
                return self.end
            stop = self._close(start)
            self.report_json(error, start, stop)
            return stop
        self.add_calls(value, start, end)
        return end

    def _close(self, start: int) -> int:
        """Where the call that `start` is in ends at the latest: at its closing marker or the next opening one."""
        syntax = self._syntax
        markers = (syntax.call.close, syntax.call.open, syntax.section.close, syntax.section.open)
        return self.next_of(tuple(marker for marker in markers if marker), start)[0]

    def _after(self, stop: int) -> int:
        close = self._syntax.call.close
        return stop + len(close) if close and self.text.startswith(close, stop) else stop
