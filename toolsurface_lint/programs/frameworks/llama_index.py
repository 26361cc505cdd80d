"""LlamaIndex: `FunctionTool.from_defaults`, and agents made of functions. How it serves a function is not known."""

from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.tool_maker import TakesTools, ToolMaker

FRAMEWORK = Framework(
    "python",
    signs=("from_tools_or_functions(",),
    constructors=("FunctionTool",),
    base_classes=("FunctionTool",),
    calls={
        "from_defaults": ToolMaker.convert,
        "from_tools": TakesTools(0),
        "from_tools_or_functions": TakesTools(0),
    },
)
