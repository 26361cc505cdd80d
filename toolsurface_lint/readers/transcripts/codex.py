"""Codex rollouts: one event a line, the conversation as Responses items in `response_item`.

Source: the published sample sessions of claude-code-log.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolsurface_lint.model.transcript import Contract
from toolsurface_lint.readers.transcript_format import Envelope, TranscriptEntry, text_of
from toolsurface_lint.readers.transcripts.responses import read_item
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


ENVELOPE = Envelope(20, _recognises, _read)
