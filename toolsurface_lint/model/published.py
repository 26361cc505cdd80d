"""Names of tools against the catalogue of published servers: gone, never there, or nothing to say."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from typing import NamedTuple

from toolsurface_lint.model.names import CloseNames, folded

ANY = "any"
"""The version of a release that is not one version: a range, a tag, a variable."""

_NUMBERS = re.compile(r"v?(\d{1,9}(?:\.\d{1,9}){2,3})")
_PREFIXES = ("plugin_", "claude_ai_")


class Release(NamedTuple):
    """What a project runs as a server, or where it reaches it.

    `registry` and `package` are as in `knowledge.published_servers`; `version` is numbers with dots, empty for the newest, or
    `ANY`.
    """

    registry: str
    package: str
    version: str = ""


class Outdated(NamedTuple):
    """Why a published server does not have a tool.

    `dropped` is the version that dropped it, empty if no version ever had it. `instead` are the tools that may be meant:
    what replaced it, or those with a name like it.
    """

    server: str
    tool: str
    dropped: str
    instead: tuple[str, ...]
    read: str
    """The month in which the catalogue's row was read: `2026-11`."""


def version_of(text: str) -> str:
    """The version of a release that says `text` after the package: what is not one version is `ANY`.

    Two numbers are the newest version that begins so to npm, and to those who tag images; to uv they are one version, whose
    last number is 0. Source: npm 11.19.1, semver (`1.0` is `>=1.0.0 <1.1.0-0`); docs.astral.sh/uv/guides/tools, 2026-11.
    """
    if text in ("", "latest"):
        return ""
    match = _NUMBERS.fullmatch(text)
    return match[1] if match is not None else ANY


def own_name(server: str) -> str:
    """The name of a server without that of the plugin, or of the connector, that brings it: `plugin_docs_context7`."""
    return server.rpartition("_")[2] if server.startswith(_PREFIXES) else server


def outdated(server: str, tool: str, releases: Collection[Release | None] | None) -> Outdated | None:
    """What the catalogue says against a tool of a server; None if it may be there, or is not known.

    `releases` are all that the project runs under that name, None among them for what is not published; None for the whole
    if no file of the project declares such a server.
    """
    from toolsurface_lint.knowledge.published_servers import order_of, server_of, servers_named

    if releases is None:
        rows = [(row, "") for row in servers_named(folded(own_name(server)))]
    else:
        found = [(release and server_of(release.registry, release.package), release) for release in releases]
        rows = [(row, release.version) for row, release in found if row and release]
        if len(rows) < len(found):
            return None
    if not rows:
        return None
    for row, version in rows:
        if tool in row.tools_at() or (tool in row.ever if version == ANY else tool in row.tools_at(version)):
            return None
    for row, _ in rows:
        if tool in row.dropped:
            dropped, instead = row.dropped[tool]
            return Outdated(row.title, tool, dropped, (instead,) if instead else (), row.read)
    if any(
        row.open or (version not in ("", ANY) and order_of(version) > order_of(row.newest)) for row, version in rows
    ):
        return None
    for row, _ in rows:
        former = (row.dropped[old][1] for old in _close(frozenset(row.dropped)).find(tool))
        if near := _meant(row.tools_at(), tool) or tuple(filter(None, former)):
            return Outdated(row.title, tool, "", near, row.read)
    return Outdated(rows[0][0].title, tool, "", (), rows[0][0].read)


@cache
def _close(tools: frozenset[str]) -> CloseNames:
    return CloseNames(tools)


def _meant(tools: frozenset[str], tool: str) -> tuple[str, ...]:
    """The tools that a wrong name may be meant for: close to it, or the same after a prefix."""
    ends = tuple(sorted(other for other in tools if other.endswith((f"_{tool}", f"-{tool}"))))
    return _close(tools).find(tool) or ends
