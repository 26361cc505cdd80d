"""Anthropic messages: `tool_use` blocks of the assistant, `tool_result` blocks in the next message of the user.

Sources: Anthropic API reference, "Messages", and the error texts of the API ("`tool_use` ids were found without
`tool_result` blocks immediately after", "unexpected `tool_use_id` found in `tool_result` blocks").
"""

from __future__ import annotations

from typing import Any

from toolsurface_lint.model.transcript import ASSISTANT, SYSTEM, USER, Call, CallShape, Contract, Result, Turn
from toolsurface_lint.readers import transcript_format as messages
from toolsurface_lint.source.tree import Path, Tree

_ROLES: dict[str | None, str] = {"user": USER, "assistant": ASSISTANT, "system": SYSTEM}
_CONTRACT = Contract(result_roles=frozenset({USER}))

_CALL = CallShape(("id",), ("name",), ("input",))


def read_message(tree: Tree, path: Path, message: dict[str, Any], contract: Contract = _CONTRACT) -> Turn:
    calls: list[Call] = []
    results: list[Result] = []
    for where, block in messages.objects(message, "content", path):
        if block.get("type") == "tool_use":
            calls.extend(messages.read_call(tree, where, block, _CALL))
        elif block.get("type") == "tool_result":
            failed = block.get("is_error") is True
            results.append(messages.read_result(tree, where, block, "tool_use_id", failed, "content", "type"))
    role = _ROLES.get(messages.text_of(message.get("role")))
    return Turn(tree, path, role, ("role",), contract, calls, results, messages.block_texts, messages.was_cut_off)


def _identifies(message: dict[str, Any]) -> bool:
    content = message.get("content")
    # Most contents are texts.
    return type(content) is list and any(
        type(block) is dict and block.get("type") in ("tool_use", "tool_result") for block in content
    )


def _recognises(message: dict[str, Any]) -> bool:
    return type(message.get("role")) is str and type(message.get("content")) in (str, list)


def glance_message(message: dict[str, Any]) -> messages.Glance:
    role = _ROLES[message["role"]]
    content = message.get("content")
    if type(content) is str or content is None:
        return role, (), (), messages.glance_blocks(content)
    if type(content) is not list:
        raise messages.NotPlain
    calls: list[messages.GlancedCall] = []
    results: list[messages.GlancedResult] = []
    texts: list[str] = []
    for block in content:
        kind = block["type"]
        if kind == "text":
            texts.append(block["text"])
        elif kind == "tool_use":
            calls.append((block["id"], block["name"], block["input"]))
        elif kind == "tool_result":
            results.append((block["tool_use_id"], None, block.get("is_error") is True))
        elif kind is None:
            raise messages.NotPlain
    return role, calls, results, texts


FORMAT = messages.MessageFormat(
    20, _identifies, _recognises, read_message, quick=messages.Quick(glance_message, _CONTRACT)
)
