"""A call of a tool that has not been loaded."""

from __future__ import annotations

from collections.abc import Iterable

from toolsurface_lint.checks.contract import CALL, check
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.transcript import Call

RULE = Rule(
    code="CALL_DEFERRED_TOOL",
    since="0.1.0",
    severity=WARNING,
    summary="A call names a deferred tool while tool search is off.",
    message="the call names the tool `{name}`, which is deferred, and tool search is off",
    tags=("calls",),
)


@check(CALL, RULE)
def check_call(call: Call, tool: Tool | None, surface: Surface) -> Iterable[Finding]:
    if tool is None or not tool.deferred or surface.tool_search:
        return ()
    if not all(declared.deferred for declared in surface.by_name.get(tool.name, ())):
        return ()
    related = [(f"tool `{tool.name}` is declared here", tool.name_place)]
    return (RULE.at(call.place, tool=tool.name, related=related, name=tool.name),)
