"""OpenAI function tools: nested in `function` in the chat API, flat beside `type: "function"` in the responses API.

Source: OpenAI API reference, "Create chat completion" and "Create a model response", `tools`.
"""

from __future__ import annotations

from typing import Any

from toolsurface_lint.model.tool import Tool
from toolsurface_lint.readers.tool_format import ToolFormat, set_annotations, set_deferred, set_schema, start_tool
from toolsurface_lint.source.tree import Node

_TAKES = frozenset({"schema", "description"})


def _recognises(item: dict[str, Any]) -> bool:
    function = item.get("function")
    if isinstance(function, dict):
        return item.get("type", "function") == "function" and isinstance(function.get("name"), str)
    return item.get("type") == "function" and isinstance(item.get("name"), str)


def _read(node: Node) -> Tool | None:
    function = node.get("function") or node
    tool = start_tool(function, function.get("name"), "openai", _TAKES)
    if tool is None:
        return None
    tool.path = node.path
    set_schema(tool, function.get("parameters") or function.get("input_schema"))
    set_annotations(tool, node.get("annotations") or function.get("annotations"))
    set_deferred(tool, node, function)
    return tool


FORMAT = ToolFormat("openai", 10, _recognises, _read)
