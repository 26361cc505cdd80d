"""What the provider that the tools are sent to refuses in a schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolsurface_lint.checks.contract import DEFINITION, check
from toolsurface_lint.checks.tool._tool_schema import ToolSchema, field_of, schema_of, shape_of
from toolsurface_lint.model.diagnostics import ERROR, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool

if TYPE_CHECKING:
    from toolsurface_lint.checks.tool._refusals import Refusal

RULE = Rule(
    code="TOOL_SCHEMA_UNSUPPORTED_KEYWORD",
    since="0.1.0",
    severity=ERROR,
    summary="The provider refuses something in a schema.",
    message="{provider} {problem}",
    tags=("tools", "schemas", "providers"),
)


@check(DEFINITION, RULE)
def check_definition(tool: Tool, target: Target) -> Iterator[Finding]:
    strict = _is_strict(tool)
    headers = shape_of(tool) == "mcp" and _has_headers(tool)
    if not strict and not headers and not target.provider:
        return
    schema = schema_of(tool)
    if schema is None or not isinstance(schema.value, dict):
        return
    from toolsurface_lint.checks.tool._refusals import header_refusals, profile_of, refusals

    if headers:
        for refusal in header_refusals(schema):
            yield _refused(schema, refusal, "MCP")
    profile = profile_of(tool, target, strict) if strict or target.provider else None
    if profile is not None:
        for refusal in refusals(schema, profile):
            yield _refused(schema, refusal, profile.title)


def _refused(schema: ToolSchema, refusal: Refusal, provider: str) -> Finding:
    return RULE.at(
        schema.place(refusal.path, refusal.aspect),
        tool=schema.tool.name,
        field=field_of(refusal.part),
        provider=provider,
        problem=refusal.problem,
    )


def _has_headers(tool: Tool) -> bool:
    """Whether a parameter of a tool is to become a header."""
    schema = schema_of(tool)
    return schema is not None and any("x-mcp-header" in part.schema for part in schema.subschemas)


def _is_strict(tool: Tool) -> bool:
    """Whether a definition says `strict: true`, in the shape of any provider that takes it."""
    value = tool.definition.value
    if not isinstance(value, dict):
        return False
    holders = (value, value.get("function"), value.get("toolSpec"))
    return any(isinstance(holder, dict) and holder.get("strict") is True for holder in holders)
