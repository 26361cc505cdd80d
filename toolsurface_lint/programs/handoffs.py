"""To which other agents an agent hands a conversation over, or a part of its work, and the tools that it does that with.

No program defines those tools: the framework makes them of the list of agents.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.framework import KEPT_PATHS
from toolsurface_lint.programs.operations import text_of
from toolsurface_lint.programs.registry import Registry, Server


class HandsOver(NamedTuple):
    """An argument that holds other agents. `names` are the last parts of what is called, all of `package`.

    `tool` is the tool that hands over, with braces where the name of the other agent stands if there is one tool for each.
    `both_ways`: the other agents have it too.
    """

    package: str
    names: tuple[str, ...]
    argument: str
    tool: str
    source: str
    position: int | None = None
    both_ways: bool = False


HANDS_OVER = (
    HandsOver("agents", ("Agent",), "handoffs", "transfer_to_{}", "openai-agents 0.24.0, `handoffs/__init__.py`"),
    HandsOver(
        "google", ("Agent", "LlmAgent"), "sub_agents", "transfer_to_agent",
        "google-adk 2.13.0, `flows/llm_flows/auto_flow.py`: to sub-agents, and from them to parent and peers",
        both_ways=True,
    ),
    HandsOver(
        "autogen_agentchat", ("AssistantAgent",), "handoffs", "transfer_to_{}", "autogen-agentchat 0.7.5, `base/_handoff.py`"
    ),
    HandsOver(
        "smolagents", ("MultiStepAgent", "ToolCallingAgent", "CodeAgent"), "managed_agents", "{}",
        "smolagents 1.26.0, `agents.py`",
    ),
    HandsOver(
        "langgraph_supervisor", ("create_supervisor",), "agents", "transfer_to_{}",
        "langgraph-supervisor 0.0.31, `handoff.py`", position=0,
    ),
    HandsOver(
        "deepagents", ("create_deep_agent", "async_create_deep_agent"), "subagents", "task", "deepagents 0.7.32, `graph.py`"
    ),
    HandsOver(
        "llama_index", ("FunctionAgent", "ReActAgent", "CodeActAgent"), "can_handoff_to", "handoff",
        "llama-index-core 0.14.25, `agent/workflow/multi_agent_workflow.py`",
    ),
    HandsOver(
        "llama_index", ("AgentWorkflow",), "agents", "handoff",
        "llama-index-core 0.14.25, `agent/workflow/multi_agent_workflow.py`", position=0, both_ways=True,
    ),
)  # fmt: skip

ARGUMENTS = frozenset(row.argument for row in HANDS_OVER)
"""The arguments and attributes that hold other agents."""


@lru_cache(maxsize=KEPT_PATHS)
def hands_over(path: str, argument: str = "") -> tuple[HandsOver, ...]:
    """How what is called hands over, by the dotted path that it is imported by; by one argument only if that is given."""
    root, last = path.partition(".")[0], path.rpartition(".")[2]
    return tuple(
        row for row in HANDS_OVER if row.package == root and last in row.names and argument in ("", row.argument)
    )


def take_agents(
    registry: Registry, server: Server, row: HandsOver, given: v.Argument, agent_of: Callable[[v.Value], Server | None]
) -> None:
    """Take note of the agents that an agent is given to hand over to; `agent_of` says which agent a value is."""
    value = given.value
    if v.is_none(value):
        return
    at = given.module, given.site
    is_list = isinstance(value, v.Items)
    for item in value.items if isinstance(value, v.Items) else [value]:
        # One list may be given to any number of agents.
        registry.evaluator.spend(1)
        target, tool = _target(item, row)
        agent = None if target is None else agent_of(target)
        name = text_of(target) if isinstance(target, v.Literal) else agent.name if agent is not None else None
        if agent is not None:
            server.hand_over(agent)
            if row.both_ways:
                agent.transfers.add(row.tool)
        else:
            server.hand_over(v.Unknown(f"the agent `{name}`" if name else v.describe(item), *at))
        if "{}" in row.tool:
            tool = tool or (_tool_of(row, name) if name else None)
        else:
            tool = row.tool
        if tool:
            server.transfers.add(tool)
        else:
            what = "an agent whose name is not known" if is_list else v.describe(value)
            registry.add_reason(f"a tool that hands over to {what}", *at, server)
    if isinstance(value, v.Items) and not value.complete:
        server.hand_over(v.Unknown(value.missing, *at))
        if "{}" in row.tool:
            registry.add_reason(f"tools that hand over to {value.missing}", *at, server)


def _target(item: v.Value, row: HandsOver) -> tuple[v.Value | None, str | None]:
    """The agent that an item of the list stands for, or its name; and the tool for it if that is given another name."""
    if not isinstance(item, v.Made) or item.root != row.package or item.last not in ("handoff", "Handoff"):
        return item, None
    name = item.arguments.value("tool_name_override" if item.last == "handoff" else "name")
    target = item.arguments.first(("agent", "target"), 0)
    given = None if name is None or v.is_none(name) else text_of(name) or ""
    return None if target is None else target.value, given


def _tool_of(row: HandsOver, name: str) -> str:
    return name if row.tool == "{}" else row.tool.format(_of_letters(name))


def handoff_name(agent: str) -> str:
    """The tool that hands over to the agent of a name, as most frameworks call it."""
    return f"transfer_to_{_of_letters(agent)}"


def _of_letters(name: str) -> str:
    """A name in lower case, in which providers allow letters, digits and underscores."""
    return re.sub(r"\W", "_", name.strip(), flags=re.ASCII).lower()
