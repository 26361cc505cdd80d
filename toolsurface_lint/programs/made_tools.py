"""Makes registrations of what is a tool in a program: a function, a `Tool(...)`, a class, a dict.

Which argument holds the name, the description or the schema the frameworks say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from toolsurface_lint.programs import framework as kinds
from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.operations import field_default, is_passed_on, plain, plain_set, text_of
from toolsurface_lint.programs.registry import NAMELESS_CLASS, Registration, Registry, Server, ToolObject


class MadeTools:
    """Adds to a registry the tools that functions, constructors, classes and dicts make."""

    frameworks: Callable[[], tuple[Framework, ...]] = staticmethod(kinds.frameworks)
    """The frameworks whose definitions are recognised."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self._evaluator = registry.evaluator
        self._classes: dict[v.Node, Registration] = {}
        """The tools that classes are, by the code of the classes."""
        self._named: dict[v.Node, Registration] = {}
        """The tools that classes are, by where their names are written."""

    def from_function(
        self, function: v.Function, framework: Framework, server: Server | None, call: v.Call
    ) -> ToolObject:
        """The tool that a decorator or a registering call makes of a function; `call` are the arguments beside it."""
        self.registry.tool_functions.add(function.code)
        self._evaluator.called.add(function.code)
        whole = call.value("raw_schema")
        if isinstance(whole, v.Mapping):
            # The whole definition beside the function.
            call = _with(call, whole)
        framework = kinds.by_keywords(framework, call.keywords)
        positions = {key: at for at, key in enumerate(framework.decorator_positions)}
        name = call.first(kinds.NAME_KEYS, 0)
        own = function.scope.module
        place = None if function.name == v.LAMBDA else function.name_place
        label = _own_name(function) if name is None or v.is_none(name.value) else name.value
        text = plain(label)
        if not isinstance(text, str) or not text or (name is None and (text == v.LAMBDA or call.open)):
            self.registry.add_unknown(label, *call.at, server, "a tool registered under ")
            return ToolObject(None, *call.at, v.describe(label))
        registration = Registration(v.Literal(text, label.module, label.node), framework, own, place or function.code)
        registration.function = function
        registration.server = server
        for keyword, wanted, changes in (switch for each in kinds.frameworks() for switch in each.switches):
            if plain(call.value(keyword)) is wanted:
                registration.framework = framework._replace(**changes)
        description = call.first(kinds.DESCRIPTION_KEYS, positions.get("description"))
        if description is None:
            unused = registration.framework.text == kinds.UNUSED
            registration.description = v.Literal(None, own, place) if unused else function.docstring
            if call.open:
                registration.description = v.Unknown("an argument that only a run can tell")
        else:
            empty = text_of(description.value) in ("None", "")
            registration.description = function.docstring if empty else description.value
        if "__doc__" in function.attributes and text_of(registration.description) == "":
            registration.description = v.Literal(None, own, place)
        registration.schema = schema = _schema_of(call, positions.get("input_schema"))
        if registration.framework.needs_text and v.is_none(registration.description) and schema is not None:
            model = schema.value
            registration.description = (
                model.docstring if isinstance(model, v.Class) else v.Unknown("what the schema says")
            )
        _set_options(registration, call, positions.get("side_effects"))
        return ToolObject(self.registry.add(registration), *call.at)

    def serve(self, server: Server, value: v.Value, framework: Framework, call: v.Call) -> Registration | None:
        """A call of a server names the function to serve; anything else is noted as a tool that is not known."""
        if not isinstance(value, v.Function):
            self.registry.add_unknown(value, *call.at, server)
            return None
        registration = self.from_function(value, framework, server, call).registration
        if registration is not None:
            registration.by_server = True
        return registration

    def from_marks(self, function: v.Function) -> None:
        """A function that a decorator of the program marks as a tool: `function.__tool__ = True`, `function._tool_name = x`."""
        found = ((_MARK.fullmatch(key), value) for key, value in function.attributes.items())
        marks = {match[1] or match[0]: value for match, value in found if match is not None}
        if not marks or function.code in self.registry.tool_functions:
            return
        if all(plain(value) in (False, None) for value in marks.values()):
            return
        call = v.Call(function.scope.module, function.code)
        for given in [each for each in marks.values() if isinstance(each, v.Mapping)]:
            marks.update((key, entry.value) for key, entry in given.entries.items())
        for key in ("name", "description"):
            if key in marks and not v.is_none(marks[key]):
                call.keywords[key] = v.Argument(marks[key], function.code, function.scope.module)
        made = self.from_function(function, kinds.OTHER, None, call).registration
        if made is not None and v.is_none(made.description or function.docstring):
            # The decorator may have found one elsewhere.
            made.description = v.Unknown("what a decorator says")
        if made is not None:
            made.optional = made.optional or any(_LATER.fullmatch(key) for key in function.attributes)

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
            return ToolObject(None, *call.at, v.AT_RUN_TIME)
        if isinstance(function, v.Function) and (name is None or framework.wraps) and schema is None:
            rest = call.named()
            rest.open = False
            return self.from_function(function, framework, None, rest)
        if name is None:
            return None
        # A class of nobody's may be given its description under any name, or find it by itself.
        unless = v.Unknown("an argument") if call.open or framework is kinds.OTHER else v.Literal(None, *call.at)
        made = self._make(framework, call, unless, schema, function)
        return made or ToolObject(None, *call.at, v.describe(name.value))

    def from_conversion(self, framework: Framework, call: v.Call) -> ToolObject:
        """`Tool.from_function(f, name=...)` and `Tool.from_tool(tool, name=...)`."""
        given = call.first((*kinds.FUNCTION_KEYS, "tool"), 0)
        value = given.value if given is not None else v.Unknown("an argument")
        if isinstance(value, ToolObject) and value.registration is not None and value.registration.function is not None:
            value = value.registration.function
        if isinstance(value, v.Function):
            return self.from_function(value, framework, None, call.named())
        what = v.describe(value)
        return self.from_other(framework, call, (), what) or ToolObject(None, *call.at, what)

    def convert(self, function: v.External, call: v.Call) -> ToolObject | None:
        """A class method of a tool class that makes a tool of a function, or of another tool."""
        return self.from_conversion(kinds.framework_of(function.path), call) if "Tool" in function.path else None

    def from_other(
        self,
        framework: Framework,
        call: v.Call,
        positions: Sequence[str] = ("name", "description"),
        what: str = "what it asks says",
    ) -> ToolObject | None:
        """`agent.as_tool(...)`: a tool that asks an agent, or whatever else has no parameters here; None without a name.

        `what` makes its schema, and a description that is not given.
        """
        for key, argument in zip(positions, call.positional, strict=False):
            call.keywords.setdefault(key, argument)
        unknown = v.Unknown(what)
        return self._make(framework, call, unknown, v.Argument(unknown, call.node, call.module))

    def _make(
        self,
        framework: Framework,
        call: v.Call,
        unless: v.Value,
        schema: v.Argument | None,
        function: v.Value | None = None,
    ) -> ToolObject | None:
        """The tool that a call makes, described by `unless` if nothing describes it; None if its name is not known."""
        name, description = call.first(kinds.NAME_KEYS), call.first(kinds.DESCRIPTION_KEYS)
        text = None if name is None else plain(name.value)
        if name is None or not isinstance(text, str) or not text:
            return None
        registration = Registration(v.Literal(text, name.value.module, name.value.node), framework, *call.at)
        registration.function = function if isinstance(function, v.Function) else None
        registration.stand_at(name.value)
        registration.description = unless if description is None else description.value
        registration.schema = schema
        _set_options(registration, call)
        return ToolObject(self.registry.add(registration), *call.at)

    def of_class(self, cls: v.Class) -> Registration | None:
        """The tool that a class is, or the nearest of those that it derives from; None if none of them is one."""
        found = (self._classes.get(each.code) for each in reversed(cls.lineage()))
        return next(filter(None, found), None)

    def from_class(self, cls: v.Class) -> None:
        """A class that is a tool: derived from a class of tools, with a name and a description of its own. Or a toolkit."""
        toolkit = cls.derives(*kinds.names("toolkits"))
        if toolkit is not None:
            self._from_toolkit(cls, toolkit.last)
            return
        path = _tool_base(cls)
        framework = kinds.framework_of(path) if path else kinds.OTHER
        if framework.are_models and self._run_method(cls, framework) is not None:
            self.from_model(cls, framework)
            return
        named = cls.member("get_name")
        if path is None or not ("name" in cls.scope.names or (not path and isinstance(named, v.Function))):
            return
        function = self._run_method(cls, framework)
        description = self._member_of(cls, "description")
        if "name" not in cls.scope.names:
            description = description or v.Unknown("a description that the base class makes")
        if not path and (function is None or description is None):
            # Other programs have classes of this name too.
            return
        name = self._member_of(cls, "name")
        if "name" not in cls.scope.names and isinstance(named, v.Function):
            # The base class makes a name of that of the class.
            made = self._evaluator.call(named.bound(v.Instance(cls, *cls.at)), v.Call(*cls.at))
            name = v.Literal(plain(made), cls.scope.module, cls.scope.module.name_place(cls.code, cls.name))
        if not isinstance(name, v.Literal) or not isinstance(name.value, str) or not name.value:
            if not path:
                self.registry.add_reason(NAMELESS_CLASS.format(cls.name), *cls.at, None)
            return
        module = cls.scope.module
        registration = Registration(name, framework, module, module.name_place(cls.code, cls.name))
        registration.description = description
        if description is None or text_of(description) == "":
            # Bases require one: what a class leaves out or empty, its objects are given.
            registration.description = v.Unknown("a description that objects are given")
        schemas = kinds.names("class_schemas") if path else kinds.SCHEMA_KEYS
        schema = next(filter(None, (self._member_of(cls, key) for key in schemas)), None)
        if schema is None and framework is kinds.OTHER:
            schema = v.Unknown("a schema that the base class makes")
        if schema is not None:
            registration.schema = v.Argument(schema, cls.site, module)
        registration.function = function
        # Nobody has made a list of classes, not even of those that share a method.
        registration.container = f"{module.path}:{framework.format}:{cls.name}"
        self._classes[cls.code] = self._named[name.node] = self.registry.add(registration)

    def _from_toolkit(self, cls: v.Class, base: str) -> None:
        """`spec_functions = ["search", ("find", "afind")]`: each a method, or one with its asynchronous twin."""
        framework = next(each for each in kinds.frameworks() if base in each.toolkits)
        names, toolkit = self._member_of(cls, framework.toolkits[base]), v.Instance(cls, *cls.at)
        for item in names.items if isinstance(names, v.Items) else ():
            name = plain(item.items[0] if isinstance(item, v.Items) and item.items else item)
            method = cls.member(name) if isinstance(name, str) else None
            if isinstance(method, v.Function):
                self.from_function(method.bound(toolkit), framework, self.registry.toolkit(toolkit), v.Call(*cls.at))

    def from_model(self, cls: v.Class, framework: Framework, call: v.Call | None = None) -> ToolObject:
        """A class of data that is a tool: its fields are what the model fills in. `call` may name or describe it otherwise."""
        call = call or v.Call(*cls.at)
        module = cls.scope.module
        place = module.name_place(cls.code, cls.name)
        name = call.value("name")
        text = cls.name if name is None or v.is_none(name) else plain(name)
        if not isinstance(text, str):
            return ToolObject(None, *call.at, v.describe(name or v.Unknown(v.CALL)))
        registration = Registration(v.Literal(text, module, place), framework, module, place)
        registration.description = call.value("description") or _cleaned(cls.docstring)
        registration.schema = v.Argument(cls, cls.site, module)
        registration.container = f"{module.path}:{framework.format}:{cls.name}"
        self._classes[cls.code] = self.registry.add(registration)
        return ToolObject(self._classes[cls.code], *call.at)

    def name_class(self, receiver: v.Value, call: v.Call) -> None:
        """`super().__init__(name="search", description="...")` in a class of tools: each of its objects is this tool."""
        cls = receiver.cls if isinstance(receiver, v.Instance) else None
        name = call.value("name")
        if cls is None or cls.code in self._classes or not isinstance(name, v.Literal):
            return
        path = _tool_base(cls)
        if (
            path is None
            or not isinstance(name.value, str)
            or not name.value
            or name.module is None
            or name.node is None
        ):
            return
        framework = kinds.framework_of(path) if path else kinds.OTHER
        function = self._run_method(cls, framework)
        if not path and (function is None or call.value("description") is None):
            # Other programs have classes of this name too.
            return
        module = cls.scope.module
        registration = Registration(name, framework, module, module.name_place(cls.code, cls.name))
        registration.description = call.value("description") or v.Unknown("what the base class says")
        if framework.has_provider_tools:
            registration.description = v.Unknown("what the provider says")
        schema = None if path else _schema_of(call)
        registration.schema = schema or v.Argument(v.Unknown("a schema that the class makes"), cls.site, module)
        registration.container = f"{module.path}:{framework.format}:{cls.name}"
        self._classes[cls.code] = self.registry.add(registration)

    def _run_method(self, cls: v.Class, framework: kinds.Framework) -> v.Function | None:
        """The method of a class of tools that is called with the arguments."""
        run_methods = (*framework.run_methods, *kinds.names("run_methods"), *_RUN_METHODS)
        found = (method for method in map(cls.member, run_methods) if isinstance(method, v.Function))
        return next(found, None)

    def _member_of(self, cls: v.Class, name: str) -> v.Value | None:
        """What the objects of a class have under a name, as far as the class says it."""
        member = cls.member(name)
        if isinstance(member, v.Function) and member.binding == "property":
            return self._evaluator.attribute(v.Instance(cls, *cls.at), name, *cls.at)
        value = _class_value(member)
        return None if value is None else self._evaluator.resolve(value)

    def from_dict(self, mapping: v.Mapping, made_by: str = "") -> None:
        """A dict in the shape of a provider's tool definition; `made_by` is the constructor that was called for it."""
        for framework in self.frameworks():
            body = None if framework.recognises is None else framework.recognises(mapping, made_by)
            if body is not None:
                break
        else:
            return
        name = body.get("name")
        text = plain(name)
        if name is None or not isinstance(text, str) or not text or mapping.module is None or mapping.node is None:
            return
        if is_passed_on(name, body.get("description")):
            return
        if name.node in self._named:
            # `{"name": self.name, ...}`: the definition that a class of tools makes of itself.
            self.registry.displays[mapping] = self._named[name.node]
            return
        registration = Registration(v.Literal(text, name.module, name.node), framework, mapping.module, mapping.node)
        registration.display = mapping
        registration.description = body.get("description") or (
            v.Literal(None) if body.complete else v.Unknown("a key that only a run can tell")
        )
        registration.stand_at(name)
        if isinstance(name, v.FunctionName) and text_of(registration.description) == "":
            registration.description = name.function.docstring
        self.registry.displays[mapping] = self.registry.add(registration)

    def make_definition(self, function: v.External, call: v.Call) -> v.Value:
        """A constructor of a dict that is a whole definition."""
        mapping = call.mapping()
        mapping.complete = True
        self.from_dict(mapping, function.last)
        return mapping


_MARK = re.compile(
    r"_*(?:is_|mcp_|agent_|llm_)?tool(?:_(?:type|metadata|meta|info|definition|schema|spec|config|options|(name|description)))?_*",
    re.IGNORECASE,
)
"""The attributes by which programs know their tools among other functions,"""
_LATER = re.compile(r"_*(?:is_|tool_)?(?:deferred|discoverable|hidden|optional)_*", re.IGNORECASE)
"""and those that they do not show at first."""


def _cleaned(docstring: v.Literal) -> v.Literal:
    """A docstring without its indentation, as models describe themselves."""
    from toolsurface_lint.source.python import clean_docstring

    text = docstring.value
    return v.Literal(clean_docstring(text)[0], docstring.module, docstring.node) if isinstance(text, str) else docstring


def _with(call: v.Call, definition: v.Mapping) -> v.Call:
    """A call that is given what a definition says by keywords."""
    given = v.Call(*call.at, open=call.open or not definition.complete)
    for key, entry in definition.entries.items():
        module, node = entry.value.module or call.module, entry.value.node or call.node
        given.keywords[str(key)] = v.Argument(entry.value, node, module)
    given.keywords.update(call.keywords)
    return given


def _own_name(function: v.Function) -> v.Value:
    """What a function is called, by its definition or by what the program assigns."""
    given = function.attributes.get("__name__")
    if given is not None:
        return given
    if function.is_rewritten and all(each.kind in (v.REST, v.NAMED_REST) for each in function.parameters):
        # A template that stands for other functions: its own name is none of theirs.
        return v.Unknown("the name of a function whose signature is put together at run time")
    return v.FunctionName(function)


def _schema_of(call: v.Call, position: int | None = None) -> v.Argument | None:
    """The argument that gives the schema; None if there is none, or if it says so."""
    given = call.first(kinds.SCHEMA_KEYS, position)
    return None if given is None or v.is_none(given.value) else given


_RUN_METHODS = ("execute", "__call__", "call", "invoke", "apply", "arun")


def _tool_base(cls: v.Class) -> str | None:
    """The path of the class of tools that a class derives from, empty if that is one of ours; None if there is none."""
    names = kinds.names("base_classes")
    base = cls.derives(*names)
    if base is not None:
        return None if base.root in kinds.NO_FRAMEWORK else base.path
    ours = (each for each in cls.ancestors() if isinstance(each, v.Class) and each is not cls and each.name in names)
    return next(map(kinds.own_path, ours), None)


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
    registration.output = call.first(("outputSchema", "output_schema"))
    registration.tags = plain_set(call.value("tags"))
    registration.versioned = call.get("version") is not None
    excluded = call.value("exclude_args")
    if isinstance(excluded, v.Items):
        registration.excluded = frozenset(str(plain(item)) for item in excluded.items)
    injected = plain(call.value(registration.framework.names_injected))
    if injected is True or isinstance(injected, str):
        registration.excluded |= {"tool_context" if injected is True else injected}
    if plain(call.value("enabled")) is False:
        registration.optional = True
