"""Messages of LangChain: serialised (`{lc, type: "constructor", id: [..., "AIMessage"], kwargs}`), dumped, or in `{type, data}`.

Calls are `{name, args, id}` in `tool_calls`, those whose arguments are not JSON in `invalid_tool_calls`; older messages
have OpenAI's in `additional_kwargs`. Langfuse keeps the messages with roles, where a name may stand for `tool`.
Source: langchain-core 1.0, `messages` and `load`; the traces of LangGraph in langfuse/langfuse.
"""

from __future__ import annotations

from typing import Any

from toolsurface_lint.model.transcript import ASSISTANT, JSON_TEXT, SYSTEM, TOOL, USER, Call, CallShape, Contract, Turn
from toolsurface_lint.readers import transcript_format as messages
from toolsurface_lint.readers.transcripts.openai import ROLES
from toolsurface_lint.source.tree import Path, Tree

# LangChain puts results in order for each provider.
_CONTRACT = Contract(adjacent=False)
_CALL = CallShape(("id",), ("name",), ("args",), JSON_TEXT)
_OLD_CALL = CallShape(("id",), ("function", "name"), ("function", "arguments"), JSON_TEXT)
_TYPES = {"human": USER, "ai": ASSISTANT, "AIMessageChunk": ASSISTANT, "system": SYSTEM, "tool": TOOL, "function": TOOL}
_CLASSES = {
    f"{name}Message{chunk}": role
    for name, role in (
        ("Human", USER),
        ("AI", ASSISTANT),
        ("System", SYSTEM),
        ("Tool", TOOL),
        ("Function", TOOL),
        ("Chat", USER),
    )
    for chunk in ("", "Chunk")
}


def _class_of(message: dict[str, Any]) -> str | None:
    """The name of the class of a serialised message."""
    id = message.get("id")
    if message.get("type") != "constructor" or type(id) is not list or not id or "kwargs" not in message:
        return None
    return id[-1] if type(id[-1]) is str and id[-1] in _CLASSES else None


def _read(tree: Tree, path: Path, message: dict[str, Any]) -> Turn | None:
    written = _class_of(message)
    kind = messages.text_of(message.get("type"))
    if written is not None:
        role: str | None = _CLASSES[written]
        path, message = (*path, "kwargs"), message["kwargs"]
    elif type(message.get("data")) is dict:
        role = _TYPES.get(kind or "")
        path, message = (*path, "data"), message["data"]
    elif kind in _TYPES:
        role = _TYPES[kind]
    else:
        role = ROLES.get(messages.text_of(message.get("role"))) or _TYPES.get(
            messages.text_of(message.get("role")) or ""
        )
        role = role or TOOL
    if type(message) is not dict:
        return None
    turn = Turn(tree, path, role, None, _CONTRACT, _calls(tree, path, message), texts=messages.block_texts)
    turn.ended = _was_cut_off
    if role == TOOL:
        content = message.get("content")
        failed = message.get("status") == "error" or messages.starts_with_error(content)
        result = messages.read_result(tree, path, message, "tool_call_id", failed, "content", "name", "role", "type")
        result.name = messages.text_of(message.get("name"))
        if result.id is None and result.name is None and messages.text_of(message.get("role")) not in ROLES:
            result.name = messages.text_of(message.get("role"))
        turn.results = (result,)
    return turn


def _calls(tree: Tree, path: Path, message: dict[str, Any]) -> list[Call]:
    calls = [
        call
        for key in ("tool_calls", "invalid_tool_calls")
        for where, item in messages.objects(message, key, path)
        for call in messages.read_call(tree, where, item, _OLD_CALL if "function" in item else _CALL)
    ]
    more = message.get("additional_kwargs")
    if calls or type(more) is not dict:
        return calls
    return [
        call
        for where, item in messages.objects(more, "tool_calls", (*path, "additional_kwargs"))
        for call in messages.read_call(tree, where, item, _OLD_CALL)
    ]


def _was_cut_off(turn: Turn) -> bool:
    value = turn.node.value
    metadata = value.get("response_metadata")
    return messages.is_cut_off(metadata if type(metadata) is dict else value)


def _recognises(message: dict[str, Any]) -> bool:
    if _class_of(message) is not None:
        return True
    kind = message.get("type")
    if type(kind) is str and kind in _TYPES:
        data = message.get("data", message)
        return type(data) is dict and "content" in data and "role" not in data
    return type(message.get("role")) is str and "additional_kwargs" in message and "content" in message


def _identifies(message: dict[str, Any]) -> bool:
    return _recognises(message) and messages.text_of(message.get("type")) not in ("system", "tool", "function")


FORMAT = messages.MessageFormat(8, _identifies, _recognises, _read)
