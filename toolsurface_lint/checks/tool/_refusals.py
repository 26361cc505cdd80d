"""What the profiles of providers refuse in a schema: keywords, structures, sizes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from toolsurface_lint.checks.tool._tool_schema import JSON, ToolSchema, parameter_of, spoken
from toolsurface_lint.knowledge.provider_names import Provider
from toolsurface_lint.knowledge.provider_schemas import (
    HEADER,
    HEADER_NAME,
    HEADER_SOURCE,
    HEADER_TYPES,
    Demand,
    Profile,
    profile_of,
)
from toolsurface_lint.knowledge.sources import Source
from toolsurface_lint.model.target import Target
from toolsurface_lint.schemas.references import at_pointer, resolve
from toolsurface_lint.schemas.walk import DEFINITION, OTHER, PROPERTY, ROOT, Subschema
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Path


class Refuser(NamedTuple):
    """Who refuses something, and where that was read."""

    title: str
    source: Source


Refusers = tuple[Refuser, ...]
Refusal = tuple[Subschema, Problem[Path], Refusers]
"""Something refused, at a path below a subschema."""

_AT_KEYS = frozenset(
    {
        *("key", "key_at_root", "property_name", "header_place", "header_type", "array_items", "all_required"),
        *("lone_ref", "typed_items", "lone_any_of", "items_of_arrays", "single_items", "single_all_of"),
        *("properties_for_required", "definition_name", "plain_enum", "endless_recursion"),
    }
)
"""What is refused as a member of an object, not for its value."""


def aspect_of(part: Subschema, refusal: Problem[Path]) -> str:
    """Whether a refusal is shown at a key or at a value; a whole subschema at its name, if it has one."""
    named = not refusal.at and part.role in (PROPERTY, DEFINITION)
    return "key" if named or refusal.kind in _AT_KEYS else "value"


class _Demands:
    """The demands of several profiles in one, so that a schema is walked once for all: who refuses, by what is refused."""

    def __init__(self, profiles: Iterable[Profile]) -> None:
        self.rejected: dict[str, Refusers] = {}
        self.rejected_at_root: dict[str, Refusers] = {}
        self.allowed: list[tuple[frozenset[str], Refusers]] = []
        self.structures: dict[str, Refusers] = {}
        self.formats: list[tuple[Mapping[str, frozenset[str]], Refusers]] = []
        self.property_names: dict[str, Refusers] = {}
        self.limits: dict[str, list[tuple[int, Refusers]]] = {}
        self.titles: set[str] = set()
        """What those are called whose demands these are."""
        for profile in profiles:
            self.titles.add(profile.title)
            for demand in profile.demands:
                self._add(demand, (Refuser(profile.title, demand.source),))
        self._keywords: dict[str, Refusers] = {}
        self.accepted: set[str] = set()
        """Keywords that everybody accepts, whatever their value: those that were asked about."""

    def _add(self, demand: Demand, refuser: Refusers) -> None:
        for known, keys in (
            (self.rejected, demand.rejected),
            (self.rejected_at_root, demand.rejected_at_root),
            (self.structures, demand.structures),
        ):
            for key in keys:
                known[key] = known.get(key, ()) + refuser
        if demand.allowed is not None:
            self.allowed.append((demand.allowed, refuser))
        if demand.formats:
            self.formats.append((demand.formats, refuser))
        if demand.property_name is not None:
            self.property_names[demand.property_name] = self.property_names.get(demand.property_name, ()) + refuser
        for kind in LIMITS:
            most = getattr(demand, LIMITS[kind])
            if most is not None:
                self.limits.setdefault(kind, []).append((most, refuser))

    def refusing(self, keyword: str) -> Refusers:
        """Who refuses a keyword wherever it is."""
        found = self._keywords.get(keyword)
        if found is None:
            others = (refuser for allowed, refuser in self.allowed if keyword not in allowed)
            found = sum(others, self.rejected.get(keyword, ()))
            if len(self._keywords) < _REMEMBERED:
                self._keywords[keyword] = found
                if not found and keyword != "format" and not (keyword == "properties" and self.property_names):
                    self.accepted.add(keyword)
        return found


_REMEMBERED = 1000
"""So many keywords are remembered: the names in a hostile file are without number."""

LIMITS = {
    "most_levels": "depth",
    "most_properties": "properties",
    "most_enum_values": "enum_values",
    "most_characters": "texts",
}
"""The sizes that are limited: the field of a demand by the kind of the problem."""


@lru_cache(maxsize=64)
def demands_of(providers: tuple[Provider, ...], format: str, strict: bool, json_form: bool) -> _Demands | None:
    """What those demand who receive a definition in a format, if these providers are named; None if nothing is known."""
    recipients = Target(providers).recipients(format)
    profiles = (profile_of(provider, format, strict, json_form) for provider in recipients)
    found = [profile for profile in profiles if profile.demands]
    return _Demands(found) if found else None


def refusals(schema: ToolSchema, demands: _Demands) -> Iterator[Refusal]:
    """Everything in a tool's schema that somebody refuses, each place once for one reason."""
    root = schema.subschemas[0]
    # Who accepts no definitions has no use for what refers to them.
    defined = frozenset(
        refuser.title for key in ("$defs", "definitions") if key in root.schema for refuser in demands.refusing(key)
    )
    for part in schema.subschemas:
        if part is root or not demands.accepted.issuperset(part.schema):
            yield from _keywords(part, demands, part is root, defined)
    untyped = [part for part in schema.subschemas if _TYPING.isdisjoint(part.schema)]
    for name, refusers in demands.structures.items():
        keywords, refused = _STRUCTURES[name]
        for part in untyped if keywords == _UNTYPED else schema.having(*keywords) if keywords else schema.subschemas:
            for problem in refused(schema, part):
                yield part, problem, refusers
    # A property is a subschema, and so is what is nested.
    limits = {
        kind: limits
        for kind, limits in demands.limits.items()
        if kind not in ("most_levels", "most_properties") or len(schema.subschemas) > min(most for most, _ in limits)
    }
    if limits:
        yield from _sizes(schema, limits)


def _keywords(part: Subschema, demands: _Demands, is_root: bool, defined: frozenset[str]) -> Iterator[Refusal]:
    for key, value in part.schema.items():
        refusers = demands.refusing(key)
        if key == "$ref" and defined:
            refusers = tuple(refuser for refuser in refusers if refuser.title not in defined)
        at_root = demands.rejected_at_root.get(key, ()) if is_root else ()
        if refusers or at_root:
            yield part, Problem("key" if refusers else "key_at_root", (key,), {"key": key}), merged(refusers, at_root)
        elif key == "format" and isinstance(value, str):
            stated = str(part.schema.get("type"))
            refusing = [
                refuser
                for formats, refuser in demands.formats
                if value not in (formats.get(stated) or formats.get("") or (value,))
            ]
            if refusing:
                yield part, Problem("format", (key,), {"format": value}), sum(refusing, ())
        elif key == "properties" and demands.property_names and isinstance(value, dict):
            for pattern, refuser in demands.property_names.items():
                for name in value:
                    if re.fullmatch(pattern, name) is None:
                        values = {"pattern": f"^{pattern}$", "name": name}
                        yield part, Problem("property_name", (key, name), values), refuser


def merged(refusers: Refusers, others: Refusers) -> Refusers:
    titles = {refuser.title for refuser in refusers}
    return (*refusers, *(refuser for refuser in others if refuser.title not in titles))


_MCP = (Refuser("MCP", HEADER_SOURCE),)


def header_refusals(schema: ToolSchema) -> Iterator[Refusal]:
    """Where `x-mcp-header` is not as MCP allows it."""
    seen: dict[str, str] = {}
    for part in schema.having(HEADER):
        name = part.schema[HEADER]
        types = part.schema.get("type")
        stated = [str(one) for one in (types if isinstance(types, list) else [types]) if one != "null"]
        if not isinstance(name, str) or re.fullmatch(HEADER_NAME, name) is None:
            yield part, Problem("header_name", (HEADER,)), _MCP
        elif any(step != "properties" for step in part.path[::2]) or len(part.path) % 2 or not part.path:
            yield part, Problem("header_place", (HEADER,)), _MCP
        elif not stated or not HEADER_TYPES.issuperset(stated):
            yield part, Problem("header_type", (HEADER,)), _MCP
        elif name.lower() in seen:
            yield part, Problem("header_twice", (HEADER,), {"header": seen[name.lower()]}), _MCP
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
    if schema.style == "openapi":
        yield Problem("object_property", ())
    # Whoever sends a list of another format to Gemini leaves out the parameters that a tool does not have.
    elif part.role == ROOT and "properties" not in part.schema:
        yield Problem("object_properties", ())


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


def _described_ref(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    if "$ref" not in part.schema:
        return
    for key in part.schema:
        if not key.startswith("$") and key not in ("description", "default"):
            yield Problem("lone_ref", (key,), {"key": key})
            return


_LOCAL = r"#(?:/(?:\$defs|definitions)/[^/]+)?"


def _local_ref(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    reference = part.schema.get("$ref")
    if isinstance(reference, str) and re.fullmatch(_LOCAL, reference) is None:
        yield Problem("local_ref", ("$ref",), {"reference": reference})


def _defs_ref(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    reference = part.schema.get("$ref")
    if isinstance(reference, str) and reference != "#" and not reference.startswith("#/$defs/"):
        yield Problem("defs_ref", ("$ref",), {"reference": reference})


def _untyped_ref(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    for key in ("type", "anyOf") if "$ref" in part.schema else ():
        if key in part.schema:
            yield Problem("lone_ref", (key,), {"key": key})


_TYPED = ("type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const")


def _typed_items(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    items = part.schema.get("items")
    if _is(part, "array") and isinstance(items, dict) and not any(key in items for key in _TYPED):
        yield Problem("typed_items", ("items",))


_TYPING = frozenset(("type", "$ref", "anyOf", "oneOf", "allOf", "not", "const"))
"""What says the type of a part; whoever does not accept one of them is reported for that."""


def _typed_parts(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    anything = part.role == OTHER and part.path[-1] == "additionalProperties" and not part.schema
    if not anything:
        yield Problem("typed_parts", (), {"what": spoken(part)})


def _typed_properties(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    return _typed_parts(schema, part) if part.role == PROPERTY else iter(())


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


def _untyped_any_of(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    if "anyOf" in part.schema and "type" in part.schema:
        yield Problem("lone_any_of", ("type",), {"key": "type"})


def _single_all_of(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    if len(_member(part, "allOf", list)) > 1:
        yield Problem("single_all_of", ("allOf",))


def _properties_for_required(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    if "properties" not in part.schema and _member(part, "required", list):
        yield Problem("properties_for_required", ("required",))


def _no_default(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    if part.schema.get("default") is not None:
        yield Problem("key", ("default",), {"key": "default"})


def _single_items(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    if isinstance(part.schema.get("items"), list):
        yield Problem("single_items", ("items",))


def _items_of_arrays(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    stated = part.schema.get("type")
    if isinstance(stated, str) and stated != "array":
        for key in ("items", "minItems", "maxItems"):
            if key in part.schema:
                yield Problem("items_of_arrays", (key,), {"key": key})


def _lone_any_of(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    if "anyOf" in part.schema and len(part.schema) > 1:
        key = next(key for key in part.schema if key != "anyOf")
        yield Problem("lone_any_of", (key,), {"key": key})


def _single_type(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    written = part.schema if schema.style == JSON else schema.as_written(part)
    if isinstance(written.get("type"), list):
        yield Problem("single_type", ("type",))


def _no_boolean_schema(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    for name, value in _member(part, "properties", dict).items():
        if isinstance(value, bool):
            yield Problem("boolean_schema", ("properties", name))


def _plain_enum(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    enum, types = part.schema.get("enum"), _member(part, "type", list)
    plain = len(types) < 2 or (len(types) == 2 and "null" in types and "object" not in types and "array" not in types)
    if isinstance(enum, list) and not (enum and plain):
        yield Problem("plain_enum", ("enum",))


def _plain_definitions(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    inside = part.path[:1] == ("$defs",)
    for key in ("properties",) if inside else ("$defs",) if part.role == ROOT else ():
        for name in _member(part, key, dict):
            if "/" in name or (key == "$defs" and not name):
                yield Problem("definition_name", (key, name), {"name": name})


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


def _ending_recursion(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    if part.role == ROOT and "required" in part.schema and not _ends(part.schema):
        yield Problem("endless_recursion", ("required",))


def _ends(root: dict[str, Any]) -> bool:
    """Whether a value need not go on for ever, as Moonshot decides it: arrays are taken to have an item, and one required
    property that ends is enough (MoonshotAI/walle, validator.go, CheckRefTermination).
    """
    pending: list[Any] = [root]
    seen: set[int] = set()
    while pending:
        value = pending.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if not isinstance(value, dict):
            return True
        reference, branches, kind = value.get("$ref"), value.get("anyOf"), value.get("type")
        if isinstance(reference, str):
            target = at_pointer(root, reference[1:]) if reference == "#" or reference.startswith("#/$defs/") else None
            inner = [None if target is None else target.value]
        elif isinstance(branches, list):
            inner = branches
        elif kind in ("array", ["array"]):
            inner = [value.get("items")]
        elif kind in ("object", ["object"]):
            properties, required = value.get("properties"), value.get("required")
            known = properties if isinstance(properties, dict) else {}
            inner = [known[name] for name in (required if isinstance(required, list) else ()) if name in known]
        else:
            return True
        if not inner:
            return True
        pending += inner
    return False


def _described(schema: ToolSchema, part: Subschema) -> Iterator[Problem[Path]]:
    if part.role == PROPERTY and not part.schema.get("description"):
        yield Problem("described", (), {"name": parameter_of(part)})


_Structure = Callable[[ToolSchema, Subschema], Iterator[Problem[Path]]]


_UNTYPED = ("!",)
"""In place of keywords: the parts that do not say their type."""


def _named(*structures: _Structure, on: str = "") -> dict[str, tuple[tuple[str, ...], _Structure]]:
    """Demands on structure by their names, each with the keywords of which a part must have one; none for every part."""
    return {each.__name__[1:].replace("_", "-"): (tuple(on.split()), each) for each in structures}


_STRUCTURES = {
    **_named(_object_properties, _closed_objects, _described),
    **_named(_typed_parts, _typed_properties, on=_UNTYPED[0]),
    **_named(_single_all_of, on="allOf"),
    **_named(_lone_any_of, _untyped_any_of, on="anyOf"),
    **_named(_no_default, on="default"),
    **_named(_plain_definitions, on="$defs properties"),
    **_named(_primitive_enum, _text_enum, _plain_enum, on="enum"),
    **_named(_single_items, _typed_items, on="items"),
    **_named(_items_of_arrays, on="items minItems maxItems"),
    **_named(_few_min_items, on="minItems"),
    **_named(_no_lookaround, on="pattern"),
    **_named(_array_items, on="type"),
    **_named(_all_required, _no_boolean_schema, on="properties"),
    **_named(_lone_ref, _described_ref, _local_ref, _defs_ref, _untyped_ref, _no_recursion, on="$ref"),
    **_named(_properties_for_required, _declared_required, _ending_recursion, on="required"),
    **_named(_single_type, on="type"),
}
"""The demands on structure, by the names that they have in profiles."""


def _sizes(schema: ToolSchema, limits: Mapping[str, list[tuple[int, Refusers]]]) -> Iterator[Refusal]:
    """Limits of the whole schema, each reported at the first place that is too much for somebody."""
    counts = dict.fromkeys(LIMITS, 0)
    levels = "most_levels" in limits
    waiting = {kind: sorted(limits[kind], key=lambda limit: limit[0]) for kind in limits}
    for part in schema.subschemas:
        names, enum = _member(part, "properties", dict), _member(part, "enum", list)
        counts["most_levels"] = _depth(part) if levels else 0
        counts["most_properties"] += len(names)
        counts["most_enum_values"] += len(enum)
        counts["most_characters"] += (
            sum(map(len, names))
            + sum(len(value) for value in enum if isinstance(value, str))
            + len(_member(part, "const", str))
        )
        for kind, lowest in waiting.items():
            if lowest and counts[kind] > lowest[0][0]:
                most, refusers = lowest.pop(0)
                yield part, Problem(kind, (), {"most": most}), refusers


def _depth(part: Subschema) -> int:
    """How many objects and arrays a subschema is in, itself among them."""
    depth = 0
    current: Subschema | None = part
    while current is not None and current.role != DEFINITION:
        depth += current.schema.get("type") in ("object", "array")
        current = current.parent
    return depth
