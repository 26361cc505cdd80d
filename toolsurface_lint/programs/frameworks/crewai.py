"""CrewAI: `@tool("Name")`, and classes derived from `BaseTool` with an `args_schema`."""

from toolsurface_lint.programs.framework import RAW, Framework

FRAMEWORK = Framework(
    "python-crewai",
    packages={"crewai": ("Crew", "Task"), "crewai_tools": ("FileReadTool", "SerperDevTool")},
    ready_made=("crewai_tools",),
    decorators=("tool",),
    base_classes=("BaseTool",),
    run_methods=("_run",),
    class_schemas=("args_schema",),
    agent_names=("role",),
    text=RAW,
)
