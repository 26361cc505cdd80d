"""Logs of Inspect (inspect_ai): messages with calls `{id, function, arguments}`, and the requests in `model` events.

A log is one object with its `samples`; in `.eval` files each sample is a member of the archive. What a sample's `messages` say
is checked against the tools of all its requests together, what only a request says, such as another agent's messages,
against those of that request. Requests name their messages by ranges in a pool (`input_refs`), and texts may be kept
in `attachments`. A call whose arguments could not be read says so in `parse_error`.
Source: inspect_ai 0.3.285, `log/_log.py`, `log/_pool.py`, `log/_condense.py`, `tool/_tool_call.py`, and the logs in its tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolsurface_lint.model.transcript import JSON_TEXT, TOOL, CallShape, Contract, Turn
from toolsurface_lint.readers import transcript_format as messages
from toolsurface_lint.readers.requests import as_tools
from toolsurface_lint.readers.transcript_format import Envelope, MessageFormat, ModelRequest
from toolsurface_lint.readers.transcripts.openai import ROLES
from toolsurface_lint.source.composed import joined
from toolsurface_lint.source.tree import Node, Path, Tree

_CONTRACT = Contract(adjacent=False)
_CALL = CallShape(("id",), ("function",), ("arguments",))
_BROKEN_CALL = CallShape(("id",), ("function",), ("parse_error",), JSON_TEXT)


def _read_message(tree: Tree, path: Path, message: dict[str, Any]) -> Turn:
    role = ROLES.get(messages.text_of(message.get("role")))
    calls = [
        call
        for where, item in messages.objects(message, "tool_calls", path)
        for call in messages.read_call(
            tree, where, item, _BROKEN_CALL if type(item.get("parse_error")) is str else _CALL
        )
    ]
    turn = Turn(tree, path, role, ("role",), _CONTRACT, calls, texts=messages.block_texts)
    turn.message = messages.text_of(message.get("id"))
    if role == TOOL:
        failed = message.get("error") is not None
        result = messages.read_result(tree, path, message, "tool_call_id", failed, "content", "role")
        result.name = messages.text_of(message.get("function"))
        turn.results = (result,)
    return turn


def _identifies(message: dict[str, Any]) -> bool:
    role = message.get("role")
    if role == "tool":
        return type(message.get("function")) is str
    return role == "assistant" and any(
        type(call.get("function")) is str for _, call in messages.objects(message, "tool_calls")
    )


FORMAT = MessageFormat(6, _identifies, _identifies, _read_message)


def _is_sample(value: dict[str, Any]) -> bool:
    return type(value.get("epoch")) is int and type(value.get("messages")) is list and "target" in value


def _is_log(value: dict[str, Any]) -> bool:
    eval = value.get("eval")
    return type(eval) is dict and "task" in eval and type(value.get("samples")) is list


def _recognises(value: dict[str, Any]) -> bool:
    return _is_sample(value) or _is_log(value)


def _read(tree: Tree, path: Path, value: dict[str, Any]) -> Iterator[ModelRequest]:
    if _is_sample(value):
        yield from _sample(Node(tree, path, value))
        return
    for where, sample in messages.objects(value, "samples", path):
        if _is_sample(sample):
            yield from _sample(Node(tree, where, sample))


def _sample(sample: Node) -> Iterator[ModelRequest]:
    traces = (("inspect", sample.path),)
    requests = [event for event in sample.elements("events") if _is_request(event.value)]
    main = [*_turns(sample, sample.elements("messages"))]
    yield ModelRequest(traces, main, _all_tools(sample, requests))
    pool = _pool(sample)
    met: set[int] = set()
    for event in requests:
        turns = [*_turns(sample, event.elements("input")), *_turns(sample, _referenced(event, pool, met))]
        answer = event.find("output", "choices", 0, "message")
        if answer is not None and type(answer.value) is dict and event.value.get("error") is None:
            turns.extend(_turns(sample, [answer]))
        if turns:
            yield ModelRequest(traces, turns, as_tools(event.get("tools")))


def _is_request(event: Any) -> bool:
    return type(event) is dict and event.get("event") == "model"


def _turns(sample: Node, items: Iterator[Node] | list[Node]) -> Iterator[Turn]:
    kept = sample.value.get("attachments")
    for item in items:
        if type(item.value) is not dict or type(item.value.get("role")) is not str:
            continue
        turn = _read_message(item.tree, item.path, item.value)
        if type(kept) is dict and kept:
            for call in turn.calls:
                call.arguments = _resolved(call.arguments, kept)
        yield turn


_KEPT = "attachment://"
_DEEPEST = 50


def _resolved(value: Any, kept: dict[str, Any], depth: int = 0) -> Any:
    """A value with the texts that are kept among the attachments."""
    if type(value) is str:
        return kept.get(value.removeprefix(_KEPT), value) if value.startswith(_KEPT) else value
    if depth < _DEEPEST and type(value) is dict:
        return {key: _resolved(inner, kept, depth + 1) for key, inner in value.items()}
    if depth < _DEEPEST and type(value) is list:
        return [_resolved(inner, kept, depth + 1) for inner in value]
    return value


def _pool(sample: Node) -> list[Node]:
    """The messages that requests name by their numbers."""
    return [*sample.elements("events_data", "messages")] or [*sample.elements("message_pool")]


def _referenced(event: Node, pool: list[Node], met: set[int]) -> list[Node]:
    """The messages of the pool that a request names, from the last one on that a request before it has named.

    So each is read once, and once more as what comes before the next.
    """
    found: list[Node] = []
    refs = event.value.get("input_refs")
    for ref in reversed(refs) if type(refs) is list else ():
        if type(ref) is not list or len(ref) != 2 or not all(type(end) is int for end in ref):
            continue
        for index in range(min(ref[1], len(pool)) - 1, max(ref[0], 0) - 1, -1):
            found.append(pool[index])
            if index in met:
                return found[::-1]
            met.add(index)
    return found[::-1]


def _all_tools(sample: Node, requests: list[Node]) -> Node | None:
    """The tools of all requests of a sample, each name once."""
    named: dict[str, Node] = {}
    for event in requests:
        for tool in event.elements("tools"):
            name = tool.string("name")
            if name is not None:
                named.setdefault(name.value, tool)
    return joined(sample, named.values()) if named else None


ENVELOPE = Envelope(13, _recognises, _read, marks=frozenset({"epoch", "eval"}), whole=True)
