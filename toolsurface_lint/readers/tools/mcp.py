"""Model Context Protocol tools: `{name, title, description, inputSchema, outputSchema, annotations}`.

Source: the Model Context Protocol's schema, Tool and ToolAnnotations, every published version.
"""

from __future__ import annotations

from typing import Any

from toolsurface_lint.knowledge import words
from toolsurface_lint.model.effects import MCP_HINTS
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.readers.tool_format import ToolFormat
from toolsurface_lint.source.tree import Node


def _recognises(item: dict[str, Any]) -> bool:
    annotations = item.get("annotations")
    hinted = isinstance(annotations, dict) and not MCP_HINTS.isdisjoint(annotations)
    return "inputSchema" in item or (hinted and "parameters" not in item)


_KEYS = words("name title description inputSchema outputSchema annotations icons execution _meta defer_loading")


def _finish(tool: Tool, node: Node) -> None:
    output = node.get("outputSchema")
    if output is not None and output.value is not None:
        tool.output_path = output.path
    # Fields of the author's own are for the program that chooses from such a list.
    tool.optional = not _KEYS.issuperset(node.value)


FORMAT = ToolFormat(
    "mcp",
    50,
    _recognises,
    frozenset({"schema", "description", "hints"}),
    schemas=(("inputSchema",),),
    # Catalogues list tools with their hints alone: the served definition, which has the schema, is elsewhere.
    schema_required=False,
    annotations=True,
    hints_only=True,
    finish=_finish,
)
