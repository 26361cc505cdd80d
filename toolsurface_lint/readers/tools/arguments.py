"""Tools with a list of arguments: `{name, description, arguments: [{name, type, desc}]}`, as MCP catalogues write them."""

from __future__ import annotations

from typing import Any

from toolsurface_lint.model.tool import Parameter, Tool
from toolsurface_lint.readers.tool_format import ToolFormat, set_annotations
from toolsurface_lint.source.tree import Node


def _recognises(item: dict[str, Any]) -> bool:
    arguments = item.get("arguments")
    return (
        isinstance(arguments, list)
        and "description" in item
        and all(isinstance(argument, dict) and isinstance(argument.get("name"), str) for argument in arguments)
    )


def _finish(tool: Tool, node: Node) -> None:
    tool.parameters = tuple(parameter(argument) for argument in node.value["arguments"])
    tool.known_keys = tuple(taken.name for taken in tool.parameters)
    set_annotations(tool, node.get("annotations"), hints_only=True)


def parameter(argument: dict[str, Any]) -> Parameter:
    """A parameter of an entry of such a list."""
    kind = argument.get("type")
    enum = argument.get("enum")
    required = argument.get("required") is True or (argument.get("optional") is False)
    return Parameter(
        argument["name"],
        required,
        kind if isinstance(kind, str) else None,
        tuple(enum) if isinstance(enum, list) else (),
    )


FORMAT = ToolFormat("arguments", 60, _recognises, frozenset({"description", "hints"}), finish=_finish)
