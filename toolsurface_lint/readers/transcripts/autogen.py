"""AutoGen from 0.4 on: the messages and events of its agents and teams, and the messages that an agent keeps for its model.

`{type: "ToolCallRequestEvent", content: [{id, name, arguments}]}` and `ToolCallExecutionEvent` with `{call_id, content,
is_error}` in what a run gives; `AssistantMessage` and `FunctionExecutionResultMessage` in a saved state, under each agent's name.
An agent hands over by a tool of its framework, `transfer_to_` and a name.
Source: microsoft/autogen, `autogen_agentchat/messages.py`, `autogen_core/models/_types.py` and what its agents save.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from toolsurface_lint.knowledge import words
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
from toolsurface_lint.readers.transcript_format import Envelope, MessageFormat, TranscriptEntry, text_of
from toolsurface_lint.source.tree import Node, Path, Tree

_CONTRACT = Contract(adjacent=False)
_CALL = CallShape(("id",), ("name",), ("arguments",), JSON_TEXT)
_HAND_OVER = "transfer_to_"
_SAID = words("TextMessage MultiModalMessage StopMessage HandoffMessage ToolCallSummaryMessage")
_ASIDE = words(
    "MemoryQueryEvent ModelClientStreamingChunkEvent ThoughtEvent UserInputRequestedEvent CodeGenerationEvent "
    "CodeExecutionEvent SelectSpeakerEvent SelectorEvent"
)
_ROLES = {
    "SystemMessage": SYSTEM,
    "UserMessage": USER,
    "AssistantMessage": ASSISTANT,
    "ToolCallRequestEvent": ASSISTANT,
    "ToolCallExecutionEvent": TOOL,
    "FunctionExecutionResultMessage": TOOL,
}


def _recognises(message: dict[str, Any]) -> bool:
    kind = text_of(message.get("type"))
    if kind in ("FunctionExecutionResultMessage", "SystemMessage"):
        return type(message.get("content")) in (str, list)
    known = kind in _ROLES or kind in _SAID or kind in _ASIDE
    return known and text_of(message.get("source")) is not None and "content" in message


def _identifies(message: dict[str, Any]) -> bool:
    return "role" not in message and _recognises(message)


def _read(tree: Tree, path: Path, message: dict[str, Any]) -> Turn | None:
    kind: str = message["type"] if _recognises(message) else ""
    role = _ROLES.get(kind)
    if role is None:
        if kind not in _SAID:
            return None
        role = USER if message["source"] == "user" else ASSISTANT
    turn = Turn(tree, path, role, None, _CONTRACT, texts=_texts)
    if role == ASSISTANT:
        calls: list[Call] = []
        for where, item in messages.objects(message, "content", path):
            calls.extend(messages.read_call(tree, where, item, _CALL))
        turn.calls = calls
        handed = frozenset(call.name for call in calls if call.name.startswith(_HAND_OVER))
        if handed:
            turn.contract = _CONTRACT._replace(client_tools=handed)
    elif role == TOOL:
        turn.results = [_result(tree, where, item) for where, item in messages.objects(message, "content", path)]
    return turn


def _result(tree: Tree, path: Path, answer: dict[str, Any]) -> Result:
    content = answer.get("content")
    failed = answer.get("is_error") is True or (answer.get("is_error") is None and messages.starts_with_error(content))
    result = messages.read_result(tree, path, answer, "call_id", failed, "content", "name")
    result.name = text_of(answer.get("name"))
    return result


def _texts(turn: Turn) -> Iterator[Node]:
    text = turn.node.string("content")
    return iter(() if text is None else (text,))


def _read_line(tree: Tree, path: Path, message: dict[str, Any]) -> Sequence[TranscriptEntry]:
    turn = _read(tree, path, message)
    # The agents of a saved team have a list each.
    return () if turn is None else (TranscriptEntry(("autogen", path[:-1]), turn, True),)


ENVELOPE = Envelope(50, _identifies, _read_line)
FORMAT = MessageFormat(80, _identifies, _identifies, _read)
