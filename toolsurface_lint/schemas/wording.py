"""Types and values of schemas in the words of messages."""

from __future__ import annotations

import json
from typing import Any

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


def listed(values: Any, most: int = 6) -> str:
    """Allowed values, each in backticks, the first few of many."""
    if not isinstance(values, list) or not values:
        return "one of no values"
    texts = [shown(value) for value in values[:most]]
    if len(values) > most:
        texts.append(f"{len(values) - most} more")
    return texts[0] if len(texts) == 1 else f"one of {', '.join(texts)}"
