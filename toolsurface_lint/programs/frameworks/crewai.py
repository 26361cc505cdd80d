"""CrewAI: `@tool("Name")`, classes derived from `BaseTool` with an `args_schema`, and agents that are told what YAML says.

Of a class with `@CrewBase`, `self.agents_config["x"]` is an entry of `config/agents.yaml`, or of the file that it names
(https://docs.crewai.com/en/concepts/agents, read 2026-11).
"""

from __future__ import annotations

import re
from bisect import bisect_right

from toolsurface_lint.programs.framework import FIRST, RAW, Framework
from toolsurface_lint.programs.tool_maker import ToolMaker
from toolsurface_lint.programs.values import Call, External, Items, Made, Module

_ENTRY = re.compile(r"""agents_config\s*\[\s*["']([^"'\\]+)["']\s*\]""")
_FILE = re.compile(r"""\b(agents|tasks)_config[ \t]{0,20}(?::[^=\n]{0,100})?=[ \t]{0,20}["']([^"'\\\n]{1,200})["']""")


def _configure(maker: ToolMaker, function: External, call: Call) -> None:
    """`Agent(config=self.agents_config["x"], tools=[...])`."""
    given = call.get("config")
    if function.root != "crewai" or given is None or call.get("tools") is None:
        return
    entry = _ENTRY.search(call.module.offsets.text(given.site))
    if entry is not None:
        server = maker.registry.agent_at(function.path, call)
        server.name = server.name or entry[1]
        for path in _files(maker, call.module, call.module.offsets.span(call.node).start):
            maker.registry.entries.setdefault((call.module, path), {})[entry[1]] = server


def _files(maker: ToolMaker, module: Module, position: int) -> tuple[str, str]:
    """The files with the agents and the tasks of the class that a position is in."""
    named = maker.registry.named_files.get(module)
    if named is None:
        # Once for a file: a crew may have any number of agents.
        named = maker.registry.named_files[module] = {"agents": [], "tasks": []}
        for match in _FILE.finditer(module.source.text):
            named[match[1]].append((match.start(), match[2]))
    return _before(named["agents"], position, "config/agents.yaml"), _before(
        named["tasks"], position, "config/tasks.yaml"
    )


def _before(named: list[tuple[int, str]], position: int, usual: str) -> str:
    index = bisect_right(named, (position,)) - 1
    return named[index][1] if index >= 0 else usual


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
    named_by=FIRST,
    base_classes=("BaseTool",),
    run_methods=("_run",),
    class_schemas=("args_schema",),
    agent_names=("role",),
    calls={"Agent": _configure, "Task": _task, "Crew": _crew},
    text=RAW,
)
