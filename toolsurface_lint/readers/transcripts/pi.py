"""Sessions of the pi coding agent and of its copies: one event a line, the message of a `message` event in pi's own form.

Events form a tree by `parentId`, as a session can be taken up again from any of them.
Source: the sample sessions of pi and of oh-my-pi in EveryInc/compound-engineering-plugin.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from toolsurface_lint.model.transcript import ASSISTANT, TOOL, USER, Call, CallShape, Contract, Result, Turn
from toolsurface_lint.readers import transcript_format as messages
from toolsurface_lint.readers.transcript_format import (
    Envelope,
    Glance,
    GlancedCall,
    GlancedResult,
    NotPlain,
    QuickLog,
    TranscriptEntry,
)
from toolsurface_lint.source.tree import Path, Tree

_CONTRACT = Contract(adjacent=False, client_tools=None)
_CALL = CallShape(("id",), ("name",), ("arguments",))
_ROLES = {"user": USER, "assistant": ASSISTANT, "toolResult": TOOL}


def _recognises(event: dict[str, Any]) -> bool:
    message = event.get("message")
    return event.get("type") == "message" and "parentId" in event and type(message) is dict and "role" in message


def _read(tree: Tree, path: Path, event: dict[str, Any]) -> Sequence[TranscriptEntry]:
    message, path = event["message"], (*path, "message")
    role = _ROLES.get(messages.text_of(message["role"]) or "")
    if role is None:
        # What the client did by itself, such as a command that the user ran.
        return ()
    calls: list[Call] = []
    results: list[Result] = []
    if role == TOOL:
        failed = message.get("isError") is True
        results.append(messages.read_result(tree, path, message, "toolCallId", failed, "content", "role"))
    for where, block in messages.objects(message, "content", path):
        if block.get("type") == "toolCall":
            calls.extend(messages.read_call(tree, where, block, _CALL))
    turn = Turn(tree, path, role, ("role",), _CONTRACT, calls, results, messages.block_texts, messages.was_cut_off)
    return (TranscriptEntry("pi", turn),)


def _glance(event: dict[str, Any]) -> tuple[Hashable, bool, Glance] | None:
    if not _recognises(event):
        raise NotPlain
    message = event["message"]
    role = _ROLES.get(message["role"])
    if role is None:
        return None
    calls: list[GlancedCall] = []
    results: list[GlancedResult] = []
    if role == TOOL:
        results.append((message["toolCallId"], None, message.get("isError") is True))
    content = message.get("content")
    if type(content) is list:
        made = (block for block in content if block.get("type") == "toolCall")
        calls = [(block["id"], block["name"], block["arguments"]) for block in made]
    texts = messages.glance_blocks(content) if role == ASSISTANT else ()
    return "pi", False, (role, calls, results, texts)


ENVELOPE = Envelope(15, _recognises, _read, QuickLog(_glance, _CONTRACT))
