"""Defaults that break their own schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolsurface_lint.checks._schema_words import PREDICATES, choice, spelled, spelled_path
from toolsurface_lint.checks.contract import SCHEMA, TOOL_LISTS, check
from toolsurface_lint.checks.tool._tool_schema import ToolSchema, field_of, parameter_of, schema_of, spoken
from toolsurface_lint.model.diagnostics import INFO, UNSAFE, WARNING, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.schemas.dialects import has_type, types_of
from toolsurface_lint.schemas.references import objects
from toolsurface_lint.schemas.walk import Subschema

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


@check(SCHEMA, DEFAULT_INVALID)
def check_defaults(schema: ToolSchema, target: Target) -> Iterator[Finding]:
    for part in schema.having("default"):
        default = part.schema["default"]
        if part.negated or default is None or _plainly_fits(part.schema, default):
            continue
        from toolsurface_lint.schemas.validation import schema_errors, validate

        errors = validate(part.schema, default, schema.value)
        if not errors or schema_errors(schema.value):
            continue
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
            if (schema := schema_of(tool)) is not None and _has_null_default(schema.value)
            for part in schema.subschemas
            if "default" in part.schema and part.schema["default"] is None and _excludes_null(schema, part)
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


def _has_null_default(value: Any) -> bool:
    """Whether a null default is anywhere in a value: cheaper to ask than to walk every schema again."""
    return any("default" in part and part["default"] is None for part in objects(value))


_LIMITS = frozenset(
    ("anyOf", "oneOf", "allOf", "not", "if", "$ref", "const", "pattern", "exclusiveMinimum", "exclusiveMaximum",
     "multipleOf", "minLength", "maxLength", "$dynamicRef")
)  # fmt: skip


_CLASSES: dict[type, tuple[str, ...]] = {
    str: ("string",), int: ("integer", "number"), float: ("number",), bool: ("boolean",)
}  # fmt: skip


def _plainly_fits(keys: dict[str, Any], default: Any) -> bool:
    """Whether a default fits beyond doubt: a scalar of the stated type without further conditions, an empty object."""
    stated = keys.get("type")
    names = _CLASSES.get(type(default))
    if names is not None:
        if stated not in names or not _LIMITS.isdisjoint(keys):
            return False
        low, high = keys.get("minimum"), keys.get("maximum")
        if (low is not None and not has_type(low, "number")) or (high is not None and not has_type(high, "number")):
            return False
        if names[-1] == "number" and ((low is not None and default < low) or (high is not None and default > high)):
            return False
        enum = keys.get("enum")
        return enum is None or (isinstance(enum, list) and default in enum and not isinstance(default, bool))
    if default == [] and stated == "array":
        return "minItems" not in keys and "enum" not in keys and _LIMITS.isdisjoint(keys)
    return False


_BESIDE_UNION = frozenset(("anyOf", "default", "description", "title", "examples"))


def _excludes_null(schema: ToolSchema, part: Subschema) -> bool:
    keys = part.schema
    stated = keys.get("type")
    if part.negated or keys.get("nullable") is True:
        return False
    if isinstance(stated, str):
        return types_of(keys) is not None and stated != "null"
    if stated is None and _LIMITS.isdisjoint(keys) and "enum" not in keys:
        return False
    # Unions with null, as servers write them.
    options = keys.get("anyOf")
    if isinstance(options, list) and {"type": "null"} in options and _BESIDE_UNION.issuperset(keys):
        return False
    if isinstance(stated, list) and "null" in stated and _LIMITS.isdisjoint(keys) and "enum" not in keys:
        return False
    from toolsurface_lint.schemas.validation import schema_errors, validate

    return bool(validate(keys, None, schema.value)) and not schema_errors(schema.value)
