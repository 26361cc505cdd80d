"""OpenAI's Harmony: messages with a header that says the role, the channel and who the message is for."""

from __future__ import annotations

import re

from toolsurface_lint.protocols.json_calls import JsonSyntaxError
from toolsurface_lint.protocols.landmarks import stripped
from toolsurface_lint.protocols.outputs.json_reader import json_places
from toolsurface_lint.protocols.outputs.reader import OutputReader
from toolsurface_lint.protocols.response import LOST, RUNS
from toolsurface_lint.source.text import Span

_START, _CHANNEL, _MESSAGE = "<|start|>", "<|channel|>", "<|message|>"
_ENDS = ("<|end|>", "<|call|>", "<|return|>")
_RECIPIENT = re.compile(r"\bto=([^\s<]+)")
_LAST_CHANNEL = re.compile(r"<\|channel\|>\s*([A-Za-z]*)")
_ROLE = re.compile(r"\s*(?:to=[^\s<]+\s*)?")
_TOKENS = "|".join(map(re.escape, (_START, _CHANNEL, *_ENDS, "<|endoftext|>")))
_END = re.compile(rf"(?:{'|'.join(map(re.escape, _ENDS))})(?=\s*(?:{_TOKENS}|\Z))")
"""A token that ends a message, and is not only mentioned in it."""

_FUNCTIONS = "functions."
_CHANNELS = ("analysis", "commentary", "final")
_MAX_HEADER = 1024


class ChannelReader(OutputReader):
    def read(self) -> None:
        text = self.text
        position, marker = self.next_of((_START, _CHANNEL, _MESSAGE), 0)
        if marker != _START and position < _MAX_HEADER and _ROLE.fullmatch(text, 0, position):
            # The prompt ends with the role, so that the response may begin with whom its message is for.
            position = 0
        self.add_prose(0, position)
        while position < self.end:
            position = self._read_message(position)

    def _read_message(self, start: int) -> int:
        text = self.text
        stray = next((token for token in _ENDS if text.startswith(token, start)), None)
        if stray is not None:
            self.report("leaked_token", Span(start, start + len(stray)), token=stray)
            return self.skip_blanks(start + len(stray), self.end)
        begun = start + len(_START) if text.startswith(_START, start) else start
        message = self.landmarks.next(_MESSAGE, begun)
        broken, marker = self.next_of((_START, *_ENDS), begun)
        if message >= self.end and not marker:
            self.report("cut_off", Span(start, min(start + len(_CHANNEL), self.end)), LOST)
            return self.end
        if broken < message or message - begun > _MAX_HEADER:
            return self._read_broken(start, broken if broken < message else message, marker)
        header = text[begun:message]
        channels = _LAST_CHANNEL.findall(header)
        channel = channels[-1] if channels else ""
        body = message + len(_MESSAGE)
        recipient = _RECIPIENT.search(header)
        if len(channels) > 1 or (channel and channel not in _CHANNELS):
            self.report("malformed_header", stripped(text, begun, message))
        if recipient is not None and recipient[1].startswith(_FUNCTIONS):
            name = Span(begun + recipient.start(1) + len(_FUNCTIONS), begun + recipient.end(1))
            return self._read_call(start, name, body)
        end, after = self._message_end(body)
        if recipient is not None and recipient[1] not in ("assistant", "user", "all"):
            # A message to a tool that is built in: its text is neither a function's call nor for the user.
            return after
        if channel == "analysis":
            self.add_reasoning(body, end)
        else:
            self.add_prose(body, end)
        return after

    def _message_end(self, start: int) -> tuple[int, int]:
        """Where a message ends, and where the next one begins."""
        end = self.landmarks.next(_END, start)
        following = self.landmarks.next(_START, start)
        if following < end:
            self.report("unclosed_message", Span(following, following + len(_START)))
            return following, following
        if end >= self.end:
            return self.end, self.end
        closer = next(token for token in _ENDS if self.text.startswith(token, end))
        return end, self.skip_blanks(end + len(closer), self.end)

    def _read_call(self, start: int, name: Span, body: int) -> int:
        text, called = self.text, self.text[name.start : name.end]
        at = self.skip_blanks(body, self.end)
        stop, marker = self.next_of((*_ENDS, _START), at)
        mark = Span(body - len(_MESSAGE), body)
        if at >= self.end:
            self.report("cut_off", mark, LOST, name=called)
            return self.end
        try:
            value, end = self.read_value(at, stop)
        except JsonSyntaxError as error:
            if error.kind == "incomplete" and not marker:
                self.report("cut_off", mark, LOST, name=called)
            else:
                self.report_json(error, at, max(at + 1, stop), called)
            return self._message_end(stop)[1]
        after = self.skip_blanks(end, self.end)
        closer = next((token for token in _ENDS if text.startswith(token, after)), "")
        following = self.skip_blanks(after + len(closer), self.end)
        if after < self.end and not closer:
            if not text.startswith((_START, _CHANNEL), after):
                self.report("arguments_not_json/rest", Span(after, after + 1), LOST, name=called)
                return self._message_end(after)[1]
            self.report("unclosed_call", mark, RUNS, name=called)
        if isinstance(value, dict):
            self.add_call(called, value, Span(start, end), name, json_places(text, at))
            self.add_block(start, following, body)
        else:
            self.report("args_not_object/call", Span(at, end), LOST, name=called)
        return following

    def _read_broken(self, start: int, stop: int, marker: str) -> int:
        """A header without the token that ends it; the offset of the next message."""
        content = stripped(self.text, start, stop)
        end = max(content.start + 1, min(content.end, content.start + _MAX_HEADER))
        self.report("malformed_header", Span(content.start, end), LOST)
        if marker in _ENDS and self.text.startswith(marker, stop):
            return self.skip_blanks(stop + len(marker), self.end)
        return max(stop, start + 1)
