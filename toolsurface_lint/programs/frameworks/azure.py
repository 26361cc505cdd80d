"""Azure AI Agents: `FunctionTool(functions={search, fetch})` (azure-ai-agents 1.1.0, `models/_patch.py`)."""

from __future__ import annotations

from toolsurface_lint.programs.framework import SUMMARY, Framework
from toolsurface_lint.programs.tool_maker import TakesTools, ToolMaker
from toolsurface_lint.programs.values import Call, External, Value


def _functions(maker: ToolMaker, function: External, call: Call) -> Value | None:
    """Later versions have a class of this name that is given one definition."""
    is_set = function.root in FRAMEWORK.packages and "name" not in call.keywords
    return TakesTools(0)(maker, function, call) if is_set else None


FRAMEWORK = Framework(
    "python-azure",
    packages={"azure": ("FunctionTool", "ToolSet")},
    calls=dict.fromkeys(("FunctionTool", "AsyncFunctionTool"), _functions),
    text=SUMMARY,
    documented=True,
    describes=True,
)
