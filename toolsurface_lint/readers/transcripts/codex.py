"""Codex rollouts: one event a line, the conversation as Responses items in `response_item`.

Source: the published sample sessions of claude-code-log.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from toolsurface_lint.model.transcript import Contract
from toolsurface_lint.readers.transcript_format import (
    Envelope,
    Glance,
    NotPlain,
    QuickLog,
    TranscriptEntry,
    text_of,
)
from toolsurface_lint.readers.transcripts.responses import glance_item, read_item
from toolsurface_lint.source.tree import Path, Tree

_CONTRACT = Contract(adjacent=False, itemised=True, client_tools=None)
_TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})


def _recognises(event: dict[str, Any]) -> bool:
    return text_of(event.get("type")) in _TYPES and type(event.get("payload")) is dict


def _read(tree: Tree, path: Path, event: dict[str, Any]) -> Sequence[TranscriptEntry]:
    if event["type"] != "response_item":
        return ()
    turn = read_item(tree, (*path, "payload"), event["payload"], _CONTRACT)
    return () if turn is None else (TranscriptEntry("codex", turn, True),)


def _glance(event: dict[str, Any]) -> tuple[Hashable, bool, Glance] | None:
    item = event["payload"]
    if event["type"] not in _TYPES or type(item) is not dict:
        raise NotPlain
    if event["type"] != "response_item":
        return None
    if item.get("type", "") is None:
        raise NotPlain
    found = glance_item(item)
    return None if found is None else ("codex", True, found)


ENVELOPE = Envelope(20, _recognises, _read, QuickLog(_glance, _CONTRACT))
