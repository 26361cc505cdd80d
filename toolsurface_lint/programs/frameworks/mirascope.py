"""Mirascope: functions given to `@llm.call`, and classes derived from `BaseTool`, which are pydantic models."""

from __future__ import annotations

from toolsurface_lint.programs.framework import SUMMARY, Framework
from toolsurface_lint.programs.tool_maker import ToolMaker
from toolsurface_lint.programs.values import CALL, Call, External, Native, Unknown, Value


def _call(maker: ToolMaker, function: External, call: Call) -> Value | None:
    """`@llm.call("...", tools=[search])`: what the function returns are the messages (mirascope 2.8.2, `llm/calls`)."""
    if function.root not in FRAMEWORK.packages:
        return None
    server = maker.registry.agent_at(function.path, call)
    maker.take_tools(server, call.get("tools"), call)

    def decorate(applied: Call) -> Value:
        decorated = applied.first_value or Unknown(CALL, *applied.at)
        maker.registry.add_text(server, decorated)
        return decorated

    return Native(decorate, *call.at)


FRAMEWORK = Framework(
    "python-mirascope",
    packages={"mirascope": ("BaseTool", "BaseMessageParam")},
    calls={"call": _call},
    base_classes=("BaseTool",),
    are_models=True,
    run_methods=("call",),
    text=SUMMARY,
    documented=True,
)
