"""Parameter schemas that no value satisfies, and names that they require without declaring them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from toolsurface_lint.checks._schema_words import shown
from toolsurface_lint.checks.contract import DEFINITION, check
from toolsurface_lint.checks.tool._tool_schema import ToolSchema, field_of, schema_of, spoken
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, WARNING, Finding, Fix, Rule, renaming
from toolsurface_lint.model.names import CloseNames, suggestion
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.schemas.dialects import has_type, types_of
from toolsurface_lint.schemas.patterns import harmless
from toolsurface_lint.schemas.references import resolve
from toolsurface_lint.schemas.walk import BRANCH, ROOT, Subschema
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Path

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
        "forbidden": "no value can satisfy {what}: `{name}` is required, and `additionalProperties: false` forbids it",
        "false": "no value can satisfy {what}: `{name}` is required, and its schema is false",
        "bounds": "no value can satisfy {what}: `{low}` is {least}, `{high}` is {most}",
        "enum": "no value can satisfy {what}: `enum` is empty",
        "const": "no value can satisfy {what}: `const` is {value}, which `enum` does not hold",
    },
    tags=("tools", "schemas"),
    fix=UNSAFE,
)


_LOWEST = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")


@check(DEFINITION, REQUIRED_UNDECLARED, UNSATISFIABLE)
def check_definition(tool: Tool, target: Target) -> Iterator[Finding]:
    schema = schema_of(tool)
    if schema is None:
        return
    for part in schema.having("required"):
        if not part.negated:
            yield from _required(schema, part)
    for part in schema.having("enum"):
        if not part.negated and not part.conditional:
            yield from _allowed(schema, part)
    for part in {id(part): part for keyword in _LOWEST for part in schema.having(keyword)}.values():
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
                yield _unsatisfiable(schema, part, ("required", index), "false", name=name)
            continue
        undeclared = undeclared or _Undeclared(schema, part, declared, required)
        yield from _undeclared(schema, part, index, name, undeclared)


_MOST_TRIED = 10_000
"""How often a pattern of `patternProperties` is tried on a name that one list requires."""


class _Undeclared:
    """What names that a schema requires and does not declare are compared with: built once for all of them."""

    __slots__ = ("_patterns", "_tries", "bound_reported", "close", "free", "group")

    def __init__(
        self, schema: ToolSchema, part: Subschema, declared: Iterable[str], required: Iterable[object]
    ) -> None:
        patterns = part.schema.get("patternProperties")
        self._patterns = [harmless(pattern) for pattern in patterns] if isinstance(patterns, dict) else []
        self._tries = 0
        self.bound_reported = False
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
            if safe is None or not safe.takes(name) or safe.matches(name):
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
    if matched or (matched is None and undeclared.bound_reported):
        return
    place = schema.place((*part.path, "required", index))
    if matched is None:
        undeclared.bound_reported = True
        bound = (
            "this name and those below are not compared with all of `patternProperties`: "
            f"{_MOST_TRIED:,} tries are used up"
        )
        yield REQUIRED_UNDECLARED.at(place, tool=schema.tool.name, field=field_of(part), help=bound, name=name)
        return
    help = suggestion(undeclared.close.find(name))
    fix = renaming(place, name, undeclared.free.find(name))
    if forbidden:
        yield _unsatisfiable(schema, part, ("required", index), "forbidden", help, fix, name=name)
        return
    yield REQUIRED_UNDECLARED.at(place, tool=schema.tool.name, field=field_of(part), help=help, name=name, fix=fix)


def _group(schema: ToolSchema, part: Subschema) -> tuple[set[str], bool]:
    """The properties that the schemas of the same value declare, and whether all of them are known."""
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


def _unsatisfiable(
    schema: ToolSchema,
    part: Subschema,
    path: Path,
    kind: str,
    help: str | None = None,
    fix: Fix | None = None,
    **values: object,
) -> Finding:
    what = f"the arguments of `{schema.tool.name}`" if part.role == ROOT else spoken(part)
    problem = Problem(kind, path, {"what": what, **values})
    place = schema.place(part.path + path)
    return UNSATISFIABLE.of(problem, place, tool=schema.tool.name, field=field_of(part), help=help, fix=fix)


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
            if has_type(least, "number") and has_type(most, "number") and least > most:
                yield _unsatisfiable(schema, part, (low,), "bounds", low=low, least=least, high=high, most=most)
    if types is None or set(types) <= {"number", "integer"}:
        yield from _range(schema, part, types is not None and types == ("integer",))


def _range(schema: ToolSchema, part: Subschema, whole: bool) -> Iterator[Finding]:
    keys = part.schema
    lows = [(keys[key], key) for key in ("minimum", "exclusiveMinimum") if has_type(keys.get(key), "number")]
    highs = [(keys[key], key) for key in ("maximum", "exclusiveMaximum") if has_type(keys.get(key), "number")]
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
        yield _unsatisfiable(schema, part, (low,), "bounds", low=low, least=least, high=high, most=most)


def _allowed(schema: ToolSchema, part: Subschema) -> Iterator[Finding]:
    keys = part.schema
    enum = keys.get("enum")
    if isinstance(enum, list) and not enum:
        yield _unsatisfiable(schema, part, ("enum",), "enum")
    only = keys.get("const")
    if isinstance(enum, list) and enum and isinstance(only, str) and only not in enum:
        yield _unsatisfiable(schema, part, ("const",), "const", value=shown(only))
