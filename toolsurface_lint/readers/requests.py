"""Requests to models as tracers keep them: messages and answers of any provider, often as JSON text inside of a value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolsurface_lint.model.transcript import ASSISTANT, JSON_TEXT, CallShape, Contract, Turn
from toolsurface_lint.readers.conversations import find_conversation, format_among, format_of, read_turns
from toolsurface_lint.readers.transcript_format import FoundConversation, is_cut_off, read_call
from toolsurface_lint.readers.transcripts.langchain import FORMAT as LANGCHAIN
from toolsurface_lint.source.composed import ComposedTree, joined
from toolsurface_lint.source.embedded import read_embedded
from toolsurface_lint.source.tree import Node, Path


def decoded(node: Node | None) -> Node | None:
    """The object or list that a text is the JSON of, unless it nests too deep; any other value as it is."""
    if node is None or type(node.value) is not str or node.value.lstrip(" \t\r\n")[:1] not in ("{", "["):
        return node
    return read_embedded(node) or node


def read_history(node: Node | None) -> list[Turn]:
    """The messages that a model was sent: a list of them, or what holds one, as a value or as its JSON text."""
    node = decoded(node)
    if node is None:
        return []
    if type(node.value) is dict:
        held = decoded(node.get("messages"))
        if held is not None and type(held.value) is list:
            return _messages(held)
        found = find_conversation(node)
        return _message(node) if found is None else list(read_turns(found))
    return _messages(node) if type(node.value) is list else []


def _messages(node: Node) -> list[Turn]:
    # LangChain sends batches, mostly of one.
    first = node.get(0)
    if first is not None and type(first.value) is list:
        node = first
    format = format_of(node.value)
    if format is None:
        return []
    if any(type(message) is dict and LANGCHAIN.identifies(message) for message in node.value):
        # A tracer may rewrite some of LangChain's messages to those of a provider.
        format = LANGCHAIN
    return list(read_turns(FoundConversation(node.tree, node.path, node.value, format)))


_ANSWERS: tuple[Path, ...] = (
    ("choices", 0, "message"),
    ("generations", 0, 0, "message"),
    ("generations", 0, "message"),
    ("candidates", 0, "content"),
    ("output", "message"),
    ("message",),
)
"""Where the one answer of a model is in what it gave: in OpenAI's form, LangChain's, Gemini's, Bedrock's and Ollama's."""


def read_answer(node: Node | None) -> list[Turn]:
    """What a model gave: a message, a list of them, or a provider's response around it. Of several choices, the first."""
    node = decoded(node)
    if node is None:
        return []
    if type(node.value) is list:
        calls = _sdk_calls(node)
        return [calls] if calls is not None else _messages(node)
    if type(node.value) is not dict:
        return []
    for path in _ANSWERS:
        held = node.find(*path)
        if held is not None and type(held.value) is dict:
            turns = _message(held)
            around = node.find(*path[:-1])
            if around is not None and type(around.value) is dict and is_cut_off(around.value):
                for turn in turns:
                    turn.ended = _was_cut_off
            return turns
    items = node.get("output")
    if items is not None and type(items.value) is list:
        return _messages(items)
    held = node.get("content")
    if held is not None and type(held.value) is dict:
        return _message(held)
    return _message(node)


def _was_cut_off(turn: Turn) -> bool:
    return True


def _message(node: Node) -> list[Turn]:
    format = format_among([node.value])
    turn = None if format is None else format.read(node.tree, node.path, node.value)
    return [] if turn is None else [turn]


_SDK_CALL = CallShape(("toolCallId",), ("toolName",), ("input",), JSON_TEXT)
_SDK_OLD_CALL = CallShape(("toolCallId",), ("toolName",), ("args",), JSON_TEXT)
_SDK_CONTRACT = Contract(adjacent=False)


def _sdk_calls(node: Node) -> Turn | None:
    """The calls of the Vercel AI SDK, `[{toolCallId, toolName, input}]`, as one turn."""
    calls = [
        call
        for item in node.elements()
        if type(item.value) is dict and "toolCallId" in item.value
        for call in read_call(item.tree, item.path, item.value, _SDK_CALL if "input" in item.value else _SDK_OLD_CALL)
    ]
    return Turn(node.tree, node.path, ASSISTANT, None, _SDK_CONTRACT, calls) if calls else None


_TOOL_LISTS: tuple[Path, ...] = (
    ("tools",),
    ("functions",),
    ("config", "tools"),
    ("toolConfig", "tools"),
    ("tool_config", "tools"),
    ("kwargs", "tools"),
    ("invocation_params", "tools"),
    ("invocation_params", "functions"),
)
"""Where a request, or what is said of it, has the definitions that were sent."""


def find_tools(*nodes: Node | None) -> Node | None:
    """The first list of definitions that any of some values holds, each an object or the JSON text of one."""
    for node in map(decoded, nodes):
        for path in _TOOL_LISTS if node is not None and type(node.value) is dict else ():
            tools = as_tools(None if node is None else node.find(*path))
            if tools is not None:
                return tools
    return None


def as_tools(node: Node | None) -> Node | None:
    """A value as a list of definitions, if it is one and not empty; any of them may be JSON text."""
    node = decoded(node)
    if node is None or type(node.value) is not list or not node.value:
        return None
    if all(type(item) is dict for item in node.value):
        return node
    items = [item for item in map(decoded, node.elements()) if item is not None and type(item.value) is dict]
    return joined(node, items) if items else None


def pydantic_ai_tools(given: Node | None) -> Node | None:
    """The tools in Pydantic AI's `model_request_parameters`, those of the output among them."""
    if given is None or type(given.value) is not dict:
        return None
    found = [
        function_of(item, "parameters_json_schema")
        for key in ("function_tools", "output_tools")
        for item in objects_at(given, key)
    ]
    return joined(given, found) if found else None


def function_of(item: Node, schema: str) -> Node:
    """A function of OpenAI's form: the name and the description of an object, and the schema, or its JSON text, under a key."""
    parts: dict[Path, Node] = {}
    value: dict[str, Any] = {"type": "function"}
    for name, node in (
        ("name", item.get("name")),
        ("description", item.get("description")),
        ("parameters", decoded(item.get(schema))),
    ):
        if node is not None:
            value[name] = node.value
            parts[(name,)] = node
    return ComposedTree(item.tree, value, parts).root


def start_of(value: dict[str, Any], *keys: str) -> str:
    """When something began, as a text that sorts; empty if it does not say."""
    for key in keys:
        start = value.get(key)
        if type(start) in (str, int, float):
            text = str(start)
            return text.rjust(24, "0") if text.isdigit() else text
    return ""


def objects_at(node: Node, key: str) -> Iterator[Node]:
    """The objects in the list under a key."""
    return (item for item in node.elements(key) if type(item.value) is dict)
