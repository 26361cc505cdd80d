"""Tools of published servers, named in permissions, lists of agents and prompts, that their servers do not have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from toolsurface_lint.checks.contract import EVERY_PROMPT, HOOKS, PERMISSIONS, check
from toolsurface_lint.model.diagnostics import INFO, UNSAFE, WARNING, Finding, Rule, renaming
from toolsurface_lint.model.hooks import HookFile
from toolsurface_lint.model.names import suggestion
from toolsurface_lint.model.permission import PermissionFile
from toolsurface_lint.model.prompt import Prompt
from toolsurface_lint.model.servers import TOOL_OF_SERVER
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.texts import sentence_around
from toolsurface_lint.source.tree import Place

if TYPE_CHECKING:
    from toolsurface_lint.model.published import Outdated

REMOVED = Rule(
    code="SERVER_TOOL_REMOVED",
    since="0.1.0",
    severity=WARNING,
    summary="A published server no longer has a tool that is named.",
    message={
        "replaced": "{server} has no tool `{name}` as of {read}: version {version} replaced it with `{instead}`",
        "removed": "{server} has no tool `{name}` as of {read}: version {version} removed it",
    },
    help={"replaced": "write `{instead}`"},
    tags=("policies", "prompts"),
    fix=UNSAFE,
    # Of a tool that there is, it is asked whether the agent's own list has it.
    reveals=("PROMPT_TOOL_NOT_GRANTED",),
)

NEVER_SERVED = Rule(
    code="SERVER_TOOL_UNKNOWN",
    since="0.1.0",
    severity=INFO,
    summary="A published server has never had a tool that is named.",
    message="{server} has no tool `{name}` as of {read}, and never had one",
    tags=("policies", "prompts"),
    fix=UNSAFE,
    # Of a tool that there is, it is asked whether the agent's own list has it.
    reveals=("PROMPT_TOOL_NOT_GRANTED",),
)


@check(PERMISSIONS, REMOVED, NEVER_SERVED)
def check_permissions(file: PermissionFile, surface: Surface) -> Iterator[Finding]:
    if surface.servers is None:
        return
    named = [(rule, rule.server, rule.server_tool) for rule in file.rules if rule.server and rule.server_tool]
    written = {(server, tool) for _, server, tool in named}
    given = set(written)
    for rule, server, tool in named:
        if file.in_workflow and server not in file.servers:
            # What comes with the runner, or is written when it runs, may be of any version.
            continue
        if server is None or tool is None or (found := surface.servers.outdated(server, tool)) is None:
            continue
        # Who lists the old name and the new one has both versions in mind.
        if found.dropped and any((server, new) in written for new in found.instead):
            continue
        start = len(rule.text.partition("(")[0]) - len(tool)
        there = rule.place.part(start, start + len(tool)) if rule.text.startswith(tool, max(start, 0)) else None
        # Where one tool has replaced several, the list needs its name once.
        if any((server, new) in given for new in found.instead):
            there = None
        given.update((server, new) for new in found.instead)
        yield _finding(found, rule.place, there, rule.field)


_ASIDE = re.compile(
    r"\b(?:renamed|former(?:ly)?|deprecated|legacy|old(?:er)?|removed?|replaced?|no longer|previous(?:ly)?|used to|obsolete|"
    r"unavailable|doesn['\u2019]t exist|no such|never|not|don['\u2019]t|avoid|instead of|rather than)\b",
    re.IGNORECASE,
)


@check(HOOKS, REMOVED, NEVER_SERVED)
def check_hooks(file: HookFile, surface: Surface) -> Iterator[Finding]:
    """Names that a matcher writes out; one that is also part of an expression may match anything."""
    for matcher in file.matchers if surface.servers is not None else ():
        text = matcher.node.value
        for match in TOOL_OF_SERVER.finditer(text):
            found = surface.servers.outdated(match["server"], match["tool"]) if surface.servers is not None else None
            if found is None or not (found.dropped or found.instead):
                continue
            if match["more"] or text.startswith((".", "("), match.end()):
                continue
            # The hook is for both versions.
            if not any(instead in text for instead in found.instead):
                place = matcher.node.text_place(*match.span("tool"))
                yield _finding(found, place, place, matcher.field)


@check(EVERY_PROMPT, REMOVED, NEVER_SERVED)
def check_prompt(prompt: Prompt, surface: Surface) -> Iterator[Finding]:
    """A name of the form `mcp__SERVER__TOOL` is that of a tool, whatever the words around it say, unless they say no."""
    text = prompt.text
    if surface.servers is None or "mcp__" not in text:
        return
    names_too = cache(text.__contains__)
    for match in TOOL_OF_SERVER.finditer(text):
        server, tool, more = match.group("server", "tool", "more")
        found = surface.servers.outdated(server, tool) if not more else None
        # In prose, a name that is like none of the server's may stand for any: `mcp__playwright__TOOL`.
        if found is None or not (found.dropped or found.instead):
            continue
        if found.dropped and any(map(names_too, found.instead)):
            continue
        if _ASIDE.search(sentence_around(text, *match.span())):
            continue
        place = prompt.place(*match.span("tool"))
        yield _finding(found, place, place, "prompt")


def _finding(found: Outdated, place: Place, there: Place | None, field: str) -> Finding:
    """`there` is the name of the tool alone, for the fix."""
    fix = None if there is None else renaming(there, found.tool, found.instead)
    said: dict[str, Any] = {"tool": found.tool, "field": field, "fix": fix, "server": found.server, "read": found.read}
    if not found.dropped:
        return NEVER_SERVED.at(place, help=suggestion(found.instead), **said)
    kind, instead = ("replaced", found.instead[0]) if found.instead else ("removed", "")
    return REMOVED.at(place, kind, version=found.dropped, instead=instead, **said)
