"""AgentScope: `toolkit.register_tool_function(search, preset_kwargs={...})`."""

from __future__ import annotations

from toolsurface_lint.programs.framework import SUMMARY, Framework
from toolsurface_lint.programs.operations import plain, truth
from toolsurface_lint.programs.registry import Naming
from toolsurface_lint.programs.tool_maker import ToolMaker
from toolsurface_lint.programs.values import Call, External, Made, Mapping, Method, Value, describe, is_none


def _register(maker: ToolMaker, method: Method, call: Call) -> Value | None:
    given = call.value("tool_func", 0)
    if given is None or "json_schema" in call.keywords:
        # That is the whole definition.
        return given
    rest = call.named()
    for key in ("name", "description"):
        if f"func_{key}" in rest.keywords:
            rest.keywords[key] = rest.keywords[f"func_{key}"]
    registration = maker.serve(maker.registry.server_of(method, call.module), given, FRAMEWORK, rest)
    if registration is not None:
        group, preset = call.value("group_name", 1), call.value("preset_kwargs", 2)
        if group is not None and plain(group) != "basic":
            registration.optional = True
        if isinstance(preset, Mapping):
            registration.excluded |= {str(key) for key in preset.entries}
    return given


def _toolkit(maker: ToolMaker, function: External, call: Call) -> None:
    """`Toolkit(tools=[FunctionTool(search)])` (agentscope 2.0.11, `tool/_toolkit.py`)"""
    if function.root in FRAMEWORK.packages:
        server = maker.registry.agent_at(function.path, call)
        maker.take_tools(server, call.get("tools", 0), call)
        for key in ("mcps", "tool_groups"):
            given = call.value(key)
            if given is not None and truth(given)[0] is not False:
                maker.registry.add_reason(f"the tools of `{key}`", *call.at, server)


def _agent(maker: ToolMaker, function: External, call: Call) -> None:
    """`Agent(system_prompt="...", toolkit=toolkit)`, before 2.0 `ReActAgent(sys_prompt="...", toolkit=toolkit)`"""
    given = call.value("toolkit")
    if function.root not in FRAMEWORK.packages or given is None or is_none(given):
        return
    agent = maker.registry.agent_at(function.path, call)
    if isinstance(given, Made) and given.last == "Toolkit":
        agent.mount(maker.registry.agent_at(given.path, given.arguments), Naming())
    else:
        maker.registry.add_reason(f"the tools of {describe(given)}", *call.at, agent)


FRAMEWORK = Framework(
    "python-agentscope",
    packages={"agentscope": ("Toolkit", "ToolResponse")},
    signs=("register_tool_function(",),
    calls={"Toolkit": _toolkit, **dict.fromkeys(("Agent", "ReActAgent"), _agent)},
    method_calls={"register_tool_function": _register},
    text=SUMMARY,
    documented=True,
)
