"""The parameter schema that a framework derives from a Python function or model: type hints, defaults, `Field`.

Schemas are `Mapping` values, every part of which remembers where it was written. Two ways to derive: `pydantic`, as
MCP servers and most agent libraries do, and `simple`, the few types that the decorator of the tool chapter knows.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from toolsurface_lint.readers.python import builtins as builtins_of
from toolsurface_lint.readers.python.docstrings import Documented
from toolsurface_lint.readers.python.evaluation import Evaluator
from toolsurface_lint.readers.python.modules import Module
from toolsurface_lint.readers.python.values import (
    Arguments,
    Class,
    Entry,
    External,
    Function,
    Hint,
    Items,
    Literal,
    Made,
    Mapping,
    Member,
    Scope,
    Value,
)
from toolsurface_lint.source.python import Located, Location

PYDANTIC, SIMPLE = "pydantic", "simple"

_STRING_FORMATS = {
    "datetime": "date-time", "date": "date", "time": "time", "timedelta": "duration", "UUID": "uuid", "UUID4": "uuid",
    "Path": "path", "PurePath": "path", "FilePath": "file-path", "DirectoryPath": "directory-path", "AnyUrl": "uri",
    "HttpUrl": "uri", "AnyHttpUrl": "uri", "EmailStr": "email", "bytes": "binary", "SecretStr": "password",
}  # fmt: skip
_SCALARS = {
    "str": "string", "int": "integer", "float": "number", "bool": "boolean", "None": "null", "NoneType": "null",
    "StrictStr": "string", "StrictInt": "integer", "StrictBool": "boolean", "StrictFloat": "number",
    "Text": "string", "LiteralString": "string", "Pattern": "string",
}  # fmt: skip
_ARRAYS = frozenset((
    "list", "List", "Sequence", "Iterable", "Collection", "MutableSequence", "deque", "Deque", "tuple", "Tuple",
))  # fmt: skip
_SETS = frozenset((
    "set", "frozenset", "Set", "FrozenSet", "AbstractSet", "MutableSet",
))  # fmt: skip
_OBJECTS = frozenset((
    "dict", "Dict", "Mapping", "MutableMapping", "OrderedDict", "defaultdict", "DefaultDict",
))  # fmt: skip
_ANYTHING = frozenset((
    "Any", "object", "JsonValue", "TypeVar", "Hashable",
))  # fmt: skip
_WRAPPERS = frozenset((
    "Required", "NotRequired", "ReadOnly", "Final", "Unpack", "Awaitable", "SkipValidation",
))  # fmt: skip
_KNOWN_ROOTS = frozenset((
    "builtins", "typing", "typing_extensions", "collections", "datetime", "uuid", "pathlib", "decimal", "pydantic",
    "types", "re",
))  # fmt: skip

# Parameters of these types are filled in by the framework; the model never sees them.
_INJECTED_TYPES = frozenset((
    "Context", "RunContext", "RunContextWrapper", "ToolContext", "ToolRuntime", "RunnableConfig",
    "CallbackManagerForToolRun", "AsyncCallbackManagerForToolRun", "CallbackContext", "ToolCallContext",
))  # fmt: skip
_INJECTED_METADATA = frozenset((
    "InjectedToolArg", "InjectedState", "InjectedStore", "InjectedToolCallId", "Depends", "Resolve", "FromDishka",
))  # fmt: skip
_INJECTED_DEFAULTS = frozenset((
    "Depends", "Progress", "CurrentContext", "CurrentFastMCP", "CurrentRequest", "CurrentHeaders", "CurrentDocket",
    "CurrentWorker", "CurrentAccessToken", "TokenClaim", "Resolve",
))  # fmt: skip

_CONSTRAINTS = {
    "ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum", "multiple_of": "multipleOf",
    "pattern": "pattern", "regex": "pattern", "examples": "examples", "min_items": "minItems", "max_items": "maxItems",
}  # fmt: skip

_BOUNDS = {
    "Ge": "ge", "Gt": "gt", "Le": "le", "Lt": "lt", "MultipleOf": "multiple_of", "MinLen": "min_length",
    "MaxLen": "max_length",
}  # fmt: skip
"""The constraints of `annotated_types` by what `Field` calls them."""
_CONSTRAINED = {
    "conint": "int", "confloat": "float", "constr": "str", "conlist": "list", "conset": "set", "conbytes": "bytes",
}  # fmt: skip
_BOUNDED = {
    "PositiveInt": ("integer", "exclusiveMinimum"), "NonNegativeInt": ("integer", "minimum"),
    "NegativeInt": ("integer", "exclusiveMaximum"), "NonPositiveInt": ("integer", "maximum"),
    "PositiveFloat": ("number", "exclusiveMinimum"), "NonNegativeFloat": ("number", "minimum"),
    "NegativeFloat": ("number", "exclusiveMaximum"), "NonPositiveFloat": ("number", "maximum"),
}  # fmt: skip

MAX_DEPTH = 20


class ParameterFacts(NamedTuple):
    """A parameter that the model fills in; `typing` as in `CodeParameter`."""

    name: str
    typing: str
    place: Location
    hint: ast.expr | None


class Inferred(NamedTuple):
    """What a signature gives: the schema, and the parameters as written in `module`."""

    schema: Mapping
    parameters: list[ParameterFacts]
    module: Module


class _Parameter(NamedTuple):
    name: str
    node: ast.arg
    default: ast.expr | None


class SchemaReader:
    """Derives schemas; `text_metadata`: a plain text in `Annotated` is the parameter's description."""

    def __init__(self, evaluator: Evaluator, flavour: str = PYDANTIC, *, text_metadata: bool = False) -> None:
        self.evaluator = evaluator
        self.flavour = flavour
        self.text_metadata = text_metadata
        self._active: list[ast.AST] = []

    def signature(
        self,
        function: Function,
        documented: tuple[Documented, ...] = (),
        *,
        skip_first: bool = False,
        excluded: frozenset[str] = frozenset(),
    ) -> Inferred:
        """The schema of a function's parameters, without those that the framework fills in.

        `documented` are the docstring's parameters where the framework reads them.
        """
        module = function.scope.module
        schema = self._object(module, function.code)
        properties, required = schema.get("properties"), schema.get("required")
        assert isinstance(properties, Mapping)
        assert isinstance(required, Items)
        facts: list[ParameterFacts] = []
        for parameter in self._taken(function, skip_first):
            if parameter.name in excluded or self._is_injected(parameter, function.scope):
                continue
            place = module.offsets.identifier(parameter.node, parameter.name)
            written, is_required, name = self._parameter(parameter, function.scope, place)
            document = next((found for found in documented if found.name == parameter.name), None)
            if document is not None and document.description and "description" not in written.entries:
                written.set("description", Literal(document.description, module, place))
            properties.set_at(name, written, module, place)
            if is_required:
                required.items.append(Literal(name, module, place))
            typing = self._typing(parameter, function.scope)
            facts.append(ParameterFacts(parameter.name, typing, place, parameter.node.annotation))
        if not required.items:
            del schema.entries["required"]
        return Inferred(schema, facts, module)

    def _object(self, module: Module, node: Located) -> Mapping:
        schema = Mapping(module, node)
        schema.set("type", Literal("object", module, node))
        schema.set("properties", Mapping(module, node))
        schema.set("required", Items([], module, node))
        return schema

    def _taken(self, function: Function, skip_first: bool) -> list[_Parameter]:
        arguments = function.code.args
        positional = [*arguments.posonlyargs, *arguments.args]
        defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
        defaults.extend(arguments.defaults)
        taken = [_Parameter(node.arg, node, default) for node, default in zip(positional, defaults, strict=True)]
        bound = function.receiver is not None and function.binding != "static"
        if taken and (bound or skip_first or (function.owner is not None and taken[0].name in ("self", "cls"))):
            taken = taken[1:]
        keyword_only = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        return [*taken, *(_Parameter(node.arg, node, default) for node, default in keyword_only)]

    def _is_injected(self, parameter: _Parameter, scope: Scope) -> bool:
        if parameter.default is not None:
            default = self.evaluator.evaluate(parameter.default, scope)
            if isinstance(default, Made) and default.last in _INJECTED_DEFAULTS:
                return True
        hint = parameter.node.annotation
        if hint is None:
            return False
        if isinstance(hint, ast.Constant) and isinstance(hint.value, str):
            hint = self._parse(hint) or hint
        inner, inner_scope, metadata = self.unwrap(hint, scope)
        for value in metadata:
            name = value.last if isinstance(value, External | Made) else value.name if isinstance(value, Class) else ""
            if name in _INJECTED_METADATA:
                return True
        return any(
            self._names_injected(node, inner_scope)
            for node in ast.walk(inner)
            if isinstance(node, ast.Name | ast.Attribute)
        )

    def _names_injected(self, node: ast.Name | ast.Attribute, scope: Scope) -> bool:
        name = node.id if isinstance(node, ast.Name) else node.attr
        value = self.evaluator.evaluate(node, scope)
        if isinstance(value, External):
            return value.last in _INJECTED_TYPES
        if isinstance(value, Class):
            return value.derives(*_INJECTED_TYPES) is not None
        if isinstance(value, Hint):
            return any(
                self._names_injected(below, value.scope)
                for below in ast.walk(value.expression)
                if isinstance(below, ast.Name | ast.Attribute) and below is not node
            )
        return name in _INJECTED_TYPES

    def _parameter(self, parameter: _Parameter, scope: Scope, place: Location) -> tuple[Mapping, bool, str]:
        """The schema of one parameter, whether it is required, and the name that the model uses for it."""
        module = scope.module
        name = parameter.name
        annotation = parameter.node.annotation
        default = None if parameter.default is None else self.evaluator.evaluate(parameter.default, scope)
        if self.flavour == SIMPLE:
            return self._simple(annotation, scope, place), default is None, name
        fields: list[Made] = []
        texts: list[Literal] = []
        if annotation is None:
            schema = Mapping(module, place)
        else:
            inner, inner_scope, metadata = self.unwrap(annotation, scope)
            schema = self.schema(inner, inner_scope)
            schema.module, schema.node = module, annotation
            fields.extend(_fields_in(metadata))
            texts.extend(value for value in metadata if isinstance(value, Literal) and isinstance(value.value, str))
        if texts and self.text_metadata:
            schema.set("description", texts[0])
        has_default = default is not None
        if isinstance(default, Made) and default.last in ("Field", "FieldInfo", "Body", "Query", "Param"):
            fields.append(default)
            default = None
            has_default = False
        for field in fields:
            self._constrain(schema, field)
            given = _field_default(field)
            alias = field.arguments.get("alias")
            if alias is not None and isinstance(alias.value, Literal):
                name = str(alias.value.value)
            if given is not None and default is None:
                default, has_default = given, True
            elif "default_factory" in field.arguments.keywords:
                has_default = True
        if default is not None:
            self._default(schema, default)
        return schema, not has_default, name

    def _default(self, schema: Mapping, default: Value) -> None:
        if isinstance(default, Member):
            default = Literal(builtins_of.plain(default), default.module, default.node)
        if isinstance(default, Literal | Items | Mapping) and not (
            isinstance(default, Literal) and not isinstance(default.value, str | int | float | bool | None)
        ):
            schema.set("default", default)

    def _typing(self, parameter: _Parameter, scope: Scope) -> str:
        if parameter.node.annotation is None:
            return "untyped"
        if self.flavour == SIMPLE and not self._simple_takes(parameter.node.annotation, scope):
            return "unsupported"
        return "typed"

    # The tool chapter's few types; everything else becomes a string there.

    def _simple(self, annotation: ast.expr | None, scope: Scope, place: Location) -> Mapping:
        module = scope.module
        schema = Mapping(module, annotation or place)
        inner, inner_scope = (None, scope) if annotation is None else self._simple_inner(annotation, scope)
        kind: Literal = Literal("string", module, annotation or place)
        if inner is not None:
            name = self._head(inner, inner_scope)
            if name in ("str", "int", "float", "bool"):
                kind.value = _SCALARS[name]
            elif isinstance(inner, ast.Subscript) and name in ("list", "List"):
                kind.value = "array"
                schema.set("items", self._simple(_arguments(inner)[0], inner_scope, place))
        schema.set("type", kind)
        return schema

    def _simple_takes(self, annotation: ast.expr, scope: Scope) -> bool:
        inner, inner_scope = self._simple_inner(annotation, scope)
        name = self._head(inner, inner_scope)
        if isinstance(inner, ast.Subscript):
            return name in ("list", "List") and self._simple_takes(_arguments(inner)[0], inner_scope)
        return name in ("str", "int", "float", "bool")

    def _simple_inner(self, annotation: ast.expr, scope: Scope) -> tuple[ast.expr, Scope]:
        """A hint without `Annotated`, and without `None` where one type is left."""
        for _ in range(MAX_DEPTH):
            if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
                annotation = self._parse(annotation) or annotation
            inner, scope, _metadata = self.unwrap(annotation, scope)
            others = [part for part in self._alternatives(inner, scope) if self._head(part[0], part[1]) != "None"]
            if len(others) != 1 or others[0][0] is annotation:
                return inner, scope
            annotation, scope = others[0]
        return annotation, scope

    # Hints

    def unwrap(self, hint: ast.expr, scope: Scope) -> tuple[ast.expr, Scope, list[Value]]:
        """A hint without `Annotated`, names of hints followed, and what `Annotated` said."""
        metadata: list[Value] = []
        for _ in range(MAX_DEPTH):
            if isinstance(hint, ast.Constant) and isinstance(hint.value, str):
                parsed = self._parse(hint)
                if parsed is None:
                    break
                hint = parsed
            if isinstance(hint, ast.Name | ast.Attribute):
                value = self.evaluator.evaluate(hint, scope)
                if not isinstance(value, Hint):
                    break
                hint, scope = value.expression, value.scope
                continue
            if not isinstance(hint, ast.Subscript) or self._head(hint, scope) != "Annotated":
                break
            arguments = _arguments(hint)
            metadata.extend(self.evaluator.evaluate(argument, scope) for argument in arguments[1:])
            hint = arguments[0]
        return hint, scope, metadata

    def _parse(self, node: ast.Constant) -> ast.expr | None:
        """A hint written as a string; its parts all lie where the string does."""
        try:
            expression = ast.parse(str(node.value).strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        for part in ast.walk(expression):
            if isinstance(part, ast.expr | ast.keyword):
                part.lineno, part.col_offset = node.lineno, node.col_offset
                part.end_lineno, part.end_col_offset = node.end_lineno, node.end_col_offset
        return expression

    def _head(self, hint: ast.expr, scope: Scope) -> str:
        """The own name of the type that a hint names, before its brackets; empty for what is no known type."""
        if isinstance(hint, ast.Constant) and hint.value is None:
            return "None"
        node = hint.value if isinstance(hint, ast.Subscript) else hint
        if not isinstance(node, ast.Name | ast.Attribute):
            return ""
        value = self.evaluator.evaluate(node, scope)
        if isinstance(value, External):
            return value.last if value.root in _KNOWN_ROOTS else ""
        if isinstance(value, Literal) and value.value is None:
            return "None"
        return ""

    def _alternatives(self, hint: ast.expr, scope: Scope) -> list[tuple[ast.expr, Scope]]:
        """The types that a union allows; of any other hint, itself."""
        found: list[tuple[ast.expr, Scope]] = []
        pending = [(hint, scope)]
        while pending and len(found) < 100:
            part, where = pending.pop(0)
            if isinstance(part, ast.BinOp) and isinstance(part.op, ast.BitOr):
                pending[:0] = [(part.left, where), (part.right, where)]
                continue
            if isinstance(part, ast.Subscript):
                head = self._head(part, where)
                if head == "Union":
                    pending[:0] = [(argument, where) for argument in _arguments(part)]
                    continue
                if head == "Optional":
                    null = ast.copy_location(ast.Constant(None), part)
                    pending[:0] = [(_arguments(part)[0], where), (null, where)]
                    continue
            found.append((part, where))
        return found

    def schema(self, hint: ast.expr, scope: Scope) -> Mapping:
        """The JSON Schema of a type hint; one that allows anything for a type that is not known."""
        module = scope.module
        if len(self._active) > MAX_DEPTH:
            return _anything(module, hint)
        self._active.append(hint)
        try:
            return self._schema(hint, scope)
        finally:
            self._active.pop()

    def _schema(self, hint: ast.expr, scope: Scope) -> Mapping:
        original, module = hint, scope.module
        hint, scope, metadata = self.unwrap(hint, scope)
        alternatives = self._alternatives(hint, scope)
        if len(alternatives) > 1:
            schema = Mapping(module, original)
            parts: list[Value] = [self.schema(part, where) for part, where in alternatives]
            schema.set("anyOf", Items(parts, module, original))
        elif isinstance(hint, ast.Subscript):
            schema = self._generic(hint, scope)
        elif isinstance(hint, ast.Constant) and hint.value is None:
            schema = _typed("null", module, original)
        elif isinstance(hint, ast.Name | ast.Attribute):
            schema = self._named(hint, scope, self.evaluator.evaluate(hint, scope))
        elif isinstance(hint, ast.Call):
            schema = self._called(hint, scope)
        else:
            schema = _anything(module, original)
        for field in _fields_in(metadata):
            self._constrain(schema, field)
        return schema

    def _called(self, hint: ast.Call, scope: Scope) -> Mapping:
        """The schema of a type that a call makes: `conint(ge=1)`."""
        module = scope.module
        made = self.evaluator.evaluate(hint, scope)
        if not isinstance(made, Made) or made.last not in _CONSTRAINED or not made.path.startswith("pydantic."):
            return _anything(module, hint)
        schema = _by_name(_CONSTRAINED[made.last], module, hint)
        items = made.arguments.get("item_type", 0) if "items" in schema.entries else None
        if items is not None:
            schema.set("items", self.schema(items.site, scope))
        self._constrain(schema, made)
        return schema

    def _named(self, hint: ast.expr, scope: Scope, value: Value) -> Mapping:
        module = scope.module
        if isinstance(value, Class):
            return self.model(value, hint, module)
        if isinstance(value, External) and value.root in _KNOWN_ROOTS and value.last in _BOUNDED:
            kind, bound = _BOUNDED[value.last]
            schema = _typed(kind, module, hint)
            schema.set(bound, Literal(0, module, hint))
            return schema
        if isinstance(value, Literal) and value.value is None:
            return _typed("null", module, hint)
        if isinstance(value, Made) and value.last == "NewType" and len(value.arguments.positional) > 1:
            return self.schema(
                value.arguments.positional[1].site, scope if value.module is None else value.module.scope
            )
        if isinstance(value, Made) and value.last == "TypeVar":
            return Mapping(module, hint)
        if not isinstance(value, External) or value.root not in _KNOWN_ROOTS:
            return _anything(module, hint)
        return _by_name(value.last, module, hint)

    def _generic(self, hint: ast.Subscript, scope: Scope) -> Mapping:
        module = scope.module
        head = self._head(hint, scope)
        arguments = _arguments(hint)
        if head == "Literal":
            return self._enumerate([self.evaluator.evaluate(argument, scope) for argument in arguments], module, hint)
        if head in _WRAPPERS or head in ("ClassVar", "type", "Type"):
            return self.schema(arguments[0], scope) if head in _WRAPPERS else _anything(module, hint)
        model = self.evaluator.evaluate(hint.value, scope) if not head else None
        if isinstance(model, Class):
            return self.model(model, hint, module)
        schema = _by_name(head, module, hint)
        if head in ("tuple", "Tuple"):
            if len(arguments) == 2 and isinstance(arguments[1], ast.Constant) and arguments[1].value is Ellipsis:
                schema.set("items", self.schema(arguments[0], scope))
            else:
                del schema.entries["items"]
                parts: list[Value] = [self.schema(argument, scope) for argument in arguments]
                schema.set("prefixItems", Items(parts, module, hint))
                schema.set("minItems", Literal(len(parts), module, hint))
                schema.set("maxItems", Literal(len(parts), module, hint))
        elif head in _ARRAYS or head in _SETS:
            schema.set("items", self.schema(arguments[0], scope))
        elif head in _OBJECTS and len(arguments) == 2:
            schema.set("additionalProperties", self.schema(arguments[1], scope))
        return schema

    def _enumerate(self, values: list[Value], module: Module, node: Located) -> Mapping:
        schema = Mapping(module, node)
        plain = [builtins_of.plain(value) for value in values]
        if not all(isinstance(value, str | int | float | bool | None) for value in plain):
            return _anything(module, node)
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

    def model(self, cls: Class, node: Located, module: Module) -> Mapping:
        """The schema of a class: the values of an enum, the fields of a model, a dataclass or a typed dict."""
        members = cls.members()
        if members:
            return self._enumerate([member.value for member in members], module, node)
        fielded = cls.derives("BaseModel", "TypedDict", "NamedTuple", "RootModel", "BaseSettings", "SQLModel")
        if fielded is None and not any("dataclass" in ast.dump(part) for part in cls.code.decorator_list):
            name = next(
                (base.last for base in cls.ancestors() if isinstance(base, External) and base.last in _SCALARS), ""
            )
            return _by_name(name, module, node) if name else _anything(module, node)
        if cls.code in self._active or len(self._active) > MAX_DEPTH:
            return _typed("object", module, node)
        self._active.append(cls.code)
        try:
            if cls.derives("RootModel") is not None:
                return self._root(cls, module, node)
            return self._fields(cls, module, node)
        finally:
            self._active.pop()

    def _root(self, cls: Class, module: Module, node: Located) -> Mapping:
        """The schema of a model that is one value: `class Ids(RootModel[list[int]])`."""
        for statement in cls.code.body:
            target = statement.target if isinstance(statement, ast.AnnAssign) else None
            if isinstance(statement, ast.AnnAssign) and isinstance(target, ast.Name) and target.id == "root":
                return self.schema(statement.annotation, cls.scope)
        for base in cls.code.bases:
            if isinstance(base, ast.Subscript):
                return self.schema(_arguments(base)[0], cls.scope)
        return _anything(module, node)

    def _fields(self, cls: Class, module: Module, node: Located) -> Mapping:
        schema = self._object(module, node)
        properties, required = schema.get("properties"), schema.get("required")
        assert isinstance(properties, Mapping)
        assert isinstance(required, Items)
        optional = any(
            keyword.arg == "total" and isinstance(keyword.value, ast.Constant) and keyword.value.value is False
            for keyword in cls.code.keywords
        )
        for ancestor in reversed(cls.ancestors()):
            if not isinstance(ancestor, Class):
                continue
            for statement in ancestor.code.body:
                if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                    self._field(statement, statement.target, ancestor.scope, properties, required, optional)
        if not required.items:
            del schema.entries["required"]
        return schema

    def _field(
        self,
        statement: ast.AnnAssign,
        target: ast.Name,
        scope: Scope,
        properties: Mapping,
        required: Items,
        optional: bool,
    ) -> None:
        head = self._head(statement.annotation, scope)
        if target.id.startswith("_") or head == "ClassVar" or target.id == "model_config":
            return
        argument = ast.copy_location(ast.arg(target.id, statement.annotation), target)
        parameter = _Parameter(target.id, argument, statement.value)
        place = Location(target.lineno, target.col_offset, target.lineno, target.end_col_offset or target.col_offset)
        schema, is_required, name = self._parameter(parameter, scope, place)
        if isinstance(statement.value, ast.Call):
            made = self.evaluator.evaluate(statement.value, scope)
            if isinstance(made, Made) and made.last == "field":
                is_required = not {"default", "default_factory"} & set(made.arguments.keywords)
        properties.set_at(name, schema, scope.module, place)
        required.items = [item for item in required.items if not (isinstance(item, Literal) and item.value == name)]
        if is_required and head != "NotRequired" and (not optional or head == "Required"):
            required.items.append(Literal(name, scope.module, place))

    def _constrain(self, schema: Mapping, field: Made) -> None:
        """Add what a `Field(...)` says to a schema; bounds go to the one part of a union that is not null."""
        target = schema
        union = schema.get("anyOf")
        if isinstance(union, Items):
            parts = [part for part in union.items if isinstance(part, Mapping) and not _is_null(part)]
            target = parts[0] if len(parts) == 1 else schema
        kind = target.get("type")
        for key, argument in field.arguments.keywords.items():
            if key in ("description", "title"):
                if not (isinstance(argument.value, Literal) and argument.value.value is None):
                    schema.set_at(key, argument.value, argument.module, argument.key)
            elif key in _CONSTRAINTS:
                target.set_at(_CONSTRAINTS[key], argument.value, argument.module, argument.key)
            elif key in ("min_length", "max_length"):
                ending = {"array": "Items", "object": "Properties"}.get(
                    str(kind.value) if isinstance(kind, Literal) else "", "Length"
                )
                target.set_at(key[:3] + ending, argument.value, argument.module, argument.key)
            elif key == "json_schema_extra" and isinstance(argument.value, Mapping):
                schema.entries.update(argument.value.entries)


def unwrapped(schema: Mapping) -> Mapping:
    """The schema of the only parameter, if that is a model: then its fields are what is passed."""
    properties = schema.get("properties")
    if isinstance(properties, Mapping) and len(properties.entries) == 1:
        (entry,) = properties.entries.values()
        if isinstance(entry.value, Mapping) and "properties" in entry.value.entries:
            return entry.value
    return schema


def transformed(schema: Mapping, transforms: Value) -> Mapping:
    """What `transform_args` makes of the schema of a signature; an incomplete one where that is not known."""
    made = Mapping(schema.module, schema.node)
    made.entries.update(schema.entries)
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(transforms, Mapping) or not isinstance(properties, Mapping):
        made.complete = False
        return made
    needed = [builtins_of.plain(item) for item in required.items] if isinstance(required, Items) else []
    changed = Mapping(properties.module, properties.node)
    still = Items([], schema.module, schema.node)
    for name, entry in properties.entries.items():
        options = _options(transforms.get(name))
        if options is None:
            made.complete = False
            return made
        if _is_true(options.get("hide")):
            continue
        parameter = Mapping(entry.value.module, entry.value.node)
        if isinstance(entry.value, Mapping) and "type" not in options.entries:
            parameter.entries.update(entry.value.entries)
        elif "type" in options.entries and schema.module is not None and schema.node is not None:
            parameter = _anything(schema.module, schema.node)
        for key in ("description", "default"):
            if key in options.entries:
                parameter.entries[key] = options.entries[key]
        given = options.get("name")
        label = given if isinstance(given, Literal) and isinstance(given.value, str) else entry.key
        written = str(builtins_of.plain(label))
        changed.entries[written] = Entry(label, parameter)
        if _is_true(options.get("required")) or (name in needed and "default" not in options.entries):
            still.items.append(Literal(written, label.module, label.node))
    made.set("properties", changed)
    made.entries.pop("required", None)
    if still.items:
        made.set("required", still)
    made.complete = transforms.complete
    return made


def _options(given: Value | None) -> Mapping | None:
    """What is said of one parameter; None if that is not known."""
    if isinstance(given, Made) and given.last in ("ArgTransform", "ArgTransformConfig") and not given.arguments.open:
        options = Mapping(given.module, given.node)
        for key, argument in given.arguments.keywords.items():
            options.set_at(key, argument.value, argument.module, argument.key)
        return options
    if given is None:
        return Mapping()
    return given if isinstance(given, Mapping) and given.complete else None


def _is_true(value: Value | None) -> bool:
    return isinstance(value, Literal) and value.value is True


def _fields_in(metadata: list[Value]) -> list[Made]:
    """What of a type's metadata says something about the value, as calls with the keywords of `Field`."""
    found = []
    for value in metadata:
        if isinstance(value, Made) and value.last in ("Field", "FieldInfo", "StringConstraints"):
            found.append(value)
        elif isinstance(value, Made) and value.last in _BOUNDS and value.arguments.positional:
            arguments = Arguments()
            arguments.keywords[_BOUNDS[value.last]] = value.arguments.positional[0]
            if value.module is not None and value.node is not None:
                found.append(Made("Field", arguments, value.module, value.node))
    return found


def _field_default(field: Made) -> Value | None:
    given = field.arguments.get("default", 0)
    if given is None or (isinstance(given.value, Literal) and given.value.value is Ellipsis):
        return None
    if isinstance(given.value, External) and given.value.last == "PydanticUndefined":
        return None
    return given.value


def _arguments(hint: ast.Subscript) -> list[ast.expr]:
    return hint.slice.elts if isinstance(hint.slice, ast.Tuple) and hint.slice.elts else [hint.slice]


def _typed(kind: str, module: Module, node: Located) -> Mapping:
    schema = Mapping(module, node)
    schema.set("type", Literal(kind, module, node))
    return schema


def _anything(module: Module, node: Located) -> Mapping:
    """The schema of a type that is not known: it allows anything, and no rule can take it for one that lacks a type."""
    schema = Mapping(module, node)
    schema.set("anyOf", Items([Mapping(module, node)], module, node))
    return schema


def _is_null(schema: Mapping) -> bool:
    kind = schema.get("type")
    return isinstance(kind, Literal) and kind.value == "null"


def _by_name(name: str, module: Module, node: Located) -> Mapping:
    """The schema of a type of the standard library or of pydantic by its own name."""
    if name in _SCALARS:
        return _typed(_SCALARS[name], module, node)
    if name in _STRING_FORMATS:
        schema = _typed("string", module, node)
        schema.set("format", Literal(_STRING_FORMATS[name], module, node))
        return schema
    if name in _ARRAYS or name in _SETS:
        schema = _typed("array", module, node)
        schema.set("items", Mapping(module, node))
        if name in _SETS:
            schema.set("uniqueItems", Literal(True, module, node))
        return schema
    if name in _OBJECTS:
        return _typed("object", module, node)
    if name == "Decimal":
        schema = Mapping(module, node)
        schema.set("anyOf", Items([_typed("number", module, node), _typed("string", module, node)], module, node))
        return schema
    return Mapping(module, node) if name in _ANYTHING else _anything(module, node)
