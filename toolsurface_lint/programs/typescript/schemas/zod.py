"""zod, versions 3 and 4, `zod/mini` among them: what a caller sends, the input of a schema.

zod/v4/core/to-json-schema.ts and zod-to-json-schema 3. Where they differ, the one that says less: a property that only
one of them requires is not required.
"""

from __future__ import annotations

from collections.abc import Callable

from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.operations import plain
from toolsurface_lint.programs.schema import build
from toolsurface_lint.programs.typescript.expressions import GLOBAL, MethodCall
from toolsurface_lint.programs.typescript.schemas.constraints import constrain
from toolsurface_lint.programs.typescript.schemas.reader import (
    Chain,
    Part,
    Reader,
    alternatives,
    describe,
    enumerated,
    given_default,
    kept,
    or_null,
    unrolled,
)
from toolsurface_lint.programs.typescript.schemas.zod_types import MAKERS, add_words, begin, both

_OBJECTS = {"object": None, "strictObject": False, "looseObject": True, "interface": None}
"""Functions that make objects, and what those say of properties that are not named."""
_OPENNESS = {"strict": False, "passthrough": True, "loose": True}
_INNER = frozenset(("unwrap", "innerType", "sourceType", "removeDefault", "removeCatch", "nonoptional"))
_WRAPPERS = frozenset(("optional", "nullable", "nullish", "default", "catch", "prefault", "readonly", "array"))
_SAME = frozenset((
    "refine", "superRefine", "transform", "brand", "readonly", "pipe", "trim", "toLowerCase", "toUpperCase", "normalize",
    "finite", "safe", "strip", "overwrite", "register", "clone", "check", "refinement", "overwrite", "slugify",
))  # fmt: skip
"""Methods that change nothing of what a caller may send that a schema says."""


def _name(base: v.Made) -> str:
    """The function of the library that was called: `string`, `coerce.number`, `iso.date`; empty if none was."""
    path = base.path
    package, mark, name = path.partition(".z.")
    if not mark:
        for start in (
            "zod.default.",
            "zod.",
            "zod/v4.",
            "zod/v3.",
            "zod/mini.",
            "zod/v4-mini.",
            "zod/v4/mini.",
            "zod/v4/core.",
        ):
            if path.startswith(start):
                return path[len(start) :]
        return ""
    return name if not package.startswith(GLOBAL) else ""


def is_zod(base: v.Made) -> bool:
    return bool(_name(base))


def _unrolled(value: v.Made) -> Chain:
    """As `unrolled`; `z.optional(schema)` is `schema.optional()`."""
    chain = unrolled(value)
    methods = chain.methods
    while True:
        base = chain.base
        name, first = _name(base), base.arguments.first_value
        is_method = name not in MAKERS and (name in _METHODS or name in _SHAPES or name == "_default")
        if not (is_method and isinstance(first, v.Made) and is_zod(unrolled(first).base)):
            return Chain(base, methods)
        rest = v.Call(*base.arguments.at, open=base.arguments.open)
        rest.positional = base.arguments.positional[1:]
        inner = unrolled(first)
        methods = [*inner.methods, MethodCall(first, name.removeprefix("_"), rest), *methods]
        chain = Chain(inner.base, methods)


# The properties of objects


def shape_of(value: v.Made) -> v.Mapping | None:
    """The properties of an object schema, each with its own schema as the program makes it; None for anything else."""
    chain = _unrolled(value)
    return _shape(chain, len(chain.methods))


def _shape(chain: Chain, end: int) -> v.Mapping | None:
    if _name(chain.base) not in _OBJECTS:
        return None
    call = chain.base.arguments
    first = call.first_value
    shape = first if isinstance(first, v.Mapping) else v.Mapping(*call.at, complete=first is None and not call.open)
    for method in chain.methods[:end]:
        changed = _SHAPES.get(method.last)
        if changed is not None:
            shape = changed(shape, method)
    return shape


def _extend(shape: v.Mapping, method: MethodCall) -> v.Mapping:
    given = method.arguments.first_value
    more = shape_of(given) if isinstance(given, v.Made) else given
    if not isinstance(more, v.Mapping):
        return v.Mapping(shape.module, shape.node, shape.entries, complete=False)
    complete = shape.complete and more.complete
    return v.Mapping(shape.module, shape.node, {**shape.entries, **more.entries}, complete)


def _kept(keep: bool) -> Callable[[v.Mapping, MethodCall], v.Mapping]:
    return lambda shape, method: kept(shape, method.arguments.first_value, keep=keep)


def _wrapped(wrapper: str) -> Callable[[v.Mapping, MethodCall], v.Mapping]:
    """Each property, or each that is named, with a method called on it."""

    def change(shape: v.Mapping, method: MethodCall) -> v.Mapping:
        chosen = shape
        if method.arguments.positional:
            chosen = kept(shape, method.arguments.first_value, keep=True)
            if not chosen.complete and wrapper == "optional":
                # Which of them is not known: they need not be sent.
                chosen = shape
        entries = dict(shape.entries)
        for key, entry in chosen.entries.items():
            if isinstance(entry.value, v.Made):
                entries[key] = entry._replace(value=MethodCall(entry.value, wrapper, v.Call(*entry.value.arguments.at)))
        return v.Mapping(shape.module, shape.node, entries, shape.complete)

    return change


_SHAPES: dict[str, Callable[[v.Mapping, MethodCall], v.Mapping]] = {
    "extend": _extend,
    "safeExtend": _extend,
    "augment": _extend,
    "setKey": lambda shape, method: v.Mapping(shape.module, shape.node, shape.entries, complete=False),
    "merge": _extend,
    "pick": _kept(keep=True),
    "omit": _kept(keep=False),
    "partial": _wrapped("optional"),
    "deepPartial": _wrapped("optional"),
    "required": _wrapped("nonoptional"),
}


# Where a schema begins


def part(value: v.Made, reader: Reader) -> Part | None:
    """The schema of a value of this library."""
    chain = _unrolled(value)
    if not reader.spend(len(chain.methods)):
        return None
    at = max((number for number, method in enumerate(chain.methods, 1) if method.last in _INNER), default=0)
    if at and chain.methods[at - 1].last != "nonoptional":
        found = _inner(chain, at - 1, reader)
    else:
        at = 0
        shape_end = max((number for number, method in enumerate(chain.methods, 1) if method.last in _SHAPES), default=0)
        shape = _shape(chain, shape_end)
        if shape is None:
            found = begin(_name(chain.base), chain.base.arguments, reader)
        else:
            found = _object(chain, shape, reader)
    for method in chain.methods[at:]:
        if found is None:
            return None
        found = _apply(found, method, reader)
    return found


def _inner(chain: Chain, at: int, reader: Reader) -> Part | None:
    """What a wrapper has in it: the method at a position takes it out."""
    inside = 1
    while at:
        at -= 1
        method = chain.methods[at]
        inside += method.last in _INNER
        inside -= method.last in _WRAPPERS
        if not inside:
            return reader.part(method.receiver)
    name, call = _name(chain.base), chain.base.arguments
    return reader.part(call.first_value) if name in ("array", "optional", "nullable", "nullish") else None


def _object(chain: Chain, shape: v.Mapping, reader: Reader) -> Part | None:
    if not reader.spend(len(shape.entries)):
        return None
    call = chain.base.arguments
    schema = reader.object(shape, *call.at)
    openness = _OBJECTS[_name(chain.base)]
    if openness is not None:
        schema.set("additionalProperties", v.Literal(openness, *call.at))
    add_words(schema, "object", call)
    return Part(schema)


# What methods do


def _apply(found: Part, method: MethodCall, reader: Reader) -> Part | None:
    name, call = method.last, method.arguments
    schema = found.schema
    if name in ("describe", "title"):
        if call.first_value is not None:
            schema.set("description" if name == "describe" else name, call.first_value)
        return found
    if name in ("meta", "openapi"):
        describe(schema, call.first_value)
        return found
    if name == "check":
        for check in call.values:
            if isinstance(check, v.Made):
                inner = MethodCall(method, _name(check).rpartition(".")[2] or check.last, check.arguments)
                if inner.last != "check":
                    found = _apply(found, inner, reader) or found
        return found
    if name in _SAME or name in _SHAPES or constrain(schema, name, call):
        return found
    if name in _OPENNESS:
        schema.set("additionalProperties", v.Literal(_OPENNESS[name], *call.at))
        return found
    made = _METHODS.get(name)
    return None if made is None else made(found, call, reader)


def _default(found: Part, call: v.Call, reader: Reader) -> Part:
    default = given_default(reader, call.first_value, call)
    if default is not None:
        found.schema.set("default", default)
    return Part(found.schema, required=False)


def _and(found: Part, call: v.Call, reader: Reader) -> Part:
    return both([found, reader.read(call.get("", 0), call)], call)


def _or(found: Part, call: v.Call, reader: Reader) -> Part:
    return alternatives([found, reader.read(call.get("", 0), call)], *call.at)


def _catchall(found: Part, call: v.Call, reader: Reader) -> Part:
    found.schema.set("additionalProperties", reader.read(call.get("", 0), call).schema)
    return found


def _keyof(found: Part, call: v.Call, reader: Reader) -> Part:
    properties = found.schema.get("properties")
    if not isinstance(properties, v.Mapping) or not properties.complete:
        return Part(build({"type": "string"}, *call.at))
    names = [entry.key for entry in properties.entries.values()]
    return Part(enumerated(names, *call.at) or build({"type": "string"}, *call.at))


def _chosen(found: Part, call: v.Call, reader: Reader, *, keep: bool) -> Part:
    given, listed = call.first_value, found.schema.get("enum")
    if not isinstance(given, v.Items) or not given.complete or not isinstance(listed, v.Items):
        return Part(build({"type": "string"}, *call.at))
    names = [plain(item) for item in given.items]
    kept = [item for item in listed.items if (plain(item) in names) is keep]
    return Part(enumerated(kept, *call.at) or build({"type": "string"}, *call.at))


_METHODS: dict[str, Callable[[Part, v.Call, Reader], Part | None]] = {
    "optional": lambda found, call, reader: Part(found.schema, required=False),
    "exactOptional": lambda found, call, reader: Part(found.schema, required=False),
    "nonoptional": lambda found, call, reader: Part(found.schema),
    "nullable": lambda found, call, reader: Part(or_null(found.schema, *call.at), found.required),
    "nullish": lambda found, call, reader: Part(or_null(found.schema, *call.at), required=False),
    "default": _default,
    "prefault": _default,
    "catch": _default,
    "array": lambda found, call, reader: Part(build({"type": "array", "items": found.schema}, *call.at)),
    "promise": lambda found, call, reader: found,
    "and": _and,
    "or": _or,
    "catchall": _catchall,
    "keyof": _keyof,
    "extract": lambda found, call, reader: _chosen(found, call, reader, keep=True),
    "exclude": lambda found, call, reader: _chosen(found, call, reader, keep=False),
}


# What programs ask schemas for


def attribute(holder: v.Made, name: str) -> v.Value | None:
    """An attribute of a schema: `.shape`, the `.element` of an array, the `.options` of an enum or a union."""
    if name == "shape":
        return shape_of(holder)
    chain = _unrolled(holder)
    if name == "element":
        at = next((method for method in reversed(chain.methods) if method.last == "array"), None)
        is_array = _name(chain.base) == "array"
        return at.receiver if at is not None else chain.base.arguments.first_value if is_array else None
    kind, given = _name(chain.base), chain.base.arguments
    if name == "options" and kind in ("enum", "union", "discriminatedUnion"):
        return next((value for value in given.values if isinstance(value, v.Items)), None)
    if name in ("enum", "Enum", "Values") and kind in ("enum", "nativeEnum"):
        return _as_enum(given.first_value)
    if name == "value" and kind == "literal":
        return given.first_value
    return None


def _as_enum(given: v.Value | None) -> v.Value | None:
    """An enum as an object whose properties are its members."""
    if not isinstance(given, v.Items):
        return given
    members = v.Mapping(given.module, given.node, complete=given.complete)
    for item in given.items:
        if isinstance(plain(item), str):
            members.entries[plain(item)] = v.Entry(item, item)
    return members
