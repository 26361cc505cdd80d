"""The functions of zod that make schemas, but for those of objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.schema import ANYTHING, build
from toolsurface_lint.programs.typescript.schemas.reader import Part, Reader, alternatives, enumerated

_STRINGS = {
    "email": "email", "url": "uri", "httpUrl": "uri", "uuid": "uuid", "uuidv4": "uuid", "uuidv7": "uuid", "guid": "uuid",
    "datetime": "date-time", "date": "date", "time": "time", "duration": "duration", "ipv4": "ipv4", "ipv6": "ipv6",
}  # fmt: skip
_TEXTS = (
    "string", "cuid", "cuid2", "ulid", "nanoid", "base64", "base64url", "jwt", "emoji", "e164", "xid", "ksuid", "cidrv4",
    "cidrv6", "hex", "hash", "hostname", "stringbool", "templateLiteral", "stringFormat",
)  # fmt: skip
_SIMPLE: dict[str, dict[str, Any]] = {
    **{name: {"type": "string"} for name in _TEXTS},
    **{name: {"type": "string", "format": written} for name, written in _STRINGS.items() if name not in ("date", "time")},
    "number": {"type": "number"}, "float32": {"type": "number"}, "float64": {"type": "number"}, "nan": {"type": "number"},
    "int": {"type": "integer"}, "int32": {"type": "integer"}, "uint32": {"type": "integer", "minimum": 0},
    "bigint": {"type": "integer"}, "boolean": {"type": "boolean"}, "null": {"type": "null"}, "never": {"not": {}},
    "date": {"type": "string", "format": "date-time"},
}  # fmt: skip
_ISO = {"datetime": "date-time", "date": "date", "time": "time", "duration": "duration"}
_PARAMETERS = {
    "string": 0, "number": 0, "boolean": 0, "date": 0, "any": 0, "unknown": 0, "object": 1, "array": 1, "enum": 1,
}  # fmt: skip
"""Functions that may be given a description, and with which of their arguments."""


def add_words(schema: v.Mapping, name: str, call: v.Call) -> None:
    """`z.string({ description })`, as version 3 has it."""
    position = _PARAMETERS.get(name)
    given = call.values[position] if position is not None and len(call.values) > position else None
    entry = given.entries.get("description") if isinstance(given, v.Mapping) else None
    if entry is not None and isinstance(entry.value, v.Literal | v.Text):
        schema.entries["description"] = entry


def begin(name: str, call: v.Call, reader: Reader) -> Part | None:
    """The schema that a function of the library makes, which is not that of an object; None if it is not known."""
    coerced = name.startswith("coerce.")
    if name.startswith("iso."):
        written = _ISO.get(name[4:])
        return None if written is None else Part(build({"type": "string", "format": written}, *call.at))
    name = name.removeprefix("coerce.")
    if name in _SIMPLE:
        schema = build(_SIMPLE[name], *call.at)
        add_words(schema, name, call)
        return Part(schema)
    if name in ("any", "unknown", "json"):
        schema = build({}, *call.at)
        add_words(schema, name, call)
        return Part(schema, required=coerced)
    if name in ("undefined", "void"):
        return Part(build({"not": {}}, *call.at), required=False)
    made = MAKERS.get(name)
    if made is None:
        return None
    found = made(reader, call)
    if found is not None:
        add_words(found.schema, name, call)
    return found


def _enum(reader: Reader, call: v.Call) -> Part:
    given = call.first_value
    values: list[v.Value] = []
    complete = False
    if isinstance(given, v.Items):
        values, complete = given.items, given.complete and not given.otherwise
    elif isinstance(given, v.Mapping):
        complete = given.complete
        values = [entry.value for entry in given.entries.values()]
    found = enumerated(values, *call.at) if complete else None
    return Part(found or build({"type": "string"}, *call.at))


def _native_enum(reader: Reader, call: v.Call) -> Part:
    return (
        _enum(reader, call) if isinstance(call.first_value, v.Mapping) else reader.gap(*call.at)._replace(required=True)
    )


def _literal(reader: Reader, call: v.Call) -> Part:
    given = call.first_value
    values = given.items if isinstance(given, v.Items) and given.complete else [] if given is None else [given]
    found = enumerated(values, *call.at)
    return Part(found or build(ANYTHING, *call.at), required=found is not None)


def _union(position: int) -> Callable[[Reader, v.Call], Part]:
    def made(reader: Reader, call: v.Call) -> Part:
        given = call.values[position] if len(call.values) > position else None
        if not isinstance(given, v.Items) or not given.complete or not given.items:
            return reader.gap(*call.at)
        return alternatives([reader.item(item, call) for item in given.items], *call.at)

    return made


def _intersection(reader: Reader, call: v.Call) -> Part:
    parts = [reader.read(argument, call) for argument in call.positional[:2]]
    return both(parts, call)


def both(parts: list[Part], call: v.Call) -> Part:
    required = any(part.required for part in parts)
    return Part(build({"allOf": [part.schema for part in parts]}, *call.at), required)


def _array(reader: Reader, call: v.Call) -> Part:
    items = reader.read(call.get("", 0), call).schema
    return Part(build({"type": "array", "items": items}, *call.at))


def _set(reader: Reader, call: v.Call) -> Part:
    found = _array(reader, call)
    found.schema.set("uniqueItems", v.Literal(True, *call.at))
    return found


def _tuple(reader: Reader, call: v.Call) -> Part:
    given = call.first_value
    if not isinstance(given, v.Items) or not given.complete:
        return Part(build({"type": "array"}, *call.at))
    parts = [reader.item(item, call).schema for item in given.items]
    written: dict[str, Any] = {"type": "array", "prefixItems": parts, "minItems": len(parts)}
    if len(call.values) < 2 or isinstance(call.values[1], v.Literal | v.Mapping):
        written["maxItems"] = len(parts)
    else:
        written["items"] = reader.read(call.positional[1], call).schema
    return Part(build(written, *call.at))


def _record(reader: Reader, call: v.Call) -> Part:
    arguments = [each for each in call.positional if not isinstance(each.value, v.Mapping)]
    written: dict[str, Any] = {"type": "object"}
    if len(arguments) > 1:
        keys = reader.read(arguments[0], call).schema
        if keys.get("enum") is not None or keys.get("pattern") is not None:
            written["propertyNames"] = keys
    written["additionalProperties"] = reader.read(arguments[-1] if arguments else None, call).schema
    return Part(build(written, *call.at))


def _map(reader: Reader, call: v.Call) -> Part:
    pair = [reader.read(argument, call).schema for argument in call.positional[:2]]
    items = {"type": "array", "prefixItems": pair, "minItems": 2, "maxItems": 2}
    return Part(build({"type": "array", "items": items}, *call.at))


def _lazy(reader: Reader, call: v.Call) -> Part | None:
    return reader.result(call.first_value, call)


def _preprocess(reader: Reader, call: v.Call) -> Part | None:
    return reader.read(call.get("", 1), call)


def _first(reader: Reader, call: v.Call) -> Part | None:
    return reader.read(call.get("", 0), call)


MAKERS: dict[str, Callable[[Reader, v.Call], Part | None]] = {
    "enum": _enum,
    "nativeEnum": _native_enum,
    "literal": _literal,
    "union": _union(0),
    "xor": _union(0),
    "discriminatedUnion": _union(1),
    "intersection": _intersection,
    "array": _array,
    "set": _set,
    "tuple": _tuple,
    "record": _record,
    "partialRecord": _record,
    "looseRecord": _record,
    "map": _map,
    "lazy": _lazy,
    "preprocess": _preprocess,
    "codec": _first,
    "pipe": _first,
    "promise": _first,
}
