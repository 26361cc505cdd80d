"""Schemas compiled to functions that only ever accept: what one takes, jsonschema takes too; the rest is for jsonschema.

For the common subset of keywords; a schema beyond it is not compiled. Values are plain JSON data of exact types.

jsonschema-rs accepts the arguments of a call in 1.2 us, what is compiled here in 2.0, which is 1 % of a run over
transcripts. It lost by what it takes: 15 MB of machine code, other regular expressions than jsonschema, and
references that it opens, files and addresses, unless it is kept from that. An optional one would be a third reader.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import Any

from toolsurface_lint.schemas.dialects import DRAFT_04, dialect_of
from toolsurface_lint.schemas.patterns import harmless
from toolsurface_lint.schemas.plain import is_plainly_valid
from toolsurface_lint.schemas.references import at_pointer

Acceptor = Callable[[Any], bool]

_CLASSES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    # 1.0 is an integer too, or is not, as the dialect wants: left to jsonschema.
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
    "null": (type(None),),
}
_ALL: tuple[type, ...] = (str, int, float, bool, dict, list, type(None))

# Assertions beyond the subset. `oneOf` is one: nothing here says for sure that the other schemas refuse a value.
_BEYOND = frozenset(
    (
        *("not", "if", "dependentRequired", "dependentSchemas", "dependencies", "contains", "patternProperties"),
        *("propertyNames", "prefixItems", "additionalItems", "unevaluatedItems", "unevaluatedProperties"),
        *("multipleOf", "$id", "oneOf"),
    )
)
_ASSERTIONS = frozenset(
    (
        *("type", "enum", "const", "properties", "required", "additionalProperties", "minProperties", "maxProperties"),
        *("items", "minItems", "maxItems", "uniqueItems", "minLength", "maxLength", "pattern"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "anyOf", "allOf", "$ref"),
    )
)
_LARGEST = 20_000


class _BeyondSubset(Exception):
    """The schema holds something that is not compiled."""


class Acceptors:
    """Compiles a schema and its parts; `root` is for their dialect and references, each of which is compiled once."""

    def __init__(self, root: Any) -> None:
        self._compiler = None if dialect_of(root) in (None, DRAFT_04) else _Compiler(root)

    def of(self, schema: Any) -> Acceptor | None:
        """A function that says True only for values that are valid, or None for a schema that is invalid or not simple."""
        if self._compiler is None or not is_plainly_valid(schema):
            return None
        try:
            return self._compiler.begin(schema)
        except (_BeyondSubset, RecursionError):
            return None


def _anything(value: Any) -> bool:
    return True


def _nothing(value: Any) -> bool:
    return False


class _Compiler:
    """Compiles the parts of one schema; each referenced part once.

    `_size` counts what a value may be checked against, references written out, as nested alternatives multiply.
    """

    def __init__(self, root: Any) -> None:
        self._root = root
        self._known: dict[str, tuple[Acceptor, int] | None] = {}
        self._size = 0

    def begin(self, schema: Any) -> Acceptor:
        """Compile one of the parts by itself, of which none counts towards the size of another."""
        self._size = 0
        return self.compile(schema)

    def compile(self, schema: Any) -> Acceptor:
        self._size += 1
        if self._size > _LARGEST:
            raise _BeyondSubset
        if schema is True:
            return _anything
        if schema is False:
            return _nothing
        keys = schema.keys()
        if not _BEYOND.isdisjoint(keys) and not (schema is self._root and keys & _BEYOND == {"$id"}):
            raise _BeyondSubset
        if _ASSERTIONS.isdisjoint(keys):
            return _anything
        accept = self._by_class(schema)
        for name in ("anyOf", "allOf", "$ref"):
            if name in schema:
                accept = _both(accept, self._applicator(name, schema[name]))
        if "const" in schema:
            accept = _one_of([schema["const"]], accept)
        if "enum" in schema:
            accept = _one_of(schema["enum"], accept)
        return accept

    def _applicator(self, name: str, value: Any) -> Acceptor:
        if name == "$ref":
            return self._reference(value)
        branches = [self.compile(branch) for branch in value]
        if name == "allOf":
            return reduce(_both, branches)
        if len(branches) == 1:
            return branches[0]

        def any_of(value: Any) -> bool:
            for branch in branches:  # noqa: SIM110 - a generator costs more than the call
                if branch(value):
                    return True
            return False

        return any_of

    def _reference(self, reference: str) -> Acceptor:
        """Only to definitions at the root, never to itself."""
        parts = reference.split("/")
        if len(parts) != 3 or parts[0] != "#" or parts[1] not in ("$defs", "definitions") or "%" in reference:
            raise _BeyondSubset
        if reference in self._known:
            known = self._known[reference]
            if known is None:
                raise _BeyondSubset
            accept, size = known
            self._size += size
            if self._size > _LARGEST:
                raise _BeyondSubset
            return accept
        target = at_pointer(self._root, reference[1:])
        if target is None or not is_plainly_valid(target.value):
            raise _BeyondSubset
        self._known[reference] = None
        before = self._size
        accept = self.compile(target.value)
        self._known[reference] = (accept, self._size - before)
        return accept

    def _by_class(self, schema: dict[str, Any]) -> Acceptor:
        stated = schema.get("type")
        names = (stated,) if isinstance(stated, str) else stated
        classes = _ALL if names is None else tuple(cls for name in names for cls in _CLASSES[name])
        table: dict[type, Acceptor] = {}
        for cls in classes:
            table[cls] = self._of_class(cls, schema)
        if len(table) == 1:
            return next(iter(table.values()))
        if all(accept in _EXACT.values() for accept in table.values()):
            taken = frozenset(table)
            return _anything if len(taken) == len(_ALL) else lambda value: type(value) in taken
        get = table.get

        def by_class(value: Any) -> bool:
            accept = get(type(value))
            return accept is not None and accept(value)

        return by_class

    def _of_class(self, cls: type, schema: dict[str, Any]) -> Acceptor:
        """For values of one class; the function checks the class too."""
        if cls is str:
            return _string(schema)
        if cls is int or cls is float:
            return _number(cls, schema)
        if cls is list:
            return self._array(schema)
        if cls is dict:
            return self._object(schema)
        return _EXACT[cls]

    def _array(self, schema: dict[str, Any]) -> Acceptor:
        least, most = schema.get("minItems", 0), schema.get("maxItems")
        item = self.compile(schema.get("items", True))
        if schema.get("uniqueItems"):
            item_of = schema.get("items")
            if not isinstance(item_of, dict) or item_of.get("type") != "string":
                raise _BeyondSubset
            return _both(_array_of(item, least, most), lambda value: len(set(value)) == len(value))
        return _array_of(item, least, most)

    def _object(self, schema: dict[str, Any]) -> Acceptor:
        properties = schema.get("properties", {})
        accepts = {name: self.compile(part) for name, part in properties.items()}
        required = tuple(schema.get("required", ()))
        extra = self.compile(schema.get("additionalProperties", True))
        accept = _object_of(accepts, required, extra)
        least, most = schema.get("minProperties", 0), schema.get("maxProperties")
        if least or most is not None:
            highest = math.inf if most is None else most
            return _both(accept, lambda value: least <= len(value) <= highest)
        return accept


def _exactly(cls: type) -> Acceptor:
    return lambda value: type(value) is cls


_EXACT = {cls: _exactly(cls) for cls in _ALL}


def _both(first: Acceptor, second: Acceptor) -> Acceptor:
    if first is _anything:
        return second
    if second is _anything:
        return first
    return lambda value: first(value) and second(value)


def _one_of(values: list[Any], accept: Acceptor) -> Acceptor:
    """One of the values that the rest of the schema accepts; of objects and arrays none."""
    texts = frozenset(value for value in values if type(value) is str and accept(value))
    others = frozenset((type(value), value) for value in values if type(value) in (int, bool) and accept(value))
    null = None in values and accept(None)
    if not others and not null:
        return lambda value: type(value) is str and value in texts

    def one_of(value: Any) -> bool:
        if type(value) is str:
            return value in texts
        if value is None:
            return null
        return type(value) in (int, bool) and (type(value), value) in others

    return one_of


def _string(schema: dict[str, Any]) -> Acceptor:
    least, most, pattern = schema.get("minLength", 0), schema.get("maxLength"), schema.get("pattern")
    if not least and most is None and pattern is None:
        return _EXACT[str]
    highest = math.inf if most is None else most
    if pattern is None:
        return lambda value: type(value) is str and least <= len(value) <= highest
    safe = harmless(pattern)
    if safe is None:
        raise _BeyondSubset
    search = safe.regex.search
    limit = safe.limit if most is None else min(most, safe.limit)
    return lambda value: type(value) is str and least <= len(value) <= limit and search(value) is not None


def _number(cls: Any, schema: dict[str, Any]) -> Acceptor:
    if not schema.keys() & {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}:
        return _EXACT[cls]
    least, most = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
    above, below = schema.get("exclusiveMinimum", -math.inf), schema.get("exclusiveMaximum", math.inf)
    return lambda value: type(value) is cls and least <= value <= most and above < value < below


def _array_of(item: Acceptor, least: int, most: int | None) -> Acceptor:
    highest = math.inf if most is None else most
    if item is _anything:
        if not least and most is None:
            return _EXACT[list]
        return lambda value: type(value) is list and least <= len(value) <= highest

    def array(value: Any) -> bool:
        if type(value) is not list or not least <= len(value) <= highest:
            return False
        for element in value:  # noqa: SIM110 - as above
            if not item(element):
                return False
        return True

    return array


def _object_of(accepts: dict[str, Acceptor], required: tuple[str, ...], extra: Acceptor) -> Acceptor:
    if extra is _anything:
        accepts = {name: accept for name, accept in accepts.items() if accept is not _anything}
        if not accepts and not required:
            return _EXACT[dict]
    accept_of = accepts.get

    def accepted(value: Any) -> bool:
        if type(value) is not dict:
            return False
        for name in required:
            if name not in value:
                return False
        for name, member in value.items():  # noqa: SIM110 - as above
            if not accept_of(name, extra)(member):
                return False
        return True

    return accepted
