"""An active registry entry names no way to run it."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import ACTIVE_TOOL, check
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool

RULE = Rule(
    code="TOOL_SURFACE_MISSING_EXECUTOR",
    since="0.1.0",
    harn=4,
    severity=WARNING,
    summary="An active registry tool does not say what runs it.",
    message="tool `{name}` declares no executor, so nothing says what runs it",
    help="add an `executor`: `harn`, `host_bridge`, `mcp_server` or `provider_native`",
    tags=("specification", "tools"),
)


@check(ACTIVE_TOOL, RULE)
def check_tool(tool: Tool, surface: Surface) -> Iterator[Finding]:
    if not tool.executor and "executor" in tool.declarable:
        yield RULE.at(
            tool.name_place,
            tool=tool.name,
            field="executor",
            name=tool.name,
        )
