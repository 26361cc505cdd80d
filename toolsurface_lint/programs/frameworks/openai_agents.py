"""The OpenAI Agents SDK: `@function_tool`, `FunctionTool(...)`, `agent.as_tool(...)`."""

from __future__ import annotations

from toolsurface_lint.programs.framework import SUMMARY, UNUSED, Framework
from toolsurface_lint.programs.tool_maker import ToolMaker
from toolsurface_lint.programs.values import Call, Made, Method, Value


def _as_tool(maker: ToolMaker, method: Method, call: Call) -> Value | None:
    if "tool_name" not in call.keywords and not (isinstance(method.receiver, Made) and method.receiver.last == "Agent"):
        return None
    return maker.from_other(FRAMEWORK, call)


FRAMEWORK = Framework(
    "python-openai-agents",
    agent_positions={"agents.Agent": ("name",)},
    packages={"agents": ("function_tool", "RunContextWrapper")},
    decorators=("function_tool",),
    named_by="name_override",
    constructors=("FunctionTool",),
    method_calls={"as_tool": _as_tool},
    positions=("name", "description", "params_json_schema"),
    switches=(("use_docstring_info", False, {"documented": False, "text": UNUSED}),),
    has_provider_tools=True,
    text=SUMMARY,
    documented=True,
    text_metadata=True,
    injected_types=("RunContextWrapper", "ToolContext", "ToolCallContext"),
)
