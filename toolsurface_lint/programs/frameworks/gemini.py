"""The Gemini interface: functions, and declarations with schemas in the subset of OpenAPI."""

from __future__ import annotations

from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.registry import Server
from toolsurface_lint.programs.tool_maker import TakesTools, ToolMaker
from toolsurface_lint.programs.values import (
    CALL,
    Argument,
    Call,
    External,
    Items,
    Literal,
    Made,
    Mapping,
    Method,
    Unknown,
    Value,
)


def _by_path(path: str) -> Framework | None:
    """The Agent Development Kit, which knows two parameters by their names."""
    is_adk = path.startswith(("google.adk.", "adk."))
    return FRAMEWORK._replace(injected_names=("tool_context", "input_stream")) if is_adk else None


def _recognises(mapping: Mapping, made_by: str) -> Mapping | None:
    return mapping if made_by == "FunctionDeclaration" else None


def _declarations(maker: ToolMaker, function: External, call: Call) -> None:
    """`types.Tool(function_declarations=[...])`."""
    given = call.value("function_declarations")
    if isinstance(given, Items):
        for declaration in given.items:
            if isinstance(declaration, Mapping):
                maker.from_dict(declaration, "FunctionDeclaration")
        maker.registry.gather(given)


def _schema(maker: ToolMaker, function: External, call: Call) -> Value | None:
    """`types.Schema(...)` as the dict that it stands for."""
    if function.root not in ("google", "vertexai"):
        return None
    schema = Mapping(*call.at, complete=not call.open)
    for key, argument in call.keywords.items():
        value = argument.value
        if isinstance(value, External) and key == "type":
            argument = argument._replace(value=Literal(value.last, value.module, value.node))
        first, *rest = key.split("_")
        schema.give(first + "".join(word.title() for word in rest), argument)
    return schema


def _from_function(maker: ToolMaker, function: External, call: Call) -> Value | None:
    """`FunctionDeclaration.from_func(search)`, `FunctionDeclaration.from_callable(callable=search, client=client)`."""
    if "FunctionDeclaration" not in function.path:
        return None
    given = Call(*call.at)
    given.positional = [argument for argument in (call.get("callable", 0), call.get("func")) if argument is not None]
    return maker.from_conversion(FRAMEWORK, given)


def _configured(maker: ToolMaker, method: Method, call: Call) -> None:
    """`client.models.generate_content(..., config={"tools": [search]})`"""
    config, client = call.value("config"), method.receiver
    while isinstance(client, Method):
        client = client.receiver
    tools = config.get("tools") if isinstance(config, Mapping) else None
    if tools is not None and isinstance(client, Made) and client.root in FRAMEWORK.packages:
        server = maker.registry.server_at(FRAMEWORK, client.path, *call.at)
        maker.take_tools(server, Argument(tools, call.node, call.module), call)


def _agent(maker: ToolMaker, function: External, call: Call) -> None:
    """An agent of the ADK raises an error if its `generate_content_config` has tools: it takes them itself."""
    given = call.value("generate_content_config")
    if isinstance(given, Made) and function.root in FRAMEWORK.packages:
        maker.registry.server_at(FRAMEWORK, given.path, *given.arguments.at).is_refused = True


def _front_end(maker: ToolMaker, function: External, call: Call) -> None:
    """`ADKAgent(adk_agent=agent)`: the agent, and those below it, may be given tools of the front end."""
    agent = maker.agent_of(call.value("adk_agent", 0) or Unknown(CALL))
    pending, seen = [agent], set[Server]()
    while pending:
        each = pending.pop()
        if isinstance(each, Server) and each not in seen:
            seen.add(each)
            maker.registry.evaluator.spend(1)
            maker.note_added(each, function.path, call)
            pending.extend(below for below in each.handoffs.values() if isinstance(below, Server))


FRAMEWORK = Framework(
    "python-gemini",
    # In its own repository, `adk` lies in a folder that is not a package by itself.
    packages={"google": ("LlmAgent", "InvocationContext"), "adk": ("LlmAgent", "InvocationContext")},
    by_path=_by_path,
    signs=("FunctionDeclaration",),
    recognises=_recognises,
    calls={
        "Tool": _declarations,
        "FunctionDeclaration": ToolMaker.make_definition,
        "from_func": _from_function,
        "from_callable": _from_function,
        "Schema": _schema,
        "GenerateContentConfig": TakesTools(),
        "GenerativeModel": TakesTools(),
        "Agent": _agent,
        "LlmAgent": _agent,
        "ADKAgent": _front_end,
    },
    method_calls=dict.fromkeys(("generate_content", "generate_content_stream", "create"), _configured),
    has_provider_tools=True,
    injected_types=("ToolContext", "CallbackContext"),
)
