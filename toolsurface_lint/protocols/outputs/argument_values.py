"""Values that are written as plain text: what they are by the schema of their tool, as engines decide it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolsurface_lint.protocols.json_calls import JsonSyntaxError, read_json
from toolsurface_lint.protocols.outputs.json_reader import json_places
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Spans

_WORDS = {"true": True, "false": False, "null": None, "none": None}
_MAX_ALTERNATIVES = 64


def typed_value(text: str, span: Span, schema: Any, key: tuple[int, int]) -> tuple[Any, Spans]:
    """The value that the text at `span` is for a parameter with `schema` (None if unknown), and its places.

    A parameter that can only be a string takes the text as it is. For any other the text is JSON, or one of Python's
    words for true, false and null; if it is neither, or of a type that the schema does not have, it is a string.
    """
    raw = text[span.start : span.end]
    types = _types(schema)
    plain = Spans(span.start, span.end, None, key)
    if types == {"string"}:
        return raw, plain
    content = raw.strip()
    word = _WORDS.get(content.lower(), content)
    if word != content or word is None:
        return (word if _fits(word, types) else raw), plain
    try:
        value, end = read_json(content, 0, len(content))
    except JsonSyntaxError:
        return raw, plain
    if content[end:].strip() or not _fits(value, types):
        return raw, plain
    start = span.start + raw.index(content[0]) if content else span.start
    places = Spans(start, span.end, (lambda: json_places(text, start).items) if end else None, key)
    return value, places


def json_value(text: str, span: Span, key: tuple[int, int]) -> tuple[Any, Spans]:
    """The value that the text at `span` is as JSON, and its places. Raises `JsonSyntaxError`."""
    start = span.start
    while start < span.end and text[start].isspace():
        start += 1
    value, end = read_json(text, start, span.end)
    if text[end : span.end].strip():
        raise JsonSyntaxError("rest", end)
    return value, Spans(start, end, lambda: json_places(text, start).items, key)


def _fits(value: Any, types: set[str]) -> bool:
    if not types:
        return True
    if isinstance(value, bool):
        return "boolean" in types
    if value is None:
        return "null" in types
    if isinstance(value, int):
        return "number" in types or "integer" in types
    if isinstance(value, float):
        return "number" in types or ("integer" in types and value.is_integer())
    return ("string" if isinstance(value, str) else "object" if isinstance(value, dict) else "array") in types


def _types(schema: Any) -> set[str]:
    """The types that a schema allows at its top, through alternatives; empty if it does not say."""
    types: set[str] = set()
    waiting = [schema]
    for _ in range(_MAX_ALTERNATIVES):
        if not waiting:
            break
        given = waiting.pop()
        if not isinstance(given, Mapping):
            continue
        named = given.get("type")
        names = named if isinstance(named, list) else [named]
        types.update(name for name in names if isinstance(name, str))
        if named is None and isinstance(given.get("enum"), list):
            types.update("string" if isinstance(option, str) else "" for option in given["enum"])
        for alternatives in (given.get("anyOf"), given.get("oneOf"), given.get("allOf")):
            waiting.extend(alternatives if isinstance(alternatives, list) else ())
    return set() if "" in types else types
