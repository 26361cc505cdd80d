"""Makes registrations of what is a tool in a program: a function, a `Tool(...)`, a class, a dict; and gives them to servers.

Which argument holds the name, the description or the schema the frameworks say. A server is whatever tools are registered
with: an MCP server, an agent, a registry.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from copy import copy
from functools import partial

from toolsurface_lint.model.unseen import LISTS
from toolsurface_lint.programs import framework as kinds
from toolsurface_lint.programs import handoffs
from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.framework import Framework
from toolsurface_lint.programs.operations import field_default, plain, text_of, truth, values_of
from toolsurface_lint.programs.registry import (
    OUTSIDE_CLASS,
    Dispatcher,
    Naming,
    Registration,
    Registry,
    Server,
    ToolObject,
)
from toolsurface_lint.programs.run_time_tools import NAMED_LIKE_THEMSELVES, added_by


class ToolMaker:
    """Adds to a registry the tools that functions, constructors, classes and dicts make, and what servers are given."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self._evaluator = registry.evaluator
        self._classes: dict[v.Node, Registration] = {}
        """The tools that classes are, by the code of the classes."""
        self._named: dict[v.Node, Registration] = {}
        """The tools that classes are, by where their names are written."""
        self._lists: list[tuple[Server, v.Function]] = []
        """Functions that list a server's tools."""
        self._told_by: dict[v.Function, v.Value] = {}
        """What the functions return that tell agents something."""
        self._may_hand_over: list[tuple[Server, v.Function]] = []
        """Tools that hand over to an agent if they return one."""

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
            return ToolObject(None, *call.at, v.describe(v.Unknown("a value that only a run can tell")))
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
        unknown = v.Unknown(v.describe(value))
        made = self._make(framework, call, unknown, v.Argument(unknown, call.node, call.module))
        return made or ToolObject(None, *call.at, unknown.what)

    def convert(self, function: v.External, call: v.Call) -> ToolObject | None:
        """A class method of a tool class that makes a tool of a function, or of another tool."""
        return self.from_conversion(kinds.framework_of(function.path), call) if "Tool" in function.path else None

    def from_other(
        self, framework: Framework, call: v.Call, positions: Sequence[str] = ("name", "description")
    ) -> ToolObject | None:
        """`agent.as_tool(...)`: a tool that asks an agent, or whatever else has no parameters here; None without a name."""
        for key, argument in zip(positions, call.positional, strict=False):
            call.keywords.setdefault(key, argument)
        unknown = v.Unknown("what it asks says")
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
        description = self._of_class(cls, "description")
        if "name" not in cls.scope.names:
            description = description or v.Unknown("a description that the base class makes")
        if not path and (function is None or description is None):
            # Other programs have classes of this name too.
            return
        name = self._of_class(cls, "name")
        if "name" not in cls.scope.names and isinstance(named, v.Function):
            # The base class makes a name of that of the class.
            made = self._evaluator.call(named.bound(v.Instance(cls, *cls.at)), v.Call(*cls.at))
            name = v.Literal(plain(made), cls.scope.module, cls.scope.module.name_place(cls.code, cls.name))
        if not isinstance(name, v.Literal) or not isinstance(name.value, str) or not name.value:
            if not path:
                self.registry.add_reason(
                    f"a tool of class `{cls.name}`, which has no name before it is made", *cls.at, None
                )
            return
        module = cls.scope.module
        registration = Registration(name, framework, module, module.name_place(cls.code, cls.name))
        registration.description = description
        if description is None or text_of(description) == "":
            # Bases require one: what a class leaves out or empty, its objects are given.
            registration.description = v.Unknown("a description that objects are given")
        schemas = kinds.names("class_schemas") if path else kinds.SCHEMA_KEYS
        schema = next(filter(None, (self._of_class(cls, key) for key in schemas)), None)
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
        names, toolkit = self._of_class(cls, framework.toolkits[base]), v.Instance(cls, *cls.at)
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

    def _of_class(self, cls: v.Class, name: str) -> v.Value | None:
        """What the objects of a class have under a name, as far as the class says it."""
        member = cls.member(name)
        if isinstance(member, v.Function) and member.binding == "property":
            return self._evaluator.attribute(v.Instance(cls, *cls.at), name, *cls.at)
        value = _class_value(member)
        return None if value is None else self._evaluator.resolve(value)

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
        if name is None or not isinstance(text, str) or not text or mapping.module is None or mapping.node is None:
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

    # Servers

    def make_server(self, base: v.External, cls: v.Class | None, call: v.Call) -> Server:
        """The server that calling its class makes: `base` is the framework's, `cls` one of ours that is derived from it."""
        framework = kinds.server_framework(base)
        name = text_of(call.value("name", 0)) or ""
        server = self.registry.server_at(framework, base.path, *call.at, name)
        server.name = name
        server.cls = server.cls or cls
        if base.last in framework.generated:
            self.registry.add_reason(framework.generated[base.last], *call.at, server)
        handler = call.value("on_list_tools")
        if isinstance(handler, v.Function):
            self._lists.append((server, handler))
        called = call.value("on_call_tool")
        if isinstance(called, v.Function):
            self.registry.dispatchers.append(Dispatcher(server, called, 1, "name"))
        self.registry.add_told(server, call, ("instructions",), framework.servers.get(base.last))
        self.take_tools(server, call.get("tools"), call)
        self.take_servers(server, call.get("providers"), call.module)
        if cls is not None and not server.attributes:
            self._evaluator.initialise(server, cls, call)
        return server

    def take_servers(self, server: Server, given: v.Argument | None, module: v.Module) -> None:
        """A list of servers, toolsets or providers is given to an agent or a server: it serves their tools too."""
        if given is None or v.is_none(given.value):
            return
        value = given.value
        children = [self.registry.known_server(item) for item in value.items] if isinstance(value, v.Items) else [None]
        for child in children:
            if child is not None:
                server.mount(child, Naming())
        if None in children or (isinstance(value, v.Items) and not value.complete):
            self.registry.add_reason("tools of other servers", module, given.site, server)

    def add_handler(self, method: v.Method, function: v.Function) -> v.Function:
        """`@server.list_tools()`: a function lists the server's tools."""
        self._lists.append((self.registry.server_of(method, function.scope.module), function))
        return function

    def add_prompt(self, method: v.Method, call: v.Call) -> v.Value | None:
        """`@server.prompt()`, `@agent.system_prompt`: what a function returns is told."""
        first = call.first_value
        if isinstance(first, v.Function):
            self.registry.tellers.setdefault((self.registry.server_of(method, call.module), first.code), first)
            return first
        if not isinstance(first, v.Literal | None):
            return None
        return v.Native(lambda given: self.add_prompt(method, given) or v.Unknown(v.CALL, *given.at), *call.at)

    def run_handlers(self, follow: Callable[[v.Module, Callable[[], object], v.Node], None]) -> None:
        """Follow the functions that list a server's tools, or return an agent or a text, once all else has been followed.

        `follow` is given each of them with its file.
        """
        done: set[v.Node] = set()
        for server, function in self._lists:
            if function.code not in done:
                done.add(function.code)
                follow(function.scope.module, partial(self._run_handler, server, function), function.code)
        for server, function in self._may_hand_over:
            follow(function.scope.module, partial(self._hand_over, server, function), function.code)
        for (server, code), function in list(self.registry.tellers.items()):
            follow(function.scope.module, partial(self._tell, server, function), code)

    def _tell(self, server: Server, function: v.Function) -> None:
        # One function may tell any number of agents.
        told = self._told_by.get(function)
        if told is None:
            told = self._evaluator.call_whole(function, v.Call(function.scope.module, function.code, open=True))
            self._told_by[function] = told
        if not isinstance(told, v.Function):
            # Of the messages of a server's prompt, the user's are its texts too.
            self.registry.add_text(server, told, kinds.ROLES)

    def _hand_over(self, server: Server, function: v.Function) -> None:
        result = self._evaluator.call(function, v.Call(function.scope.module, function.code, open=True))
        agent = self.agent_of(result)
        if agent is not None:
            server.hand_over(agent)

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
        server = self.registry.server_of(method, call.module)
        if isinstance(value, ToolObject) and value.registration is not None and value.registration.server is not None:
            if call.first((*kinds.NAME_KEYS, *kinds.DESCRIPTION_KEYS), 1) is None:
                return self._give_again(value.registration, server, call)
            # A function that is a tool already, registered once more under another name.
            value = value.registration.function or value
        if isinstance(value, v.Function):
            rest = call.named()
            rest.keywords.pop("tool", None)
            if method.name == "add_tool" and len(call.positional) > 1:
                rest.keywords.setdefault("name", call.positional[1])
            made = self.from_function(value, server.framework, server, rest)
            if made.registration is not None:
                made.registration.by_server = True
            return made
        self._attach(server, value, call)
        return value

    def _give_again(self, registration: Registration, server: Server, call: v.Call) -> ToolObject:
        """A tool that a server has is added to one: it keeps what it was made with, and a server has it once."""
        if registration.server is not server:
            registration = copy(registration)
            registration.server, registration.container = server, ""
            registration = self.registry.add(registration)
        return ToolObject(registration, *call.at)

    def take_tools(self, server: Server, given: v.Argument | None, call: v.Call) -> None:
        """A list of tools is given to a server or an agent; nothing happens if it is not."""
        if given is None:
            return
        value = values_of(given.value) if isinstance(given.value, v.Mapping) else given.value
        if not isinstance(value, v.Items):
            if not v.is_none(value):
                self.registry.add_reason(f"the list of tools is {v.describe(value)}", *call.at, server, LISTS)
            return
        for item in value.items:
            with (
                self._evaluator.otherwise(optional=value.otherwise[item]) if item in value.otherwise else nullcontext()
            ):
                self._attach(server, item, v.Call(call.module, given.site))
        if not value.complete:
            self.registry.add_reason(f"tools made in a loop over {v.describe(value)}", *call.at, server, LISTS)

    def take_folder(self, server: Server, given: v.Argument, call: v.Call) -> None:
        """`Agent(tools_folder="./tools")`: the tools that the files in a folder define, which nobody has to import."""
        folder = text_of(given.value)
        if folder is None:
            self.registry.add_reason(f"the folder of tools is {v.describe(given.value)}", *call.at, server, LISTS)
        else:
            folder = os.path.normpath(os.path.join(os.path.dirname(given.module.path), folder))
            self.registry.folders.setdefault(folder, server)

    def tools_of(self, agent: v.Made, name: str, taker: TakesTools) -> AgentTools:
        """The list of an agent's tools, or of the agents that it hands over to, which has the name of an argument."""
        call = agent.arguments
        server = self.registry.agent_at(agent.path, call)
        given = taker.given(call, name)
        held = v.Items([], *call.at)
        if given is not None:
            self._evaluator.extend(held, given.value)

        def give(value: v.Value) -> None:
            at = (value.module, value.node) if value.module is not None and value.node is not None else call.at
            argument = v.Argument(value, at[1], at[0])
            for row in handoffs.hands_over(agent.path, name):
                self.take_agents(server, row, argument)
            if name in kinds.TOOL_LISTS:
                self.take_tools(server, argument, v.Call(*at))

        return AgentTools(held, give)

    def take_agents(self, server: Server, row: handoffs.HandsOver, given: v.Argument) -> None:
        """A list of other agents is given to an agent."""
        handoffs.take_agents(self.registry, server, row, given, self.agent_of)

    def agent_of(self, value: v.Value) -> Server | None:
        """The agent that a value is, also one that is only described: `{"name": "reader", "system_prompt": "..."}`."""
        if isinstance(value, v.Made) and kinds.framework_of(value.path) is not kinds.OTHER:
            return self.registry.agent_at(value.path, value.arguments)
        if isinstance(value, v.Mapping) and value.module is not None and value.node is not None:
            agent = self.registry.server_at(
                kinds.framework_of("deepagents"), "deepagents.SubAgent", value.module, value.node
            )
            agent.name = text_of(value.get("name")) or ""
            return agent
        return None

    def add_tools(self, method: v.Method, call: v.Call) -> None:
        """`agent.add_tools([...])`."""
        if call.positional:
            self.take_tools(self.registry.server_of(method, call.module), call.positional[0], call)

    def take_own_methods(self, receiver: v.Value, call: v.Call) -> v.Value | None:
        """`super().__init__(tools=[self.search])`: an object hands over its own methods; None if it is given none."""
        given = call.get("tools")
        if given is None or not isinstance(receiver, v.Instance) or not isinstance(given.value, v.Items):
            return None
        if not any(_is_own_method(item, receiver) for item in given.value.items):
            return None
        server = self.registry.toolkit(receiver)
        if server is None:
            return None
        self.take_tools(server, given, call)
        return v.Literal(None, *call.at)

    def take_own_method(self, receiver: v.Value, call: v.Call) -> v.Value | None:
        """`self.register(self.search)` of a toolkit; None if it is not one, or given something else."""
        given = call.get("function", 0)
        if given is None or not isinstance(receiver, v.Instance) or not _is_own_method(given.value, receiver):
            return None
        server = self.registry.toolkit(receiver)
        if server is None or not server.framework.own_methods:
            return None
        if isinstance(given.value, v.Function):
            rest = call.named()
            rest.keywords.pop("function", None)
            return self.from_function(given.value, server.framework, server, rest)
        self._attach(server, given.value, call)
        return given.value

    def take_request(self, called: v.Value, call: v.Call) -> None:
        """`create(messages=[...], tools=[...])`: a request to a model, which tells it something, and may be given functions."""
        given = call.get(kinds.TOOL_LISTS[0])
        if given is None or v.is_none(given.value):
            return
        client = called.receiver if isinstance(called, v.Method) else called
        path = client.path if isinstance(client, v.Outside) else ""
        request = self.registry.server_at(kinds.framework_of(path), path, *call.at)
        name = called.name if isinstance(called, v.Method) else path.rpartition(".")[2]
        request.is_request, request.made_by = name in kinds.REQUESTS, name
        items = given.value.items if isinstance(given.value, v.Items) else ()
        if isinstance(given.value, v.Items):
            self.registry.requests.append((call.module, given.value))
        if any(isinstance(item, v.Function) for item in items):
            self.take_tools(request, given, call)
        else:
            self._lend(request, given.value)
        self.registry.add_told(request, call, (*kinds.SYSTEM_PROMPTS, *kinds.MESSAGES))

    def _lend(self, request: Server, tools: v.Value) -> None:
        """A request is given tools that stay those of the file or the server that has them."""
        if not isinstance(tools, v.Items) or not tools.complete:
            request.unseen.add(f"the list of tools is {v.describe(tools)}")
        for item in tools.items if isinstance(tools, v.Items) else ():
            self._evaluator.spend(1)
            registration = item.registration if isinstance(item, ToolObject) else self.registry.displays.get(item)
            if registration is not None:
                request.given.append(registration)
            else:
                request.unseen.add("a tool that is not defined in the program")

    def note_added(self, server: Server, path: str, call: v.Call) -> None:
        """Take note of what a framework adds to an agent: by what is called, by its arguments, and by its middleware."""
        for row in added_by(path):
            given = call.get(row.argument) if row.argument else None
            if row.argument and (given is None or truth(given.value)[0] is False):
                continue
            server.built_in.update(row.tools)
            if not row.what:
                continue
            name, site = (row.argument, given.site) if given else (path.rpartition(".")[2], call.node)
            self.registry.add_reason(f"`{name}` adds {row.what}", call.module, site, server, row.cause, bool(row.tools))
        middleware = call.value("middleware")
        for item in middleware.items if isinstance(middleware, v.Items) else ():
            if isinstance(item, v.Made):
                self.note_added(server, item.path, item.arguments)
            elif isinstance(item, v.Instance) and item.cls is not None and item.cls.member("tools") is not None:
                self.registry.add_reason("tools of a middleware", *call.at, server)

    def _attach(self, server: Server, value: v.Value, call: v.Call) -> None:
        """A tool is added to a server: one that is known already, a plain function, or something not known."""
        # One list may be given to any number of agents.
        self._evaluator.spend(1)
        if isinstance(value, v.Made):
            self.registry.ready_made.pop(value, None)
        if isinstance(value, ToolObject) and value.registration is not None:
            registration = value.registration
            server.given.append(registration)
            if registration.server is None:
                registration.server = server
                registration.uncertain = registration.uncertain or self._evaluator.soft > 0
                registration.optional = registration.optional or self._evaluator.optional > 0
        elif isinstance(value, v.Function):
            if value.code in self.registry.tool_functions:
                self._evaluator.spend(STEPS_OF_A_TOOL)
            if server.framework.hands_over_by_returning:
                self._may_hand_over.append((server, value))
            taken = self.from_function(value, server.framework, server, v.Call(*call.at))
            if taken.registration is not None:
                server.given.append(taken.registration)
        elif (child := self.registry.known_server(value)) is not None:
            server.mount(child, Naming())
        elif (declared := _declarations(value)) is not None:
            self.take_tools(server, declared, call)
        elif isinstance(value, v.Made) and value.last[:1].isupper():
            framework = kinds.framework_of(value.path)
            if any(added_by(value.path)):
                self.note_added(server, value.path, value.arguments)
            elif framework.has_provider_tools and not value.last.endswith("Toolset"):
                # A provider runs it, unless it is described to the model.
                if value.arguments.get("description") is not None:
                    unknown = v.Unknown("a schema that the class makes")
                    made = self._make(
                        framework,
                        value.arguments,
                        unknown,
                        v.Argument(unknown, value.arguments.node, value.arguments.module),
                    )
                    if made is not None:
                        self._attach(server, made, call)
                else:
                    server.ready_made.add(value.last)
            else:
                self.registry.add_reason(OUTSIDE_CLASS.format(value.last), *call.at, server, LISTS)
        elif isinstance(value, v.Class) and value.derives("BaseModel", "TypedDict") is not None:
            self._attach(server, self.from_model(value, server.framework), call)
        elif isinstance(value, v.Instance | v.Class):
            cls = value if isinstance(value, v.Class) else value.cls
            found = () if cls is None else [self._classes.get(each.code) for each in reversed(cls.lineage())]
            made_of = next(filter(None, found), None)
            own_name = value.attributes.get("name") if isinstance(value, v.Instance) else None
            if made_of is not None and plain(own_name or made_of.name) == made_of.name.value:
                server.given.append(made_of)
            elif cls is not None and made_of is None:
                reason = f"a tool of class `{cls.name}`, which has no name before it is made"
                self.registry.add_reason(reason, *call.at, server)
            else:
                server.ready_made.add("a tool")
        elif isinstance(value, v.External) and value.path.startswith(NAMED_LIKE_THEMSELVES) and value.last.islower():
            server.built_in.add(value.last)
        elif isinstance(value, v.External) and value.last[:1].isupper():
            self.registry.add_reason(OUTSIDE_CLASS.format(value.last), *call.at, server, LISTS)
        elif isinstance(value, v.Mapping):
            definition = self.registry.displays.get(value)
            if definition is not None:
                server.given.append(definition)
            else:
                # `{"type": "web_search"}`: the provider's own.
                known = (text_of(value.get(key)) for key in ("name", "type"))
                server.ready_made.add(next(filter(None, known), "a tool"))
        elif isinstance(value, v.Literal):
            server.ready_made.add(text_of(value) or "a tool")
        else:
            self.registry.add_unknown(value, *call.at, server)


def _declarations(value: v.Value) -> v.Argument | None:
    """The definitions in `Tool(function_declarations=[...])`, or in the dict that it stands for."""
    for key in kinds.DECLARATIONS:
        held = value.arguments.get(key) if isinstance(value, v.Made) else None
        if (
            isinstance(value, v.Mapping)
            and key in value.entries
            and value.module is not None
            and value.node is not None
        ):
            held = v.Argument(value.entries[key].value, value.node, value.module)
        if held is not None:
            return held
    return None


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


def _is_own_method(value: v.Value, receiver: v.Instance) -> bool:
    """Whether a value is a method of an object, or a tool that was made of one by a decorator."""
    if isinstance(value, ToolObject):
        function = None if value.registration is None else value.registration.function
        return function is not None and function.owner is not None
    return isinstance(value, v.Function) and value.receiver is receiver


STEPS_OF_A_TOOL = 50
"""What one more tool made of the same function counts as: each agent's is read and checked by itself."""

_MARK = re.compile(
    r"_*(?:is_|mcp_|agent_|llm_)?tool(?:_(?:type|metadata|meta|info|definition|schema|spec|config|options|(name|description)))?_*",
    re.IGNORECASE,
)
"""The attributes by which programs know their tools among other functions,"""
_LATER = re.compile(r"_*(?:is_|tool_)?(?:deferred|discoverable|hidden|optional)_*", re.IGNORECASE)
"""and those that they do not show at first."""


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
    registration.versioned = call.get("version") is not None
    excluded = call.value("exclude_args")
    if isinstance(excluded, v.Items):
        registration.excluded = frozenset(str(plain(item)) for item in excluded.items)
    injected = plain(call.value(registration.framework.names_injected))
    if injected is True or isinstance(injected, str):
        registration.excluded |= {"tool_context" if injected is True else injected}
    if plain(call.value("enabled")) is False:
        registration.optional = True


class AgentTools(v.Items):
    """The list of an agent's tools: the agent has what is added to it."""

    def __init__(self, held: v.Items, give: Callable[[v.Value], None]) -> None:
        super().__init__(list(held.items), held.module, held.node, held.kind, held.missing)
        self._give = give

    def add(self, values: Sequence[v.Value], missing: str = "") -> None:
        super().add(values, missing)
        if values:
            self._give(v.Items(list(values), values[0].module, values[0].node, missing=missing))
        elif missing:
            self._give(v.Unknown(missing))

    def replace(self, value: v.Value) -> None:
        """Hold another value instead. What the agent has had before is not taken from it, nor given again."""
        held = set(self.items)
        if isinstance(value, v.Items) and not held.isdisjoint(value.items):
            self.add([item for item in value.items if item not in held], value.missing)
        else:
            self._give(value)
        self.items = list(value.items) if isinstance(value, v.Items) else []
        self.missing = value.missing if isinstance(value, v.Items) else v.describe(value)


class TakesTools:
    """The handler of what is given a list of tools, or of servers of them, there or by its keyword, and serves them."""

    def __init__(
        self, position: int | None = None, servers_position: int | None = None, prompt_position: int | None = None
    ) -> None:
        self._position = position
        self._servers_position = servers_position
        self._prompt_position = prompt_position

    def __call__(self, maker: ToolMaker, function: v.Outside, given_call: v.Call) -> v.Value | None:
        call = kinds.agent_call(function.path, given_call)
        lists = [given for given in (self.given(call, name) for name in kinds.TOOL_LISTS) if given is not None]
        servers = call.first(("mcp_servers", "toolsets"), self._servers_position)
        folder = call.get("tools_folder")
        # A toolset adds to the agent that it is given to.
        is_set = function.last.endswith("Toolset")
        adds = not is_set and any(row.what and not row.argument for row in added_by(function.path))
        others = [
            (row, given)
            for row in handoffs.hands_over(function.path)
            if (given := call.get(row.argument, row.position))
        ]
        is_known = kinds.framework_of(function.path) is not kinds.OTHER
        told = is_known and any(key in call.keywords for key in (*kinds.SYSTEM_PROMPTS, *kinds.AGENT_PROMPTS))
        if not (lists or servers or folder or adds or others or told):
            return None
        server = maker.registry.agent_at(function.path, call)
        for given in lists:
            maker.take_tools(server, given, call)
        maker.take_servers(server, servers, call.module)
        if folder is not None:
            maker.take_folder(server, folder, call)
        for row, given in others:
            maker.take_agents(server, row, given)
        maker.note_added(server, function.path, call)
        maker.registry.add_told(server, call, (*kinds.SYSTEM_PROMPTS, *kinds.AGENT_PROMPTS), self._prompt_position)
        return v.Made(function.path, given_call)

    def given(self, call: v.Call, name: str) -> v.Argument | None:
        """The argument of a call that holds the list of that name."""
        return call.get(name, self._position if name == kinds.TOOL_LISTS[0] else None)
