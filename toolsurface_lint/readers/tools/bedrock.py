"""Amazon Bedrock tools: `{toolSpec: {name, description, inputSchema: {json: {...}}}}`.

Source: Amazon Bedrock API reference, ToolSpecification and ToolInputSchema.
"""

from __future__ import annotations

from typing import Any

from toolsurface_lint.model.tool import Tool
from toolsurface_lint.readers.tool_format import ToolFormat, set_schema, start_tool
from toolsurface_lint.source.tree import Node

_TAKES = frozenset({"schema", "description"})


def _recognises(item: dict[str, Any]) -> bool:
    specification = item.get("toolSpec")
    return isinstance(specification, dict) and isinstance(specification.get("name"), str)


def _read(node: Node) -> Tool | None:
    specification = node.get("toolSpec") or node
    tool = start_tool(specification, specification.get("name"), "bedrock", _TAKES)
    if tool is None:
        return None
    tool.path = node.path
    schema = specification.get("inputSchema")
    set_schema(tool, None if schema is None else schema.get("json") or schema)
    return tool


FORMAT = ToolFormat("bedrock", 20, _recognises, _read)
