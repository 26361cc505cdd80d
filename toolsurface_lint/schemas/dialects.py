"""What JSON Schema is made of: dialects, types, and where a schema has subschemas.

Source: JSON Schema draft-04, draft-06, draft-07, 2019-09 and 2020-12, core and validation.
"""

from __future__ import annotations

from typing import Any

DRAFT_04, DRAFT_06, DRAFT_07, DRAFT_2019, DRAFT_2020 = "draft-04", "draft-06", "draft-07", "2019-09", "2020-12"

_BY_URI = {
    "json-schema.org/draft-04/schema": DRAFT_04,
    "json-schema.org/draft-06/schema": DRAFT_06,
    "json-schema.org/draft-07/schema": DRAFT_07,
    "json-schema.org/draft/2019-09/schema": DRAFT_2019,
    "json-schema.org/draft/2020-12/schema": DRAFT_2020,
}

TYPES = frozenset(("string", "number", "integer", "boolean", "object", "array", "null"))

# Keywords whose value is a schema, a list of schemas, or an object of schemas, in any dialect.
ONE = frozenset(
    (
        *("additionalProperties", "additionalItems", "items", "contains", "propertyNames", "not", "if", "then", "else"),
        *("unevaluatedItems", "unevaluatedProperties", "contentSchema"),
    )
)
LIST = frozenset(("allOf", "anyOf", "oneOf", "prefixItems"))
MAP = frozenset(("properties", "patternProperties", "$defs", "definitions", "dependentSchemas"))

_SAME = {
    "int": "integer", "int32": "integer", "int64": "integer", "long": "integer", "float": "number", "float32": "number",
    "float64": "number", "double": "number", "bool": "boolean", "str": "string", "dict": "object",
    "dictionary": "object", "list": "array", "none": "null", "nonetype": "null", "nil": "null",
}  # fmt: skip
_FOREIGN = _SAME | {
    "short": "integer", "uint": "integer", "bigint": "integer", "decimal": "number", "numeric": "number",
    "real": "number", "text": "string", "char": "string", "varchar": "string", "date": "string", "datetime": "string",
    "timestamp": "string", "time": "string", "uuid": "string", "uri": "string", "url": "string", "email": "string",
    "enum": "string", "bytes": "string", "file": "string", "path": "string", "map": "object", "record": "object",
    "struct": "object", "hash": "object", "mapping": "object", "json": "object", "tuple": "array", "set": "array",
    "sequence": "array",
}  # fmt: skip
"""The words of other languages for types: those that say just the type, and those that say more."""

PYTHON_TYPES = {"dict": "object", "float": "number", "tuple": "array", "list": "array", "int": "integer",
                "str": "string", "bool": "boolean", "set": "array"}  # fmt: skip
"""What the types of schemas written with Python's names mean; `any`, which is not one of them, means no type at all."""


def dialect_of(schema: Any) -> str | None:
    """The dialect that a schema's `$schema` names, 2020-12 if it names none; None for one that is not known here."""
    uri = schema.get("$schema") if isinstance(schema, dict) else None
    if uri is None:
        return DRAFT_2020
    if not isinstance(uri, str):
        return DRAFT_2020
    return _BY_URI.get(uri.rstrip("#").removeprefix("https://").removeprefix("http://").rstrip("/"))


def right_type(name: str) -> str | None:
    """The JSON Schema type that a foreign or misspelled one stands for (`int`, `dict`, `strng`, `STRING`), or None."""
    lower = name.strip().lower()
    if lower in TYPES:
        return lower
    element = lower.partition("[")[0].partition("<")[0] if lower[-1:] in ("]", ">") else lower
    if lower.endswith("[]"):
        return "array"
    if element in TYPES:
        return element
    if element in _FOREIGN:
        return _FOREIGN[element]
    if len(lower) < 4:
        return None
    from difflib import get_close_matches

    close = get_close_matches(lower, sorted(TYPES), 1, 0.75)
    return close[0] if close else None


def same_type(name: str) -> str | None:
    """The JSON Schema type that a foreign or misspelled one says in another word (`int`, `STRING`, `strng`).

    None if it says more than the type (`date`, `list[str]`), or may mean several.
    """
    lower = name.strip().lower()
    if lower in TYPES or lower in _SAME:
        return lower if lower in TYPES else _SAME[lower]
    if lower in _FOREIGN or len(lower) < 4 or not lower.isalpha():
        return None
    from difflib import get_close_matches

    close = get_close_matches(lower, sorted(TYPES), 2, 0.75)
    return close[0] if len(close) == 1 else None


def types_of(schema: dict[str, Any]) -> tuple[str, ...] | None:
    """The types that `type` names, those that are types; None without a `type` that says something."""
    stated = schema.get("type")
    if isinstance(stated, str):
        return (stated,) if stated in TYPES else None
    if isinstance(stated, list) and all(isinstance(name, str) and name in TYPES for name in stated):
        return tuple(stated)
    return None


def has_type(value: Any, name: str) -> bool:
    """Whether a value is of a JSON Schema type; `1.0` is an integer, `True` is not a number."""
    if name in ("integer", "number"):
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return is_number and (name == "number" or isinstance(value, int) or value.is_integer())
    classes = {"string": str, "boolean": bool, "object": dict, "array": list}
    return isinstance(value, classes[name]) if name in classes else value is None
