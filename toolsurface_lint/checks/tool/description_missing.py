"""A tool that says nothing about itself."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import DEFINITION, check
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool

RULE = Rule(
    code="TOOL_DESCRIPTION_MISSING",
    since="0.1.0",
    severity=WARNING,
    summary="A tool has no description.",
    message={"none": "tool `{name}` has no description", "blank": "tool `{name}` has a blank description"},
    help="say what it does, when to use it, and what it changes",
    tags=("tools",),
)


@check(DEFINITION, RULE)
def check_definition(tool: Tool, target: Target) -> Iterator[Finding]:
    description = tool.description
    if "description" not in tool.declarable or (description is not None and description.value.strip()):
        return
    # A catalogue of MCP tools may list hints alone: the served definition, with its description, is elsewhere.
    if description is None and tool.format == "mcp" and tool.schema_path is None:
        return
    yield RULE.at(
        tool.name_place if description is None else description.place,
        "none" if description is None else "blank",
        tool=tool.name,
        field="description",
        name=tool.name,
    )
