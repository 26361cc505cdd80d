"""Swarm: functions given to an agent, which may ask for its context."""

from __future__ import annotations

from toolsurface_lint.programs.framework import RAW, Framework
from toolsurface_lint.programs.tool_maker import ToolMaker
from toolsurface_lint.programs.values import Call, External, Made, Mapping, Method, Value


def _without_defaults(schema: Mapping, takes_any: bool) -> Mapping:
    """Defaults are not served: they say which parameters may be left out."""
    properties = schema.get("properties")
    for entry in properties.entries.values() if isinstance(properties, Mapping) else ():
        if isinstance(entry.value, Mapping):
            entry.value.entries.pop("default", None)
    return schema


def _agent(maker: ToolMaker, function: External, call: Call) -> Value | None:
    given = call.get("functions")
    if function.root not in FRAMEWORK.packages or given is None:
        return None
    maker.take_tools(maker.registry.server_at(FRAMEWORK, function.path, *call.at), given, call)
    return Made(function.path, call)


def _append(maker: ToolMaker, method: Method, call: Call) -> Value | None:
    """`agent.functions.append(...)`: how agents that hand over to each other are given that."""
    functions = method.receiver
    if not isinstance(functions, Method) or functions.name != "functions":
        return None
    agent = functions.receiver
    if not isinstance(agent, Made) or agent.root not in FRAMEWORK.packages:
        return None
    return maker.add_tool(Method(agent, method.name, method.text, *call.at), call)


FRAMEWORK = Framework(
    "python-swarm",
    packages={"swarm": ("Swarm", "Agent", "Response", "Result")},
    signs=("from swarm import", "import swarm"),
    calls={"Agent": _agent},
    method_calls={"append": _append},
    text=RAW,
    injected_names=("context_variables",),
    reshape=_without_defaults,
    untyped="string",
)
