"""A permission file names a server that nothing declares."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import PERMISSIONS, check
from toolsurface_lint.model.diagnostics import UNSAFE, WARNING, Finding, Rule, renaming
from toolsurface_lint.model.names import CloseNames, suggestion
from toolsurface_lint.model.permission import PermissionFile, PermissionRule
from toolsurface_lint.model.servers import normalized, normalized_names
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.source.tree import Place

RULE = Rule(
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


@check(PERMISSIONS, RULE)
def check_permissions(file: PermissionFile, surface: Surface) -> Iterator[Finding]:
    servers = surface.servers
    # These name servers of the project's own file, and no others.
    own = servers.declared(file.origin, PROJECT_SERVERS) if servers is not None and file.named_servers else {}
    close = CloseNames(own)
    for node, field in file.named_servers:
        if own and node.value not in own:
            yield _finding(node.value, node.place, field, own, close, (node.place, ""))
    if not any(rule.server is not None for rule in file.rules):
        return
    declared = {**(servers.declared(file.origin) if servers is not None else {}), **file.servers}
    known = normalized_names(declared)
    close, close_known = CloseNames(declared), CloseNames(known)
    for rule in file.rules:
        if rule.server is None or normalized(rule.server) in known:
            continue
        # A server may also come from the user's own settings, from a plugin, or from the client.
        if file.servers_complete or close_known.find(normalized(rule.server)):
            yield _finding(rule.server, rule.place, rule.field, declared, close, _written(rule, rule.server))


def _written(rule: PermissionRule, server: str) -> tuple[Place, str] | None:
    """Where the name of its server stands in a rule, and what stands before it there."""
    if rule.server_place is not None:
        return rule.server_place, ""
    for before in ("mcp__", "@"):
        if rule.text.startswith(before + server):
            return rule.place.part(len(before), len(before) + len(server)), before
    return None


def _finding(
    name: str,
    place: Place,
    field: str,
    declared: dict[str, Place],
    close: CloseNames,
    written: tuple[Place, str] | None,
) -> Finding:
    near = close.find(name)
    fix = None
    if written is not None:
        there, before = written
        fix = renaming(there, name, [normalized(server) if before == "mcp__" else server for server in near])
    if near:
        related = [(f"`{near[0]}` is declared here", declared[near[0]])]
    else:
        related = [("the servers are declared here", place) for place in list(declared.values())[:1]]
    help = suggestion(near)
    return RULE.at(place, field=field, related=related, name=name, help=help, fix=fix)
