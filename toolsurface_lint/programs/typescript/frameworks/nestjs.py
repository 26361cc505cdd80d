"""NestJS modules for MCP (`@rekog/mcp-nest`, `@nestjs-mcp/server`): methods with a decorator are the tools."""

from __future__ import annotations

from toolsurface_lint.programs.typescript.frameworks import mcp
from toolsurface_lint.programs.typescript.tool_maker import ScriptMaker, described, options, package_of
from toolsurface_lint.programs.values import Call, External, Function, Literal, Native, Value

_SCHEMA_KEYS = ("parameters", "paramsSchema", "inputSchema")


def _decorator(maker: ScriptMaker, function: External, call: Call) -> Value | None:
    """`@Tool({ name, description, parameters })` on a method, which names the tool that has no name of its own."""
    if "mcp" not in package_of(function):
        return None
    given = options(call)

    def decorate(decorated: Call) -> Value:
        method = decorated.first_value
        name = given.value("name")
        if name is None and not given.open and isinstance(method, Function):
            code = method.code.get("name") or method.code
            name = Literal(method.name, method.scope.module, code)
        return maker.add(None, FRAMEWORK, name, described(given, _SCHEMA_KEYS), given)

    return Native(decorate, *call.at)


FRAMEWORK = mcp.FRAMEWORK._replace(
    servers={},
    recognises=None,
    calls={"Tool": _decorator},
    method_calls={},
    is_usual=False,
)
