"""FastMCP for TypeScript (npm fastmcp 3, `src/FastMCP.ts`): a server that is given tools as objects."""

from __future__ import annotations

from toolsurface_lint.programs.operations import text_of
from toolsurface_lint.programs.typescript.frameworks import mcp
from toolsurface_lint.programs.typescript.tool_maker import ScriptMaker, described, options
from toolsurface_lint.programs.values import Call, External, Items, Literal, Mapping, Method, Value


def _make_server(maker: ScriptMaker, function: External, call: Call) -> Value | None:
    """`new FastMCP({ name, version, instructions })`"""
    given = options(call)
    name = text_of(given.value("name")) or ""
    server = maker.registry.server_at(FRAMEWORK, function.path, *call.at, name)
    server.name = name
    maker.registry.add_told(server, given, ("instructions",))
    return server


def _add_tool(maker: ScriptMaker, method: Method, call: Call) -> Value | None:
    """`server.addTool({ name, description, parameters, annotations, execute })`"""
    if len(call.positional) != 1 or isinstance(call.first_value, Literal | Items):
        return None
    server = maker.server_of(method, FRAMEWORK)
    given = options(call)
    given_tool = call.values[0]
    if not isinstance(given_tool, Mapping):
        maker.take_tools(server, call.positional[0]._replace(value=Items([given_tool], *call.at)), call)
        return Literal(None, *call.at)
    if "name" not in given.keywords and not given.open:
        return None
    return maker.add(server, FRAMEWORK, given.value("name"), described(given), given)


def _add_tools(maker: ScriptMaker, method: Method, call: Call) -> Value | None:
    """`server.addTools([...])`"""
    given = call.first_value
    if not isinstance(given, Items):
        return None
    for item in given.items:
        _add_tool(maker, method, Call(*call.at, item))
    if given.missing:
        maker.take_tools(maker.server_of(method, FRAMEWORK), call.positional[0], call)
    return Literal(None, *call.at)


FRAMEWORK = mcp.FRAMEWORK._replace(
    servers={"FastMCP": None},
    recognises=None,
    calls={"FastMCP": _make_server},
    method_calls={"addTool": _add_tool, "addTools": _add_tools},
    is_usual=False,
)
