"""The schema that a framework derives from a type hint or a model.

Schemas are `Mapping` values, every part of which remembers where it was written. Two ways to derive: `pydantic`, as
MCP servers and most agent libraries do, and `simple`, the few types that the decorator of the tool chapter knows.
"""

from __future__ import annotations

from typing import NamedTuple

from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.fields import constrain, field_default, fields_in, is_field
from toolsurface_lint.programs.operations import plain
from toolsurface_lint.programs.schema_parts import (
    ARRAYS,
    OBJECTS,
    SCALARS,
    SETS,
    ObjectSchema,
    anything,
    bounded_number,
    by_name,
    enumerated,
    typed,
)
from toolsurface_lint.programs.simple_types import simple_schema
from toolsurface_lint.source.python import Located

MAX_DEPTH = 20
"""How many types may lie within each other."""

PYDANTIC, SIMPLE = "pydantic", "simple"

_MODELS = ("BaseModel", "TypedDict", "NamedTuple", "RootModel", "BaseSettings", "SQLModel")
_WRAPPERS = frozenset((
    "Required", "NotRequired", "ReadOnly", "Final", "Unpack", "Awaitable", "SkipValidation",
))  # fmt: skip
_CONSTRAINED = {
    "conint": "int", "confloat": "float", "constr": "str", "conlist": "list", "conset": "set", "conbytes": "bytes",
}  # fmt: skip


class Property(NamedTuple):
    """A parameter or field as the model sees it; `name` is its alias if it has one."""

    name: str
    schema: v.Mapping
    required: bool


class SchemaReader:
    """Derives schemas; `text_metadata`: a plain text in `Annotated` is the parameter's description."""

    def __init__(self, evaluator: Evaluator, flavour: str = PYDANTIC, *, text_metadata: bool = False) -> None:
        self.evaluator = evaluator
        self.flavour = flavour
        self.text_metadata = text_metadata
        self._active: list[v.Node] = []

    def read_hint(self, hint: v.Node, scope: v.Scope) -> v.TypeHint:
        return scope.module.read_hint(hint, scope, self.evaluator)

    def property(self, declared: v.Parameter, scope: v.Scope, place: Located) -> Property:
        """What a parameter or field, whose name stands at `place`, is to the model."""
        name, hint, written = declared[:3]
        module = scope.module
        default = None if written is None else self.evaluator.evaluate(written, scope)
        if self.flavour == SIMPLE:
            return Property(name, simple_schema(hint, scope, place, self.read_hint), default is None)
        fields: list[v.Made] = []
        texts: list[v.Literal] = []
        if hint is None:
            schema = v.Mapping(module, place)
        else:
            read = self.read_hint(hint, scope)
            schema = self._schema_of(read, read.node, read.scope.module)
            schema.module, schema.node = module, hint
            fields.extend(fields_in(read.metadata))
            texts.extend(
                value for value in read.metadata if isinstance(value, v.Literal) and isinstance(value.value, str)
            )
        if texts and self.text_metadata:
            schema.set("description", texts[0])
        has_default = default is not None
        if is_field(default):
            fields.append(default)
            default = None
            has_default = False
        for field in fields:
            constrain(schema, field)
            given = field_default(field)
            alias = field.arguments.get("alias")
            if alias is not None and isinstance(alias.value, v.Literal):
                name = str(alias.value.value)
            if given is not None and default is None:
                default, has_default = given, True
            elif "default_factory" in field.arguments.keywords:
                has_default = True
        if default is not None:
            _set_default(schema, default)
        return Property(name, schema, not has_default)

    def schema(self, hint: v.Node, scope: v.Scope) -> v.Mapping:
        """The JSON Schema of a type hint; one that allows anything for a type that is not known."""
        if len(self._active) > MAX_DEPTH:
            return anything(scope.module, hint)
        read = self.read_hint(hint, scope)
        schema = self._schema_of(read, hint, scope.module)
        for field in fields_in(read.metadata):
            constrain(schema, field)
        return schema

    def _schema_of(self, hint: v.TypeHint, written: v.Node, module: v.Module) -> v.Mapping:
        """The schema of a hint that is written in a file as another expression, which may be a name of it."""
        if len(self._active) > MAX_DEPTH:
            return anything(module, written)
        self._active.append(hint.node)
        try:
            if len(hint.alternatives) > 1:
                schema = v.Mapping(module, written)
                parts: list[v.Value] = [self.schema(part, where) for part, where in hint.alternatives]
                schema.set("anyOf", v.Items(parts, module, written))
                return schema
            if hint.inside:
                return self._generic(hint)
            if hint.value is None:
                return anything(module, written)
            if isinstance(hint.value, v.Literal) and hint.value.value is None:
                return typed("null", module, written)
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
                schema = by_name(_CONSTRAINED[value.last], module, hint.node)
                items = given.get("item_type", 0) if "items" in schema.entries else None
                if items is not None:
                    schema.set("items", self.schema(items.site, scope))
                constrain(schema, value)
                return schema
        if not hint.head:
            return anything(module, hint.node)
        return bounded_number(hint.head, module, hint.node) or by_name(hint.head, module, hint.node)

    def _generic(self, hint: v.TypeHint) -> v.Mapping:
        """The schema of a type with others in brackets."""
        scope, module, head, inside = hint.scope, hint.scope.module, hint.head, hint.inside
        if head == "Literal":
            return enumerated([self.evaluator.evaluate(part, scope) for part in inside], module, hint.node)
        if head in _WRAPPERS or head in ("ClassVar", "type", "Type"):
            return self.schema(inside[0], scope) if head in _WRAPPERS else anything(module, hint.node)
        if isinstance(hint.value, v.Class):
            return self.model(hint.value, hint.node, module)
        schema = by_name(head, module, hint.node)
        if head in ("tuple", "Tuple"):
            last = self.evaluator.evaluate(inside[1], scope) if len(inside) == 2 else None
            if isinstance(last, v.Literal) and last.value is Ellipsis:
                schema.set("items", self.schema(inside[0], scope))
            else:
                del schema.entries["items"]
                parts: list[v.Value] = [self.schema(part, scope) for part in inside]
                schema.set("prefixItems", v.Items(parts, module, hint.node))
                schema.set("minItems", v.Literal(len(parts), module, hint.node))
                schema.set("maxItems", v.Literal(len(parts), module, hint.node))
        elif head in ARRAYS or head in SETS:
            schema.set("items", self.schema(inside[0], scope))
        elif head in OBJECTS and len(inside) == 2:
            schema.set("additionalProperties", self.schema(inside[1], scope))
        return schema

    def model(self, cls: v.Class, node: Located, module: v.Module) -> v.Mapping:
        """The schema of a class: the values of an enum, the fields of a model, a dataclass or a typed dict."""
        members = cls.members()
        if members:
            return enumerated([member.value for member in members], module, node)
        if cls.derives(*_MODELS) is None and not cls.syntax.is_dataclass:
            name = next(
                (base.last for base in cls.ancestors() if isinstance(base, v.External) and base.last in SCALARS), ""
            )
            return by_name(name, module, node) if name else anything(module, node)
        if cls.code in self._active or len(self._active) > MAX_DEPTH:
            return typed("object", module, node)
        self._active.append(cls.code)
        try:
            if cls.derives("RootModel") is None:
                return self._fields(cls, module, node)
            # A model that is one value: `class Ids(RootModel[list[int]])`.
            root = next((field.hint for field in cls.syntax.fields if field.name == "root"), cls.syntax.base_argument)
            return anything(module, node) if root is None else self.schema(root, cls.scope)
        finally:
            self._active.pop()

    def _fields(self, cls: v.Class, module: v.Module, node: Located) -> v.Mapping:
        schema = ObjectSchema(module, node)
        # Those of the farthest ancestors first.
        for ancestor in reversed([each for each in cls.ancestors() if isinstance(each, v.Class)]):
            for field in ancestor.syntax.fields:
                if not field.name.startswith("_") and field.name != "model_config":
                    self._field(field, ancestor.scope, schema, cls.syntax.is_partial)
        return schema.made()

    def _field(self, field: v.Parameter, scope: v.Scope, schema: ObjectSchema, partial: bool) -> None:
        head = "" if field.hint is None else self.read_hint(field.hint, scope).head
        if head == "ClassVar":
            return
        place = scope.module.offsets.identifier(field.node, field.name)
        name, written, required = self.property(field, scope, place)
        made = None if field.default is None else self.evaluator.evaluate(field.default, scope)
        if isinstance(made, v.Made) and made.last == "field":
            required = not {"default", "default_factory"} & set(made.arguments.keywords)
        required = required and head != "NotRequired" and (not partial or head == "Required")
        schema.add(name, written, required, scope.module, place)


def _set_default(schema: v.Mapping, default: v.Value) -> None:
    if isinstance(default, v.Member):
        default = v.Literal(plain(default), default.module, default.node)
    if isinstance(default, v.Literal | v.Items | v.Mapping) and not (
        isinstance(default, v.Literal) and not isinstance(default.value, str | int | float | bool | None)
    ):
        schema.set("default", default)
