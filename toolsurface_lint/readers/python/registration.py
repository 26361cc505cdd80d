"""How frameworks turn Python functions, classes and dicts into tools: decorators, constructors, servers, agents."""

from __future__ import annotations

import ast

from toolsurface_lint.readers.python import builtins as builtins_of
from toolsurface_lint.readers.python.evaluation import Evaluator
from toolsurface_lint.readers.python.frameworks import (
    AGENT,
    ANTHROPIC,
    BASE_TOOLS,
    BY_ROOT,
    CLAUDE,
    CONSTRUCTORS,
    DECORATORS,
    DESCRIPTION_KEYS,
    DICT_CONSTRUCTORS,
    FASTMCP,
    FUNCTION_KEYS,
    GEMINI,
    GENERATED,
    HARNESS,
    LANGCHAIN,
    LOW_SERVERS,
    MAY_REGISTER,
    MCP,
    METHODS,
    NAME_KEYS,
    NO_FRAMEWORK,
    OPENAI,
    ORDERS,
    OTHER,
    PYDANTIC_AI,
    RUN_METHODS,
    SCHEMA_KEYS,
    SERVERS,
    Framework,
    Reason,
    Registration,
    Server,
    ToolObject,
)
from toolsurface_lint.readers.python.modules import Module
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
    Member,
    Method,
    ModuleValue,
    Native,
    Scope,
    Unknown,
    Value,
    describe,
    docstring,
    function_name,
)
from toolsurface_lint.source.python import Located


class Registrar:
    """Collects the tools that the files register, and the reasons why there may be more."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.registrations: list[Registration] = []
        self.reasons: list[Reason] = []
        self.servers: dict[str, Server] = {}
        self.handlers: list[tuple[Server, Function]] = []
        self.tool_functions: set[ast.AST] = set()
        """The code of functions that are tools: the model calls them, nothing in them registers anything."""
        self.given_servers: set[str] = set()
        """The names of functions that were called with a server."""
        self._seen: dict[tuple[object, ...], Registration] = {}
        self._blocks: dict[Scope | Class, int] = {}
        self._reported: set[tuple[str, str, int]] = set()

    # What the evaluator asks

    def call_function(self, function: Function, arguments: Arguments, module: Module, node: ast.expr) -> Value | None:
        if any(isinstance(argument.value, Server) and argument.value.path for argument in arguments.all()):
            self.given_servers.add(function.name)
        if not self._is_tool_decorator(function):
            return None
        return self._decorator(self._framework_of(function, module), None, arguments, module, node)

    def _is_tool_decorator(self, function: Function) -> bool:
        """Whether a function of ours is a decorator named `tool` that makes the tool itself, not by way of a server."""
        if function.name not in DECORATORS or function.owner is not None or isinstance(function.code, ast.Lambda):
            return False
        text = function.scope.module.offsets.text(function.code)
        return ".tool(" not in text and "add_tool" not in text

    def decorate(self, decorator: Value, function: Function, module: Module, node: ast.expr) -> Value | None:
        if isinstance(decorator, Method):
            if decorator.name in METHODS and self._may_serve(decorator.receiver):
                return self._method_tool(decorator, Arguments(), function, module, node)
            if decorator.name == "list_tools":
                return self._list_handler(decorator, function)
        if isinstance(decorator, External) and self._makes_tools(decorator):
            return self._function_tool(function, self._framework(decorator), None, Arguments(), module, node)
        if isinstance(decorator, Function) and self._is_tool_decorator(decorator):
            return self._function_tool(function, self._framework_of(decorator, module), None, Arguments(), module, node)
        return None

    def call_method(self, method: Method, arguments: Arguments, module: Module, node: ast.expr) -> Value | None:
        receiver, name = method.receiver, method.name
        if not self._may_serve(receiver):
            return None
        if name in METHODS:
            return self._decorator(None, method, arguments, module, node)
        if name == "list_tools" and not arguments.positional:
            return Native(lambda given, where, at: self._handle_list(method, given, where, at), module, node)
        if isinstance(receiver, Class) and name in GENERATED:
            base = receiver.derives(*SERVERS)
            return None if base is None else self._generated(External(f"{base.path}.{name}"), module, node)
        if isinstance(receiver, Class) and name in ("model_json_schema", "schema"):
            return Made("model_json_schema", _only(receiver, module, node), module, node)
        if isinstance(receiver, Class) and name == "from_function" and receiver.name.endswith("Tool"):
            return self._from_function(LANGCHAIN, arguments, module, node)
        if name in ("add_tool", "add_function"):
            return self._add_tool(method, arguments, module, node)
        if name in ("add_tools", "bind_tools") and arguments.positional:
            self._take_tools(self._server(method, module), arguments.positional[0], module, node)
        if name in ("mount", "import_server"):
            self._mount(method, arguments, module, node)
        if name == "remove_tool" and isinstance(receiver, Server):
            removed = builtins_of.text_of(arguments.positional[0].value) if arguments.positional else None
            if removed is not None:
                receiver.removed.add(removed)
        return None

    def call_external(self, function: External, arguments: Arguments, module: Module, node: ast.expr) -> Value | None:
        last, root = function.last, function.root
        if last in GENERATED and (root == "fastmcp" or "MCP" in function.path):
            return self._generated(function, module, node)
        if last in SERVERS or function.path in LOW_SERVERS:
            return self._make_server(function, None, arguments, module, node)
        if self._makes_tools(function):
            return self._decorator(self._framework(function), None, arguments, module, node)
        if last in ("from_function", "from_defaults", "from_tool") and "Tool" in function.path:
            return self._from_function(self._framework(function), arguments, module, node)
        if last in CONSTRUCTORS and root not in NO_FRAMEWORK:
            return self._construct(self._framework(function), arguments, module, node)
        if last in DICT_CONSTRUCTORS:
            mapping = Mapping(module, node)
            for key, argument in arguments.keywords.items():
                mapping.set_at(key, argument.value, argument.module, argument.key)
            self._take_dict(mapping, last)
            return mapping
        if last == "create_sdk_mcp_server":
            server = self._server_at(CLAUDE, function.path, module, node)
            given = arguments.get("tools", 2)
            if given is not None:
                self._take_tools(server, given, module, node)
            return server
        if last == "ToolRegistry" or AGENT.search(last):
            given = arguments.get(
                "tools", 0 if last in ("ToolRegistry", "ToolNode") or last.endswith("Toolset") else None
            )
            if given is not None:
                self._take_tools(
                    self._server_at(self._framework(function), function.path, module, node), given, module, node
                )
        return None

    def call_unknown(self, function: Value, arguments: Arguments, module: Module, node: ast.expr) -> None:
        server = next((argument.value for argument in arguments.all() if isinstance(argument.value, Server)), None)
        if server is None:
            return
        if isinstance(function, External):
            if MAY_REGISTER.search(function.last) and function.root not in ("builtins", "mcp", "fastmcp", "starlette"):
                self._open(f"`{function.last}` may register tools, and is not in the files read", module, node, server)
        elif isinstance(function, Method):
            if MAY_REGISTER.search(function.name) and isinstance(function.receiver, Unknown):
                self._open(f"`{function.name}` may register tools, and is not in the files read", module, node, server)
        else:
            self._open("tools registered by a function that only a run can tell", module, node, server)

    def make_instance(self, cls: Class, arguments: Arguments, module: Module, node: ast.expr) -> Value | None:
        base = cls.derives(*SERVERS, *LOW_SERVERS)
        if base is not None:
            return self._make_server(base, cls, arguments, module, node)
        if cls.name == "ToolRegistry":
            given = arguments.get("tools", _field_position(cls, "tools"))
            if given is not None:
                self._take_tools(self._server_at(HARNESS, cls.name, module, node), given, module, node)
            return None
        if cls.name in CONSTRUCTORS and cls.derives(*BASE_TOOLS) is None:
            framework = HARNESS if _has_field(cls, "side_effects") else OTHER
            made = self._construct(framework, arguments, module, node)
            return made if isinstance(made, ToolObject) and made.registration is not None else None
        return None

    def define_class(self, cls: Class) -> None:
        """A class that is a tool: derived from a framework's tool class, with a name and a description of its own."""
        base = cls.derives(*BASE_TOOLS)
        name = cls.scope.names.get("name")
        if (
            base is None
            or base.root in NO_FRAMEWORK
            or not isinstance(name, Literal)
            or not isinstance(name.value, str)
        ):
            return
        module = cls.scope.module
        framework = self._framework(base)
        registration = Registration(
            name, framework, module, module.offsets.identifier(cls.code, cls.name, keyword=True)
        )
        description = cls.member("description")
        registration.description = self.evaluator.resolve(description) if description is not None else Literal(None)
        schema = cls.member("args_schema") or cls.member("inputs")
        if schema is not None:
            made = self.evaluator.resolve(schema)
            registration.schema = Argument(made, cls.code.bases[0], module)
        for method in RUN_METHODS:
            function = cls.member(method)
            if isinstance(function, Function):
                registration.function = function
                self.tool_functions.add(function.code)
                break
        self._register(registration)

    def display(self, mapping: Mapping) -> None:
        self._take_dict(mapping, "")

    def is_own_method(self, function: Function) -> bool:
        """Whether a method replaces one of a server class that the reader knows: it is part of how tools are registered."""
        owner = function.owner
        return (
            owner is not None and function.name in Server.reserved and owner.derives(*SERVERS, *LOW_SERVERS) is not None
        )

    # Servers

    def _may_serve(self, receiver: Value) -> bool:
        return not isinstance(receiver, Literal | Items | Mapping | ModuleValue | Member | ToolObject)

    def _make_server(
        self, base: External, cls: Class | None, arguments: Arguments, module: Module, node: ast.expr
    ) -> Server:
        name = arguments.get("name", 0)
        label = builtins_of.text_of(name.value) if name is not None else None
        framework = FASTMCP if base.root == "fastmcp" else MCP
        server = self._server_at(framework, base.path, module, node, label or "", cls)
        if base.last in GENERATED:
            self._open(GENERATED[base.last], module, node, server)
        handler = arguments.get("on_list_tools")
        if handler is not None and isinstance(handler.value, Function):
            self.handlers.append((server, handler.value))
        tools = arguments.get("tools")
        if tools is not None:
            self._take_tools(server, tools, module, node)
        if cls is not None and not server.attributes:
            self.evaluator.initialise(server, cls, arguments, module, node)
        return server

    def _server_at(
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
        if key not in self.servers:
            self.servers[key] = Server(key, framework, path, cls, module, node)
        return self.servers[key]

    def _server(self, method: Method, module: Module) -> Server:
        """The server that a method is called on; one of its own for each receiver that is not known."""
        receiver = method.receiver
        if isinstance(receiver, Server):
            return receiver
        if isinstance(receiver, Made) and receiver.module is not None and receiver.node is not None:
            framework = BY_ROOT.get(receiver.path.partition(".")[0], OTHER)
            return self._server_at(framework, receiver.path, receiver.module, receiver.node)
        framework = PYDANTIC_AI if method.name == "tool_plain" else self._usual(module)
        key = f"{module.path}:{method.text}"
        if key not in self.servers:
            self.servers[key] = Server(key, framework, "", None, module, method.node)
        return self.servers[key]

    def _usual(self, module: Module) -> Framework:
        """The framework that a file imports, for receivers that are not known."""
        roots = {value.root for value in module.scope.names.values() if isinstance(value, External)}
        for root in ("fastmcp", "mcp", "pydantic_ai"):
            if root in roots:
                return BY_ROOT[root]
        return MCP

    def _generated(self, function: External, module: Module, node: ast.expr) -> Value:
        server = self._server_at(FASTMCP, function.path, module, node)
        self._open(GENERATED[function.last], module, node, server)
        return server

    def _mount(self, method: Method, arguments: Arguments, module: Module, node: ast.expr) -> None:
        given = [argument.value for argument in arguments.positional]
        given.extend(
            argument.value for key, argument in arguments.keywords.items() if key in ("server", "prefix", "namespace")
        )
        child = next((value for value in given if isinstance(value, Server)), None)
        if child is None and not isinstance(method.receiver, Server):
            # Web applications mount things too.
            return
        parent = self._server(method, module)
        prefixes = [value for value in given if not isinstance(value, Server)]
        prefix = ""
        for value in prefixes:
            text = builtins_of.plain(value)
            if isinstance(text, str):
                prefix = text
            elif text is not None and child is not None:
                self._open(f"a server mounted under {describe(value)}", module, node, parent)
                return
        if child is None:
            self._open("a server is mounted that only a run can tell", module, node, parent)
        elif (child, prefix) not in parent.mounts and child is not parent:
            parent.mounts.append((child, prefix))

    def _list_handler(self, method: Method, function: Function) -> Value:
        self.handlers.append((self._server(method, function.scope.module), function))
        return function

    def _handle_list(self, method: Method, given: Arguments, module: Module, node: ast.expr) -> Value:
        if given.positional and isinstance(given.positional[0].value, Function):
            return self._list_handler(method, given.positional[0].value)
        return Unknown("a call's result", module, node)

    def run_handlers(self) -> None:
        """Follow the functions that list a server's tools, each once everything else has been followed."""
        done: set[ast.AST] = set()
        for server, function in self.handlers:
            if function.code in done:
                continue
            done.add(function.code)
            self.evaluator.called.add(function.code)
            unknown = Arguments()
            unknown.open = True
            module, code = function.scope.module, function.code
            result = self.evaluator.call(function, unknown, module, code)  # type: ignore[arg-type]
            if isinstance(result, Made) and "tools" in result.arguments.keywords:
                result = result.arguments.keywords["tools"].value
            self._take_tools(server, Argument(result, code, module), module, code)  # type: ignore[arg-type]

    # Tools

    def _makes_tools(self, function: External) -> bool:
        return function.last in DECORATORS and function.root not in NO_FRAMEWORK

    def _framework(self, function: External) -> Framework:
        """The framework of something from a package, or from a file that was not given with the others."""
        known = BY_ROOT.get(function.path.lstrip(".").partition(".")[0])
        if known is not None:
            return known
        chapter = (".decorator.tool",) if function.root else (".decorator.tool", ".base.Tool", ".registry.ToolRegistry")
        return HARNESS if function.path.endswith(chapter) else OTHER

    def _framework_of(self, function: Function, module: Module) -> Framework:
        """The framework of a decorator of ours: the tool chapter's if it takes side effects."""
        taken = function.code.args
        names = {parameter.arg for parameter in (*taken.posonlyargs, *taken.args, *taken.kwonlyargs)}
        return HARNESS if "side_effects" in names else OTHER

    def _decorator(
        self,
        framework: Framework | None,
        method: Method | None,
        arguments: Arguments,
        module: Module,
        node: ast.expr,
    ) -> Value:
        """`tool(...)`: the tool if the function is given, else what makes a tool of a function."""

        def make(function: Function, where: Module, at: ast.expr) -> Value:
            if method is not None:
                return self._method_tool(method, arguments, function, where, at)
            assert framework is not None
            return self._function_tool(function, framework, None, arguments, where, at)

        def apply(given: Arguments, where: Module, at: ast.expr) -> Value:
            value = given.positional[0].value if given.positional else Unknown("a value that only a run can tell")
            if isinstance(value, Function):
                return make(value, module, node)
            if isinstance(value, ToolObject | Class | Instance):
                return value
            server = None if method is None else self._server(method, module)
            self._unknown_tool(value, where, at, server)
            return value

        first = arguments.positional[0].value if arguments.positional else None
        if isinstance(first, Function):
            rest = Arguments()
            rest.keywords, rest.open = arguments.keywords, arguments.open
            arguments = rest
            return make(first, module, node)
        return Native(apply, module, node)

    def _method_tool(
        self, method: Method, arguments: Arguments, function: Function, module: Module, node: ast.expr
    ) -> Value:
        server = self._server(method, module)
        framework = PYDANTIC_AI if method.name == "tool_plain" else server.framework
        made = self._function_tool(function, framework, server, arguments, module, node)
        if framework is PYDANTIC_AI and method.name == "tool" and isinstance(made, ToolObject) and made.registration:
            made.registration.skip_first = True
        # A decorated function stays callable, and may be registered once more under another name.
        return function if framework in (MCP, PYDANTIC_AI) else made

    def _function_tool(
        self,
        function: Function,
        framework: Framework,
        server: Server | None,
        arguments: Arguments,
        module: Module,
        node: ast.expr,
    ) -> Value:
        """A tool made of a function."""
        self.tool_functions.add(function.code)
        self.evaluator.called.add(function.code)
        if framework is OTHER and "side_effects" in arguments.keywords:
            framework = HARNESS
        # Only the harness declares side effects, so a positional argument elsewhere is a name.
        name = self._first(arguments, NAME_KEYS, 0)
        own = function.scope.module
        place = function_name(function, own)
        if name is None or (isinstance(name.value, Literal) and name.value.value is None):
            label: Value = Literal(function.name, own, place)
        else:
            label = name.value
        text = builtins_of.plain(label)
        if not isinstance(text, str) or (name is None and (place is None or arguments.open)):
            self._unknown_tool(label, module, node, server, "a tool registered under ")
            return ToolObject(None, module, node, describe(label))
        registration = Registration(Literal(text, label.module, label.node), framework, own, place or function.code)
        registration.function = function
        registration.server = server
        order = ORDERS.get(framework.format, ())
        description = self._first(
            arguments, DESCRIPTION_KEYS, order.index("description") if framework in (HARNESS, CLAUDE) else None
        )
        if description is None or builtins_of.text_of(description.value) in ("None", ""):
            registration.description = docstring(function)
        else:
            registration.description = description.value
        if arguments.open and description is None:
            registration.description = Unknown("an argument that only a run can tell")
        registration.schema = self._first(arguments, SCHEMA_KEYS, 2 if framework is CLAUDE else None)
        if arguments.get("parse_docstring") is not None:
            registration.framework = framework._replace(documented=True)
        self._finish(registration, arguments)
        return ToolObject(self._register(registration), module, node)

    def _finish(self, registration: Registration, arguments: Arguments) -> None:
        """What decorators and constructors take in the same way."""
        registration.annotations = self._first(arguments, ("annotations", "tool_annotations"), None)
        registration.side_effects = self._first(
            arguments,
            ("side_effects",),
            2 if registration.display is None and registration.framework is HARNESS else None,
        )
        registration.title = arguments.get("title")
        excluded = arguments.get("exclude_args")
        if excluded is not None and isinstance(excluded.value, Items):
            registration.excluded = frozenset(str(builtins_of.plain(item)) for item in excluded.value.items)
        enabled = arguments.get("enabled")
        if enabled is not None and builtins_of.plain(enabled.value) is False:
            registration.optional = True

    def _first(self, arguments: Arguments, keys: tuple[str, ...], position: int | None) -> Argument | None:
        for key in keys:
            if key in arguments.keywords:
                return arguments.keywords[key]
        if position is not None and position < len(arguments.positional):
            return arguments.positional[position]
        return None

    def _add_tool(self, method: Method, arguments: Arguments, module: Module, node: ast.expr) -> Value | None:
        given = arguments.get("tool", 0) or self._first(arguments, FUNCTION_KEYS, None)
        if given is None or (isinstance(method.receiver, Made) and method.receiver.path.startswith("argparse")):
            return None
        value = given.value
        server = self._server(method, module)
        if isinstance(value, ToolObject) and value.registration is not None and value.registration.server is not None:
            # A function that is a tool already, registered once more: under another name, or with another server.
            value = value.registration.function or value
        if isinstance(value, Function):
            rest = Arguments()
            rest.keywords, rest.open = dict(arguments.keywords), arguments.open
            rest.keywords.pop("tool", None)
            return self._function_tool(value, server.framework, server, rest, module, node)
        self._attach(server, value, module, node)
        return value

    def _take_tools(self, server: Server, given: Argument, module: Module, node: Located) -> None:
        """A list of tools is given to a server or an agent."""
        value = given.value
        if isinstance(value, Mapping):
            value = builtins_of.values_of(value)
        if not isinstance(value, Items):
            if not (isinstance(value, Literal) and value.value is None):
                self._open(f"the list of tools is {describe(value)}", module, node, server)
            return
        for item in value.items:
            self._attach(server, item, module, given.site)
        if not value.complete:
            self._open(f"tools made in a loop over {describe(value)}", module, node, server)

    def _attach(self, server: Server, value: Value, module: Module, node: Located) -> None:
        """A tool is added to a server: one that is known already, a plain function, or something not known."""
        if isinstance(value, ToolObject) and value.registration is not None:
            if value.registration.server is None:
                self._move(value.registration, server)
        elif isinstance(value, Function):
            at = module.offsets and node
            self._function_tool(value, server.framework, server, Arguments(), module, at)  # type: ignore[arg-type]
        elif not isinstance(value, Mapping | Class | Instance | Made | Literal) or (
            isinstance(value, Made)
            and not value.last.endswith(("Tool", "Toolset", "Toolkit"))
            and value.last[:1].islower()
        ):
            self._unknown_tool(value, module, node, server)

    def _move(self, registration: Registration, server: Server) -> None:
        registration.server = server
        registration.uncertain = registration.uncertain or self.evaluator.uncertain
        registration.optional = registration.optional or self.evaluator.optional > 0

    def _construct(self, framework: Framework, arguments: Arguments, module: Module, node: ast.expr) -> Value | None:
        """`Tool(...)` of any framework, told apart by the arguments that it is given."""
        order = ORDERS.get(framework.format, ())
        for position, key in enumerate(order):
            if key not in arguments.keywords and position < len(arguments.positional):
                arguments.keywords[key] = arguments.positional[position]
        if framework is OTHER and "side_effects" in arguments.keywords:
            framework = HARNESS
        declarations = arguments.get("function_declarations")
        if declarations is not None and isinstance(declarations.value, Items):
            for declaration in declarations.value.items:
                if isinstance(declaration, Mapping):
                    self._take_dict(declaration, "FunctionDeclaration")
        given = self._first(arguments, FUNCTION_KEYS, None)
        if given is None and arguments.positional and isinstance(arguments.positional[0].value, Function):
            given = arguments.positional[0]
        function = given.value if given is not None else None
        schema = self._first(arguments, SCHEMA_KEYS, None)
        name = self._first(arguments, NAME_KEYS, None)
        if isinstance(function, Function) and (name is None or framework is PYDANTIC_AI) and schema is None:
            rest = Arguments()
            rest.keywords = arguments.keywords
            return self._function_tool(function, framework, None, rest, module, node)
        if name is None:
            return None
        text = builtins_of.plain(name.value)
        if not isinstance(text, str):
            return ToolObject(None, module, node, describe(name.value))
        registration = Registration(Literal(text, name.value.module, name.value.node), framework, module, node)
        if isinstance(function, Function):
            registration.function = function
            self.tool_functions.add(function.code)
        description = self._first(arguments, DESCRIPTION_KEYS, None)
        registration.description = Literal(None, module, node) if description is None else description.value
        registration.schema = schema
        self._finish(registration, arguments)
        if arguments.open:
            registration.description = registration.description if description else Unknown("an argument")
        return ToolObject(self._register(registration), module, node)

    def _from_function(self, framework: Framework, arguments: Arguments, module: Module, node: ast.expr) -> Value:
        """`Tool.from_function(f, name=...)` and `Tool.from_tool(tool, name=...)`."""
        given = self._first(arguments, (*FUNCTION_KEYS, "tool"), 0)
        value = given.value if given is not None else Unknown("an argument")
        rest = Arguments()
        rest.keywords, rest.open = arguments.keywords, arguments.open
        if isinstance(value, Function):
            return self._function_tool(value, framework, None, rest, module, node)
        if isinstance(value, ToolObject) and value.registration is not None and value.registration.function is not None:
            return self._function_tool(value.registration.function, framework, None, rest, module, node)
        name = arguments.get("name")
        text = None if name is None else builtins_of.plain(name.value)
        if name is None or not isinstance(text, str):
            return ToolObject(None, module, node, describe(value))
        registration = Registration(Literal(text, name.value.module, name.value.node), framework, module, node)
        description = arguments.get("description")
        registration.description = Unknown(describe(value)) if description is None else description.value
        registration.schema = Argument(Unknown(describe(value)), node, module)
        self._finish(registration, arguments)
        return ToolObject(self._register(registration), module, node)

    def _take_dict(self, mapping: Mapping, made_by: str) -> None:
        """A dict in the shape of a provider's tool definition."""
        function = mapping.get("function")
        kind = mapping.get("type")
        body, framework = mapping, OTHER
        if isinstance(function, Mapping) and (kind is None or builtins_of.plain(kind) == "function"):
            body, framework = function, OPENAI
        elif kind is not None and builtins_of.plain(kind) == "function" and "parameters" in mapping.entries:
            framework = OPENAI
        elif "input_schema" in mapping.entries:
            framework = ANTHROPIC
        elif "inputSchema" in mapping.entries:
            framework = MCP
        elif made_by == "FunctionDeclaration":
            framework = GEMINI
        else:
            return
        name = body.get("name")
        text = None if name is None else builtins_of.plain(name)
        if name is None or not isinstance(text, str) or mapping.module is None or mapping.node is None:
            return
        registration = Registration(Literal(text, name.module, name.node), framework, mapping.module, mapping.node)
        registration.display = mapping
        registration.description = body.get("description") or (
            Literal(None) if body.complete else Unknown("a key that only a run can tell")
        )
        self._register(registration)

    def _register(self, registration: Registration) -> Registration:
        """Keep a registration, once: code that is followed twice registers the same tool."""
        place = registration.node.lineno, registration.node.col_offset
        key = (registration.server, registration.name.value, registration.module.path, *place)
        known = self._seen.get(key)
        if known is not None:
            return known
        self._seen[key] = registration
        registration.entry = self.evaluator.entry
        registration.uncertain = self.evaluator.uncertain
        registration.optional = registration.optional or self.evaluator.optional > 0
        displays = self.evaluator.displays
        if registration.server is None:
            at = displays[0].lineno if displays else registration.node.lineno
            where = f"list:{at}" if displays else f"{at}:{registration.node.col_offset}"
            if registration.function is not None and not displays:
                where = self._block(registration.function)
            registration.container = f"{registration.module.path}:{registration.framework.format}:{where}"
        self.registrations.append(registration)
        return registration

    def _block(self, function: Function) -> str:
        """What tells the tools in one function's or class's body from those in another; empty for those of a file itself."""
        if function.owner is None and function.scope.outer is None:
            return ""
        return str(self._blocks.setdefault(function.owner or function.scope, len(self._blocks) + 1))

    def _unknown_tool(
        self, value: Value, module: Module, node: object, server: Server | None, prefix: str = "a tool that is "
    ) -> None:
        if self.evaluator.loops:
            loop = self.evaluator.loops[-1]
            self._open(f"tools registered in a loop over {loop.what}", loop.module, loop.node, server)
        elif isinstance(value, ToolObject) and value.what:
            self._open(f"a tool registered under {value.what}", module, node, server)
        else:
            self._open(prefix + describe(value), module, node, server)

    def _open(self, text: str, module: Module, node: object, server: Server | None) -> None:
        key = text, module.path, getattr(node, "lineno", 1)
        if key not in self._reported:
            self._reported.add(key)
            self.reasons.append(Reason(text, module, node, server))


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


def _only(value: Value, module: Module, node: ast.expr) -> Arguments:
    arguments = Arguments()
    arguments.positional.append(Argument(value, node, module))
    return arguments
