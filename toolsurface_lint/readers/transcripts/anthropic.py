"""Anthropic messages: `tool_use` blocks of the assistant, `tool_result` blocks in the next message of the user.

Sources: Anthropic API reference, "Messages", and the error texts of the API ("`tool_use` ids were found without
`tool_result` blocks immediately after", "unexpected `tool_use_id` found in `tool_result` blocks").
"""

from __future__ import annotations

from typing import Any

from toolsurface_lint.model.transcript import ASSISTANT, SYSTEM, USER, Call, CallShape, Contract, Result, Turn
from toolsurface_lint.readers.transcript_format import MessageFormat, block_texts, text_of, was_cut_off
from toolsurface_lint.source.tree import Path, Tree

_ROLES: dict[str | None, str] = {"user": USER, "assistant": ASSISTANT, "system": SYSTEM}
_CONTRACT = Contract(result_roles=frozenset({USER}))

_CALL = CallShape(("id",), ("name",), ("input",))


def read_message(tree: Tree, path: Path, message: dict[str, Any], contract: Contract = _CONTRACT) -> Turn:
    content = message.get("content")
    calls: list[Call] = []
    results: list[Result] = []
    for index, block in enumerate(content if type(content) is list else ()):
        if type(block) is not dict:
            continue
        kind = block.get("type")
        if kind == "tool_use":
            name = block.get("name")
            if type(name) is str:
                id = text_of(block.get("id"))
                calls.append(Call(tree, (*path, "content", index), _CALL, id, name, block.get("input")))
        elif kind == "tool_result":
            id = text_of(block.get("tool_use_id"))
            failed = block.get("is_error") is True
            at: Path = ("tool_use_id",) if id is not None else ("type",)
            results.append(Result(tree, (*path, "content", index), id, None, at, failed, block.get("content")))
    role = _ROLES.get(text_of(message.get("role")))
    return Turn(tree, path, role, ("role",), contract, calls, results, block_texts, was_cut_off)


def _identifies(message: dict[str, Any]) -> bool:
    content = message.get("content")
    return type(content) is list and any(
        type(block) is dict and block.get("type") in ("tool_use", "tool_result") for block in content
    )


def _recognises(message: dict[str, Any]) -> bool:
    return type(message.get("role")) is str and type(message.get("content")) in (str, list)


FORMAT = MessageFormat(20, _identifies, _recognises, read_message)
