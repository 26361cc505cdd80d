"""Messages by OpenTelemetry's conventions for generative AI: `{role, parts: [{type: "tool_call", id, name, arguments}]}`.

A result is a part `{type: "tool_call_response", id, response}`, in a message of any role. Roles are those of the provider.
Source: open-telemetry/semantic-conventions-genai, `gen-ai-input-messages.json` and `gen-ai-output-messages.json`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolsurface_lint.model.transcript import (
    ASSISTANT,
    JSON_TEXT,
    SYSTEM,
    TOOL,
    USER,
    Call,
    CallShape,
    Contract,
    Result,
    Turn,
)
from toolsurface_lint.readers import transcript_format as messages
from toolsurface_lint.readers.transcripts.openai import ROLES
from toolsurface_lint.source.tree import Node, Path, Tree

# Each provider has its own order, which these messages do not keep.
_CONTRACT = Contract(adjacent=False, result_roles=frozenset({TOOL, USER, ASSISTANT, SYSTEM}))
_CALL = CallShape(("id",), ("name",), ("arguments",), JSON_TEXT)
_TYPES = frozenset({"tool_call", "tool_call_response"})
_TEXTS = frozenset({"text", "reasoning", "blob", "uri", "file"})


def _texts(turn: Turn) -> Iterator[Node]:
    for part in turn.node.elements("parts"):
        text = part.string("content")
        if text is not None and part.value.get("type") == "text":
            yield text


def _read(tree: Tree, path: Path, message: dict[str, Any]) -> Turn:
    calls: list[Call] = []
    results: list[Result] = []
    for where, part in messages.objects(message, "parts", path):
        kind = part.get("type")
        if kind == "tool_call":
            calls.extend(messages.read_call(tree, where, part, _CALL))
        elif kind == "tool_call_response":
            key = "response" if "response" in part else "result"
            failed = messages.starts_with_error(part.get(key))
            results.append(messages.read_result(tree, where, part, "id", failed, key, "type"))
    if calls and results:
        # What is answered in the message itself, the provider ran.
        answered = {result.id for result in results}
        made = {call.id for call in calls}
        calls = [call for call in calls if call.id not in answered]
        results = [result for result in results if result.id not in made]
    role = ROLES.get(messages.text_of(message.get("role")))
    return Turn(tree, path, role, None, _CONTRACT, calls, results, _texts, messages.was_cut_off)


def _identifies(message: dict[str, Any]) -> bool:
    return type(message.get("role")) is str and any(
        (kind := messages.text_of(part.get("type"))) in _TYPES
        or (kind in _TEXTS and ("content" in part or "modality" in part))
        for _, part in messages.objects(message, "parts")
    )


FORMAT = messages.MessageFormat(35, _identifies, _identifies, _read)
