"""Makes registrations of what is a tool in Python code: a function, a `Tool(...)`, a class, a dict.

Which argument holds the name, the description or the schema differs from one framework to the next, and changes with
them; what a tool is registered with does not matter here.
"""

from __future__ import annotations

import ast
from typing import Any

from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.framework import (
    ANTHROPIC,
    BASE_TOOLS,
    BEDROCK,
    CLAUDE,
    DESCRIPTION_KEYS,
    FUNCTION_KEYS,
    GEMINI,
    HARNESS,
    MCP,
    NAME_KEYS,
    NO_FRAMEWORK,
    OPENAI,
    ORDERS,
    OTHER,
    PYDANTIC_AI,
    RUN_METHODS,
    SCHEMA_KEYS,
    SUMMARY,
    Framework,
    Registration,
    Server,
    ToolObject,
    framework_of,
)
from toolsurface_lint.programs.python import builtins as builtins_of
from toolsurface_lint.programs.python.modules import Module
from toolsurface_lint.programs.registry import Registry
from toolsurface_lint.programs.values import (
    Argument,
    Arguments,
    Class,
    Function,
    Items,
    Literal,
    Made,
    Mapping,
    Unknown,
    Value,
    describe,
    docstring,
    function_name,
)
from toolsurface_lint.source.python import Located


class ToolMaker:
    """Adds to a registry the tools that functions, constructors, classes and dicts make."""

    def __init__(self, evaluator: Evaluator, registry: Registry) -> None:
        self._evaluator = evaluator
        self._registry = registry
        self._classes: set[ast.ClassDef] = set()

    def from_function(
        self,
        function: Function,
        framework: Framework,
        server: Server | None,
        arguments: Arguments,
        module: Module,
        node: Located,
    ) -> ToolObject:
        """The tool that a decorator or a registering call makes of a function; `arguments` are those given beside it."""
        self._registry.tool_functions.add(function.code)
        self._evaluator.called.add(function.code)
        if framework is OTHER and "side_effects" in arguments.keywords:
            framework = HARNESS
        # Only the harness declares side effects, so a positional argument elsewhere is a name.
        name = arguments.first(NAME_KEYS, 0)
        own = function.scope.module
        place = function_name(function, own)
        if name is None or (isinstance(name.value, Literal) and name.value.value is None):
            label: Value = Literal(function.name, own, place)
        else:
            label = name.value
        text = builtins_of.plain(label)
        if not isinstance(text, str) or (name is None and (place is None or arguments.open)):
            self._registry.add_unknown(label, module, node, server, "a tool registered under ")
            return ToolObject(None, module, node, describe(label))
        registration = Registration(Literal(text, label.module, label.node), framework, own, place or function.code)
        registration.function = function
        registration.server = server
        order = ORDERS.get(framework.format, ())
        description = arguments.first(
            DESCRIPTION_KEYS, order.index("description") if framework in (HARNESS, CLAUDE) else None
        )
        if description is None or builtins_of.text_of(description.value) in ("None", ""):
            registration.description = docstring(function)
        else:
            registration.description = description.value
        if arguments.open and description is None:
            registration.description = Unknown("an argument that only a run can tell")
        registration.schema = _schema_of(arguments, 2 if framework is CLAUDE else None)
        if _plain(arguments, "parse_docstring") is True:
            registration.framework = framework._replace(documented=True, text=SUMMARY)
        elif _plain(arguments, "use_docstring_info") is False:
            registration.framework = framework._replace(documented=False)
            if description is None:
                registration.description = Literal(None, own, place)
        _set_options(registration, arguments)
        return ToolObject(self._registry.add(registration), module, node)

    def from_constructor(
        self, framework: Framework, arguments: Arguments, module: Module, node: ast.expr
    ) -> ToolObject | None:
        """`Tool(...)` of any framework, told apart by the arguments that it is given; None if they make no tool."""
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
                    self.from_dict(declaration, "FunctionDeclaration")
            self._registry.gather(declarations.value)
        given = arguments.first(FUNCTION_KEYS)
        if given is None and arguments.positional and isinstance(arguments.positional[0].value, Function):
            given = arguments.positional[0]
        function = given.value if given is not None else None
        schema = _schema_of(arguments)
        name = arguments.first(NAME_KEYS)
        if name is None and arguments.open:
            return ToolObject(None, module, node, describe(Unknown("a value that only a run can tell")))
        if isinstance(function, Function) and (name is None or framework is PYDANTIC_AI) and schema is None:
            rest = Arguments()
            rest.keywords = arguments.keywords
            return self.from_function(function, framework, None, rest, module, node)
        if name is None:
            return None
        text = builtins_of.plain(name.value)
        if not isinstance(text, str):
            return ToolObject(None, module, node, describe(name.value))
        registration = Registration(Literal(text, name.value.module, name.value.node), framework, module, node)
        if isinstance(function, Function):
            registration.function = function
            self._registry.tool_functions.add(function.code)
        description = arguments.first(DESCRIPTION_KEYS)
        registration.description = Literal(None, module, node) if description is None else description.value
        registration.schema = schema
        _set_options(registration, arguments)
        if arguments.open:
            registration.description = registration.description if description else Unknown("an argument")
        return ToolObject(self._registry.add(registration), module, node)

    def from_conversion(self, framework: Framework, arguments: Arguments, module: Module, node: ast.expr) -> ToolObject:
        """`Tool.from_function(f, name=...)` and `Tool.from_tool(tool, name=...)`."""
        given = arguments.first((*FUNCTION_KEYS, "tool"), 0)
        value = given.value if given is not None else Unknown("an argument")
        if isinstance(value, ToolObject) and value.registration is not None and value.registration.function is not None:
            value = value.registration.function
        if isinstance(value, Function):
            tool = self.from_function(value, framework, None, arguments.named(), module, node)
            changed = arguments.get("transform_args")
            if changed is not None and tool.registration is not None:
                tool.registration.transforms = changed.value
            return tool
        name = arguments.get("name")
        text = None if name is None else builtins_of.plain(name.value)
        if name is None or not isinstance(text, str):
            return ToolObject(None, module, node, describe(value))
        registration = Registration(Literal(text, name.value.module, name.value.node), framework, module, node)
        description = arguments.get("description")
        registration.description = Unknown(describe(value)) if description is None else description.value
        registration.schema = Argument(Unknown(describe(value)), node, module)
        _set_options(registration, arguments)
        return ToolObject(self._registry.add(registration), module, node)

    def from_agent(
        self, framework: Framework, arguments: Arguments, module: Module, node: ast.expr
    ) -> ToolObject | None:
        """`agent.as_tool(...)`: a tool that asks another agent; None if the call gives no name."""
        name = arguments.first(NAME_KEYS)
        first = arguments.positional[0] if arguments.positional else None
        if name is None and first is not None and isinstance(first.value, Literal):
            name = first
        text = None if name is None else builtins_of.plain(name.value)
        if name is None or not isinstance(text, str):
            return None
        registration = Registration(Literal(text, name.value.module, name.value.node), framework, module, node)
        description = arguments.first(DESCRIPTION_KEYS, 1)
        registration.description = Unknown("an agent's") if description is None else description.value
        registration.schema = Argument(Unknown("an agent's"), node, module)
        return ToolObject(self._registry.add(registration), module, node)

    def is_named(self, cls: Class) -> bool:
        """Whether objects of a class are tools that `from_class` has seen."""
        return any(isinstance(ancestor, Class) and ancestor.code in self._classes for ancestor in cls.ancestors())

    def from_class(self, cls: Class) -> None:
        """A class that is a tool: derived from a framework's tool class, with a name and a description of its own."""
        base = cls.derives(*BASE_TOOLS)
        name = _class_value(cls.scope.names.get("name"))
        if (
            base is None
            or base.root in NO_FRAMEWORK
            or not isinstance(name, Literal)
            or not isinstance(name.value, str)
        ):
            return
        module = cls.scope.module
        place = module.offsets.identifier(cls.code, cls.name, keyword=True)
        self._classes.add(cls.code)
        registration = Registration(name, framework_of(base), module, place)
        description = _class_value(cls.member("description"))
        registration.description = self._evaluator.resolve(description) if description is not None else Literal(None)
        schema = cls.member("args_schema") or cls.member("inputs")
        if schema is not None:
            made = self._evaluator.resolve(schema)
            registration.schema = Argument(made, cls.code.bases[0], module)
        for method in RUN_METHODS:
            function = cls.member(method)
            if isinstance(function, Function):
                registration.function = function
                self._registry.tool_functions.add(function.code)
                break
        self._registry.add(registration)

    def from_dict(self, mapping: Mapping, made_by: str = "") -> None:
        """A dict in the shape of a provider's tool definition; `made_by` is the constructor that was called for it."""
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
            schema = mapping.get("inputSchema")
            framework = BEDROCK if isinstance(schema, Mapping) and list(schema.entries) == ["json"] else MCP
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
        self._registry.displays[mapping] = self._registry.add(registration)


def _plain(arguments: Arguments, name: str) -> Any:
    """The plain value of an argument given by name; None if it is not given, or not known."""
    given = arguments.get(name)
    return given.value.value if given is not None and isinstance(given.value, Literal) else None


def _schema_of(arguments: Arguments, position: int | None = None) -> Argument | None:
    """The argument that gives the schema; None if there is none, or if it says so."""
    given = arguments.first(SCHEMA_KEYS, position)
    return None if given is None or (isinstance(given.value, Literal) and given.value.value is None) else given


def _class_value(value: Value | None) -> Value | None:
    """What a class gives its objects under a name: `name: str = Field(default="search")` too."""
    if isinstance(value, Made) and value.last in ("Field", "field"):
        return builtins_of.field_default(value, False)
    return value


def _set_options(registration: Registration, arguments: Arguments) -> None:
    """What decorators and constructors take in the same way."""
    registration.annotations = arguments.first(("annotations", "tool_annotations"))
    registration.side_effects = arguments.get("side_effects", 2 if registration.framework is HARNESS else None)
    registration.title = arguments.get("title")
    registration.versioned = arguments.get("version") is not None
    excluded = arguments.get("exclude_args")
    if excluded is not None and isinstance(excluded.value, Items):
        registration.excluded = frozenset(str(builtins_of.plain(item)) for item in excluded.value.items)
    enabled = arguments.get("enabled")
    if enabled is not None and builtins_of.plain(enabled.value) is False:
        registration.optional = True
