"""Amazon Bedrock Converse: `{toolUse: {toolUseId, name, input}}` and `{toolResult: {toolUseId, content, status}}`.

Sources: Amazon Bedrock API reference, "Converse", and the error texts of the API ("Expected toolResult blocks at",
"exceeds the number of toolUse blocks of previous turn", "A conversation must alternate between user and assistant roles").
"""

from __future__ import annotations

from functools import partial
from typing import Any

from toolsurface_lint.model.transcript import ASSISTANT, USER, Call, CallShape, Contract, Result, Turn
from toolsurface_lint.readers import transcript_format as messages
from toolsurface_lint.source.tree import Path, Tree

_ROLES: dict[str | None, str] = {"user": USER, "assistant": ASSISTANT}
_CONTRACT = Contract(alternates=True, result_roles=frozenset({USER}))

_CALL = CallShape(("toolUseId",), ("name",), ("input",))
_TEXTS = partial(messages.part_texts, key="content")


def _read(tree: Tree, path: Path, message: dict[str, Any]) -> Turn:
    calls: list[Call] = []
    results: list[Result] = []
    for where, block in messages.objects(message, "content", path):
        calls.extend(messages.read_call(tree, (*where, "toolUse"), block.get("toolUse"), _CALL))
        answer = block.get("toolResult")
        if type(answer) is dict:
            failed = answer.get("status") == "error"
            results.append(messages.read_result(tree, (*where, "toolResult"), answer, "toolUseId", failed, "content"))
    role = _ROLES.get(messages.text_of(message.get("role")))
    return Turn(tree, path, role, ("role",), _CONTRACT, calls, results, _TEXTS, messages.was_cut_off)


def _identifies(message: dict[str, Any]) -> bool:
    content = message.get("content")
    # Most contents are texts.
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


def _glance(message: dict[str, Any]) -> messages.Glance:
    calls: list[messages.GlancedCall] = []
    results: list[messages.GlancedResult] = []
    texts: list[str] = []
    for block in message["content"]:
        use, answer, text = block.get("toolUse"), block.get("toolResult"), block.get("text")
        if use is not None:
            calls.append((use["toolUseId"], use["name"], use["input"]))
        if answer is not None:
            results.append((answer["toolUseId"], None, answer.get("status") == "error"))
        if text is not None and block.get("thought") is not True:
            texts.append(text)
    return _ROLES[message["role"]], calls, results, texts


FORMAT = messages.MessageFormat(30, _identifies, _recognises, _read, quick=messages.Quick(_glance, _CONTRACT))
