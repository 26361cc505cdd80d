"""Plain functions: `{name, description, parameters}`, the shape that many files share and no provider owns."""

from __future__ import annotations

from typing import Any

from toolsurface_lint.model.tool import Tool
from toolsurface_lint.readers.tool_format import ToolFormat, set_annotations, set_deferred, set_schema, start_tool
from toolsurface_lint.source.tree import Node

_TAKES = frozenset({"schema", "description"})


def _recognises(item: dict[str, Any]) -> bool:
    return isinstance(item.get("name"), str) and isinstance(item.get("parameters"), dict)


def _read(node: Node) -> Tool | None:
    tool = start_tool(node, node.get("name"), "function", _TAKES)
    if tool is None:
        return None
    set_schema(tool, node.get("parameters"))
    set_annotations(tool, node.get("annotations"))
    set_deferred(tool, node)
    return tool


FORMAT = ToolFormat("function", 80, _recognises, _read)
