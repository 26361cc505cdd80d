"""Parameter schemas that are no valid JSON Schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from toolsurface_lint.checks.contract import DEFINITION, TOOL_LISTS, check
from toolsurface_lint.checks.tool._tool_schema import PYTHON, ToolSchema, schema_of
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, Edit, Finding, Fix, Rule, renaming
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.schemas.dialects import PYTHON_TYPES, right_type, same_type
from toolsurface_lint.schemas.patterns import mistake
from toolsurface_lint.schemas.plain import is_plainly_valid
from toolsurface_lint.schemas.walk import subschemas
from toolsurface_lint.source.tree import Path, Place

if TYPE_CHECKING:
    from toolsurface_lint.schemas.validation import SchemaError

RULE = Rule(
    code="TOOL_SCHEMA_INVALID",
    since="0.1.0",
    severity=ERROR,
    summary="A schema is not valid JSON Schema in its dialect.",
    message="{problem}",
    tags=("tools", "schemas"),
    fix=UNSAFE,
)


@check(DEFINITION, RULE)
def check_definition(tool: Tool, target: Target) -> Iterator[Finding]:
    schema = schema_of(tool)
    if schema is not None and isinstance(schema.value, dict | bool):
        yield from _schema(tool, schema.value, schema.path, "parameters")
        for part in schema.subschemas:
            if "pattern" in part.schema:
                yield from _pattern(schema, (*part.path, "pattern"), part.schema["pattern"])
    if tool.format == "mcp":
        output = tool.definition.get("outputSchema")
        if output is not None and isinstance(output.value, dict):
            yield from _schema(tool, output.value, output.path, "outputSchema")


@check(TOOL_LISTS, RULE)
def check_lists(lists: list[list[Tool]], target: Target) -> Iterator[Finding]:
    """A file that is written with Python's type names throughout says so once, at the first of them."""
    found = [
        schema
        for tools in lists
        for tool in tools
        if (schema := schema_of(tool)) is not None and schema.style == PYTHON
    ]
    if not found:
        return
    names = sorted({name for schema in found for name in _python_types(schema.original)} - {"dict"})
    pairs = ", ".join(f"`{PYTHON_TYPES[name]}` for `{name}`" for name in ["dict", *names])
    others = "1 more tool uses" if len(found) == 2 else f"{len(found) - 1} more tools use"
    more = f"; {others} Python's type names in this file" if len(found) > 1 else ""
    first = found[0]
    yield RULE.at(
        first.place(("type",)),
        tool=first.tool.name,
        field="parameters",
        help=f"write {pairs}",
        problem=f"`dict` is no JSON Schema type{more}",
        fix=_translation(found),
    )


def _python_types(schema: Any) -> Iterator[str]:
    for part in subschemas(schema):
        stated = part.schema.get("type")
        if isinstance(stated, str) and stated in PYTHON_TYPES:
            yield stated


def _translation(schemas: list[ToolSchema]) -> Fix | None:
    """The fix that writes the types of JSON Schema in all schemas of a file; None if one says what they have no word for."""
    edits = []
    for schema in schemas:
        for part in subschemas(schema.original):
            stated = part.schema.get("type")
            if stated == "any":
                return None
            if isinstance(stated, str) and stated in PYTHON_TYPES:
                edits.append(Edit(schema.place((*part.path, "type")), PYTHON_TYPES[stated]))
    return Fix("replace Python's type names with those of JSON Schema", False, tuple(edits))


def _schema(tool: Tool, value: Any, path: Path, field: str) -> Iterator[Finding]:
    if is_plainly_valid(value):
        return
    from toolsurface_lint.schemas.validation import schema_errors

    for error in schema_errors(value):
        place = Place(tool.tree, path + error.path)
        yield RULE.at(
            place,
            tool=tool.name,
            field=".".join([field, *_names(error.path)]),
            help=_cure(error, value),
            problem=error.message,
            fix=_renaming(place, error, value),
        )


def _renaming(place: Place, error: SchemaError, schema: Any) -> Fix | None:
    """The fix for a type by another name. Unsafe: a host that translates types itself may ask for that name."""
    written = place.reads()
    right = same_type(written) if error.validator == "type" and written is not None else None
    if right is None or written is None:
        return None
    steps = error.path[:-2] if isinstance(error.path[-1], int) else error.path[:-1]
    # An array whose items nobody knows would be the next finding.
    if right == "array" and _ITEMS.isdisjoint(_at(schema, steps)):
        return None
    return renaming(place, written, (right,))


_ITEMS = frozenset(("items", "prefixItems"))


def _names(path: Path) -> Iterator[str]:
    """The properties on a path in a schema; a property may be called `properties` itself."""
    steps = iter(path)
    for step in steps:
        if step == "properties":
            name = next(steps, None)
            if name is not None:
                yield str(name)


def _cure(error: SchemaError, schema: Any) -> str | None:
    keyword = error.path[-1] if error.path else None
    if error.validator == "type":
        right = right_type(error.subject) if error.subject else None
        if error.subject is not None and error.subject.lower() == "any":
            return "leave `type` out: without it any value is allowed"
        return f"use `{right}`" if right else None
    if error.validator != "shape":
        return None
    value = _at(schema, error.path)
    if keyword == "required" and isinstance(value, bool):
        return "list the name in `required` of the object that has this property" if value else "leave it out"
    if keyword == "items" and isinstance(value, list):
        return "schemas by position are `prefixItems` since 2020-12"
    if keyword in ("exclusiveMinimum", "exclusiveMaximum") and isinstance(value, bool):
        return "since draft-06 it is the bound itself"
    if isinstance(value, str) and right_type(value) == value:
        return f'write `{{"type": "{value}"}}`'
    return None


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def _pattern(schema: ToolSchema, path: Path, pattern: Any) -> Iterator[Finding]:
    problem = mistake(pattern) if isinstance(pattern, str) else None
    if problem is not None:
        yield RULE.at(
            schema.place(path),
            tool=schema.tool.name,
            field=".".join(["parameters", *_names(path)]),
            problem=f"`{pattern}` is no regular expression: {problem}",
        )
