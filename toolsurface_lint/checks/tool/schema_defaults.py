"""Defaults that break their own schema."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks._schema_words import PREDICATES, choice, spelled, spelled_path
from toolsurface_lint.checks.contract import SCHEMA, TOOL_LISTS, check
from toolsurface_lint.checks.tool._tool_schema import ToolSchema, field_of, parameter_of, schema_of, spoken
from toolsurface_lint.model.diagnostics import INFO, UNSAFE, WARNING, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool, remembered
from toolsurface_lint.schemas.dialects import types_of
from toolsurface_lint.schemas.references import objects
from toolsurface_lint.schemas.walk import Subschema
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Path

DEFAULT_INVALID = Rule(
    code="TOOL_SCHEMA_DEFAULT_INVALID",
    since="0.1.0",
    severity=WARNING,
    summary="A default breaks its own schema.",
    message={kind: f"{{where}} {text}" for kind, text in PREDICATES.items()},
    tags=("tools", "schemas"),
    fix=UNSAFE,
)


NULL_DEFAULT = Rule(
    code="TOOL_SCHEMA_NULL_DEFAULT",
    since="0.1.0",
    severity=INFO,
    summary="A default is null, and the type excludes null.",
    message={
        "one": "the default of `{parameter}` is null, which its type excludes",
        "two": "the default of `{parameter}` is null, which its type excludes, and so is 1 more in this list",
        "many": "the default of `{parameter}` is null, which its type excludes, and so are {count} more in this list",
    },
    help="leave the default out, or allow null in the type",
    tags=("tools", "schemas"),
)


_SILENT = frozenset(("default", "description", "title", "examples"))
"""Keywords that say nothing of what a value may be."""
_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}


@check(SCHEMA, DEFAULT_INVALID)
def check_defaults(schema: ToolSchema, target: Target) -> Iterator[Finding]:
    parts = []
    for part in schema.having("default"):
        keys, default = part.schema, part.schema["default"]
        # Most are of the type that is all that their schema says.
        plain = keys.get("type") == _TYPES.get(type(default)) and keys.keys() - _SILENT == {"type"}
        if not (plain or part.negated or default is None):
            parts.append(part)
    for part, errors in _wrong_defaults(schema, parts):
        default = part.schema["default"]
        inside = spelled_path(errors[0].at)
        what = f"the default of {spoken(part)}"
        place = schema.place((*part.path, "default"))
        yield DEFAULT_INVALID.of(
            spelled(errors[0]),
            schema.place((*part.path, "default", *errors[0].at)),
            tool=schema.tool.name,
            field=field_of(part),
            where=f"`{inside}` in {what}" if inside else what,
            fix=choice(place, default, part.schema.get("enum")),
        )


@check(TOOL_LISTS, NULL_DEFAULT)
def check_lists(lists: list[list[Tool]], target: Target) -> Iterator[Finding]:
    """Null defaults, once for a tool list: servers that have one have it everywhere."""
    for tools in lists:
        found = [
            (schema, part)
            for tool in tools
            if _has_null_default(tool) and (schema := schema_of(tool)) is not None
            for part in _excluding_null(schema)
        ]
        if found:
            schema, part = found[0]
            yield schema.finding(
                NULL_DEFAULT,
                part,
                ("default",),
                {1: "one", 2: "two"}.get(len(found), "many"),
                parameter=parameter_of(part) or str(part.path[-1] if part.path else "parameters"),
                count=len(found) - 1,
            )


@remembered
def _has_null_default(tool: Tool) -> bool:
    """Whether a null default is anywhere in a schema: cheaper to ask than to walk every schema again."""
    schema = schema_of(tool)
    return schema is not None and any("default" in part and part["default"] is None for part in objects(schema.value))


def _excluding_null(schema: ToolSchema) -> list[Subschema]:
    """The subschemas whose default is null, and that exclude null."""
    nulls, unclear = [], []
    for part in schema.subschemas:
        keys = part.schema
        if keys.get("default", ...) is None and not part.negated and keys.get("nullable") is not True:
            options = keys.get("anyOf")
            if isinstance(keys.get("type"), str):
                nulls += [part] if types_of(keys) not in (None, ("null",)) else []
            # Most are unions with null, as servers write them.
            elif not (isinstance(options, list) and {"type": "null"} in options and keys.keys() - _SILENT == {"anyOf"}):
                nulls.append(part)
                unclear.append(part)
    right = {id(part) for part in unclear} - {id(part) for part, _ in _wrong_defaults(schema, unclear)}
    return [part for part in nulls if id(part) not in right]


def _wrong_defaults(schema: ToolSchema, parts: list[Subschema]) -> Iterator[tuple[Subschema, list[Problem[Path]]]]:
    """The subschemas whose default breaks them, and how; none in a schema that is not valid."""
    if not parts:
        return
    from toolsurface_lint.schemas.validation import SchemaValidator, schema_errors

    validator = SchemaValidator(schema.value)
    wrong = [(part, errors) for part in parts if (errors := validator.errors(part.schema["default"], part.schema))]
    if wrong and not schema_errors(schema.value):
        yield from wrong
