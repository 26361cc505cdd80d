"""Tools that differ from what the lock accepted, or from what a snapshot of their server has."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from toolsurface_lint.checks.contract import LOCK, SNAPSHOT, check
from toolsurface_lint.model.diagnostics import ERROR, Finding, Rule
from toolsurface_lint.model.digests import PARTS
from toolsurface_lint.model.lock import LockedProject, ServedTools, ToolKey
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.source.tree import Node, Place

_ACCEPT = "if the change is wanted, `toolsurface-lint lock --update {target}` accepts it"
_WRITE = "`toolsurface-lint lock` writes it again"
DRIFT = Rule(
    code="TOOL_SURFACE_DRIFT",
    since="0.1.0",
    severity=ERROR,
    summary="A tool differs from what the lock accepted, or from what a snapshot of its server has.",
    message={
        "description": "the description of `{name}` has changed since it was locked",
        "schema": "the input schema of `{name}` has changed since it was locked",
        "output_schema": "the output schema of `{name}` has changed since it was locked",
        "annotations": "the annotations of `{name}` have changed since they were locked",
        "digest": "`{name}` does not match its digest in the lock, although each part matches its own",
        "added": "`{name}` of `{server}` is not in the lock",
        "gone": "`{name}` of `{server}` is locked, and no longer declared",
        "served_description": "the description of `{name}` differs from the snapshot of `{server}`",
        "served_schema": "the input schema of `{name}` differs from the snapshot of `{server}`",
        "served_output_schema": "the output schema of `{name}` differs from the snapshot of `{server}`",
        "served_annotations": "the annotations of `{name}` differ from the snapshot of `{server}`",
        "not_served": "`{name}` is not in the snapshot of `{server}`",
        "not_declared": "the snapshot of `{server}` has a tool `{name}`, which is not declared",
        "version": "the lock has version {got}, and only version {version} is supported",
        "missing": "the lock cannot be used: `{key}` is missing",
        "shape": "the lock cannot be used: `{key}` must be {expected}, not {got}",
    },
    help={
        **dict.fromkeys((*PARTS, "digest", "added", "gone"), _ACCEPT),
        **dict.fromkeys(
            (*(f"served_{part}" for part in PARTS), "not_served", "not_declared"), "make the snapshot again"
        ),
        "version": "use the release of toolsurface-lint that wrote it",
        "missing": _WRITE,
        "shape": _WRITE,
    },
    tags=("tools", "servers", "security"),
)


@check(LOCK, DRIFT)
def check_lock(compared: LockedProject) -> Iterator[Finding]:
    lock = compared.lock
    if lock.problem is not None:
        yield DRIFT.of(lock.problem)
        return
    version = lock.node.get("version")
    related = [] if version is None else [("this is the lock", version.key_place)]
    for key, declared in compared.tools.items():
        tool, locked = declared.tools[0], lock.tools.get(key)
        if locked is None:
            yield _finding("added", tool.name_place, key, related)
            continue
        accepted = [("it was locked here", locked.node.key_place)]
        for part in locked.changed(declared.digests):
            yield _finding(part, _place(tool, part), key, accepted)
    for key, other in compared.gone.items():
        beside = [] if other is None else [(f"`{other.name}` of the same server is still declared", other.name_place)]
        yield _finding("gone", lock.tools[key].node.key_place, key, beside)


def _finding(kind: str, place: Place, key: ToolKey, related: list[tuple[str, Place]]) -> Finding:
    server, name = key
    target = shlex.quote(f"{server}/{name}")
    field = "name" if kind in ("added", "gone", "digest") else kind
    return DRIFT.at(place, kind, tool=name, field=field, related=related, server=server, target=target)


@check(SNAPSHOT, DRIFT)
def check_snapshot(compared: ServedTools) -> Iterator[Finding]:
    from toolsurface_lint.checks.surface._served import differing_parts

    server, start = compared.server, [("this is the snapshot", compared.start)]
    for name, tool in compared.declared.items():
        served = compared.served.get(name)
        if served is None:
            if not tool.optional:
                yield DRIFT.at(tool.name_place, "not_served", tool=name, field="name", related=start, server=server)
            continue
        for part in differing_parts(served, tool):
            related = [("this is what was served", _place(served, part))]
            yield DRIFT.at(_place(tool, part), f"served_{part}", tool=name, field=part, related=related, server=server)
    first = next(iter(compared.declared.values()))
    for name, tool in compared.served.items() if compared.closed else ():
        if name not in compared.declared:
            related = [("the other tools are declared here", first.name_place)]
            yield DRIFT.at(tool.name_place, "not_declared", tool=name, field="name", related=related, server=server)


def _place(tool: Tool, part: str) -> Place:
    """Where a part of a definition is: a text, or the key of what is longer; the name where it is not written."""
    if part == "description":
        return tool.name_place if tool.description is None else tool.description.place
    nodes: dict[str, Node | None] = {
        "schema": tool.schema,
        "output_schema": tool.output_schema,
        "annotations": tool.hints or (None if tool.annotations is None else tool.annotations.node) or tool.side_effects,
    }
    node = nodes.get(part)
    has_key = node is not None and bool(node.path) and node.tree.spans_at(node.path)[0].key_start >= 0
    return node.key_place if node is not None and has_key else tool.name_place
