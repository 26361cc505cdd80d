"""LlamaIndex: `FunctionTool.from_defaults`. How it serves a function is not known."""

from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.tool_maker import ToolMaker

FRAMEWORK = Framework(
    "python", constructors=("FunctionTool",), base_classes=("FunctionTool",), calls={"from_defaults": ToolMaker.convert}
)
