"""What a valid parameter schema says that nobody can have meant; the rules share one walk over its subschemas."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from toolsurface_lint.checks._schema_words import PREDICATES, listed, shown, spelled
from toolsurface_lint.checks.contract import DEFINITION, TOOL_LISTS, check
from toolsurface_lint.checks.tool._tool_schema import (
    OPENAPI,
    OWNED,
    ToolSchema,
    field_of,
    parameter_of,
    schema_of,
    shape_of,
    spoken,
)
from toolsurface_lint.model.diagnostics import ERROR, INFO, UNSAFE, WARNING, Finding, Fix, Rule, renaming
from toolsurface_lint.model.names import CloseNames, close_names, suggestion
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.schemas.dialects import has_type, types_of
from toolsurface_lint.schemas.patterns import harmless
from toolsurface_lint.schemas.references import leaves_document, resolve
from toolsurface_lint.schemas.walk import BRANCH, PROPERTY, ROOT, Subschema
from toolsurface_lint.source.tree import Path

ROOT_NOT_OBJECT = Rule(
    code="TOOL_SCHEMA_ROOT_NOT_OBJECT",
    since="0.1.0",
    severity=ERROR,
    summary="A parameter schema does not describe an object.",
    message="the parameter schema of `{name}` must have `type: object`, {found}",
    tags=("tools", "schemas"),
)
REQUIRED_UNDECLARED = Rule(
    code="TOOL_SCHEMA_REQUIRED_UNDECLARED",
    since="0.1.0",
    severity=WARNING,
    summary="A required name is not a declared property.",
    message="`{name}` is required, but `properties` does not declare it",
    tags=("tools", "schemas"),
    fix=UNSAFE,
)
UNSATISFIABLE = Rule(
    code="TOOL_SCHEMA_UNSATISFIABLE",
    since="0.1.0",
    severity=ERROR,
    summary="No value can satisfy a schema.",
    message={
        "const": "no value can satisfy {what}: `const` is {value}, which `enum` does not hold",
        "empty": "no value can satisfy {what}: `enum` is empty",
        "false": "no value can satisfy {what}: `{name}` is required, and its schema is false",
        "forbidden": "no value can satisfy {what}: `{name}` is required, and `additionalProperties: false` forbids it",
        "range": "no value can satisfy {what}: `{low}` is {least}, `{high}` is {most}",
    },
    tags=("tools", "schemas"),
    fix=UNSAFE,
)
DEFAULT_INVALID = Rule(
    code="TOOL_SCHEMA_DEFAULT_INVALID",
    since="0.1.0",
    severity=WARNING,
    summary="A default breaks its own schema.",
    message={kind: f"{{where}} {text}" for kind, text in PREDICATES.items()},
    tags=("tools", "schemas"),
    fix=UNSAFE,
)
NULL_DEFAULT = Rule(
    code="TOOL_SCHEMA_NULL_DEFAULT",
    since="0.1.0",
    severity=INFO,
    summary="A default is null, and the type excludes null.",
    message="the default of `{parameter}` is null, which its type excludes{more}",
    tags=("tools", "schemas"),
)
ENUM_TYPE_MISMATCH = Rule(
    code="TOOL_SCHEMA_ENUM_TYPE_MISMATCH",
    since="0.1.0",
    severity=ERROR,
    summary="The declared type excludes a value of `enum` or `const`.",
    message="`{keyword}` holds {values}, which the type `{type}` excludes",
    tags=("tools", "schemas"),
)
ARRAY_WITHOUT_ITEMS = Rule(
    code="TOOL_SCHEMA_ARRAY_WITHOUT_ITEMS",
    since="0.1.0",
    severity=WARNING,
    summary="An array does not say what its items are.",
    message="{what} is an array without `items`",
    tags=("tools", "schemas"),
)
UNTYPED_PARAMETER = Rule(
    code="TOOL_SCHEMA_UNTYPED_PARAMETER",
    since="0.1.0",
    severity=WARNING,
    summary="A parameter has no type.",
    message="parameter `{parameter}` has no type",
    tags=("tools", "schemas"),
)
UNRESOLVED_REF = Rule(
    code="TOOL_SCHEMA_UNRESOLVED_REF",
    since="0.1.0",
    severity=ERROR,
    summary="A reference leads nowhere inside the schema.",
    message={
        "outside": "`{reference}` leads out of the document",
        "nowhere": "`{reference}` leads nowhere in the schema",
    },
    tags=("tools", "schemas"),
    fix=UNSAFE,
)

# Keywords that say what a value may be, so that a schema with one of them is typed.
_TYPING = frozenset(
    ("type", "enum", "const", "$ref", "$dynamicRef", "$recursiveRef", "anyOf", "oneOf", "allOf", "not", "if")
)
_SHAPES = frozenset(("properties", "patternProperties", "items", "prefixItems", "contains", "pattern", "format"))
_ITEMS = frozenset(("items", "prefixItems", "contains", "enum", "const", "$ref", "anyOf", "oneOf", "allOf"))
_SPECIAL = frozenset(
    ("required", "enum", "const", "default", "$ref", "minimum", "exclusiveMinimum", "minLength", "minItems",
     "minProperties")
)  # fmt: skip


@check(
    DEFINITION,
    ROOT_NOT_OBJECT,
    REQUIRED_UNDECLARED,
    UNSATISFIABLE,
    DEFAULT_INVALID,
    ENUM_TYPE_MISMATCH,
    ARRAY_WITHOUT_ITEMS,
    UNTYPED_PARAMETER,
    UNRESOLVED_REF,
)
def check_definition(tool: Tool, target: Target) -> Iterator[Finding]:
    schema = schema_of(tool)
    if schema is None:
        return
    yield from _root(schema)
    special = _SPECIAL
    for part in schema.subschemas:
        keys = part.schema
        stated = keys.get("type")
        if stated is None:
            if part.role == PROPERTY and _TYPING.isdisjoint(keys) and _SHAPES.isdisjoint(keys):
                yield from _untyped(schema, part)
        elif (stated == "array" or (type(stated) is list and "array" in stated)) and _ITEMS.isdisjoint(keys):
            yield from _array(schema, part)
        if not special.isdisjoint(keys):
            yield from _special(schema, part)


@check(TOOL_LISTS, NULL_DEFAULT)
def check_lists(lists: list[list[Tool]], target: Target) -> Iterator[Finding]:
    """Null defaults, once for a tool list: servers that have one have it everywhere."""
    for tools in lists:
        found = [
            (schema, part)
            for tool in tools
            if (schema := schema_of(tool)) is not None and _has_null_default(schema.value)
            for part in schema.subschemas
            if "default" in part.schema and part.schema["default"] is None and _excludes_null(schema, part)
        ]
        if found:
            schema, part = found[0]
            yield NULL_DEFAULT.at(
                schema.place((*part.path, "default")),
                tool=schema.tool.name,
                field=field_of(part),
                help="leave the default out, or allow null in the type",
                parameter=parameter_of(part) or str(part.path[-1] if part.path else "parameters"),
                more=_and_more(len(found) - 1),
            )


def _has_null_default(value: Any) -> bool:
    """Whether a null default stands anywhere in a value: cheaper to ask than to walk every schema again."""
    pending = [value]
    while pending:
        current = pending.pop()
        if type(current) is dict:
            if "default" in current and current["default"] is None:
                return True
            pending.extend(current.values())
        elif type(current) is list:
            pending.extend(current)
    return False


def _and_more(count: int) -> str:
    if not count:
        return ""
    return f", and so is {count} more in this list" if count == 1 else f", and so are {count} more in this list"


def _root(schema: ToolSchema) -> Iterator[Finding]:
    """The root must be an object schema, where the format says so."""
    tool, value = schema.tool, schema.value
    stated = value.get("type") if isinstance(value, dict) else None
    if stated == "object":
        return
    if not isinstance(value, dict):
        # The responses API writes a function without parameters as `parameters: null`.
        if value is None and shape_of(tool) == "openai":
            return
        place = schema.place(())
        found = f"not {shown(value)}"
    elif "type" in value:
        if not _is_plain_type(stated):
            return
        place = schema.place(("type",))
        found = f"not {shown(stated)}"
    elif shape_of(tool) in OWNED and not (shape_of(tool) == "gemini" and schema.style != OPENAPI):
        place = schema.place(())
        found = "and has no `type`"
    else:
        return
    yield ROOT_NOT_OBJECT.at(place, tool=tool.name, field="parameters", name=tool.name, found=found)


def _is_plain_type(stated: Any) -> bool:
    names = stated if isinstance(stated, list) else [stated]
    return bool(names) and all(isinstance(name, str) and types_of({"type": name}) is not None for name in names)


def _untyped(schema: ToolSchema, part: Subschema) -> Iterator[Finding]:
    name = str(part.path[-1])
    # In a branch, or beside one, a property may only narrow what another place declares.
    if part.parent is not None and (part.parent.role == BRANCH or part.negated):
        return
    code = schema.tool.code
    if code is not None and any(found.name == name and found.typing != "typed" for found in code.parameters):
        return  # TOOL_CODE_UNTYPED_PARAMETER points at the code that this is derived from.
    if "type" in schema.as_written(part):
        return  # Any type at all, in a style that has a word for it.
    default = part.schema.get("default")
    help = f"its default is {shown(default)}" if default is not None else None
    yield UNTYPED_PARAMETER.at(
        schema.place(part.path, "key"),
        tool=schema.tool.name,
        field=field_of(part),
        help=help,
        parameter=parameter_of(part) or name,
    )


def _array(schema: ToolSchema, part: Subschema) -> Iterator[Finding]:
    if part.negated or (part.role == BRANCH and _group_has(schema, part, "items")) or part.schema.get("maxItems") == 0:
        return
    yield ARRAY_WITHOUT_ITEMS.at(
        schema.place((*part.path, "type")),
        tool=schema.tool.name,
        field=field_of(part),
        help="say what an item is: `items: {type: string}`",
        what=spoken(part),
    )


def _special(schema: ToolSchema, part: Subschema) -> Iterator[Finding]:
    keys = part.schema
    if "required" in keys and not part.negated:
        yield from _required(schema, part)
    if "enum" in keys or "const" in keys:
        yield from _values(schema, part)
    if "default" in keys and not part.negated:
        yield from _default(schema, part)
    if "$ref" in keys:
        yield from _reference(schema, part)
    if not part.negated and not part.conditional:
        yield from _bounds(schema, part)


def _required(schema: ToolSchema, part: Subschema) -> Iterator[Finding]:
    keys = part.schema
    properties = keys.get("properties")
    declared = properties if isinstance(properties, dict) else {}
    required = keys["required"]
    if not isinstance(required, list):
        return
    undeclared: _Undeclared | None = None
    for index, name in enumerate(required):
        if not isinstance(name, str):
            continue
        if name in declared:
            if declared[name] is False and not part.conditional:
                yield _unsatisfiable(schema, part, "false", ("required", index), name=name)
            continue
        undeclared = undeclared or _Undeclared(schema, part, declared, required)
        yield from _undeclared(schema, part, index, name, undeclared)


_MOST_TRIED = 10_000
"""How often a pattern of `patternProperties` is tried on a name that one list requires."""


class _Undeclared:
    """What names that a schema requires and does not declare are compared with: built once for all of them."""

    __slots__ = ("_patterns", "_tries", "bound_told", "close", "free", "group")

    def __init__(
        self, schema: ToolSchema, part: Subschema, declared: Iterable[str], required: Iterable[object]
    ) -> None:
        patterns = part.schema.get("patternProperties")
        self._patterns = [harmless(pattern) for pattern in patterns] if isinstance(patterns, dict) else []
        self._tries = 0
        self.bound_told = False
        taken = {name for name in required if isinstance(name, str)}
        self.close = CloseNames(declared)
        self.free = CloseNames(name for name in declared if name not in taken)
        self.group = _group(schema, part)

    def may_match(self, name: str) -> bool | None:
        """Whether a pattern matches a name, or may match it; None from the name on at which all tries are used up.

        A pattern that is not run counts as matching.
        """
        for safe in self._patterns:
            if self._tries >= _MOST_TRIED:
                return None
            self._tries += 1
            if safe is None or not safe.judges(name) or safe.matches(name):
                return True
        return False


def _undeclared(
    schema: ToolSchema, part: Subschema, index: int, name: str, undeclared: _Undeclared
) -> Iterator[Finding]:
    keys = part.schema
    forbidden = keys.get("additionalProperties") is False
    group, known = undeclared.group
    if forbidden and part.conditional:
        return
    if not forbidden and (isinstance(keys.get("additionalProperties"), dict) or not known or name in group):
        return
    matched = undeclared.may_match(name)
    if matched or (matched is None and undeclared.bound_told):
        return
    place = schema.place((*part.path, "required", index))
    if matched is None:
        undeclared.bound_told = True
        bound = (
            "this name and those below are not compared with all of `patternProperties`: "
            f"{_MOST_TRIED:,} tries are used up"
        )
        yield REQUIRED_UNDECLARED.at(place, tool=schema.tool.name, field=field_of(part), help=bound, name=name)
        return
    help = suggestion(undeclared.close.find(name))
    fix = renaming(place, name, undeclared.free.find(name))
    if forbidden:
        yield _unsatisfiable(schema, part, "forbidden", ("required", index), help=help, fix=fix, name=name)
        return
    yield REQUIRED_UNDECLARED.at(place, tool=schema.tool.name, field=field_of(part), help=help, name=name, fix=fix)


def _group(schema: ToolSchema, part: Subschema) -> tuple[set[str], bool]:
    """The properties that the schemas which judge the same value declare, and whether all of them are known."""
    while part.role == BRANCH and part.parent is not None:
        part = part.parent
    if part.path not in schema.groups:
        schema.groups[part.path] = _declared_together(schema, part)
    return schema.groups[part.path]


def _declared_together(schema: ToolSchema, part: Subschema) -> tuple[set[str], bool]:
    names: set[str] = set()
    pending: list[Any] = [part.schema]
    seen: set[int] = set()
    while pending:
        current = pending.pop()
        if not isinstance(current, dict) or id(current) in seen:
            continue
        seen.add(id(current))
        properties = current.get("properties")
        if isinstance(properties, dict):
            names.update(properties)
        # Another schema of the value may leave room for more names.
        if current is not part.schema and isinstance(current.get("additionalProperties"), dict):
            return names, False
        for key in ("anyOf", "oneOf", "allOf"):
            if isinstance(current.get(key), list):
                pending.extend(current[key])
        pending.extend(current.get(key) for key in ("if", "then", "else"))
        dependent = current.get("dependentSchemas")
        if isinstance(dependent, dict):
            pending.extend(dependent.values())
        reference = current.get("$ref")
        if isinstance(reference, str):
            target = resolve(schema.value, reference)
            if target is None:
                return names, False
            pending.append(target.value)
    return names, True


def _group_has(schema: ToolSchema, part: Subschema, keyword: str) -> bool:
    """Whether a schema that a branch stands in, judging the same value, has a keyword."""
    current: Subschema | None = part
    while current is not None:
        if keyword in current.schema:
            return True
        current = current.parent if current.role == BRANCH else None
    return False


def _unsatisfiable(schema: ToolSchema, part: Subschema, kind: str, path: Path, **options: Any) -> Finding:
    what = f"the arguments of `{schema.tool.name}`" if part.role == ROOT else spoken(part)
    place = schema.place(part.path + path)
    return UNSATISFIABLE.at(place, kind, tool=schema.tool.name, field=field_of(part), what=what, **options)


_RANGES = (
    ("minLength", "maxLength", "string"),
    ("minItems", "maxItems", "array"),
    ("minProperties", "maxProperties", "object"),
)


def _bounds(schema: ToolSchema, part: Subschema) -> Iterator[Finding]:
    keys = part.schema
    types = types_of(keys)
    for low, high, name in _RANGES:
        if low in keys and high in keys and (types is None or types == (name,)):
            least, most = keys[low], keys[high]
            if _is_number(least) and _is_number(most) and least > most:
                yield _unsatisfiable(schema, part, "range", (low,), low=low, least=least, high=high, most=most)
    if types is None or set(types) <= {"number", "integer"}:
        yield from _range(schema, part, types is not None and types == ("integer",))


def _range(schema: ToolSchema, part: Subschema, whole: bool) -> Iterator[Finding]:
    keys = part.schema
    lows = [(keys[key], key) for key in ("minimum", "exclusiveMinimum") if _is_number(keys.get(key))]
    highs = [(keys[key], key) for key in ("maximum", "exclusiveMaximum") if _is_number(keys.get(key))]
    if not lows or not highs:
        return
    (least, low), (most, high) = max(lows), min(highs)
    open_end = low.startswith("exclusive") or high.startswith("exclusive")
    empty = least > most or (least == most and open_end)
    if whole and not empty and abs(least) < 1 << 53 and abs(most) < 1 << 53:
        from math import ceil, floor

        first = floor(least) + 1 if low.startswith("exclusive") else ceil(least)
        last = ceil(most) - 1 if high.startswith("exclusive") else floor(most)
        empty = first > last
    if empty:
        yield _unsatisfiable(schema, part, "range", (low,), low=low, least=least, high=high, most=most)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _values(schema: ToolSchema, part: Subschema) -> Iterator[Finding]:
    keys = part.schema
    enum = keys.get("enum")
    if isinstance(enum, list) and not enum and not part.negated and not part.conditional:
        yield _unsatisfiable(schema, part, "empty", ("enum",))
    only = keys.get("const")
    clashing = isinstance(enum, list) and enum and isinstance(only, str) and only not in enum
    if clashing and not part.negated and not part.conditional:
        yield _unsatisfiable(schema, part, "const", ("const",), value=shown(only))
    types = types_of(keys)
    # Gemini writes the values of every enum as texts.
    if types is None or part.negated or (schema.style == OPENAPI and types != ("string",)):
        return
    if keys.get("nullable") is True:
        types = (*types, "null")
    for keyword, values in (("enum", enum), ("const", [keys["const"]] if "const" in keys else None)):
        if not isinstance(values, list):
            continue
        wrong = [index for index, value in enumerate(values) if not any(has_type(value, name) for name in types)]
        if wrong:
            yield ENUM_TYPE_MISMATCH.at(
                schema.place((*part.path, keyword, wrong[0]) if keyword == "enum" else (*part.path, keyword)),
                tool=schema.tool.name,
                field=field_of(part),
                keyword=keyword,
                values=listed([values[index] for index in wrong]).removeprefix("one of "),
                type="|".join(types),
            )


def _default(schema: ToolSchema, part: Subschema) -> Iterator[Finding]:
    default = part.schema["default"]
    if default is None or _plainly_fits(part.schema, default):
        return
    from toolsurface_lint.schemas.validation import schema_errors, validate

    errors = validate(part.schema, default, schema.value)
    if not errors or schema_errors(schema.value):
        return
    inside = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in errors[0].at).lstrip(".")
    what = f"the default of {spoken(part)}"
    yield DEFAULT_INVALID.of(
        spelled(errors[0]),
        schema.place((*part.path, "default", *errors[0].at)),
        tool=schema.tool.name,
        field=field_of(part),
        where=f"`{inside}` in {what}" if inside else what,
        fix=_choice(schema, part, default),
    )


def _choice(schema: ToolSchema, part: Subschema, default: Any) -> Fix | None:
    """The fix for a text that is close to one of those that its schema allows."""
    enum = part.schema.get("enum")
    if not isinstance(default, str) or not isinstance(enum, list):
        return None
    near = close_names(default, (word for word in enum if isinstance(word, str)))
    return renaming(schema.place((*part.path, "default")), default, near) if default not in enum else None


_LIMITS = frozenset(
    ("anyOf", "oneOf", "allOf", "not", "if", "$ref", "const", "pattern", "exclusiveMinimum", "exclusiveMaximum",
     "multipleOf", "minLength", "maxLength", "$dynamicRef")
)  # fmt: skip
_CLASSES: dict[type, tuple[str, ...]] = {
    str: ("string",), int: ("integer", "number"), float: ("number",), bool: ("boolean",)
}  # fmt: skip


def _plainly_fits(keys: dict[str, Any], default: Any) -> bool:
    """Whether a default fits beyond doubt: a scalar of the stated type without further conditions, an empty object."""
    stated = keys.get("type")
    names = _CLASSES.get(type(default))
    if names is not None:
        if stated not in names or not _LIMITS.isdisjoint(keys):
            return False
        low, high = keys.get("minimum"), keys.get("maximum")
        if (low is not None and not _is_number(low)) or (high is not None and not _is_number(high)):
            return False
        if names[-1] == "number" and ((low is not None and default < low) or (high is not None and default > high)):
            return False
        enum = keys.get("enum")
        return enum is None or (isinstance(enum, list) and default in enum and not isinstance(default, bool))
    if default == [] and stated == "array":
        return "minItems" not in keys and "enum" not in keys and _LIMITS.isdisjoint(keys)
    return False


_BESIDE_UNION = frozenset(("anyOf", "default", "description", "title", "examples"))


def _excludes_null(schema: ToolSchema, part: Subschema) -> bool:
    keys = part.schema
    stated = keys.get("type")
    if part.negated or keys.get("nullable") is True:
        return False
    if isinstance(stated, str):
        return types_of(keys) is not None and stated != "null"
    if stated is None and _LIMITS.isdisjoint(keys) and "enum" not in keys:
        return False
    # Unions with null, as servers write them.
    options = keys.get("anyOf")
    if isinstance(options, list) and {"type": "null"} in options and _BESIDE_UNION.issuperset(keys):
        return False
    if isinstance(stated, list) and "null" in stated and _LIMITS.isdisjoint(keys) and "enum" not in keys:
        return False
    from toolsurface_lint.schemas.validation import schema_errors, validate

    return bool(validate(keys, None, schema.value)) and not schema_errors(schema.value)


def _reference(schema: ToolSchema, part: Subschema) -> Iterator[Finding]:
    reference = part.schema["$ref"]
    if not isinstance(reference, str) or resolve(schema.value, reference) is not None:
        return
    # Some hosts put a file's shared definitions into each schema before they send it.
    if reference.startswith("#/") and resolve(schema.tool.tree.value, reference) is not None:
        return
    outside = leaves_document(reference)
    place = schema.place((*part.path, "$ref"))
    near = _definitions_near(schema, reference)
    help = suggestion(near)
    yield UNRESOLVED_REF.at(
        place,
        "outside" if outside else "nowhere",
        tool=schema.tool.name,
        field=field_of(part),
        help="put the definition into `$defs` of the schema: nobody fetches it" if outside else help,
        fix=renaming(place, reference, near),
        reference=reference,
    )


def _definitions_near(schema: ToolSchema, reference: str) -> list[str]:
    """References to the definitions of a schema that one which leads nowhere may be meant for.

    Those of the same name in another place (`definitions` for `$defs`), else those of a close name.
    """
    found = _DEFINITION.fullmatch(reference)
    if found is None or not isinstance(schema.value, dict):
        return []
    if schema.definitions is None:
        held: dict[str, list[str]] = {}
        for key in ("$defs", "definitions"):
            for name in schema.value[key] if isinstance(schema.value.get(key), dict) else ():
                if _PLAIN_NAME.fullmatch(name):
                    held.setdefault(name, []).append(f"#/{key}/{name}")
        schema.definitions = held, CloseNames(held)
    held, close = schema.definitions
    names = {found[1]} & held.keys() or close.find(found[1])
    return sorted(
        (written for name in names for written in held[name]), key=lambda written: written.split("/")[1] != "$defs"
    )


_PLAIN_NAME = re.compile(r"[\w.-]+")
_DEFINITION = re.compile(rf"#/(?:\$defs/|definitions/|components/schemas/)?({_PLAIN_NAME.pattern})")
