"""Strands Agents: `@tool`, whose functions may ask for their agent and for the context of the call."""

from toolsurface_lint.programs.framework import Framework

FRAMEWORK = Framework(
    "python-strands",
    packages={"strands": ("AgentResult", "DecoratedFunctionTool")},
    decorators=("tool",),
    named_by="name",
    documented=True,
    text_metadata=True,
    injected_names=("agent",),
    names_injected="context",
    describes=True,
)
