"""Tools and servers that a policy names, and that are not declared, or that its client does not have."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from functools import lru_cache

from toolsurface_lint.checks.contract import PERMISSIONS, POLICY, check
from toolsurface_lint.knowledge.clients import CLIENTS, Client
from toolsurface_lint.model.diagnostics import UNSAFE, WARNING, Finding, Fix, Rule, renaming, rewriting
from toolsurface_lint.model.names import (
    CloseNames,
    alike_names,
    close_index,
    close_names,
    folded,
    suggestion,
    swapped_in,
)
from toolsurface_lint.model.permission import PermissionFile, PermissionRule, known_names
from toolsurface_lint.model.policy import CapabilityPolicy
from toolsurface_lint.model.servers import in_order, normalized
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.source.tree import Place

UNKNOWN_TOOL = Rule(
    code="POLICY_UNKNOWN_TOOL",
    since="0.1.0",
    severity=WARNING,
    summary="A policy names a tool that is not declared.",
    message={
        "client": "the policy names the tool `{name}`, which {client} does not have",
        "server": "the policy names the tool `{name}`, which the server `{server}` does not serve",
        "undeclared": "the policy names the tool `{name}`, which is not declared",
    },
    tags=("policies",),
    fix=UNSAFE,
    # A tool that its policy grants at last is asked for what active tools must have.
    reveals=("TOOL_SURFACE_MISSING_ANNOTATIONS",),
)


@check(POLICY, UNKNOWN_TOOL)
def check_policy(policy: CapabilityPolicy, surface: Surface) -> Iterator[Finding]:
    if surface.open or not surface.tools:
        return
    for pattern in policy.tools:
        if (
            "*" not in pattern.value
            and pattern.value not in surface.by_name
            and pattern.value not in surface.unread_names
        ):
            yield _finding(pattern.value, pattern.place, "policy.tools", surface)
    # At the workflow's own scope every annotated name is a tool by definition.
    if surface.scope != "workflow":
        for name, annotations in policy.annotations.items():
            if name not in surface.by_name and name not in surface.unread_names:
                place = annotations.node.key_place
                yield _finding(name, place, "policy.tool_annotations", surface, taken=policy.annotations)


def _finding(name: str, place: Place, field: str, surface: Surface, taken: Container[str] = ()) -> Finding:
    """`taken` are the names that are in the same place already: a second one of a name would be lost."""
    near = surface.close_names(name)
    return UNKNOWN_TOOL.at(
        place,
        "undeclared",
        tool=name,
        field=field,
        related=surface.declared_instead(near) if near else (),
        help=suggestion(near),
        fix=renaming(place, name, [other for other in near if other not in taken]),
    )


@check(PERMISSIONS, UNKNOWN_TOOL)
def check_permissions(file: PermissionFile, surface: Surface) -> Iterator[Finding]:
    for rule in file.rules:
        if rule.server is not None:
            yield from _check_server_tool(rule, file, surface)
        elif "*" in rule.tool or "?" in rule.tool or rule.text.startswith("@"):
            continue
        elif file.client is not None:
            yield from _check_builtin(rule, file, CLIENTS[file.client], surface)
        # A name in the list of an agent whose client nobody knows is wrong only if it is nearly a declared one.
        elif rule.tool not in surface.by_name and surface.close_names(rule.tool) and not surface.open:
            yield _finding(rule.tool, rule.place, rule.field, surface)


def _check_server_tool(rule: PermissionRule, file: PermissionFile, surface: Surface) -> Iterator[Finding]:
    """A tool of a server, against those of the server if they are known."""
    if rule.server is None or rule.server_tool is None or surface.servers is None:
        return
    related: list[tuple[str, Place]] = []
    if rule.server in file.provided and rule.server not in file.servers:
        provided: Collection[str] | None = file.provided[rule.server]
        if rule.server in file.started:
            provided = surface.servers.started_for(file.origin, file.started[rule.server])
        if provided is None or rule.server_tool in provided:
            return
        near = close_names(rule.server_tool, provided)
    else:
        served = surface.servers.tools_of(rule.server)
        if served is None or rule.server_tool in served:
            return
        near, shown = surface.servers.instead_of(rule.server_tool, rule.server)
        related.append(shown)
    yield UNKNOWN_TOOL.at(
        rule.place,
        "server",
        tool=rule.server_tool,
        field=rule.field,
        related=related,
        server=rule.server,
        help=suggestion(near),
        fix=_renaming(rule, rule.server_tool, len(rule.text) - len(rule.server_tool), near)
        or _renaming(rule, rule.server_tool, 0, near),
    )


def _renaming(rule: PermissionRule, name: str, start: int, near: Sequence[str]) -> Fix | None:
    """The fix for a misspelled name that is at an offset of an entry; None if it is elsewhere."""
    if start < 0 or not rule.text.startswith(name, start):
        return None
    return renaming(rule.place.part(start, start + len(name)), name, near)


_OTHER_BRACKETS = re.compile(r"(\w+)[\s\[{<:]+(.*?)[\]}>]?\Z")


def _check_builtin(rule: PermissionRule, file: PermissionFile, found: Client, surface: Surface) -> Iterator[Finding]:
    """A name against the client's own tools; tools of servers and other agents have names that nobody can know."""
    name = rule.tool
    shown = name
    if found.sets and "/" in name:
        # `set/tool`; of `server/tool`, the server decides.
        group, _, shown = name.partition("/")
        if group not in found.sets:
            return
    elif name.startswith(("mcp_", "discovered_tool_")) and not found.complete:
        return
    client = file.client or ""
    own = surface.target.builtin_tools.get(client, frozenset())
    known = known_names(client)
    if shown in known or shown in own or name in surface.by_name or (found.folds and folded(shown) in known):
        return
    near, alike = _meant(client, own, shown)
    if not near and not found.complete:
        return
    help = suggestion(near or alike)
    fix = _renaming(rule, shown, len(name) - len(shown), near)
    bracketed = None if near else _OTHER_BRACKETS.match(name)
    if bracketed is not None and bracketed[1] in known:
        instead = f"{bracketed[1]}({bracketed[2]})"
        help = f"write what follows the tool in parentheses: `{instead}`"
        fix = rewriting(rule.place, instead) if rule.text == name else None
    elif served := [f"mcp__{server}__{name}" for server, tools in file.provided.items() if name in (tools or ())]:
        help = f"write `{served[0]}`"
        fix = rewriting(rule.place, served[0]) if len(served) == 1 and rule.text == name else None
    elif not near and name.startswith("mcp_"):
        help = "name the tools of servers as `mcp__SERVER__TOOL`"
    yield UNKNOWN_TOOL.at(rule.place, "client", tool=name, field=rule.field, client=found.name, help=help, fix=fix)


# The lists of most agents are copies of a few.
@lru_cache(maxsize=1024)
def _meant(client: str, own: frozenset[str], name: str) -> tuple[Sequence[str], Sequence[str]]:
    """The tools of a client, and its `own` by the settings, that a name is surely meant for; if none is, what is alike."""
    found = CLIENTS[client]
    renamed = found.instead_of(name)
    if renamed is not None:
        return (renamed,), ()
    candidates = {*found.tools, *found.sets, *own}
    near = close_names(name, candidates) or swapped_in(name, candidates)
    return near, () if near or not found.complete else alike_names(name, candidates)


UNKNOWN_SERVER = Rule(
    code="POLICY_UNKNOWN_SERVER",
    since="0.1.0",
    severity=WARNING,
    summary="A permission file names a server that is not declared.",
    message="the policy names the server `{name}`, which is not declared",
    tags=("policies",),
    fix=UNSAFE,
)

PROJECT_SERVERS = ".mcp.json"
"""The file whose servers the settings of Claude Code enable and disable by name."""


@check(PERMISSIONS, UNKNOWN_SERVER)
def check_servers(file: PermissionFile, surface: Surface) -> Iterator[Finding]:
    servers = surface.servers
    # These name servers of the project's own file, and no others. A file in another folder is for a project elsewhere.
    here = os.path.basename(os.path.dirname(file.origin)) == ".claude"
    own = servers.declared(file.origin, PROJECT_SERVERS) if servers is not None and file.named_servers and here else {}
    close = close_index(frozenset(own))
    for node, field in file.named_servers:
        if own and node.value not in own:
            yield _unknown_server(node.value, node.place, field, own, close, (node.place, ""))
    if not any(rule.server is not None for rule in file.rules):
        return
    declared: dict[str, Place | None] = dict.fromkeys(file.provided)
    declared.update(servers.declared(file.origin) if servers is not None else {})
    declared.update(file.servers)
    known = frozenset(map(normalized, declared))
    close, close_known, ordered = close_index(frozenset(declared)), close_index(known), in_order(declared)
    for rule in file.rules:
        if rule.server is None or normalized(rule.server) in known:
            continue
        # A server may also come from the user's own settings, from a plugin, or from the client.
        server = normalized(rule.server)
        short: tuple[str, ...] = ()
        if servers is not None and rule.server_tool is not None:
            short = servers.named_short(server, rule.server_tool, ordered)
        if file.servers_complete or close_known.find(server) or swapped_in(server, known) or short:
            written = _written(rule, rule.server)
            yield _unknown_server(rule.server, rule.place, rule.field, declared, close, written, short)


def _written(rule: PermissionRule, server: str) -> tuple[Place, str] | None:
    """Where the name of its server is in a rule, and what comes before it there."""
    if rule.server_place is not None:
        return rule.server_place, ""
    for before in ("mcp__", "@"):
        if rule.text.startswith(before + server):
            return rule.place.part(len(before), len(before) + len(server)), before
    return None


def _unknown_server(
    name: str,
    place: Place,
    field: str,
    declared: Mapping[str, Place | None],
    close: CloseNames,
    written: tuple[Place, str] | None,
    short: tuple[str, ...] = (),
) -> Finding:
    near = close.find(name) or swapped_in(name, declared) or short
    fix = None
    if written is not None:
        there, before = written
        fix = renaming(there, name, [normalized(server) if before == "mcp__" else server for server in near])
    said = f"`{near[0]}` is declared here" if near else "the servers are declared here"
    places = [declared[near[0]]] if near else list(declared.values())[:1]
    related = [(said, place) for place in places if place is not None]
    return UNKNOWN_SERVER.at(place, field=field, related=related, name=name, help=suggestion(near), fix=fix)
