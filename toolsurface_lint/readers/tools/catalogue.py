"""Catalogue entries: a bare `{name, description}`, which only its neighbours or its file's name make a tool."""

from __future__ import annotations

from typing import Any

from toolsurface_lint.model.tool import Tool
from toolsurface_lint.readers.tool_format import ToolFormat, start_tool
from toolsurface_lint.source.tree import Node

_TAKES = frozenset({"description"})
_KEYS = frozenset({"name", "description", "title", "annotations", "tags", "enabled", "category"})


def _recognises(item: dict[str, Any]) -> bool:
    return isinstance(item.get("name"), str) and isinstance(item.get("description"), str) and _KEYS.issuperset(item)


def _read(node: Node) -> Tool | None:
    return start_tool(node, node.get("name"), "catalogue", _TAKES)


FORMAT = ToolFormat("catalogue", 90, _recognises, _read)
