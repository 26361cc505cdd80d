"""The JSON Schema of what TypeScript programs give as the schema of a tool."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.operations import plain
from toolsurface_lint.programs.typescript.schemas import arktype, typebox, valibot, zod
from toolsurface_lint.programs.typescript.schemas.reader import Part, Reader, unrolled

_SAYS_TYPE = frozenset(("type", "properties", "anyOf", "oneOf", "allOf", "$ref", "enum", "const"))
_MAX_DEPTH = 60
"""Objects and arrays within each other, in a JSON Schema that is written out."""
CONVERTERS = frozenset((
    "zodToJsonSchema", "toJsonSchema", "toJSONSchema", "jsonSchema", "zodSchema", "valibotSchema", "toStandardJsonSchema",
))  # fmt: skip
"""Functions and methods that give the JSON Schema of what they are given, or mark it as one."""


class Library(NamedTuple):
    """How the schemas of one library are read. `part` and `attribute` are given what a call of the library made.

    `is_own` says whether that is so, by what it was called on first.
    """

    is_own: Callable[[v.Made], bool]
    part: Callable[[v.Made, Reader], Part | None]
    attribute: Callable[[v.Made, str], v.Value | None]


LIBRARIES = (
    Library(zod.is_zod, zod.part, zod.attribute),
    Library(valibot.is_valibot, valibot.part, valibot.attribute),
    Library(typebox.is_typebox, typebox.part, typebox.attribute),
    Library(arktype.is_arktype, arktype.part, arktype.attribute),
)


def _part(value: v.Value, reader: Reader) -> Part | None:
    if isinstance(value, v.Mapping):
        # A copy: what describes it further changes nothing in the program.
        written = written_out(value, reader)
        return Part(v.Mapping(written.module, written.node, dict(written.entries), written.complete))
    library = library_of(value) if isinstance(value, v.Made) else None
    return None if library is None or not isinstance(value, v.Made) else library.part(value, reader)


def library_of(value: v.Made) -> Library | None:
    """The library that made a value."""
    base = unrolled(value).base
    return next((library for library in LIBRARIES if library.is_own(base)), None)


def schema_of(value: v.Value, evaluator: Evaluator) -> v.Mapping | None:
    """The schema that a value is or makes, as far as it is known; None if nothing of it is.

    An object of schemas, a raw shape, is the schema of an object with these properties. Raises `OutOfSteps`.
    """
    reader = Reader(evaluator, _part)
    if isinstance(value, v.Mapping):
        if is_shape(value):
            return reader.object(value, *_place(value))
        return written_out(value, reader) if _is_json_schema(value) else None
    found = reader.part(value)
    return None if found is None else found.schema


def as_object(schema: v.Mapping) -> None:
    """Give a choice of objects the type that the MCP SDK gives it: its root is an object."""
    if "type" not in schema.entries and _is_choice_of_objects(schema):
        schema.set("type", v.Literal("object", *_place(schema)))


def _is_choice_of_objects(schema: v.Value, depth: int = 0) -> bool:
    if not isinstance(schema, v.Mapping) or depth > _MAX_DEPTH:
        return False
    if "type" in schema.entries:
        return bool(plain(schema.get("type")) == "object")
    given = next((found for key in ("anyOf", "oneOf", "allOf") if (found := schema.get(key)) is not None), None)
    if not isinstance(given, v.Items) or not given.items or not given.complete:
        return False
    return all(_is_choice_of_objects(each, depth + 1) for each in given.items)


def converted(function: v.Value, call: v.Call, evaluator: Evaluator) -> v.Mapping | None:
    """The JSON Schema that a call gives which converts a schema of a library; None for any other call."""
    if isinstance(function, v.Method):
        is_method = function.name == "toJSONSchema" and isinstance(function.receiver, v.Made)
        return schema_of(function.receiver, evaluator) if is_method else None
    if not isinstance(function, v.External) or function.last not in CONVERTERS:
        return None
    given = call.first_value
    return None if given is None else schema_of(given, evaluator)


def attribute(holder: v.Made, name: str) -> v.Value | None:
    """An attribute of a schema of a library; None if it has none of this name."""
    library = library_of(holder)
    return None if library is None else library.attribute(holder, name)


def is_shape(value: v.Mapping) -> bool:
    """Whether an object has schemas of a library as properties, as far as they are known."""
    held = [entry.value for entry in value.entries.values()]
    if any(isinstance(each, v.Made) and library_of(each) is not None for each in held):
        return True
    return all(isinstance(each, v.Unknown | v.Outside | v.Method) for each in held)


def _is_json_schema(value: v.Mapping) -> bool:
    written = plain(value.get("type"))
    return isinstance(written, str) or not _SAYS_TYPE.isdisjoint(value.entries)


def written_out(schema: v.Mapping, reader: Reader, depth: int = 0) -> v.Mapping:
    """A JSON Schema with those of libraries in it as JSON Schemas; itself if there are none."""
    changed: dict[object, v.Entry] = {}
    for key, entry in schema.entries.items():
        value = _written_out(entry.value, reader, depth)
        if value is not entry.value:
            changed[key] = entry._replace(value=value)
    if not changed:
        return schema
    return v.Mapping(schema.module, schema.node, {**schema.entries, **changed}, schema.complete)


def _written_out(value: v.Value, reader: Reader, depth: int) -> v.Value:
    if isinstance(value, v.Made):
        found = reader.part(value)
        return value if found is None else found.schema
    if not isinstance(value, v.Mapping | v.Items) or depth > _MAX_DEPTH or not reader.spend(1):
        return value
    if isinstance(value, v.Mapping):
        return written_out(value, reader, depth + 1)
    items = [_written_out(item, reader, depth + 1) for item in value.items]
    if all(new is old for new, old in zip(items, value.items, strict=True)):
        return value
    return v.Items(items, value.module, value.node, value.kind, value.missing)


def _place(value: v.Mapping) -> tuple[v.Module, v.Node]:
    assert value.module is not None
    assert value.node is not None
    return value.module, value.node
