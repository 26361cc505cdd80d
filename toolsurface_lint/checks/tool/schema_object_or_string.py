"""A parameter that accepts an object or any string: the string may be the object, as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from toolsurface_lint.checks.contract import SCHEMA, check
from toolsurface_lint.checks.tool._tool_schema import ToolSchema, parameter_of
from toolsurface_lint.model.diagnostics import INFO, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.texts import sentence_around
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.schemas.references import at_pointer
from toolsurface_lint.schemas.walk import PROPERTY, ROOT, Subschema

RULE = Rule(
    code="TOOL_SCHEMA_OBJECT_OR_STRING",
    since="0.1.0",
    severity=INFO,
    summary="A parameter accepts an object or any string, so models send the object as JSON in a string.",
    message={
        "open": "`{parameter}` accepts {structure} or any string: models send the {noun} as JSON in a string",
        "invited": "the description of `{parameter}` offers JSON in a string, and the schema accepts {structure} too",
    },
    help="accept only {structure}",
    tags=("tools", "schemas"),
    preview=True,
)

_MOST = 50
"""So many alternatives of one parameter are looked at."""
_LONGEST = 2_000
"""So many characters of a description: many parameters may share one."""

# A text that must be one of these is never an object in JSON.
_BOUND = frozenset(("enum", "const", "pattern", "format"))
# With one of these among the alternatives, any value of JSON is meant.
_SCALARS = frozenset(("number", "integer", "boolean"))
_INVITED = re.compile(
    r"\bjson[- ](?:encoded[- ]|serialized[- ]|array[- ]|object[- ]|list[- ])?(?:string|text)|\bstringified\b"
    r"|\bstring or (?:a )?(?:dict|object)\b|\b(?:dict|object) or (?:a )?string\b",
    re.IGNORECASE,
)
_WARNED = re.compile(
    r"\b(?:not|never|no|rather than|instead of) (?:as )?(?:an? )?(?:json|stringified)\b", re.IGNORECASE
)
# What the string is, if not JSON: somebody has thought of it.
_ELSE = re.compile(
    r"\b(?:path|file|filename|folder|directory|ur[il]|arn|id|ids|identifier|uid|uuid|guid|slug|name|alias|title|hash|key|"
    r"token|handle|selector|email|address|plain|text|markdown|html|xml|yaml|csv|sql|query|expression|formula|template|"
    r"shorthand|format|keyword|date|code|script|reference|preset|constructor|comma|css|colou?r|hex|unit|regex)s?\b|\bcomma-separated\b",
    re.IGNORECASE,
)


@check(SCHEMA, RULE)
def check_unions(schema: ToolSchema, target: Target) -> Iterator[Finding]:
    elsewhere: dict[str, list[str]] | None = None
    for part in schema.subschemas:
        keys = part.schema
        if part.role != PROPERTY or part.negated:
            continue
        if not ("anyOf" in keys or "oneOf" in keys or type(keys.get("type")) is list):
            continue
        found = _alternatives(schema, keys)
        if not _BOUND.isdisjoint(keys) or not _SCALARS.isdisjoint(name for one in found for name in _types(one)):
            continue
        texts = [one for one in found if "string" in _types(one)]
        objects = any("object" in _types(one) for one in found)
        arrays = [one for one in found if "array" in _types(one)]
        if not texts or not (objects or arrays) or any(not _BOUND.isdisjoint(one) for one in texts):
            continue
        elsewhere = _sentences(schema.tool) if elsewhere is None else elsewhere
        said = _said(part, [keys, *texts], elsewhere)
        invited = _INVITED.search(said) is not None
        if _WARNED.search(said) is not None:
            continue
        if not invited:
            # One string or several of them is a convenience that models understand.
            structured = objects or any(_holds_objects(schema, one) for one in arrays)
            if not structured or _ELSE.search(said) is not None or _is_named_otherwise(part):
                continue
        parameter = parameter_of(part) or str(part.path[-1])
        yield schema.finding(
            RULE,
            part,
            kind="invited" if invited else "open",
            aspect="key",
            parameter=parameter,
            structure="an object" if objects else "an array",
            noun="object" if objects else "array",
        )


def _types(schema: dict[str, Any]) -> list[str]:
    stated = schema.get("type")
    if isinstance(stated, list):
        return [name for name in stated if isinstance(name, str)]
    if isinstance(stated, str):
        return [stated]
    return ["object"] if isinstance(schema.get("properties"), dict) else []


def _alternatives(schema: ToolSchema, keys: dict[str, Any]) -> list[dict[str, Any]]:
    """A schema and its alternatives, with theirs; what a reference leads to stands in for it."""
    found: list[dict[str, Any]] = []
    waiting: list[Any] = [keys]
    while waiting and len(found) < _MOST:
        one = _led_to(schema, waiting.pop())
        found.append(one)
        for key in ("anyOf", "oneOf"):
            inner = one.get(key)
            if isinstance(inner, list):
                waiting.extend(inner[:_MOST])
    return found


def _led_to(schema: ToolSchema, one: Any) -> dict[str, Any]:
    reference = one.get("$ref") if isinstance(one, dict) else None
    if isinstance(reference, str) and reference.startswith("#/"):
        led = at_pointer(schema.value, reference[1:])
        one = None if led is None else led.value
    return one if isinstance(one, dict) else {}


def _holds_objects(schema: ToolSchema, array: dict[str, Any]) -> bool:
    items = _led_to(schema, array.get("items"))
    return any(not _types(one) or "object" in _types(one) for one in _alternatives(schema, items)[-_MOST:] if one)


def _said(part: Subschema, schemas: list[dict[str, Any]], elsewhere: dict[str, list[str]]) -> str:
    """What is said of a parameter: its descriptions, and the sentences of the tool's own that name it."""
    texts = (one.get(key) for one in schemas for key in ("description", "title"))
    found = [text[:_LONGEST] for text in texts if isinstance(text, str)]
    if part.parent is not None and part.parent.role == ROOT:
        found.extend(elsewhere.get(str(part.path[-1]), ()))
    return "\n".join(found)


def _sentences(tool: Tool) -> dict[str, list[str]]:
    """The sentences of a tool's description by the words in them, a few of each word."""
    found: dict[str, list[str]] = {}
    text = "" if tool.description is None else tool.description.value
    for word in re.finditer(r"\w+", text):
        sentences = found.setdefault(word[0], [])
        if len(sentences) < 3:
            sentences.append(sentence_around(text, *word.span()))
    return found


def _is_named_otherwise(part: Subschema) -> bool:
    """Whether the last word of a parameter's name says what the string is: `config_hash`, `sourcePath`."""
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", str(part.path[-1]))
    return _ELSE.fullmatch(name.rpartition("_")[2]) is not None
