"""ArkType (`arktype`): `type({ name: "string", "age?": "number > 0" })`, of whose language the common part is read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.operations import NOT_PLAIN, plain
from toolsurface_lint.programs.schema import build
from toolsurface_lint.programs.typescript.expressions import MethodCall
from toolsurface_lint.programs.typescript.schemas.constraints import constrain
from toolsurface_lint.programs.typescript.schemas.reader import (
    Part,
    Reader,
    alternatives,
    describe,
    enumerated,
    given_default,
    kept,
    kind,
    unrolled,
)

if TYPE_CHECKING:
    from toolsurface_lint.source.program_tree import Located

MAX_LENGTH = 1_000
"""Characters of a type that is written as a text."""
_MAX_NESTING = 20
_WORDS: dict[str, dict[str, Any]] = {
    "string": {"type": "string"}, "number": {"type": "number"}, "boolean": {"type": "boolean"}, "null": {"type": "null"},
    "number.integer": {"type": "integer"}, "unknown": {}, "object": {"type": "object"}, "never": {"not": {}},
    "bigint": {"type": "integer"}, "Date": {"type": "string", "format": "date-time"}, "undefined": {"not": {}},
    "true": {"type": "boolean", "const": True}, "false": {"type": "boolean", "const": False},
    "Array": {"type": "array"}, "string.email": {"type": "string", "format": "email"},
    "string.url": {"type": "string", "format": "uri"}, "string.uuid": {"type": "string", "format": "uuid"},
    "string.date.iso": {"type": "string", "format": "date-time"}, "string.ip.v4": {"type": "string", "format": "ipv4"},
}  # fmt: skip
_TOKEN = re.compile(
    r"""\s*+(?:(?P<text>'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")|(?P<regex>/(?:[^/\\]|\\.)*+/)|(?P<number>-?\d++(?:\.\d++)?)"""
    r"""|(?P<word>[A-Za-z_][\w.]*+)|(?P<sign>\[\]|<=|>=|==|[|&()<>%=]))"""
)
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}
_METHODS = {">": "gt", ">=": "min", "<": "lt", "<=": "max", "==": "length", "%": "multipleOf"}
_LIMITS = {
    "atLeastLength": "min", "atMostLength": "max", "exactlyLength": "length", "atLeast": "min", "atMost": "max",
    "moreThan": "gt", "lessThan": "lt", "divisibleBy": "multipleOf", "matching": "regex",
}  # fmt: skip
_SAME = frozenset(
    ("narrow", "filter", "pipe", "to", "brand", "as", "readonly", "onUndeclaredKey", "onDeepUndeclaredKey")
)


def is_arktype(base: v.Made) -> bool:
    return base.path in ("arktype.type", "arktype.type.enumerated")


def part(value: v.Made, reader: Reader) -> Part | None:
    """The schema of a value of this library."""
    base, methods = unrolled(value)
    if not reader.spend(len(methods)):
        return None
    call = base.arguments
    if base.path.endswith(".enumerated"):
        listed = enumerated(call.values, *call.at)
        found = None if listed is None else Part(listed)
    else:
        found = None if call.first_value is None else _definition(call.first_value, call.module, call.node, reader)
    for method in methods:
        if found is None:
            return None
        found = _apply(found, method, reader)
    return found


def _definition(given: v.Value, module: v.Module, node: Located, reader: Reader) -> Part | None:
    text = plain(given)
    if isinstance(text, str):
        return _Words(text, given.module or module, given.node or node).read()
    if isinstance(given, v.Mapping):
        return reader.inside(lambda: _object(given, module, node, reader))
    if isinstance(given, v.Items) and len(given.items) == 2 and plain(given.items[1]) == "[]":
        items = _definition(given.items[0], module, node, reader)
        return None if items is None else Part(build({"type": "array", "items": items.schema}, module, node))
    return reader.part(given) if isinstance(given, v.Made) else None


def _object(given: v.Mapping, module: v.Module, node: Located, reader: Reader) -> Part | None:
    if not reader.spend(len(given.entries)):
        return None
    module, node = given.module or module, given.node or node
    properties = v.Mapping(module, node, complete=given.complete)
    required: list[v.Value] = []
    others: v.Value | None = None
    for key, entry in given.entries.items():
        name = str(key)
        if name in ("+", "..."):
            properties.complete = properties.complete and name == "+"
            others = v.Literal(False, module, node) if plain(entry.value) == "reject" else None
            continue
        at = entry.key.module or module, entry.key.node or node
        found = _definition(entry.value, *at, reader) or reader.gap(*at)
        label = v.Literal(name.removesuffix("?"), *at)
        properties.entries[label.value] = v.Entry(label, found.schema)
        if found.required and not name.endswith("?"):
            required.append(label)
    written: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        written["required"] = required
    if others is not None:
        written["additionalProperties"] = others
    return Part(build(written, module, node))


class _Words:
    """Reads one type that is written as a text, all of which lies at one place."""

    def __init__(self, text: str, module: v.Module, node: Located) -> None:
        self._at = module, node
        self._tokens = list(_tokens(text)) if len(text) <= MAX_LENGTH else []
        self._next = 0
        self._depth = 0

    def read(self) -> Part | None:
        """The type, None for one that is not read."""
        found = self._union()
        if found is not None and self._peek() == "=":
            self._next += 1
            kind_of, text = self._take()
            default = _constant(kind_of, text)
            if default is NOT_PLAIN:
                return None
            found.schema.set("default", v.Literal(default, *self._at))
            found = found._replace(required=False)
        return found if self._next == len(self._tokens) else None

    def _peek(self) -> str:
        kind_of, text = self._tokens[self._next] if self._next < len(self._tokens) else ("", "")
        return text if kind_of == "sign" else ""

    def _take(self) -> tuple[str, str]:
        self._next += 1
        return self._tokens[self._next - 1] if self._next <= len(self._tokens) else ("", "")

    def _union(self) -> Part | None:
        parts = [self._limited()]
        while self._peek() == "|":
            self._next += 1
            parts.append(self._limited())
        known = [found for found in parts if found is not None]
        if len(known) < len(parts):
            return None
        return known[0] if len(known) == 1 else alternatives(known, *self._at)

    def _limited(self) -> Part | None:
        """`0 < number <= 10`, `string[] >= 1`"""
        first = self._tokens[self._next] if self._next < len(self._tokens) else ("", "")
        after = self._tokens[self._next + 1][1] if self._next + 1 < len(self._tokens) else ""
        limits: list[tuple[str, Any]] = []
        if first[0] == "number" and after in _FLIPPED:
            limits.append((_FLIPPED[after], _constant(*first)))
            self._next += 2
        found = self._array()
        while self._peek() in _METHODS:
            sign = self._take()[1]
            limits.append((sign, _constant(*self._take())))
        for sign, number in limits:
            if found is not None:
                name = _METHODS[sign]
                if kind(found.schema) in ("string", "array") and name in ("gt", "lt") and type(number) is int:
                    name, number = ("min", number + 1) if name == "gt" else ("max", number - 1)
                constrain(found.schema, name, v.Call(*self._at, v.Literal(number, *self._at)))
        return found

    def _array(self) -> Part | None:
        found = self._operand()
        while found is not None and self._peek() == "[]":
            self._next += 1
            found = Part(build({"type": "array", "items": found.schema}, *self._at))
        return found

    def _operand(self) -> Part | None:
        kind_of, text = self._take()
        if (kind_of, text) == ("sign", "("):
            self._depth += 1
            found = self._union() if self._depth <= _MAX_NESTING else None
            return found if self._take()[1] == ")" else None
        if kind_of == "word" and text in _WORDS:
            return Part(build(_WORDS[text], *self._at))
        if kind_of == "regex":
            return Part(build({"type": "string", "pattern": text[1:-1]}, *self._at))
        constant = _constant(kind_of, text)
        listed = None if constant is NOT_PLAIN else enumerated([v.Literal(constant, *self._at)], *self._at)
        return None if listed is None else Part(listed)


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    at, end = 0, len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            yield "", ""
            return
        yield match.lastgroup, match[match.lastgroup]
        at = match.end()


def _constant(kind_of: str, text: str) -> Any:
    if kind_of == "text":
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    if kind_of == "number":
        return float(text) if "." in text else int(text)
    return {"true": True, "false": False, "null": None}.get(text, NOT_PLAIN)


def _apply(found: Part, method: MethodCall, reader: Reader) -> Part | None:
    name, call = method.last, method.arguments
    schema, given = found.schema, call.first_value
    if name == "describe" and given is not None:
        schema.set("description", given)
    elif name == "configure":
        describe(schema, given)
    elif name == "array":
        return Part(build({"type": "array", "items": schema}, *call.at))
    elif name == "optional":
        return found._replace(required=False)
    elif name == "default":
        default = given_default(reader, given, call)
        if default is not None:
            schema.set("default", default)
        return found._replace(required=False)
    elif name == "or" and given is not None:
        other = _definition(given, *call.at, reader)
        return alternatives([found, other or reader.gap(*call.at)], *call.at)
    elif name in ("pick", "omit", "partial", "required", "merge", "and"):
        return _reshaped(found, name, call, reader)
    elif name not in _SAME and not (name in _LIMITS and constrain(schema, _LIMITS[name], call)):
        return None
    return found


def _reshaped(found: Part, name: str, call: v.Call, reader: Reader) -> Part | None:
    properties, listed = found.schema.get("properties"), found.schema.get("required")
    if not isinstance(properties, v.Mapping):
        return None
    required = list(listed.items) if isinstance(listed, v.Items) else []
    if name in ("merge", "and"):
        other = None if call.first_value is None else _definition(call.first_value, *call.at, reader)
        more = None if other is None else other.schema.get("properties")
        if other is None or not isinstance(more, v.Mapping):
            return None
        also = other.schema.get("required")
        required = [each for each in required if plain(each) not in more.entries]
        required += also.items if isinstance(also, v.Items) else []
        complete = properties.complete and more.complete
        properties = v.Mapping(properties.module, properties.node, {**properties.entries, **more.entries}, complete)
    elif name in ("pick", "omit"):
        properties = kept(properties, v.Items(call.values, *call.at), keep=name == "pick")
    elif name == "partial":
        required = []
    else:
        required = [entry.key for entry in properties.entries.values()]
    schema = v.Mapping(found.schema.module, found.schema.node, dict(found.schema.entries))
    schema.set("properties", properties)
    schema.entries.pop("required", None)
    required = [each for each in required if plain(each) in properties.entries]
    if required:
        schema.set("required", v.Items(required, *call.at))
    return Part(schema, found.required)


def attribute(holder: v.Made, name: str) -> v.Value | None:
    """Nothing: what `type` makes has its parts under names of its own."""
    return None
