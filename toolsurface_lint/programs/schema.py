"""The schema that a framework derives from a type hint or a model.

Schemas are `Mapping` values, every part of which remembers where it was written. Two ways to derive: `pydantic`, as
MCP servers and most agent libraries do, and `simple`, the few types that the decorator of the tool chapter knows.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.fields import constrain, field_default, fields_in, is_field
from toolsurface_lint.programs.python import builtins as builtins_of
from toolsurface_lint.programs.python.hints import MAX_DEPTH, Declaration, HintReader, arguments, is_known
from toolsurface_lint.programs.python.models import declared_fields, has_fields, is_partial, is_root, root_hint
from toolsurface_lint.programs.python.modules import Module
from toolsurface_lint.programs.schema_parts import (
    ARRAYS,
    OBJECTS,
    SCALARS,
    SETS,
    anything,
    bounded_number,
    by_name,
    empty_object,
    enumerated,
    typed,
)
from toolsurface_lint.programs.simple_types import simple_schema
from toolsurface_lint.programs.values import (
    Class,
    External,
    Items,
    Literal,
    Made,
    Mapping,
    Member,
    Scope,
    Value,
)
from toolsurface_lint.source.python import Located

PYDANTIC, SIMPLE = "pydantic", "simple"

_WRAPPERS = frozenset((
    "Required", "NotRequired", "ReadOnly", "Final", "Unpack", "Awaitable", "SkipValidation",
))  # fmt: skip
_CONSTRAINED = {
    "conint": "int", "confloat": "float", "constr": "str", "conlist": "list", "conset": "set", "conbytes": "bytes",
}  # fmt: skip


class Property(NamedTuple):
    """A parameter or field as the model sees it; `name` is its alias if it has one."""

    name: str
    schema: Mapping
    required: bool


class SchemaReader:
    """Derives schemas; `text_metadata`: a plain text in `Annotated` is the parameter's description."""

    def __init__(self, evaluator: Evaluator, flavour: str = PYDANTIC, *, text_metadata: bool = False) -> None:
        self.evaluator = evaluator
        self.flavour = flavour
        self.text_metadata = text_metadata
        self.hints = HintReader(evaluator)
        self._active: list[ast.AST] = []

    def property(self, declared: Declaration) -> Property:
        """What a parameter or field is to the model."""
        name, hint, written, scope, place = declared
        module = scope.module
        default = None if written is None else self.evaluator.evaluate(written, scope)
        if self.flavour == SIMPLE:
            return Property(name, simple_schema(hint, scope, place, self.hints), default is None)
        fields: list[Made] = []
        texts: list[Literal] = []
        if hint is None:
            schema = Mapping(module, place)
        else:
            inner, inner_scope, metadata = self.hints.unwrap(hint, scope)
            schema = self.schema(inner, inner_scope)
            schema.module, schema.node = module, hint
            fields.extend(fields_in(metadata))
            texts.extend(value for value in metadata if isinstance(value, Literal) and isinstance(value.value, str))
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
            if alias is not None and isinstance(alias.value, Literal):
                name = str(alias.value.value)
            if given is not None and default is None:
                default, has_default = given, True
            elif "default_factory" in field.arguments.keywords:
                has_default = True
        if default is not None:
            _set_default(schema, default)
        return Property(name, schema, not has_default)

    def schema(self, hint: ast.expr, scope: Scope) -> Mapping:
        """The JSON Schema of a type hint; one that allows anything for a type that is not known."""
        module = scope.module
        if len(self._active) > MAX_DEPTH:
            return anything(module, hint)
        self._active.append(hint)
        try:
            return self._schema(hint, scope)
        finally:
            self._active.pop()

    def _schema(self, hint: ast.expr, scope: Scope) -> Mapping:
        original, module = hint, scope.module
        hint, scope, metadata = self.hints.unwrap(hint, scope)
        alternatives = self.hints.alternatives(hint, scope)
        if len(alternatives) > 1:
            schema = Mapping(module, original)
            parts: list[Value] = [self.schema(part, where) for part, where in alternatives]
            schema.set("anyOf", Items(parts, module, original))
        elif isinstance(hint, ast.Subscript):
            schema = self._generic(hint, scope)
        elif isinstance(hint, ast.Constant) and hint.value is None:
            schema = typed("null", module, original)
        elif isinstance(hint, ast.Name | ast.Attribute):
            schema = self._named(hint, scope, self.evaluator.evaluate(hint, scope))
        elif isinstance(hint, ast.Call):
            schema = self._called(hint, scope)
        else:
            schema = anything(module, original)
        for field in fields_in(metadata):
            constrain(schema, field)
        return schema

    def _called(self, hint: ast.Call, scope: Scope) -> Mapping:
        """The schema of a type that a call makes: `conint(ge=1)`."""
        module = scope.module
        made = self.evaluator.evaluate(hint, scope)
        if not isinstance(made, Made) or made.last not in _CONSTRAINED or not made.path.startswith("pydantic."):
            return anything(module, hint)
        schema = by_name(_CONSTRAINED[made.last], module, hint)
        items = made.arguments.get("item_type", 0) if "items" in schema.entries else None
        if items is not None:
            schema.set("items", self.schema(items.site, scope))
        constrain(schema, made)
        return schema

    def _named(self, hint: ast.expr, scope: Scope, value: Value) -> Mapping:
        module = scope.module
        if isinstance(value, Class):
            return self.model(value, hint, module)
        if isinstance(value, Literal) and value.value is None:
            return typed("null", module, hint)
        if isinstance(value, Made) and value.last == "NewType" and len(value.arguments.positional) > 1:
            return self.schema(
                value.arguments.positional[1].site, scope if value.module is None else value.module.scope
            )
        if isinstance(value, Made) and value.last == "TypeVar":
            return Mapping(module, hint)
        if not isinstance(value, External) or not is_known(value):
            return anything(module, hint)
        return bounded_number(value.last, module, hint) or by_name(value.last, module, hint)

    def _generic(self, hint: ast.Subscript, scope: Scope) -> Mapping:
        module = scope.module
        head = self.hints.head(hint, scope)
        inside = arguments(hint)
        if head == "Literal":
            return enumerated([self.evaluator.evaluate(argument, scope) for argument in inside], module, hint)
        if head in _WRAPPERS or head in ("ClassVar", "type", "Type"):
            return self.schema(inside[0], scope) if head in _WRAPPERS else anything(module, hint)
        model = self.evaluator.evaluate(hint.value, scope) if not head else None
        if isinstance(model, Class):
            return self.model(model, hint, module)
        schema = by_name(head, module, hint)
        if head in ("tuple", "Tuple"):
            if len(inside) == 2 and isinstance(inside[1], ast.Constant) and inside[1].value is Ellipsis:
                schema.set("items", self.schema(inside[0], scope))
            else:
                del schema.entries["items"]
                parts: list[Value] = [self.schema(argument, scope) for argument in inside]
                schema.set("prefixItems", Items(parts, module, hint))
                schema.set("minItems", Literal(len(parts), module, hint))
                schema.set("maxItems", Literal(len(parts), module, hint))
        elif head in ARRAYS or head in SETS:
            schema.set("items", self.schema(inside[0], scope))
        elif head in OBJECTS and len(inside) == 2:
            schema.set("additionalProperties", self.schema(inside[1], scope))
        return schema

    def model(self, cls: Class, node: Located, module: Module) -> Mapping:
        """The schema of a class: the values of an enum, the fields of a model, a dataclass or a typed dict."""
        members = cls.members()
        if members:
            return enumerated([member.value for member in members], module, node)
        if not has_fields(cls):
            name = next(
                (base.last for base in cls.ancestors() if isinstance(base, External) and base.last in SCALARS), ""
            )
            return by_name(name, module, node) if name else anything(module, node)
        if cls.code in self._active or len(self._active) > MAX_DEPTH:
            return typed("object", module, node)
        self._active.append(cls.code)
        try:
            if is_root(cls):
                root = root_hint(cls)
                return anything(module, node) if root is None else self.schema(root, cls.scope)
            return self._fields(cls, module, node)
        finally:
            self._active.pop()

    def _fields(self, cls: Class, module: Module, node: Located) -> Mapping:
        schema = empty_object(module, node)
        properties, required = schema.get("properties"), schema.get("required")
        assert isinstance(properties, Mapping)
        assert isinstance(required, Items)
        partial = is_partial(cls)
        for field in declared_fields(cls):
            self._field(field, properties, required, partial)
        if not required.items:
            del schema.entries["required"]
        return schema

    def _field(self, field: Declaration, properties: Mapping, required: Items, partial: bool) -> None:
        scope = field.scope
        head = "" if field.hint is None else self.hints.head(field.hint, scope)
        if head == "ClassVar":
            return
        name, schema, is_required = self.property(field)
        if isinstance(field.default, ast.Call):
            made = self.evaluator.evaluate(field.default, scope)
            if isinstance(made, Made) and made.last == "field":
                is_required = not {"default", "default_factory"} & set(made.arguments.keywords)
        properties.set_at(name, schema, scope.module, field.place)
        required.items = [item for item in required.items if not (isinstance(item, Literal) and item.value == name)]
        if is_required and head != "NotRequired" and (not partial or head == "Required"):
            required.items.append(Literal(name, scope.module, field.place))


def _set_default(schema: Mapping, default: Value) -> None:
    if isinstance(default, Member):
        default = Literal(builtins_of.plain(default), default.module, default.node)
    if isinstance(default, Literal | Items | Mapping) and not (
        isinstance(default, Literal) and not isinstance(default.value, str | int | float | bool | None)
    ):
        schema.set("default", default)
