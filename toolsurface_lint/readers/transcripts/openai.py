"""OpenAI chat messages, and what is compatible with them: Mistral, Cohere, Ollama, Harn.

`{role: "assistant", tool_calls: [{id, function: {name, arguments}}]}` and `{role: "tool", tool_call_id, content}`.
Arguments are JSON text, or an object (Ollama); a call may be flat (`{id, name, arguments}`) or `{name, args}`; results may
have no id (Ollama), or several (SWE-agent), or be those of a whole turn (`tool_responses` of AutoGen 0.2 and AG2). Training data
has calls in messages of their own: of the role `tool_call` with JSON text as content, answered by `tool_response` (ms-swift,
Toucan's SFT subset), or in blocks of content (LLaMA-Factory).

Sources: OpenAI API reference, "Create chat completion", and the error texts of the API ("must be followed by tool
messages responding to each 'tool_call_id'"); mistral-common's validator; the message shapes of Harn; ms-swift, docs
"Custom dataset" and swift/dataset/preprocessor/core.py; LLaMA-Factory, data/reason_tool_use_demo_50.jsonl.
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
    CallShape,
    Contract,
    Result,
    Turn,
)
from toolsurface_lint.readers import transcript_format as messages
from toolsurface_lint.readers.transcripts.sharegpt import CALL_ALONE, read_text_call
from toolsurface_lint.source.tree import Path, Tree

ROLES: dict[str | None, str] = {
    "system": SYSTEM,
    "developer": SYSTEM,
    "user": USER,
    "assistant": ASSISTANT,
    "tool": TOOL,
    "function": TOOL,
    "tool_result": TOOL,
    "tool_call": ASSISTANT,
    "function_call": ASSISTANT,
    "tool_response": TOOL,
    "function_response": TOOL,
    "observation": TOOL,
    "observations": TOOL,
}
_CONTRACT = Contract()
_OF_TRAINING = Contract(adjacent=False, itemised=True, calls_in_text=True)
"""Each call is a message of its own."""
_IN_BLOCKS = Contract(answered=False, calls_in_text=True)
_CALLS = frozenset({"tool_call", "function_call"})

_NESTED = CallShape(("id",), ("function", "name"), ("function", "arguments"), JSON_TEXT)
_FLAT = CallShape(("id",), ("name",), ("arguments",), JSON_TEXT)
_FLAT_ARGS = CallShape(("id",), ("name",), ("args",))
_CUSTOM = CallShape(("id",), ("custom", "name"), ("custom", "input"), FREE)
_LEGACY = CallShape((), ("name",), ("arguments",), JSON_TEXT)


def _shape_of(call: dict[str, Any]) -> CallShape:
    """The shape of one entry of `tool_calls`."""
    if type(call.get("function")) is dict:
        return _NESTED
    if type(call.get("custom")) is dict:
        return _CUSTOM
    return _FLAT_ARGS if "args" in call else _FLAT


def read_message(tree: Tree, path: Path, message: dict[str, Any]) -> Turn:
    role = ROLES.get(messages.text_of(message.get("role")))
    turn = Turn(tree, path, role, ("role",), _CONTRACT, texts=messages.block_texts)
    if message.get("tool_calls"):
        turn.ended = messages.was_cut_off
        found = messages.objects(message, "tool_calls", path)
        turn.calls = [call for where, item in found for call in messages.read_call(tree, where, item, _shape_of(item))]
        for call in turn.calls:
            call.id = call.id or None
    else:
        turn.calls = messages.read_call(tree, (*path, "function_call"), message.get("function_call"), _LEGACY)
    if not turn.calls and turn.role == ASSISTANT:
        _read_texts(turn, message)
    if (turn.role == TOOL and not _is_of_blocks(message)) or "tool_call_id" in message:
        turn.results = _results(tree, path, message)
    return turn


def _read_texts(turn: Turn, message: dict[str, Any]) -> None:
    """Give a turn the calls that are JSON text: the whole of its content, or blocks of it."""
    content = message.get("content")
    if message["role"] in _CALLS:
        if type(content) is str:
            call = read_text_call(turn.tree, (*turn.path, "content"), content, 0, CALL_ALONE)
            turn.calls = () if call is None else (call,)
        else:
            turn.calls = messages.read_call(turn.tree, (*turn.path, "content"), content, _LEGACY)
    elif type(content) is list:
        blocks = [
            item for item in messages.objects(message, "content", turn.path) if item[1].get("type") == "tool_call"
        ]
        made = (
            read_text_call(turn.tree, (*where, "value"), block["value"], 0, CALL_ALONE)
            for where, block in blocks
            if type(block.get("value")) is str
        )
        turn.calls = [call for call in made if call is not None]
        turn.contract = _IN_BLOCKS
        return
    if turn.calls:
        turn.contract = _OF_TRAINING


def _is_of_blocks(message: dict[str, Any]) -> bool:
    """Whether the content is LLaMA-Factory's `{type, value}`: one such message has the results of all calls before it."""
    return any("value" in block and "text" not in block for _, block in messages.objects(message, "content"))


def _results(tree: Tree, path: Path, message: dict[str, Any]) -> list[Result]:
    if type(message.get("tool_responses")) is list:
        answers = messages.objects(message, "tool_responses", path)
        return [result for where, answer in answers for result in _result(tree, where, answer)]
    return _result(tree, path, message)


def _result(tree: Tree, path: Path, message: dict[str, Any]) -> list[Result]:
    content = message.get("content")
    failed = message.get("is_error") is True or message.get("status") == "error" or messages.starts_with_error(content)
    name = messages.text_of(message.get("name", message.get("tool_name")))
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
        "toolUse" in block or "toolResult" in block or messages.text_of(block.get("type")) in _BLOCKS
        for _, block in messages.objects(message, "content")
    )


def _identifies(message: dict[str, Any]) -> bool:
    return type(message.get("role")) is str and (
        "tool_calls" in message or "tool_call_id" in message or message["role"] in _TELLING
    )


_TELLING = frozenset({"tool", "tool_result", "tool_call", "tool_response", "function"})
_IDS = frozenset({"tool_call_id", "tool_use_id", "tool_call_ids", "tool_responses"})
"""Where a result says which call it answers, or which calls."""


def glance_message(message: dict[str, Any]) -> messages.Glance:
    role = ROLES[message["role"]]
    content = message.get("content")
    if message["role"] in _CALLS:
        raise messages.NotPlain
    calls: list[messages.GlancedCall] = []
    made = message.get("tool_calls")
    if made:
        if type(made) is not list:
            raise messages.NotPlain
        for call in made:
            function = call["function"]
            id = call["id"]
            if type(id) is not str or not id:
                raise messages.NotPlain
            calls.append((id, function["name"], function["arguments"]))
    elif (legacy := message.get("function_call")) is not None:
        if type(legacy["name"]) is not str:
            raise messages.NotPlain
        calls.append((None, legacy["name"], legacy["arguments"]))
    if role == TOOL:
        failed = (
            message.get("is_error") is True or message.get("status") == "error" or messages.starts_with_error(content)
        )
        if message["role"] == "function" and _IDS.isdisjoint(message):
            if type(message["name"]) is not str:
                raise messages.NotPlain
            return role, calls, ((None, message["name"], failed),), ()
        id = message["tool_call_id"]
        if type(id) is not str or not id:
            raise messages.NotPlain
        return role, calls, ((id, None, failed),), ()
    if message.get("tool_call_id") is not None:
        raise messages.NotPlain
    return role, calls, (), messages.glance_blocks(content) if role == ASSISTANT else ()


def glance_line(message: dict[str, Any]) -> messages.Glance:
    """The same for a message of a log, in which a member that is null is there."""
    if message.get("tool_call_id", "") is None:
        raise messages.NotPlain
    return glance_message(message)


QUICK = messages.Quick(glance_message, _CONTRACT)
FORMAT = messages.MessageFormat(10, _identifies, _recognises, read_message, quick=QUICK)
