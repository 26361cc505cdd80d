"""A call of a tool that is not declared."""

from __future__ import annotations

from collections.abc import Iterable

from toolsurface_lint.diagnostics import ERROR, Finding, Rule
from toolsurface_lint.model.names import close_names
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.transcript import Call

RULE = Rule(
    code="CALL_UNKNOWN_TOOL",
    severity=ERROR,
    summary="A call names a tool that is not declared.",
    message="the call names the tool `{name}`, which is not declared",
    tags=("calls",),
)


def check_call(call: Call, tool: Tool | None, surface: Surface) -> Iterable[Finding]:
    if tool is not None or surface.open or not surface.tools:
        return ()
    near = close_names(call.name, surface.by_name)
    if near:
        related = [(f"`{near[0]}` is declared here", surface.by_name[near[0]][0].name_place)]
    else:
        related = [(f"{count} tools are declared here", place) for count, place in surface.declarations]
    help = f"did you mean `{near[0]}`?" if near else None
    return (RULE.at(call.place, tool=call.name, related=related, name=call.name, help=help),)
