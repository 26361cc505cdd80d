"""Schemas of tools that are not valid JSON Schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolsurface_lint.checks._schema_words import spelled
from toolsurface_lint.checks.contract import OUTPUT_SCHEMA, SCHEMA, check
from toolsurface_lint.checks.tool._tool_schema import ToolSchema
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, Finding, Fix, Rule, renaming
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.schemas.dialects import right_type, same_type
from toolsurface_lint.schemas.patterns import mistake
from toolsurface_lint.schemas.plain import is_plainly_valid
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Path, Place

RULE = Rule(
    code="TOOL_SCHEMA_INVALID",
    since="0.1.0",
    severity=ERROR,
    summary="A schema is not valid JSON Schema in its dialect.",
    message={
        "type": "`{type}` is not a JSON Schema type",
        "type/shape": "`type` must be the name of a type, not {value}",
        "type/empty": "`type` must name at least one type",
        "repeated": "`{key}` names {value} twice",
        "empty": "`{key}` must not be empty",
        "minimum": "`{key}` must be at least `0`, not {value}",
        "exclusiveMinimum": "`{key}` must be more than `0`, not {value}",
        "shape": "`{key}` must have another shape, not {value}",
        "shape/root": "the schema must be an object, not {value}",
        "shape/schema": "`{key}` must be a schema, not {value}",
        "shape/type": "`{key}` must be {types}, not {value}",
        "other": "`{key}` must not be {value}",
        "pattern": "`{pattern}` is not a regular expression: {reason}",
    },
    tags=("tools", "schemas"),
    fix=UNSAFE,
)


@check(SCHEMA, RULE)
@check(OUTPUT_SCHEMA, RULE)
def check_schema(schema: ToolSchema, target: Target) -> Iterator[Finding]:
    tool = schema.tool
    if isinstance(schema.value, dict | bool):
        yield from _schema(tool, schema.value, schema.path, schema.field)
        for part in schema.having("pattern"):
            pattern = part.schema["pattern"]
            path = (*part.path, "pattern")
            reason = mistake(pattern) if isinstance(pattern, str) else None
            if reason is not None:
                field = ".".join([schema.field, *_names(path)])
                place = schema.place(path)
                yield RULE.at(place, "pattern", tool=tool.name, field=field, pattern=pattern, reason=reason)


def _schema(tool: Tool, value: Any, path: Path, field: str) -> Iterator[Finding]:
    if is_plainly_valid(value):
        return
    from toolsurface_lint.schemas.validation import schema_errors

    for problem in schema_errors(value):
        place = Place(tool.tree, path + problem.at)
        yield RULE.of(
            spelled(problem),
            place,
            tool=tool.name,
            field=".".join([field, *_names(problem.at)]),
            help=_help(problem, value),
            fix=_renaming(place, problem, value),
        )


def _renaming(place: Place, problem: Problem[Path], schema: Any) -> Fix | None:
    """The fix for a type by another name. Unsafe: a host that translates types itself may ask for that name."""
    written = place.reads()
    right = same_type(written) if problem.kind == "type" and written is not None else None
    if right is None or written is None:
        return None
    steps = problem.at[:-2] if isinstance(problem.at[-1], int) else problem.at[:-1]
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


def _help(problem: Problem[Path], schema: Any) -> str | None:
    keyword = problem.at[-1] if problem.at else None
    if problem.kind == "type":
        name = str(problem.values["type"])
        right = right_type(name)
        if name.lower() == "any":
            return "leave `type` out: without it any value is allowed"
        return f"use `{right}`" if right else None
    if problem.code != "shape":
        return None
    value = _at(schema, problem.at)
    if keyword == "required" and isinstance(value, bool):
        return "list the name in `required` of the object that has this property" if value else "leave it out"
    if keyword == "items" and isinstance(value, list):
        return "write `prefixItems`, which has held schemas by position since 2020-12"
    if keyword in ("exclusiveMinimum", "exclusiveMaximum") and isinstance(value, bool):
        return "write the bound itself, as since draft-06"
    if isinstance(value, str) and right_type(value) == value:
        return f'write `{{"type": "{value}"}}`'
    return None


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value
