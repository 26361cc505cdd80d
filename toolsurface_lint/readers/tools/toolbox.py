"""Tools of a database server: `{kind, source, description, parameters: [{name, type, description}]}`, keyed by name.

Source: the MCP Toolbox for Databases, `tools.yaml`; other servers of statements write theirs in the same way.
"""

from __future__ import annotations

from typing import Any

from toolsurface_lint.model.tool import Parameter, Tool
from toolsurface_lint.readers.tool_format import ToolFormat
from toolsurface_lint.source.tree import Node

_LISTS = ("parameters", "templateParameters")
_SAYS_HOW = ("kind", "type", "statement")


def _recognises(item: dict[str, Any]) -> bool:
    return (
        isinstance(item.get("description"), str)
        and isinstance(item.get("source"), str)
        and any(isinstance(item.get(key), str) for key in _SAYS_HOW)
        and all(_is_list(item[key]) for key in _LISTS if key in item)
    )


def _is_list(value: Any) -> bool:
    return value is None or (
        isinstance(value, list) and all(isinstance(each, dict) and isinstance(each.get("name"), str) for each in value)
    )


def _finish(tool: Tool, node: Node) -> None:
    # The list decides that this is a tool of such a server: its own parameters may be written in another way.
    written = [each.value for key in _LISTS for each in node.elements(key) if each.string("name") is not None]
    # What the server takes from who is logged in is not shown to the model.
    tool.parameters = tuple(_parameter(each) for each in written if not each.get("authServices"))
    tool.known_keys = tuple(found.name for found in tool.parameters)


def _parameter(written: dict[str, Any]) -> Parameter:
    kind, allowed = written.get("type"), written.get("allowedValues")
    return Parameter(
        written["name"],
        written.get("required") is not False and "default" not in written,
        {"float": "number", "map": "object"}.get(kind, kind) if isinstance(kind, str) else None,
        tuple(allowed) if isinstance(allowed, list) and all(isinstance(each, str) for each in allowed) else (),
    )


FORMAT = ToolFormat("toolbox", 59, _recognises, frozenset({"description"}), finish=_finish)
