"""Mirascope: functions given to `@llm.call`, and classes derived from `BaseTool`, which are pydantic models."""

from toolsurface_lint.programs.framework import SUMMARY, Framework

FRAMEWORK = Framework(
    "python-mirascope",
    packages={"mirascope": ("BaseTool", "BaseMessageParam")},
    base_classes=("BaseTool",),
    are_models=True,
    run_methods=("call",),
    text=SUMMARY,
    documented=True,
)
