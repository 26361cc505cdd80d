"""Agents that texts and tool lists send to, and that are not there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolsurface_lint.checks.contract import CLIENT_FILE, CLIENT_PROMPT, PERMISSIONS, check
from toolsurface_lint.knowledge.clients import SENDING_TOOLS
from toolsurface_lint.model.client_file import ClientFile
from toolsurface_lint.model.diagnostics import UNSAFE, WARNING, Finding, Rule, renaming
from toolsurface_lint.model.names import suggestion
from toolsurface_lint.model.permission import PermissionFile
from toolsurface_lint.model.prompt import Prompt
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.source.shared import shared
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
_TYPE = re.compile(rf"\bsubagent_type[\"'`]*[ \t]*[:=][ \t]*([\"'`]?)(?P<name>{_NAME})\1(?![\w/])")
_AGENT = re.compile(r"[Aa][Gg][Ee][Nn][Tt]\b")
_FARTHEST = 320
"""Characters before that word in which what sends to an agent begins: the patterns that end with it look there alone."""
_MARKED = re.compile(rf"\bthe[ \t]+(`|\*\*)(?P<name>{_NAME})\1[ \t]+(?:sub-?)?agent\Z", re.IGNORECASE)
_MENTION = re.compile(rf"(?<![\w.])@agent-(?P<name>{_NAME})(?![\w/])")
"""Claude Code compares it with the names of agents as it is written, and a `subagent_type` without case and separators.

Source: npm @anthropic-ai/claude-code 2.1.50, cli.js; anthropics/claude-code, CHANGELOG.md, 2.1.140.
"""
_IN_PROSE = re.compile(
    r"(?P<order>\b(?:use|ask|tell|let|launch|run|start|invoke|call|(?:delegate|send)(?:[ \t]+[a-z]{1,20}){0,3}[ \t]+to)[ \t]+)?"
    r"\bthe[ \t]+(?P<name>[a-z][a-z0-9]*(?:-[a-z0-9]+)+)[ \t]+(?P<sub>sub-?)?agent\Z",
    re.IGNORECASE,
)
"""A plain word may also say what the agent does, "the code-review subagent", and of an agent it may do so anywhere but in an
order to use it."""


@check(CLIENT_PROMPT, RULE)
def check_prompt(prompt: Prompt, surface: Surface) -> Iterator[Finding]:
    text = prompt.text
    if "agent" not in text:
        return
    for match in _named_agents(text):
        pattern, place = match.re, prompt.place(*match.span("name"))
        yield from _unknown(
            match["name"], place, "prompt", surface, as_written=pattern is _MENTION, in_prose=pattern is _IN_PROSE
        )


@shared
def _named_agents(text: str) -> tuple[re.Match[str], ...]:
    """What a text sends to, by the patterns that find it."""
    return (
        *(_TYPE.finditer(text) if "subagent_type" in text else ()),
        *_before_agent(_MARKED, text),
        *(_MENTION.finditer(text) if "@agent-" in text else ()),
        *(match for match in _before_agent(_IN_PROSE, text) if match["order"] or match["sub"]),
    )


def _before_agent(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The matches of a pattern that ends with the word: it is looked for first, as most letters end nothing."""
    for agent in _AGENT.finditer(text):
        # Both have a space before the word, but for a prefix.
        if text[agent.start() - 1 : agent.start()] in (" ", "\t", "-", "b", "B"):
            match = pattern.search(text, max(agent.start() - _FARTHEST, 0), agent.end())
            if match is not None:
                yield match


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


def _unknown(
    name: str, place: Place, field: str, surface: Surface, *, as_written: bool = False, in_prose: bool = False
) -> Iterator[Finding]:
    path = place.source.path if place.source is not None else ""
    near = surface.client_agents.instead_of(name, path, as_written=as_written)
    if in_prose:
        near = [(other, where) for other, where in near if not other.startswith(name.lower())]
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
