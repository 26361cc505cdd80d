"""Harn registry entries: `{name, description, parameters, executor, annotations, ...}`.

Source: the Harn specification of tool surface validation; semantics 1.3 and 3.4 of Harn.
"""

from __future__ import annotations

from typing import Any

from toolsurface_lint.model.tool import Tool
from toolsurface_lint.readers.annotations import SPECIFIED
from toolsurface_lint.readers.tool_format import ToolFormat, set_annotations, set_schema, start_tool
from toolsurface_lint.source.tree import Node

_TAKES = frozenset({"schema", "annotations", "executor", "description"})
_MARKS = ("executor", "handler", "host_capability", "mcp_server", "_mcp_server")


def _recognises(item: dict[str, Any]) -> bool:
    # Asked after the providers' own shapes and before MCP's: Harn serves MCP tools under its own annotations.
    if any(mark in item for mark in _MARKS):
        return True
    annotations = item.get("annotations")
    return isinstance(annotations, dict) and not SPECIFIED.isdisjoint(annotations)


def read_entry(node: Node, *, specified: bool = False) -> Tool | None:
    """A registry entry; a name that is a number or another scalar is turned into text, as Harn does.

    `specified`: `parameters` alone is a schema; otherwise MCP's `inputSchema` counts as one too, as files have it.
    """
    name = node.get("name")
    if name is not None and not isinstance(name.value, str):
        name = Node(name.tree, name.path, _text(name.value))
    tool = start_tool(node, name, "harn", _TAKES)
    if tool is None:
        return None
    set_schema(tool, node.get("parameters") or (None if specified else node.get("inputSchema")))
    set_annotations(tool, node.get("annotations"))
    tool.executor = (
        isinstance(node.value.get("executor"), str)
        or callable(node.value.get("handler"))
        or isinstance(node.value.get("_mcp_server"), str)
    )
    tool.deferred = node.value.get("defer_loading") is True
    return tool


def _text(value: Any) -> str:
    if value is None or isinstance(value, dict | list):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


FORMAT = ToolFormat("harn", 45, _recognises, read_all=read_entry)
