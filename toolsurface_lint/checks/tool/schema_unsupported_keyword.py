"""What the provider that the tools are sent to refuses in a schema."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import SCHEMA, check
from toolsurface_lint.checks.tool._tool_schema import ToolSchema, field_of, shape_of
from toolsurface_lint.model.diagnostics import ERROR, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool

RULE = Rule(
    code="TOOL_SCHEMA_UNSUPPORTED_KEYWORD",
    since="0.1.0",
    severity=ERROR,
    summary="A schema holds something that the provider does not accept.",
    message={
        "key": "{provider} does not accept `{key}`",
        "key_at_root": "{provider} does not accept `{key}` at the top of a schema",
        "format": "{provider} does not accept the format `{format}`",
        "property_name": "{provider} accepts only property names that match `{pattern}`, not `{name}`",
        "header_name": "`x-mcp-header` is not a valid name of an HTTP header, which {provider} requires",
        "header_place": "{provider} accepts `x-mcp-header` only in parameters and their own properties, "
        "not in lists, alternatives or definitions",
        "header_type": "{provider} accepts `x-mcp-header` only for strings, integers and booleans",
        "header_twice": "the header `{header}` is used already, and {provider} accepts each only once",
        "array_items": "an array has no `items`, which {provider} requires",
        "object_property": "an object has no properties, and {provider} requires at least one",
        "object_properties": "an object has no `properties`, which {provider} requires",
        "closed_objects": "`additionalProperties` is not `false`, which {provider} requires in every object",
        "closed_objects/missing": "{what} has no `additionalProperties: false`, which {provider} requires in every object",
        "all_required": "`required` does not list `{name}`, and {provider} requires every property there",
        "lone_ref": "`{key}` is next to `$ref`, where {provider} accepts nothing",
        "local_ref": "{provider} accepts only references to `#` and to definitions at the top, not `{reference}`",
        "typed_items": "the items of an array have no type, which {provider} requires",
        "typed_parts": "{what} has no `type`, which {provider} requires in every part of a schema",
        "lookaround": "{provider} does not accept lookahead or lookbehind in a pattern",
        "min_items": "{provider} accepts only 0 or 1 as `minItems`, not {least}",
        "primitive_enum": "{provider} does not accept objects and arrays in `enum`",
        "text_enum": "{provider} accepts only strings in `enum`, and no empty ones",
        "single_type": "{provider} accepts one type, not a list of types",
        "boolean_schema": "{provider} does not accept `true` or `false` as a schema",
        "declared_required": "`{name}` is required but not declared here, which {provider} does not accept",
        "recursion": "{provider} does not accept recursion, and `{reference}` leads back to itself",
        "described": "`{name}` has no description, which {provider} requires of every property",
        "most_levels": "the schema has more than the {most} levels of nesting that {provider} accepts",
        "most_properties": "the schema has more than the {most} properties that {provider} accepts",
        "most_enum_values": "the schema has more than the {most} enum values that {provider} accepts",
        "most_characters": "names and enum values have more than the {most} characters in all that {provider} accepts",
    },
    help={"all_required": "list it there, and allow null if it is optional"},
    tags=("tools", "schemas", "providers"),
)


@check(SCHEMA, RULE)
def check_provider(schema: ToolSchema, target: Target) -> Iterator[Finding]:
    tool = schema.tool
    strict = _is_strict(tool)
    headers = shape_of(tool) == "mcp" and bool(schema.having("x-mcp-header"))
    if not (strict or headers or target.provider) or not isinstance(schema.value, dict):
        return
    from toolsurface_lint.checks.tool._refusals import aspect_of, header_refusals, profile_of, refusals

    profile = profile_of(tool, target, strict) if strict or target.provider else None
    refused = [(*refusal, "MCP") for refusal in header_refusals(schema)] if headers else []
    if profile is not None:
        refused.extend((*refusal, profile.title) for refusal in refusals(schema, profile))
    for part, problem, provider in refused:
        place = schema.place(part.path + problem.at, aspect_of(part, problem))
        yield RULE.of(problem, place, tool=tool.name, field=field_of(part), provider=provider)


def _is_strict(tool: Tool) -> bool:
    """Whether a definition says `strict: true`, in the shape of any provider that accepts it."""
    value = tool.definition.value
    if not isinstance(value, dict):
        return False
    holders = (value, value.get("function"), value.get("toolSpec"))
    return any(isinstance(holder, dict) and holder.get("strict") is True for holder in holders)
