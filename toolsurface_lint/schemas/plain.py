"""A quick structural check that only ever accepts: what it takes for a valid schema, jsonschema does too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolsurface_lint.schemas.dialects import DRAFT_04, TYPES, dialect_of

_TEXT, _BOOL, _SCHEMA, _SCHEMAS, _MAP, _ANY, _SIZE, _NUMBER, _NEVER = range(9)

# The keywords that some dialect's meta-schema speaks about; every other one is an annotation to all of them.
_KINDS: dict[str, int] = {
    **dict.fromkeys(("description", "title", "$comment", "format", "pattern", "contentEncoding"), _TEXT),
    **dict.fromkeys(("contentMediaType", "$ref", "$schema"), _TEXT),
    **dict.fromkeys(("uniqueItems", "readOnly", "writeOnly", "deprecated"), _BOOL),
    **dict.fromkeys(("items", "additionalProperties", "not", "if", "then", "else", "contains"), _SCHEMA),
    **dict.fromkeys(("propertyNames", "additionalItems", "unevaluatedItems", "unevaluatedProperties"), _SCHEMA),
    **dict.fromkeys(("anyOf", "oneOf", "allOf", "prefixItems"), _SCHEMAS),
    **dict.fromkeys(("properties", "$defs", "definitions", "patternProperties"), _MAP),
    **dict.fromkeys(("default", "const"), _ANY),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), _SIZE),
    **dict.fromkeys(("minContains", "maxContains"), _SIZE),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _NUMBER),
    **dict.fromkeys(("id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef"), _NEVER),
    **dict.fromkeys(("$recursiveAnchor", "$vocabulary", "dependencies", "dependentRequired"), _NEVER),
    **dict.fromkeys(("dependentSchemas", "contentSchema"), _NEVER),
}


def is_plainly_valid(schema: Any) -> bool:
    """Whether a schema is valid beyond doubt in its dialect; False says nothing.

    For every dialect from draft-06 on: what they disagree about (tuples in `items`, say) is refused.
    """
    if type(schema) is dict and "$schema" in schema and dialect_of(schema) in (None, DRAFT_04):
        return False
    pending = [schema]
    kinds = _KINDS
    while pending:
        current = pending.pop()
        if type(current) is not dict:
            if type(current) is not bool:
                return False
            continue
        for key, value in current.items():
            if key == "type":
                if (type(value) is not str or value not in TYPES) and not _is_type_list(value):
                    return False
                continue
            if key in kinds:
                kind = kinds[key]
                if kind == _TEXT:
                    if type(value) is not str:
                        return False
                elif kind == _MAP:
                    if type(value) is not dict:
                        return False
                    pending.extend(value.values())
                elif kind == _SCHEMA:
                    pending.append(value)
                elif kind == _SCHEMAS:
                    if type(value) is not list or not value:
                        return False
                    pending.extend(value)
                elif kind == _SIZE:
                    if type(value) is not int or value < 0:
                        return False
                elif kind == _NUMBER:
                    if type(value) is not int and type(value) is not float:
                        return False
                elif kind == _BOOL:
                    if type(value) is not bool:
                        return False
                elif kind == _NEVER:
                    return False
            elif key in _OTHERS and not _OTHERS[key](value):
                return False
    return True


def _is_type_list(value: Any) -> bool:
    return (
        type(value) is list
        and bool(value)
        and all(type(name) is str and name in TYPES for name in value)
        and len(set(value)) == len(value)
    )


def _is_name_list(value: Any) -> bool:
    if type(value) is not list:
        return False
    for name in value:
        if type(name) is not str:
            return False
    return len(set(value)) == len(value)


def _is_enum(value: Any) -> bool:
    """Scalars, at least one, no two alike: what the strictest dialect asks for."""
    if type(value) is not list or not value:
        return False
    for item in value:
        if type(item) is dict or type(item) is list:
            return False
    return len(set(value)) == len(value)


def _is_step(value: Any) -> bool:
    return type(value) in (int, float) and value > 0


_OTHERS: dict[str, Callable[[Any], bool]] = {
    "required": _is_name_list,
    "$id": lambda value: type(value) is str and "#" not in value,
    "enum": _is_enum,
    "multipleOf": _is_step,
    "examples": lambda value: type(value) is list,
}
