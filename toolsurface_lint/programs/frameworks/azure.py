"""Azure AI Agents: `FunctionTool(functions={search, fetch})` (azure-ai-agents 1.1.0, `models/_patch.py`)."""

from __future__ import annotations

from toolsurface_lint.programs.framework import SUMMARY, Framework
from toolsurface_lint.programs.tool_maker import TakesTools, ToolMaker
from toolsurface_lint.programs.values import Call, External, Method, Value


def _functions(maker: ToolMaker, function: External, call: Call) -> Value | None:
    """Later versions have a class of this name that is given one definition."""
    is_set = function.root in FRAMEWORK.packages and "name" not in call.keywords
    return TakesTools(0)(maker, function, call) if is_set else None


def _create(maker: ToolMaker, method: Method, call: Call) -> None:
    """`client.create_agent(instructions="...", toolset=toolset)`; what is in the set is not followed."""
    if "toolset" in call.keywords and "instructions" in call.keywords:
        agent = maker.registry.agent_at("azure.ai.agents.models.Agent", call)
        agent.unseen.add("the tools of a toolset")
        maker.registry.add_told(agent, call, ("instructions",))


FRAMEWORK = Framework(
    "python-azure",
    packages={"azure": ("FunctionTool", "ToolSet")},
    calls=dict.fromkeys(("FunctionTool", "AsyncFunctionTool"), _functions),
    method_calls={"create_agent": _create},
    text=SUMMARY,
    documented=True,
    describes=True,
)
