"""Parameter schemas that no value satisfies, and names that they require without declaring them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from toolsurface_lint.checks._schema_words import shown
from toolsurface_lint.checks.contract import OUTPUT_SCHEMA, SCHEMA, check
from toolsurface_lint.checks.tool._tool_schema import OUTPUT, ToolSchema, spoken
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, WARNING, Finding, Rule, renaming
from toolsurface_lint.model.names import CloseNames, suggestion
from toolsurface_lint.model.target import Target
from toolsurface_lint.schemas.dialects import has_type, types_of
from toolsurface_lint.schemas.patterns import harmless, may_match
from toolsurface_lint.schemas.references import resolve
from toolsurface_lint.schemas.walk import BRANCH, ROOT, Subschema
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


_MOST_TRIED = 10_000
"""How often a pattern of `patternProperties` is tried on a name that one list requires."""


@check(SCHEMA, REQUIRED_UNDECLARED, UNSATISFIABLE)
@check(OUTPUT_SCHEMA, REQUIRED_UNDECLARED, UNSATISFIABLE)
def check_satisfiable(schema: ToolSchema, target: Target) -> Iterator[Finding]:
    groups: dict[Path, tuple[set[str], bool]] = {}
    for part in schema.having("required"):
        if not part.negated and isinstance(part.schema["required"], list):
            yield from _required(schema, part, groups)
    for part in schema.having("enum"):
        if not part.negated and not part.conditional:
            yield from _allowed(schema, part)
    for part in {id(part): part for keyword in _LOWEST for part in schema.having(keyword)}.values():
        if not part.negated and not part.conditional:
            yield from _bounds(schema, part)


def _required(schema: ToolSchema, part: Subschema, groups: dict[Path, tuple[set[str], bool]]) -> Iterator[Finding]:
    """The required names of a schema; `groups` are the declared names of groups that are known already, by path."""
    keys = part.schema
    declared = keys["properties"] if isinstance(keys.get("properties"), dict) else {}
    undeclared: list[tuple[int, str]] = []
    for index, name in enumerate(keys["required"]):
        if isinstance(name, str) and name not in declared:
            undeclared.append((index, name))
        elif isinstance(name, str) and declared[name] is False and not part.conditional:
            yield _unsatisfiable(schema, part, ("required", index), "false", name=name)
    forbidden = keys.get("additionalProperties") is False
    if not undeclared or (forbidden and part.conditional):
        return
    if not forbidden:
        top = part
        while top.role == BRANCH and top.parent is not None:
            top = top.parent
        if top.path not in groups:
            groups[top.path] = _declared_together(schema, top)
        together, all_known = groups[top.path]
        if isinstance(keys.get("additionalProperties"), dict) or not all_known:
            return
        undeclared = [(index, name) for index, name in undeclared if name not in together]
    required = {name for name in keys["required"] if isinstance(name, str)}
    close, free = CloseNames(declared), CloseNames(name for name in declared if name not in required)
    patterns = [*map(harmless, keys["patternProperties"])] if isinstance(keys.get("patternProperties"), dict) else []
    tries = _MOST_TRIED
    for index, name in undeclared:
        matches = (may_match(pattern, name) for pattern in islice(patterns, tries))
        tried = next((count for count, matched in enumerate(matches, 1) if matched), None)
        path = ("required", index)
        if tried is not None:
            tries -= tried
            continue
        if tries < len(patterns):
            bound = (
                "this name and those below are not compared with all of `patternProperties`: "
                f"{_MOST_TRIED:,} tries are used up"
            )
            yield schema.finding(REQUIRED_UNDECLARED, part, path, help=bound, name=name)
            return
        tries -= len(patterns)
        help = suggestion(close.find(name))
        fix = renaming(schema.place(part.path + path), name, free.find(name))
        if forbidden:
            yield _unsatisfiable(schema, part, path, "forbidden", help=help, fix=fix, name=name)
        else:
            yield schema.finding(REQUIRED_UNDECLARED, part, path, help=help, fix=fix, name=name)


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


def _unsatisfiable(schema: ToolSchema, part: Subschema, path: Path, kind: str, **options: Any) -> Finding:
    whole = "results" if schema.field == OUTPUT else "arguments"
    what = f"the {whole} of `{schema.tool.name}`" if part.role == ROOT else spoken(part)
    return schema.finding(UNSATISFIABLE, part, path, kind, what=what, **options)


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
    enum, only = keys["enum"], keys.get("const")
    if enum == []:
        # A definition that a program loads may be a form: it fills in what there is to choose from. A list is what is served.
        if schema.tool.format == "mcp":
            yield _unsatisfiable(schema, part, ("enum",), "enum")
    elif isinstance(enum, list) and isinstance(only, str) and only not in enum:
        yield _unsatisfiable(schema, part, ("const",), "const", value=shown(only))
