"""Plain functions: `{name, description, parameters}`, the shape that many files share and no provider owns."""

from __future__ import annotations

from typing import Any

from toolsurface_lint.model.tool import Tool
from toolsurface_lint.readers.tool_format import ToolFormat, forget_schema
from toolsurface_lint.source.tree import Node

_SCHEMA_KEYS = frozenset(("type", "properties", "required", "$ref", "$schema", "anyOf", "oneOf", "allOf"))


def _recognises(item: dict[str, Any]) -> bool:
    parameters = item.get("parameters")
    if not isinstance(parameters, dict):
        return False
    # Models, jobs and manifests have a name and parameters too, but theirs are values, or listed: what a definition has is
    # a schema, or one for each parameter.
    if isinstance(parameters.get("properties"), list):
        return False
    # Plugins of a gateway show people a description made of headings and texts.
    if isinstance(item.get("description"), list):
        return False
    return not _SCHEMA_KEYS.isdisjoint(parameters) or all(isinstance(value, dict) for value in parameters.values())


def _finish(tool: Tool, node: Node) -> None:
    properties = node.find("parameters", "properties")
    members = [] if properties is None else [member.value for _, member in properties.members()]
    if any(isinstance(member, dict) and "kind" in member and "type" not in member for member in members):
        # `kind: string`, `required: true`: Microsoft's AgentSchema 1.0 has words of its own, which are not JSON Schema.
        forget_schema(tool)


FORMAT = ToolFormat("function", 80, _recognises, schemas=(("parameters",),), annotations=True, finish=_finish)
