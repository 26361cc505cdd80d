"""Reads the schemas of several libraries, which may lie within one another, and gives each its JSON Schema."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.operations import plain, truth
from toolsurface_lint.programs.schema import ANYTHING, Property, build, object_schema
from toolsurface_lint.programs.typescript.expressions import MethodCall

if TYPE_CHECKING:
    from toolsurface_lint.source.program_tree import Located

MAX_DEPTH = 25
MAX_PARTS = 5_000
"""Schemas within each other, and in one: a few constants that use each other twice make a billion of them."""

_JSON_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}


class Part(NamedTuple):
    """The JSON Schema of what a caller sends, and whether it must be sent where this is a property."""

    schema: v.Mapping
    required: bool = True


class Chain(NamedTuple):
    """`base().first(...).second(...)`, the methods in this order."""

    base: v.Made
    methods: list[MethodCall]


def unrolled(value: v.Made) -> Chain:
    """The methods that are called on something from a package, one on the result of another."""
    methods: list[MethodCall] = []
    while isinstance(value, MethodCall):
        methods.append(value)
        value = value.receiver
    return Chain(value, methods[::-1])


class Reader:
    """Reads one schema; what is too large or too deep for it becomes a gap, which allows anything.

    `read_part` reads what is not too deep, as the library says that made it.
    """

    def __init__(self, evaluator: Evaluator, read_part: Callable[[v.Value, Reader], Part | None]) -> None:
        self.evaluator = evaluator
        self._read_part = read_part
        self._left = MAX_PARTS
        self._depth = 0
        self._active: set[v.Node] = set()

    def spend(self, size: int) -> bool:
        """Count the parts of a schema; whether there may be so many. Raises `OutOfSteps` where the project has too many."""
        self.evaluator.spend(size)
        self._left -= size
        return self._left >= 0

    def part(self, value: v.Value | None) -> Part | None:
        """The schema that a value is or makes; None if it is not one that is known."""
        return None if value is None else self.inside(lambda: self._read_part(value, self))

    def inside(self, read: Callable[[], Part | None]) -> Part | None:
        """What a function reads of a schema in another; None where there are too many within each other."""
        if self._depth >= MAX_DEPTH or not self.spend(1):
            return None
        self._depth += 1
        try:
            return read()
        finally:
            self._depth -= 1

    def read(self, argument: v.Argument | None, call: v.Call) -> Part:
        """The schema that an argument of a call gives, or a gap."""
        if argument is None:
            return self.gap(*call.at)
        return self.part(argument.value) or self.gap(argument.module, argument.site)

    def item(self, value: v.Value, call: v.Call) -> Part:
        """The schema that an element of an array gives, or a gap."""
        return self.part(value) or self.gap(value.module or call.module, value.node or call.node)

    def gap(self, module: v.Module | None, node: Located | None) -> Part:
        """What allows anything, and need not be sent."""
        return Part(build(ANYTHING, module, node), required=False)

    def result(self, function: v.Value | None, call: v.Call) -> Part | None:
        """The schema that a function without parameters returns: once, where it is a part of itself."""
        if not isinstance(function, v.Function) or function.code in self._active:
            return None
        self._active.add(function.code)
        try:
            return self.part(self.evaluator.call(function, v.Call(*call.at)))
        finally:
            self._active.discard(function.code)

    def object(self, shape: v.Mapping, module: v.Module, node: Located) -> v.Mapping:
        """The schema of an object with a schema for each property."""
        properties: list[Property] = []
        for key, entry in shape.entries.items():
            module_of, node_of = entry.key.module or module, entry.key.node or node
            found = self.part(entry.value) or self.gap(entry.value.module or module_of, entry.value.node or node_of)
            name = v.Literal(str(key), module_of, node_of)
            properties.append(Property(name, found.schema, found.required))
        schema = object_schema(properties, module, node)
        written = schema.get("properties")
        if isinstance(written, v.Mapping):
            written.complete = shape.complete
        return schema


def enumerated(values: Iterable[v.Value], module: v.Module, node: Located) -> v.Mapping | None:
    """The schema of one of some plain values; None if they are not all known."""
    members: dict[tuple[type, object], v.Literal] = {}
    for value in values:
        member = plain(value)
        if type(member) not in _JSON_TYPES:
            return None
        members.setdefault((type(member), member), v.Literal(member, value.module, value.node))
    if not members:
        return None
    kinds = {_JSON_TYPES[kind] for kind, _ in members}
    kinds -= {"integer"} if "number" in kinds else set()
    found = list(members.values())
    written: dict[str, object] = {"type": kinds.pop()} if len(kinds) == 1 else {}
    return build({**written, **({"enum": found} if len(found) > 1 else {"const": found[0]})}, module, node)


def kind(schema: v.Mapping) -> str:
    """The type that a schema names; empty if it names none, or several."""
    found = plain(schema.get("type"))
    return found if isinstance(found, str) else ""


def alternatives(parts: list[Part], module: v.Module, node: Located) -> Part:
    """One of several schemas; constants that say nothing else become an enumeration."""
    required = all(part.required for part in parts)
    sent = [part.schema for part in parts if "not" not in part.schema.entries]
    constants = [member for schema in sent for member in _members(schema)]
    if sent and all(_members(schema) for schema in sent):
        listed = enumerated(constants, module, node)
        if listed is not None:
            return Part(listed, required)
    if len(sent) == 1:
        return Part(sent[0], required)
    return Part(build({"anyOf": sent}, module, node), required)


def _members(schema: v.Mapping) -> list[v.Value]:
    """The values that a schema enumerates, if it says nothing else."""
    if not schema.entries.keys() <= {"type", "const", "enum"}:
        return []
    listed = schema.get("enum")
    if isinstance(listed, v.Items):
        return listed.items
    constant = schema.get("const")
    return [] if constant is None else [constant]


def or_null(schema: v.Mapping, module: v.Module, node: Located) -> v.Mapping:
    """A schema that allows null too; what describes the value describes both."""
    if not schema.entries or _is_gap(schema):
        return schema
    null = build({"type": "null"}, module, node)
    parts = schema.get("anyOf")
    outer = v.Mapping(schema.module, schema.node)
    inner = v.Mapping(schema.module, schema.node)
    for key, entry in schema.entries.items():
        (outer if key in ("description", "title", "default") else inner).entries[key] = entry
    if isinstance(parts, v.Items) and len(inner.entries) == 1:
        both = v.Items([*parts.items, null], parts.module, parts.node)
    else:
        both = v.Items([inner, null], module, node)
    outer.set("anyOf", both)
    return outer


def _is_gap(schema: v.Mapping) -> bool:
    parts = schema.get("anyOf")
    return isinstance(parts, v.Items) and any(isinstance(part, v.Mapping) and not part.entries for part in parts.items)


def describe(schema: v.Mapping, given: v.Value | None) -> None:
    """Add what an object says of a value to its schema."""
    if isinstance(given, v.Mapping):
        said = ("description", "title", "examples", "deprecated")
        schema.entries.update((key, entry) for key, entry in given.entries.items() if key in said)


def kept(shape: v.Mapping, names: v.Value | None, *, keep: bool) -> v.Mapping:
    """The properties that an array or an object names, or the others; no more is known where its names are not."""
    chosen: set[Any] | None = None
    if isinstance(names, v.Mapping) and names.complete:
        chosen = {key for key, entry in names.entries.items() if truth(entry.value)[0] is not False}
    elif isinstance(names, v.Items) and names.complete:
        chosen = {plain(item) for item in names.items}
    entries = {key: entry for key, entry in shape.entries.items() if chosen is not None and (key in chosen) is keep}
    complete = chosen is not None and (shape.complete or (keep and chosen <= entries.keys()))
    return v.Mapping(shape.module, shape.node, entries, complete)


def given_default(reader: Reader, value: v.Value | None, call: v.Call) -> v.Value | None:
    """The default that a call gives, or makes; None if it is not plain data, or `undefined`, which JSON leaves out."""
    if isinstance(value, v.Function):
        value = reader.evaluator.call(value, v.Call(*call.at))
    if isinstance(value, v.Literal) and getattr(value.node, "kind", "") == "undefined":
        return None
    return value if isinstance(value, v.Literal | v.Items | v.Mapping) else None
