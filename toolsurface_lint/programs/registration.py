"""Which code registers tools: the calls, decorators and classes of frameworks, as the evaluator meets them.

Only recognised here: what makes a tool or a server goes to the `tool_maker`, and what that finds is kept in the `registry`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from toolsurface_lint.model.unseen import LIMIT
from toolsurface_lint.programs import framework as kinds
from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.framework import OTHER, Framework, outside_base
from toolsurface_lint.programs.handoffs import ARGUMENTS, hands_over
from toolsurface_lint.programs.markers import may_define_tools
from toolsurface_lint.programs.registry import Registry, Server, ToolObject, server_methods
from toolsurface_lint.programs.run_time_tools import added_by
from toolsurface_lint.programs.tool_maker import AgentTools, TakesTools, ToolMaker

_AGENT = re.compile(r"Agent$|Toolset$|^create_\w*agent$")
_MAY_REGISTER = re.compile(r"regist|tool|add_|setup|load|mount|install|attach|plugin", re.IGNORECASE)
_RUNS = ("run", "arun", "invoke", "ainvoke", "_run", "_arun")
_REGISTERS_NOTHING = ("builtins", "mcp", "fastmcp", "starlette")


class Registrar:
    """What the evaluator asks about frameworks (`evaluator.Known`); what it answers is noted in its `registry`."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.registry = Registry(evaluator)
        self.maker = ToolMaker(self.registry)
        self._ready = _ReadyMade()
        evaluator.known = self

    def call(self, function: v.Value, call: v.Call) -> v.Value | None:
        if isinstance(function, v.External):
            return self._call_external(function, call)
        if isinstance(function, v.Method):
            return self._call_method(function, call)
        if isinstance(function, v.Function | v.Class):
            # In its own repository, a framework is what it is elsewhere: how it works is not followed.
            path = kinds.own_path(function)
            known = self._call_external(v.External(path, *call.at), call) if path else None
            if known is not None:
                return known
        if isinstance(function, v.Class):
            return self._make_instance(function, call)
        return self._call_function(function, call) if isinstance(function, v.Function) else None

    def _call_function(self, function: v.Function, call: v.Call) -> v.Value | None:
        if any(isinstance(argument.value, Server) and argument.value.path for argument in call.all()):
            self.registry.given_servers.add(function.name)
        if function.owner is not None and function.receiver is not None and kinds.own_path(function.owner):
            found = self._hand_over(function.name, function.receiver, call)
            if found is not None:
                return found
        if not _is_tool_decorator(function):
            return None
        taken = [taken.name for taken in function.parameters if taken.kind in (v.POSITIONAL, v.NAMED)]
        return self._decorator(kinds.by_keywords(OTHER, taken), call)

    def _call_method(self, method: v.Method, call: v.Call) -> v.Value | None:
        if isinstance(method.receiver, ToolObject):
            return self._handle("tool_methods", method.name, method, call)
        if isinstance(method.receiver, v.Literal | v.Items | v.Mapping | v.Module | v.Member):
            return None
        if method.name in kinds.names("methods"):
            return self._decorator(method, call)
        if isinstance(method.receiver, v.Method) and method.receiver.name in kinds.TOOL_LISTS:
            self._note_given(method.receiver.receiver, _put_in(method, call), *call.at)
        if isinstance(method.receiver, v.Class):
            if method.name in ("model_json_schema", "schema"):
                return v.Made("model_json_schema", v.Call(*call.at, method.receiver))
            base = method.receiver.derives(*kinds.names("servers"))
            if base is not None and method.name in kinds.names("generated"):
                return self._generated(v.External(f"{base.path}.{method.name}"), call)
        found = self._hand_over(method.name, method.receiver, call)
        found = found or self._handle("method_calls", method.name, method, call)
        if found is None and method.name != "__init__":
            # What a class hands over to its base is no request: `_hand_over` knows which of those are toolkits.
            self.maker.take_request(method, call)
        return found

    def _hand_over(self, name: str, receiver: v.Value, call: v.Call) -> v.Value | None:
        """`super().__init__(tools=[self.search])`, `self.register(self.search)`: an object hands over its own methods."""
        if name == "__init__":
            self.maker.name_class(receiver, call)
            return self.maker.take_own_methods(receiver, call) or self._start_agent(receiver, call)
        return self.maker.take_own_method(receiver, call) if name in kinds.names("own_methods") else None

    def _start_agent(self, receiver: v.Value, call: v.Call) -> v.Value | None:
        """`super().__init__(tools=[search])` in a class derived from a framework's agent."""
        path = outside_base(receiver.cls) if isinstance(receiver, v.Instance) and receiver.cls is not None else ""
        agent = v.External(path, *call.at)
        taker = _known(path).taker if path else None
        made = None if taker is None else taker(self.maker, agent, call)
        if made is not None and not any(key in call.keywords for key in kinds.TOOL_LISTS):
            self.registry.agent_at(path, call).unseen.add("tools that a class derived from its own may add")
        return made

    def _call_external(self, function: v.External, call: v.Call) -> v.Value | None:
        last = function.last
        if last == "__init__" and isinstance(call.first_value, v.Instance):
            # `Base.__init__(self, ...)`: as `super().__init__(...)`.
            return self._hand_over(last, call.first_value, call.named())
        known = _known(function.path)
        if known.is_generated:
            return self._generated(function, call)
        if known.is_server:
            return self.maker.make_server(function, None, call)
        if known.is_decorator:
            return self._decorator(kinds.framework_of(function.path), call)
        found = self._handle("calls", last, function, call)
        if found is None and known.is_constructor:
            return self.maker.from_constructor(kinds.framework_of(function.path), call)
        if found is None and known.taker is not None:
            return known.taker(self.maker, function, call)
        if found is None and known.ready_made:
            made = v.Made(function.path, call)
            self.registry.ready_made[made] = known.ready_made
            return made
        if found is None and known.may_make and last != "__init__":
            self.maker.take_request(function, call)
        return found

    def call_unknown(self, function: v.Value, call: v.Call) -> None:
        server = next((argument.value for argument in call.all() if isinstance(argument.value, Server)), None)
        if server is None:
            return
        reason, cause = "tools registered by a function that only a run can tell", ""
        if isinstance(function, v.External | v.Method):
            if isinstance(function, v.External):
                name, known = function.last, function.root in _REGISTERS_NOTHING
            else:
                name, known = function.name, not isinstance(function.receiver, v.Unknown)
            if known or not _MAY_REGISTER.search(name):
                return
            reason = f"`{name}` may register tools, and is not in the files read"
        elif isinstance(function, v.Function):
            reason, cause = f"`{function.name}` may register tools, and takes more steps than are followed", LIMIT
        self.registry.add_reason(reason, *call.at, server, cause)

    def _make_instance(self, cls: v.Class, call: v.Call) -> v.Value | None:
        base = cls.derives(*kinds.names("servers"))
        if base is not None:
            return self.maker.make_server(base, cls, call)
        self._handle("classes", cls.name, cls, call)
        if "name" not in call.keywords and cls.name not in kinds.names("constructors"):
            return None
        start = cls.member("__init__")
        taken = [
            each.name for each in (*(start.parameters if isinstance(start, v.Function) else ()), *cls.syntax.fields)
        ]
        is_tool = cls.name in kinds.names("constructors") or _records_tools(taken) or _defines_tool(cls, call)
        if is_tool and cls.derives(*kinds.names("base_classes")) is None:
            made = self.maker.from_constructor(kinds.by_keywords(OTHER, taken), call)
            return made if made is not None and made.registration is not None else None
        return None

    def attribute(self, holder: v.Made, name: str) -> v.Value | None:
        """`agent.tools`, of what takes a list of tools; `search.run`, which makes a tool a part of the program."""
        if name in _RUNS:
            self.registry.ready_made.pop(holder, None)
        is_list = name in kinds.TOOL_LISTS or (name in ARGUMENTS and hands_over(holder.path, name))
        taker = _known(holder.path).taker if is_list else None
        if taker is None:
            return None
        holder.attributes[name] = self.maker.tools_of(holder, name, taker)
        return holder.attributes[name]

    def assign(self, holder: v.Value, name: str, value: v.Value) -> v.Value | None:
        """`agent.tools = [...]`, `Files.read.__doc__ = TEXT`."""
        if name in kinds.TOOL_LISTS or name in ARGUMENTS:
            return self._assign_tools(holder, name, value)
        if name == "__doc__" and isinstance(holder, ToolObject):
            self._describe(holder, value)
        return None

    def _assign_tools(self, holder: v.Value, name: str, value: v.Value) -> v.Value | None:
        held = holder.attributes.get(name) or self.attribute(holder, name) if isinstance(holder, v.Made) else None
        if isinstance(held, AgentTools):
            held.replace(value)
            return held
        if isinstance(value, v.Items) and value.module is not None and value.node is not None:
            self._note_given(holder, value.items, value.module, value.node)
        return None

    def _note_given(self, holder: v.Value, given: Iterable[v.Value], module: v.Module, node: v.Node) -> None:
        """Take note of functions among the tools of what is not known: they are tools, but nobody knows whose."""
        if isinstance(holder, v.Unknown) and any(isinstance(value, v.Function) for value in given):
            self.registry.add_reason(f"tools given to {v.describe(holder)}", module, node, None)

    def _describe(self, tool: ToolObject, value: v.Value) -> None:
        """What a program's own decorator made of a function may be the function, described later."""
        registration = tool.registration
        if registration is None or registration.framework is not OTHER:
            return
        function, text = registration.function, registration.description
        if function is not None and text is not None and text.node is function.docstring.node:
            registration.description = value

    def cut_short(self, reason: str, module: v.Module, node: v.Node | None, cause: str = "") -> None:
        self.registry.add_reason(reason, module, node, None, cause)

    def note(self, value: v.Value) -> None:
        if isinstance(value, v.Class):
            self.maker.from_class(value)
        elif isinstance(value, v.Mapping):
            self.maker.from_dict(value)
        elif isinstance(value, v.Items):
            self.registry.gather(value)
        elif isinstance(value, v.Function):
            self.maker.from_marks(value)

    def _handle(self, field: str, name: str, called: v.Value, call: v.Call) -> v.Value | None:
        answers = (handler(self.maker, called, call) for handler in kinds.handlers(field).get(name, ()))
        return next((answer for answer in answers if answer is not None), None)

    def _generated(self, function: v.External, call: v.Call) -> Server:
        framework = next(each for each in kinds.frameworks() if function.last in each.generated)
        server = self.registry.server_at(framework, function.path, *call.at)
        self.registry.add_reason(framework.generated[function.last], *call.at, server)
        return server

    # What the reader asks

    def is_framework_method(self, function: v.Function) -> bool:
        """Whether a method replaces one of a server class that is known: it is part of how tools are registered."""
        return is_server_method(function)

    def may_register(self, function: v.Function, text: str) -> bool:
        """Whether a function that nothing calls is worth following."""
        module = function.scope.module
        # What hands tools to a model says what it is told, and which of them it may call; but how a framework calls a model
        # is not followed.
        return (
            may_define_tools(text)
            or any(name in text for name in self._ready[module])
            or ("tools=" in text and not kinds.is_framework(module))
        )

    # Decorators

    def _decorator(self, by: Framework | v.Method, call: v.Call) -> v.Value:
        """`tool(...)`, of a framework or a method: the tool if the function is given, else what makes a tool of a function."""

        def make(function: v.Function, given: v.Call) -> v.Value:
            if isinstance(by, v.Method):
                return self._method_tool(by, function, given)
            made = self.maker.from_function(function, by, None, given)
            if made.registration is not None:
                made.registration.is_decorated = True
            return made

        def apply(given: v.Call) -> v.Value:
            value = given.first_value or v.Unknown(v.AT_RUN_TIME)
            if isinstance(value, v.Function):
                return make(value, call)
            if isinstance(value, ToolObject | v.Class | v.Instance):
                return value
            server = self.registry.server_of(by, call.module) if isinstance(by, v.Method) else None
            self.registry.add_unknown(value, *given.at, server)
            return value

        first = call.first_value
        if isinstance(first, v.Function):
            return make(first, call.named())
        if not isinstance(by, v.Method) or not isinstance(first, v.Unknown | v.Made):
            return v.Native(apply, *call.at)

        def unused() -> None:
            # `server.tool(function)`, of a function that only a run can tell.
            self.registry.add_unknown(first, *call.at, self.registry.server_of(by, call.module))

        return v.Native(apply, *call.at, unused)

    def _method_tool(self, method: v.Method, function: v.Function, call: v.Call) -> v.Value:
        """`@server.tool` and `server.tool(function)`."""
        server = self.registry.server_of(method, call.module)
        having = [framework for framework in kinds.frameworks() if method.name in framework.methods]
        framework = having[0] if len(having) == 1 else server.framework
        made = self.maker.from_function(function, framework, server, call)
        if made.registration:
            made.registration.by_server = True
            if framework.methods.get(method.name):
                made.registration.skip_first = True
        # A decorated function stays callable, and may be registered once more under another name.
        return function if framework.keeps_functions else made


def _put_in(method: v.Method, call: v.Call) -> list[v.Value]:
    """What a method of a list puts into it."""
    if method.name in ("append", "insert"):
        return call.values[-1:]
    given = call.first_value if method.name == "extend" else None
    return given.items if isinstance(given, v.Items) else []


class _Known(NamedTuple):
    """What calling something from a package does, as far as its path says it; `may_make` tools, unlike the standard library.

    `taker` is how it takes a list of tools, `ready_made` the class of tools that it makes; None and empty if it does not.
    """

    is_generated: bool
    is_server: bool
    is_decorator: bool
    is_constructor: bool
    may_make: bool
    taker: TakesTools | None
    ready_made: str


@lru_cache(maxsize=kinds.KEPT_PATHS)
def _known(path: str) -> _Known:
    root, last = path.partition(".")[0], path.rpartition(".")[2]
    may_make = root not in kinds.NO_FRAMEWORK
    of_name = kinds.handlers("calls").get(last, ())
    taker = next((handler for handler in of_name if isinstance(handler, TakesTools)), None)
    if taker is None and _AGENT.search(last):
        taker = TakesTools(0 if last.endswith("Toolset") else None)
    return _Known(
        last in kinds.names("generated") and (root == "fastmcp" or "MCP" in path),
        last in kinds.names("servers") or path in kinds.names("servers"),
        may_make and last in kinds.names("decorators"),
        may_make and last in kinds.names("constructors"),
        may_make,
        taker,
        kinds.ready_made(path),
    )


def _records_tools(fields: Iterable[str]) -> bool:
    """Whether objects with these fields are tools, whatever they are called: a function that is described to a model."""
    given = frozenset(fields)
    return given >= {"name", "description"} and all(
        not given.isdisjoint(keys) for keys in (kinds.FUNCTION_KEYS, kinds.SCHEMA_KEYS)
    )


def _defines_tool(cls: v.Class, call: v.Call) -> bool:
    """Whether a call says what a definition says: a name, a description and the schema of an object."""
    given = call.first(kinds.SCHEMA_KEYS)
    if given is None or "description" not in call.keywords or not kinds.is_object_schema(given.value):
        return False
    # The schema of an answer has a name and a description too.
    return given is not call.get("schema") or "tool" in cls.name.lower()


class _ReadyMade(dict[v.Module, frozenset[str]]):
    """The names in a file that tell of tools, found once for each file.

    Those of tools that it imports from packages of them, of what adds tools when it runs, and of models with tools, which it
    tells something later.
    """

    def __missing__(self, module: v.Module) -> frozenset[str]:
        named = module.scope.names.items()
        # How a framework makes its own agents is not followed.
        adds = not kinds.is_framework(module)
        self[module] = found = frozenset(
            name
            for name, value in named
            if ((path := _imported_path(value)) and (kinds.ready_made(path) or (adds and added_by(path))))
            or (isinstance(value, v.Made) and value.last == kinds.WITH_TOOLS)
        )
        return found


def _imported_path(value: v.Value) -> str:
    """The dotted path that something is imported by; empty for what is not imported."""
    if isinstance(value, v.Imported):
        return ".".join((*value.target.import_names, value.name))
    return value.path if isinstance(value, v.External) else ""


def is_server_method(function: v.Function) -> bool:
    """Whether a method replaces one of a server class that the reader knows: it is part of how tools are registered."""
    owner = function.owner
    return (
        owner is not None and function.name in server_methods() and owner.derives(*kinds.names("servers")) is not None
    )


def _is_tool_decorator(function: v.Function) -> bool:
    """Whether a function or method of ours is a decorator named `tool` that makes the tool itself, not by way of a server."""
    if function.owner is None:
        is_named = function.name in kinds.names("decorators")
    else:
        # A method that takes nothing decorates nothing: it may return its tool.
        is_named = (
            function.name in kinds.names("methods") and function.receiver is not None and len(function.parameters) > 1
        )
    if not is_named:
        return False
    text = function.scope.module.offsets.text(function.code)
    return ".tool(" not in text and "add_tool" not in text
