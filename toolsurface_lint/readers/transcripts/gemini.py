"""Gemini contents: `{role: "model", parts: [{functionCall: {name, args}}]}` and `{functionResponse: {name, response}}`.

Sources: Gemini API reference, Content, FunctionCall and FunctionResponse, and the error texts of the API ("Please ensure that
function call turn comes immediately after a user turn or after a function response turn", "number of function response
parts is equal to the number of function call parts").
"""

from __future__ import annotations

from functools import partial
from typing import Any

from toolsurface_lint.model.transcript import ASSISTANT, SYSTEM, TOOL, USER, Call, CallShape, Contract, Result, Turn
from toolsurface_lint.readers.transcript_format import (
    Glance,
    GlancedCall,
    GlancedResult,
    MessageFormat,
    NotPlain,
    Quick,
    objects,
    part_texts,
    read_call,
    read_result,
    text_of,
)
from toolsurface_lint.source.tree import Path, Tree

_ROLES: dict[str | None, str] = {"user": USER, "model": ASSISTANT, "function": TOOL, "tool": TOOL, "system": SYSTEM}
_CONTRACT = Contract(prompted=True, result_roles=frozenset({USER, TOOL}))

_CALL = CallShape(("id",), ("name",), ("args",))
_TEXTS = partial(part_texts, key="parts")


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
                response = answer.get("response")
                failed = type(response) is dict and "error" in response and "output" not in response
                result = read_result(tree, (*where, key), answer, "id", failed, "response", "name")
                result.name = text_of(answer.get("name"))
                results.append(result)
    return Turn(tree, path, _ROLES.get(text_of(role)), ("role",), contract, calls, results, _TEXTS)


def _recognises(content: dict[str, Any]) -> bool:
    return type(content.get("parts")) is list and type(content.get("role", "user")) is str


def _glance(content: dict[str, Any]) -> Glance:
    role = content.get("role")
    calls: list[GlancedCall] = []
    results: list[GlancedResult] = []
    texts: list[str] = []
    for part in content["parts"]:
        if "function_call" in part or "function_response" in part:
            raise NotPlain
        call, answer, text = part.get("functionCall"), part.get("functionResponse"), part.get("text")
        if call is not None:
            calls.append((call.get("id"), call["name"], call["args"]))
        if answer is not None:
            response = answer["response"]
            failed = type(response) is dict and response.get("error") is not None and response.get("output") is None
            results.append((answer.get("id"), answer["name"], failed))
        if text is not None and part.get("thought") is not True:
            texts.append(text)
    return _ROLES["user" if role is None else role], calls, results, texts


FORMAT = MessageFormat(40, _recognises, _recognises, read_content, quick=Quick(_glance, _CONTRACT))
