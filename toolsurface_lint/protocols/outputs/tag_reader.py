"""Calls in tags: a tag that names the tool with one for each argument, or a name with tags for keys and values."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from toolsurface_lint.protocols.json_calls import JsonSyntaxError
from toolsurface_lint.protocols.landmarks import stripped
from toolsurface_lint.protocols.outputs.argument_values import json_value, typed_value
from toolsurface_lint.protocols.outputs.section_reader import SectionReader
from toolsurface_lint.protocols.outputs.syntax import KeyValueTags, NamedTags
from toolsurface_lint.protocols.response import LOST, RUNS, VARIES
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Spans

_MAX_NAME = 512
"""The longest text that is read as the name of a tool or a key with its attributes."""

_QUOTED = re.compile(r"\s*(?:\"([^\"]*)\"|'([^']*)')")
_ATTRIBUTE = re.compile(r"(?<![\w-])([\w-]+)\s*=\s*[\"']?([^\"'\s]*)")


class _Header(NamedTuple):
    """The inside of an opening tag: the name and its place, the text of further attributes, whether the tag ends itself."""

    name: str
    span: Span
    attributes: str
    closed: bool
    end: int


class _Arguments:
    """The arguments of a call as they are read, by key, with their places."""

    def __init__(self, start: int) -> None:
        self.values: dict[str, Any] = {}
        self.items: dict[str, Spans] = {}
        self.start = start

    def add(self, key: str, value: Any, places: Spans) -> None:
        self.values[key] = value
        self.items[key] = places

    def places(self, end: int) -> Spans:
        return Spans(self.start, max(self.start, end), self.items)


def _end_of_call(closer: str, after: tuple[str, ...]) -> re.Pattern[str]:
    """The tag that closes a call, and is not only mentioned in an argument: nothing of the call can follow it."""
    following = "|".join(re.escape(marker) for marker in after if marker)
    return re.compile(rf"{re.escape(closer)}(?=\s*(?:{following}|\Z))")


class NamedTagsReader(SectionReader):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        syntax = self.row.syntax
        assert isinstance(syntax, NamedTags)
        self._syntax = syntax
        self.inner = syntax.inner
        around = (syntax.section.close, syntax.call.open, syntax.section.open, *syntax.inner, *self.row.stop_tokens)
        self._call_end = _end_of_call(syntax.call_close, around)

    def read_call(self, start: int) -> int | None:
        syntax, mark = self._syntax, Span(start, start + len(self._syntax.call.open))
        header = self._header(mark.end, syntax.call.close)
        if header is None:
            return self._without_header(mark)
        if header.closed:
            self.add_call(header.name, {}, Span(start, header.end), header.span, None)
            return header.end
        arguments = _Arguments(header.end)
        schema = self.schemas.get(header.name, {})
        position, broken = header.end, False
        while True:
            position = self.skip_blanks(position, self.end)
            if position >= self.end:
                self.report("cut_off", mark, LOST, name=header.name)
                return self.end
            if self.text.startswith(syntax.call_close, position):
                end = after = position + len(syntax.call_close)
                break
            if self.text.startswith(syntax.argument.open, position):
                read = self._read_argument(position, arguments, schema, header.name)
                if read is None:
                    self.report("cut_off", mark, LOST, name=header.name)
                    return self.end
                position, bad = read
                broken |= bad
                continue
            following, found = self.next_of(
                (syntax.argument.open, syntax.call_close, syntax.call.open, self.section.close, self.section.open)
                if self.section.open
                else (syntax.argument.open, syntax.call_close, syntax.call.open),
                position,
            )
            if found in (syntax.argument.open, syntax.call_close):
                self.add_lost(position, following)
                position = following
                continue
            if not found:
                self.report("cut_off", mark, LOST, name=header.name)
                return self.end
            self.add_lost(position, following)
            self.report("unclosed_call", mark, RUNS, name=header.name)
            end, after = stripped(self.text, start, following).end, following
            break
        if not broken:
            self.add_call(header.name, arguments.values, Span(start, end), header.span, arguments.places(position))
        return after

    def _read_argument(self, start: int, into: _Arguments, schema: Any, name: str) -> tuple[int, bool] | None:
        """Read one argument: the offset after it, and whether its value is broken; None if the text ends in it."""
        syntax = self._syntax
        header = self._header(start + len(syntax.argument.open), syntax.argument.close)
        if header is None:
            return None
        begun = header.end
        close = begun if header.closed else self._value_end(begun)
        call_end = self.landmarks.next(self._call_end, begun)
        value_end = min(close, call_end, self._next_argument(begun, min(close, call_end), schema))
        if value_end >= self.end:
            # Without its closing tag a value ends with the call.
            value_end = self.landmarks.next(syntax.call_close, begun)
            if value_end >= self.end:
                return None
        after = value_end
        if header.closed:
            after = header.end
        elif value_end == close:
            after = close + len(syntax.argument_close)
        else:
            self.report("unclosed_argument", Span(start, header.end), VARIES, name=name, key=header.name)
        span = self._framed(begun, value_end)
        key = (header.span.start, header.span.end)
        declared = self._declared(header.attributes)
        try:
            if declared is True:
                value, places = self.text[span.start : span.end], Spans(*span, None, key)
            elif declared is False:
                value, places = json_value(self.text, span, key)
            else:
                value, places = typed_value(self.text, span, schema.get(header.name), key)
        except JsonSyntaxError as error:
            self.report_json(error, span.start, max(span.start + 1, span.end), name)
            return after, True
        into.add(header.name, value, places)
        return after, False

    def _value_end(self, start: int) -> int:
        """Where the tag is that closes a value: on a line of its own where the value begins on one."""
        syntax = self._syntax
        if syntax.frames_lines and self.text.startswith("\n", start):
            framed = self.landmarks.next("\n" + syntax.argument_close, start)
            following = self.landmarks.next("\n" + syntax.argument.open, start)
            if framed < min(following, self.landmarks.next("\n" + syntax.call_close, start)):
                return framed + 1
        return self.landmarks.next(syntax.argument_close, start)

    def _next_argument(self, start: int, close: int, schema: Any) -> int:
        """Where the next argument begins before a value's closing tag, so that the tag is not its own; else the end.

        A value may hold what looks like a tag; a key that the tool declares, on a line of its own, is one.
        """
        opener = self._syntax.argument.open
        at = self.landmarks.next(opener, start)
        while at < close:
            header = self._header(at + len(opener), self._syntax.argument.close)
            if header is not None and header.name in schema and self.text[at - 1] in "\n>":
                return at
            at = self.text.find(opener, at + 1, close)
            if at < 0:
                break
        return self.end

    def _declared(self, attributes: str) -> bool | None:
        """Whether a tag says that its value is a string; None if it does not say."""
        if not self._syntax.typed:
            return None
        for match in _ATTRIBUTE.finditer(attributes):
            if match[1] == self._syntax.typed:
                return match[2] == "true"
        return None

    def _framed(self, start: int, end: int) -> Span:
        if self._syntax.frames_lines:
            start += self.text.startswith("\n", start, end)
            end -= self.text.endswith("\n", start, end)
        return Span(start, end)

    def _without_header(self, mark: Span) -> int | None:
        """A tag that never ends: the response ends in it, or it is only mentioned."""
        if self.end - mark.end > _MAX_NAME:
            return None
        rest = self.text[mark.end : self.end]
        if "\n" in rest or " " in rest.strip():
            return None
        self.report("cut_off", mark, LOST)
        return self.end

    def _header(self, start: int, close: str) -> _Header | None:
        limit = min(start + _MAX_NAME, self.end)
        end = self.text.find(close, start, limit)
        if end < 0 or self.text.find("\n", start, end) >= 0:
            return None
        inside = self.text[start:end]
        closed = inside.endswith("/")
        inside = inside.removesuffix("/")
        quoted = _QUOTED.match(inside)
        if quoted is not None:
            group = 1 if quoted[1] is not None else 2
            span = Span(start + quoted.start(group), start + quoted.end(group))
            attributes = inside[quoted.end() :]
        else:
            name, _, attributes = inside.strip().partition(" ")
            at = inside.find(name)
            span = Span(start + at, start + at + len(name))
        name = self.text[span.start : span.end]
        return _Header(name, span, attributes, closed, end + len(close)) if name else None


class KeyValueTagsReader(SectionReader):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        syntax = self.row.syntax
        assert isinstance(syntax, KeyValueTags)
        self._syntax = syntax
        around = (syntax.call.open, syntax.section.close, *self.row.stop_tokens)
        self._call_end = _end_of_call(syntax.call.close, around)
        key, value = syntax.key, syntax.value.open
        self._pair_start = re.compile(
            rf"{re.escape(key.open)}[^<\n]{{1,{_MAX_NAME}}}{re.escape(key.close)}(?=\s*{re.escape(value)})"
        )

    def read_call(self, start: int) -> int | None:
        syntax = self._syntax
        mark = Span(start, start + len(syntax.call.open))
        close = self.landmarks.next(syntax.call.close, mark.end)
        key_at = self.landmarks.next(syntax.key.open, mark.end)
        name_end = min(close, key_at)
        separator = self.landmarks.next(syntax.name_close, mark.end) if syntax.name_close else self.end
        after_name = name_end
        if separator < name_end:
            name_end, after_name = separator, separator + len(syntax.name_close)
        name = stripped(self.text, mark.end, min(name_end, mark.end + _MAX_NAME))
        called = self.text[name.start : name.end]
        if name_end >= self.end:
            return self._without_name(mark, called)
        if not called or any(blank in called for blank in "\n <{["):
            return self._not_a_name(mark, close)
        arguments = _Arguments(after_name)
        schema = self.schemas.get(called, {})
        position = after_name
        while True:
            position = self.skip_blanks(position, self.end)
            if position >= self.end:
                self.report("cut_off", mark, LOST, name=called)
                return self.end
            if self.text.startswith(syntax.call.close, position):
                end = after = position + len(syntax.call.close)
                break
            if self.text.startswith(syntax.key.open, position):
                read = self._read_pair(position, arguments, schema, called)
                if read is None:
                    self.report("cut_off", mark, LOST, name=called)
                    return self.end
                position = read
                continue
            markers = (syntax.key.open, syntax.call.close, syntax.call.open)
            following, found = self.next_of(markers, position)
            if not found:
                self.report("cut_off", mark, LOST, name=called)
                return self.end
            self.add_lost(position, following)
            if found == syntax.call.open:
                self.report("unclosed_call", mark, RUNS, name=called)
                end, after = stripped(self.text, start, following).end, following
                break
            position = following
        self.add_call(called, arguments.values, Span(start, end), name, arguments.places(position))
        return after

    def _read_pair(self, start: int, into: _Arguments, schema: Any, name: str) -> int | None:
        """Read a key and its value: the offset after them; None if the text ends in them."""
        syntax = self._syntax
        key = Span(start + len(syntax.key.open), self.landmarks.next(syntax.key.close, start))
        value_at = self.landmarks.next(syntax.value.open, start)
        if key.end >= self.end or value_at >= self.end:
            return None
        inside = stripped(self.text, *key)
        begun = value_at + len(syntax.value.open)
        close = self.landmarks.next(syntax.value.close, begun)
        end = min(close, self.landmarks.next(self._call_end, begun), self.landmarks.next(self._pair_start, begun))
        if end >= self.end:
            return None
        after = end + len(syntax.value.close)
        if end != close:
            after = end
            self.report("unclosed_argument", Span(value_at, begun), VARIES, name=name, key=self._at(inside))
        typed = schema.get(self._at(inside))
        if syntax.type.open:
            declared = stripped(self.text, key.end + len(syntax.key.close), value_at)
            said = self._at(declared).removeprefix(syntax.type.open).removesuffix(syntax.type.close).strip()
            typed = {"type": said} if said else typed
        value, places = typed_value(self.text, Span(begun, end), typed, (inside.start, inside.end))
        into.add(self._at(inside), value, places)
        return after

    def _at(self, span: Span) -> str:
        return self.text[span.start : span.end]

    def _without_name(self, mark: Span, called: str) -> int | None:
        """A tag that is never closed and has no arguments: the response ends in its name, or it is only mentioned."""
        if self.end - mark.end > _MAX_NAME or " " in called or "\n" in called or called[:1] in ("{", "["):
            return None
        self.report("cut_off", mark, LOST)
        return self.end

    def _not_a_name(self, mark: Span, close: int) -> int | None:
        inner = self.landmarks.next(self._syntax.call.open, mark.end)
        if inner < close:
            if self.skip_blanks(mark.end, inner) == inner:
                self.report("nested_call", Span(inner, inner + len(self._syntax.call.open)), LOST)
                return inner
            return None
        if close >= self.end:
            return None
        content = stripped(self.text, mark.end, close)
        after = close + len(self._syntax.call.close)
        if not self.report_foreign(mark.start, after):
            self.report("missing_name", content if content.start < content.end else mark, LOST)
        return after
