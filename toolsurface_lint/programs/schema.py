"""The schema that a framework derives from a type hint or a model.

Schemas are `Mapping` values, every part of which remembers where it was written. Most frameworks derive them as pydantic
does, one knows only a few types.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Mapping as Table
from typing import TYPE_CHECKING, Any, NamedTuple

from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.framework import OTHER, Framework
from toolsurface_lint.programs.operations import NOT_PLAIN, field_default, plain

if TYPE_CHECKING:
    from toolsurface_lint.source.program_tree import Located

MAX_DEPTH = 20
"""How many types may lie within each other."""

ANYTHING: dict[str, Any] = {"anyOf": [{}]}
"""The schema of a type that is not known: it allows anything, and no rule can take it for one that lacks a type."""
_SCALARS = {
    "str": "string", "int": "integer", "float": "number", "bool": "boolean", "None": "null", "NoneType": "null",
    "StrictStr": "string", "StrictInt": "integer", "StrictBool": "boolean", "StrictFloat": "number",
    "Text": "string", "LiteralString": "string", "Pattern": "string",
}  # fmt: skip
_JSON_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
_STRING_FORMATS = {
    "datetime": "date-time", "date": "date", "time": "time", "timedelta": "duration", "UUID": "uuid", "UUID4": "uuid",
    "Path": "path", "PurePath": "path", "FilePath": "file-path", "DirectoryPath": "directory-path", "AnyUrl": "uri",
    "HttpUrl": "uri", "AnyHttpUrl": "uri", "EmailStr": "email", "bytes": "binary", "SecretStr": "password",
}  # fmt: skip
_GROUPS: tuple[tuple[dict[str, Any], tuple[str, ...]], ...] = (
    ({"type": "array", "items": {}}, (
        "list", "List", "Sequence", "Iterable", "Collection", "MutableSequence", "deque", "Deque", "tuple", "Tuple",
    )),
    ({"type": "array", "items": {}, "uniqueItems": True}, (
        "set", "frozenset", "Set", "FrozenSet", "AbstractSet", "MutableSet",
    )),
    ({"type": "object"}, ("dict", "Dict", "Mapping", "MutableMapping", "OrderedDict", "defaultdict", "DefaultDict")),
    ({}, ("Any", "object", "JsonValue", "TypeVar", "Hashable")),
)  # fmt: skip
_BY_NAME: dict[str, dict[str, Any]] = {
    **{name: {"type": kind} for name, kind in _SCALARS.items()},
    **{name: {"type": "string", "format": kind} for name, kind in _STRING_FORMATS.items()},
    **{name: schema for schema, names in _GROUPS for name in names},
    "Decimal": {"anyOf": [{"type": "number"}, {"type": "string"}]},
    "PositiveInt": {"type": "integer", "exclusiveMinimum": 0},
    "NonNegativeInt": {"type": "integer", "minimum": 0},
    "NegativeInt": {"type": "integer", "exclusiveMaximum": 0},
    "NonPositiveInt": {"type": "integer", "maximum": 0},
    "PositiveFloat": {"type": "number", "exclusiveMinimum": 0},
    "NonNegativeFloat": {"type": "number", "minimum": 0},
    "NegativeFloat": {"type": "number", "exclusiveMaximum": 0},
    "NonPositiveFloat": {"type": "number", "maximum": 0},
}
"""The schemas of types of the standard library and of pydantic by their own names."""
_CONSTRAINTS = {
    "ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum", "multiple_of": "multipleOf",
    "pattern": "pattern", "regex": "pattern", "examples": "examples", "min_items": "minItems", "max_items": "maxItems",
}  # fmt: skip
_BOUNDS = {
    "Ge": "ge", "Gt": "gt", "Le": "le", "Lt": "lt", "MultipleOf": "multiple_of", "MinLen": "min_length",
    "MaxLen": "max_length",
}  # fmt: skip
"""The constraints of `annotated_types` by what `Field` calls them."""
_MODELS = ("BaseModel", "TypedDict", "NamedTuple", "RootModel", "BaseSettings", "SQLModel")
_WRAPPERS = frozenset((
    "Required", "NotRequired", "ReadOnly", "Final", "Unpack", "Awaitable", "SkipValidation",
))  # fmt: skip
_CONSTRAINED = {
    "conint": "int", "confloat": "float", "constr": "str", "conlist": "list", "conset": "set", "conbytes": "bytes",
}  # fmt: skip


class Property(NamedTuple):
    """A parameter or field as the model sees it; `key` is its name, or its alias if it has one.

    `supported` is false where the framework does not know the type.
    """

    key: v.Literal
    schema: v.Mapping
    required: bool
    supported: bool = True


class SchemaReader:
    """Derives schemas as a framework does."""

    def __init__(self, evaluator: Evaluator, framework: Framework = OTHER) -> None:
        self._evaluator = evaluator
        self._framework = framework
        self._active: list[v.Node] = []

    def _read_hint(self, hint: v.Node, scope: v.Scope) -> v.TypeHint:
        return scope.module.read_hint(hint, scope, self._evaluator)

    def property(self, declared: v.Parameter, scope: v.Scope) -> Property:
        """What a parameter or field is to the model."""
        name, hint, written = declared[:3]
        module = scope.module
        key = v.Literal(name, module, module.offsets.identifier(declared.node, name))
        default = None if written is None else self._evaluator.evaluate(written, scope)
        if self._framework.simple_types:
            if hint is None:
                return Property(key, _by_name("str", module, key.node), default is None)
            schema, supported = self._simple(hint, scope)
            return Property(key, schema, default is None, supported)
        fields: list[v.Made] = []
        if hint is None and self._framework is OTHER:
            schema = build(ANYTHING, module, key.node)
        elif hint is None:
            schema = build({"type": self._framework.untyped} if self._framework.untyped else {}, module, key.node)
        else:
            read = self._read_hint(hint, scope)
            if self._framework is OTHER and not _may_be_data(read):
                # A framework of the program's own calls the function: it may pass such an object itself.
                return Property(key, build(ANYTHING, module, key.node), required=False)
            schema = self._schema_of(read, read.node, read.scope.module)
            schema.module, schema.node = module, hint
            fields = _fields_in(read.metadata)
            texts = [said for said in read.metadata if isinstance(said, v.Literal) and isinstance(said.value, str)]
            if texts and self._framework.text_metadata:
                schema.set("description", texts[0])
        has_default = default is not None
        if isinstance(default, v.Made) and default.last in ("Field", "FieldInfo", "Body", "Query", "Param"):
            fields.append(default)
            default, has_default = None, False
        for field in fields:
            _constrain(schema, field)
            given = field_default(field)
            alias = field.arguments.get("alias")
            if alias is not None and isinstance(alias.value, v.Literal):
                key = v.Literal(str(alias.value.value), module, key.node)
            if given is not None and default is None:
                default, has_default = given, True
            elif "default_factory" in field.arguments.keywords:
                has_default = True
        if isinstance(default, v.Member):
            default = v.Literal(plain(default), default.module, default.node)
        if isinstance(default, v.Items | v.Mapping) or (default is not None and plain(default) is not NOT_PLAIN):
            schema.set("default", default)
        return Property(key, schema, not has_default)

    def _simple(self, hint: v.Node, scope: v.Scope) -> tuple[v.Mapping, bool]:
        """The schema where only a few types are known, and whether this is one; everything else becomes a string."""
        read = self._read_hint(hint, scope)
        for _ in range(MAX_DEPTH):
            others = [part for part in read.alternatives if self._read_hint(*part).head != "None"]
            if len(others) != 1 or others[0][0] is read.node:
                break
            read = self._read_hint(*others[0])
        if read.inside and read.head in ("list", "List"):
            items, supported = self._simple(read.inside[0], read.scope)
            return build({"items": items, "type": "array"}, scope.module, hint), supported
        known = read.head in ("str", "int", "float", "bool")
        return _by_name(read.head if known else "str", scope.module, hint), known and not read.inside

    def schema(self, hint: v.Node, scope: v.Scope) -> v.Mapping:
        """The JSON Schema of a type hint; one that allows anything for a type that is not known."""
        read = self._read_hint(hint, scope)
        schema = self._schema_of(read, hint, scope.module)
        for field in _fields_in(read.metadata):
            _constrain(schema, field)
        return schema

    def _schema_of(self, hint: v.TypeHint, written: v.Node, module: v.Module) -> v.Mapping:
        """The schema of a hint that is written in a file as another expression, which may be a name of it."""
        if len(self._active) > MAX_DEPTH:
            return build(ANYTHING, module, written)
        self._active.append(hint.node)
        try:
            if len(hint.alternatives) > 1:
                parts = [self.schema(part, where) for part, where in hint.alternatives]
                return build({"anyOf": parts}, module, written)
            if hint.inside:
                return self._generic(hint)
            if hint.value is None:
                return build(ANYTHING, module, written)
            if v.is_none(hint.value):
                return _by_name("None", module, written)
            return self._named(hint, hint.value)
        finally:
            self._active.pop()

    def _named(self, hint: v.TypeHint, value: v.Value) -> v.Mapping:
        scope, module = hint.scope, hint.scope.module
        if isinstance(value, v.Class):
            return self.model(value, hint.node, module)
        if isinstance(value, v.Made):
            given = value.arguments
            if value.last == "NewType" and len(given.positional) > 1:
                return self.schema(given.positional[1].site, scope if value.module is None else value.module.scope)
            if value.last == "TypeVar":
                return v.Mapping(module, hint.node)
            if value.root == "pydantic" and value.last in _CONSTRAINED:
                schema = _by_name(_CONSTRAINED[value.last], module, hint.node)
                items = given.get("item_type", 0) if "items" in schema.entries else None
                if items is not None:
                    schema.set("items", self.schema(items.site, scope))
                _constrain(schema, value)
                return schema
        return _by_name(hint.head, module, hint.node)

    def _generic(self, hint: v.TypeHint) -> v.Mapping:
        """The schema of a type with others in brackets."""
        scope, module, head, inside = hint.scope, hint.scope.module, hint.head, hint.inside
        if head == "Literal":
            return _enumerated([self._evaluator.evaluate(part, scope) for part in inside], module, hint.node)
        if head in _WRAPPERS:
            return self.schema(inside[0], scope)
        if isinstance(hint.value, v.Class):
            return self.model(hint.value, hint.node, module)
        schema = _by_name(head, module, hint.node)
        if head in ("tuple", "Tuple"):
            last = self._evaluator.evaluate(inside[1], scope) if len(inside) == 2 else None
            if isinstance(last, v.Literal) and last.value is Ellipsis:
                schema.set("items", self.schema(inside[0], scope))
            else:
                parts, size = [self.schema(part, scope) for part in inside], len(inside)
                written = {"type": "array", "prefixItems": parts, "minItems": size, "maxItems": size}
                return build(written, module, hint.node)
        elif "items" in schema.entries:
            schema.set("items", self.schema(inside[0], scope))
        elif _kind(schema) == "object" and len(inside) == 2:
            schema.set("additionalProperties", self.schema(inside[1], scope))
        return schema

    def model(self, cls: v.Class, node: Located, module: v.Module) -> v.Mapping:
        """The schema of a class: the values of an enum, the fields of a model, a dataclass or a typed dict."""
        members = cls.members()
        if members:
            return _enumerated([member.value for member in members], module, node)
        of_tools = self._framework.base_classes if self._framework.are_models else ()
        if cls.derives(*_MODELS, *of_tools) is None and not cls.syntax.is_dataclass:
            base = cls.derives(*_SCALARS)
            return _by_name("" if base is None else base.last, module, node)
        if cls.code in self._active or len(self._active) > MAX_DEPTH:
            return _by_name("dict", module, node)
        self._active.append(cls.code)
        try:
            if cls.derives("RootModel") is None:
                return object_schema(self._properties(cls), module, node)
            # A model that is one value: `class Ids(RootModel[list[int]])`.
            root = next((field.hint for field in cls.syntax.fields if field.name == "root"), cls.syntax.base_argument)
            return build(ANYTHING, module, node) if root is None else self.schema(root, cls.scope)
        finally:
            self._active.pop()

    def _properties(self, cls: v.Class) -> Iterator[Property]:
        """The fields of a class, those of the farthest ancestors first."""
        for ancestor in cls.lineage():
            for field in ancestor.syntax.fields:
                if field.name.startswith("_") or field.name == "model_config":
                    continue
                head = "" if field.hint is None else self._read_hint(field.hint, ancestor.scope).head
                if head == "ClassVar":
                    continue
                found = self.property(field, ancestor.scope)
                required = found.required
                made = None if field.default is None else self._evaluator.evaluate(field.default, ancestor.scope)
                if isinstance(made, v.Made) and made.last == "field":
                    required = not {"default", "default_factory"} & set(made.arguments.keywords)
                required = required and head != "NotRequired" and (not cls.syntax.is_partial or head == "Required")
                yield found._replace(required=required)


def _may_be_data(hint: v.TypeHint) -> bool:
    """Whether a hint may name what is made from JSON: not a class of objects, of this program or another package."""
    if isinstance(hint.value, v.Class):
        return bool(hint.value.members()) or hint.value.derives(*_MODELS, *_SCALARS) is not None
    return not isinstance(hint.value, v.External) or bool(hint.inside) or hint.head in _BY_NAME


def build(written: Table[str, Any], module: v.Module | None, node: Located | None) -> v.Mapping:
    """A schema of plain data and of values, of which the plain parts all lie at a node."""

    def part(plain: Any) -> v.Value:
        if isinstance(plain, v.Value):
            return plain
        if isinstance(plain, list):
            return v.Items([part(item) for item in plain], module, node)
        return build(plain, module, node) if isinstance(plain, dict) else v.Literal(plain, module, node)

    schema = v.Mapping(module, node)
    for key, value in written.items():
        schema.set(key, part(value))
    return schema


def object_schema(properties: Iterable[Property], module: v.Module, node: Located) -> v.Mapping:
    """The schema of an object; a property takes the place of an earlier one of its name."""
    written = v.Mapping(module, node)
    required: dict[str, v.Value] = {}
    for found in properties:
        name = found.key.value
        written.entries[name] = v.Entry(found.key, found.schema)
        required.pop(name, None)
        if found.required:
            required[name] = found.key
    needed = {"required": list(required.values())} if required else {}
    return build({"type": "object", "properties": written, **needed}, module, node)


def _enumerated(values: list[v.Value], module: v.Module, node: Located) -> v.Mapping:
    """The schema of what is one of some values, or of anything if they are not all known and plain."""
    members = [v.Literal(plain(value), value.module, value.node) for value in values]
    kinds = {type(member.value) for member in members}
    if not kinds <= _JSON_TYPES.keys():
        return build(ANYTHING, module, node)
    schema: dict[str, Any] = {"enum": members} if len(members) > 1 else {"const": members[0]}
    if len(kinds) == 1:
        schema["type"] = _JSON_TYPES[kinds.pop()]
    return build(schema, module, node)


def _by_name(name: str, module: v.Module, node: Located | None) -> v.Mapping:
    return build(_BY_NAME.get(name, ANYTHING), module, node)


def _fields_in(metadata: list[v.Value]) -> list[v.Made]:
    """What of a type's metadata says something about the value, as calls with the keywords of `Field`."""
    found = []
    for value in metadata:
        if isinstance(value, v.Made) and value.last in ("Field", "FieldInfo", "StringConstraints"):
            found.append(value)
        elif isinstance(value, v.Made) and value.last in _BOUNDS and value.arguments.positional:
            call = v.Call(*value.arguments.at)
            call.keywords[_BOUNDS[value.last]] = value.arguments.positional[0]
            found.append(v.Made("Field", call))
    return found


def _constrain(schema: v.Mapping, field: v.Made) -> None:
    """Add what a `Field(...)` says to a schema; bounds go to the one part of a union that is not null."""
    target, union = schema, schema.get("anyOf")
    if isinstance(union, v.Items):
        parts = [part for part in union.items if isinstance(part, v.Mapping) and _kind(part) != "null"]
        target = parts[0] if len(parts) == 1 else schema
    for key, argument in field.arguments.keywords.items():
        if key in ("description", "title"):
            if not v.is_none(argument.value):
                schema.give(key, argument)
        elif key in _CONSTRAINTS:
            target.give(_CONSTRAINTS[key], argument)
        elif key in ("min_length", "max_length"):
            target.give(key[:3] + {"array": "Items", "object": "Properties"}.get(_kind(target), "Length"), argument)
        elif key == "json_schema_extra" and isinstance(argument.value, v.Mapping):
            schema.entries.update(argument.value.entries)


def _kind(schema: v.Mapping) -> str:
    kind = schema.get("type")
    return str(kind.value) if isinstance(kind, v.Literal) else ""
