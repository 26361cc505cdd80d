"""Harn's `llm_transcript.jsonl`: one event a line, messages among them, and the tools that were sent.

Source: semantics 8.3 of Harn.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from toolsurface_lint.knowledge import words
from toolsurface_lint.readers.transcript_format import (
    Envelope,
    Glance,
    NotPlain,
    QuickLog,
    TranscriptEntry,
    text_of,
)
from toolsurface_lint.readers.transcripts import anthropic, openai
from toolsurface_lint.source.tree import Path, Tree

_TYPES = words(
    "system_prompt tool_schemas message provider_call_request provider_call_response interpreted_response "
    "routing_decision"
)


def _recognises(event: dict[str, Any]) -> bool:
    kind = text_of(event.get("type"))
    if kind == "message" and text_of(event.get("role")) is None:
        return False
    return kind in _TYPES and ("span_id" in event or "timestamp" in event or "iteration" in event)


def _read(tree: Tree, path: Path, event: dict[str, Any]) -> Sequence[TranscriptEntry]:
    kind = event["type"]
    if kind == "tool_schemas" and type(event.get("schemas")) is list:
        return (TranscriptEntry("harn", None, True, (*path, "schemas")),)
    if kind != "message":
        return ()
    read = anthropic.read_message if anthropic.FORMAT.identifies(event) else openai.read_message
    return (TranscriptEntry("harn", read(tree, path, event), True),)


def _glance(event: dict[str, Any]) -> tuple[Hashable, bool, Glance] | None:
    if not _recognises(event) or event["type"] == "tool_schemas":
        raise NotPlain
    if event["type"] != "message":
        return None
    if anthropic.FORMAT.identifies(event):
        raise NotPlain
    return "harn", True, openai.glance_line(event)


ENVELOPE = Envelope(40, _recognises, _read, QuickLog(_glance, openai.QUICK.contract))
