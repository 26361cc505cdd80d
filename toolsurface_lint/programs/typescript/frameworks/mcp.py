"""The MCP SDK: `McpServer` with its methods, and the low-level `Server` whose handler lists the tools.

@modelcontextprotocol/sdk 1.x (`server/mcp.ts`, `server/index.ts`), and @modelcontextprotocol/server of its second version.
"""

from __future__ import annotations

import re

from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.frameworks import mcp
from toolsurface_lint.programs.operations import plain, text_of
from toolsurface_lint.programs.registry import Dispatcher, Server
from toolsurface_lint.programs.typescript.tool_maker import (
    PARTS,
    Described,
    ScriptMaker,
    described,
    options,
    package_of,
    runs,
)
from toolsurface_lint.programs.values import (
    Argument,
    Call,
    External,
    Function,
    Items,
    Literal,
    Made,
    Mapping,
    Method,
    Unknown,
    Value,
)

_HINTS = frozenset(("title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"))


def _recognises(mapping: Mapping, made_by: str) -> Mapping | None:
    """What a server lists; a tool with the function that is run is a record of its program, until a server is given it."""
    recognises = None if runs(mapping) else mcp.FRAMEWORK.recognises
    return None if recognises is None else recognises(mapping, made_by)


def _make_server(maker: ScriptMaker, function: External, call: Call) -> Value | None:
    """`new McpServer({ name, version }, { instructions })`"""
    if function.last == "Server" and not (
        package_of(function).startswith("@modelcontextprotocol/") or _is_mcp(function)
    ):
        return None
    about = call.first_value
    name = text_of(about.get("name")) if isinstance(about, Mapping) else None
    server = maker.registry.server_at(FRAMEWORK, function.path, *call.at, name or "")
    server.name = name or ""
    maker.registry.add_told(server, options(call, 1), ("instructions",))
    return server


def _is_mcp(function: External) -> bool:
    return "/server/index" in function.path or "modelcontextprotocol" in function.path


def _register(maker: ScriptMaker, method: Method, call: Call) -> Value | None:
    """`server.registerTool(name, config, handler)`"""
    if len(call.positional) < 2 and not call.open:
        return None
    given = options(call, 1)
    return maker.add(
        maker.server_of(method, FRAMEWORK), FRAMEWORK, call.first_value, described(given), _named(given, call)
    )


def _named(given: Call, call: Call) -> Call:
    named = Call(*call.at, open=given.open)
    named.keywords = given.keywords
    return named


def _tool(maker: ScriptMaker, method: Method, call: Call) -> Value | None:
    """`server.tool(name, description?, shape or annotations?, annotations?, handler)`"""
    values = call.values
    if len(values) < 2 or isinstance(values[-1], Literal | Mapping | Items):
        return None
    name = plain(values[0])
    if not isinstance(name, str) and not _is_server(method.receiver):
        return None
    parts: dict[str, Argument] = {}
    for argument in call.positional[1:-1]:
        value = argument.value
        if isinstance(value, Mapping):
            is_hints = bool(value.entries) and _HINTS.issuperset(map(str, value.entries)) and _says_only(value)
            parts.setdefault("annotations" if is_hints else "schema", argument)
        elif "description" not in parts and "schema" not in parts and not isinstance(value, Made):
            parts["description"] = argument
        else:
            parts.setdefault("schema", argument)
    if not isinstance(name, str) and not isinstance(values[0], Unknown | Method | Made):
        return None
    given = Described(parts.get("description"), parts.get("schema"), annotations=parts.get("annotations"))
    return maker.add(maker.server_of(method, FRAMEWORK), FRAMEWORK, values[0], given, Call(*call.at))


_REGISTERS = re.compile(r"(?:^|[a-z])[tT]ool(?:(?:With|For)\w{1,40})?\Z")


def register_by_name(maker: ScriptMaker, method: Method, call: Call) -> Value | None:
    """`context.accountTool("search", { description, inputSchema }, handler)` of what is handed over or wraps a server.

    The name of the method says it, and the arguments are those of the SDK.
    """
    values = call.values
    if len(values) < 2 or not isinstance(plain(values[0]), str) or not _REGISTERS.search(method.name):
        return None
    if not isinstance(values[-1], Function):
        return None
    config = values[1]
    if len(values) == 3 and isinstance(config, Mapping) and "description" in config.entries:
        return _register(maker, method, call)
    return _tool(maker, method, call) if len(values) > 2 else None


def _says_only(hints: Mapping) -> bool:
    """Whether the values are those of hints: the shape of a schema has schemas."""
    return all(isinstance(entry.value, Literal) for entry in hints.entries.values())


def _is_server(value: Value) -> bool:
    while isinstance(value, Method) and value.name in PARTS:
        value = value.receiver
    return isinstance(value, Server)


def _handle_request(maker: ScriptMaker, method: Method, call: Call) -> Value | None:
    """`server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools }))`"""
    if len(call.values) < 2:
        return None
    kind, handler = call.values[0], call.values[1]
    name = kind.last if isinstance(kind, External) else plain(kind)
    if not isinstance(handler, Function):
        return None
    server = maker.server_of(method, FRAMEWORK)
    if name in ("ListToolsRequestSchema", "tools/list"):
        maker.add_list(server, handler)
    elif name in ("GetPromptRequestSchema", "prompts/get"):
        maker.registry.tellers.setdefault((server, handler.code), handler)
    elif name in ("CallToolRequestSchema", "tools/call"):
        maker.registry.dispatchers.append(Dispatcher(server, handler))
    return Literal(None, *call.at)


def _prompt(maker: ScriptMaker, method: Method, call: Call) -> Value | None:
    """`server.registerPrompt(name, config, handler)`"""
    handler = call.values[-1] if call.values else None
    if not isinstance(handler, Function) or not (_is_server(method.receiver) or method.name == "registerPrompt"):
        return None
    server = maker.server_of(method, FRAMEWORK)
    maker.registry.tellers.setdefault((server, handler.code), handler)
    return Literal(None, *call.at)


def _experimental(maker: ScriptMaker, method: Method, call: Call) -> Value | None:
    """`server.experimental.tasks.registerToolTask(name, config, handlers)`"""
    receiver: Value = method.receiver
    while isinstance(receiver, Method) and receiver.name in ("tasks", "experimental"):
        receiver = receiver.receiver
    assert method.module is not None
    inner = Method(receiver, method.name, method.text, method.module, method.node)  # type: ignore[arg-type]
    return _register(maker, inner, call)


FRAMEWORK = Framework(
    "typescript-mcp",
    servers={"McpServer": None, "Server": None},
    recognises=_recognises,
    calls={"McpServer": _make_server, "Server": _make_server},
    method_calls={
        "registerTool": _register,
        "tool": _tool,
        "setRequestHandler": _handle_request,
        "registerPrompt": _prompt,
        "prompt": _prompt,
        "registerToolTask": _experimental,
    },
    is_usual=True,
    takes_hints=True,
)
