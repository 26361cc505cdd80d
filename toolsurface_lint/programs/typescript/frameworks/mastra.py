"""Mastra: `createTool({ id, description, inputSchema, execute })`, named by its key, and agents.

@mastra/core 0.24.9: tools are given to the model under their keys (`dist/agent`); a sub-agent is the tool `agent-KEY`, a
workflow `workflow-KEY` (`getAgentTools`, `getWorkflowTools`). A server (@mastra/mcp 0.14.5) serves them under other names.
"""

from __future__ import annotations

from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.operations import text_of
from toolsurface_lint.programs.typescript.agents import give_tools, hand_over, make_agent
from toolsurface_lint.programs.typescript.tool_maker import ScriptMaker, described, options, package_of
from toolsurface_lint.programs.values import Call, External, Made, Mapping, Value


def _is_ours(value: Value) -> bool:
    return package_of(value).startswith("@mastra/")


def _tool(maker: ScriptMaker, function: External, call: Call) -> Value | None:
    if not _is_ours(function) or not isinstance(call.first_value, Mapping):
        return None
    given = options(call)
    return maker.nameless(FRAMEWORK, described(given), call, given.value("id"))


def _agent(maker: ScriptMaker, function: External, call: Call) -> Value | None:
    """`new Agent({ name, instructions, model, tools, agents, workflows })`"""
    if not _is_ours(function):
        return None
    given = options(call)
    agent = make_agent(maker, FRAMEWORK, function, given, opens=("memory", "inputProcessors", "skills", "workspace"))
    for key, prefix in (("agents", "agent"), ("workflows", "workflow")):
        others = given.value(key)
        if others is None:
            continue
        for name, entry in others.entries.items() if isinstance(others, Mapping) else ():
            maker.registry.evaluator.spend(1)
            if key == "agents":
                hand_over(maker, agent, entry.value, f"{prefix}-{name}")
            else:
                agent.transfers.add(f"{prefix}-{name}")
        if not (isinstance(others, Mapping) and others.complete):
            maker.registry.add_reason(f"tools for {key} that are not known", *given.at, agent)
    return Made(function.path, given)


def _server(maker: ScriptMaker, function: External, call: Call) -> Value | None:
    """`new MCPServer({ name, version, tools, agents, workflows })`"""
    if not _is_ours(function):
        return None
    given = options(call)
    server = maker.registry.server_at(MCP, function.path, *call.at)
    server.name = text_of(given.value("name")) or ""
    give_tools(maker, server, given.get("tools"), given)
    for key in ("agents", "workflows"):
        if key in given.keywords:
            maker.registry.add_reason(f"`{key}` adds tools", *given.at, server)
    maker.registry.add_told(server, given, ("instructions",))
    return server


MCP = Framework("typescript-mastra-mcp", takes_hints=True)
FRAMEWORK = Framework("typescript-mastra", calls={"createTool": _tool, "Agent": _agent, "MCPServer": _server})
