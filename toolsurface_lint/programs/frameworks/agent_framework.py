"""The Microsoft Agent Framework: `@tool`, before 1.0 `@ai_function`, and functions given to agents."""

from __future__ import annotations

from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.tool_maker import ToolMaker
from toolsurface_lint.programs.values import Argument, Call, External, Mapping


def _agent(maker: ToolMaker, function: External, call: Call) -> None:
    """`Agent(client, default_options={"tools": [search]})` (agent-framework-core 1.23.0, `_agents.py`)"""
    options = call.value("default_options")
    tools = options.get("tools") if isinstance(options, Mapping) else None
    if function.root in FRAMEWORK.packages and tools is not None:
        maker.take_tools(maker.registry.agent_at(function.path, call), Argument(tools, call.node, call.module), call)


FRAMEWORK = Framework(
    "python",
    packages={"agent_framework": ("BaseAgent", "FunctionTool")},
    decorators=("tool", "ai_function"),
    calls={"Agent": _agent, "ChatAgent": _agent},
    agent_positions=dict.fromkeys(("agent_framework.Agent", "agent_framework.ChatAgent"), ("client", "instructions")),
    text_metadata=True,
)
