"""What a format of tool definitions is: a recogniser and a reader, registered by lying in `readers/tools/`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple

from toolsurface_lint.model.tool import Tool
from toolsurface_lint.readers.annotations import SPECIFIED, read_annotations
from toolsurface_lint.readers.schema import known_keys, parameters
from toolsurface_lint.source.modules import import_folder
from toolsurface_lint.source.tree import Node


class ToolFormat(NamedTuple):
    """One format of a single tool definition.

    `recognises` sees an object (a dict) and says whether it is one of this format; formats are asked by `order`, the
    most telling first. `read` makes a tool of its node, None if it has no usable name.
    """

    name: str
    order: int
    recognises: Callable[[dict[str, Any]], bool]
    read: Callable[[Node], Tool | None]


_formats: tuple[ToolFormat, ...] | None = None


def tool_formats() -> tuple[ToolFormat, ...]:
    """Every format, the most telling first."""
    global _formats
    if _formats is None:
        folder = os.path.join(os.path.dirname(__file__), "tools")
        modules = import_folder("toolsurface_lint.readers.tools", folder)
        _formats = tuple(sorted((module.FORMAT for module in modules), key=lambda format: format.order))
    return _formats


def named(name: str) -> ToolFormat:
    return next(format for format in tool_formats() if format.name == name)


def start_tool(node: Node, name: Node | None, format: str, declarable: frozenset[str]) -> Tool | None:
    """A tool of a definition with its name; None if the name is missing, empty or no text."""
    if name is None or not isinstance(name.value, str) or not name.value:
        return None
    tool = Tool(name, format, node.tree, node.path)
    tool.declarable = declarable
    tool.native = True
    description = node.get("description")
    if description is not None and isinstance(description.value, str):
        tool.description = description
    return tool


def set_schema(tool: Tool, schema: Node | None) -> None:
    """Note where the parameter schema stands and what it knows; present is enough, even null."""
    if schema is None:
        return
    tool.schema_path = schema.path
    tool.known_keys = known_keys(schema.value)
    tool.parameters = parameters(schema.value)


def set_annotations(tool: Tool, annotations: Node | None, *, hints_only: bool = False) -> None:
    """Read annotations; with `hints_only`, an object of MCP hints alone is not taken for the specification's."""
    if annotations is None:
        return
    if isinstance(annotations.value, dict):
        tool.hints = annotations
        if hints_only and SPECIFIED.isdisjoint(annotations.value):
            return
    elif hints_only:
        return
    tool.annotations, tool.problems = read_annotations(annotations)


def set_deferred(tool: Tool, *nodes: Node | None) -> None:
    """`defer_loading` of the first of the objects that has it as a bool."""
    for node in nodes:
        if node is not None and isinstance(node.value, dict) and isinstance(node.value.get("defer_loading"), bool):
            tool.deferred = node.value["defer_loading"]
            return
