"""Deep Agents: `create_deep_agent(...)`, a LangGraph agent that brings tools of its own, and `define_deep_agent(...)`."""

from __future__ import annotations

from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.tool_maker import TakesTools, ToolMaker
from toolsurface_lint.programs.values import Argument, Call, External, Items, Made, Mapping, Value


def _create(maker: ToolMaker, function: External, call: Call) -> Value | None:
    # The tools came first before 0.1.0, then the instructions; the model since.
    at = next((number for number, each in enumerate(call.positional) if isinstance(each.value, Items)), None)
    taker = TakesTools(at, prompt_position=1 if at == 0 else None)
    made = taker(maker, function, call)
    subagents = call.value("subagents")
    for each in subagents.items if isinstance(subagents, Items) else ():
        given = each.arguments.mapping() if isinstance(each, Made) and each.last == "SubAgent" else each
        if isinstance(given, Mapping):
            _sub_agent(maker, function, call, each, given, taker)
    return made


def _sub_agent(
    maker: ToolMaker, function: External, call: Call, item: Value, given: Mapping, taker: TakesTools
) -> None:
    """`{"name": "reader", "system_prompt": "...", "tools": [search]}`: without tools, it has those of its agent."""
    agent = maker.agent_of(item)
    if agent is None:
        return
    own = given.get("tools")
    tools = taker.given(call, "tools") if own is None else Argument(own, call.node, call.module)
    maker.take_tools(agent, tools, call)
    if not given.complete:
        maker.registry.add_reason("a key of the sub-agent that only a run can tell", *call.at, agent)
    maker.note_added(agent, function.path, call)
    for key in ("system_prompt", "prompt"):
        maker.registry.add_text(agent, given.get(key))


FRAMEWORK = Framework(
    "python-deepagents",
    packages={"deepagents": ("create_deep_agent",), "managed_deepagents": ("define_deep_agent",)},
    calls=dict.fromkeys(("create_deep_agent", "async_create_deep_agent", "define_deep_agent"), _create),
)
