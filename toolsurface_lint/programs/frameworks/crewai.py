"""CrewAI: `@tool("Name")`, and classes derived from `BaseTool` with an `args_schema`."""

from __future__ import annotations

from toolsurface_lint.programs.framework import RAW, Framework
from toolsurface_lint.programs.tool_maker import ToolMaker
from toolsurface_lint.programs.values import Call, External, Items, Made


def _task(maker: ToolMaker, function: External, call: Call) -> None:
    """`Task(description="...", agent=writer, tools=[search])`: for that, the agent has the tools of the task."""
    given = call.value("agent")
    if function.root in FRAMEWORK.packages and isinstance(given, Made) and given.root in FRAMEWORK.packages:
        agent = maker.registry.agent_at(given.path, given.arguments)
        maker.take_tools(agent, call.get("tools"), call)
        maker.registry.add_told(agent, call, ("description",))


def _crew(maker: ToolMaker, function: External, call: Call) -> None:
    """`Crew(agents=[writer], memory=True)`: what the crew adds, each of its agents has."""
    agents = call.value("agents")
    for each in agents.items if isinstance(agents, Items) else ():
        if function.root in FRAMEWORK.packages and isinstance(each, Made) and each.root in FRAMEWORK.packages:
            maker.note_added(maker.registry.agent_at(each.path, each.arguments), function.path, call)


FRAMEWORK = Framework(
    "python-crewai",
    packages={"crewai": ("Crew", "Task"), "crewai_tools": ("FileReadTool", "SerperDevTool")},
    ready_made=("crewai_tools",),
    decorators=("tool",),
    base_classes=("BaseTool",),
    run_methods=("_run",),
    class_schemas=("args_schema",),
    agent_names=("role",),
    calls={"Task": _task, "Crew": _crew},
    text=RAW,
)
