"""The Claude Agent SDK: `@tool(name, description, {"city": str})`, served by an MCP server in the same process.

An agent has the tools of such servers under the names that Claude Code gives them, beside those of Claude Code itself.
"""

from __future__ import annotations

from toolsurface_lint.knowledge.clients import CLIENTS
from toolsurface_lint.model.unseen import SERVERS
from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.registry import Naming, Server
from toolsurface_lint.programs.tool_maker import ToolMaker
from toolsurface_lint.programs.values import Call, External, Made, Mapping, Value, is_none


def _server(maker: ToolMaker, function: External, call: Call) -> Value:
    server = maker.registry.server_at(FRAMEWORK, function.path, *call.at)
    maker.take_tools(server, call.get("tools", 2), call)
    return server


def _options(maker: ToolMaker, function: External, call: Call) -> Value | None:
    """`ClaudeAgentOptions(system_prompt="...", mcp_servers={"shop": server}, agents={"buyer": AgentDefinition(...)})`"""
    if function.root not in FRAMEWORK.packages:
        return None
    path = function.path
    agent = maker.registry.agent_at(path, call)
    agent.built_in.update(_CLAUDE_CODE.tools, _CLAUDE_CODE.legacy)
    told = call.value("system_prompt")
    # `{"type": "preset", "preset": "claude_code", "append": "..."}`
    maker.registry.add_text(agent, told.get("append") if isinstance(told, Mapping) else told)
    if any(key in call.keywords for key in _MORE) or call.open:
        maker.registry.add_reason("the servers of Claude Code's settings", *call.at, agent, SERVERS)
    _give_servers(maker, agent, call)
    given = call.value("agents")
    for name, entry in given.entries.items() if isinstance(given, Mapping) else ():
        if isinstance(entry.value, Made) and entry.value.last == "AgentDefinition":
            below = maker.registry.agent_at(entry.value.path, entry.value.arguments)
            below.name = str(name)
            below.built_in.update(agent.built_in)
            below.unseen.add("the tools of the agent that starts it")
            maker.registry.add_told(below, entry.value.arguments, ("prompt",))
            agent.hand_over(below)
    return Made(path, call)


def _give_servers(maker: ToolMaker, agent: Server, call: Call) -> None:
    given = call.value("mcp_servers")
    if given is None or is_none(given):
        return
    known = isinstance(given, Mapping) and given.complete
    for name, entry in given.entries.items() if isinstance(given, Mapping) else ():
        if isinstance(entry.value, Server):
            agent.mount(entry.value, Naming(f"mcp__{name}_"))
        else:
            known = False
    if not known:
        maker.registry.add_reason("tools of other servers", *call.at, agent, SERVERS)


_CLAUDE_CODE = CLIENTS["claude-code"]
_MORE = ("setting_sources", "plugins", "extra_args", "settings")
"""The options by which Claude Code finds more servers (claude-agent-sdk 0.2.187, `types.py`)."""

FRAMEWORK = Framework(
    "python-claude-agent-sdk",
    packages={"claude_agent_sdk": ("create_sdk_mcp_server",), "claude_code_sdk": ("create_sdk_mcp_server",)},
    constructors=("SdkMcpTool",),
    calls={
        "create_sdk_mcp_server": _server,
        "ClaudeAgentOptions": _options,
        "ClaudeCodeOptions": _options,
    },
    positions=("name", "description", "input_schema"),
    decorator_positions=("name", "description", "input_schema"),
    text_metadata=True,
    typed_keys=True,
)
