"""Agents as programs make them: what one call gives an agent, or a request to a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from toolsurface_lint.model.names import folded

if TYPE_CHECKING:
    from toolsurface_lint.model.tool import Tool
    from toolsurface_lint.model.unseen import Unseen
    from toolsurface_lint.source.tree import Place


class StartedServer(NamedTuple):
    """A server that a program starts for an agent: the files that it may run, or its `package`.

    Relative paths are relative to a folder that only a run can tell, most often the program's or one around it. The agent
    has its tools with `prefix` before their names: those in `granted`, None for all, without those in `withheld`. `unseen`
    says why the agent may have more, if nobody knows the tools of the server.
    """

    programs: tuple[str, ...]
    package: str | None
    prefix: str
    granted: frozenset[str] | None
    withheld: frozenset[str]
    unseen: Unseen

    def gives(self, name: str) -> bool:
        """Whether the agent gets the tool that the server calls so."""
        return (self.granted is None or name in self.granted) and name not in self.withheld


class Agent(NamedTuple):
    """A call that gives tools to an agent, or to a request to a model.

    `key` tells it from others, `name` is the one that the program gives it, empty if it has none; `made_by` is what is
    called (`Agent`, `create_react_agent`), `place` where. `handoffs` are the agents that it hands over to, as a person names
    them; the tools that its framework makes it for that are among its tools. `ready_made` are tools that no program
    defines, since a provider runs them: their names, or those of their classes. `open_reasons` say why it may have more.
    `built_in` are the names of tools that its framework may give to every agent like it. `client` is a key of
    `knowledge.clients.CLIENTS` if that client runs it: of its tools, the agent has those in `built_in` only. `serves`: it is
    an MCP server, and whatever agent reads what it says has other tools beside its own. `starts` are the servers that are
    started for it; their tools are not among its tools. `programs` are the displayed paths of the files that lead to this server
    by their imports, and to no other.
    """

    key: str
    name: str
    made_by: str
    place: Place
    tools: list[Tool]
    handoffs: list[str]
    ready_made: frozenset[str]
    open_reasons: list[Unseen]
    built_in: frozenset[str] = frozenset()
    client: str | None = None
    serves: bool = False
    starts: tuple[StartedServer, ...] = ()
    programs: tuple[str, ...] = ()

    @property
    def is_closed(self) -> bool:
        """Whether all its tools are known; there may be none."""
        return not self.open_reasons

    @property
    def title(self) -> str:
        """What a message calls it."""
        kind = "server" if self.serves else "agent"
        return f"the {kind} `{self.name}`" if self.name else f"the `{self.made_by}` call"

    def may_have(self, name: str, *, is_close: bool) -> bool:
        """Whether it may have a tool of this name although none of its tools has it; `is_close`: to one that has.

        What a provider calls its tools is not known. A name that is close to that of another tool is likelier that one.
        """
        if name in self.built_in or (self.ready_made and not is_close):
            return True
        return any(folded(name) in folded(own) or folded(own) in folded(name) for own in self.ready_made)
