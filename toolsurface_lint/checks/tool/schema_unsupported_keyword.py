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
    message={
        "key": "{provider} does not accept `{key}`",
        "key_at_root": "{provider} does not accept `{key}` at the top of a schema",
        "format": "{provider} does not accept the format `{format}`",
        "property_name": "{provider} accepts only property names that match `{pattern}`, not `{name}`",
        "header_name": "{provider} requires the name of a header in `x-mcp-header`: letters, digits, `-` and few others",
        "header_place": "{provider} accepts `x-mcp-header` only in parameters and their own properties, "
        "not in lists, alternatives or definitions",
        "header_type": "{provider} accepts `x-mcp-header` only for strings, integers and booleans",
        "header_twice": "{provider} accepts each header once, and `{header}` is used already",
        "array_items": "{provider} requires `items` in every array",
        "object_property": "{provider} requires at least one property in an object",
        "object_properties": "{provider} requires `properties` in an object",
        "closed_objects": "{provider} requires `additionalProperties: false` in every object",
        "closed_objects/missing": "{provider} requires `additionalProperties: false` in every object, as in {what}",
        "all_required": "{provider} requires every property in `required`, where `{name}` is missing",
        "lone_ref": "{provider} accepts nothing beside `$ref`, not even `{key}`",
        "local_ref": "{provider} accepts only references to `#` and to definitions at the top, not `{reference}`",
        "typed_items": "{provider} requires a type for the items of every array",
        "typed_parts": "{provider} requires a `type` in every part of a schema, as in {what}",
        "lookaround": "{provider} does not accept lookahead or lookbehind in a pattern",
        "min_items": "{provider} accepts only 0 or 1 as `minItems`, not {least}",
        "primitive_enum": "{provider} does not accept objects and arrays in `enum`",
        "text_enum": "{provider} accepts only texts in `enum`, none of them empty",
        "single_type": "{provider} accepts one type, not a list of types",
        "boolean_schema": "{provider} does not accept `true` or `false` as a schema",
        "declared_required": "{provider} requires `{name}` to be declared where it is required",
        "recursion": "{provider} does not accept recursion, and `{reference}` leads back to itself",
        "described": "{provider} requires a description of every property, as of `{name}`",
        "most_levels": "{provider} accepts at most {most} levels of nesting",
        "most_properties": "{provider} accepts at most {most} properties in a schema",
        "most_enum_values": "{provider} accepts at most {most} enum values in a schema",
        "most_characters": "{provider} accepts at most {most} characters of names and enum values in a schema",
    },
    help={"all_required": "list it there, and allow null if it is optional"},
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
    return RULE.of(
        refusal.problem,
        schema.place(refusal.problem.at, refusal.aspect),
        tool=schema.tool.name,
        field=field_of(refusal.part),
        provider=provider,
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
