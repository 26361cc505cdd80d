"""Model Context Protocol tools: `{name, title, description, inputSchema, outputSchema, annotations}`.

Source: the Model Context Protocol's schema, Tool and ToolAnnotations, every published version.
"""

from __future__ import annotations

from typing import Any

from toolsurface_lint.model.tool import Tool
from toolsurface_lint.readers.annotations import HINTS
from toolsurface_lint.readers.tool_format import ToolFormat, set_annotations, set_deferred, set_schema, start_tool
from toolsurface_lint.source.tree import Node

_TAKES = frozenset({"schema", "description", "hints"})


def _recognises(item: dict[str, Any]) -> bool:
    if not isinstance(item.get("name"), str):
        # A snapshot of one tool may leave the name out where its file carries it; without a name there is no tool.
        return False
    if "inputSchema" in item:
        return True
    annotations = item.get("annotations")
    return isinstance(annotations, dict) and any(hint in annotations for hint in HINTS) and "parameters" not in item


def _read(node: Node) -> Tool | None:
    tool = start_tool(node, node.get("name"), "mcp", _TAKES)
    if tool is None:
        return None
    set_schema(tool, node.get("inputSchema"))
    if tool.schema_path is None:
        # Catalogues list tools with their hints alone: the served definition, which has the schema, is elsewhere.
        tool.declarable = tool.declarable - {"schema"}
    set_annotations(tool, node.get("annotations"), hints_only=True)
    set_deferred(tool, node)
    return tool


FORMAT = ToolFormat("mcp", 50, _recognises, _read)
