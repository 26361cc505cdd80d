"""Amazon Bedrock Converse: `{toolUse: {toolUseId, name, input}}` and `{toolResult: {toolUseId, content, status}}`.

Sources: Amazon Bedrock API reference, "Converse", and the error texts of the API ("Expected toolResult blocks at",
"exceeds the number of toolUse blocks of previous turn", "A conversation must alternate between user and assistant roles").
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolsurface_lint.model.transcript import ASSISTANT, USER, Call, CallShape, Contract, Result, Turn
from toolsurface_lint.readers.transcript_format import MessageFormat, part_texts, text_of, was_cut_off
from toolsurface_lint.source.tree import Node, Path, Tree

_ROLES: dict[str | None, str] = {"user": USER, "assistant": ASSISTANT}
_CONTRACT = Contract(alternates=True, result_roles=frozenset({USER}))

_CALL = CallShape(("toolUseId",), ("name",), ("input",))


def _texts(turn: Turn) -> Iterator[Node]:
    return part_texts(turn, "content")


def _read(tree: Tree, path: Path, message: dict[str, Any]) -> Turn:
    content = message.get("content")
    calls: list[Call] = []
    results: list[Result] = []
    for index, block in enumerate(content if type(content) is list else ()):
        if type(block) is not dict:
            continue
        use = block.get("toolUse")
        if type(use) is dict and type(use.get("name")) is str:
            id = text_of(use.get("toolUseId"))
            calls.append(Call(tree, (*path, "content", index, "toolUse"), _CALL, id, use["name"], use.get("input")))
        answer = block.get("toolResult")
        if type(answer) is dict:
            id = text_of(answer.get("toolUseId"))
            at: Path = ("toolUseId",) if id is not None else ()
            failed = answer.get("status") == "error"
            where = (*path, "content", index, "toolResult")
            results.append(Result(tree, where, id, None, at, failed, answer.get("content")))
    role = _ROLES.get(text_of(message.get("role")))
    return Turn(tree, path, role, ("role",), _CONTRACT, calls, results, _texts, was_cut_off)


def _identifies(message: dict[str, Any]) -> bool:
    content = message.get("content")
    return type(content) is list and any(
        type(block) is dict and ("toolUse" in block or "toolResult" in block) for block in content
    )


def _recognises(message: dict[str, Any]) -> bool:
    content = message.get("content")
    return (
        type(message.get("role")) is str
        and type(content) is list
        and all(type(block) is dict and "type" not in block for block in content)
    )


FORMAT = MessageFormat(30, _identifies, _recognises, _read)
