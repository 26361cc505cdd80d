"""What tools are served by: the servers that code makes, mounts and hands tools to, and those it only names.

A server here is whatever tools are registered with: an MCP server, an agent, a registry.
"""

from __future__ import annotations

import ast

from toolsurface_lint.readers.python import builtins as builtins_of
from toolsurface_lint.readers.python.evaluation import Evaluator
from toolsurface_lint.readers.python.frameworks import (
    BY_ROOT,
    FASTMCP,
    FUNCTION_KEYS,
    GENERATED,
    MCP,
    OTHER,
    PYDANTIC_AI,
    Framework,
    Registration,
    Server,
    ToolObject,
)
from toolsurface_lint.readers.python.modules import Module
from toolsurface_lint.readers.python.registry import Registry
from toolsurface_lint.readers.python.tool_maker import ToolMaker
from toolsurface_lint.readers.python.values import (
    Argument,
    Arguments,
    Class,
    External,
    Function,
    Instance,
    Items,
    Literal,
    Made,
    Mapping,
    Method,
    Value,
    describe,
)
from toolsurface_lint.source.python import Located


class Servers:
    """Finds the server that a call means, and gives it what the call hands to it."""

    def __init__(self, evaluator: Evaluator, registry: Registry, maker: ToolMaker) -> None:
        self._evaluator = evaluator
        self._registry = registry
        self._maker = maker
        self._handlers: list[tuple[Server, Function]] = []
        """Functions that list a server's tools."""

    # Which server

    def make(self, base: External, cls: Class | None, arguments: Arguments, module: Module, node: ast.expr) -> Server:
        """The server that calling its class makes: `base` is the framework's, `cls` one of ours that is derived from it."""
        name = arguments.get("name", 0)
        label = builtins_of.text_of(name.value) if name is not None else None
        framework = FASTMCP if base.root == "fastmcp" else MCP
        server = self.at(framework, base.path, module, node, label or "", cls)
        if base.last in GENERATED:
            self._registry.add_reason(GENERATED[base.last], module, node, server)
        handler = arguments.get("on_list_tools")
        if handler is not None and isinstance(handler.value, Function):
            self._handlers.append((server, handler.value))
        tools = arguments.get("tools")
        if tools is not None:
            self.take_tools(server, tools, module, node)
        if cls is not None and not server.attributes:
            self._evaluator.initialise(server, cls, arguments, module, node)
        return server

    def at(
        self,
        framework: Framework,
        path: str,
        module: Module,
        node: Located,
        label: str = "",
        cls: Class | None = None,
    ) -> Server:
        """The server that an expression makes: one, however often the expression is followed, unless its name differs."""
        key = f"{module.path}:{node.lineno}:{node.col_offset}:{label}"
        servers = self._registry.servers
        if key not in servers:
            servers[key] = Server(key, framework, path, cls, module, node)
        return servers[key]

    def of(self, method: Method, module: Module) -> Server:
        """The server that a method is called on; one of its own for each receiver that is not known."""
        receiver = method.receiver
        if isinstance(receiver, Server):
            return receiver
        if isinstance(receiver, Made) and receiver.module is not None and receiver.node is not None:
            framework = BY_ROOT.get(receiver.path.partition(".")[0], OTHER)
            return self.at(framework, receiver.path, receiver.module, receiver.node)
        framework = PYDANTIC_AI if method.name == "tool_plain" else _usual_framework(module)
        key = f"{module.path}:{method.text}"
        servers = self._registry.servers
        if key not in servers:
            servers[key] = Server(key, framework, "", None, module, method.node)
        return servers[key]

    def generated(self, function: External, module: Module, node: ast.expr) -> Server:
        """The server that a function makes of something else, with tools that nobody can see."""
        server = self.at(FASTMCP, function.path, module, node)
        self._registry.add_reason(GENERATED[function.last], module, node, server)
        return server

    # What a server is given

    def mount(self, method: Method, arguments: Arguments, module: Module, node: ast.expr) -> None:
        """`server.mount(...)`: the tools of another server are served too, under a prefix if there is one."""
        given = [argument.value for argument in arguments.positional]
        given.extend(
            argument.value for key, argument in arguments.keywords.items() if key in ("server", "prefix", "namespace")
        )
        child = next((value for value in given if isinstance(value, Server)), None)
        if child is None and not isinstance(method.receiver, Server):
            # Web applications mount things too.
            return
        parent = self.of(method, module)
        prefixes = [value for value in given if not isinstance(value, Server)]
        prefix = ""
        for value in prefixes:
            text = builtins_of.plain(value)
            if isinstance(text, str):
                prefix = text
            elif text is not None and child is not None:
                self._registry.add_reason(f"a server mounted under {describe(value)}", module, node, parent)
                return
        if child is None:
            self._registry.add_reason("a server is mounted that only a run can tell", module, node, parent)
        elif (child, prefix) not in parent.mounts and child is not parent:
            parent.mounts.append((child, prefix))

    def add_handler(self, method: Method, function: Function) -> Function:
        """`@server.list_tools()`: a function lists the server's tools."""
        self._handlers.append((self.of(method, function.scope.module), function))
        return function

    def run_handlers(self) -> None:
        """Follow the functions that list a server's tools, each once everything else has been followed."""
        done: set[ast.AST] = set()
        for server, function in self._handlers:
            if function.code in done:
                continue
            done.add(function.code)
            self._evaluator.called.add(function.code)
            unknown = Arguments()
            unknown.open = True
            module, code = function.scope.module, function.code
            result = self._evaluator.call(function, unknown, module, code)  # type: ignore[arg-type]
            if isinstance(result, Made) and "tools" in result.arguments.keywords:
                result = result.arguments.keywords["tools"].value
            self.take_tools(server, Argument(result, code, module), module, code)  # type: ignore[arg-type]

    def add_tool(self, method: Method, arguments: Arguments, module: Module, node: ast.expr) -> Value | None:
        """`server.add_tool(...)`; None if it is given no tool."""
        given = arguments.get("tool", 0) or arguments.first(FUNCTION_KEYS)
        if given is None or (isinstance(method.receiver, Made) and method.receiver.path.startswith("argparse")):
            return None
        value = given.value
        server = self.of(method, module)
        if isinstance(value, ToolObject) and value.registration is not None and value.registration.server is not None:
            # A function that is a tool already, registered once more: under another name, or with another server.
            value = value.registration.function or value
        if isinstance(value, Function):
            rest = arguments.named()
            rest.keywords.pop("tool", None)
            return self._maker.from_function(value, server.framework, server, rest, module, node)
        self._attach(server, value, module, node)
        return value

    def take_tools(self, server: Server, given: Argument, module: Module, node: Located) -> None:
        """A list of tools is given to a server or an agent."""
        value = given.value
        if isinstance(value, Mapping):
            value = builtins_of.values_of(value)
        if not isinstance(value, Items):
            if not (isinstance(value, Literal) and value.value is None):
                self._registry.add_reason(f"the list of tools is {describe(value)}", module, node, server)
            return
        for item in value.items:
            self._attach(server, item, module, given.site)
        if not value.complete:
            self._registry.add_reason(f"tools made in a loop over {describe(value)}", module, node, server)

    def _attach(self, server: Server, value: Value, module: Module, node: Located) -> None:
        """A tool is added to a server: one that is known already, a plain function, or something not known."""
        if isinstance(value, ToolObject) and value.registration is not None:
            if value.registration.server is None:
                self._move(value.registration, server)
        elif isinstance(value, Function):
            self._maker.from_function(value, server.framework, server, Arguments(), module, node)
        elif not isinstance(value, Mapping | Class | Instance | Made | Literal) or (
            isinstance(value, Made)
            and not value.last.endswith(("Tool", "Toolset", "Toolkit"))
            and value.last[:1].islower()
        ):
            self._registry.add_unknown(value, module, node, server)

    def _move(self, registration: Registration, server: Server) -> None:
        registration.server = server
        registration.uncertain = registration.uncertain or self._evaluator.uncertain
        registration.optional = registration.optional or self._evaluator.optional > 0


def _usual_framework(module: Module) -> Framework:
    """The framework that a file imports, for receivers that are not known."""
    roots = {value.root for value in module.scope.names.values() if isinstance(value, External)}
    for root in ("fastmcp", "mcp", "pydantic_ai"):
        if root in roots:
            return BY_ROOT[root]
    return MCP
