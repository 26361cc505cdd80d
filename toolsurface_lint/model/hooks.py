"""Hooks of coding clients: what a client runs at its events."""

from __future__ import annotations

from typing import NamedTuple

from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Node, Place


class Matcher(NamedTuple):
    """Which calls, or other occasions of an event, a group of hooks is for: the text, and its event."""

    node: Node
    event: str
    field: str


class Script(NamedTuple):
    """A file that the command of a hook runs: what is written, where, and the paths that it may mean.

    `paths` are relative to the folder of the file that the hook is in, with forward slashes.
    """

    text: str
    place: Place
    field: str
    paths: tuple[str, ...]


class HookFile:
    """The hooks of one file. `client` is a key of `knowledge.hooks.HOOKS`.

    `shared`: the file is part of a plugin, which several clients may read.
    """

    def __init__(self, node: Node, client: str, *, shared: bool = False, named: bool = True) -> None:
        """`named`: its place or its text says that it is for the client."""
        self.node = node
        self.origin = node.tree.origin
        self.client = client
        self.shared = shared
        self.named = named
        self.events: list[tuple[str, Place]] = []
        self.matchers: list[Matcher] = []
        self.timeouts: list[tuple[Node, str]] = []
        """The timeouts that are numbers, each with its field."""
        self.scripts: list[Script] = []
        self.problems: list[Problem[Place]] = []

    @property
    def asks_for_servers(self) -> bool:
        """Whether it names tools of servers, which other files of the project may declare."""
        return any("mcp_" in matcher.node.value for matcher in self.matchers)

    def add(self, kind: str, place: Place, field: str, **values: object) -> None:
        self.problems.append(Problem(kind, place, values, field))
