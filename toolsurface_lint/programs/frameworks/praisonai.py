"""PraisonAI: `@tool`, and functions given to agents; it fills in what is not written."""

from toolsurface_lint.programs.framework import Framework

FRAMEWORK = Framework(
    "python-praisonai",
    packages={"praisonaiagents": ("Agent", "FunctionTool"), "praisonai": ("AgentsGenerator",)},
    decorators=("tool",),
    untyped="string",
    describes=True,
)
