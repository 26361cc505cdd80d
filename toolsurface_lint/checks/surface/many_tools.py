"""So many tools are offered at once that models choose worse among them."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import SURFACE, check
from toolsurface_lint.model.diagnostics import INFO, Finding, Rule
from toolsurface_lint.model.surface import Surface

RULE = Rule(
    code="TOOL_SURFACE_MANY_TOOLS",
    since="0.1.0",
    severity=INFO,
    summary="Many tools are offered to the model at once.",
    message="{count} tools are offered at once, more than {most}",
    help="offer fewer by a policy, or defer the loading of those that are rarely used",
    tags=("tools",),
)


@check(SURFACE, RULE)
def check_surface(surface: Surface) -> Iterator[Finding]:
    most = surface.target.many_tools
    for tools in surface.offered:
        if len(tools) > most:
            yield RULE.at(
                tools[0].name_place,
                field="tools",
                related=[(f"the first beyond {most}", tools[most].name_place)],
                count=len(tools),
                most=most,
            )
