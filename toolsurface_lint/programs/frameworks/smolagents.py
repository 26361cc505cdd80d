"""smolagents: `@tool`, and classes derived from `Tool` with a dict of `inputs`."""

from toolsurface_lint.programs.framework import SUMMARY, Framework
from toolsurface_lint.programs.tool_maker import TakesTools

FRAMEWORK = Framework(
    "python-smolagents",
    packages={"smolagents": ("CodeAgent", "MultiStepAgent")},
    decorators=("tool",),
    base_classes=("Tool",),
    run_methods=("forward",),
    class_schemas=("inputs",),
    calls={"ToolCollection": TakesTools()},
    text=SUMMARY,
    documented=True,
    typed_keys=True,
    own_types=("any", "image", "audio"),
)
