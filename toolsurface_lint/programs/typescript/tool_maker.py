"""Makes tools of what TypeScript programs register."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import NamedTuple

from toolsurface_lint.model.unseen import LISTS
from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.framework import Framework, Handler
from toolsurface_lint.programs.operations import is_passed_on, plain
from toolsurface_lint.programs.registry import Registration, Registry, Server, ToolObject
from toolsurface_lint.programs.tool_maker import ToolMaker
from toolsurface_lint.programs.typescript.schemas import as_object, schema_of
from toolsurface_lint.source.modules import registered

PARTS = ("server", "mcpServer", "mcp", "_server")
"""Attributes under which a server is kept by what wraps it, or has its low-level server."""


@cache
def script_frameworks() -> tuple[Framework, ...]:
    """Every framework, in the order of the names of their files."""
    return registered("toolsurface_lint.programs.typescript.frameworks", "FRAMEWORK")


@cache
def handlers(field: str) -> dict[str, list[Handler]]:
    """By name, what the frameworks do with it, in their order."""
    found: dict[str, list[Handler]] = {}
    for framework in script_frameworks():
        for name, handler in getattr(framework, field).items():
            found.setdefault(name, []).append(handler)
    return found


def package_of(value: v.Value | None) -> str:
    """The package that something is imported from: `@scope/name` of `@scope/name/part.js.Thing`; empty if it is not."""
    path = value.path if isinstance(value, v.Outside) else ""
    parts = path.split("/")
    if path.startswith("@") and len(parts) > 1:
        return f"{parts[0]}/{parts[1].partition('.')[0]}"
    return path if path.startswith(".") else parts[0].partition(".")[0]


def options(call: v.Call, position: int = 0) -> v.Call:
    """A call that is given by name what the object at a position says, and the rest by position."""
    given = v.Call(*call.at, open=call.open)
    given.positional = [argument for at, argument in enumerate(call.positional) if at != position]
    argument = call.positional[position] if position < len(call.positional) else None
    value = None if argument is None else argument.value
    if isinstance(value, v.Mapping) and argument is not None:
        given.open = given.open or not value.complete
        for key, entry in value.entries.items():
            module, node = entry.value.module or call.module, entry.value.node or argument.site
            given.keywords[str(key)] = v.Argument(entry.value, node, module, entry.key.node)
    elif argument is not None:
        given.open = True
    return given


class Described(NamedTuple):
    """The parts of a tool as a call gives them."""

    description: v.Argument | None = None
    schema: v.Argument | None = None
    output: v.Argument | None = None
    annotations: v.Argument | None = None
    title: v.Argument | None = None
    open: bool = False
    """Whether there may be more than is seen."""


def described(call: v.Call, schema_keys: Sequence[str] = ("inputSchema", "parameters", "schema")) -> Described:
    """The parts that a call gives by name."""
    return Described(
        call.get("description"),
        call.first(schema_keys),
        call.first(("outputSchema",)),
        call.get("annotations"),
        call.get("title"),
        call.open,
    )


_TOOL_CLASS = re.compile(r"Tool(?:Base)?\Z|^Base\w*Tool|Tool(?:Definition|Handler)?\Z")
_CLASS_SCHEMAS = (
    "inputSchema", "schema", "parameters", "parameterSchema", "parametersJsonSchema", "argsShape", "argsSchema",
    "inputShape", "paramsSchema",
)  # fmt: skip


_FUNCTION_KEYS = (
    "handler", "execute", "run", "func", "fn", "function", "callback", "cb", "call", "invoke", "handle", "action", "tool",
)  # fmt: skip


def runs(mapping: v.Mapping) -> bool:
    """Whether an object has the function that its tool runs."""
    return any(isinstance(mapping.get(key), v.Function | v.Made | v.Method | v.Unknown) for key in _FUNCTION_KEYS)


_PLAIN_KEYS = frozenset(("name", "parameters", "inputSchema", "strict", "type"))
"""What a definition without a description has if it is sent as it is."""


def _own_name(base: v.Class | v.External) -> str:
    return base.name if isinstance(base, v.Class) else base.last


SCHEMA_KEYS = (
    "inputSchema", "input_schema", "schema", "parameters", "argsSchema", "paramsSchema", "inputs", "input", "args",
    "params", "paramSchema",
)  # fmt: skip
"""The keys under which programs keep the schemas of their tools."""


class NamelessTool(v.Value):
    """A tool that gets its name from the key under which it is put into an object of tools.

    `name` is the one that it has where it is in no object; None if it has none then.
    """

    def __init__(self, make: Callable[[v.Literal], ToolObject], call: v.Call, name: v.Literal | None = None) -> None:
        super().__init__(*call.at)
        self.call = call
        self.made_of = call.first_value if isinstance(call.first_value, v.Mapping) else None
        self.make = make
        self.name = name


class ScriptMaker(ToolMaker):
    """Makes tools of calls, classes and objects, and adds to a registry what servers are given."""

    frameworks = staticmethod(script_frameworks)

    def __init__(self, registry: Registry) -> None:
        super().__init__(registry)
        self._tool_classes: dict[v.Node, v.Class] = {}

    def server_of(self, method: v.Method, framework: Framework) -> Server:
        """The server that a method is called on; one of its own for each receiver that is not known."""
        receiver: v.Value = method.receiver
        while isinstance(receiver, v.Method) and receiver.name in PARTS:
            receiver = receiver.receiver
        if isinstance(receiver, Server):
            return receiver
        module = method.module
        assert module is not None
        if isinstance(receiver, v.Made):
            return self.registry.server_at(framework, receiver.path, *receiver.arguments.at)
        key = f"{module.path}:{method.text}"
        return self.registry.servers.setdefault(key, Server(key, framework, "", module, method.node))

    def add(
        self, server: Server | None, framework: Framework, name: v.Value | None, parts: Described, call: v.Call
    ) -> ToolObject:
        """A tool of this name and these parts, registered by a call."""
        text = plain(name)
        if is_passed_on(name, None if parts.description is None else parts.description.value):
            name = text = None
        if name is None or not isinstance(text, str) or not text:
            value = name or v.Unknown(v.AT_RUN_TIME)
            self.registry.add_unknown(value, *call.at, server, "a tool registered under ")
            return ToolObject(None, *call.at, v.describe(value))
        # A name that is put together of others is written where that is done.
        written = name.value if isinstance(name, v.Member) else name
        label = v.Literal(text, written.module or call.module, written.node or call.node)
        registration = Registration(label, framework, *call.at)
        registration.server = server
        registration.by_server = server is not None
        description = parts.description
        registration.description = v.Literal(None, *call.at) if description is None else description.value
        if description is None and (parts.open or call.open):
            registration.description = v.Unknown("an argument that only a run can tell")
        registration.schema = self.schema(parts.schema, framework)
        registration.output = self.schema(parts.output, framework)
        registration.annotations = parts.annotations
        registration.title = parts.title
        known = self._named.get(label.node)
        registration = self.registry.add(registration)
        if known is not None and known.display is not None and known is not registration:
            # The definition in an object, which is registered by its parts: what a run makes of one is written there.
            self._fill(registration, known.display)
            self.registry.replace(known, registration)
        self._named[label.node] = registration
        return ToolObject(registration, *call.at)

    def _fill(self, registration: Registration, written: v.Mapping) -> None:
        """Take what is not known of a tool from the object that its definition is written in."""
        if isinstance(registration.description, v.Unknown):
            registration.description = written.get("description") or registration.description
        schema = registration.schema
        if schema is not None and isinstance(schema.value, v.Unknown):
            given = next((value for key in SCHEMA_KEYS if (value := written.get(key)) is not None), None)
            made = None if given is None else schema_of(given, self._evaluator)
            if made is not None:
                registration.schema = schema._replace(value=made)

    def from_dict(self, mapping: v.Mapping, made_by: str = "") -> None:
        """An object in the shape of a definition; what converts one that is known into another shape makes no tool."""
        super().from_dict(mapping, made_by)
        registration = self.registry.displays.get(mapping)
        if registration is not None:
            is_own = registration.framework.format == "typescript" and not _PLAIN_KEYS.issuperset(
                map(str, mapping.entries)
            )
            if is_own and "description" not in mapping.entries:
                # `{ id, name, route, parameters }`: no provider takes it as it is.
                registration.description = v.Unknown("a description that the program keeps elsewhere")
            self._named.setdefault(registration.name.node, registration)

    def schema(self, given: v.Argument | None, framework: Framework) -> v.Argument | None:
        """An argument that gives a schema, with the JSON Schema that the framework makes of it as its value."""
        if given is None:
            return None
        made = schema_of(given.value, self._evaluator)
        if made is not None and framework.is_mcp and isinstance(given.value, v.Made):
            as_object(made)
        return given._replace(value=made or v.Unknown("a schema that is not read"))

    def name_tools(self, mapping: v.Mapping) -> None:
        """`{ weather: tool({...}) }`: the tools in an object that have no names get those of their keys."""
        held = [entry.value for entry in mapping.entries.values()]
        if not any(isinstance(value, NamelessTool) for value in held):
            return
        if any(isinstance(value, v.Literal | v.Text | v.Function) for value in held):
            # `{ tool: weather, enabled: true }` says something of a tool.
            return
        for key, entry in list(mapping.entries.items()):
            if isinstance(entry.value, NamelessTool) and isinstance(key, str):
                label = v.Literal(key, entry.key.module, entry.key.node)
                mapping.entries[key] = entry._replace(value=self.name_tool(entry.value, label))
                registration = self.registry.registration_of(mapping.entries[key].value)
                if registration is not None and registration.server is None and mapping.module and mapping.node:
                    registration.container = f"{mapping.module.path}:object:{mapping.node.lineno}"

    def from_named_class(self, cls: v.Class, framework: Framework, schema_key: str = "schema") -> None:
        """A class whose objects are one tool, with a name, a description and a schema as fields; none for a base class."""
        name = self._member_of(cls, "name")
        if not isinstance(name, v.Literal) or not isinstance(name.value, str) or not name.value:
            return
        module, keys = cls.scope.module, ("description", schema_key)
        description, schema = (self._member_of(cls, key) for key in keys)
        registration = Registration(name, framework, module, module.name_place(cls.code, cls.name))
        registration.description = description or v.Unknown("a description that objects are given")
        given = None if schema is None else v.Argument(schema, schema.node or cls.site, schema.module or module)
        registration.schema = self.schema(given, framework) or v.Argument(
            v.Unknown("a schema of the class"), cls.site, module
        )
        registration.container = f"{module.path}:{framework.format}:{cls.name}"
        self._classes[cls.code] = self._named[name.node] = self.registry.add(registration)

    def nameless(self, framework: Framework, parts: Described, call: v.Call, name: v.Value | None) -> NamelessTool:
        """A tool that is named by its key; `name` is what it calls itself, for where it is in no object."""
        text = plain(name)
        own = v.Literal(text, name.module, name.node) if name is not None and isinstance(text, str) and text else None
        tool = NamelessTool(lambda label: self.add(None, framework, label, parts, call), call, own)
        self.registry.unnamed.setdefault(call.node, lambda: self.name_tool(tool, None))
        return tool

    def name_tool(self, tool: NamelessTool, label: v.Literal | None) -> ToolObject:
        """The tool under the name of its key, or without one under its own."""
        self.registry.unnamed.pop(tool.call.node, None)
        label = label or tool.name
        if label is not None:
            made = tool.make(label)
            made.made_of = tool.made_of
            return made
        self.registry.add_reason("a tool that is not seen to be given a name", *tool.call.at, None)
        return ToolObject(None, *tool.call.at, "a name that is not known")

    def _run_handler(self, server: Server, function: v.Function) -> None:
        self._evaluator.called.add(function.code)
        call = v.Call(function.scope.module, function.code, open=True)
        for result in self._evaluator.results(function, call):
            given = result.get("tools") if isinstance(result, v.Mapping) else result
            self.take_tools(server, v.Argument(given or v.Unknown(v.CALL), call.node, call.module), call)
            for registration in server.given:
                # The objects in the answer are its tools, wherever they are written.
                registration.server = registration.server or server
                if registration.framework.format == "typescript":
                    # Records of the program's own, as they are: what is served is what the server's protocol says.
                    registration.framework = server.framework
            self.registry.override(server)

    def note_class(self, cls: v.Class) -> None:
        """A class may be one of tools: by the name of a class that it derives from."""
        bases = cls.ancestors()[1:]
        if any(isinstance(base, v.Class | v.External) and _TOOL_CLASS.search(_own_name(base)) for base in bases):
            self._tool_classes[cls.code] = cls

    def run_handlers(self, follow: Callable[[v.Module, Callable[[], object], v.Node], None]) -> None:
        super().run_handlers(follow)
        for code, cls in self._tool_classes.items():
            # What others derive from is no tool itself.
            if not cls.replaced and code.kind != "abstract_class_declaration":
                follow(cls.scope.module, partial(self._from_object, cls), code)
        self._note_empty_servers()

    def _from_object(self, cls: v.Class) -> None:
        """A tool of a class: what its objects say of themselves, whoever makes them."""
        call = v.Call(*cls.at, open=True)
        made = self._evaluator.call(cls, call)
        if not isinstance(made, v.Instance):
            return

        def said(*keys: str) -> v.Value | None:
            for key in keys:
                value = self._evaluator.attribute(made, key, *cls.at)
                if not isinstance(value, v.Method | v.Unknown):
                    return value
            return None

        name = said("name", "toolName", "Name", "id")
        if not isinstance(plain(name), str) or name is None or name.node in self._named:
            return
        description = said("description")
        schema = said(*_CLASS_SCHEMAS)
        if description is None and schema is None:
            return
        from_mcp = any(isinstance(base, v.External) and "mcp" in base.path.lower() for base in cls.ancestors())
        wanted = "typescript-mcp" if from_mcp else "typescript"
        framework = next(each for each in script_frameworks() if each.format == wanted)
        module, node = cls.at
        parts = Described(
            v.Argument(description or v.Unknown("a description that the class makes"), node, module),
            v.Argument(schema or v.Unknown("a schema that the class makes"), node, module),
        )
        self.add(None, framework, name, parts, v.Call(*cls.at))

    def _note_empty_servers(self) -> None:
        """Say of servers for which no tool was found that they may have some: silence would say that they have none."""
        known = {registration.server for registration in self.registry.registrations.values()}
        known.update(reason.server for reason in self.registry.reasons.values())
        for server in self.registry.servers.values():
            module = server.module
            is_seen = server in known or server.given or server.mounts
            if server.framework.is_mcp and server.path and not is_seen and module and "ool" in module.source.text:
                self.registry.add_reason("a server of which no tool is seen", module, server.node, server, LISTS)

    def add_list(self, server: Server, handler: v.Function) -> None:
        """A function lists the tools of a server."""
        self._lists.append((server, handler))
