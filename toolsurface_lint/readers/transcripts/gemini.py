"""Gemini contents: `{role: "model", parts: [{functionCall: {name, args}}]}` and `{functionResponse: {name, response}}`.

Sources: Gemini API reference, Content, FunctionCall and FunctionResponse, and the error texts of the API ("Please ensure that
function call turn comes immediately after a user turn or after a function response turn", "number of function response
parts is equal to the number of function call parts").
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolsurface_lint.model.transcript import ASSISTANT, SYSTEM, TOOL, USER, Call, CallShape, Contract, Result, Turn
from toolsurface_lint.readers.transcript_format import MessageFormat, objects, part_texts, read_call, text_of
from toolsurface_lint.source.tree import Node, Path, Tree

_ROLES: dict[str | None, str] = {"user": USER, "model": ASSISTANT, "function": TOOL, "tool": TOOL, "system": SYSTEM}
_CONTRACT = Contract(prompted=True, result_roles=frozenset({USER, TOOL}))

_CALL = CallShape(("id",), ("name",), ("args",))


def _texts(turn: Turn) -> Iterator[Node]:
    return part_texts(turn, "parts")


def read_content(tree: Tree, path: Path, content: dict[str, Any], contract: Contract = _CONTRACT) -> Turn:
    role = content.get("role", "model" if contract is not _CONTRACT else "user")
    calls: list[Call] = []
    results: list[Result] = []
    for where, part in objects(content, "parts", path):
        for key in ("functionCall", "function_call"):
            calls.extend(read_call(tree, (*where, key), part.get(key), _CALL))
        for key in ("functionResponse", "function_response"):
            answer = part.get(key)
            if type(answer) is dict:
                results.append(_result(tree, (*where, key), answer))
    return Turn(tree, path, _ROLES.get(text_of(role)), ("role",), contract, calls, results, _texts)


def _result(tree: Tree, path: Path, answer: dict[str, Any]) -> Result:
    id = text_of(answer.get("id"))
    name = text_of(answer.get("name"))
    response = answer.get("response")
    failed = type(response) is dict and "error" in response and "output" not in response
    at: Path = ("id",) if id is not None else ("name",) if name is not None else ()
    return Result(tree, path, id, name, at, failed, response)


def _recognises(content: dict[str, Any]) -> bool:
    return type(content.get("parts")) is list and type(content.get("role", "user")) is str


FORMAT = MessageFormat(40, _recognises, _recognises, read_content)
