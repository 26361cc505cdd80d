"""What a schema of a tool says of types: none, none of its items, or one that excludes its own values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from toolsurface_lint.checks._schema_words import listed, shown
from toolsurface_lint.checks.contract import OUTPUT_SCHEMA, SCHEMA, check
from toolsurface_lint.checks.tool._tool_schema import (
    OPENAPI,
    OWNED,
    ToolSchema,
    parameter_of,
    spoken,
)
from toolsurface_lint.knowledge.sources import Versions
from toolsurface_lint.model.diagnostics import ERROR, INFO, WARNING, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.schemas.dialects import has_type, types_of
from toolsurface_lint.schemas.walk import BRANCH, PROPERTY, Subschema
from toolsurface_lint.source.shared import look_around
from toolsurface_lint.source.tree import Path

ROOT_NOT_OBJECT = Rule(
    code="TOOL_SCHEMA_ROOT_NOT_OBJECT",
    since="0.1.0",
    severity=ERROR,
    summary="The schema of a tool's parameters, or of its results, does not describe an object.",
    message={
        "type": "the parameter schema of `{name}` must have `type: object`, not {found}",
        "missing": "the parameter schema of `{name}` must have `type: object`, and has no `type`",
        "output": "the output schema of `{name}` must have `type: object`, not {found} (MCP before 2026-07-28)",
        "output/missing": "the output schema of `{name}` must have `type: object`, and has no `type` (MCP before 2026-07-28)",
    },
    help={
        "output": "make it a property of an object: a client refuses the whole list of tools",
        "output/missing": "write `type: object`: a client refuses the whole list of tools",
    },
    tags=("tools", "schemas"),
)


UNTYPED_PARAMETER = Rule(
    code="TOOL_SCHEMA_UNTYPED_PARAMETER",
    since="0.1.0",
    severity=INFO,
    summary="A parameter has no type.",
    message="parameter `{parameter}` has no type",
    tags=("tools", "schemas"),
)


ARRAY_WITHOUT_ITEMS = Rule(
    code="TOOL_SCHEMA_ARRAY_WITHOUT_ITEMS",
    since="0.1.0",
    severity=WARNING,
    summary="An array does not say what its items are.",
    message="{what} is an array without `items`",
    help="say what an item is: `items: {{type: string}}`",
    tags=("tools", "schemas"),
)


ENUM_TYPE_MISMATCH = Rule(
    code="TOOL_SCHEMA_ENUM_TYPE_MISMATCH",
    since="0.1.0",
    severity=ERROR,
    summary="The declared type excludes a value of `enum` or `const`.",
    message="`{keyword}` holds {values}, which the type `{type}` excludes",
    tags=("tools", "schemas"),
)


# Keywords that say what a value may be, so that a schema with one of them is typed.
_TYPING = frozenset(
    ("type", "enum", "const", "$ref", "$dynamicRef", "$recursiveRef", "anyOf", "oneOf", "allOf", "not", "if")
)


_SHAPES = frozenset(("properties", "patternProperties", "items", "prefixItems", "contains", "pattern", "format"))


_ITEMS = frozenset(("items", "prefixItems", "contains", "enum", "const", "$ref", "anyOf", "oneOf", "allOf"))


@check(SCHEMA, ROOT_NOT_OBJECT, UNTYPED_PARAMETER, ARRAY_WITHOUT_ITEMS, ENUM_TYPE_MISMATCH)
def check_types(schema: ToolSchema, target: Target) -> Iterator[Finding]:
    yield from _root(schema)
    for part in schema.subschemas:
        keys = part.schema
        stated = keys.get("type")
        if stated is None:
            if part.role == PROPERTY and _TYPING.isdisjoint(keys) and _SHAPES.isdisjoint(keys):
                yield from _untyped(schema, part)
        elif (
            (stated == "array" or (type(stated) is list and "array" in stated))
            and _ITEMS.isdisjoint(keys)
            and not (part.negated or _group_has_items(part) or keys.get("maxItems") == 0)
            # What a program's own classes make of a schema may be a text for a model that was trained on it.
            and schema.tool.format != "python"
        ):
            yield schema.finding(ARRAY_WITHOUT_ITEMS, part, ("type",), what=spoken(part))
        if "enum" in keys or "const" in keys:
            yield from _values(schema, part)


@check(OUTPUT_SCHEMA, ROOT_NOT_OBJECT, ENUM_TYPE_MISMATCH)
def check_results(schema: ToolSchema, target: Target) -> Iterator[Finding]:
    value = schema.value
    stated = value.get("type") if isinstance(value, dict) else value
    if stated != "object" and not _allows_any_result(schema.tool):
        is_missing = isinstance(value, dict) and "type" not in value
        path: Path = ("type",) if isinstance(value, dict) and not is_missing else ()
        # A word that is not a type is TOOL_SCHEMA_INVALID's.
        if is_missing or not path or _is_plain_type(stated):
            kind = "output/missing" if is_missing else "output"
            place = schema.place(path)
            yield ROOT_NOT_OBJECT.at(place, kind, tool=schema.tool.name, field=schema.field, found=shown(stated))
    for part in schema.subschemas:
        if "enum" in part.schema or "const" in part.schema:
            yield from _values(schema, part)


_ANY_RESULT = Versions(since=(2026, 7, 28))
"""The versions of MCP in which results may be any JSON, and their schema any schema (SEP-2106)."""
_OF_THAT_VERSION = ("resultType", "ttlMs", "cacheScope")
"""Keys of a list of tools that came with it."""


def _allows_any_result(tool: Tool) -> bool:
    """Whether the file of a tool shows that it is of such a version."""
    if tool.protocol_version is not None:
        return _ANY_RESULT.holds(tool.protocol_version)
    look_around()
    root = tool.tree.root
    return any(root.find(*holder, key) is not None for holder in ((), ("result",)) for key in _OF_THAT_VERSION)


def _root(schema: ToolSchema) -> Iterator[Finding]:
    """The root must be an object schema, where the format says so."""
    tool, value = schema.tool, schema.value
    stated = value.get("type") if isinstance(value, dict) else None
    path: Path = ()
    if not isinstance(value, dict):
        # The responses API writes a function without parameters as `parameters: null`.
        is_wrong = value is not None or tool.shape != "openai"
        kind, found = "type", shown(value)
    elif "type" in value:
        is_wrong = stated != "object" and _is_plain_type(stated)
        path, kind, found = ("type",), "type", shown(stated)
    else:
        is_wrong = tool.shape in OWNED and not (tool.shape == "gemini" and schema.style != OPENAPI)
        kind, found = "missing", ""
    if is_wrong:
        yield ROOT_NOT_OBJECT.at(schema.place(path), kind, tool=tool.name, field="parameters", found=found)


def _is_plain_type(stated: Any) -> bool:
    names = stated if isinstance(stated, list) else [stated]
    return bool(names) and all(isinstance(name, str) and types_of({"type": name}) is not None for name in names)


def _untyped(schema: ToolSchema, part: Subschema) -> Iterator[Finding]:
    name = str(part.path[-1])
    # In a branch, or next to one, a property may only narrow what another place declares.
    if part.parent is not None and (part.parent.role == BRANCH or part.negated):
        return
    code = schema.tool.code
    if code is not None:
        # The field of a class has a hint: one that allows any value was written by somebody who means it.
        if part.parent is None or part.parent.path:
            return
        typing = next((each.typing for each in code.parameters if each.name == name), None)
        # Without a hint, TOOL_CODE_UNTYPED_PARAMETER points at the code that this is derived from.
        if typing is not None and (typing != "typed" or _means_any(part)):
            return
    if "type" in schema.as_written(part):
        return  # Any type at all, in a style that has a word for it.
    default = part.schema.get("default")
    help = f"give it the type of its default, {shown(default)}" if default is not None else None
    yield schema.finding(UNTYPED_PARAMETER, part, aspect="key", help=help, parameter=parameter_of(part) or name)


_ANY = re.compile(r"\b(?:any|arbitrary)\b", re.IGNORECASE)


def _means_any(part: Subschema) -> bool:
    """Whether a parameter with the hint `Any` is meant to take any value: it must be given, or its description says so.

    One with a default is mostly an optional parameter of a type that nobody wrote down.
    """
    required = None if part.parent is None else part.parent.schema.get("required")
    text = part.schema.get("description")
    return (isinstance(required, list) and part.path[-1] in required) or (
        isinstance(text, str) and _ANY.search(text) is not None
    )


def _group_has_items(part: Subschema) -> bool:
    """Whether a schema that a branch is in, judging the same value, says what the items are."""
    current: Subschema | None = part
    while current is not None and "items" not in current.schema:
        current = current.parent if current.role == BRANCH else None
    return current is not None


def _values(schema: ToolSchema, part: Subschema) -> Iterator[Finding]:
    keys = part.schema
    types = types_of(keys)
    # Gemini writes the values of every enum as texts.
    if types is None or part.negated or (schema.style == OPENAPI and types != ("string",)):
        return
    if keys.get("nullable") is True:
        types = (*types, "null")
    for keyword, values in (("enum", keys.get("enum")), ("const", [keys["const"]] if "const" in keys else None)):
        if not isinstance(values, list):
            continue
        wrong = [index for index, value in enumerate(values) if not any(has_type(value, name) for name in types)]
        if wrong:
            yield schema.finding(
                ENUM_TYPE_MISMATCH,
                part,
                (keyword, wrong[0]) if keyword == "enum" else (keyword,),
                keyword=keyword,
                values=listed([values[index] for index in wrong]).removeprefix("one of "),
                type="|".join(types),
            )
