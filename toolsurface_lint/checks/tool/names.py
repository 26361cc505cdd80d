"""The name of a tool: not accepted, reserved, or vague."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolsurface_lint.checks.contract import DEFINITION, check
from toolsurface_lint.knowledge.providers import (
    CLIENT_PREFIXES,
    MCP_NAMES_SINCE,
    NAME_RULES,
    RESERVED_NAMES,
    RESERVED_PREFIXES,
    providers_of,
)
from toolsurface_lint.model.diagnostics import ERROR, INFO, WARNING, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.words import name_words
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Place

INVALID = Rule(
    code="TOOL_NAME_INVALID",
    since="0.1.0",
    severity=ERROR,
    summary="A tool's name is not one that its provider accepts.",
    message={
        "characters": "the tool name `{name}` is not allowed by {owner}",
        "long": "the tool name `{name}` has {length} characters, {owner} accepts {most}",
        "prefixed": "the tool name `{name}` has {length} characters, and {owner} puts the server's name before it",
    },
    help={
        "characters": "use {allowed}, up to {most} characters",
        "long": "use {allowed}, up to {most} characters",
        "prefixed": "shorten it to {room} characters: with the server's name, it may have {most}",
    },
    tags=("tools", "providers"),
)


# The library makes a name of it that every provider accepts.
_REWRITTEN = ("python-crewai",)


@check(DEFINITION, INVALID)
def check_form(tool: Tool, target: Target) -> Iterator[Finding]:
    if tool.format in _REWRITTEN:
        return
    name = tool.name
    for provider in providers_of(tool.format, target.provider):
        problem = _refusal(name, provider, tool)
        if problem is not None:
            yield INVALID.of(problem, tool=name, field="name")
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


RESERVED = Rule(
    code="TOOL_NAME_RESERVED",
    since="0.1.0",
    severity=WARNING,
    summary="A tool has a name that its provider reserves for itself.",
    message={
        "name": "the name `{reserved}` is {owner}'s own",
        "prefix": "the prefix `{reserved}` is {owner}'s own",
    },
    help="choose another name: the two collide, or the model mistakes one for the other",
    tags=("tools", "providers"),
)

_OWNERS = {
    "claude-code": "Claude Code",
    "codex": "Codex",
    "gemini-cli": "Gemini CLI",
    "gpt-oss": "gpt-oss",
}


@check(DEFINITION, RESERVED)
def check_reserved(tool: Tool, target: Target) -> Iterator[Finding]:
    if not tool.declarable:
        # The provider's own tool, which is declared by its type.
        return
    name = tool.name
    owners = providers_of(tool.format, target.provider)
    if target.model is not None and "gpt-oss" in target.model:
        owners = (*owners, "gpt-oss")
    for owner in owners:
        reserved = name if name in RESERVED_NAMES.get(owner, ()) else None
        kind = "name"
        if reserved is None:
            reserved = next((prefix for prefix in RESERVED_PREFIXES.get(owner, ()) if name.startswith(prefix)), None)
            kind = "prefix"
        if reserved is not None:
            rule = NAME_RULES.get(owner)
            yield RESERVED.at(
                tool.name_place,
                kind,
                tool=name,
                field="name",
                reserved=reserved,
                owner=_OWNERS[owner] if rule is None else rule.owner,
            )
            return


VAGUE = Rule(
    code="TOOL_NAME_VAGUE",
    since="0.1.0",
    severity=INFO,
    summary="A tool's name says nothing about its effects.",
    message="`{word}` does not say whether `{name}` reads or changes anything",
    help="name the effect: `read_file` instead of `open_file`",
    tags=("tools",),
    preview=True,
)

_VAGUE_FIRST = frozenset({"open", "handle", "process", "do", "manage", "perform", "operate"})
_VAGUE_ALONE = frozenset({"run", "execute", "call", "invoke", "start", "action", "apply", "go", "tool", "main", "task"})


@check(DEFINITION, VAGUE)
def check_vague(tool: Tool, target: Target) -> Iterator[Finding]:
    words = name_words(tool.name)
    if (
        not words
        or words[:2] == ("do", "not")
        or not (words[0] in _VAGUE_FIRST or (len(words) == 1 and words[0] in _VAGUE_ALONE))
    ):
        return
    yield VAGUE.at(tool.name_place, tool=tool.name, field="name", word=words[0])
