"""Valibot (`valibot`): what a caller sends, the input of a schema.

What follows a transformation in `pipe` is about its result, and says nothing of what is sent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.schema import build
from toolsurface_lint.programs.typescript.schemas.constraints import constrain
from toolsurface_lint.programs.typescript.schemas.reader import (
    Part,
    Reader,
    alternatives,
    describe,
    enumerated,
    given_default,
    kept,
    or_null,
)

_PACKAGE = "valibot"
_SIMPLE: dict[str, dict[str, Any]] = {
    "string": {"type": "string"}, "number": {"type": "number"}, "boolean": {"type": "boolean"}, "null": {"type": "null"},
    "null_": {"type": "null"}, "any": {}, "unknown": {}, "never": {"not": {}}, "bigint": {"type": "integer"},
    "date": {"type": "string", "format": "date-time"},
}  # fmt: skip
_OBJECTS = {"object": None, "strictObject": False, "looseObject": True, "objectWithRest": None}
_ACTIONS = {
    "integer": "int", "isoDateTime": "datetime", "isoTimestamp": "datetime", "isoDate": "date", "isoTime": "time",
    "gtValue": "gt", "ltValue": "lt", "nonEmpty": "nonempty",
}  # fmt: skip
"""Actions that limit a value, by what `constraints` calls them; the others have the same name there."""
_ENDS = frozenset(("transform", "rawTransform", "toNumber", "toDate", "toBoolean", "parseJson", "transformAsync"))


def _name(made: v.Made) -> str:
    path = made.path
    return path.rpartition(".")[2] if path.startswith(f"{_PACKAGE}.") else ""


def is_valibot(base: v.Made) -> bool:
    return bool(_name(base))


def part(value: v.Made, reader: Reader) -> Part | None:
    """The schema of a value of this library."""
    name, call = _name(value), value.arguments
    if name in _SIMPLE:
        return Part(build(_SIMPLE[name], *call.at))
    shape = shape_of(value)
    if shape is not None:
        return _object(value, shape, reader)
    maker = _MAKERS.get(name)
    return None if maker is None else maker(call, reader)


def _object(value: v.Made, shape: v.Mapping, reader: Reader) -> Part | None:
    if not reader.spend(len(shape.entries)):
        return None
    call = value.arguments
    schema = reader.object(shape, *call.at)
    name = _name(value)
    while name not in _OBJECTS:
        value = value.arguments.first_value  # type: ignore[assignment]
        name = _name(value)
    if name == "objectWithRest":
        schema.set("additionalProperties", reader.read(value.arguments.get("", 1), call).schema)
    elif _OBJECTS[name] is not None:
        schema.set("additionalProperties", v.Literal(_OBJECTS[name], *call.at))
    return Part(schema)


def shape_of(value: v.Value | None) -> v.Mapping | None:
    """The properties of an object schema, each as the program makes it; None for anything else."""
    if not isinstance(value, v.Made):
        return None
    name, call = _name(value), value.arguments
    first = call.first_value
    if name in _OBJECTS:
        return first if isinstance(first, v.Mapping) else v.Mapping(*call.at, complete=False)
    shape = shape_of(first) if name in ("partial", "required", "pick", "omit") else None
    if shape is None:
        return None
    names = call.values[1] if len(call.values) > 1 else None
    if name in ("pick", "omit"):
        return kept(shape, names, keep=name == "pick")
    wrapper = "optional" if name == "partial" else "nonOptional"
    chosen = shape if names is None else kept(shape, names, keep=True)
    changed = {
        key: entry._replace(value=v.Made(f"{_PACKAGE}.{wrapper}", v.Call(*call.at, entry.value)))
        for key, entry in chosen.entries.items()
    }
    return v.Mapping(shape.module, shape.node, {**shape.entries, **changed}, shape.complete and chosen.complete)


def _first(call: v.Call, reader: Reader) -> Part:
    return reader.read(call.get("", 0), call)


def _pipe(call: v.Call, reader: Reader) -> Part:
    found = _first(call, reader)
    for action in call.values[1:]:
        name = _name(action) if isinstance(action, v.Made) else ""
        if not isinstance(action, v.Made) or name in _ENDS or name in _SIMPLE or name in _MAKERS:
            break
        given = action.arguments.first_value
        if name in ("description", "title"):
            if given is not None:
                found.schema.set(name, given)
        elif name == "metadata":
            describe(found.schema, given)
        else:
            constrain(found.schema, _ACTIONS.get(name, name), action.arguments)
    return found


def _optional(call: v.Call, reader: Reader) -> Part:
    found = _first(call, reader)
    default = given_default(reader, call.values[1], call) if len(call.values) > 1 else None
    if default is not None:
        found.schema.set("default", default)
    return found._replace(required=False)


def _nullable(call: v.Call, reader: Reader) -> Part:
    found = _first(call, reader)
    schema = or_null(found.schema, *call.at)
    if len(call.values) > 1:
        default = given_default(reader, call.values[1], call)
        if default is not None:
            schema.set("default", default)
    return Part(schema, found.required)


def _nullish(call: v.Call, reader: Reader) -> Part:
    return _nullable(call, reader)._replace(required=False)


def _listed(given: v.Value | None) -> list[v.Value]:
    if isinstance(given, v.Items):
        return given.items if given.complete else []
    if isinstance(given, v.Mapping):
        return [entry.value for entry in given.entries.values()] if given.complete else []
    return [] if given is None else [given]


def _enum(call: v.Call, reader: Reader) -> Part:
    found = enumerated(_listed(call.first_value), *call.at)
    return reader.gap(*call.at)._replace(required=True) if found is None else Part(found)


def _union(position: int) -> Callable[[v.Call, Reader], Part]:
    def made(call: v.Call, reader: Reader) -> Part:
        given = call.values[position] if len(call.values) > position else None
        if not isinstance(given, v.Items) or not given.complete or not given.items:
            return reader.gap(*call.at)
        return alternatives([reader.item(item, call) for item in given.items], *call.at)

    return made


def _intersect(call: v.Call, reader: Reader) -> Part:
    parts = [reader.item(item, call) for item in _listed(call.first_value)]
    return Part(build({"allOf": [part.schema for part in parts]}, *call.at)) if parts else reader.gap(*call.at)


def _array(call: v.Call, reader: Reader) -> Part:
    return Part(build({"type": "array", "items": _first(call, reader).schema}, *call.at))


def _tuple(call: v.Call, reader: Reader) -> Part:
    parts = [reader.item(item, call).schema for item in _listed(call.first_value)]
    written: dict[str, Any] = {"type": "array", "prefixItems": parts, "minItems": len(parts)} if parts else {}
    return Part(build({"type": "array", **written}, *call.at))


def _record(call: v.Call, reader: Reader) -> Part:
    return Part(build({"type": "object", "additionalProperties": reader.read(call.get("", 1), call).schema}, *call.at))


def _lazy(call: v.Call, reader: Reader) -> Part | None:
    return reader.result(call.first_value, call)


_MAKERS: dict[str, Callable[[v.Call, Reader], Part | None]] = {
    "pipe": _pipe,
    "optional": _optional,
    "exactOptional": _optional,
    "undefinedable": _optional,
    "nullable": _nullable,
    "nullish": _nullish,
    "nonOptional": lambda call, reader: _first(call, reader)._replace(required=True),
    "picklist": _enum,
    "enum": _enum,
    "enum_": _enum,
    "literal": _enum,
    "union": _union(0),
    "variant": _union(1),
    "intersect": _intersect,
    "array": _array,
    "tuple": _tuple,
    "record": _record,
    "lazy": _lazy,
}


def attribute(holder: v.Made, name: str) -> v.Value | None:
    """An attribute of a schema: the `.entries` of an object, the `.item` of an array, what is `.wrapped`."""
    if name == "entries":
        return shape_of(holder)
    given, made = holder.arguments.first_value, _name(holder)
    if (name, made) == ("item", "array") or (name == "wrapped" and made in ("optional", "nullable", "nullish")):
        return given
    return given if name == "options" and made in ("picklist", "union") else None
