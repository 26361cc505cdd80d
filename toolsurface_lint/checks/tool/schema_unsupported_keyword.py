"""What those that the tools are sent to refuse in a schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolsurface_lint.checks.contract import SCHEMA, check
from toolsurface_lint.checks.tool._recipients import listed, sourced
from toolsurface_lint.checks.tool._tool_schema import ToolSchema, field_of
from toolsurface_lint.model.diagnostics import ERROR, WARNING, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool

if TYPE_CHECKING:
    from toolsurface_lint.checks.tool._refusals import Refusal, Refusers
    from toolsurface_lint.source.tree import Path

_MESSAGES = {
    "key": "`{key}` is not accepted by {providers}",
    "key_at_root": "`{key}` is not accepted at the top of a schema by {providers}",
    "format": "the format `{format}` is not accepted by {providers}",
    "property_name": "the property name `{name}` is not accepted by {providers}: it does not match `{pattern}`",
    "header_name": "`x-mcp-header` is not a valid name of an HTTP header, required by {providers}",
    "header_place": "`x-mcp-header` is accepted only in parameters and their own properties, "
    "not in lists, alternatives or definitions, by {providers}",
    "header_type": "`x-mcp-header` is accepted only for strings, integers and booleans by {providers}",
    "header_twice": "the header `{header}` is used already: each is accepted only once by {providers}",
    "array_items": "an array has no `items`, required by {providers}",
    "single_items": "a list of schemas in `items` is not accepted by {providers}",
    "items_of_arrays": "`{key}` is not accepted beside a type other than `array` by {providers}",
    "object_property": "an object has no properties: at least one is required by {providers}",
    "object_properties": "an object has no `properties`, required by {providers}",
    "closed_objects": "`additionalProperties` is not `false`, required in every object by {providers}",
    "closed_objects/missing": "{what} has no `additionalProperties: false`, required in every object by {providers}",
    "all_required": "`required` does not list `{name}`: every property must be there for {providers}",
    "lone_ref": "`{key}` is not accepted next to `$ref` by {providers}",
    "lone_any_of": "`{key}` is not accepted next to `anyOf` by {providers}",
    "single_all_of": "more than one schema in `allOf` is not accepted by {providers}",
    "properties_for_required": "`required` without `properties` is not accepted by {providers}",
    "local_ref": "`{reference}` is not accepted by {providers}, only `#` and definitions at the top",
    "defs_ref": "`{reference}` is not accepted by {providers}, only `#` and what is under `#/$defs/`",
    "definition_name": "the name `{name}` is not accepted in `$defs` by {providers}, where none may be empty or have a `/`",
    "typed_items": "the items of an array have no type, required by {providers}",
    "typed_parts": "{what} has no `type`, required in every part of a schema by {providers}",
    "lookaround": "lookahead and lookbehind in a pattern are not accepted by {providers}",
    "min_items": "{least} as `minItems` is not accepted by {providers}, only 0 and 1",
    "plain_enum": "`enum` is accepted only with values, and of one type besides `null`, by {providers}",
    "primitive_enum": "objects and arrays in `enum` are not accepted by {providers}",
    "text_enum": "only strings that are not empty are accepted in `enum` by {providers}",
    "single_type": "a list of types is not accepted by {providers}",
    "boolean_schema": "`true` or `false` as a schema is not accepted by {providers}",
    "declared_required": "`{name}` is required but not declared here, which is not accepted by {providers}",
    "recursion": "recursion is not accepted by {providers}, and `{reference}` leads back to itself",
    "endless_recursion": "what is required here requires itself without end, which is not accepted by {providers}",
    "described": "`{name}` has no description, required of every property by {providers}",
    "most_levels": "the schema has more than {most} levels of nesting, the most accepted by {providers}",
    "most_properties": "the schema has more than {most} properties, the most accepted by {providers}",
    "most_enum_values": "the schema has more than {most} enum values, the most accepted by {providers}",
    "most_characters": "names and enum values have more than {most} characters in all, the most accepted by {providers}",
}
_HELP = {
    "all_required": "list it there, and allow null if it is optional",
    "object_properties": 'write `"properties": {}` if there are none',
    "single_type": "name one type; `nullable`, or `anyOf` with `null`, allows null",
}

UNSUPPORTED = Rule(
    code="TOOL_SCHEMA_UNSUPPORTED_KEYWORD",
    since="0.1.0",
    severity=ERROR,
    summary="A schema holds something that the provider does not accept.",
    message=_MESSAGES,
    tags=("tools", "schemas", "providers"),
)

NOT_PORTABLE = Rule(
    code="TOOL_SCHEMA_NOT_PORTABLE",
    since="0.1.0",
    severity=WARNING,
    summary="A schema that is to be portable holds something that some provider does not accept.",
    message=_MESSAGES,
    tags=("tools", "schemas", "providers"),
)


@check(SCHEMA, UNSUPPORTED, NOT_PORTABLE)
def check_provider(schema: ToolSchema, target: Target) -> Iterator[Finding]:
    tool = schema.tool
    shape = tool.shape
    strict = _is_strict(tool)
    headers = shape == "mcp" and bool(schema.having("x-mcp-header"))
    if not (strict or headers or target.providers) or not isinstance(schema.value, dict):
        return
    from toolsurface_lint.checks.tool._refusals import aspect_of, demands_of, header_refusals, merged, refusals

    refused: dict[tuple[Path, str], Refusal] = {}
    for part, problem, refusers in header_refusals(schema) if headers else ():
        refused[part.path + problem.at, problem.kind] = part, problem, refusers
    asked = {refuser.title for _, _, refusers in refused.values() for refuser in refusers}
    if strict or target.providers:
        form = (shape, strict, tool.schema_path is not None and tool.schema_path[-1] in _JSON_FORM)
        demands = demands_of(target.providers, *form)
        own = demands_of(target.named, *form) if target.named or strict else None
        asked |= set() if own is None else own.titles
        for part, problem, refusers in () if demands is None else refusals(schema, demands):
            key = (part.path + problem.at, problem.kind)
            known = refused.get(key)
            refused[key] = (part, problem, refusers) if known is None else (*known[:2], merged(known[2], refusers))
    for part, problem, refusers in refused.values():
        rule = NOT_PORTABLE if asked.isdisjoint(refuser.title for refuser in refusers) else UNSUPPORTED
        place = schema.place(part.path + problem.at, aspect_of(part, problem))
        yield rule.of(
            problem,
            place,
            tool=tool.name,
            field=field_of(part),
            help=_help(problem.kind, refusers),
            providers=listed([refuser.title for refuser in refusers]),
        )


_JSON_FORM = ("parametersJsonSchema", "parameters_json_schema")


def _help(kind: str, refusers: Refusers) -> str:
    """What to do about a refusal, and where it was read of whom."""
    advice = _HELP.get(kind)
    read = sourced([(refuser.title, refuser.source) for refuser in refusers])
    return read if advice is None else f"{advice}; {read}"


def _is_strict(tool: Tool) -> bool:
    """Whether a definition says `strict: true`, in the shape of any provider that accepts it."""
    value = tool.definition.value
    if not isinstance(value, dict):
        return False
    holders = (value, value.get("function"), value.get("toolSpec"))
    return any(isinstance(holder, dict) and holder.get("strict") is True for holder in holders)
