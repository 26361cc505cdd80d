"""The name of a tool: not accepted, reserved, or vague."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from toolsurface_lint.checks.contract import ACTIVE_TOOL, DEFINITION, check
from toolsurface_lint.checks.tool._recipients import listed, sourced
from toolsurface_lint.knowledge.client_naming import NAMINGS, Naming
from toolsurface_lint.knowledge.provider_names import Provider
from toolsurface_lint.knowledge.providers import (
    NAME_RULES,
    RESERVED_NAMES,
    RESERVED_PREFIXES,
    NameRule,
)
from toolsurface_lint.knowledge.sources import Source
from toolsurface_lint.model.diagnostics import ERROR, INFO, WARNING, Finding, Rule
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.words import name_words

INVALID = Rule(
    code="TOOL_NAME_INVALID",
    since="0.1.0",
    severity=ERROR,
    summary="A tool's name is not one that its provider accepts.",
    message={
        "characters": "the tool name `{name}` is not allowed by {owner}",
        "long": "the tool name `{name}` has {length} characters, over the {most} allowed by {owner}",
        "whole": "`{name}` becomes `{whole}` in {owner}: {length} characters, over the {most} that it accepts",
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
    refusing: dict[str, list[tuple[Provider, NameRule]]] = {}
    for provider, rule in _rules(tool.format, target.providers):
        # Nearly all names are accepted by all.
        kind = _refusal(name, rule)
        if kind is None:
            continue
        stated = tool.protocol_version if provider.key == "mcp" else None
        if rule.versions.holds(provider.version or stated):
            refusing.setdefault(kind, []).append((provider, rule))
    # Whoever accepts the characters of a name may still find it too long: one finding says who refuses it.
    found = next(iter(refusing.items()), None)
    if found is not None:
        kind, refusals = found
        rule = min((rule for _, rule in refusals), key=lambda rule: rule.most)
        read = sourced([(provider.title, rule.source) for provider, rule in refusals])
        yield INVALID.at(
            tool.name_place,
            kind,
            tool=name,
            field="name",
            length=len(name),
            most=rule.most,
            owner=listed([provider.title for provider, _ in refusals]),
            help=f"use {rule.allowed}, up to {rule.most} characters; {read}",
        )
        return


@lru_cache(maxsize=64)
def _rules(format: str, providers: tuple[Provider, ...]) -> list[tuple[Provider, NameRule]]:
    """The rules for names of those who receive a definition."""
    recipients = Target(providers).recipients(format)
    return [(provider, NAME_RULES[provider.key]) for provider in recipients if provider.key in NAME_RULES]


def _refusal(name: str, rule: NameRule) -> str | None:
    """What is wrong with a name by a rule."""
    if len(name) > rule.most:
        return "long"
    return "characters" if re.fullmatch(rule.pattern, name) is None else None


@check(ACTIVE_TOOL, INVALID)
def check_whole_name(tool: Tool, surface: Surface) -> Iterator[Finding]:
    """The name that a client makes of a tool of an MCP server, with the server's name."""
    if not surface.target.providers or not tool.format.endswith("mcp") or tool.name.startswith("mcp_"):
        return
    server = tool.server if surface.servers is None else surface.servers.longest_name_of(tool)
    for provider, naming, limit in _namings(surface.target.providers):
        # Of a server that has no name here, the shortest: it has one wherever it is used.
        whole = naming.full(server or "s", tool.name)
        if len(whole) > limit:
            room = limit - (len(whole) - len(tool.name))
            yield INVALID.at(
                tool.name_place,
                "whole",
                tool=tool.name,
                field="name",
                whole=whole,
                length=len(whole),
                most=limit,
                owner=provider.title,
                help=f"{_shorten(room)}; {sourced([(provider.title, naming.source)])}",
            )
            return


@lru_cache(maxsize=64)
def _namings(providers: tuple[Provider, ...]) -> list[tuple[Provider, Naming, int]]:
    """How those clients name tools that lose one whose name is too long."""
    found = [(provider, NAMINGS.get(provider.key)) for provider in Target(providers).recipients("mcp")]
    return [
        (provider, naming, naming.limit)
        for provider, naming in found
        if naming is not None and naming.limit is not None and naming.versions.holds(provider.version)
    ]


def _shorten(room: int) -> str:
    return f"shorten the tool's name to {room} characters, or the server's" if room > 0 else "shorten the server's name"


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


@check(DEFINITION, RESERVED)
def check_reserved(tool: Tool, target: Target) -> Iterator[Finding]:
    if not tool.declarable:
        # The provider's own tool, which is declared by its type.
        return
    name = tool.name
    owners = _reserving(tool.format, target.providers)
    if target.model is not None and "gpt-oss" in target.model:
        owners = [*owners, Provider("gpt-oss")]
    for owner in owners:
        found = _reserved(name, owner)
        if found is not None:
            kind, reserved, source = found
            yield RESERVED.at(
                tool.name_place,
                kind,
                tool=name,
                field="name",
                reserved=reserved,
                owner=owner.title,
                help=f"{RESERVED.help}; {sourced([(owner.title, source)])}",
            )
            return


@lru_cache(maxsize=64)
def _reserving(format: str, providers: tuple[Provider, ...]) -> list[Provider]:
    """Those who receive a definition and have names of their own."""
    recipients = Target(providers).recipients(format)
    return [owner for owner in recipients if owner.key in RESERVED_NAMES or owner.key in RESERVED_PREFIXES]


def _reserved(name: str, owner: Provider) -> tuple[str, str, Source] | None:
    """What of a name somebody reserves, all of it or the start, and where that was read."""
    names, source = RESERVED_NAMES.get(owner.key, ((), None))
    if source is not None and name in names:
        return "name", name, source
    prefixes, source = RESERVED_PREFIXES.get(owner.key, ((), None))
    found = next((prefix for prefix in prefixes if name.startswith(prefix)), None)
    return None if found is None or source is None else ("prefix", found, source)


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
