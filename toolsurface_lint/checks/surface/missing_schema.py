"""An active tool does not say which arguments it takes."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import ACTIVE_TOOL, check
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool

RULE = Rule(
    code="TOOL_SURFACE_MISSING_SCHEMA",
    since="0.1.0",
    harn=1,
    severity=WARNING,
    summary="An active tool does not say which arguments it takes.",
    message="tool `{name}` has no parameter schema",
    help="declare its parameters; a tool without any takes an empty object schema",
    tags=("specification", "tools"),
)


@check(ACTIVE_TOOL, RULE)
def check_tool(tool: Tool, surface: Surface) -> Iterator[Finding]:
    if tool.schema_path is None and "schema" in tool.declarable:
        yield RULE.at(
            tool.name_place,
            tool=tool.name,
            field="parameters",
            name=tool.name,
        )
