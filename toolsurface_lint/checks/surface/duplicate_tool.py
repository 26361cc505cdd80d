"""Two tools of one list share a name."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import SURFACE, check
from toolsurface_lint.model.diagnostics import ERROR, Finding, Rule
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool

RULE = Rule(
    code="TOOL_SURFACE_DUPLICATE_TOOL",
    since="0.1.0",
    severity=ERROR,
    summary="Two tools of one list share a name.",
    message="the tool `{name}` is declared twice in one list",
    help="rename one of them; providers refuse the whole list, or one definition is lost",
    tags=("tools",),
)


@check(SURFACE, RULE)
def check_surface(surface: Surface) -> Iterator[Finding]:
    if len(surface.by_name) == len(surface.tools):
        return
    for name, tools in surface.by_name.items():
        first: dict[tuple[str, str], Tool] = {}
        for tool in tools if len(tools) > 1 else ():
            # One of two that are registered by turns is there at a time.
            if tool.optional:
                continue
            # Files of one tool each may lie side by side as variants, where nobody says that they are one list;
            # a program says which server its tools are for.
            apart = surface.inferred and not tool.format.startswith("python")
            earlier = first.setdefault((tool.namespace, tool.origin if apart else ""), tool)
            if earlier is not tool:
                yield RULE.at(
                    tool.name_place,
                    tool=name,
                    field="name",
                    related=[("declared here before", earlier.name_place)],
                    name=name,
                )
