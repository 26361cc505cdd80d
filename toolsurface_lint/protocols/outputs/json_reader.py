"""Calls that are JSON: objects or lists of them, between markers or as all of the response."""

from __future__ import annotations

import re
from typing import Any

from toolsurface_lint.protocols.calls import Call, Parts
from toolsurface_lint.protocols.json_calls import JsonSyntaxError, read_json
from toolsurface_lint.protocols.outputs.reader import OutputReader
from toolsurface_lint.protocols.outputs.syntax import BareJson, JsonCalls, Pair
from toolsurface_lint.protocols.response import LOST, RUNS, VARIES
from toolsurface_lint.source.json import JsonTree
from toolsurface_lint.source.text import SourceText, Span
from toolsurface_lint.source.tree import Spans

_MEANT = re.compile(r'\{\s*"(?:name|type|function|parameters|arguments)"')
"""How an object begins that is meant as a call, although it is not JSON."""


class JsonObjects(OutputReader):
    """Makes calls of JSON values; what stands around them, the grammar says."""

    name_keys: tuple[str, ...] = ("name",)
    argument_keys: tuple[str, ...] = ("arguments",)

    def add_calls(self, value: Any, start: int, end: int) -> bool:
        """Add the calls that a value is, an object or a list of objects; whether there was one."""
        before = len(self.response.calls)
        if isinstance(value, list):
            places = json_places(self.text, start).items
            for item, place in zip(value, places if isinstance(places, list) else (), strict=True):
                self._add_item(item, place.start, place.end)
        else:
            self._add_item(value, start, end)
        return len(self.response.calls) > before

    def _add_item(self, item: Any, start: int, end: int) -> None:
        span = Span(start, end)
        if not isinstance(item, dict) or not item:
            self.report("not_single_object", span, LOST)
        elif self.name_keys:
            self._add_object(item, span)
        else:
            for name, arguments in item.items():
                self._add(name, arguments, span, "", name)

    def _add_object(self, item: dict[str, Any], span: Span) -> None:
        key = next((key for key in self.name_keys if key in item), "")
        name = item.get(key)
        if not isinstance(name, str) or not name.strip():
            self.report("missing_name", self._member(span, key), LOST)
            return
        held = next((key for key in self.argument_keys if key in item), None)
        self._add(name.strip(), {} if held is None else item[held], span, key, held)

    def _add(self, name: str, arguments: Any, span: Span, name_key: str, key: str | None) -> None:
        """Add one call; without a key for the name, that of the arguments is the name."""
        if isinstance(arguments, str):
            arguments = self.decoded(name, arguments, self._member(span, key))
            if arguments is None:
                return
        elif arguments is not None and not isinstance(arguments, dict):
            self.report("args_not_object", self._member(span, key), LOST, key=key, name=name)
            return

        def locate() -> Parts:
            members = json_places(self.text, span.start).items
            members = members if isinstance(members, dict) else {}
            given = members.get(key) if key is not None else None
            called = members.get(name_key)
            if called is not None:
                return Parts(Span(called.start, called.end), given)
            if given is not None:
                return Parts(Span(given.key_start, given.key_end), given)
            return Parts(Span(span.start, span.start), None)

        self.response.calls.append(Call(name, arguments or {}, span, locate))

    def decoded(self, name: str, given: str, span: Span) -> dict[str, Any] | None:
        """The arguments that are written as a string of JSON; None, and a violation, if it is not an object of JSON."""
        try:
            value, end = read_json(given, 0, len(given))
        except JsonSyntaxError:
            value, end = None, 0
        if not isinstance(value, dict) or given[end:].strip():
            self.report("arguments_not_json/string", span, LOST, name=name)
            return None
        self.report("arguments_double_encoded", span, VARIES, name=name)
        return value

    def _member(self, span: Span, key: str | None) -> Span:
        members = json_places(self.text, span.start).items
        found = members.get(key or "") if isinstance(members, dict) else None
        return span if found is None else Span(found.start, found.end)


def json_places(text: str, start: int) -> Spans:
    return JsonTree(SourceText("", text), None, start).spans


class JsonCallsReader(JsonObjects):
    """JSON between the markers of a row."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        syntax = self.row.syntax
        assert isinstance(syntax, JsonCalls)
        self.name_keys, self.argument_keys = syntax.name_keys, syntax.argument_keys
        self._pairs = {pair.open: pair for pair in syntax.call if pair.open}
        self._openers = syntax.openers
        self._alone = any(not pair.open for pair in syntax.call)

    def read_body(self, start: int) -> int:
        """A response that is nothing but JSON, in protocols that need no markers."""
        at = self.skip_blanks(start, self.end)
        if not self._alone or at >= self.end or self.text[at] != "[":
            return start
        try:
            value, end = self.read_value(at, self.end)
        except JsonSyntaxError:
            return start
        return end if self.add_calls(value, at, end) else start

    def read_at(self, start: int, opener: str) -> int | None:
        text, pair = self.text, self._pairs[opener]
        mark = Span(start, start + len(opener))
        at = self.skip_blanks(mark.end, self.end)
        close = self.landmarks.next(pair.close, at) if pair.close else self.end
        inner, nested = self.next_of(self._openers, at)
        if at >= self.end:
            self.report("cut_off", mark, LOST)
            return self.end
        if text[at] not in "[{":
            return self._read_other(mark, pair, at, close, inner)
        try:
            value, end = self.read_value(at, min(close, inner))
        except JsonSyntaxError as error:
            if error.kind == "incomplete" and inner < min(close, self.end):
                self.report("nested_call", Span(inner, inner + len(nested)), LOST)
                return inner
            if error.kind == "incomplete" and close >= self.end:
                self.report("cut_off", mark, LOST)
                return self.end
            self.report_json(error, at, min(close, inner, self.end))
            return self._after(pair, close, inner)
        return self._close(mark, pair, value, Span(at, end))

    def _close(self, mark: Span, pair: Pair, value: Any, body: Span) -> int:
        after = self.skip_blanks(body.end, self.end)
        if not pair.close or self.text.startswith(pair.close, after):
            self.add_calls(value, *body)
            return after + len(pair.close) if pair.close else body.end
        close = self.landmarks.next(pair.close, after)
        inner, _ = self.next_of(self._openers, after)
        if after < self.end and close < inner:
            self.report("arguments_not_json/rest", Span(after, after + 1), LOST)
            return close + len(pair.close)
        complete = after < self.end
        if complete:
            self.add_calls(value, *body)
        # The text may have been cut off here, and then nobody knows whether the model had finished.
        self.report("unclosed_call", mark, RUNS if complete else VARIES)
        return body.end

    def _read_other(self, mark: Span, pair: Pair, at: int, close: int, inner: int) -> int | None:
        """What follows an opening marker and is not JSON."""
        if inner == at:
            opener = next(opener for opener in self._openers if self.text.startswith(opener, at))
            self.report("nested_call", Span(at, at + len(opener)), LOST)
            return at
        if close >= self.end or inner < close:
            return None
        end = close + len(pair.close)
        if not self.report_foreign(mark.start, end):
            self.report("arguments_not_json/value", Span(at, at + 1), LOST)
        return end

    def _after(self, pair: Pair, close: int, inner: int) -> int:
        return close + len(pair.close) if close < min(inner, self.end) else min(inner, self.end)


class BareJsonReader(JsonObjects):
    """Objects of JSON that are all of the response, with a separator between them."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        syntax = self.row.syntax
        assert isinstance(syntax, BareJson)
        self._syntax = syntax
        self.name_keys, self.argument_keys = syntax.name_keys, syntax.argument_keys

    def read_body(self, start: int) -> int:
        at = self.skip_blanks(start, self.end)
        return start if at >= self.end or self.text[at] != "{" else self._read_objects(at)

    def read_at(self, start: int, opener: str) -> int | None:
        return self._read_objects(start + len(opener))

    def _read_objects(self, start: int) -> int:
        position = start
        while True:
            at = self.skip_blanks(position, self.end)
            if at >= self.end or self.text[at] != "{":
                return position
            try:
                value, end = self.read_value(at, self.end)
            except JsonSyntaxError as error:
                if _MEANT.match(self.text, at) is None:
                    return position
                if error.kind == "incomplete":
                    self.report("cut_off", Span(at, at + 1), LOST)
                else:
                    self.report_json(error, at, self.end)
                return self.end
            if not any(isinstance(value.get(key), str) for key in self.name_keys):
                # An answer in JSON.
                return position
            self.add_calls(value, at, end)
            position = end
            after = self.skip_blanks(end, self.end)
            if self.text.startswith(self._syntax.separator, after):
                position = after + len(self._syntax.separator)
