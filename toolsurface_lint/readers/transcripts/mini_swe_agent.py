"""Trajectories of mini-swe-agent: `messages` of chat or of Responses, each with what the agent made of it in `extra`.

Without tool calls, the command for the shell stands in `extra.actions`, and what it gave is a message of the user. An `exit`
message ends the run. Source: SWE-agent/mini-swe-agent, `agents/default.py` and `models/utils/actions_*.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolsurface_lint.model.transcript import ASSISTANT, FREE, TOOL, USER, Call, CallShape, Contract, Result, Turn
from toolsurface_lint.readers.transcript_format import (
    MessageFormat,
    at,
    objects,
    text_of,
    was_cut_off,
)
from toolsurface_lint.readers.transcripts.openai import read_message
from toolsurface_lint.readers.transcripts.responses import read_item
from toolsurface_lint.source.tree import Node, Path, Tree

_TOOLS = frozenset({"bash"})
_FUNCTIONS = Contract(client_tools=_TOOLS)
_TEXT = Contract(answered=False, result_roles=frozenset({USER, TOOL}), client_tools=_TOOLS)
_COMMAND = CallShape((), ("command",), ("command",), FREE)
_EXTRA = frozenset({"actions", "interrupt_type", "raw_output", "exit_status"})


def _read(tree: Tree, path: Path, message: dict[str, Any]) -> Turn | None:
    if message.get("role") == "exit":
        return None
    if _is_response(message):
        return _response(tree, path, message)
    if message.get("type") == "function_call_output":
        turn = read_item(tree, path, message, _FUNCTIONS)
        if turn is not None:
            _mark(turn, message)
        return turn
    turn = read_message(tree, path, message)
    turn.contract = _FUNCTIONS
    _mark(turn, message)
    if turn.calls or turn.results:
        return turn
    extra = message.get("extra")
    if type(extra) is not dict:
        return turn
    actions = [
        Call(tree, where, _COMMAND, None, "bash", action["command"])
        for where, action in objects(extra, "actions", (*path, "extra"))
        if type(action.get("command")) is str
    ]
    if turn.role == ASSISTANT and actions:
        turn.contract, turn.calls = _TEXT, actions
    elif turn.role == USER and "raw_output" in extra:
        turn.contract = _TEXT
        turn.results = (Result(tree, path, None, "bash", ("role",), _has_failed(message), message.get("content")),)
    return turn


def _response(tree: Tree, path: Path, message: dict[str, Any]) -> Turn:
    """A whole response of the Responses API: one turn, whatever its items are."""
    turn = Turn(tree, path, ASSISTANT, None, _FUNCTIONS, texts=_texts, ended=was_cut_off)
    calls: list[Call] = []
    for where, item in objects(message, "output", path):
        made = read_item(tree, where, item, _FUNCTIONS)
        calls.extend(() if made is None else made.calls)
    turn.calls = calls
    return turn


def _texts(turn: Turn) -> Iterator[Node]:
    for item in turn.node.elements("output"):
        for block in item.elements("content"):
            text = block.string("text")
            if text is not None:
                yield text


def _mark(turn: Turn, message: dict[str, Any]) -> None:
    for result in turn.results:
        result.failed = _has_failed(message)


def _has_failed(message: dict[str, Any]) -> bool:
    """Whether the command could not be run to its end; what a command gives back is not for us to judge."""
    return bool(at(message, ("extra", "exception_info")))


def _is_response(message: dict[str, Any]) -> bool:
    return message.get("object") == "response" and type(message.get("output")) is list


def _identifies(message: dict[str, Any]) -> bool:
    extra = message.get("extra")
    if type(extra) is not dict or _EXTRA.isdisjoint(extra):
        return False
    return text_of(message.get("role")) is not None or "call_id" in message or _is_response(message)


FORMAT = MessageFormat(6, _identifies, _identifies, _read)
