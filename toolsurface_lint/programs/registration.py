"""Which Python code registers tools: the calls, decorators and classes of frameworks, as the evaluator meets them.

Only recognised here: what makes a tool goes to `tool_maker`, what concerns a server to `servers`, and what they find is
kept in the `registry`.
"""

from __future__ import annotations

import ast

from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.framework import (
    AGENT,
    BASE_TOOLS,
    CLAUDE,
    CONSTRUCTORS,
    DECORATORS,
    DICT_CONSTRUCTORS,
    GENERATED,
    HARNESS,
    LANGCHAIN,
    LOW_SERVERS,
    MAY_REGISTER,
    MCP,
    METHODS,
    NO_FRAMEWORK,
    OPENAI_AGENTS,
    OTHER,
    PYDANTIC_AI,
    SERVERS,
    TOOLSET_METHODS,
    Framework,
    Server,
    ToolObject,
    framework_of,
)
from toolsurface_lint.programs.python import builtins as builtins_of
from toolsurface_lint.programs.python.modules import Module
from toolsurface_lint.programs.registry import Registry
from toolsurface_lint.programs.servers import Servers
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
    Member,
    Method,
    ModuleValue,
    Native,
    Unknown,
    Value,
)

# Where a call takes its list of tools if it is not given by name.
_TOOLS_AT = {"ToolRegistry": 0, "ToolNode": 0, "create_agent": 1, "create_react_agent": 1}


class Registrar:
    """What the evaluator asks about frameworks (`evaluation.Known`); what it answers is noted in its `registry`."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.registry = Registry(evaluator)
        self._maker = ToolMaker(evaluator, self.registry)
        self.servers = Servers(evaluator, self.registry, self._maker)

    def call_function(self, function: Function, arguments: Arguments, module: Module, node: ast.expr) -> Value | None:
        if any(isinstance(argument.value, Server) and argument.value.path for argument in arguments.all()):
            self.registry.given_servers.add(function.name)
        if not _is_tool_decorator(function):
            return None
        return self._decorator(_own_framework(function), arguments, module, node)

    def decorate(self, decorator: Value, function: Function, module: Module, node: ast.expr) -> Value | None:
        if isinstance(decorator, Method):
            if decorator.name in METHODS and _may_serve(decorator.receiver):
                return self._method_tool(decorator, Arguments(), function, module, node)
            if decorator.name == "list_tools":
                return self.servers.add_handler(decorator, function)
        if isinstance(decorator, External) and _makes_tools(decorator):
            return self._maker.from_function(function, framework_of(decorator), None, Arguments(), module, node)
        if isinstance(decorator, Function) and _is_tool_decorator(decorator):
            return self._maker.from_function(function, _own_framework(decorator), None, Arguments(), module, node)
        return None

    def call_method(self, method: Method, arguments: Arguments, module: Module, node: ast.expr) -> Value | None:
        receiver, name = method.receiver, method.name
        if not _may_serve(receiver):
            return None
        if name in METHODS:
            return self._decorator(method, arguments, module, node)
        if name == "list_tools" and not arguments.positional:
            return Native(lambda given, where, at: self._handler(method, given, where, at), module, node)
        if isinstance(receiver, Class) and name in GENERATED:
            base = receiver.derives(*SERVERS)
            return None if base is None else self.servers.generated(External(f"{base.path}.{name}"), module, node)
        if isinstance(receiver, Class) and name in ("model_json_schema", "schema"):
            return Made("model_json_schema", _only(receiver, module, node), module, node)
        if isinstance(receiver, Class) and name == "from_function" and receiver.name.endswith("Tool"):
            return self._maker.from_conversion(LANGCHAIN, arguments, module, node)
        if name in ("add_tool", "add_function"):
            return self.servers.add_tool(method, arguments, module, node)
        if name in ("add_tools", "bind_tools") and arguments.positional:
            self.servers.take_tools(self.servers.of(method, module), arguments.positional[0], module, node)
        if name in ("mount", "import_server", "add_provider"):
            self.servers.mount(method, arguments, module, node)
        if name in ("add_transform", "add_tool_transformation") and isinstance(receiver, Server):
            self.servers.rename(receiver, arguments, module, node)
        if name in TOOLSET_METHODS and self.servers.is_toolset(receiver):
            return self.servers.derive(method, arguments, module, node)
        if name == "as_tool":
            by_agent = "tool_name" in arguments.keywords or (isinstance(receiver, Made) and receiver.last == "Agent")
            return self._maker.from_agent(OPENAI_AGENTS if by_agent else LANGCHAIN, arguments, module, node)
        if name == "remove_tool" and isinstance(receiver, Server):
            removed = builtins_of.text_of(arguments.positional[0].value) if arguments.positional else None
            if removed is not None:
                receiver.removed.add(removed)
        return None

    def call_external(self, function: External, arguments: Arguments, module: Module, node: ast.expr) -> Value | None:
        last, root = function.last, function.root
        if last in GENERATED and (root == "fastmcp" or "MCP" in function.path):
            return self.servers.generated(function, module, node)
        if last in SERVERS or function.path in LOW_SERVERS:
            return self.servers.make(function, None, arguments, module, node)
        if _makes_tools(function):
            return self._decorator(framework_of(function), arguments, module, node)
        if last in ("from_function", "from_defaults", "from_tool") and "Tool" in function.path:
            return self._maker.from_conversion(framework_of(function), arguments, module, node)
        if last == "from_schema" and function.path.endswith(".Tool.from_schema"):
            return self._maker.from_constructor(framework_of(function), arguments, module, node)
        if last in CONSTRUCTORS and root not in NO_FRAMEWORK:
            return self._maker.from_constructor(framework_of(function), arguments, module, node)
        if last == "Schema" and root in ("google", "vertexai"):
            return _openapi_schema(arguments, module, node)
        if last in DICT_CONSTRUCTORS:
            mapping = Mapping(module, node)
            for key, argument in arguments.keywords.items():
                mapping.set_at(key, argument.value, argument.module, argument.key)
            self._maker.from_dict(mapping, last)
            return mapping
        if last == "create_sdk_mcp_server":
            server = self.servers.at(CLAUDE, function.path, module, node)
            given = arguments.get("tools", 2)
            if given is not None:
                self.servers.take_tools(server, given, module, node)
            return server
        if last == "ToolRegistry" or AGENT.search(last):
            given = arguments.get("tools", _TOOLS_AT.get(last, 0 if last.endswith("Toolset") else None))
            asked = arguments.first(("mcp_servers", "toolsets"), 0 if last == "CombinedToolset" else None)
            if given is None and asked is None:
                return None
            server = self.servers.at(framework_of(function), function.path, module, node)
            if given is not None and last != "CombinedToolset":
                self.servers.take_tools(server, given, module, node)
            if asked is not None:
                self.servers.take_servers(server, asked, module)
        return None

    def call_unknown(self, function: Value, arguments: Arguments, module: Module, node: ast.expr) -> None:
        server = next((argument.value for argument in arguments.all() if isinstance(argument.value, Server)), None)
        if server is None:
            return
        reason = "tools registered by a function that only a run can tell"
        if isinstance(function, External):
            if not MAY_REGISTER.search(function.last) or function.root in ("builtins", "mcp", "fastmcp", "starlette"):
                return
            reason = f"`{function.last}` may register tools, and is not in the files read"
        elif isinstance(function, Method):
            if not MAY_REGISTER.search(function.name) or not isinstance(function.receiver, Unknown):
                return
            reason = f"`{function.name}` may register tools, and is not in the files read"
        self.registry.add_reason(reason, module, node, server)

    def make_instance(self, cls: Class, arguments: Arguments, module: Module, node: ast.expr) -> Value | None:
        base = cls.derives(*SERVERS, *LOW_SERVERS)
        if base is not None:
            return self.servers.make(base, cls, arguments, module, node)
        if cls.name == "ToolRegistry":
            given = arguments.get("tools", _field_position(cls, "tools"))
            if given is not None:
                self.servers.take_tools(self.servers.at(HARNESS, cls.name, module, node), given, module, node)
            return None
        if cls.name in CONSTRUCTORS and cls.derives(*BASE_TOOLS) is None:
            framework = HARNESS if _has_field(cls, "side_effects") else OTHER
            made = self._maker.from_constructor(framework, arguments, module, node)
            return made if made is not None and made.registration is not None else None
        return None

    def define_class(self, cls: Class) -> None:
        self._maker.from_class(cls)

    def display(self, mapping: Mapping) -> None:
        self._maker.from_dict(mapping)

    def gather(self, items: Items) -> None:
        self.registry.gather(items)

    # Decorators

    def _decorator(self, by: Framework | Method, arguments: Arguments, module: Module, node: ast.expr) -> Value:
        """`tool(...)`, of a framework or a method: the tool if the function is given, else what makes a tool of a function."""

        def make(function: Function, given: Arguments) -> Value:
            if isinstance(by, Method):
                return self._method_tool(by, given, function, module, node)
            return self._maker.from_function(function, by, None, given, module, node)

        def apply(given: Arguments, where: Module, at: ast.expr) -> Value:
            value = given.positional[0].value if given.positional else Unknown("a value that only a run can tell")
            if isinstance(value, Function):
                return make(value, arguments)
            if isinstance(value, ToolObject | Class | Instance):
                return value
            server = self.servers.of(by, module) if isinstance(by, Method) else None
            self.registry.add_unknown(value, where, at, server)
            return value

        first = arguments.positional[0].value if arguments.positional else None
        if isinstance(first, Function):
            return make(first, arguments.named())
        if not isinstance(by, Method) or not isinstance(first, Unknown | Made):
            return Native(apply, module, node)

        def unused() -> None:
            # `server.tool(function)`, of a function that only a run can tell.
            self.registry.add_unknown(first, module, node, self.servers.of(by, module))

        return Native(apply, module, node, unused)

    def _method_tool(
        self, method: Method, arguments: Arguments, function: Function, module: Module, node: ast.expr
    ) -> Value:
        """`@server.tool` and `server.tool(function)`."""
        server = self.servers.of(method, module)
        framework = PYDANTIC_AI if method.name == "tool_plain" else server.framework
        made = self._maker.from_function(function, framework, server, arguments, module, node)
        if framework is PYDANTIC_AI and method.name == "tool" and made.registration:
            made.registration.skip_first = True
        # A decorated function stays callable, and may be registered once more under another name.
        return function if framework in (MCP, PYDANTIC_AI) else made

    def _handler(self, method: Method, given: Arguments, module: Module, node: ast.expr) -> Value:
        """`server.list_tools()` applied to a function."""
        if given.positional and isinstance(given.positional[0].value, Function):
            return self.servers.add_handler(method, given.positional[0].value)
        return Unknown("a call's result", module, node)


def is_server_method(function: Function) -> bool:
    """Whether a method replaces one of a server class that the reader knows: it is part of how tools are registered."""
    owner = function.owner
    return owner is not None and function.name in Server.reserved and owner.derives(*SERVERS, *LOW_SERVERS) is not None


def _may_serve(receiver: Value) -> bool:
    return not isinstance(receiver, Literal | Items | Mapping | ModuleValue | Member | ToolObject)


def _makes_tools(function: External) -> bool:
    return function.last in DECORATORS and function.root not in NO_FRAMEWORK


def _is_tool_decorator(function: Function) -> bool:
    """Whether a function of ours is a decorator named `tool` that makes the tool itself, not by way of a server."""
    if function.name not in DECORATORS or function.owner is not None or isinstance(function.code, ast.Lambda):
        return False
    text = function.scope.module.offsets.text(function.code)
    return ".tool(" not in text and "add_tool" not in text


def _own_framework(function: Function) -> Framework:
    """The framework of a decorator of ours: the tool chapter's if it takes side effects."""
    taken = function.code.args
    names = {parameter.arg for parameter in (*taken.posonlyargs, *taken.args, *taken.kwonlyargs)}
    return HARNESS if "side_effects" in names else OTHER


def _field_position(cls: Class, name: str) -> int | None:
    """The position of a parameter of a class's `__init__`, its object not counted; None if it has none of that name."""
    start = cls.member("__init__")
    if not isinstance(start, Function):
        return None
    names = [parameter.arg for parameter in start.code.args.args[1:]]
    return names.index(name) if name in names else None


def _has_field(cls: Class, name: str) -> bool:
    """Whether objects of a class are made with a value of that name."""
    return _field_position(cls, name) is not None or any(
        isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.target.id == name
        for statement in cls.code.body
    )


def _openapi_schema(arguments: Arguments, module: Module, node: ast.expr) -> Mapping:
    """`types.Schema(...)` of Gemini as the dict that it stands for."""
    schema = Mapping(module, node)
    schema.complete = not arguments.open
    for key, argument in arguments.keywords.items():
        value = argument.value
        if isinstance(value, External) and key == "type":
            value = Literal(value.last, value.module, value.node)
        first, *rest = key.split("_")
        schema.set_at(first + "".join(word.title() for word in rest), value, argument.module, argument.key)
    return schema


def _only(value: Value, module: Module, node: ast.expr) -> Arguments:
    arguments = Arguments()
    arguments.positional.append(Argument(value, node, module))
    return arguments
