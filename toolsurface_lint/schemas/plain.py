"""A quick structural check that only ever accepts: what it takes for a valid schema, jsonschema does too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolsurface_lint.schemas.dialects import DRAFT_04, LIST, MAP, ONE, TYPES, dialect_of


def is_plainly_valid(schema: Any) -> bool:
    """Whether a schema is valid beyond doubt in its dialect; False says nothing.

    For every dialect from draft-06 on: what they disagree about (tuples in `items`, say) is refused.
    """
    if type(schema) is dict and "$schema" in schema and dialect_of(schema) in (None, DRAFT_04):
        return False
    pending = [schema]
    accepts = _ACCEPTS
    while pending:
        current = pending.pop()
        if type(current) is not dict:
            if type(current) is not bool:
                return False
            continue
        for key, value in current.items():
            if key in accepts:
                if not accepts[key](value):
                    return False
            elif key in ONE:
                pending.append(value)
            elif key in MAP:
                if type(value) is not dict:
                    return False
                pending.extend(value.values())
            elif key in LIST:
                if type(value) is not list or not value:
                    return False
                pending.extend(value)
    return True


def _is_text(value: Any) -> bool:
    return type(value) is str


def _is_bool(value: Any) -> bool:
    return type(value) is bool


def _is_size(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_number(value: Any) -> bool:
    return type(value) is int or type(value) is float


def _is_type(value: Any) -> bool:
    if type(value) is str:
        return value in TYPES
    return _is_name_list(value) and bool(value) and TYPES.issuperset(value)


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


_ACCEPTS: dict[str, Callable[[Any], bool]] = {
    "type": _is_type,
    **dict.fromkeys(("description", "title", "$comment", "format", "pattern", "contentEncoding"), _is_text),
    **dict.fromkeys(("contentMediaType", "$ref", "$schema"), _is_text),
    **dict.fromkeys(("uniqueItems", "readOnly", "writeOnly", "deprecated"), _is_bool),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), _is_size),
    **dict.fromkeys(("minContains", "maxContains"), _is_size),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _is_number),
    "multipleOf": lambda value: _is_number(value) and value > 0,
    "required": _is_name_list,
    "enum": _is_enum,
    "$id": lambda value: type(value) is str and "#" not in value,
    "examples": lambda value: type(value) is list,
    **dict.fromkeys(("id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef"), lambda value: False),
    **dict.fromkeys(("$recursiveAnchor", "$vocabulary", "dependencies", "dependentRequired"), lambda value: False),
    **dict.fromkeys(("dependentSchemas", "contentSchema"), lambda value: False),
}
"""What accepts the values of keywords that hold no schemas. Every keyword that is not known here is an annotation, to
all dialects.
"""
