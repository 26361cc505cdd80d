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


def read_arguments(tool: Tool, node: Node) -> None:
    """Take the parameters of a tool from its arguments, if it has any: those that have a name."""
    named = (argument.value for argument in node.elements("arguments") if argument.string("name") is not None)
    tool.parameters = tuple(map(_parameter, named))
    tool.known_keys = tuple(taken.name for taken in tool.parameters)


def _finish(tool: Tool, node: Node) -> None:
    read_arguments(tool, node)
    set_annotations(tool, node.get("annotations"), hints_only=True)


def _parameter(argument: dict[str, Any]) -> Parameter:
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
