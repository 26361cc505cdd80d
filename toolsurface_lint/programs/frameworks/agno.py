"""Agno: `@tool`, functions given to agents, and classes derived from `Toolkit` that hand over their methods."""

from toolsurface_lint.programs.framework import SUMMARY, Framework

FRAMEWORK = Framework(
    "python-agno",
    packages={"agno": ("Toolkit", "FunctionCall")},
    signs=(".register(self.",),
    decorators=("tool",),
    named_by="name",
    own_methods=("register",),
    text=SUMMARY,
    documented=True,
    injected_names=("agent", "team", "run_context", "images", "videos", "audios", "files"),
    injected_types=("FunctionCall",),
)
