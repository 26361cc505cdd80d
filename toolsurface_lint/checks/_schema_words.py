"""Schemas in the words of messages: what a value must be, types, values."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from toolsurface_lint.model.diagnostics import Fix, renaming
from toolsurface_lint.model.names import close_names
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Path, Place

PREDICATES = {
    "type": "must be {types}, not {value}",
    "enum": "must be {values}, not {value}",
    "enum/empty": "must not be there: its `enum` has no values",
    "const": "must be {wanted}, not {value}",
    "minimum": "must be at least {bound}",
    "maximum": "must be at most {bound}",
    "exclusiveMinimum": "must be more than {bound}",
    "exclusiveMaximum": "must be less than {bound}",
    "minLength": "must have at least {bound} characters",
    "maxLength": "must have at most {bound} characters",
    "minItems": "must have at least {bound} items",
    "maxItems": "must have at most {bound} items",
    "minProperties": "must have at least {bound} properties",
    "maxProperties": "must have at most {bound} properties",
    "multipleOf": "must be a multiple of {bound}",
    "pattern": "must match `{pattern}`",
    "required": "must have the property `{property}`",
    "properties": "must not have the property `{property}`",
    "additionalProperties": "must not have the property `{property}`",
    "propertyNames": "must not have the property `{property}`: `propertyNames` excludes its name",
    "uniqueItems": "must not have an item twice",
    "dependentRequired": "must have the properties that its other properties require",
    "anyOf": "must fit one of the alternatives of `anyOf`, and {value} fits none",
    "oneOf": "must fit exactly one of the alternatives of `oneOf`, and fits none",
    "oneOf/several": "must fit exactly one of the alternatives of `oneOf`, and fits several",
    "false": "must not be there",
    "other": "must meet `{keyword}`",
}
"""What is said of a value that breaks a schema, by the kind of the problem."""


def spelled(problem: Problem[Path]) -> Problem[Path]:
    """A problem with a schema, or with a value in one, with its values as messages write them."""
    spelling: dict[str, Callable[[Any], str]] = {
        "types": alternatives,
        "value": shown,
        "wanted": shown,
        "bound": shown,
        "values": listed,
    }
    return problem._replace(
        values={name: spelling[name](value) if name in spelling else value for name, value in problem.values.items()}
    )


def spelled_path(path: Path) -> str:
    """`limit`, `options.tags[0]`: a path in a value as code would write it; empty for the value itself."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def choice(place: Place, value: Any, allowed: Any) -> Fix | None:
    """The fix for a text that is close to one of those that its schema allows; `allowed` is what `enum` holds."""
    if not isinstance(value, str) or not isinstance(allowed, list) or value in allowed:
        return None
    return renaming(place, value, close_names(value, (word for word in allowed if isinstance(word, str))))


_NOUNS = {
    "string": "a string", "number": "a number", "integer": "an integer", "boolean": "a boolean", "object": "an object",
    "array": "an array", "null": "null",
}  # fmt: skip


def alternatives(names: list[str]) -> str:
    """`a string`, `a string or null`: types as nouns."""
    nouns = [_NOUNS.get(name, name) for name in names]
    return nouns[0] if len(nouns) == 1 else f"{', '.join(nouns[:-1])} or {nouns[-1]}"


def shown(value: Any, longest: int = 40) -> str:
    """A value as compact JSON in backticks; what is long is named by its type."""
    if isinstance(value, dict) and value:
        return _NOUNS["object"]
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = type(value).__name__
    if len(text) <= longest:
        return f"`{text}`"
    return _NOUNS["array"] if isinstance(value, list) else f"`{text[: longest - 3]}...`"


def listed(values: list[Any], most: int = 6) -> str:
    """Allowed values, each in backticks, the first few of many."""
    texts = [shown(value) for value in values[:most]]
    if len(values) > most:
        texts.append(f"{len(values) - most} more")
    return texts[0] if len(texts) == 1 else f"one of {', '.join(texts)}"
