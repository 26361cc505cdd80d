"""What changed between versions of clients: for which of them something is wrong with a permission rule.

Source: anthropics/claude-code at 5cfc0a1 (2026-08), CHANGELOG.md, unless a row names what was looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from toolsurface_lint.knowledge.sources import Version, Versions


class Period(NamedTuple):
    """The versions of a client in which something is so."""

    client: str
    versions: Versions


def _before(*version: int) -> Period:
    return Period("claude-code", Versions(before=version))


def _since(*version: int) -> Period:
    return Period("claude-code", Versions(since=version))


PERIODS: Mapping[str, Period] = {
    "before/agent": _before(2, 1, 0),
    "before/command_wildcard": _before(2, 1, 0),
    "before/name_wildcard": _before(2, 1, 166),
    "before/parameter": _before(2, 1, 178),
    # The matching in npm @anthropic-ai/claude-code 2.1.150, 2.1.163 and 2.1.200; what rejects it in 2.1.166 to 2.1.168, and
    # not in 2.1.169. Issue 65797 of anthropics/claude-code is about these.
    "before/partial_wildcard": _before(2, 1, 169),
    "before/server_wildcard": _before(2, 0, 70),
    "before/skill_wildcard": _before(2, 1, 139),
    "before/subdomains": _before(2, 1, 172),
    "dead/checked_as": _since(2, 1, 210),
    # npm @anthropic-ai/claude-code 2.1.258 and 2.1.260, what validates a rule.
    "rejected/empty_inside": _before(2, 1, 260),
    "rejected/malformed": _since(2, 1, 260),
    "rejected/unbalanced": _before(2, 1, 260),
}
"""By the kind of a rule's problem; all other kinds hold for every version."""


def holds(kind: str, versions: Mapping[str, Version]) -> bool:
    """Whether a kind of problem is one in the versions of clients that somebody uses; without one, in the newest."""
    period = PERIODS.get(kind)
    return period is None or period.versions.holds(versions.get(period.client))
