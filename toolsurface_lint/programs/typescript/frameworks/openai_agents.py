"""The OpenAI Agents SDK for JavaScript: `tool({ name, description, parameters, execute })`, `new Agent({ instructions, tools })`.

@openai/agents 0.20.0 (`@openai/agents-core/dist/tool.js`, `agent.js`, `handoff.js`, `utils/tools.js`).
"""

from __future__ import annotations

import re

from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.operations import plain, text_of
from toolsurface_lint.programs.registry import Server
from toolsurface_lint.programs.typescript.agents import hand_over, make_agent
from toolsurface_lint.programs.typescript.tool_maker import (
    Described,
    ScriptMaker,
    described,
    options,
    package_of,
)
from toolsurface_lint.programs.values import (
    AT_RUN_TIME,
    Argument,
    Call,
    External,
    Function,
    Items,
    Literal,
    Made,
    Method,
    Unknown,
    Value,
    is_none,
)

_PACKAGES = ("@openai/agents", "@openai/agents-core", "@openai/agents-realtime")


def _tool(maker: ScriptMaker, function: External, call: Call) -> Value | None:
    if package_of(function) not in _PACKAGES:
        return None
    given = options(call)
    name, run = given.value("name"), given.value("execute")
    if (name is None or is_none(name)) and isinstance(run, Function):
        # JavaScript names a function after the property that it is written in.
        place = run.name_place if run.name else given.keywords["execute"].key or call.node
        name = Literal(run.name or "execute", run.module if run.name else call.module, place)
    text = plain(name)
    if name is not None and isinstance(text, str):
        name = Literal(_of_letters(text), name.module, name.node)
    return maker.add(None, FRAMEWORK, name, described(given), given)


def _agent(maker: ScriptMaker, function: External, call: Call) -> Value | None:
    """`new Agent({ name, instructions, tools, handoffs })`"""
    if package_of(function) not in _PACKAGES:
        return None
    return _made(maker, function, options(call))


def _create(maker: ScriptMaker, function: External, call: Call) -> Value | None:
    """`Agent.create({ name, instructions, handoffs })`"""
    made_by, _, _ = function.path.rpartition(".")
    if not made_by.endswith(("Agent", "agents.Agent")) or package_of(function) not in _PACKAGES:
        return None
    return _made(maker, External(made_by, function.module, function.node), options(call))


def _made(maker: ScriptMaker, called: External, given: Call) -> Value:
    agent = make_agent(maker, FRAMEWORK, called, given, opens=("mcpServers", "prompt"))
    if called.last == "SandboxAgent":
        maker.registry.add_reason("`SandboxAgent` adds the tools of its capabilities", *given.at, agent)
    handoffs = given.value("handoffs")
    for item in handoffs.items if isinstance(handoffs, Items) else ():
        maker.registry.evaluator.spend(1)
        _give_handoff(maker, agent, item)
    if handoffs is not None and not (isinstance(handoffs, Items) and handoffs.complete):
        maker.registry.add_reason("tools that hand over to agents that are not known", *given.at, agent)
    return Made(called.path, given)


def _give_handoff(maker: ScriptMaker, agent: Server, item: Value) -> None:
    """`handoffs: [billing, handoff(refunds, { toolNameOverride: "ask_refunds" })]`"""
    tool: str | None = None
    target: Value = item
    if isinstance(item, Made) and item.last == "handoff" and item.arguments.first_value is not None:
        target = item.arguments.first_value
        override = options(item.arguments, 1).value("toolNameOverride")
        tool = None if override is None else text_of(override)
    name = text_of(target.arguments.value("name")) if isinstance(target, Made) else None
    if tool is None and name:
        tool = f"transfer_to_{_of_letters(name)}"
    hand_over(maker, agent, target, tool)


def _as_tool(maker: ScriptMaker, method: Method, call: Call) -> Value | None:
    """`agent.asTool({ toolName, toolDescription })`"""
    agent, given = method.receiver, options(call)
    is_agent = isinstance(agent, Made) and package_of(agent) in _PACKAGES
    if not is_agent and "toolDescription" not in given.keywords:
        return None
    name = given.value("toolName")
    own = text_of(agent.arguments.value("name")) if isinstance(agent, Made) else None
    if name is None and own:
        name = Literal(_of_letters(own), *call.at)
    asks = Argument(Unknown("what it asks says"), call.node, call.module)
    parts = Described(given.get("toolDescription"), given.get("parameters") or asks)
    return maker.add(None, FRAMEWORK, name or Unknown(AT_RUN_TIME), parts, given)


def _of_letters(name: str) -> str:
    """A name in which everything else than letters and digits is an underscore, as `toFunctionToolName` makes it."""
    return re.sub(r"[^a-zA-Z0-9]", "_", name)


FRAMEWORK = Framework(
    "typescript-openai-agents",
    calls={
        "tool": _tool,
        "Agent": _agent,
        "RealtimeAgent": _agent,
        "create": _create,
        "SandboxAgent": _agent,
    },
    method_calls={"asTool": _as_tool},
)
