"""Moonshot's XTML: elements that tokens open and close, with attributes."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from toolsurface_lint.protocols.json_calls import JsonSyntaxError
from toolsurface_lint.protocols.landmarks import stripped
from toolsurface_lint.protocols.outputs.argument_values import json_value
from toolsurface_lint.protocols.outputs.reader import OutputReader
from toolsurface_lint.protocols.response import LOST, RUNS
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Spans

_OPEN, _CLOSE, _SEP = "<|open|>", "<|close|>", "<|sep|>"
_ELEMENT = re.compile(r"\s*([a-z]+)([^<]{0,2048})")
_ATTRIBUTE = re.compile(r'(?<![\w-])([\w-]+)="([^"]*)"')
_VALUE_END = re.compile(r"<\|close\|>argument<\|sep\|>(?=\s*<\|(?:open|close)\|>)")
"""The end of an argument that is not only mentioned in it: an element begins or ends after it."""

_ENDS = {name: f"{_CLOSE}{name}{_SEP}" for name in ("think", "response", "tools", "call", "argument", "message")}


class AttributeTokenReader(OutputReader):
    def read(self) -> None:
        position = self._read_beginning()
        while position < self.end:
            at, token = self.next_of((_OPEN, _CLOSE), position)
            self.add_prose(position, at)
            if not token:
                return
            position = self._read_opened(at) if token == _OPEN else self._read_closed(at)

    def _read_beginning(self) -> int:
        """Read the element that the prompt has opened, as far as it is known by how it ends."""
        first, token = self.next_of((_OPEN, _CLOSE), 0)
        if token == _CLOSE:
            for name in ("think", "response"):
                if self.text.startswith(_ENDS[name], first):
                    self._add_text(name, 0, first)
                    return first + len(_ENDS[name])
        elif not token and self._begins_in_reasoning:
            self._add_text("think", 0, self.end)
            return self.end
        return 0

    def _add_text(self, element: str, start: int, end: int) -> None:
        if element == "think":
            self.add_reasoning(start, end)
        else:
            self.add_prose(start, end)

    def _tag(self, start: int) -> tuple[str, str, int, int]:
        """The element that is opened at `start`: its name, its attributes and where they begin, and the offset after it.

        The offset is the end of the text if the tag is cut off.
        """
        begun = start + len(_OPEN)
        match = _ELEMENT.match(self.text, begun, self.end)
        if match is None:
            return "", "", begun, begun
        if not self.text.startswith(_SEP, match.end()):
            return match[1], match[2], match.start(2), self.end if match.end() >= self.end else match.end()
        return match[1], match[2], match.start(2), match.end() + len(_SEP)

    def _read_closed(self, start: int) -> int:
        """An element that ends: those of a message may end anywhere, all else leaks."""
        for name in ("message", "tools", "response", "think"):
            if self.text.startswith(_ENDS[name], start):
                if name != "message":
                    self.report("leaked_token", Span(start, start + len(_ENDS[name])), token=_ENDS[name])
                return start + len(_ENDS[name])
        self.add_prose(start, start + len(_CLOSE))
        return start + len(_CLOSE)

    def _read_opened(self, start: int) -> int:
        name, _, _, position = self._tag(start)
        if name in ("think", "response"):
            end = self.landmarks.next(_ENDS[name], position)
            self._add_text(name, position, min(end, self.end))
            if end >= self.end and name == "think":
                self.report("cut_off/reasoning", Span(start, position))
            return min(self.end, end + len(_ENDS[name]))
        if name == "message":
            return position
        if name == "tools":
            after = self._read_tools(Span(start, start + len(_OPEN)), position)
            self.add_block(start, after, position)
            return after
        if name == "call":
            self.report("missing_opener", Span(start, start + len(_OPEN)), LOST, opener=f"{_OPEN}tools{_SEP}")
            before = len(self.response.calls)
            after = self._read_call(start)
            del self.response.calls[before:]
            return after
        self.add_prose(start, position)
        return max(position, start + len(_OPEN))

    def _read_tools(self, mark: Span, position: int) -> int:
        before = len(self.response.calls)
        while True:
            position = self.skip_blanks(position, self.end)
            if position >= self.end:
                if len(self.response.calls) > before:
                    self.report("unclosed_section", mark, RUNS)
                elif not self.reported("cut_off"):
                    self.report("cut_off", mark, LOST)
                return self.end
            if self.text.startswith(_ENDS["tools"], position):
                return position + len(_ENDS["tools"])
            if self.text.startswith(_OPEN, position):
                name = self._tag(position)[0]
                if name == "call":
                    position = self._read_call(position)
                    continue
                if name in ("tools", "response", "think"):
                    self.report("unclosed_section", mark, RUNS)
                    return position
            following, _ = self.next_of((_OPEN, _ENDS["tools"]), position + 1)
            self.add_lost(position, following)
            position = following

    def _read_call(self, start: int) -> int:
        mark = Span(start, start + len(_OPEN))
        _, attributes, at, position = self._tag(start)
        tool = next((match for match in _ATTRIBUTE.finditer(attributes) if match[1] == "tool"), None)
        if tool is None or not tool[2]:
            cut = position >= self.end
            self.report("cut_off" if cut else "missing_name", mark, LOST)
            end = self.landmarks.next(_ENDS["call"], position)
            return min(self.end, end + len(_ENDS["call"]))
        called, name = unescape(tool[2]), Span(at + tool.start(2), at + tool.end(2))
        values: dict[str, Any] = {}
        items: dict[str, Spans] = {}
        begun, broken = position, False
        while True:
            position = self.skip_blanks(position, self.end)
            if position >= self.end:
                self.report("cut_off", mark, LOST, name=called)
                return self.end
            if self.text.startswith(_ENDS["call"], position):
                after = position + len(_ENDS["call"])
                break
            if self.text.startswith(_OPEN, position):
                element, attributes, at, inside = self._tag(position)
                if element == "argument":
                    read = self._read_argument(attributes, at, inside, called, values, items)
                    if read is None:
                        self.report("cut_off", mark, LOST, name=called)
                        return self.end
                    position, bad = read
                    broken |= bad
                    continue
                if element in ("call", "tools", "response"):
                    self.report("unclosed_call", mark, RUNS, name=called)
                    after = position
                    break
            following, _ = self.next_of((_OPEN, _CLOSE), position + 1)
            self.add_lost(position, following)
            position = following
        if not broken:
            self.add_call(called, values, Span(start, after), name, Spans(begun, max(begun, position), items))
        return after

    def _read_argument(
        self, attributes: str, at: int, start: int, name: str, values: dict[str, Any], items: dict[str, Spans]
    ) -> tuple[int, bool] | None:
        """Read one argument: the offset after it, and whether its value is broken; None if the text ends in it."""
        found = {match[1]: match for match in _ATTRIBUTE.finditer(attributes)}
        end = self.landmarks.next(_VALUE_END, start)
        if end >= self.end:
            end = self.landmarks.next(_ENDS["argument"], start)
        if end >= self.end:
            return None
        after = end + len(_ENDS["argument"])
        if "key" not in found:
            self.report("missing_key", stripped(self.text, start - len(_SEP), start), LOST, name=name)
            return after, True
        key = found["key"]
        place = (at + key.start(2), at + key.end(2))
        written = unescape(key[2])
        if "type" not in found or found["type"][2] == "string":
            values[written], items[written] = self.text[start:end], Spans(start, end, None, place)
            return after, False
        try:
            values[written], items[written] = json_value(self.text, Span(start, end), place)
        except JsonSyntaxError as error:
            self.report_json(error, start, max(start + 1, end), name)
            return after, True
        return after, False
