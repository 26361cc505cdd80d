"""TypeBox (`@sinclair/typebox`, `typebox`), whose schemas are JSON Schemas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.operations import plain
from toolsurface_lint.programs.schema import build
from toolsurface_lint.programs.typescript.schemas.reader import Part, Reader, alternatives, enumerated, kept

_PACKAGES = ("@sinclair/typebox.", "typebox.")
_SIMPLE: dict[str, dict[str, Any]] = {
    "String": {"type": "string"}, "Number": {"type": "number"}, "Integer": {"type": "integer"},
    "Boolean": {"type": "boolean"}, "Null": {"type": "null"}, "Any": {}, "Unknown": {}, "Never": {"not": {}},
    "BigInt": {"type": "integer"}, "Date": {"type": "string", "format": "date-time"}, "RegExp": {"type": "string"},
    "TemplateLiteral": {"type": "string"},
}  # fmt: skip
_WITHOUT_OPTIONS = frozenset(("Object", "Enum", "Unsafe", "Optional", "Readonly"))


def _name(made: v.Made) -> str:
    _, mark, name = made.path.rpartition(".Type.")
    if mark:
        return name
    return next((made.path[len(package) :] for package in _PACKAGES if made.path.startswith(package)), "")


def is_typebox(base: v.Made) -> bool:
    name = _name(base)
    return name in _SIMPLE or name in _MAKERS


def part(value: v.Made, reader: Reader) -> Part | None:
    """The schema of a value of this library."""
    name, call = _name(value), value.arguments
    if name in _SIMPLE:
        found: Part | None = Part(build(_SIMPLE[name], *call.at))
    else:
        maker = _MAKERS.get(name)
        found = None if maker is None else maker(value, reader)
    options = call.values[-1] if len(call.values) > (name not in _SIMPLE and name in _WITHOUT_OPTIONS) else None
    if found is not None and isinstance(options, v.Mapping):
        found.schema.entries.update(options.entries)
    return found


def _object(value: v.Made, reader: Reader) -> Part | None:
    shape = shape_of(value)
    if shape is None or not reader.spend(len(shape.entries)):
        return None
    return Part(reader.object(shape, *value.arguments.at))


def shape_of(value: v.Value | None) -> v.Mapping | None:
    """The properties of an object schema, each as the program makes it; None for anything else."""
    if not isinstance(value, v.Made):
        return None
    name, call = _name(value), value.arguments
    first = call.first_value
    if name == "Object":
        return first if isinstance(first, v.Mapping) else v.Mapping(*call.at, complete=False)
    if name in ("Composite", "Intersect", "Evaluate"):
        shapes = [shape_of(item) for item in first.items] if isinstance(first, v.Items) else [None]
        entries = {key: entry for shape in shapes if shape is not None for key, entry in shape.entries.items()}
        whole = all(shape is not None and shape.complete for shape in shapes)
        return v.Mapping(*call.at, entries, complete=whole and isinstance(first, v.Items) and first.complete)
    shape = shape_of(first) if name in ("Partial", "Required", "Pick", "Omit") else None
    if shape is None:
        return None
    if name in ("Pick", "Omit"):
        return kept(shape, call.values[1] if len(call.values) > 1 else None, keep=name == "Pick")
    changed = {}
    for key, entry in shape.entries.items():
        inner = entry.value
        while isinstance(inner, v.Made) and _name(inner) == "Optional" and inner.arguments.first_value is not None:
            inner = inner.arguments.first_value
        if name == "Partial":
            inner = v.Made(f"{_PACKAGES[0]}Optional", v.Call(*call.at, inner))
        changed[key] = entry._replace(value=inner)
    return v.Mapping(shape.module, shape.node, changed, shape.complete)


def _first(value: v.Made, reader: Reader) -> Part:
    return reader.read(value.arguments.get("", 0), value.arguments)


def _optional(value: v.Made, reader: Reader) -> Part:
    return _first(value, reader)._replace(required=False)


def _literal(value: v.Made, reader: Reader) -> Part | None:
    given, call = value.arguments.first_value, value.arguments
    found = None if given is None else enumerated([given], *call.at)
    return None if found is None else Part(found)


def _enum(value: v.Made, reader: Reader) -> Part | None:
    given, call = value.arguments.first_value, value.arguments
    if not isinstance(given, v.Mapping | v.Items) or not given.complete:
        return None
    listed = given.items if isinstance(given, v.Items) else [entry.value for entry in given.entries.values()]
    found = enumerated(listed, *call.at)
    return None if found is None else Part(found)


def _union(value: v.Made, reader: Reader) -> Part | None:
    given, call = value.arguments.first_value, value.arguments
    if not isinstance(given, v.Items) or not given.complete or not given.items:
        return None
    return alternatives([reader.item(item, call) for item in given.items], *call.at)


def _array(value: v.Made, reader: Reader) -> Part:
    return Part(build({"type": "array", "items": _first(value, reader).schema}, *value.arguments.at))


def _tuple(value: v.Made, reader: Reader) -> Part:
    given, call = value.arguments.first_value, value.arguments
    if not isinstance(given, v.Items) or not given.complete:
        return Part(build({"type": "array"}, *call.at))
    parts = [reader.item(item, call).schema for item in given.items]
    written = {"type": "array", "prefixItems": parts, "minItems": len(parts), "maxItems": len(parts)}
    return Part(build(written, *call.at))


def _record(value: v.Made, reader: Reader) -> Part:
    call = value.arguments
    return Part(build({"type": "object", "additionalProperties": reader.read(call.get("", 1), call).schema}, *call.at))


def _unsafe(value: v.Made, reader: Reader) -> Part | None:
    given = value.arguments.first_value
    return Part(v.Mapping(given.module, given.node, dict(given.entries))) if isinstance(given, v.Mapping) else None


_MAKERS: dict[str, Callable[[v.Made, Reader], Part | None]] = {
    **dict.fromkeys(("Object", "Composite", "Intersect", "Evaluate", "Partial", "Required", "Pick", "Omit"), _object),
    "Optional": _optional,
    "ReadonlyOptional": _optional,
    "Readonly": _first,
    "Literal": _literal,
    "Enum": _enum,
    "Union": _union,
    "Array": _array,
    "Tuple": _tuple,
    "Record": _record,
    "Unsafe": _unsafe,
}


def attribute(holder: v.Made, name: str) -> v.Value | None:
    """A keyword of a schema that others are made of."""
    if name == "properties":
        return shape_of(holder)
    given = holder.arguments.first_value
    if name == "items" and _name(holder) == "Array":
        return given
    return given if name == "const" and plain(given) is not None and _name(holder) == "Literal" else None
