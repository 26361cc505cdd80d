"""Claude Code sessions: one event a line, with the message as the Anthropic API has it.

One message of the assistant may take several lines, one a block; a sub-agent's lines are a conversation of their own
(`isSidechain`). A file may begin in the middle of a session: then the first event has a parent.
Source: claude-code-log, `models.py`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from toolsurface_lint.model.transcript import USER, Contract
from toolsurface_lint.readers.transcript_format import (
    Envelope,
    Glance,
    NotPlain,
    QuickLog,
    TranscriptEntry,
    is_cut_off,
    text_of,
)
from toolsurface_lint.readers.transcripts.anthropic import glance_message, read_message
from toolsurface_lint.source.tree import Path, Tree

_CONTRACT = Contract(adjacent=False, result_roles=frozenset({USER}), client_tools=None)
_MARKS = ("uuid", "sessionId", "parentUuid", "isSidechain", "timestamp")
_ASIDE = frozenset({"summary", "system", "queue-operation", "file-history-snapshot", "progress", "attachment"})
_MESSAGES = frozenset({"user", "assistant"})


def _recognises(event: dict[str, Any]) -> bool:
    kind = text_of(event.get("type"))
    if kind in _MESSAGES:
        return "message" in event and any(mark in event for mark in _MARKS)
    return kind in _ASIDE and ("leafUuid" in event or "sessionId" in event or "snapshot" in event)


def _read(tree: Tree, path: Path, event: dict[str, Any]) -> Sequence[TranscriptEntry]:
    message = event.get("message")
    if text_of(event.get("type")) not in _MESSAGES or type(message) is not dict or type(message.get("role")) is not str:
        return ()
    turn = read_message(tree, (*path, "message"), message, _CONTRACT)
    turn.message = text_of(message.get("id"))
    turn.interrupts = _is_interruption(message.get("content"))
    if turn.calls and is_cut_off(event):
        turn.ended = lambda _: True
    key = (text_of(event.get("sessionId")), event.get("isSidechain") is True, text_of(event.get("agentId")))
    return (TranscriptEntry(key, turn, event.get("parentUuid") is None),)


_INTERRUPTED = "[Request interrupted by user"


def _is_interruption(content: Any) -> bool:
    if type(content) is list and len(content) == 1 and type(content[0]) is dict:
        content = content[0].get("text")
    return type(content) is str and content.startswith(_INTERRUPTED)


def _glance(event: dict[str, Any]) -> tuple[Hashable, bool, Glance] | None:
    if event["type"] not in _MESSAGES:
        if _recognises(event):
            return None
        raise NotPlain
    message = event["message"]
    if ("uuid" not in event and not _recognises(event)) or _is_interruption(message.get("content")):
        raise NotPlain
    key = (text_of(event.get("sessionId")), event.get("isSidechain") is True, text_of(event.get("agentId")))
    return key, event.get("parentUuid") is None, glance_message(message)


ENVELOPE = Envelope(10, _recognises, _read, QuickLog(_glance, _CONTRACT))
