"""What the provider that the tools are sent to refuses in a schema."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.tool._tool_schema import field_of, schema_of
from toolsurface_lint.diagnostics import ERROR, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool

RULE = Rule(
    code="TOOL_SCHEMA_UNSUPPORTED_KEYWORD",
    severity=ERROR,
    summary="The provider refuses something in a schema.",
    message="{provider} {problem}",
    tags=("tools", "schemas", "providers"),
)


def check_definition(tool: Tool, target: Target) -> Iterator[Finding]:
    strict = _is_strict(tool)
    if not strict and not target.provider:
        return
    from toolsurface_lint.checks.tool._refusals import profile_of, refusals

    profile = profile_of(tool, target, strict)
    schema = schema_of(tool)
    if profile is None or schema is None or not isinstance(schema.value, dict):
        return
    for refusal in refusals(schema, profile):
        yield RULE.at(
            schema.place(refusal.path, refusal.aspect),
            tool=tool.text,
            field=field_of(refusal.part),
            provider=profile.title,
            problem=refusal.problem,
        )


def _is_strict(tool: Tool) -> bool:
    """Whether a definition says `strict: true`, in the shape of any provider that takes it."""
    value = tool.definition.value
    if not isinstance(value, dict):
        return False
    holders = (value, value.get("function"), value.get("toolSpec"))
    return any(isinstance(holder, dict) and holder.get("strict") is True for holder in holders)
