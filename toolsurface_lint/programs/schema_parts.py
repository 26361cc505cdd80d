"""The schemas that others are built of: of types by their own names, of values to choose from, of anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolsurface_lint.programs.operations import plain as plain_of
from toolsurface_lint.programs.values import Items, Literal, Mapping, Module, Value

if TYPE_CHECKING:
    from toolsurface_lint.source.python import Located

SCALARS = {
    "str": "string", "int": "integer", "float": "number", "bool": "boolean", "None": "null", "NoneType": "null",
    "StrictStr": "string", "StrictInt": "integer", "StrictBool": "boolean", "StrictFloat": "number",
    "Text": "string", "LiteralString": "string", "Pattern": "string",
}  # fmt: skip
ARRAYS = frozenset((
    "list", "List", "Sequence", "Iterable", "Collection", "MutableSequence", "deque", "Deque", "tuple", "Tuple",
))  # fmt: skip
SETS = frozenset((
    "set", "frozenset", "Set", "FrozenSet", "AbstractSet", "MutableSet",
))  # fmt: skip
OBJECTS = frozenset((
    "dict", "Dict", "Mapping", "MutableMapping", "OrderedDict", "defaultdict", "DefaultDict",
))  # fmt: skip
_STRING_FORMATS = {
    "datetime": "date-time", "date": "date", "time": "time", "timedelta": "duration", "UUID": "uuid", "UUID4": "uuid",
    "Path": "path", "PurePath": "path", "FilePath": "file-path", "DirectoryPath": "directory-path", "AnyUrl": "uri",
    "HttpUrl": "uri", "AnyHttpUrl": "uri", "EmailStr": "email", "bytes": "binary", "SecretStr": "password",
}  # fmt: skip
_ANYTHING = frozenset((
    "Any", "object", "JsonValue", "TypeVar", "Hashable",
))  # fmt: skip
_BOUNDED_NUMBERS = {
    "PositiveInt": ("integer", "exclusiveMinimum"), "NonNegativeInt": ("integer", "minimum"),
    "NegativeInt": ("integer", "exclusiveMaximum"), "NonPositiveInt": ("integer", "maximum"),
    "PositiveFloat": ("number", "exclusiveMinimum"), "NonNegativeFloat": ("number", "minimum"),
    "NegativeFloat": ("number", "exclusiveMaximum"), "NonPositiveFloat": ("number", "maximum"),
}  # fmt: skip


def typed(kind: str, module: Module, node: Located) -> Mapping:
    """The schema of a type of JSON."""
    schema = Mapping(module, node)
    schema.set("type", Literal(kind, module, node))
    return schema


def anything(module: Module, node: Located) -> Mapping:
    """The schema of a type that is not known: it allows anything, and no rule can take it for one that lacks a type."""
    schema = Mapping(module, node)
    schema.set("anyOf", Items([Mapping(module, node)], module, node))
    return schema


class ObjectSchema:
    """The schema of an object while its properties are added."""

    def __init__(self, module: Module, node: Located) -> None:
        self._schema = typed("object", module, node)
        self._properties = Mapping(module, node)
        self._required = Items([], module, node)
        self._schema.set("properties", self._properties)

    def add(self, name: str, schema: Mapping, required: bool, module: Module, place: Located) -> None:
        """Give a property, written at `place`, in the place of an earlier one of its name."""
        self._properties.set_at(name, schema, module, place)
        others = [item for item in self._required.items if not (isinstance(item, Literal) and item.value == name)]
        self._required.items = [*others, Literal(name, module, place)] if required else others

    def made(self) -> Mapping:
        if self._required.items:
            self._schema.set("required", self._required)
        return self._schema


def enumerated(values: list[Value], module: Module, node: Located) -> Mapping:
    """The schema of what is one of some values, or of anything if they are not all known and plain."""
    schema = Mapping(module, node)
    plain = [plain_of(value) for value in values]
    if not all(isinstance(value, str | int | float | bool | None) for value in plain):
        return anything(module, node)
    members: list[Value] = [
        Literal(value, written.module, written.node) for value, written in zip(plain, values, strict=True)
    ]
    if len(members) == 1:
        schema.set("const", members[0])
    else:
        schema.set("enum", Items(members, module, node))
    kinds = {type(value) for value in plain}
    if len(kinds) == 1:
        kind = {str: "string", bool: "boolean", int: "integer", float: "number"}.get(kinds.pop(), "null")
        schema.set("type", Literal(kind, module, node))
    return schema


def by_name(name: str, module: Module, node: Located) -> Mapping:
    """The schema of a type of the standard library or of pydantic by its own name."""
    if name in SCALARS:
        return typed(SCALARS[name], module, node)
    if name in _STRING_FORMATS:
        schema = typed("string", module, node)
        schema.set("format", Literal(_STRING_FORMATS[name], module, node))
        return schema
    if name in ARRAYS or name in SETS:
        schema = typed("array", module, node)
        schema.set("items", Mapping(module, node))
        if name in SETS:
            schema.set("uniqueItems", Literal(True, module, node))
        return schema
    if name in OBJECTS:
        return typed("object", module, node)
    if name == "Decimal":
        schema = Mapping(module, node)
        schema.set("anyOf", Items([typed("number", module, node), typed("string", module, node)], module, node))
        return schema
    return Mapping(module, node) if name in _ANYTHING else anything(module, node)


def bounded_number(name: str, module: Module, node: Located) -> Mapping | None:
    """The schema of one of pydantic's numbers with a bound in the name; None for any other name."""
    if name not in _BOUNDED_NUMBERS:
        return None
    kind, bound = _BOUNDED_NUMBERS[name]
    schema = typed(kind, module, node)
    schema.set(bound, Literal(0, module, node))
    return schema


def is_null(schema: Mapping) -> bool:
    """Whether a schema is that of null."""
    kind = schema.get("type")
    return isinstance(kind, Literal) and kind.value == "null"
