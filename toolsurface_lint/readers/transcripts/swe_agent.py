"""SWE-agent trajectories: a `history` of chat messages with the agent's marks, and calls as text in `action`.

With function calling the messages are OpenAI's and a result has `tool_call_ids`. Without, the action is a line for a
shell, in which the bundles' commands are some among others; the message after it is what came back.
Source: SWE-agent, `sweagent/types.py` and `tools/parsing.py`.
"""

from __future__ import annotations

from typing import Any

from toolsurface_lint.model.transcript import ASSISTANT, FREE, TOOL, USER, Call, CallShape, Contract, Result, Turn
from toolsurface_lint.readers.transcript_format import (
    Glance,
    MessageFormat,
    NotPlain,
    Quick,
    at,
)
from toolsurface_lint.readers.transcripts.openai import glance_message, read_message
from toolsurface_lint.source.tree import Path, Tree

# `bash` is switched on in addition to the bundles' tools by a setting of the agent.
_FUNCTIONS = Contract(client_tools=frozenset({"bash"}))
_TEXT = Contract(answered=False, result_roles=frozenset({USER, TOOL}), client_tools=None)
_ACTION = CallShape((), ("action",), ("action",), FREE)


def _read(tree: Tree, path: Path, message: dict[str, Any]) -> Turn:
    turn = read_message(tree, path, message)
    turn.contract = _FUNCTIONS
    action = message.get("action")
    if turn.calls or turn.results:
        return turn
    if turn.role == ASSISTANT and type(action) is str and action.strip():
        turn.contract = _TEXT
        turn.calls = (Call(tree, path, _ACTION, None, action.split(None, 1)[0], action),)
    elif _answers_action(tree, path):
        turn.contract = _TEXT
        turn.results = (Result(tree, path, None, None, ("role",), False, message.get("content")),)
    return turn


def _answers_action(tree: Tree, path: Path) -> bool:
    """Whether the message before is an action in text."""
    messages = tree.at(path[:-1]).value
    index = path[-1]
    if not isinstance(index, int) or index == 0 or type(messages[index - 1]) is not dict:
        return False
    before = messages[index - 1]
    return bool(at(before, ("action",))) and not before.get("tool_calls") and before.get("role") == "assistant"


def _identifies(message: dict[str, Any]) -> bool:
    return type(message.get("role")) is str and "agent" in message and ("content" in message or "action" in message)


def _glance(message: dict[str, Any]) -> Glance:
    ids = message.get("tool_call_ids")
    if ids is not None:
        if message.get("tool_call_id") is not None or message.get("tool_use_id") is not None or len(ids) != 1:
            raise NotPlain
        message = {**message, "tool_call_id": ids[0]}
    role, calls, results, texts = glance_message(message)
    if message.get("action") and not calls and not results:
        raise NotPlain
    return role, calls, results, texts


FORMAT = MessageFormat(5, _identifies, _identifies, _read, quick=Quick(_glance, _FUNCTIONS))
