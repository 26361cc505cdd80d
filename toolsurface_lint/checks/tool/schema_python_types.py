"""Schemas that are written with Python's type names throughout, for a program that translates them, or by mistake."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import TOOL_LISTS, check
from toolsurface_lint.checks.tool._tool_schema import PYTHON, schema_of
from toolsurface_lint.model.diagnostics import UNSAFE, WARNING, Edit, Finding, Fix, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool, remembered
from toolsurface_lint.schemas.dialects import PYTHON_TYPES
from toolsurface_lint.schemas.walk import subschemas

RULE = Rule(
    code="TOOL_SCHEMA_PYTHON_TYPES",
    since="0.1.0",
    severity=WARNING,
    summary="A file of tools uses Python's type names throughout.",
    message={
        "one": "`dict` is not a JSON Schema type",
        "two": "`dict` is not a JSON Schema type; 1 more tool in this file uses Python's type names",
        "many": "`dict` is not a JSON Schema type; {count} more tools in this file use Python's type names",
    },
    tags=("tools", "schemas"),
    fix=UNSAFE,
)


@check(TOOL_LISTS, RULE)
def check_lists(lists: list[list[Tool]], target: Target) -> Iterator[Finding]:
    """Once for a file, at the first schema that is written so."""
    found = [
        schema for tools in lists for tool in tools if _is_python(tool) and (schema := schema_of(tool)) is not None
    ]
    if not found:
        return
    stated = [
        (schema.place((*part.path, "type")), name)
        for schema in found
        for part in subschemas(schema.original)
        if isinstance(name := part.schema.get("type"), str)
    ]
    named = [(place, name) for place, name in stated if name in PYTHON_TYPES]
    edits = tuple(Edit(place, PYTHON_TYPES[name]) for place, name in named)
    pairs = (
        f"`{PYTHON_TYPES[name]}` for `{name}`" for name in ["dict", *sorted({name for _, name in named} - {"dict"})]
    )
    first = found[0]
    yield RULE.at(
        first.place(("type",)),
        {1: "one", 2: "two"}.get(len(found), "many"),
        tool=first.tool.name,
        field="parameters",
        help=f"write {', '.join(pairs)}",
        count=len(found) - 1,
        # JSON Schema has no word for `any`.
        fix=None
        if any(name == "any" for _, name in stated)
        else Fix("replace Python's type names with those of JSON Schema", False, edits),
    )


@remembered
def _is_python(tool: Tool) -> bool:
    schema = schema_of(tool)
    return schema is not None and schema.style == PYTHON
