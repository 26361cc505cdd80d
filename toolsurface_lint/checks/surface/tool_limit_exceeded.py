"""More tools are offered at once than the provider takes."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import SURFACE, check
from toolsurface_lint.knowledge.providers import TOOL_LIMITS, providers_of, strictest
from toolsurface_lint.model.diagnostics import ERROR, Finding, Rule
from toolsurface_lint.model.surface import Surface

RULE = Rule(
    code="TOOL_SURFACE_TOOL_LIMIT_EXCEEDED",
    since="0.1.0",
    severity=ERROR,
    summary="More tools are offered at once than the provider takes.",
    message="`{name}` is beyond the {most} tools that {owner} takes in one request; {count} are active",
    help="leave tools out by a policy, split the agent, or defer the loading of those that are rarely used",
    tags=("tools", "providers"),
)


@check(SURFACE, RULE)
def check_surface(surface: Surface) -> Iterator[Finding]:
    for tools in surface.offered:
        if len(tools) <= _LOWEST:
            continue
        providers = {provider for tool in tools for provider in providers_of(tool.format, surface.target.provider)}
        limit = strictest(TOOL_LIMITS, providers)
        if limit is not None and len(tools) > limit.most:
            yield RULE.at(
                tools[limit.most].name_place,
                field="tools",
                related=[("the first of them", tools[0].name_place)],
                name=tools[limit.most].name,
                most=limit.most,
                owner=limit.owner,
                count=len(tools),
            )


_LOWEST = min(limit.most for limit in TOOL_LIMITS.values())
