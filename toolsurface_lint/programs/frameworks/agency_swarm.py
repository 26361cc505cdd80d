"""Agency Swarm: classes derived from `BaseTool`, which are pydantic models (agency-swarm 0.7.2, `tools/BaseTool.py`)."""

from toolsurface_lint.programs.framework import SUMMARY, Framework

FRAMEWORK = Framework(
    "python-agency-swarm",
    packages={"agency_swarm": ("Agency", "BaseTool")},
    base_classes=("BaseTool",),
    are_models=True,
    text=SUMMARY,
    documented=True,
    describes=True,
)
