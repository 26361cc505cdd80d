"""What pydantic's `Field` and the constraints of `annotated_types` say of a value."""

from __future__ import annotations

from typing import TypeGuard

from toolsurface_lint.programs.schema_parts import is_null
from toolsurface_lint.programs.values import Call, External, Items, Literal, Made, Mapping, Value

_CONSTRAINTS = {
    "ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum", "multiple_of": "multipleOf",
    "pattern": "pattern", "regex": "pattern", "examples": "examples", "min_items": "minItems", "max_items": "maxItems",
}  # fmt: skip

_BOUNDS = {
    "Ge": "ge", "Gt": "gt", "Le": "le", "Lt": "lt", "MultipleOf": "multiple_of", "MinLen": "min_length",
    "MaxLen": "max_length",
}  # fmt: skip
"""The constraints of `annotated_types` by what `Field` calls them."""


def fields_in(metadata: list[Value]) -> list[Made]:
    """What of a type's metadata says something about the value, as calls with the keywords of `Field`."""
    found = []
    for value in metadata:
        if isinstance(value, Made) and value.last in ("Field", "FieldInfo", "StringConstraints"):
            found.append(value)
        elif isinstance(value, Made) and value.last in _BOUNDS and value.arguments.positional:
            call = Call(*value.arguments.at)
            call.keywords[_BOUNDS[value.last]] = value.arguments.positional[0]
            found.append(Made("Field", call))
    return found


def is_field(default: Value | None) -> TypeGuard[Made]:
    """Whether a default value is a call that says more than the value."""
    return isinstance(default, Made) and default.last in ("Field", "FieldInfo", "Body", "Query", "Param")


def field_default(field: Made) -> Value | None:
    """The default value that a field gives; None if it gives none."""
    given = field.arguments.get("default", 0)
    if given is None or (isinstance(given.value, Literal) and given.value.value is Ellipsis):
        return None
    if isinstance(given.value, External) and given.value.last == "PydanticUndefined":
        return None
    return given.value


def constrain(schema: Mapping, field: Made) -> None:
    """Add what a `Field(...)` says to a schema; bounds go to the one part of a union that is not null."""
    target = schema
    union = schema.get("anyOf")
    if isinstance(union, Items):
        parts = [part for part in union.items if isinstance(part, Mapping) and not is_null(part)]
        target = parts[0] if len(parts) == 1 else schema
    kind = target.get("type")
    for key, argument in field.arguments.keywords.items():
        if key in ("description", "title"):
            if not (isinstance(argument.value, Literal) and argument.value.value is None):
                schema.set_at(key, argument.value, argument.module, argument.key)
        elif key in _CONSTRAINTS:
            target.set_at(_CONSTRAINTS[key], argument.value, argument.module, argument.key)
        elif key in ("min_length", "max_length"):
            ending = {"array": "Items", "object": "Properties"}.get(
                str(kind.value) if isinstance(kind, Literal) else "", "Length"
            )
            target.set_at(key[:3] + ending, argument.value, argument.module, argument.key)
        elif key == "json_schema_extra" and isinstance(argument.value, Mapping):
            schema.entries.update(argument.value.entries)
