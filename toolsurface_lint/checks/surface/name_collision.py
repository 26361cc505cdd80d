"""Tools that get one name, of two servers or of one, from the client or the agent that they meet in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolsurface_lint.checks.contract import AGENT, SURFACE, check
from toolsurface_lint.model.agent import Agent
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool

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

_Meeting = Iterable[tuple[str, Tool]]


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
    from toolsurface_lint.knowledge.client_naming import APART, NAMINGS

    own: dict[str, list[tuple[str, Tool]]] = {}
    for tool in surface.tools:
        if tool.format.endswith("mcp") and not tool.optional:
            own.setdefault(tool.namespace, []).append((tool.server, tool))
    ours = {id(tool) for tools in own.values() for _, tool in tools}
    meetings = () if surface.servers is None else surface.servers.meetings
    # Of what is in a list of servers, that is said where the second tool is.
    around = [meeting for meeting in meetings if any(id(tool) in ours for _, tool in meeting)]
    found: dict[tuple[int, int], list[tuple[str, str, str, str]]] = {}
    pairs: dict[tuple[int, int], tuple[Tool, Tool]] = {}
    sources = []
    for provider in surface.target.recipients("mcp"):
        naming = NAMINGS.get(provider.key)
        if naming is None or naming.overflow == APART or not naming.versions.holds(provider.version):
            continue
        for meeting in (*around, *own.values()):
            seen: dict[str, tuple[str, Tool]] = {}
            for server, tool in meeting:
                shared = naming.name(server or "s", tool.name)
                other_server, other = seen.setdefault(shared, (server, tool))
                apart = server != other_server and naming.collision is None
                if other is tool or apart or (server == other_server and other.name == tool.name):
                    continue
                if id(tool) in ours:
                    key = (id(other), id(tool))
                    pairs[key] = other, tool
                    found.setdefault(key, []).append((provider.title, server, other_server, shared))
                    sources.append((provider.title, naming.source))
    for key, clients in found.items():
        other, tool = pairs[key]
        titles = [title for title, *_ in clients]
        _, server, other_server, shared = clients[0]
        yield COLLISION.at(
            tool.name_place,
            "tools" if server == other_server else "servers",
            tool=tool.name,
            field="name",
            related=[("the other one", other.name_place)],
            other=other.name,
            server=server,
            other_server=other_server,
            shared=shared,
            clients=listed(titles),
            help=f"{COLLISION.help}; {sourced([each for each in sources if each[0] in titles])}",
        )
