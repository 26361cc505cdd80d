"""Permission files of clients: which tools they allow, refuse or ask about, and the tool lists of agents' markdown."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from toolsurface_lint.knowledge.clients import SENDING_TOOLS
from toolsurface_lint.model.patterns import PatternMap, command_covers, wildcard_match
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Node, Place

if TYPE_CHECKING:
    from toolsurface_lint.model.agent import StartedServer
    from toolsurface_lint.model.published import Release

ALLOW, ASK, DENY = "allow", "ask", "deny"
"""What a rule does with the calls that it matches. An entry of an agent's tool list allows too."""

_RANKS = {ALLOW: 1, ASK: 2, DENY: 3}

EXACT, GLOB, PATH = "exact", "glob", "path"
"""How a rule compares the text in its parentheses: with equal text only, with a `*` for any text, or as a folder."""


class PermissionRule:
    """One entry of a permission file.

    `tool` is the name that the client matches tools against, with `*` for any text; `specifier` what narrows it to some
    calls, None for every call. `rank` orders the rules: of those that match a call, the one of the highest rank decides.
    `conditions` are what else must hold, by name; two rules of one rank that differ in nothing contradict each other.
    """

    def __init__(self, text: str, place: Place, action: str, field: str) -> None:
        self.text = text
        """The entry as it is written."""
        self.place = place
        self.action = action
        self.field = field
        self.tool = text
        self.specifier: str | None = None
        self.matching = EXACT
        self.server: str | None = None
        """The server that the entry names; None for the client's own tools."""
        self.server_place: Place | None = None
        """Where that name is by itself, if the entry does not hold it."""
        self.server_tool: str | None = None
        """The tool of that server, by the server's own name; None for all of its tools, or for a pattern."""
        self.rank = _RANKS[action]
        self.conditions: dict[str, frozenset[str]] = {}

    @property
    def is_whole(self) -> bool:
        """Whether it matches every call of the tools that it names."""
        return self.specifier is None and not self.conditions

    def covers(self, other: PermissionRule) -> bool:
        """Whether this rule matches every call that another one matches; only what is certain counts."""
        if not wildcard_match(self.tool, other.tool):
            return False
        for name, values in self.conditions.items():
            if not (name in other.conditions and other.conditions[name] <= values):
                return False
        if self.specifier is None:
            return True
        if other.specifier is None or self.tool != other.tool:
            return False
        if self.matching == GLOB:
            return command_covers(self.specifier, other.specifier)
        if self.matching == PATH and self.specifier.endswith("/**"):
            folder = self.specifier[:-2]
            return "*" not in folder and other.specifier.startswith(folder) and "/../" not in other.specifier
        return self.specifier == other.specifier

    def equals(self, other: PermissionRule) -> bool:
        """Whether both match the same calls by the same words."""
        return (self.tool, self.specifier, self.conditions) == (other.tool, other.specifier, other.conditions)


class PermissionFile:
    """The rules of one client in one file, or the tool list of one agent.

    `client` is a key of `knowledge.clients.CLIENTS`, None if it is unknown whose file it is.
    """

    def __init__(self, node: Node, client: str | None) -> None:
        self.node = node
        self.origin = node.tree.origin
        self.client = client
        self.rules: list[PermissionRule] = []
        self.problems: list[Problem[Place]] = []
        self.closed = False
        """Whether its agent has no other tools than those it allows."""
        self.servers: dict[str, Place] = {}
        """The servers that the file itself declares."""
        self.releases: dict[str, Release] = {}
        """What each of them runs, if it is a published package, image or address."""
        self.servers_complete = False
        """Whether its agent has no other servers than these."""
        self.in_workflow = False
        """Whether it is of a run in a workflow, whose servers are those that the workflow names, and nobody's own."""
        self.provided: Mapping[str, frozenset[str] | None] = {}
        """The servers that come with what runs the agent, with their tools; None for tools that are not known."""
        self.started: Mapping[str, StartedServer] = {}
        """Those among them that a program starts."""
        self.named_servers: list[tuple[Node, str]] = []
        """Names of servers that the file speaks of, each with its field: they can only be declared in a project's own file."""

    @cached_property
    def deciding(self) -> PatternMap[PermissionRule]:
        """The rules by the tools that they match; of those alike but for what narrows them, the first of the highest rank."""
        highest: dict[tuple[str, str, bool], tuple[int, PermissionRule]] = {}
        for position, rule in enumerate(self.rules):
            key = (rule.tool, rule.action, rule.is_whole)
            if key not in highest or rule.rank > highest[key][1].rank:
                highest[key] = position, rule
        rules = (rule for _, rule in sorted(highest.values(), key=itemgetter(0)))
        return PatternMap(((rule.tool, rule) for rule in rules), wildcards=True)

    @property
    def asks_for_servers(self) -> bool:
        """Whether it speaks of servers or their tools, which other files of the project may declare."""
        return bool(self.named_servers) or any(rule.server is not None for rule in self.rules)

    @property
    def names_agents(self) -> bool:
        """Whether it is about some of the agents that others send to."""
        return any(rule.tool in SENDING_TOOLS and rule.specifier is not None for rule in self.rules)

    def add(self, kind: str, place: Place, field: str, **values: object) -> None:
        self.problems.append(Problem(kind, place, values, field))


class ServerFile(NamedTuple):
    """A project's own list of MCP servers, such as `.mcp.json`: their names and where each is declared.

    `programs` are the files that each server may be started from, relative to the folder that the list is for; `packages`
    are the bare names of those that are published, without scope and version, and `releases` the same with all of it;
    `local` are those that are reached at an address of the machine itself, and started by somebody else.
    """

    origin: str
    servers: Mapping[str, Place]
    programs: Mapping[str, tuple[str, ...]] = {}
    packages: Mapping[str, str] = {}
    local: frozenset[str] = frozenset()
    releases: Mapping[str, Release] = {}

    def starts(self, server: str) -> bool:
        """Whether it is known what a server runs: not of one that somebody else starts, nor of a broken command."""
        known = (self.programs.get(server), self.packages.get(server), self.releases.get(server))
        return server not in self.local and any(known)


@cache
def known_names(client: str) -> frozenset[str]:
    """Every spelling of a tool that a client's catalogue knows, folded where the client does not care for case."""
    from toolsurface_lint.knowledge.clients import CLIENTS
    from toolsurface_lint.model.names import folded

    found = CLIENTS[client]
    names = {*found.tools, *found.legacy, *found.sets, *(name for names in found.sets.values() for name in names)}
    return frozenset(map(folded, names)) if found.folds else frozenset(names)


def is_client_tool(name: str) -> bool:
    """Whether a name is that of a tool that any client has of its own."""
    from toolsurface_lint.knowledge.clients import BUILTIN_TOOLS, CLIENTS
    from toolsurface_lint.model.names import folded

    return name in BUILTIN_TOOLS or any(
        (folded(name) if found.folds else name) in known_names(client) for client, found in CLIENTS.items()
    )
