"""A call of a tool that is not declared."""

from __future__ import annotations

from collections.abc import Iterable

from toolsurface_lint.checks.contract import CALL, check
from toolsurface_lint.model.diagnostics import ERROR, Finding, Rule
from toolsurface_lint.model.names import suggestion
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.transcript import Call

RULE = Rule(
    code="CALL_UNKNOWN_TOOL",
    since="0.1.0",
    severity=ERROR,
    summary="A call names a tool that is not declared.",
    message="the call names the tool `{name}`, which is not declared",
    tags=("calls",),
)


@check(CALL, RULE)
def check_call(call: Call, tool: Tool | None, surface: Surface) -> Iterable[Finding]:
    if tool is not None or surface.open or not surface.tools:
        return ()
    near = surface.close_names(call.name)
    related = surface.declared_instead(near)
    return (RULE.at(call.place, tool=call.name, related=related, name=call.name, help=suggestion(near)),)
