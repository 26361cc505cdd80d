"""OpenAI chat messages, and what speaks their language: Mistral, Cohere, Ollama, Harn.

`{role: "assistant", tool_calls: [{id, function: {name, arguments}}]}` and `{role: "tool", tool_call_id, content}`.
Arguments are JSON text, or an object (Ollama); a call may be flat (`{id, name, arguments}`) or `{name, args}`; results may
have no id (Ollama), or several (SWE-agent).

Sources: OpenAI API reference, "Create chat completion", and the error texts of the API ("must be followed by tool
messages responding to each 'tool_call_id'"); mistral-common's validator; the message shapes of Harn.
"""

from __future__ import annotations

from typing import Any

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
from toolsurface_lint.readers.transcript_format import (
    MessageFormat,
    block_texts,
    starts_with_error,
    text_of,
    was_cut_off,
)
from toolsurface_lint.source.tree import Path, Tree

ROLES: dict[str | None, str] = {
    "system": SYSTEM,
    "developer": SYSTEM,
    "user": USER,
    "assistant": ASSISTANT,
    "tool": TOOL,
    "function": TOOL,
    "tool_result": TOOL,
}
_CONTRACT = Contract()

_NESTED = CallShape(("id",), ("function", "name"), ("function", "arguments"), JSON_TEXT)
_FLAT = CallShape(("id",), ("name",), ("arguments",), JSON_TEXT)
_FLAT_ARGS = CallShape(("id",), ("name",), ("args",))
_CUSTOM = CallShape(("id",), ("custom", "name"), ("custom", "input"), FREE)
_LEGACY = CallShape((), ("name",), ("arguments",), JSON_TEXT)


def _read_call(tree: Tree, path: Path, call: Any) -> Call | None:
    """One entry of `tool_calls`, in any of its shapes."""
    if type(call) is not dict:
        return None
    function = call.get("function")
    if type(function) is dict:
        name, arguments, shape = function.get("name"), function.get("arguments"), _NESTED
    elif type(call.get("custom")) is dict:
        custom = call["custom"]
        name, arguments, shape = custom.get("name"), custom.get("input"), _CUSTOM
    elif "args" in call:
        name, arguments, shape = call.get("name"), call["args"], _FLAT_ARGS
    else:
        name, arguments, shape = call.get("name"), call.get("arguments"), _FLAT
    if type(name) is not str:
        return None
    return Call(tree, path, shape, text_of(call.get("id")) or None, name, arguments)


def read_message(tree: Tree, path: Path, message: dict[str, Any]) -> Turn:
    role = ROLES.get(text_of(message.get("role")))
    turn = Turn(tree, path, role, ("role",), _CONTRACT, texts=block_texts)
    calls = message.get("tool_calls")
    if calls:
        if type(calls) is list:
            turn.ended = was_cut_off
            found = (_read_call(tree, (*path, "tool_calls", index), item) for index, item in enumerate(calls))
            turn.calls = [call for call in found if call is not None]
    elif type(message.get("function_call")) is dict:
        legacy = message["function_call"]
        if type(legacy.get("name")) is str:
            turn.calls = (Call(tree, (*path, "function_call"), _LEGACY, None, legacy["name"], legacy.get("arguments")),)
    if turn.role == TOOL or "tool_call_id" in message:
        turn.results = _results(tree, path, message)
    return turn


def _results(tree: Tree, path: Path, message: dict[str, Any]) -> list[Result]:
    content = message.get("content")
    failed = message.get("is_error") is True or message.get("status") == "error" or starts_with_error(content)
    name = text_of(message.get("name", message.get("tool_name")))
    for key in ("tool_call_id", "tool_use_id"):
        id = message.get(key)
        if type(id) is str and id:
            return [Result(tree, path, id, name, (key,), failed, content)]
    ids = message.get("tool_call_ids")
    if type(ids) is list:
        return [
            Result(tree, path, id, name, ("tool_call_ids", index), failed, content)
            for index, id in enumerate(ids)
            if type(id) is str
        ]
    at: Path = ("name",) if "name" in message else ("tool_name",) if "tool_name" in message else ("role",)
    return [Result(tree, path, None, name, at, failed, content)]


_BLOCKS = frozenset({"tool_use", "tool_result"})


def _recognises(message: dict[str, Any]) -> bool:
    role = message.get("role")
    if type(role) is not str or "parts" in message:
        return False
    content = message.get("content")
    if content is None or type(content) is str:
        return "content" in message or "tool_calls" in message or "function_call" in message
    return type(content) is list and not any(
        type(block) is dict and ("toolUse" in block or "toolResult" in block or text_of(block.get("type")) in _BLOCKS)
        for block in content
    )


def _identifies(message: dict[str, Any]) -> bool:
    return type(message.get("role")) is str and (
        "tool_calls" in message or "tool_call_id" in message or message["role"] in ("tool", "tool_result")
    )


FORMAT = MessageFormat(10, _identifies, _recognises, read_message, quick=True)
