"""A name that the provider refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolsurface_lint.checks.contract import DEFINITION, check
from toolsurface_lint.knowledge.providers import CLIENT_PREFIXES, MCP_NAMES_SINCE, NAME_RULES, providers_of
from toolsurface_lint.model.diagnostics import ERROR, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool

RULE = Rule(
    code="TOOL_NAME_INVALID",
    since="0.1.0",
    severity=ERROR,
    summary="A tool's name is not one that its provider takes.",
    message="the tool name `{name}` {problem}",
    tags=("tools", "providers"),
)


# The library makes a name of it that every provider takes.
_REWRITTEN = ("python-crewai",)


@check(DEFINITION, RULE)
def check_definition(tool: Tool, target: Target) -> Iterator[Finding]:
    if tool.format in _REWRITTEN:
        return
    name = tool.name
    for provider in providers_of(tool.format, target.provider):
        problem = _refusal(name, provider, tool)
        if problem is not None:
            yield RULE.at(tool.name_place, tool=name, field="name", name=name, problem=problem[0], help=problem[1])
            return


def _refusal(name: str, provider: str, tool: Tool) -> tuple[str, str] | None:
    """What is wrong with a name for a provider, and how to fix it."""
    rule = NAME_RULES.get(provider)
    if rule is not None:
        if len(name) > rule.most:
            problem = f"has {len(name)} characters, {rule.owner} takes {rule.most}"
        elif re.fullmatch(rule.pattern, name) is None:
            problem = f"is outside of what {rule.owner} allows"
        else:
            return None
        if provider == "mcp" and _precedes_names(tool):
            return None
        return problem, f"{rule.owner} takes {rule.allowed}, up to {rule.most} characters"
    if provider not in CLIENT_PREFIXES or not tool.format.endswith("mcp"):
        return None
    prefix, limit = CLIENT_PREFIXES[provider]
    room = limit.most - len(prefix)
    if len(name) <= room or name.startswith("mcp_"):
        return None
    problem = f"has {len(name)} characters, and {limit.owner} puts the server's name before it"
    return problem, f"with it, a name may have {limit.most} characters: {room} remain at most"


def _precedes_names(tool: Tool) -> bool:
    """Whether the file states a version of MCP from before there was a rule for names."""
    root = tool.tree.root
    for path in (("protocolVersion",), ("initialize", "protocolVersion"), ("result", "protocolVersion")):
        version = root.find(*path)
        if version is not None and isinstance(version.value, str):
            return version.value < MCP_NAMES_SINCE
    return False
