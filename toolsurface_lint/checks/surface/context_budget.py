"""The definitions of the tools take more of the context than was planned."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import SURFACE, check
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.surface import Surface

RULE = Rule(
    code="TOOL_SURFACE_CONTEXT_BUDGET",
    since="0.1.0",
    severity=WARNING,
    summary="Tool definitions take more tokens than the settings allow.",
    message="the tools offered at once take an estimated {tokens} tokens, over the budget of {budget}",
    help="shorten the largest definitions, offer fewer tools, or raise `context-budget`",
    tags=("tools",),
)


@check(SURFACE, RULE)
def check_surface(surface: Surface) -> Iterator[Finding]:
    budget = surface.target.context_budget
    if budget is None:
        return
    from toolsurface_lint.model.tokens import estimated_tokens

    for tools in surface.offered:
        estimates = [estimated_tokens(tool) for tool in tools]
        total = sum(estimates)
        if total <= budget:
            continue
        largest = sorted(zip(estimates, tools, strict=True), key=lambda item: -item[0])[:3]
        yield RULE.at(
            tools[0].name_place,
            field="tools",
            related=[(f"`{tool.name}` takes about {tokens}", tool.name_place) for tokens, tool in largest],
            tokens=total,
            budget=budget,
        )
