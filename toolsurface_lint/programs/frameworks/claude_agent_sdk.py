"""The Claude Agent SDK: `@tool(name, description, {"city": str})`, served by an MCP server in the same process.

An agent has the tools of such servers under the names that Claude Code gives them, beside those of Claude Code itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from toolsurface_lint.knowledge.clients import CLIENTS
from toolsurface_lint.model.unseen import SERVERS
from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.operations import text_of
from toolsurface_lint.programs.registry import Naming, Server
from toolsurface_lint.programs.started_servers import Started, from_parameters
from toolsurface_lint.programs.tool_maker import ToolMaker
from toolsurface_lint.programs.values import Call, External, Items, Made, Mapping, Value, is_none


def _server(maker: ToolMaker, function: External, call: Call) -> Value:
    server = maker.registry.server_at(FRAMEWORK, function.path, *call.at)
    maker.take_tools(server, call.get("tools", 2), call)
    return server


def _options(maker: ToolMaker, function: External, call: Call) -> Value | None:
    """`ClaudeAgentOptions(system_prompt="...", mcp_servers={"shop": server}, agents={"buyer": AgentDefinition(...)})`

    `tools` says which tools of Claude Code there are, `disallowed_tools` which of all are not; `allowed_tools` only what runs
    unasked.
    """
    if function.root not in FRAMEWORK.packages:
        return None
    agent = maker.registry.agent_at(function.path, call)

    def definition(value: Value) -> tuple[Server, Call] | None:
        if not isinstance(value, Made) or value.last != "AgentDefinition":
            return None
        return maker.registry.agent_at(value.path, value.arguments), value.arguments

    take_options(maker, agent, call, definition, Words())
    return Made(function.path, call)


class Words(NamedTuple):
    """What the options are called, which a language spells in its own way."""

    told: str = "system_prompt"
    allowed: str = "allowed_tools"
    withheld: str = "disallowed_tools"
    servers: str = "mcp_servers"
    more: tuple[str, ...] = ("setting_sources", "plugins", "extra_args", "settings")
    """Those by which Claude Code finds more servers (claude-agent-sdk 0.2.187, `types.py`)."""


def take_options(
    maker: ToolMaker,
    agent: Server,
    call: Call,
    definition: Callable[[Value], tuple[Server, Call] | None],
    words: Words,
) -> None:
    """Give an agent what its options say; `definition` gives each of the agents that it starts, and what defines that."""
    agent.client = "claude-code"
    own = _names(call.value("tools"))
    agent.withheld = _withheld(call.value(words.withheld))
    agent.built_in.update(_OWN if own is None else _spelled(own))
    agent.built_in.difference_update(_spelled(agent.withheld))
    told = call.value(words.told)
    # `{"type": "preset", "preset": "claude_code", "append": "..."}`
    maker.registry.add_text(agent, told.get("append") if isinstance(told, Mapping) else told)
    if any(key in call.keywords for key in words.more) or call.open:
        maker.registry.add_reason("the servers of Claude Code's settings", *call.at, agent, SERVERS)
    rules = maker.registry.add_rules("claude-code", call, ("tools", words.allowed, words.withheld))
    rules.servers.update(_give_servers(maker, agent, call, words.servers))
    given = call.value("agents")
    for name, entry in given.entries.items() if isinstance(given, Mapping) else ():
        defined = definition(entry.value)
        if defined is not None:
            below, its_call = defined
            below.name, below.shares = str(name), agent
            _define(maker, below, its_call, rules.servers)
            agent.hand_over(below)


def _definition(maker: ToolMaker, function: External, call: Call) -> Value | None:
    if function.root not in FRAMEWORK.packages:
        return None
    maker.registry.add_rules("claude-code", call, ("tools", "disallowedTools"))
    return Made(function.path, call)


def _define(maker: ToolMaker, agent: Server, call: Call, servers: dict[str, Server | Started | None]) -> None:
    """An agent that another starts: without a list, it has all tools of that one."""
    assert agent.shares is not None
    agent.client = agent.shares.client
    agent.granted = _names(call.value("tools"))
    agent.withheld = _withheld(call.value("disallowedTools"))
    agent.built_in.update(agent.shares.built_in if agent.granted is None else _spelled(agent.granted))
    agent.built_in.difference_update(_spelled(agent.withheld))
    if call.get("memory") is not None:
        agent.built_in.update(_MEMORY)
    if call.get("mcpServers") is not None or call.open or (call.get("tools") is not None and agent.granted is None):
        agent.unseen.add("tools that only a run can tell")
    for name in agent.granted or ():
        server, _, tool = name.removeprefix("mcp__").partition("__")
        if name.startswith("mcp__") and (not tool or "*" in name) and not isinstance(servers.get(server), Server):
            agent.unseen.add(f"the tools of the server `{server}`")
    maker.registry.add_rules("claude-code", call, ("tools", "disallowedTools")).servers.update(servers)
    maker.registry.add_told(agent, call, ("prompt",))


def _names(given: Value | None) -> frozenset[str] | None:
    """The tools in a list, without what narrows them to some calls; None if not all are known, or all are meant."""
    if not isinstance(given, Items) or not given.complete:
        return None
    texts = [text_of(item) for item in given.items]
    names = frozenset(text.partition("(")[0].strip() for text in texts if text is not None)
    return None if None in texts or "*" in names else names


def _withheld(given: Value | None) -> frozenset[str]:
    """The tools that a list refuses as a whole, as far as it is known."""
    texts = [text_of(item) for item in given.items] if isinstance(given, Items) else []
    return frozenset(text.strip() for text in texts if text is not None and "(" not in text)


def _spelled(names: Iterable[str]) -> frozenset[str]:
    return frozenset(spelling for name in names for spelling in _CLAUDE_CODE.spellings(name))


def _give_servers(maker: ToolMaker, agent: Server, call: Call, key: str) -> dict[str, Server | Started | None]:
    """Give an agent its servers; by their names, None for those whose tools are not known."""
    given = call.value(key)
    if given is None or is_none(given):
        return {}
    entries = given.entries.items() if isinstance(given, Mapping) else ()
    servers = {
        str(name): entry.value if isinstance(entry.value, Server) else from_parameters(entry.value)
        for name, entry in entries
    }
    for name, server in servers.items():
        if isinstance(server, Server):
            agent.mount(server, Naming(f"mcp__{name}_"))
        elif server is not None:
            server.prefix = f"mcp__{name}__"
            maker.registry.start(agent, server, call)
    if None in servers.values() or not (isinstance(given, Mapping) and given.complete):
        maker.registry.add_reason("tools of other servers", *call.at, agent, SERVERS)
    return servers


_CLAUDE_CODE = CLIENTS["claude-code"]
_OWN = _CLAUDE_CODE.tools | frozenset(_CLAUDE_CODE.legacy)
_MEMORY = ("Read", "Write", "Edit")
"""What an agent with a memory is given to keep it (code.claude.com/docs/en/sub-agents, as quoted 2026-07)."""

FRAMEWORK = Framework(
    "python-claude-agent-sdk",
    packages={"claude_agent_sdk": ("create_sdk_mcp_server",), "claude_code_sdk": ("create_sdk_mcp_server",)},
    constructors=("SdkMcpTool",),
    calls={
        "create_sdk_mcp_server": _server,
        "ClaudeAgentOptions": _options,
        "ClaudeCodeOptions": _options,
        "AgentDefinition": _definition,
    },
    signs=("ClaudeAgentOptions(", "ClaudeCodeOptions(", "AgentDefinition("),
    positions=("name", "description", "input_schema"),
    decorator_positions=("name", "description", "input_schema"),
    text_metadata=True,
    typed_keys=True,
)
