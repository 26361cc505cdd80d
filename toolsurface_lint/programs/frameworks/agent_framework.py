"""The Microsoft Agent Framework: `@tool`, before 1.0 `@ai_function`, and functions given to agents."""

from toolsurface_lint.programs.framework import Framework

FRAMEWORK = Framework(
    "python",
    packages={"agent_framework": ("BaseAgent", "FunctionTool")},
    decorators=("tool", "ai_function"),
    agent_positions=dict.fromkeys(("agent_framework.Agent", "agent_framework.ChatAgent"), ("client", "instructions")),
    text_metadata=True,
)
