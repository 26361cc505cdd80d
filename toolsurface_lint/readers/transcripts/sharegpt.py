"""ShareGPT conversations, with the calls of the Hermes format as text: `{from: "gpt", value: "<tool_call>{...}</tool_call>"}`.

The text between the tags is JSON with `name` and `arguments`, in older data a Python literal; a turn of
`function_call` is that JSON alone. Results have no ids: they answer in order.
Sources: the Hermes function calling format; vLLM's parser of it; the ShareGPT conventions of training tools.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from toolsurface_lint.model.transcript import (
    ASSISTANT,
    JSON_TEXT,
    SYSTEM,
    TOOL,
    USER,
    Call,
    CallShape,
    Contract,
    Result,
    Turn,
)
from toolsurface_lint.readers.transcript_format import MessageFormat, starts_with_error, text_of
from toolsurface_lint.source.embedded import EmbeddedTree
from toolsurface_lint.source.json_values import read_value
from toolsurface_lint.source.tree import Node, Path, Tree

_ROLES: dict[str | None, str] = {
    "system": SYSTEM,
    "human": USER,
    "user": USER,
    "gpt": ASSISTANT,
    "assistant": ASSISTANT,
    "model": ASSISTANT,
    "chatgpt": ASSISTANT,
    "bing": ASSISTANT,
    "ai": ASSISTANT,
    "function_call": ASSISTANT,
    "tool_call": ASSISTANT,
    "tool": TOOL,
    "observation": TOOL,
    "observations": TOOL,
    "tool_response": TOOL,
    "function_response": TOOL,
}
_CALLS = frozenset({"function_call", "tool_call"})
_CONTRACT = Contract(adjacent=False, result_roles=frozenset({TOOL, USER}), calls_in_text=True)

_CALL = CallShape((), ("name",), ("arguments",))
CALL_ALONE = CallShape((), ("name",), ("arguments",), JSON_TEXT)
"""Of a call that is a message of its own: trainers take its arguments as JSON text too, and write them out."""
_BROKEN = CallShape((), (), (), JSON_TEXT)
_NAME = re.compile(r"""["']name["']\s*:\s*["']([^"']+)["']""")


def _bodies(text: str, tag: str) -> Iterator[tuple[str, int]]:
    """The texts between `<tag>` and the next `</tag>`, without the white space around them, each with its offset."""
    opener, closer = f"<{tag}>", f"</{tag}>"
    end = 0
    while (start := text.find(opener, end)) >= 0:
        start += len(opener)
        end = text.find(closer, start)
        if end < 0:
            return
        body = text[start:end].lstrip()
        yield body.rstrip(), end - len(body)


def _texts(turn: Turn) -> Iterator[Node]:
    text = turn.node.string("value")
    return iter(() if text is None else (text,))


def literal(text: str) -> Any:
    """The value of a text that is JSON or else a Python literal; None if it is neither."""
    value = read_value(text)
    if value is None and len(text) < 1 << 20:
        import ast

        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
    return value


def read_text_call(tree: Tree, path: Path, text: str, start: int, shape: CallShape = _CALL) -> Call | None:
    """The call that the JSON `text` at offset `start` of the string at `path` makes; None if it names no tool."""
    value = literal(text)
    if isinstance(value, dict) and isinstance(value.get("name"), str):
        inner = EmbeddedTree(tree, path, text, value, start)
        return Call(inner, (), shape, None, value["name"], value.get("arguments", value.get("parameters")))
    name = _NAME.search(text)
    if value is not None or name is None:
        return None
    return Call(EmbeddedTree(tree, path, text, None, start), (), _BROKEN, None, name.group(1), text)


def _read(tree: Tree, path: Path, message: dict[str, Any]) -> Turn:
    role = text_of(message.get("from"))
    text = message.get("value")
    turn = Turn(tree, path, _ROLES.get(role), ("from",), _CONTRACT, texts=_texts)
    if type(text) is not str:
        return turn
    where = (*path, "value")
    if role in _CALLS and "<tool_call>" not in text[:64]:
        call = read_text_call(tree, where, text, 0, CALL_ALONE)
        turn.calls = () if call is None else (call,)
    elif "<tool_call>" in text and role != "system":
        made = (read_text_call(tree, where, body, start) for body, start in _bodies(text, "tool_call"))
        turn.calls = [call for call in made if call is not None]
    if turn.role == TOOL or "<tool_response>" in text[:64]:
        answers = [body for body, _ in _bodies(text, "tool_response")] or [text]
        turn.results = [
            Result(tree, path, None, None, ("from",), starts_with_error(answer), answer) for answer in answers
        ]
    return turn


def _tools(tree: Tree, path: Path, message: dict[str, Any]) -> Node | None:
    """The list of tools between `<tools>` and `</tools>` of a system text."""
    text = message.get("value")
    if type(text) is not str:
        return None
    body, start = next((found for found in _bodies(text, "tools") if found[0].startswith(("[", "{"))), ("", 0))
    value = literal(body)
    if isinstance(value, dict):
        value = [value]
    if value is None:
        value = [item for item in map(literal, body.split("\n")) if isinstance(item, dict)]
    if not isinstance(value, list) or not value:
        return None
    return EmbeddedTree(tree, (*path, "value"), body, value, start).root


def _recognises(message: dict[str, Any]) -> bool:
    return text_of(message.get("from")) in _ROLES and type(message.get("value")) is str


def _identifies(message: dict[str, Any]) -> bool:
    return type(message.get("from")) is str and type(message.get("value")) is str


FORMAT = MessageFormat(60, _identifies, _recognises, _read, _tools)
