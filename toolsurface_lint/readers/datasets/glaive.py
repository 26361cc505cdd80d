"""Glaive function calling v2: `system` with JSON functions in its prose, and `chat`, one text with all turns in it.

`USER: …`, `ASSISTANT: …`, `ASSISTANT: <functioncall> {"name": …, "arguments": '{…}'} <|endoftext|>`, `FUNCTION RESPONSE: …`.
The arguments are JSON text in single quotes, which is neither JSON nor, with an apostrophe in it, Python.
Source: the card and the data of glaiveai/glaive-function-calling-v2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from toolsurface_lint.model.transcript import (
    ASSISTANT,
    JSON_TEXT,
    TOOL,
    USER,
    Call,
    CallShape,
    Contract,
    Result,
    Turn,
)
from toolsurface_lint.readers.datasets._rows import asked
from toolsurface_lint.readers.transcript_format import (
    DatasetSchema,
    FoundConversation,
    MessageFormat,
    starts_with_error,
)
from toolsurface_lint.readers.transcripts.sharegpt import read_text_call
from toolsurface_lint.source.composed import joined
from toolsurface_lint.source.derived import DerivedTree
from toolsurface_lint.source.embedded import embedded_objects
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Node, Path, Spans, Tree

_SPEAKER = re.compile(r"^(USER|ASSISTANT|FUNCTION RESPONSE):[ \t]*", re.MULTILINE)
_ROLES = {"USER": USER, "ASSISTANT": ASSISTANT, "FUNCTION RESPONSE": TOOL}
_MARK = "<functioncall>"
_END = "<|endoftext|>"
_QUOTED = re.compile(r"""\s*\{\s*"name"\s*:\s*"([^"\\]{1,200})"\s*,\s*"arguments"\s*:\s*'""")
_CONTRACT = Contract(adjacent=False, calls_in_text=True)
_TEXT_CALL = CallShape((), ("name",), ("arguments",), JSON_TEXT)


def _recognises(row: dict[str, Any]) -> bool:
    chat = row.get("chat")
    return type(chat) is str and type(row.get("system")) is str and ("USER:" in chat or "ASSISTANT:" in chat)


def _read(root: Node, format: MessageFormat | None) -> FoundConversation | None:
    chat, system = root.string("chat"), root.string("system")
    if chat is None or system is None:
        return None
    functions = embedded_objects(system, 0)

    def turns() -> Iterator[Turn]:
        yield from asked(root)
        yield from _turns(chat)

    tools = joined(system, functions) if functions else None
    return FoundConversation(root.tree, root.path, [], None, tools, turns=turns)


def _turns(chat: Node) -> Iterator[Turn]:
    text = chat.value
    speakers = list(_SPEAKER.finditer(text))
    ends = [speaker.start() for speaker in speakers[1:]] + [len(text)]
    for speaker, end in zip(speakers, ends, strict=True):
        said = text[speaker.end() : end].split(_END, 1)[0].rstrip()
        turn = Turn(chat.tree, chat.path, _ROLES[speaker[1]], None, _CONTRACT)
        if turn.role == TOOL:
            turn.results = [Result(chat.tree, chat.path, None, None, (), starts_with_error(said), said)]
        elif turn.role == ASSISTANT and _MARK in said:
            start = speaker.end() + said.index(_MARK) + len(_MARK)
            call = _call(chat, start, speaker.end() + len(said))
            turn.calls = () if call is None else (call,)
        yield turn


def _call(chat: Node, start: int, end: int) -> Call | None:
    """The call between two offsets of the text."""
    text = chat.value
    quoted = _QUOTED.match(text, start, end)
    closing = text.rfind("'", start, end)
    if quoted is None or closing < quoted.end():
        body = text[start:end].lstrip()
        return read_text_call(chat.tree, chat.path, body.rstrip(), end - len(body))
    arguments = text[quoted.end() : closing]
    return Call(_QuotedCall(chat, quoted, arguments), (), _TEXT_CALL, None, quoted[1], arguments)


class _QuotedCall(DerivedTree):
    """A call `{name, arguments}` whose parts are ranges of a text."""

    __slots__ = ("_chat", "_ranges")

    def __init__(self, chat: Node, quoted: re.Match[str], arguments: str) -> None:
        super().__init__(chat.tree, {"name": quoted[1], "arguments": arguments}, self._whole)
        self._chat = chat
        start, end = quoted.end(), quoted.end() + len(arguments)
        self._ranges = {"name": Span(*quoted.span(1)), "arguments": Span(start, end)}

    def _whole(self, path: Path) -> tuple[Tree, Path]:
        return self._chat.tree, self._chat.path

    def spans_at(self, path: Path) -> tuple[Spans, bool]:
        part = self._ranges.get(str(path[0])) if path else None
        if part is None:
            return super().spans_at(path)
        span = self.text_span(path, 0, part.end - part.start)
        return Spans(span.start, span.end), True

    def text_span(self, path: Path, start: int, end: int) -> Span:
        part = self._ranges[str(path[0])]
        return self._chat.tree.text_span(self._chat.path, part.start + start, part.start + end)


SCHEMA = DatasetSchema("Glaive v2", 40, _recognises, _read)
