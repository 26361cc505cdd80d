"""ATIF, Harbor's format of trajectories: `{schema_version: "ATIF-v1.7", agent, steps: [{source, tool_calls, observation}]}`.

A step has its calls, `{tool_call_id, function_name, arguments}`, and their results, `{source_call_id, content}`. A result that
names no call is of a step without calls, or answers the only one. Steps that were copied from another trajectory are
checked there. Trajectories of sub-agents are conversations of their own.
Source: harbor 0.26.0 (PyPI), `models/trajectories`, versions 1.0 to 1.8; what its converters write into `extra`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolsurface_lint.model.transcript import ASSISTANT, SYSTEM, TOOL, USER, CallShape, Contract, Result, Turn
from toolsurface_lint.readers import transcript_format as messages
from toolsurface_lint.readers.transcript_format import Envelope, TranscriptEntry
from toolsurface_lint.source.tree import Node, Path, Tree

_CONTRACT = Contract(adjacent=False, result_roles=frozenset({TOOL}))
_CALL = CallShape(("tool_call_id",), ("function_name",), ("arguments",))
_ROLES = {"user": USER, "agent": ASSISTANT, "system": SYSTEM}
_DEEPEST = 20
"""Levels of sub-agents that are read."""


def _recognises(value: dict[str, Any]) -> bool:
    version = value.get("schema_version")
    return type(version) is str and version.startswith("ATIF-") and type(value.get("steps")) is list


def _read(tree: Tree, path: Path, value: dict[str, Any]) -> Iterator[TranscriptEntry]:
    waiting = [(path, value)]
    while waiting:
        where, trajectory = waiting.pop()
        yield from _trajectory(tree, where, trajectory)
        if len(where) - len(path) < 2 * _DEEPEST:
            waiting.extend(messages.objects(trajectory, "subagent_trajectories", where))


def _trajectory(tree: Tree, path: Path, value: dict[str, Any]) -> Iterator[TranscriptEntry]:
    key = ("atif", path)
    steps = [(where, step) for where, step in messages.objects(value, "steps", path)]
    own = [(where, step) for where, step in steps if step.get("is_copied_context") is not True]
    starts = len(own) == len(steps)
    tools = messages.at(value, ("agent", "tool_definitions"))
    if type(tools) is list and tools:
        yield TranscriptEntry(key, None, starts, (*path, "agent", "tool_definitions"))
    for where, step in own:
        for turn in _turns(tree, where, step):
            yield TranscriptEntry(key, turn, starts)


def _turns(tree: Tree, path: Path, step: dict[str, Any]) -> Iterator[Turn]:
    calls = [
        call
        for where, item in messages.objects(step, "tool_calls", path)
        for call in messages.read_call(tree, where, item, _CALL)
    ]
    role = _ROLES.get(messages.text_of(step.get("source")) or "")
    yield Turn(tree, path, role, ("source",), _CONTRACT, calls, texts=_texts, ended=messages.was_cut_off)
    observation = step.get("observation")
    if type(observation) is not dict:
        return
    results = [
        _result(tree, where, item) for where, item in messages.objects(observation, "results", (*path, "observation"))
    ]
    named = [result for result in results if result.id is not None]
    if not named and len(results) == len(calls):
        named = results
    if named:
        yield Turn(tree, path, TOOL, None, _CONTRACT, results=named)


def _result(tree: Tree, path: Path, item: dict[str, Any]) -> Result:
    extra = item.get("extra")
    marks = extra if type(extra) is dict else {}
    failed = marks.get("tool_result_is_error") is True or marks.get("is_error") is True
    failed = failed or messages.starts_with_error(item.get("content"))
    return messages.read_result(tree, path, item, "source_call_id", failed, "content")


def _texts(turn: Turn) -> Iterator[Node]:
    message = turn.node.get("message")
    if message is not None and type(message.value) is str:
        yield message
        return
    for part in turn.node.elements("message"):
        text = part.string("text")
        if text is not None:
            yield text


ENVELOPE = Envelope(12, _recognises, _read, marks=frozenset({"schema_version"}), whole=True)
