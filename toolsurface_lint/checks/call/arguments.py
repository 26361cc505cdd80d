"""The arguments of a call against the tool's parameter schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from json import JSONDecodeError, loads
from typing import Any

from toolsurface_lint.checks.contract import CALL, check
from toolsurface_lint.model.diagnostics import ERROR, Finding, Rule
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.transcript import FREE, OBJECT, UNREADABLE, Call
from toolsurface_lint.schemas.arguments import ArgumentSchema, argument_schema
from toolsurface_lint.schemas.validation import SchemaError
from toolsurface_lint.source.tree import Path, Place

NOT_JSON = Rule(
    code="CALL_ARGUMENTS_NOT_JSON",
    since="0.1.0",
    severity=ERROR,
    summary="The arguments of a call are no JSON object.",
    message="the arguments of the call of `{name}` are no JSON object: {problem}",
    tags=("calls",),
)

INVALID = Rule(
    code="CALL_INVALID_ARGUMENTS",
    since="0.1.0",
    severity=ERROR,
    summary="An argument of a call breaks the tool's schema.",
    message="the call of `{name}` breaks its schema: {problem}",
    tags=("calls",),
)


@check(CALL, NOT_JSON, INVALID)
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
            tool=tool.name,
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
