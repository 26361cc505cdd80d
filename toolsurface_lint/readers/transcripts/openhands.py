"""Events of OpenHands: those of its agent server up to 1.x, and those of the software agent SDK.

The old ones are `{source, action, args}` and `{source, observation, content, extras}`; what the model wrote is in their
`tool_call_metadata`, and the tools in the `system` event. `finish` has no observation. The SDK's have a `kind`: an `ActionEvent`
holds the `tool_call` of the model, an `ObservationEvent` its `tool_call_id`; a `SystemPromptEvent` has definitions only
in older versions, in later ones the names of classes. Calls of one answer are events of their own.
Sources: All-Hands-AI/OpenHands, `events/serialization/event.py` and `events/tool.py`; OpenHands/software-agent-sdk, `sdk/event`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from toolsurface_lint.knowledge import words
from toolsurface_lint.model.transcript import (
    ASSISTANT,
    FREE,
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
from toolsurface_lint.readers.transcript_format import (
    Envelope,
    MessageFormat,
    TranscriptEntry,
    at,
    text_of,
)
from toolsurface_lint.source.tree import Node, Path, Tree

_CONTRACT = Contract(adjacent=False, itemised=True, client_tools=None)
_LAST = _CONTRACT._replace(answered=False)
_ROLES = {"user": USER, "agent": ASSISTANT, "assistant": ASSISTANT, "system": SYSTEM, "tool": TOOL}
_SOURCES = frozenset({"agent", "user", "environment"})
_RESULTS = words("ObservationEvent UserRejectObservation AgentErrorEvent")
_KINDS = _RESULTS | words(
    "ActionEvent MessageEvent SystemPromptEvent ConversationStateUpdateEvent ConversationErrorEvent PauseEvent "
    "Condensation CondensationRequest CondensationSummaryEvent TokenEvent LLMCompletionLogEvent HookExecutionEvent "
    "ACPToolCallEvent StreamingDeltaEvent"
)


def _is_old(event: dict[str, Any]) -> bool:
    if type(event.get("action")) is str:
        return type(event.get("args")) is dict and text_of(event.get("source")) in _SOURCES
    return type(event.get("observation")) is str and "extras" in event and "content" in event


def _recognises(event: dict[str, Any]) -> bool:
    return _is_old(event) or (
        text_of(event.get("kind")) in _KINDS and text_of(event.get("source")) in (*_SOURCES, "hook")
    )


def _read(tree: Tree, path: Path, event: dict[str, Any]) -> Turn | None:
    if "kind" in event:
        return _sdk_event(tree, path, event)
    called = at(event, ("tool_call_metadata", "tool_call_id"))
    if type(event.get("observation")) is str:
        return _observation(tree, path, event, called) if type(called) is str else None
    action = event.get("action")
    if action in ("message", "system"):
        role = SYSTEM if action == "system" else _ROLES.get(text_of(event.get("source")) or "")
        return Turn(tree, path, role, ("source",), _CONTRACT, texts=_old_texts)
    if type(called) is not str:
        return None
    calls = _written(tree, path, event["tool_call_metadata"], called)
    return Turn(tree, path, ASSISTANT, None, _LAST if action == "finish" else _CONTRACT, calls)


_WRITTEN = CallShape(("id",), ("function", "name"), ("function", "arguments"), JSON_TEXT)
_NAMED = CallShape(("tool_call_id",), ("function_name",), ("arguments",), FREE)


def _written(tree: Tree, path: Path, metadata: dict[str, Any], called: str) -> Sequence[Call]:
    """The call of an event as the model wrote it: one of those in the answer. Its name alone if that was not kept."""
    where = (*path, "tool_call_metadata")
    answer = metadata.get("model_response")
    for choice_path, choice in messages.objects(answer if type(answer) is dict else {}, "choices", ("model_response",)):
        said = choice.get("message")
        if type(said) is dict:
            for call_path, call in messages.objects(said, "tool_calls", (*where, *choice_path, "message")):
                if call.get("id") == called:
                    return messages.read_call(tree, call_path, call, _WRITTEN)
    name = text_of(metadata.get("function_name"))
    return () if name is None else (Call(tree, where, _NAMED, called, name, ""),)


def _observation(tree: Tree, path: Path, event: dict[str, Any], called: str) -> Turn:
    content = event.get("content")
    failed = event["observation"] in ("error", "user_rejected") or messages.starts_with_error(content)
    result = Result(tree, path, called, None, ("tool_call_metadata", "tool_call_id"), failed, content)
    return Turn(tree, path, TOOL, None, _CONTRACT, results=(result,))


def _old_texts(turn: Turn) -> Iterator[Node]:
    text = turn.node.find("args", "content")
    if text is not None and isinstance(text.value, str):
        yield text


_CALLS = (
    CallShape(("tool_call", "id"), ("tool_call", "name"), ("tool_call", "arguments"), JSON_TEXT),
    CallShape(
        ("tool_call", "id"), ("tool_call", "function", "name"), ("tool_call", "function", "arguments"), JSON_TEXT
    ),
)


def _sdk_event(tree: Tree, path: Path, event: dict[str, Any]) -> Turn | None:
    kind = text_of(event["kind"])
    if kind == "ActionEvent":
        calls: Sequence[Call] = ()
        for shape in _CALLS:
            calls = calls or messages.read_call(tree, path, event, shape)
        turn = Turn(tree, path, ASSISTANT, None, _CONTRACT, calls)
        turn.message = text_of(event.get("llm_response_id"))
        return turn
    if kind in _RESULTS:
        failed = kind != "ObservationEvent" or at(event, ("observation", "is_error")) is True
        result = messages.read_result(tree, path, event, "tool_call_id", failed, "error", "kind")
        if kind == "ObservationEvent":
            result.content = at(event, ("observation", "content"))
        return Turn(tree, path, TOOL, None, _CONTRACT, results=(result,))
    if kind == "SystemPromptEvent":
        return Turn(tree, path, SYSTEM, None, _CONTRACT)
    said = event.get("llm_message")
    if kind != "MessageEvent" or type(said) is not dict:
        return None
    role = _ROLES.get(text_of(said.get("role")) or "")
    return Turn(tree, (*path, "llm_message"), role, ("role",), _CONTRACT, texts=messages.block_texts)


def _tools(tree: Tree, path: Path, event: dict[str, Any]) -> Node | None:
    """The definitions that the model was given, where an event has them as they were sent."""
    where: Path = ("tools",) if event.get("kind") == "SystemPromptEvent" else ("args", "tools")
    tools = at(event, where)
    sent = type(tools) is list and tools and all(type(at(tool, ("function",))) is dict for tool in tools)
    return tree.at((*path, *where)) if sent else None


def _read_line(tree: Tree, path: Path, event: dict[str, Any]) -> Sequence[TranscriptEntry]:
    turn = _read(tree, path, event)
    tools = _tools(tree, path, event)
    if turn is None and tools is None:
        return ()
    starts = turn is not None and turn.role == SYSTEM
    return (TranscriptEntry("openhands", turn, starts, None if tools is None else tools.path),)


ENVELOPE = Envelope(35, _recognises, _read_line)
FORMAT = MessageFormat(70, _recognises, _recognises, _read, _tools)
