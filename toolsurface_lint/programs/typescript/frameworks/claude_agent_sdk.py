"""The Claude Agent SDK: `tool(name, description, shape, handler)`, `createSdkMcpServer`, and `query` with its options.

@anthropic-ai/claude-agent-sdk 0.3.331 (`sdk.d.ts`); @anthropic-ai/claude-code 1.x had the same functions.
"""

from __future__ import annotations

from toolsurface_lint.model.unseen import SERVERS
from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.frameworks.claude_agent_sdk import Words, take_options
from toolsurface_lint.programs.operations import text_of
from toolsurface_lint.programs.registry import Server
from toolsurface_lint.programs.typescript.agents import give_tools, of_mapping
from toolsurface_lint.programs.typescript.tool_maker import Described, ScriptMaker, options, package_of
from toolsurface_lint.programs.values import Call, External, Items, Made, Mapping, Value

_PACKAGES = ("@anthropic-ai/claude-agent-sdk", "@anthropic-ai/claude-code")
_WORDS = Words(
    "systemPrompt",
    "allowedTools",
    "disallowedTools",
    "mcpServers",
    ("plugins", "extraArgs", "settings", "managedSettings"),
)


def _tool(maker: ScriptMaker, function: External, call: Call) -> Value | None:
    if package_of(function) not in _PACKAGES or len(call.positional) < 3:
        return None
    extras = options(call, 4) if len(call.positional) > 4 else call
    parts = Described(call.positional[1], call.positional[2], annotations=extras.get("annotations"))
    return maker.add(None, FRAMEWORK, call.first_value, parts, call)


def _server(maker: ScriptMaker, function: External, call: Call) -> Value | None:
    if package_of(function) not in _PACKAGES:
        return None
    given = options(call)
    server = maker.registry.server_at(FRAMEWORK, function.path, *call.at)
    server.name = text_of(given.value("name")) or ""
    give_tools(maker, server, given.get("tools"), given)
    return server


def _query(maker: ScriptMaker, function: External, call: Call) -> Value | None:
    """`query({ prompt, options: { systemPrompt, allowedTools, mcpServers, agents } })`"""
    if package_of(function) not in _PACKAGES:
        return None
    given = options(call).value("options")
    if not isinstance(given, Mapping):
        return Made(function.path, call)
    said = of_mapping(given, call)
    agent = maker.registry.server_at(FRAMEWORK, function.path, *said.at)
    agent.made_by = function.last

    def definition(value: Value) -> tuple[Server, Call] | None:
        if not isinstance(value, Mapping):
            return None
        defined = of_mapping(value, call)
        return maker.registry.server_at(FRAMEWORK, f"{package_of(function)}.AgentDefinition", *defined.at), defined

    take_options(maker, agent, said, definition, _WORDS)
    sources = said.value("settingSources")
    if not (isinstance(sources, Items) and sources.complete and not sources.items):
        # Left out, all settings are loaded.
        maker.registry.add_reason("the servers of Claude Code's settings", *said.at, agent, SERVERS)
    return Made(function.path, call)


FRAMEWORK = Framework(
    "typescript-claude-agent-sdk", calls={"tool": _tool, "createSdkMcpServer": _server, "query": _query}
)
