"""Agents that texts and tool lists send to, and that are not there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolsurface_lint.checks.contract import CLIENT_FILE, CLIENT_PROMPT, PERMISSIONS, check
from toolsurface_lint.knowledge.client_files import SENDING_TOOLS
from toolsurface_lint.model.client_file import ClientFile
from toolsurface_lint.model.diagnostics import UNSAFE, WARNING, Finding, Rule, renaming
from toolsurface_lint.model.names import suggestion
from toolsurface_lint.model.permission import PermissionFile
from toolsurface_lint.model.prompt import Prompt
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.source.tree import Place

RULE = Rule(
    code="PROMPT_UNKNOWN_AGENT",
    since="0.1.0",
    severity=WARNING,
    summary="A text or a list sends to an agent that is not there.",
    message="no agent is named `{name}`",
    tags=("prompts", "policies"),
    fix=UNSAFE,
)

_NAME = r"[A-Za-z][A-Za-z0-9_-]*(?::[A-Za-z0-9_-]+)*"
_SENT_TO = (
    re.compile(rf"\bsubagent_type[\"'`]*[ \t]*[:=][ \t]*([\"'`]?)(?P<name>{_NAME})\1(?![\w/])"),
    re.compile(rf"(?<![\w.])@agent-(?P<name>{_NAME})(?![\w/])"),
    re.compile(rf"\bthe[ \t]+(`|\*\*)(?P<name>{_NAME})\1[ \t]+(?:sub-?)?agent\b", re.IGNORECASE),
)


@check(CLIENT_PROMPT, RULE)
def check_prompt(prompt: Prompt, surface: Surface) -> Iterator[Finding]:
    text = prompt.text
    if "agent" not in text:
        return
    for pattern in _SENT_TO:
        for match in pattern.finditer(text):
            yield from _unknown(match["name"], prompt.place(*match.span("name")), "prompt", surface)


@check(CLIENT_FILE, RULE)
def check_client_file(file: ClientFile, surface: Surface) -> Iterator[Finding]:
    node = file.text("agent")
    if node is not None:
        yield from _unknown(node.value, node.place, "agent", surface)


@check(PERMISSIONS, RULE)
def check_permissions(file: PermissionFile, surface: Surface) -> Iterator[Finding]:
    if file.client != "claude-code":
        return
    for rule in file.rules:
        if rule.tool in SENDING_TOOLS and rule.specifier is not None and rule.text.count(rule.specifier) == 1:
            start = rule.text.index(rule.specifier)
            for match in re.finditer(_NAME, rule.specifier):
                place = rule.place.part(start + match.start(), start + match.end())
                yield from _unknown(match[0], place, rule.field, surface)


def _unknown(name: str, place: Place, field: str, surface: Surface) -> Iterator[Finding]:
    path = place.source.path if place.source is not None else ""
    near = surface.client_agents.instead_of(name, path)
    if near:
        plugin = name.rpartition(":")[0]
        meant = [f"{plugin}:{other}" if plugin else other for other, _ in near]
        yield RULE.at(
            place,
            field=field,
            related=[(f"`{other}` is named here", where) for other, where in near[:1] if where is not None],
            name=name,
            help=suggestion(meant),
            fix=renaming(place, name, meant),
        )
