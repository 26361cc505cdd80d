"""What a provider's profile refuses in a schema: keywords, structures, sizes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

from toolsurface_lint.checks.tool._tool_schema import ToolSchema, parameter_of, shape_of, spoken
from toolsurface_lint.knowledge.provider_schemas import (
    GEMINI,
    GEMINI_JSON_SCHEMA,
    HEADER,
    HEADER_NAME,
    HEADER_TYPES,
    OPENAI,
    OPENAI_STRICT,
    PROFILES,
    STRICT_PROFILES,
    Profile,
)
from toolsurface_lint.knowledge.providers import provider_id
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.schemas.references import resolve
from toolsurface_lint.schemas.walk import DEFINITION, PROPERTY, ROOT, Subschema
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Path


def profile_of(tool: Tool, target: Target, strict: bool) -> Profile | None:
    """The demands on a tool: those on `strict: true` if it says so, else those of the provider that is configured."""
    provider = provider_id(target.provider or "")
    configured = PROFILES.get(provider)
    demanding = STRICT_PROFILES.get(shape_of(tool))
    # A list in OpenAI's format is sent to many providers, most of which know no strictness.
    if demanding is OPENAI_STRICT and provider and configured is not OPENAI:
        demanding = None
    if strict and demanding is not None:
        return demanding
    if configured is GEMINI and not (
        shape_of(tool) == "gemini" and tool.schema_path and tool.schema_path[-1] == "parameters"
    ):
        return GEMINI_JSON_SCHEMA
    return configured


_AT_KEYS = frozenset(
    {
        *("key", "key_at_root", "property_name", "header_place", "header_type", "array_items", "all_required"),
        *("lone_ref", "typed_items"),
    }
)
"""What is refused as a member of an object, not for its value."""


def aspect_of(part: Subschema, refusal: Problem[Path]) -> str:
    """Whether a refusal is shown at a key or at a value; a whole subschema at its name, if it has one."""
    named = not refusal.at and part.role in (PROPERTY, DEFINITION)
    return "key" if named or refusal.kind in _AT_KEYS else "value"


def refusals(schema: ToolSchema, profile: Profile) -> Iterator[tuple[Subschema, Problem[Path]]]:
    """Everything in a tool's schema that the provider refuses, at a path below its subschema."""
    root = schema.subschemas[0]
    for key in root.schema:
        if key in profile.rejected_at_root:
            yield root, Problem("key_at_root", (key,), {"key": key})
    structures = [_STRUCTURES[structure] for structure in sorted(profile.structures)]
    for part in schema.subschemas:
        for problem in chain(_keywords(part, profile), *(refused(schema, part) for refused in structures)):
            yield part, problem
    yield from _sizes(schema, profile)


def _keywords(part: Subschema, profile: Profile) -> Iterator[Problem[Path]]:
    formats = profile.formats
    if profile.formats_of and formats is None:
        formats = profile.formats_of.get(str(part.schema.get("type")))
    for key, value in part.schema.items():
        if key in profile.rejected or (profile.allowed is not None and key not in profile.allowed):
            yield Problem("key", (key,), {"key": key})
        elif key == "format" and formats is not None and isinstance(value, str) and value not in formats:
            yield Problem("format", (key,), {"format": value})
        elif key == "properties" and profile.property_name is not None and isinstance(value, dict):
            for name in value:
                if re.fullmatch(profile.property_name, name) is None:
                    yield Problem("property_name", (key, name), {"pattern": f"^{profile.property_name}$", "name": name})


def header_refusals(schema: ToolSchema) -> Iterator[tuple[Subschema, Problem[Path]]]:
    """Where `x-mcp-header` is not as MCP allows it."""
    seen: dict[str, str] = {}
    for part in schema.having(HEADER):
        name = part.schema[HEADER]
        types = part.schema.get("type")
        stated = [str(one) for one in (types if isinstance(types, list) else [types]) if one != "null"]
        if not isinstance(name, str) or re.fullmatch(HEADER_NAME, name) is None:
            yield part, Problem("header_name", (HEADER,))
        elif any(step != "properties" for step in part.path[::2]) or len(part.path) % 2 or not part.path:
            yield part, Problem("header_place", (HEADER,))
        elif not stated or not HEADER_TYPES.issuperset(stated):
            yield part, Problem("header_type", (HEADER,))
        elif name.lower() in seen:
            yield part, Problem("header_twice", (HEADER,), {"header": seen[name.lower()]})
        else:
            seen[name.lower()] = name


def _is(part: Subschema, name: str) -> bool:
    stated = part.schema.get("type")
    return stated == name or (isinstance(stated, list) and name in stated)


def _is_object(part: Subschema) -> bool:
    return _is(part, "object") or "properties" in part.schema


def _member(part: Subschema, key: str, kind: type[Any]) -> Any:
    """The value of a keyword if it is of a kind, else an empty one."""
    value = part.schema.get(key)
    return value if isinstance(value, kind) else kind()


def _array_items(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    # Without any items TOOL_SCHEMA_ARRAY_WITHOUT_ITEMS speaks up already.
    if _is(part, "array") and "items" not in part.schema and "prefixItems" in part.schema:
        yield Problem("array_items", ("prefixItems",))


def _object_properties(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    if not _is_object(part) or part.schema.get("properties") or part.negated:
        return
    if schema.style == "openapi" or (part.role == ROOT and "properties" not in part.schema):
        yield Problem("object_property" if schema.style == "openapi" else "object_properties", ())


def _closed_objects(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    if not _is_object(part):
        return
    if "additionalProperties" not in part.schema:
        yield Problem("closed_objects/missing", (), {"what": spoken(part)})
    elif part.schema["additionalProperties"] is not False:
        yield Problem("closed_objects", ("additionalProperties",))


def _all_required(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    listed = {name for name in _member(part, "required", list) if isinstance(name, str)}
    for name in _member(part, "properties", dict):
        if name not in listed:
            yield Problem("all_required", ("properties", name), {"name": name})


_BESIDE_REF = frozenset(("$defs", "definitions", "$schema", "$id"))


def _lone_ref(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    if "$ref" not in part.schema:
        return
    for key in part.schema:
        if key != "$ref" and key not in _BESIDE_REF:
            yield Problem("lone_ref", (key,), {"key": key})
            return


_LOCAL = r"#(?:/(?:\$defs|definitions)/[^/]+)?"


def _local_ref(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    reference = part.schema.get("$ref")
    if isinstance(reference, str) and re.fullmatch(_LOCAL, reference) is None:
        yield Problem("local_ref", ("$ref",), {"reference": reference})


_TYPED = ("type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const")


def _typed_items(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    items = part.schema.get("items")
    if _is(part, "array") and isinstance(items, dict) and not any(key in items for key in _TYPED):
        yield Problem("typed_items", ("items",))


def _typed_parts(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    if not any(key in part.schema for key in ("type", "anyOf", "$ref")):
        yield Problem("typed_parts", (), {"what": spoken(part)})


def _no_lookaround(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    if re.search(r"\(\?(?:[=!]|<[=!])", _member(part, "pattern", str)):
        yield Problem("lookaround", ("pattern",))


def _few_min_items(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    least = _member(part, "minItems", int)
    if least > 1:
        yield Problem("min_items", ("minItems",), {"least": least})


def _primitive_enum(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    for index, value in enumerate(_member(part, "enum", list)):
        if isinstance(value, dict | list):
            yield Problem("primitive_enum", ("enum", index))


def _text_enum(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    for index, value in enumerate(_member(part, "enum", list)):
        if not isinstance(value, str) or not value:
            yield Problem("text_enum", ("enum", index))
            return


def _single_type(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    if isinstance(schema.as_written(part).get("type"), list):
        yield Problem("single_type", ("type",))


def _no_boolean_schema(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    for name, value in _member(part, "properties", dict).items():
        if isinstance(value, bool):
            yield Problem("boolean_schema", ("properties", name))


def _declared_required(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    declared = _member(part, "properties", dict)
    for index, name in enumerate(_member(part, "required", list)):
        if isinstance(name, str) and name not in declared:
            yield Problem("declared_required", ("required", index), {"name": name})


def _no_recursion(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    reference = part.schema.get("$ref")
    if not isinstance(reference, str):
        return
    target = resolve(schema.value, reference)
    current: Subschema | None = part
    while target is not None and current is not None:
        if current.schema is target.value:
            yield Problem("recursion", ("$ref",), {"reference": reference})
            return
        current = current.parent


def _described(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    if part.role == PROPERTY and not part.schema.get("description"):
        yield Problem("described", (), {"name": parameter_of(part)})


_STRUCTURES = {
    demand.__name__[1:].replace("_", "-"): demand
    for demand in (
        *(_array_items, _object_properties, _closed_objects, _all_required, _lone_ref, _local_ref, _typed_items),
        *(_typed_parts, _no_lookaround, _few_min_items, _primitive_enum, _text_enum, _single_type),
        *(_no_boolean_schema, _declared_required, _no_recursion, _described),
    )
}
"""The demands on structure, by the names that they have in profiles."""


def _sizes(schema: ToolSchema, profile: Profile) -> Iterator[tuple[Subschema, Problem[Path]]]:
    """Limits of the whole schema, each reported at the first place that is too much."""
    properties = values = texts = 0
    reported: set[str] = set()
    for part in schema.subschemas:
        names, enum = _member(part, "properties", dict), _member(part, "enum", list)
        properties += len(names)
        values += len(enum)
        texts += sum(map(len, names)) + sum(len(value) for value in enum if isinstance(value, str))
        texts += len(_member(part, "const", str))
        for kind, count, most in (
            ("most_levels", _depth(part), profile.depth),
            ("most_properties", properties, profile.properties),
            ("most_enum_values", values, profile.enum_values),
            ("most_characters", texts, profile.texts),
        ):
            if most is not None and count > most and kind not in reported:
                reported.add(kind)
                yield part, Problem(kind, (), {"most": most})


def _depth(part: Subschema) -> int:
    """How many objects and arrays a subschema is in, itself among them."""
    depth = 0
    current: Subschema | None = part
    while current is not None and current.role != DEFINITION:
        depth += current.schema.get("type") in ("object", "array")
        current = current.parent
    return depth
