"""The MCP SDK: `FastMCP` of its first version, `MCPServer` of its second, and the low-level server that lists its tools."""

from __future__ import annotations

import re

from toolsurface_lint.programs.framework import RAW, Framework
from toolsurface_lint.programs.operations import text_of
from toolsurface_lint.programs.registry import Dispatcher, Server
from toolsurface_lint.programs.tool_maker import ToolMaker
from toolsurface_lint.programs.values import CALL, Call, Function, Mapping, Method, Native, Unknown, Value

_HANDED_OVER = re.compile(r"(?:mcp|server)\Z", re.IGNORECASE)
"""What functions call a server that they are given."""


def _recognises(mapping: Mapping, made_by: str) -> Mapping | None:
    return mapping if "inputSchema" in mapping.entries and not isinstance(mapping.get("function"), Mapping) else None


def _list_tools(maker: ToolMaker, method: Method, call: Call) -> Value | None:
    """`server.list_tools()`, a decorator."""
    first = call.first_value
    if isinstance(first, Function):
        return maker.add_handler(method, first)
    if first is not None:
        return None
    return Native(lambda given: _list_tools(maker, method, given) or Unknown(CALL, *given.at), *call.at)


def _call_tool(maker: ToolMaker, method: Method, call: Call) -> Value | None:
    """`server.call_tool()`, a decorator; a client calls a tool by a method of that name."""
    first = call.first_value
    if isinstance(first, Function):
        server = maker.registry.server_of(method, first.scope.module)
        maker.registry.dispatchers.append(Dispatcher(server, first))
        return first
    if call.positional or call.open or not _SWITCHES.issuperset(call.keywords):
        return None
    return Native(lambda given: _call_tool(maker, method, given) or Unknown(CALL, *given.at), *call.at)


_SWITCHES = frozenset(("validate_input",))


def _remove_tool(maker: ToolMaker, method: Method, call: Call) -> None:
    name = text_of(call.first_value)
    if name is not None and isinstance(method.receiver, Server):
        method.receiver.removed.add(name)


def _register_other(maker: ToolMaker, method: Method, call: Call) -> None:
    """`server.resource(...)`: whoever calls it puts a server together, and may go on to tools."""
    if isinstance(method.receiver, Server):
        maker.registry.evaluator.found_something()


def _add_prompt(maker: ToolMaker, method: Method, call: Call) -> Value | None:
    """`@server.prompt(...)`, and `@server.get_prompt()` of the low-level server; clients have a method of that name too."""
    _register_other(maker, method, call)
    if method.name == "get_prompt" and (call.keywords or not isinstance(call.first_value, Function | None)):
        return None
    is_handed_over = isinstance(method.receiver, Unknown) and _HANDED_OVER.search(method.text) is not None
    return maker.add_prompt(method, call) if is_handed_over or isinstance(method.receiver, Server) else None


def _capabilities(maker: ToolMaker, method: Method, call: Call) -> Value | None:
    """`server.get_capabilities(...)`: what is made of it is this server's."""
    return method.receiver if isinstance(method.receiver, Server) else None


def _options(maker: ToolMaker, function: Value, call: Call) -> None:
    """`InitializationOptions(capabilities=..., instructions=...)`, which a low-level server is run with."""
    server = call.value("capabilities")
    if isinstance(server, Server):
        maker.registry.add_told(server, call, ("instructions",))


FRAMEWORK = Framework(
    "python-mcp",
    packages={"mcp": ("ClientSession", "ServerSession")},
    signs=("FastMCP", "MCPServer", "add_tool", "list_tools", "inputSchema"),
    constructors=("Tool",),
    methods={"tool": False},
    named_by="name",
    recognises=_recognises,
    servers={
        "FastMCP": 1,
        "MCPServer": None,
        "mcp.server.Server": None,
        "mcp.server.lowlevel.Server": None,
        "mcp.server.lowlevel.server.Server": None,
    },
    calls={"InitializationOptions": _options},
    method_calls={
        "add_tool": ToolMaker.add_tool,
        "get_capabilities": _capabilities,
        "list_tools": _list_tools,
        "call_tool": _call_tool,
        "remove_tool": _remove_tool,
        **dict.fromkeys(("prompt", "get_prompt"), _add_prompt),
        "resource": _register_other,
    },
    is_usual=True,
    keeps_functions=True,
    text=RAW,
    takes_hints=True,
    injected_types=("Context",),
)
