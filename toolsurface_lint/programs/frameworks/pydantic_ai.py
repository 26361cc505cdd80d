"""Pydantic AI: `@agent.tool`, `@agent.tool_plain`, `Tool(function)`, and toolsets that change one another."""

from __future__ import annotations

from toolsurface_lint.programs.framework import SUMMARY, Framework, framework_of
from toolsurface_lint.programs.operations import plain, plain_texts
from toolsurface_lint.programs.registry import Naming, Server
from toolsurface_lint.programs.tool_maker import TakesTools, ToolMaker
from toolsurface_lint.programs.values import (
    Call,
    External,
    Items,
    Made,
    Mapping,
    Method,
    Value,
    describe,
    is_none,
)


def _unwrapped(schema: Mapping, takes_any: bool) -> Mapping:
    """The schema of the only parameter, if that is a model: then its fields are what is passed."""
    properties = schema.get("properties")
    if not takes_any and isinstance(properties, Mapping) and len(properties.entries) == 1:
        (entry,) = properties.entries.values()
        if isinstance(entry.value, Mapping) and "properties" in entry.value.entries:
            return entry.value
    return schema


def _from_schema(maker: ToolMaker, function: External, call: Call) -> Value | None:
    if not function.path.endswith(".Tool.from_schema"):
        return None
    return maker.from_constructor(framework_of(function.path), call)


def _same(maker: ToolMaker, method: Method, call: Call) -> Value | None:
    """A toolset with the same tools, under the same names."""
    return maker.registry.known_server(method.receiver)


def _renamed(maker: ToolMaker, method: Method, call: Call) -> Value | None:
    """`toolset.prefixed("x")` and `toolset.renamed({...})`: a toolset with the tools of another."""
    inner = maker.registry.known_server(method.receiver)
    if inner is None or call.first_value is None:
        return inner
    naming = None
    prefix, names = plain(call.first_value), plain_texts(call.first_value)
    if method.name == "prefixed" and isinstance(prefix, str):
        naming = Naming(prefix)
    elif method.name == "renamed" and names is not None:
        naming = Naming("", {old: new for new, old in names.items()})
    derived = maker.registry.server_at(inner.framework, "pydantic_ai.toolsets." + method.name, *call.at)
    if naming is None:
        maker.registry.add_reason("tools under names that only a run can tell", *call.at, derived)
    derived.mount(inner, naming or Naming())
    return derived


def _takes_agent(maker: ToolMaker, called: External | Method, call: Call) -> None:
    """An agent is served to a front end, or a function chooses more of its tools."""
    given = [called.receiver] if isinstance(called, Method) else [argument.value for argument in call.all()]
    path = f"pydantic_ai.{called.name}" if isinstance(called, Method) else called.path
    for value in given:
        if isinstance(value, Made) and value.root == "pydantic_ai" and value.last == "Agent":
            maker.note_added(maker.registry.server_at(FRAMEWORK, value.path, *value.arguments.at), path, call)


def _add_prompt(maker: ToolMaker, method: Method, call: Call) -> Value | None:
    """`@agent.system_prompt` and `@agent.instructions`."""
    is_agent = isinstance(method.receiver, Made) and method.receiver.last == "Agent"
    return maker.add_prompt(method, call) if is_agent else None


def _agent(maker: ToolMaker, function: External, call: Call) -> None:
    """`Agent(capabilities=[Capability(tools=[search])], builtin_tools=[WebSearchTool()])`"""
    if function.root not in FRAMEWORK.packages:
        return
    for key in ("capabilities", "builtin_tools"):
        given = call.value(key)
        if given is None or is_none(given):
            continue
        server = maker.registry.agent_at(function.path, call)
        for item in given.items if isinstance(given, Items) else [given]:
            if not isinstance(item, Made) or item.root not in FRAMEWORK.packages:
                maker.registry.add_reason(f"the tools of {describe(item)}", *call.at, server)
            elif key == "builtin_tools":
                server.ready_made.add(item.last)
            else:
                _capability(maker, server, item)
        if isinstance(given, Items) and not given.complete:
            maker.registry.add_reason(f"the tools of {given.missing}", *call.at, server)


def _with_tools(maker: ToolMaker, function: External, call: Call) -> Value | None:
    """`Capability(tools=[search], toolsets=[recipes])`: the agent that it is given to has them."""
    if function.root not in FRAMEWORK.packages:
        return None
    server = maker.registry.agent_at(function.path, call)
    maker.take_tools(server, call.get("tools"), call)
    maker.take_servers(server, call.get("toolsets"), call.module)
    return Made(function.path, call)


def _capability(maker: ToolMaker, server: Server, made: Made) -> None:
    call = made.arguments
    if made.last == "NativeTool":
        server.ready_made.add(made.last)
    elif made.last == "Toolset":
        toolset = call.get("toolset", 0)
        if toolset is not None:
            maker.take_servers(server, toolset._replace(value=Items([toolset.value], *call.at)), call.module)
    elif made.last == "Capability":
        server.mount(maker.registry.agent_at(made.path, call), Naming())
        maker.registry.add_told(server, call, ("instructions",))
    elif made.last not in _WITHOUT_TOOLS:
        maker.registry.add_reason(f"the tools of `{made.last}`", *call.at, server)


_WITHOUT_TOOLS = frozenset((
    "BatchModelRequests", "Caching", "Citations", "Hooks", "IncludeToolReturnSchemas", "Instrumentation", "ModelFallback",
    "ProcessEventStream", "ProcessHistory", "ReinjectSystemPrompt", "RequestInput", "ResolveModelId", "SelectModel",
    "SetToolMetadata", "Thinking", "UseThreadExecutor",
))  # fmt: skip
"""Capabilities that add no tools (pydantic-ai-slim 2.68.0, `capabilities/`)."""

# What makes of a toolset another one with the same tools.
_KEEPING = (
    "filtered", "prepared", "approval_required", "defer_loading", "with_metadata", "include_return_schemas",
)  # fmt: skip

FRAMEWORK = Framework(
    "python-pydantic-ai",
    packages={"pydantic_ai": ("RunContext", "ModelRetry")},
    constructors=("Tool",),
    methods={"tool": True, "tool_plain": False},
    named_by="name",
    calls={
        "Agent": _agent,
        "Capability": _with_tools,
        "from_schema": _from_schema,
        "CombinedToolset": TakesTools(servers_position=0),
        **dict.fromkeys(
            ("AGUIAdapter", "dispatch_request", "AGUIApp", "handle_ag_ui_request", "run_ag_ui"), _takes_agent
        ),
    },
    method_calls={
        **dict.fromkeys(("to_ag_ui", "toolset"), _takes_agent),
        **dict.fromkeys(("system_prompt", "instructions"), _add_prompt),
        "add_function": ToolMaker.add_tool,
        "add_tools": ToolMaker.add_tools,
        **dict.fromkeys(("prefixed", "renamed"), _renamed),
        **dict.fromkeys(_KEEPING, _same),
    },
    positions=("function",),
    wraps=True,
    keeps_functions=True,
    text=SUMMARY,
    documented=True,
    reshape=_unwrapped,
    injected_types=("RunContext",),
)
