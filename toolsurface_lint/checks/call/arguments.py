"""The arguments of a call against the tool's parameter schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from json import JSONDecodeError, loads
from typing import Any
from weakref import WeakKeyDictionary

from toolsurface_lint.diagnostics import ERROR, Finding, Rule
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Parameter, Tool
from toolsurface_lint.model.transcript import FREE, OBJECT, UNREADABLE, Call, called_tools
from toolsurface_lint.schemas.accept import compile_acceptor
from toolsurface_lint.schemas.dialects import PYTHON_TYPES, TYPES
from toolsurface_lint.schemas.validation import SchemaError, SchemaValidator
from toolsurface_lint.source.tree import Node, Path, Place

NOT_JSON = Rule(
    code="CALL_ARGUMENTS_NOT_JSON",
    severity=ERROR,
    summary="The arguments of a call are no JSON object.",
    message="the arguments of the call of `{name}` are no JSON object: {problem}",
    tags=("calls",),
)

INVALID = Rule(
    code="CALL_INVALID_ARGUMENTS",
    severity=ERROR,
    summary="An argument of a call breaks the tool's schema.",
    message="the call of `{name}` breaks its schema: {problem}",
    tags=("calls",),
)

RULES = (NOT_JSON, INVALID)


def check_call(call: Call, tool: Tool | None, surface: Surface) -> Iterable[Finding]:
    value = call.value
    if value is UNREADABLE:
        return () if call.shape.encoding == FREE else (_not_json(call),)
    if tool is None:
        return ()
    schema = argument_schema(tool, surface)
    if schema is None:
        return ()
    errors = schema.errors(value)
    return _invalid(call, tool, schema, errors) if errors else ()


def _not_json(call: Call) -> Finding:
    place = call.at(call.shape.arguments)
    text = call.arguments
    if not isinstance(text, str) or call.shape.encoding == OBJECT:
        return NOT_JSON.at(place, tool=call.name, name=call.name, problem=f"this is {_described(text)}")
    try:
        value = loads(text)
    except JSONDecodeError as error:
        cut = error.msg.startswith("Unterminated string") or error.pos >= len(text.rstrip())
        problem = "the text ends before they are complete" if cut else error.msg[:1].lower() + error.msg[1:]
        position = max(len(text.rstrip()) - 1, 0) if cut else error.pos
        where = Place(call.tree, place.path, "text", position, position + 1)
        return NOT_JSON.at(where, tool=call.name, name=call.name, problem=problem)
    except (ValueError, RecursionError):
        return NOT_JSON.at(place, tool=call.name, name=call.name, problem="this is too deep or no JSON")
    return NOT_JSON.at(place, tool=call.name, name=call.name, problem=f"this is {_described(value)}")


def _described(value: Any) -> str:
    if isinstance(value, str):
        return "a string"
    if isinstance(value, list):
        return "an array"
    if isinstance(value, bool):
        return "a boolean"
    return "null" if value is None else "a number"


def _invalid(call: Call, tool: Tool, schema: ArgumentSchema, errors: list[SchemaError]) -> Iterator[Finding]:
    root = call.arguments_node
    for error in errors:
        path = schema.written(error.path, root.value)
        node = root.tree.at(root.path + path)
        place, problem = node.place, f"{_named(path)} {error.message}"
        if error.validator == "required" and error.subject is not None:
            problem = f"{_named((*path, error.subject))} is missing"
        elif error.validator == "additionalProperties" and error.subject is not None:
            member = node.get(error.subject)
            place = place if member is None else member.key_place
            problem = f"{_named((*path, error.subject))} is not declared"
        yield INVALID.at(
            place,
            tool=tool.text,
            field=".".join(map(str, path)) or None,
            related=[("the schema", schema.place(error.schema_path))],
            name=call.name,
            problem=problem,
        )


def _named(path: Path) -> str:
    if not path:
        return "the arguments"
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return f"`{text}`"


class ArgumentSchema:
    """What a tool asks of its arguments, ready to judge many calls.

    Aliases are read as the names that they stand for; schemas with the types of Gemini or Python, and parameters that
    are no JSON Schema, are put into JSON Schema first.
    """

    __slots__ = ("_tool", "_validator", "_written", "accepts", "aliases")

    def __init__(self, tool: Tool, schema: dict[str, Any], written: bool, aliases: dict[str, str]) -> None:
        self._tool = tool
        self._written = written
        self._validator = SchemaValidator(schema)
        self.aliases = aliases
        self.accepts = compile_acceptor(schema)
        """Accepts arguments that are right; refuses all others and some that are right. None if it cannot be had."""

    def errors(self, value: dict[str, Any]) -> list[SchemaError]:
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
    node = tool.schema
    if node is not None and _is_json_schema(node):
        return ArgumentSchema(tool, _standard(node.value), True, aliases)
    if tool.parameters:
        return ArgumentSchema(tool, _from_parameters(tool.parameters), False, aliases)
    return None


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
    """A copy of a schema with the types of JSON Schema, whatever the dialect calls them; a type that is none says nothing."""
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
