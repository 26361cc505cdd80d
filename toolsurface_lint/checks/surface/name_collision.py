"""Tools that get one name, of two servers or of one, from the client or the agent that they meet in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolsurface_lint.checks.contract import AGENT, SURFACE, check
from toolsurface_lint.model.agent import Agent
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool

if TYPE_CHECKING:
    from toolsurface_lint.knowledge.sources import Source

COLLISION = Rule(
    code="TOOL_SURFACE_NAME_COLLISION",
    since="0.1.0",
    severity=WARNING,
    summary="Two tools get the same name from the client or the agent that they meet in.",
    message={
        "agent": "two servers of {agent} have a tool `{name}`",
        "servers": "`{name}` of the server `{server}` and `{other}` of `{other_server}` are both `{shared}` in {clients}",
        "tools": "`{name}` and `{other}` are both `{shared}` in {clients}",
    },
    help="rename one of them",
    tags=("tools", "servers", "providers"),
)


@check(AGENT, COLLISION)
def check_agent(agent: Agent) -> Iterator[Finding]:
    first: dict[str, Tool] = {}
    for tool in agent.tools if agent.starts else ():
        other = first.setdefault(tool.name, tool)
        if other.namespace != tool.namespace and tool.format.endswith("mcp") and other.format.endswith("mcp"):
            yield COLLISION.at(
                tool.name_place,
                "agent",
                tool=tool.name,
                field="name",
                related=[("the other one", other.name_place), (f"{agent.title} is made here", agent.place)],
                agent=agent.title,
                help="rename one of them, or have the agent put the name of the server before its tools",
            )


@check(SURFACE, COLLISION)
def check_collisions(surface: Surface) -> Iterator[Finding]:
    if surface.target.providers:
        yield from _in_clients(surface)


def _in_clients(surface: Surface) -> Iterator[Finding]:
    from toolsurface_lint.checks.tool._recipients import listed, sourced
    from toolsurface_lint.knowledge.client_naming import losing
    from toolsurface_lint.model.servers import SharedName, shared_names

    own: dict[str, list[tuple[str, Tool]]] = {}
    for tool in surface.tools:
        if tool.format.endswith("mcp") and not tool.optional:
            own.setdefault(tool.namespace, []).append((tool.server, tool))
    ours = [tool for tools in own.values() for _, tool in tools]
    found: dict[tuple[int, int], tuple[Tool, SharedName, list[tuple[str, Source]]]] = {}
    for provider, naming in losing(surface.target.recipients("mcp")):
        # Of what is in a list of servers, that is said where the second tool is.
        known = {} if surface.servers is None else surface.servers.sharing(naming)
        among = ((tool, shared) for tool in ours for shared in known.get(id(tool), ()))
        for tool, shared in (*among, *(each for tools in own.values() for each in shared_names(naming, tools))):
            pair = found.setdefault((id(shared.other), id(tool)), (tool, shared, []))
            pair[2].append((provider.title, naming.source))
    for tool, shared, clients in found.values():
        yield COLLISION.at(
            tool.name_place,
            "tools" if shared.server == shared.other_server else "servers",
            tool=tool.name,
            field="name",
            related=[("the other one", shared.other.name_place)],
            other=shared.other.name,
            server=shared.server,
            other_server=shared.other_server,
            shared=shared.name,
            clients=listed([title for title, _ in clients]),
            help=f"{COLLISION.help}; {sourced(clients)}",
        )
