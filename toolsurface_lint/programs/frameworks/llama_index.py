"""LlamaIndex: `FunctionTool.from_defaults`, and agents made of functions. How it serves a function is not known."""

from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.tool_maker import TakesTools, ToolMaker

FRAMEWORK = Framework(
    "python",
    packages={"llama_index": ("FunctionTool", "BaseToolSpec")},
    signs=("from_tools_or_functions(", "spec_functions"),
    constructors=("FunctionTool",),
    base_classes=("FunctionTool",),
    toolkits={"BaseToolSpec": "spec_functions"},
    calls={
        "AgentWorkflow": TakesTools(),
        "from_defaults": ToolMaker.convert,
        "from_tools": TakesTools(0),
        "from_tools_or_functions": TakesTools(0),
    },
)
