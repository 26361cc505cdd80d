"""Gemini function declarations: `{name, description, parameters}` with upper-case types, or `parametersJsonSchema`.

The group `{functionDeclarations: [...]}` that holds them is unpacked by the reader of tool lists.
Source: Gemini API reference, FunctionDeclaration and Schema.
"""

from __future__ import annotations

from typing import Any

from toolsurface_lint.model.tool import Tool
from toolsurface_lint.readers.tool_format import ToolFormat, set_schema, start_tool
from toolsurface_lint.source.tree import Node

_TAKES = frozenset({"schema", "description"})
_SCHEMAS = ("parametersJsonSchema", "parameters_json_schema", "parameters")


def _recognises(item: dict[str, Any]) -> bool:
    if not isinstance(item.get("name"), str):
        return False
    if "parametersJsonSchema" in item or "parameters_json_schema" in item:
        return True
    parameters = item.get("parameters")
    return isinstance(parameters, dict) and parameters.get("type") == "OBJECT"


def _read(node: Node) -> Tool | None:
    tool = start_tool(node, node.get("name"), "gemini", _TAKES)
    if tool is None:
        return None
    for key in _SCHEMAS:
        schema = node.get(key)
        if schema is not None:
            set_schema(tool, schema)
            return tool
    # A function without parameters declares none; the API has no other way to say so.
    tool.declarable = tool.declarable - {"schema"}
    return tool


FORMAT = ToolFormat("gemini", 30, _recognises, _read)
