"""Deep Agents: `create_deep_agent(...)`, a LangGraph agent that brings tools of its own, and `define_deep_agent(...)`."""

from __future__ import annotations

from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.registry import Server
from toolsurface_lint.programs.tool_maker import ToolMaker
from toolsurface_lint.programs.values import Call, External, Items, Made, Value


def _create(maker: ToolMaker, function: External, call: Call) -> Value:
    # The tools came first before 0.1.0, the model since.
    given = call.get("tools") or next((each for each in call.positional if isinstance(each.value, Items)), None)
    server: Server = maker.registry.server_at(FRAMEWORK, function.path, *call.at)
    maker.take_tools(server, given, call)
    maker.note_added(server, function.path, call)
    return Made(function.path, call)


FRAMEWORK = Framework(
    "python-deepagents",
    packages={"deepagents": ("create_deep_agent",), "managed_deepagents": ("define_deep_agent",)},
    calls=dict.fromkeys(("create_deep_agent", "async_create_deep_agent", "define_deep_agent"), _create),
)
