"""Haystack: `Tool(...)`, `@tool`, and tools that run a component, a pipeline or an agent."""

from __future__ import annotations

from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.tool_maker import ToolMaker
from toolsurface_lint.programs.values import Call, External, Value


def _of_component(maker: ToolMaker, function: External, call: Call) -> Value | None:
    """`ComponentTool(component, name=...)`: the component says the rest."""
    return maker.from_other(FRAMEWORK, call.named()) if function.root in FRAMEWORK.packages else None


FRAMEWORK = Framework(
    "python-haystack",
    packages={"haystack": ("Pipeline", "ComponentTool")},
    decorators=("tool",),
    constructors=("Tool",),
    calls=dict.fromkeys(("ComponentTool", "PipelineTool", "AgentTool"), _of_component),
    positions=("name", "description", "parameters", "function"),
    text_metadata=True,
)
