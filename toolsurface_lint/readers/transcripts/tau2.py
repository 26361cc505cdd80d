"""Results of tau2-bench: `simulations`, each with the messages of an agent, its environment and a simulated user.

`{role: "assistant", tool_calls: [{id, name, arguments, requestor}]}`, `{role: "tool", id, content, requestor, error}` and `{role:
"tool", tool_messages: [...]}`. The simulator of the user is a model too, and calls tools of its own.
Source: sierra-research/tau2-bench, `data_model/message.py`.
"""

from __future__ import annotations

from typing import Any

from toolsurface_lint.model.transcript import ASSISTANT, SYSTEM, TOOL, USER, Call, CallShape, Contract, Result, Turn
from toolsurface_lint.readers import transcript_format as messages
from toolsurface_lint.source.tree import Path, Tree

_ROLES: dict[str | None, str] = {"system": SYSTEM, "user": USER, "assistant": ASSISTANT, "tool": TOOL}
_AGENT = Contract()
_USER = Contract(client_tools=None)
_CALL = CallShape(("id",), ("name",), ("arguments",))


def _read(tree: Tree, path: Path, message: dict[str, Any]) -> Turn:
    role = _ROLES.get(messages.text_of(message.get("role")))
    calls: list[Call] = []
    contract = _AGENT
    for where, item in messages.objects(message, "tool_calls", path):
        calls.extend(messages.read_call(tree, where, item, _CALL))
        if role == USER and item.get("requestor") == "user":
            contract, role = _USER, ASSISTANT
    for call in calls:
        call.id = call.id or None
    turn = Turn(tree, path, role, ("role",), contract, calls, texts=messages.block_texts)
    if role == TOOL:
        answers = list(messages.objects(message, "tool_messages", path)) or [(path, message)]
        turn.results = [_result(tree, where, answer) for where, answer in answers]
    return turn


def _result(tree: Tree, path: Path, answer: dict[str, Any]) -> Result:
    result = messages.read_result(tree, path, answer, "id", answer.get("error") is True, "content", "role")
    result.id = result.id or None
    return result


def _identifies(message: dict[str, Any]) -> bool:
    plain = "tool_calls" in message and message["tool_calls"] is None
    if plain and "turn_idx" in message and "timestamp" in message:
        return True
    if message.get("role") == "tool":
        return "tool_messages" in message or ("requestor" in message and "tool_call_id" not in message)
    return any("requestor" in call for _, call in messages.objects(message, "tool_calls"))


FORMAT = messages.MessageFormat(8, _identifies, _identifies, _read)
