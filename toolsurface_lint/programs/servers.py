"""What tools are served by: the servers that code makes, mounts and hands tools to, and those it only names.

A server here is whatever tools are registered with: an MCP server, an agent, a registry.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial

from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.framework import (
    BY_ROOT,
    FASTMCP,
    FUNCTION_KEYS,
    GENERATED,
    MCP,
    OTHER,
    PYDANTIC_AI,
    Framework,
    Naming,
    Registration,
    Server,
    ToolObject,
)
from toolsurface_lint.programs.python import builtins as builtins_of
from toolsurface_lint.programs.python.modules import Module
from toolsurface_lint.programs.registry import Registry
from toolsurface_lint.programs.tool_maker import ToolMaker
from toolsurface_lint.programs.values import (
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
    Unknown,
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
        instructions = arguments.get("instructions", 1 if base.last == "FastMCP" else None)
        if instructions is not None:
            self._registry.add_instructions(server, instructions.value)
        tools = arguments.get("tools")
        if tools is not None:
            self.take_tools(server, tools, module, node)
        providers = arguments.get("providers")
        if providers is not None:
            self.take_servers(server, providers, module)
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
        keys = ("server", "provider", "prefix", "namespace")
        given = [argument.value for argument in arguments.positional]
        given.extend(argument.value for key, argument in arguments.keywords.items() if key in keys)
        child = next((value for value in map(self._toolset, given) if value is not None), None)
        if child is None and not isinstance(method.receiver, Server):
            # Web applications mount things too.
            return
        parent = self.of(method, module)
        prefix = ""
        for value in given:
            text = builtins_of.plain(value)
            if isinstance(text, str):
                prefix = text
            elif text is not None and child is not None and self._toolset(value) is None:
                self._registry.add_reason(f"a server mounted under {describe(value)}", module, node, parent)
                return
        if child is None:
            self._registry.add_reason("a server is mounted that only a run can tell", module, node, parent)
            return
        renamed = arguments.get("tool_names")
        names = {} if renamed is None else _texts(renamed.value)
        if names is None:
            self._registry.add_reason("a server mounted with names that only a run can tell", module, node, parent)
        _mount(parent, child, Naming(prefix, names or {}))

    def rename(self, server: Server, arguments: Arguments, module: Module, node: ast.expr) -> None:
        """`server.add_transform(...)`, `server.add_tool_transformation(...)`: tools are served under other names."""
        first = arguments.positional[0].value if arguments.positional else Unknown("a transform")
        naming: Naming | None = None
        if isinstance(first, Made) and first.last == "Namespace":
            prefix = first.arguments.get("prefix", 0)
            text = None if prefix is None else builtins_of.plain(prefix.value)
            naming = Naming(text, {}) if isinstance(text, str) else None
        elif isinstance(first, Made) and first.last == "ToolTransform":
            naming = _transformed_names(first.arguments.get("transforms", 0))
        elif len(arguments.positional) == 2:
            changes = Mapping()
            changes.set(str(builtins_of.plain(first)), arguments.positional[1].value)
            naming = _transformed_names(arguments.positional[1]._replace(value=changes))
        if naming is None:
            self._registry.add_reason("tools changed by a transform", module, node, server)
        elif naming not in server.namings:
            server.namings.append(naming)

    def is_toolset(self, value: Value) -> bool:
        return self._toolset(value) is not None

    def derive(self, method: Method, arguments: Arguments, module: Module, node: ast.expr) -> Server:
        """`toolset.prefixed(...)` and its like: a toolset with the tools of another."""
        inner = self._toolset(method.receiver)
        assert inner is not None
        first = arguments.positional[0] if arguments.positional else None
        if method.name not in ("prefixed", "renamed") or first is None:
            return inner
        derived = self.at(inner.framework, "pydantic_ai.toolsets." + method.name, module, node)
        naming = Naming("", {})
        if method.name == "prefixed":
            prefix = builtins_of.plain(first.value)
            naming = Naming(prefix if isinstance(prefix, str) else "", {})
            known = isinstance(prefix, str)
        else:
            names = _texts(first.value)
            known = names is not None
            naming = Naming("", {old: new for new, old in (names or {}).items()})
        if not known:
            self._registry.add_reason("tools under names that only a run can tell", module, node, derived)
        _mount(derived, inner, naming)
        return derived

    def _toolset(self, value: Value) -> Server | None:
        """The server or the toolset of ours that a value is; None for another value."""
        if isinstance(value, Server):
            return value
        if isinstance(value, Made) and value.last in _TOOLSETS and value.module is not None and value.node is not None:
            return self.at(BY_ROOT.get(value.path.partition(".")[0], OTHER), value.path, value.module, value.node)
        return None

    def take_servers(self, server: Server, given: Argument, module: Module) -> None:
        """A list of servers, toolsets or providers is given to an agent or a server: it serves their tools too."""
        value = given.value
        if isinstance(value, Literal) and value.value is None:
            return
        children = [self._toolset(item) for item in value.items] if isinstance(value, Items) else [None]
        for child in children:
            if child is not None:
                _mount(server, child, Naming("", {}))
        if None in children or (isinstance(value, Items) and not value.complete):
            self._registry.add_reason("tools of other servers", module, given.site, server)

    def add_handler(self, method: Method, function: Function) -> Function:
        """`@server.list_tools()`: a function lists the server's tools."""
        self._handlers.append((self.of(method, function.scope.module), function))
        return function

    def run_handlers(self, follow: Callable[[Module, Callable[[], object]], None]) -> None:
        """Follow the functions that list a server's tools, each once everything else has been followed.

        `follow` is given each of them with its file.
        """
        done: set[ast.AST] = set()
        for server, function in self._handlers:
            if function.code not in done:
                done.add(function.code)
                follow(function.scope.module, partial(self._run_handler, server, function))

    def _run_handler(self, server: Server, function: Function) -> None:
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
            if method.name == "add_tool" and len(arguments.positional) > 1:
                rest.keywords.setdefault("name", arguments.positional[1])
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
        elif isinstance(value, Server):
            _mount(server, value, Naming("", {}))
        elif isinstance(value, Made) and value.last[:1].isupper():
            # A declaration for Gemini holds tools that are known; its other fields name tools that the provider runs.
            if value.path.partition(".")[0] != "google":
                reason = f"a tool of class `{value.last}`, which is not in the files read"
                self._registry.add_reason(reason, module, node, server)
        elif isinstance(value, Instance | Class):
            cls = value if isinstance(value, Class) else value.cls
            if cls is not None and not self._maker.is_named(cls):
                reason = f"a tool of class `{cls.name}`, which has no name before it is made"
                self._registry.add_reason(reason, module, node, server)
        elif not isinstance(value, Mapping | Literal):
            self._registry.add_unknown(value, module, node, server)

    def _move(self, registration: Registration, server: Server) -> None:
        registration.server = server
        registration.uncertain = registration.uncertain or self._evaluator.uncertain
        registration.optional = registration.optional or self._evaluator.optional > 0


_TOOLSETS = frozenset((
    "FunctionToolset", "CombinedToolset", "LocalProvider",
))  # fmt: skip


def _mount(parent: Server, child: Server, naming: Naming) -> None:
    if (child, naming) not in parent.mounts and child is not parent:
        parent.mounts.append((child, naming))


def _texts(value: Value) -> dict[str, str] | None:
    """A dict from texts to texts; None if it is not known."""
    if not isinstance(value, Mapping) or not value.complete:
        return None
    texts = {key: builtins_of.plain(entry.value) for key, entry in value.entries.items()}
    return texts if all(isinstance(text, str) for pair in texts.items() for text in pair) else None


def _transformed_names(given: Argument | None) -> Naming | None:
    """The names that a dict of `ToolTransformConfig(...)` gives; None if that is not known, or more than names is changed."""
    if given is None or not isinstance(given.value, Mapping) or not given.value.complete:
        return None
    names: dict[str, str] = {}
    for tool, entry in given.value.entries.items():
        config = entry.value
        if (
            not isinstance(config, Made)
            or config.arguments.open
            or not _ONLY_NAMES.issuperset(config.arguments.keywords)
        ):
            return None
        name = config.arguments.get("name")
        text = None if name is None else builtins_of.plain(name.value)
        if name is not None and not isinstance(text, str):
            return None
        if isinstance(text, str):
            names[tool] = text
    return Naming("", names)


_ONLY_NAMES = frozenset((
    "name", "title", "description", "tags", "meta",
))  # fmt: skip


def _usual_framework(module: Module) -> Framework:
    """The framework that a file imports, for receivers that are not known."""
    roots = {value.root for value in module.scope.names.values() if isinstance(value, External)}
    for root in ("fastmcp", "mcp", "pydantic_ai"):
        if root in roots:
            return BY_ROOT[root]
    return MCP
