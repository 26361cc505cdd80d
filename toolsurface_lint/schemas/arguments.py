"""What a tool asks of the arguments of a call, whichever way it declares them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Parameter, Tool
from toolsurface_lint.model.transcript import UNREADABLE, Call, called_tools
from toolsurface_lint.schemas.dialects import PYTHON_TYPES, TYPES
from toolsurface_lint.schemas.validation import SchemaValidator
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Node, Path, Place


class ArgumentSchema:
    """What a tool asks of its arguments, ready to check many calls.

    Aliases are read as the names that they replace; schemas with the types of Gemini or Python, and parameters that
    are not JSON Schema, are put into JSON Schema first.
    """

    __slots__ = ("_tool", "_validator", "_written", "accepts", "aliases")

    def __init__(self, tool: Tool, schema: dict[str, Any], written: bool, aliases: dict[str, str]) -> None:
        self._tool = tool
        self._written = written
        self._validator = SchemaValidator(schema)
        self.aliases = aliases
        self.accepts = self._validator.accept
        """Accepts arguments that are right; refuses all others and some that are right. None if it cannot be had."""

    def errors(self, value: dict[str, Any]) -> list[Problem[Path]]:
        if self.aliases and not self.aliases.keys().isdisjoint(value):
            value = {self._canonical(key, value): member for key, member in value.items()}
        return self._validator.errors(value)

    def _canonical(self, key: str, value: dict[str, Any]) -> str:
        canonical = self.aliases.get(key)
        return key if canonical is None or canonical in value else canonical

    def written(self, path: Path, value: Any) -> Path:
        """The path in the arguments as they were written."""
        if path and self.aliases and isinstance(value, dict) and path[0] not in value:
            for key in value:
                if self._canonical(key, value) == path[0]:
                    return (key, *path[1:])
        return path

    def place(self, schema_path: Path) -> Place:
        """The place in the tool's definition that a path in the schema means."""
        if not self._written or self._tool.schema_path is None:
            return self._tool.name_place
        return Place(self._tool.tree, self._tool.schema_path + schema_path)


_schemas: WeakKeyDictionary[Surface, dict[int, ArgumentSchema | None]] = WeakKeyDictionary()


def argument_schema(tool: Tool, surface: Surface) -> ArgumentSchema | None:
    """What a tool of a surface asks of its arguments; None if nothing says."""
    of_surface = _schemas.setdefault(surface, {})
    key = id(tool)
    if key not in of_surface:
        of_surface[key] = _argument_schema(tool, surface)
    return of_surface[key]


def keep_schema(tool: Tool, surface: Surface, schema: ArgumentSchema | None) -> None:
    """Say what `argument_schema` has to give, where it is known from another surface."""
    _schemas.setdefault(surface, {})[id(tool)] = schema


def meant_tool(call: Call, surface: Surface) -> Tool | None:
    """The declared tool that a call means: of several with its name, the first that takes its arguments."""
    return fitting_tool(call, called_tools(call.name, surface.by_name), surface)


def fitting_tool(call: Call, tools: Sequence[Tool], surface: Surface) -> Tool | None:
    """Of several tools of one name, the first that takes the arguments of a call; None if there are none."""
    if len(tools) > 1 and call.value is not UNREADABLE:
        for tool in tools:
            schema = argument_schema(tool, surface)
            if schema is None or not schema.errors(call.value):
                return tool
    return tools[0] if tools else None


def _argument_schema(tool: Tool, surface: Surface) -> ArgumentSchema | None:
    annotations = surface.annotations(tool)
    aliases = {} if annotations is None else annotations.aliases
    schema = read_schema(tool)
    return None if schema is None else ArgumentSchema(tool, schema, _is_written(tool), aliases)


def read_schema(tool: Tool) -> dict[str, Any] | None:
    """The schema of a tool's arguments as JSON Schema, whatever it is written in; None if nothing says what it takes."""
    if _is_written(tool):
        node = tool.schema
        assert node is not None
        standard: dict[str, Any] = _standard(node.value)
        return standard
    return _from_parameters(tool.parameters) if tool.parameters else None


def _is_written(tool: Tool) -> bool:
    """Whether the paths of what `read_schema` gives are those of the tool's own schema."""
    node = tool.schema
    return node is not None and _is_json_schema(node)


def _is_json_schema(node: Node) -> bool:
    schema = node.value
    return isinstance(schema, dict) and (
        isinstance(schema.get("properties"), dict) or isinstance(schema.get("type"), str) or "$ref" in schema
    )


def _from_parameters(parameters: tuple[Parameter, ...]) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for parameter in parameters:
        schema: dict[str, Any] = {}
        if parameter.type is not None:
            schema["type"] = parameter.type.split("|")
        if parameter.enum:
            schema["enum"] = list(parameter.enum)
        properties[parameter.name] = _standard(schema)
    required = [parameter.name for parameter in parameters if parameter.required]
    return {"type": "object", "properties": properties, "required": required}


def _standard(schema: Any) -> Any:
    """A copy of a schema with the types of JSON Schema, whatever the dialect calls them; an unknown type says nothing."""
    if isinstance(schema, list):
        return [_standard(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    copy: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "type" and isinstance(value, str | list):
            names = [_type(name) for name in ([value] if isinstance(value, str) else value)]
            if all(name is not None for name in names) and names:
                copy[key] = names if isinstance(value, list) else names[0]
        elif key in ("enum", "const", "default", "examples", "required"):
            copy[key] = value
        elif key == "properties" and isinstance(value, dict):
            copy[key] = {name: _standard(member) for name, member in value.items()}
        else:
            copy[key] = _standard(value)
    if schema.get("nullable") is True and isinstance(copy.get("type"), str):
        copy["type"] = [copy["type"], "null"]
        if isinstance(copy.get("enum"), list):
            copy["enum"] = [*copy["enum"], None]
    return copy


def _type(name: Any) -> str | None:
    if not isinstance(name, str):
        return None
    lower = name.lower()
    return lower if lower in TYPES else PYTHON_TYPES.get(lower)
