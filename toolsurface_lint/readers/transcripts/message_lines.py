"""One message a line, in any format of messages: the file is one conversation."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from toolsurface_lint.readers.conversations import format_among
from toolsurface_lint.readers.transcript_format import (
    Envelope,
    Glance,
    NotPlain,
    QuickLog,
    TranscriptEntry,
    text_of,
)
from toolsurface_lint.readers.transcripts import openai
from toolsurface_lint.source.tree import Path, Tree

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "model"})


def _recognises(message: dict[str, Any]) -> bool:
    role = message.get("role")
    if role is not None and text_of(role) not in _ROLES:
        # A word that is not a role is reported among messages, but does not make a line one.
        return "tool_calls" in message or "tool_call_id" in message
    return ("role" in message or "call_id" in message or "from" in message) and format_among([message]) is not None


def _read(tree: Tree, path: Path, message: dict[str, Any]) -> Sequence[TranscriptEntry]:
    format = format_among([message])
    turn = None if format is None else format.read(tree, path, message)
    return () if turn is None else (TranscriptEntry("messages", turn, True),)


_OPENAI_KEYS = frozenset({"role", "content", "tool_calls", "tool_call_id"})
"""Of messages whose content is a text and that have no others, every format leaves those to OpenAI's."""


def _glance(message: dict[str, Any]) -> tuple[Hashable, bool, Glance]:
    plain = type(message["content"]) is str and message.keys() <= _OPENAI_KEYS
    if message["role"] not in _ROLES or not (plain or format_among([message]) is openai.FORMAT):
        raise NotPlain
    return "messages", True, openai.glance_line(message)


ENVELOPE = Envelope(90, _recognises, _read, QuickLog(_glance, openai.QUICK.contract))
