"""Tools that are there, or may be, and are not seen: why, and where."""

# No `from __future__ import annotations`: `NamedTuple` compiles annotations that are strings, each of them at every start.

import re
from collections.abc import Iterable
from typing import NamedTuple

from toolsurface_lint.source.tree import Place

_QUOTED = re.compile(r"`[^`]*`")
LIMIT, SERVERS, LISTS, MADE = "limit", "servers", "lists", "made"
"""The causes from which something follows.

`LIMIT`: a limit of the linter itself. `SERVERS`: an agent takes in the tools of MCP servers. `LISTS`: an agent is given
tools that are not known, which may be any list nearby. `MADE`: a tool is made and given to nobody that is known, which
concerns its folder.
"""


class Unseen(NamedTuple):
    """Why tools are not seen: a sentence, and where that shows; the line, from 1, where there is one.

    `cause` is `limit`, `servers`, `lists`, `made` or empty: what follows from a reason does not depend on its wording.
    """

    reason: str
    path: str | None = None
    line: int | None = None
    cause: str = ""

    @property
    def place(self) -> str:
        """`path:line`; empty without a path."""
        return (self.path or "") if self.line is None else f"{self.path}:{self.line}"

    @property
    def kind(self) -> str:
        """The reason without the names in it."""
        return _QUOTED.sub("`...`", self.reason)

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}" if self.place else self.reason


def unseen_at(place: Place, reason: str) -> Unseen:
    """Why tools are not seen, at a place; without one in plain data."""
    span, source = place.span(), place.source
    return (
        Unseen(reason)
        if span is None or source is None
        else Unseen(reason, source.path, source.lines.line_at(span.start))
    )


def by_place(found: Iterable[Unseen]) -> tuple[Unseen, ...]:
    """In the order of their places."""
    return tuple(sorted(found, key=lambda unseen: (unseen.path or "", unseen.line or 0, unseen.reason)))


class Ranked(NamedTuple):
    """How often there is a kind of reason, and the first of them, whose names the reason has."""

    reason: str
    number: int
    first: Unseen


def ranked(reasons: Iterable[Unseen]) -> list[Ranked]:
    """Reasons by their kind: the limits of the linter, then the others, the most frequent first of each."""
    kinds: dict[str, list[Unseen]] = {}
    for reason in reasons:
        kinds.setdefault(reason.kind, []).append(reason)
    found = []
    for those in kinds.values():
        same = all(each.reason == those[0].reason for each in those)
        found.append(Ranked(those[0].reason + ("" if same else ", and the like"), len(those), those[0]))
    return sorted(found, key=lambda each: (each.first.cause != LIMIT, -each.number, each.reason))
