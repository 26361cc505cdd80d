"""LangChain and LangGraph: `@tool`, `StructuredTool.from_function`, classes derived from `BaseTool`."""

from __future__ import annotations

from toolsurface_lint.programs.framework import FIRST, SUMMARY, WITH_TOOLS, Framework
from toolsurface_lint.programs.handoffs import handoff_name
from toolsurface_lint.programs.operations import plain, text_of
from toolsurface_lint.programs.started_servers import from_parameters
from toolsurface_lint.programs.tool_maker import TakesTools, ToolMaker
from toolsurface_lint.programs.values import (
    AT_RUN_TIME,
    Argument,
    Call,
    Class,
    External,
    Items,
    Literal,
    Made,
    Mapping,
    Method,
    Unknown,
    Value,
    is_none,
)


def _by_path(path: str) -> Framework | None:
    """`langchain_core.tools.Tool` is for functions of one text."""
    root, *steps = path.split(".")
    return FRAMEWORK._replace(nameless=True) if root in FRAMEWORK.packages and "Tool" in steps else None


def _from_function(maker: ToolMaker, method: Method, call: Call) -> Value | None:
    if not isinstance(method.receiver, Class) or not method.receiver.name.endswith("Tool"):
        return None
    return maker.from_conversion(FRAMEWORK, call)


def _bind_tools(maker: ToolMaker, method: Method, call: Call) -> Value | None:
    """`model.bind_tools([...])`: gives a model with these tools, and leaves the one that it is called on as it was."""
    given = call.get("tools", 0)
    if given is None:
        return None
    server = maker.registry.server_at(FRAMEWORK, "", *call.at)
    server.made_by = method.name
    maker.take_tools(server, given, call)
    return Made(_BOUND, call)


def _invoke(maker: ToolMaker, method: Method, call: Call) -> None:
    """`model.bind_tools([...]).invoke([SystemMessage("..."), *messages])`"""
    bound = method.receiver
    if isinstance(bound, Made) and bound.path == _BOUND:
        server = maker.registry.server_at(FRAMEWORK, "", *bound.arguments.at)
        maker.registry.add_text(server, call.value("input", 0), in_messages=True)


_BOUND = f"langchain_core.runnables.base.{WITH_TOOLS}"


def _get_tools(maker: ToolMaker, method: Method, call: Call) -> Value | None:
    """`MultiServerMCPClient({"shop": {"command": "python", "args": [...]}}).get_tools()` (langchain-mcp-adapters 0.3.2)"""
    client = method.receiver
    if not isinstance(client, Made) or client.last != "MultiServerMCPClient" or client.arguments.open or call.open:
        return None
    connections, wanted = client.arguments.value("connections", 0), call.value("server_name")
    prefixes = plain(client.arguments.value("tool_name_prefix") or Literal(False, *call.at))
    if not isinstance(connections, Mapping) or not connections.complete or not isinstance(prefixes, bool):
        return None
    found: list[Value] = []
    for name, entry in connections.entries.items():
        if wanted is not None and plain(wanted) not in (None, name):
            continue
        server = from_parameters(entry.value)
        if server is None:
            return None
        server.prefix = f"{name}_" if prefixes else ""
        found.append(server)
    return Items(found, *call.at) if found else None


def _as_tool(maker: ToolMaker, method: Method, call: Call) -> Value | None:
    if "tool_name" in call.keywords or (isinstance(method.receiver, Made) and method.receiver.last == "Agent"):
        return None
    return maker.from_other(FRAMEWORK, call)


def _of_retriever(maker: ToolMaker, function: External, call: Call) -> Value | None:
    return maker.from_other(FRAMEWORK, call, ("retriever", "name", "description"))


def _handoff_tool(maker: ToolMaker, function: External, call: Call) -> Value | None:
    """`create_handoff_tool(agent_name="Billing")` (langgraph-supervisor 0.0.31, langgraph-swarm 0.1.0, `handoff.py`)."""
    agent = call.value("agent_name")
    if function.root not in ("langgraph_supervisor", "langgraph_swarm"):
        return None
    given = call.named()
    if agent is not None and is_none(call.value("name") or Literal(None)):
        name = text_of(agent)
        known = Unknown(AT_RUN_TIME) if name is None else Literal(handoff_name(name), agent.module, agent.node)
        given.keywords["name"] = Argument(known, call.node, call.module)
    return maker.from_other(FRAMEWORK, given)


_CREATED = (
    "create_tool_calling_agent", "create_openai_tools_agent", "create_openai_functions_agent",
    "create_structured_chat_agent", "create_xml_agent",
)  # fmt: skip
"""Take a model, tools and a prompt."""
_READY_MADE = ("langchain_community.tools", "langchain_community.agent_toolkits")

FRAMEWORK = Framework(
    "python-langchain",
    packages={
        "langchain": ("init_chat_model",),
        "langchain_core": ("StructuredTool", "RunnableLambda"),
        "langchain_community": ("FileManagementToolkit",),
        "langgraph": ("StateGraph", "Pregel"),
        "langgraph_supervisor": ("create_supervisor",),
        "langgraph_swarm": ("create_swarm",),
    },
    by_path=_by_path,
    signs=(
        "create_agent(",
        "create_react_agent(",
        "bind_tools(",
        "ToolNode(",
        "initialize_agent(",
        "create_retriever_tool(",
        *(f"{name}(" for name in _CREATED),
        *_READY_MADE,
    ),
    ready_made=_READY_MADE,
    decorators=("tool",),
    named_by=FIRST,
    constructors=("Tool", "StructuredTool"),
    base_classes=("BaseTool", "Tool", "StructuredTool"),
    run_methods=("_run", "_arun"),
    class_schemas=("args_schema",),
    calls={
        "from_function": ToolMaker.convert,
        "create_retriever_tool": _of_retriever,
        "create_handoff_tool": _handoff_tool,
        "ToolNode": TakesTools(0),
        "create_agent": TakesTools(1),
        "create_react_agent": TakesTools(1),
        **dict.fromkeys(_CREATED, TakesTools(1, prompt_position=2)),
        "initialize_agent": TakesTools(0),
        "create_supervisor": TakesTools(),
    },
    method_calls={
        "from_function": _from_function,
        "bind_tools": _bind_tools,
        "get_tools": _get_tools,
        "as_tool": _as_tool,
        **dict.fromkeys(("invoke", "ainvoke", "stream", "astream"), _invoke),
    },
    agent_names=("name", "supervisor_name"),
    positions=("name", "func", "description"),
    switches=(("parse_docstring", True, {"documented": True, "text": SUMMARY}),),
    text_metadata=True,
    needs_text=True,
    injected_types=("RunnableConfig", "ToolRuntime", "CallbackManagerForToolRun", "AsyncCallbackManagerForToolRun"),
    injected_metadata=("InjectedToolArg", "InjectedState", "InjectedStore", "InjectedToolCallId"),
)
