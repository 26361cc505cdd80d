"""A name that the provider refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolsurface_lint.checks.contract import DEFINITION, check
from toolsurface_lint.knowledge.providers import CLIENT_PREFIXES, MCP_NAMES_SINCE, NAME_RULES, providers_of
from toolsurface_lint.model.diagnostics import ERROR, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Place

RULE = Rule(
    code="TOOL_NAME_INVALID",
    since="0.1.0",
    severity=ERROR,
    summary="A tool's name is not one that its provider accepts.",
    message={
        "characters": "the tool name `{name}` is not allowed by {owner}",
        "long": "the tool name `{name}` has {length} characters, {owner} takes {most}",
        "prefixed": "the tool name `{name}` has {length} characters, and {owner} puts the server's name before it",
    },
    help={
        "characters": "use {allowed}, up to {most} characters",
        "long": "use {allowed}, up to {most} characters",
        "prefixed": "shorten it to {room} characters: with the server's name, it may have {most}",
    },
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
            yield RULE.of(problem, tool=name, field="name")
            return


def _refusal(name: str, provider: str, tool: Tool) -> Problem[Place] | None:
    """What is wrong with a name for a provider."""
    rule = NAME_RULES.get(provider)
    if rule is not None:
        if len(name) > rule.most:
            kind = "long"
        elif re.fullmatch(rule.pattern, name) is None:
            kind = "characters"
        else:
            return None
        if provider == "mcp" and _precedes_names(tool):
            return None
        values = {"name": name, "length": len(name), "owner": rule.owner, "most": rule.most, "allowed": rule.allowed}
        return Problem(kind, tool.name_place, values)
    if provider not in CLIENT_PREFIXES or not tool.format.endswith("mcp"):
        return None
    prefix, limit = CLIENT_PREFIXES[provider]
    room = limit.most - len(prefix)
    if len(name) <= room or name.startswith("mcp_"):
        return None
    prefixed = {"name": name, "length": len(name), "owner": limit.owner, "most": limit.most, "room": room}
    return Problem("prefixed", tool.name_place, prefixed)


def _precedes_names(tool: Tool) -> bool:
    """Whether the file states a version of MCP from before there was a rule for names."""
    root = tool.tree.root
    for path in (("protocolVersion",), ("initialize", "protocolVersion"), ("result", "protocolVersion")):
        version = root.find(*path)
        if version is not None and isinstance(version.value, str):
            return version.value < MCP_NAMES_SINCE
    return False
