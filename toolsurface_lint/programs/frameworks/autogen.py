"""AutoGen and AG2: `@agent.register_for_llm(description="...")` and `register_function` of AutoGen 0.2, functions and
`FunctionTool(function, description)` given to the agents of later ones.

What one decorator says of a function holds for the next ones (autogen-agentchat 0.2.40, `conversable_agent.py`).
"""

from __future__ import annotations

from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.tool_maker import ToolMaker
from toolsurface_lint.programs.values import (
    CALL,
    Argument,
    Call,
    External,
    Function,
    Made,
    Method,
    Native,
    Unknown,
    Value,
)

_SAID = {"name": "_name", "description": "_description"}
"""The arguments that a function keeps, with the attributes that it keeps them in."""


def _for_llm(maker: ToolMaker, method: Method, call: Call) -> Value:
    def decorate(applied: Call) -> Value:
        return _register(maker, method, applied.first_value or Unknown(CALL, *applied.at), call)

    return Native(decorate, *call.at)


def _tells(maker: ToolMaker, method: Method, call: Call) -> Value | None:
    """`@agent.prompt` (ag2 1.2.1, `agent.py`)"""
    agent, function = method.receiver, call.first_value
    if not (isinstance(agent, Made) and agent.root == "ag2" and isinstance(function, Function)):
        return None
    maker.registry.add_text(maker.registry.agent_at(agent.path, agent.arguments), function)
    return function


def _for_execution(maker: ToolMaker, method: Method, call: Call) -> Value:
    """The agent that runs a function shows it to no model."""
    return Native(lambda applied: applied.first_value or Unknown(CALL, *applied.at), *call.at)


def _register_function(maker: ToolMaker, function: External, call: Call) -> Value | None:
    """`register_function(search, caller=assistant, executor=user, description="...")`."""
    caller, given = call.value("caller"), call.value("f", 0)
    if caller is None or given is None:
        return None
    method = Method(caller, "register_for_llm", "", *call.at)
    return _register(maker, method, given, call.named())


def _register(maker: ToolMaker, method: Method, value: Value, call: Call) -> Value:
    given = call.named()
    kept = value.attributes if isinstance(value, Function) else {}
    for key, attribute in _SAID.items():
        if key in given.keywords:
            kept[attribute] = given.keywords[key].value
        elif attribute in kept:
            given.keywords[key] = Argument(kept[attribute], call.node, call.module)
    maker.serve(maker.registry.server_of(method, call.module), value, FRAMEWORK, given)
    return value


FRAMEWORK = Framework(
    "python-autogen",
    packages={
        **dict.fromkeys(("autogen", "ag2"), ("ConversableAgent", "UserProxyAgent")),
        "autogen_agentchat": ("AssistantAgent", "RoundRobinGroupChat"),
        "autogen_core": ("FunctionTool", "RoutedAgent"),
    },
    signs=("register_for_llm(", "caller="),
    calls={"register_function": _register_function},
    method_calls={"register_for_llm": _for_llm, "register_for_execution": _for_execution, "prompt": _tells},
    positions=("func", "description", "name"),
    wraps=True,
    agent_positions={
        **dict.fromkeys(("autogen.AssistantAgent", "autogen.ConversableAgent"), ("name", "system_message")),
        **dict.fromkeys(("ag2.AssistantAgent", "ag2.ConversableAgent", "ag2.Agent"), ("name", "prompt")),
        "autogen_agentchat.AssistantAgent": ("name", "model_client"),
    },
    text_metadata=True,
)
