"""What tools are served by: the servers that code makes, mounts and hands tools to, and those it only names.

A server here is whatever tools are registered with: an MCP server, an agent, a registry.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from toolsurface_lint.programs import framework as kinds
from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.operations import text_of, values_of
from toolsurface_lint.programs.registry import Naming, Registry, Server, ToolObject
from toolsurface_lint.programs.tool_maker import ToolMaker

if TYPE_CHECKING:
    from toolsurface_lint.source.python import Located


class Servers:
    """Finds the server that a call means, and gives it what the call hands to it."""

    def __init__(self, evaluator: Evaluator, registry: Registry, maker: ToolMaker) -> None:
        self._evaluator = evaluator
        self._registry = registry
        self._maker = maker
        self._handlers: list[tuple[Server, v.Function]] = []
        """Functions that list a server's tools."""

    # Which server

    def make(self, base: v.External, cls: v.Class | None, call: v.Call) -> Server:
        """The server that calling its class makes: `base` is the framework's, `cls` one of ours that is derived from it."""
        label = text_of(call.value("name", 0))
        framework = kinds.server_framework(base)
        server = self.at(framework, base.path, *call.at, label or "", cls)
        if base.last in framework.generated:
            self._registry.add_reason(framework.generated[base.last], *call.at, server)
        handler = call.value("on_list_tools")
        if isinstance(handler, v.Function):
            self._handlers.append((server, handler))
        self._registry.add_instructions(server, call.value("instructions", framework.servers.get(base.last)))
        self.take_tools(server, call.get("tools"), call)
        self.take_servers(server, call.get("providers"), call.module)
        if cls is not None and not server.attributes:
            self._evaluator.initialise(server, cls, call)
        return server

    def at(
        self,
        framework: Framework,
        path: str,
        module: v.Module,
        node: v.Node,
        label: str = "",
        cls: v.Class | None = None,
    ) -> Server:
        """The server that an expression makes: one, however often the expression is followed, unless its name differs."""
        return self._server(
            f"{module.path}:{node.lineno}:{node.col_offset}:{label}", framework, path, cls, module, node
        )

    def _server(
        self, key: str, framework: Framework, path: str, cls: v.Class | None, module: v.Module, node: Located | None
    ) -> Server:
        servers = self._registry.servers
        if key not in servers:
            servers[key] = Server(key, framework, path, cls, module, node)
        return servers[key]

    def of(self, method: v.Method, module: v.Module) -> Server:
        """The server that a method is called on; one of its own for each receiver that is not known."""
        receiver = method.receiver
        if isinstance(receiver, Server):
            return receiver
        if isinstance(receiver, v.Made) and receiver.module is not None and receiver.node is not None:
            return self.at(kinds.framework_of(receiver.path), receiver.path, receiver.module, receiver.node)
        roots = {value.root for value in module.scope.names.values() if isinstance(value, v.External)}
        framework = kinds.usual_framework(method.name, roots)
        return self._server(f"{module.path}:{method.text}", framework, "", None, module, method.node)

    def known(self, value: v.Value) -> Server | None:
        """The server or the toolset of ours that a value is; None for another value."""
        if isinstance(value, Server):
            return value
        if (
            isinstance(value, v.Made)
            and value.last in _TOOLSETS
            and value.module is not None
            and value.node is not None
        ):
            return self.at(kinds.framework_of(value.path), value.path, value.module, value.node)
        return None

    # What a server is given

    def take_servers(self, server: Server, given: v.Argument | None, module: v.Module) -> None:
        """A list of servers, toolsets or providers is given to an agent or a server: it serves their tools too."""
        if given is None or v.is_none(given.value):
            return
        value = given.value
        children = [self.known(item) for item in value.items] if isinstance(value, v.Items) else [None]
        for child in children:
            if child is not None:
                server.mount(child, Naming())
        if None in children or (isinstance(value, v.Items) and not value.complete):
            self._registry.add_reason("tools of other servers", module, given.site, server)

    def add_handler(self, method: v.Method, function: v.Function) -> v.Function:
        """`@server.list_tools()`: a function lists the server's tools."""
        self._handlers.append((self.of(method, function.scope.module), function))
        return function

    def run_handlers(self, follow: Callable[[v.Module, Callable[[], object]], None]) -> None:
        """Follow the functions that list a server's tools, each once everything else has been followed.

        `follow` is given each of them with its file.
        """
        done: set[v.Node] = set()
        for server, function in self._handlers:
            if function.code not in done:
                done.add(function.code)
                follow(function.scope.module, partial(self._run_handler, server, function))

    def _run_handler(self, server: Server, function: v.Function) -> None:
        self._evaluator.called.add(function.code)
        call = v.Call(function.scope.module, function.code, open=True)
        result = self._evaluator.call(function, call)
        if isinstance(result, v.Made) and "tools" in result.arguments.keywords:
            result = result.arguments.keywords["tools"].value
        self.take_tools(server, v.Argument(result, call.node, call.module), call)

    def add_tool(self, method: v.Method, call: v.Call) -> v.Value | None:
        """`server.add_tool(...)`; None if it is given no tool."""
        given = call.get("tool", 0) or call.first(kinds.FUNCTION_KEYS)
        if given is None or (isinstance(method.receiver, v.Made) and method.receiver.root == "argparse"):
            return None
        value = given.value
        server = self.of(method, call.module)
        if isinstance(value, ToolObject) and value.registration is not None and value.registration.server is not None:
            # A function that is a tool already, registered once more: under another name, or with another server.
            value = value.registration.function or value
        if isinstance(value, v.Function):
            rest = call.named()
            rest.keywords.pop("tool", None)
            if method.name == "add_tool" and len(call.positional) > 1:
                rest.keywords.setdefault("name", call.positional[1])
            return self._maker.from_function(value, server.framework, server, rest)
        self._attach(server, value, call)
        return value

    def take_tools(self, server: Server, given: v.Argument | None, call: v.Call) -> None:
        """A list of tools is given to a server or an agent; nothing happens if it is not."""
        if given is None:
            return
        value = values_of(given.value) if isinstance(given.value, v.Mapping) else given.value
        if not isinstance(value, v.Items):
            if not v.is_none(value):
                self._registry.add_reason(f"the list of tools is {v.describe(value)}", *call.at, server)
            return
        for item in value.items:
            self._attach(server, item, v.Call(call.module, given.site))
        if not value.complete:
            self._registry.add_reason(f"tools made in a loop over {v.describe(value)}", *call.at, server)

    def _attach(self, server: Server, value: v.Value, call: v.Call) -> None:
        """A tool is added to a server: one that is known already, a plain function, or something not known."""
        if isinstance(value, ToolObject) and value.registration is not None:
            registration = value.registration
            if registration.server is None:
                registration.server = server
                registration.uncertain = registration.uncertain or self._evaluator.soft > 0
                registration.optional = registration.optional or self._evaluator.optional > 0
        elif isinstance(value, v.Function):
            self._maker.from_function(value, server.framework, server, v.Call(*call.at))
        elif isinstance(value, Server):
            server.mount(value, Naming())
        elif isinstance(value, v.Made) and value.last[:1].isupper():
            if not kinds.framework_of(value.path).has_provider_tools:
                reason = f"a tool of class `{value.last}`, which is not in the files read"
                self._registry.add_reason(reason, *call.at, server)
        elif isinstance(value, v.Instance | v.Class):
            cls = value if isinstance(value, v.Class) else value.cls
            if cls is not None and not self._maker.is_named(cls):
                reason = f"a tool of class `{cls.name}`, which has no name before it is made"
                self._registry.add_reason(reason, *call.at, server)
        elif not isinstance(value, v.Mapping | v.Literal):
            self._registry.add_unknown(value, *call.at, server)


_TOOLSETS = ("FunctionToolset", "CombinedToolset", "LocalProvider")
