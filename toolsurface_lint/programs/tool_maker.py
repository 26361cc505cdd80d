"""Makes registrations of what is a tool in a program: a function, a `Tool(...)`, a class, a dict.

What a tool is registered with does not matter here. Which argument holds the name, the description or the schema the
kinds.frameworks say.
"""

from __future__ import annotations

from typing import Any

from toolsurface_lint.programs import framework as kinds
from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.operations import field_default, plain, text_of
from toolsurface_lint.programs.registry import Registration, Registry, Server, ToolObject


class ToolMaker:
    """Adds to a registry the tools that functions, constructors, classes and dicts make."""

    def __init__(self, evaluator: Evaluator, registry: Registry) -> None:
        self._evaluator = evaluator
        self._registry = registry
        self._classes: set[v.Node] = set()

    def from_function(
        self, function: v.Function, framework: Framework, server: Server | None, call: v.Call
    ) -> ToolObject:
        """The tool that a decorator or a registering call makes of a function; `call` are the arguments beside it."""
        self._registry.tool_functions.add(function.code)
        self._evaluator.called.add(function.code)
        framework = kinds.by_keywords(framework, call.keywords)
        positions = framework.decorator_positions
        name = call.first(kinds.NAME_KEYS, 0)
        own = function.scope.module
        place = None if function.name == v.LAMBDA else function.name_place
        label: v.Value = v.Literal(function.name, own, place) if name is None or v.is_none(name.value) else name.value
        text = plain(label)
        if not isinstance(text, str) or (name is None and (place is None or call.open)):
            self._registry.add_unknown(label, *call.at, server, "a tool registered under ")
            return ToolObject(None, *call.at, v.describe(label))
        registration = Registration(v.Literal(text, label.module, label.node), framework, own, place or function.code)
        registration.function = function
        registration.server = server
        for keyword, wanted, changes in (switch for each in kinds.frameworks() for switch in each.switches):
            if plain(call.value(keyword)) is wanted:
                registration.framework = framework._replace(**changes)
        description = call.first(kinds.DESCRIPTION_KEYS, _position(positions, "description"))
        if description is None:
            unused = registration.framework.text == kinds.UNUSED
            registration.description = v.Literal(None, own, place) if unused else function.docstring
            if call.open:
                registration.description = v.Unknown("an argument that only a run can tell")
        else:
            empty = text_of(description.value) in ("None", "")
            registration.description = function.docstring if empty else description.value
        registration.schema = _schema_of(call, _position(positions, "input_schema"))
        _set_options(registration, call, _position(positions, "side_effects"))
        return ToolObject(self._registry.add(registration), *call.at)

    def from_constructor(self, framework: Framework, call: v.Call) -> ToolObject | None:
        """`Tool(...)` of any framework, distinguished by the arguments that it is given; None if they make no tool."""
        for key, argument in zip(framework.positions, call.positional, strict=False):
            call.keywords.setdefault(key, argument)
        framework = kinds.by_keywords(framework, call.keywords)
        given = call.first(kinds.FUNCTION_KEYS)
        if given is None and isinstance(call.first_value, v.Function):
            given = call.positional[0]
        function = given.value if given is not None else None
        schema = _schema_of(call)
        name = call.first(kinds.NAME_KEYS)
        if name is None and call.open:
            return ToolObject(None, *call.at, v.describe(v.Unknown("a value that only a run can tell")))
        if isinstance(function, v.Function) and (name is None or framework.wraps) and schema is None:
            rest = call.named()
            rest.open = False
            return self.from_function(function, framework, None, rest)
        if name is None:
            return None
        registration = _named(name, framework, call)
        if registration is None:
            return ToolObject(None, *call.at, v.describe(name.value))
        if isinstance(function, v.Function):
            registration.function = function
            self._registry.tool_functions.add(function.code)
        description = call.first(kinds.DESCRIPTION_KEYS)
        registration.description = v.Literal(None, *call.at) if description is None else description.value
        if call.open and description is None:
            registration.description = v.Unknown("an argument")
        registration.schema = schema
        _set_options(registration, call)
        return ToolObject(self._registry.add(registration), *call.at)

    def from_conversion(self, framework: Framework, call: v.Call) -> ToolObject:
        """`Tool.from_function(f, name=...)` and `Tool.from_tool(tool, name=...)`."""
        given = call.first((*kinds.FUNCTION_KEYS, "tool"), 0)
        value = given.value if given is not None else v.Unknown("an argument")
        if isinstance(value, ToolObject) and value.registration is not None and value.registration.function is not None:
            value = value.registration.function
        if isinstance(value, v.Function):
            return self.from_function(value, framework, None, call.named())
        registration = _named(call.get("name"), framework, call)
        if registration is None:
            return ToolObject(None, *call.at, v.describe(value))
        description = call.get("description")
        registration.description = v.Unknown(v.describe(value)) if description is None else description.value
        registration.schema = v.Argument(v.Unknown(v.describe(value)), call.node, call.module)
        _set_options(registration, call)
        return ToolObject(self._registry.add(registration), *call.at)

    def from_agent(self, framework: Framework, call: v.Call) -> ToolObject | None:
        """`agent.as_tool(...)`: a tool that asks another agent; None if the call gives no name."""
        name = call.first(kinds.NAME_KEYS)
        if name is None and isinstance(call.first_value, v.Literal):
            name = call.positional[0]
        registration = _named(name, framework, call)
        if registration is None:
            return None
        description = call.first(kinds.DESCRIPTION_KEYS, 1)
        registration.description = v.Unknown("an agent's") if description is None else description.value
        registration.schema = v.Argument(v.Unknown("an agent's"), call.node, call.module)
        return ToolObject(self._registry.add(registration), *call.at)

    def is_named(self, cls: v.Class) -> bool:
        """Whether objects of a class are tools that `from_class` has seen."""
        return any(isinstance(ancestor, v.Class) and ancestor.code in self._classes for ancestor in cls.ancestors())

    def from_class(self, cls: v.Class) -> None:
        """A class that is a tool: derived from a framework's tool class, with a name and a description of its own."""
        base = cls.derives(*kinds.names("base_classes"))
        name = _class_value(cls.scope.names.get("name"))
        if base is None or base.root in kinds.NO_FRAMEWORK:
            return
        if not isinstance(name, v.Literal) or not isinstance(name.value, str):
            return
        self._classes.add(cls.code)
        module = cls.scope.module
        framework = kinds.framework_of(base.path)
        registration = Registration(name, framework, module, module.name_place(cls.code, cls.name))
        description = _class_value(cls.member("description"))
        registration.description = self._evaluator.resolve(description) if description is not None else v.Literal(None)
        schemas = (cls.member(attribute) for attribute in kinds.names("class_schemas"))
        schema = next((schema for schema in schemas if schema is not None), None)
        if schema is not None:
            registration.schema = v.Argument(self._evaluator.resolve(schema), cls.site, module)
        methods = (
            cls.member(method)
            for method in (*framework.run_methods, *kinds.names("run_methods"), "execute", "__call__")
        )
        registration.function = next((method for method in methods if isinstance(method, v.Function)), None)
        if registration.function is not None:
            self._registry.tool_functions.add(registration.function.code)
        self._registry.add(registration)

    def from_dict(self, mapping: v.Mapping, made_by: str = "") -> None:
        """A dict in the shape of a provider's tool definition; `made_by` is the constructor that was called for it."""
        for framework in kinds.frameworks():
            body = None if framework.recognises is None else framework.recognises(mapping, made_by)
            if body is not None:
                break
        else:
            return
        name = body.get("name")
        text = plain(name)
        if name is None or not isinstance(text, str) or mapping.module is None or mapping.node is None:
            return
        registration = Registration(v.Literal(text, name.module, name.node), framework, mapping.module, mapping.node)
        registration.display = mapping
        registration.description = body.get("description") or (
            v.Literal(None) if body.complete else v.Unknown("a key that only a run can tell")
        )
        self._registry.displays[mapping] = self._registry.add(registration)


def _named(name: v.Argument | None, framework: Framework, call: v.Call) -> Registration | None:
    """The registration of a tool that a call makes; None if its name is not known."""
    text: Any = None if name is None else plain(name.value)
    if name is None or not isinstance(text, str):
        return None
    return Registration(v.Literal(text, name.value.module, name.value.node), framework, *call.at)


def _position(positions: tuple[str, ...], name: str) -> int | None:
    return positions.index(name) if name in positions else None


def _schema_of(call: v.Call, position: int | None = None) -> v.Argument | None:
    """The argument that gives the schema; None if there is none, or if it says so."""
    given = call.first(kinds.SCHEMA_KEYS, position)
    return None if given is None or v.is_none(given.value) else given


def _class_value(value: v.Value | None) -> v.Value | None:
    """What a class gives its objects under a name: `name: str = Field(default="search")` too."""
    if isinstance(value, v.Made) and value.last in ("Field", "field"):
        return field_default(value) or v.Unknown("a field's value", value.module, value.node)
    return value


def _set_options(registration: Registration, call: v.Call, side_effects: int | None = None) -> None:
    """What decorators and constructors take in the same way."""
    registration.annotations = call.first(("annotations", "tool_annotations"))
    registration.side_effects = call.get("side_effects", side_effects)
    registration.title = call.get("title")
    registration.versioned = call.get("version") is not None
    excluded = call.value("exclude_args")
    if isinstance(excluded, v.Items):
        registration.excluded = frozenset(str(plain(item)) for item in excluded.items)
    if plain(call.value("enabled")) is False:
        registration.optional = True
