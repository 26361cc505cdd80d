"""Tools that are offered at once: too many, or too large together."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import SURFACE, check
from toolsurface_lint.checks.tool._recipients import listed, sourced
from toolsurface_lint.knowledge.providers import TOOL_LIMITS, strictest
from toolsurface_lint.model.diagnostics import ERROR, INFO, WARNING, Finding, Rule
from toolsurface_lint.model.prompt import Prompt
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool

MANY_TOOLS = Rule(
    code="TOOL_SURFACE_MANY_TOOLS",
    since="0.1.0",
    severity=INFO,
    summary="Many tools are offered to the model at once.",
    message="{count} tools are offered at once, more than {most}",
    help="offer fewer by a policy, or defer the loading of those that are rarely used",
    tags=("tools",),
)

LIMIT_EXCEEDED = Rule(
    code="TOOL_SURFACE_TOOL_LIMIT_EXCEEDED",
    since="0.1.0",
    severity=ERROR,
    summary="More tools are offered at once than the provider accepts.",
    message="`{name}` is beyond the {most} tools accepted in one request by {owner}; {count} are active",
    help="leave tools out by a policy, split the agent, or defer the loading of those that are rarely used",
    tags=("tools", "providers"),
)

CONTEXT_BUDGET = Rule(
    code="TOOL_SURFACE_CONTEXT_BUDGET",
    since="0.1.0",
    severity=WARNING,
    summary="Tool definitions take more tokens than the settings allow.",
    message={
        "tools": "the tools offered at once take an estimated {tokens} tokens, over the budget of {budget}",
        "instructions": (
            "the tools offered at once, and the instructions of their servers, take an estimated {tokens} tokens, "
            "over the budget of {budget}"
        ),
    },
    help="shorten the largest definitions, offer fewer tools, or raise `context-budget`",
    tags=("tools",),
)

_LOWEST_LIMIT = min(limit.most for limit in TOOL_LIMITS.values())


@check(SURFACE, MANY_TOOLS, LIMIT_EXCEEDED, CONTEXT_BUDGET)
def check_surface(surface: Surface) -> Iterator[Finding]:
    many = surface.target.many_tools
    for tools in surface.offered:
        if len(tools) > many:
            related = [(f"the first beyond {many}", tools[many].name_place)]
            yield MANY_TOOLS.at(tools[0].name_place, field="tools", related=related, count=len(tools), most=many)
        if len(tools) > _LOWEST_LIMIT:
            yield from _limit(tools, surface.target)
        if surface.target.context_budget is not None:
            yield from _budget(tools, _instructions(tools, surface), surface.target.context_budget)


def _limit(tools: list[Tool], target: Target) -> Iterator[Finding]:
    owners = [target.recipients(tool.format) for tool in tools]
    for limit in strictest(TOOL_LIMITS, dict.fromkeys(owner for each in owners for owner in each)):
        limiting = [owner for owner, _ in limit.owners]
        # A tool in the format of another provider is no part of the request.
        sent = [
            tool
            for tool, each in zip(tools, owners, strict=True)
            if not each or any(owner in limiting for owner in each)
        ]
        if len(sent) > limit.most:
            yield LIMIT_EXCEEDED.at(
                sent[limit.most].name_place,
                field="tools",
                related=[("the first of them", sent[0].name_place)],
                name=sent[limit.most].name,
                most=limit.most,
                owner=listed([owner.title for owner in limiting]),
                help=f"{LIMIT_EXCEEDED.help}; {sourced([(owner.title, source) for owner, source in limit.owners])}",
                count=len(sent),
            )


def _instructions(tools: list[Tool], surface: Surface) -> list[Prompt]:
    """What the MCP servers of some tools say along with them."""
    served = [tool for tool in tools if tool.shape == "mcp"]
    origins, servers = {tool.origin for tool in served}, {tool.namespace for tool in served}
    return [
        prompt
        for prompt in (*surface.prompts, *surface.server_prompts)
        if prompt.field.rpartition(".")[2] == "instructions"
        and (not servers.isdisjoint(prompt.told_to) if prompt.told_to else prompt.origin in origins)
    ]


def _budget(tools: list[Tool], instructions: list[Prompt], budget: int) -> Iterator[Finding]:
    estimates = [(tool.estimated_tokens, f"`{tool.name}` takes", tool.name_place) for tool in tools]
    estimates.extend(((len(text.text) + 3) // 4, "the instructions take", text.place(0, 0)) for text in instructions)
    total = sum(tokens for tokens, _, _ in estimates)
    if total > budget:
        largest = sorted(estimates, key=lambda item: -item[0])[:3]
        related = [(f"{what} about {tokens}", place) for tokens, what, place in largest]
        kind = "instructions" if instructions else "tools"
        yield CONTEXT_BUDGET.at(tools[0].name_place, kind, field="tools", related=related, tokens=total, budget=budget)
