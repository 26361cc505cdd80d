"""What programs have been found to register: tools, servers, and the reasons why there may be more.

Kept here is what was found, in the state that the code was in when it was found; which code registers something is
decided in `registration` and `tool_maker`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable
from collections.abc import Mapping as Table
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from toolsurface_lint.model.patterns import wildcard_match
from toolsurface_lint.model.unseen import MADE, SERVERS
from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.framework import (
    MESSAGE_CLASSES,
    MESSAGES,
    ROLES,
    TELLING_ROLES,
    Framework,
    agent_call,
    framework_of,
    frameworks,
    is_framework,
    outside_base,
    usual_framework,
)
from toolsurface_lint.programs.operations import text_of
from toolsurface_lint.programs.started_servers import UNSEEN, Started
from toolsurface_lint.programs.texts import is_text

if TYPE_CHECKING:
    from toolsurface_lint.source.program_tree import Located


def _message(value: v.Value) -> tuple[str | None, v.Value | None] | None:
    """The role of a message and what is in it; of a part of one, or of a list, an empty role. None for anything else.

    A role that is not known is None.
    """
    if isinstance(value, v.Made) and value.last in MESSAGE_CLASSES:
        key, role = MESSAGE_CLASSES[value.last]
        given = value.arguments.value("role") if role else None
        return text_of(given) if given is not None else role, value.arguments.value(key, 0)
    if isinstance(value, v.Mapping) and "role" in value.entries:
        return text_of(value.get("role")), value.get("content")
    if isinstance(value, v.Mapping):
        # A part of a message: `{"type": "text", "text": "..."}`.
        return "", value.get("text")
    if isinstance(value, v.Items) and value.kind == "tuple" and len(value.items) == 2:
        role_text = text_of(value.items[0])
        return (role_text, value.items[1]) if role_text in ROLES else None
    return None


def _key(module: v.Module, node: v.Node, label: str = "") -> str:
    return f"{module.path}:{node.lineno}:{node.col_offset}:{label}"


OUTSIDE_CLASS = "a tool of class `{}`, which is not in the files read"
NAMELESS_CLASS = "a tool of class `{}`, which has no name before it is made"
_MAX_DEPTH = 4
"""Lists and messages that a text may stand in: messages, one of them, its content, a part of that."""
_TOOLSETS = ("FunctionToolset", "CombinedToolset", "LocalProvider")


class Naming(NamedTuple):
    """What becomes of the names of a server's tools: some are given another one, the others a prefix."""

    prefix: str = ""
    renamed: Table[str, str] = {}

    def of(self, name: str) -> str:
        return self.renamed.get(name) or (f"{self.prefix}_{name}" if self.prefix else name)


class Choice(NamedTuple):
    """Tools of a server are enabled or disabled, of those that have one of the names and one of the tags; None for any.

    `is_sure` is false where a setting or something else decides whether that happens, or for which of them. `only`: all the
    others are disabled.
    """

    enables: bool
    names: frozenset[str] | None = None
    tags: frozenset[str] | None = None
    is_sure: bool = True
    only: bool = False

    def offers(self, registration: Registration, name: str, *, before: bool) -> bool:
        """Whether a tool that is served under a name is offered to everybody after this, if it was so `before`.

        One that may be disabled is not: sessions may have it enabled again, so that nothing is certain to be missing.
        """
        tags = registration.tags
        may_be = (self.names is None or name in self.names) and (self.tags is None or tags is None or tags & self.tags)
        if not self.enables:
            return before and not may_be
        is_one = may_be and (self.tags is None or tags is not None)
        if self.only:
            return bool(is_one) and self.is_sure
        return before or (bool(is_one) and self.is_sure)


@cache
def server_methods() -> frozenset[str]:
    """The methods of servers whose meaning is known, whatever a derived class makes of them."""
    serving = [framework for framework in frameworks() if framework.servers]
    return frozenset(name for framework in serving for name in (*framework.methods, *framework.method_calls))


class Server(v.Instance):
    """Something that tools are registered with: an MCP server, an agent, an object that only a run can tell.

    `path` is that of its class, empty for the last. `mounts` are the servers whose tools it serves too, `changes` what
    becomes of the names of all that it serves, and which of them it offers, in order.
    """

    def __init__(self, key: str, framework: Framework, path: str, module: v.Module, node: Located | None) -> None:
        super().__init__(None, module, node)
        self.key = key
        self.framework = framework
        self.path = path
        self.reserved = server_methods()
        self.mounts: list[tuple[Server, Naming]] = []
        self.changes: list[Naming | Choice] = []
        self.removed: set[str] = set()
        self.name = ""
        """The name that it is given, if that is known."""
        self.is_refused = False
        """What it is given is refused: nothing is served."""
        self.given: list[Registration] = []
        """The tools that it is given, those among them that another server has too."""
        self.ready_made: set[str] = set()
        """What it is given that is not defined in the program: names of tools, or of the classes of a provider's tools."""
        self.made_by = ""
        """What is called to send it, if it is a request to a model or looks like one: `create`."""
        self.is_request = False
        """It is one request to a model, which has the tools that it is given and no others."""
        self.unseen: set[str] = set()
        """Why it may be given more, where that says nothing of the surfaces around it."""
        self.handoffs: dict[str, Server | v.Unknown] = {}
        """The agents that it hands over to, or asks, each by its key or by what is known of it,"""
        self.transfers: set[str] = set()
        """and the tools that its framework makes it for that,"""
        self.built_in: set[str] = set()
        """or gives to every agent like it."""
        self.shares: Server | None = None
        """The agent that starts it, whose tools it has too,"""
        self.granted: frozenset[str] | None = None
        """if only some of them, by these patterns;"""
        self.withheld: frozenset[str] = frozenset()
        """and those that it is refused."""
        self.client: str | None = None
        """The client that runs it: of its tools, it has those in `built_in` only."""
        self.starts: dict[str, Started] = {}
        """The servers that are started for it, by where that is."""

    def may_use(self, name: str) -> bool:
        """Whether it has a tool of its servers, by the lists that say which of them it has."""
        granted = self.granted is None or any(_covers(pattern, name) for pattern in self.granted)
        return granted and not any(_covers(pattern, name) for pattern in self.withheld)

    def hand_over(self, other: Server | v.Unknown) -> None:
        """Hand over to another agent too."""
        self.handoffs.setdefault(other.key if isinstance(other, Server) else other.what, other)

    def mount(self, child: Server, naming: Naming) -> None:
        """Serve the tools of another server too."""
        if (child, naming) not in self.mounts and child is not self:
            self.mounts.append((child, naming))


def _covers(pattern: str, name: str) -> bool:
    """Whether a pattern is for a tool of this name; that of a server, `mcp__SERVER`, is for all of its tools."""
    return wildcard_match(pattern, name) or name.startswith(f"{pattern}__")


class ToolRules(NamedTuple):
    """What an agent of a client is allowed and refused, as the call that makes it says it.

    `lists` are arguments, by their names. `servers` are its servers by their names, None for those that are not known.
    """

    client: str
    call: v.Call
    lists: Table[str, v.Argument]
    servers: dict[str, Server | Started | None]


class Registration:
    """One tool as it is registered: every part is a value, None for what is not given.

    `module` is the file that the tool is reported in (of its function, or of the call that makes it), `node` what stands
    for the whole definition there.
    """

    key: tuple[object, ...] = ()
    """By which the registry keeps it."""
    function: v.Function | None = None
    description: v.Value | None = None
    title: v.Argument | None = None
    tags: frozenset[str] | None = frozenset()
    """By which servers choose among their tools; None if they are not known."""
    schema: v.Argument | None = None
    output: v.Argument | None = None
    """The schema of its results."""
    annotations: v.Argument | None = None
    side_effects: v.Argument | None = None
    display: v.Mapping | None = None
    """The dict that is the whole definition, if it is one."""
    entry = ""
    """The function that it was found in, if nothing called that."""
    server: Server | None = None
    container = ""
    by_server = False
    """A call or a decorator of its server names the function: it is not just one in a list."""
    is_decorated = False
    """By a decorator of its framework."""
    optional = False
    """Behind a setting that is off by default."""
    uncertain = False
    skip_first = False
    excluded: frozenset[str] = frozenset()
    reshape: Callable[[v.Mapping, bool], v.Mapping] | None = None
    """What becomes of the schema of the signature, if not what the framework says."""
    versioned = False
    """One of several versions, of which clients see the newest."""

    def __init__(self, name: v.Literal, framework: Framework, module: v.Module, node: Located) -> None:
        self.name = name
        self.framework = framework
        self.module = module
        self.node = node
        self.listed_in: set[str] = set()
        """The paths of the files that have it in a list."""

    def stand_at(self, name: v.Value) -> None:
        """Stand at the function that the tool is named after: what converts functions into tools is nobody's tool."""
        if isinstance(name, v.FunctionName) and name.module is not None and name.node is not None:
            self.module, self.node, self.function = name.module, name.node, name.function


class ToolObject(v.Value):
    """A tool as a value; `registration` is None if its name is not known."""

    def __init__(self, registration: Registration | None, module: v.Module, node: Located, what: str = "") -> None:
        super().__init__(module, node)
        self.registration = registration
        self.what = what


class Told(NamedTuple):
    """A text that a server, an agent or a request tells the model, as far as it is known."""

    server: Server
    text: v.Value


class Reason(NamedTuple):
    """Why there may be tools that are not seen; of `server`, or of all. `cause` is that of `Unseen`.

    `is_named`: which tools there are is not known, but their names are; `server` has them in `built_in`.
    """

    text: str
    module: v.Module
    node: v.Node | None
    server: Server | None
    cause: str
    is_named: bool


class Dispatcher(NamedTuple):
    """A function that a server calls with the name of a tool: the parameter at a position, or an attribute of that one."""

    server: Server
    function: v.Function
    position: int = 0
    attribute: str = ""


class Registry:
    """The registrations of the files that are followed."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.registrations: dict[tuple[object, ...], Registration] = {}
        """By what tells one from another: its server, its name and its place."""
        self.reasons: dict[tuple[str, str, int, Server | None], Reason] = {}
        """By its text, its line and its server."""
        self.told: dict[tuple[Server, v.Node], Told] = {}
        """What servers, agents and requests tell the model, by where each text is put together."""
        self.tellers: dict[tuple[Server, v.Node], v.Function] = {}
        """The functions that return more of it."""
        self.named_files: dict[v.Module, dict[str, list[tuple[int, str]]]] = {}
        """By program, the files of agents and of tasks that its classes name, with where: offsets in code points."""
        self.entries: dict[tuple[v.Module, str], dict[str, Server]] = {}
        """By program and the path of a file of agents or of their tasks: the agents, by their names in it."""
        self.servers: dict[str, Server] = {}
        """By what tells one from another: where it is made, or what it is called on."""
        self.tool_functions: set[v.Node] = set()
        """The code of functions that are tools: the model calls them, nothing in them registers anything."""
        self.given_servers: set[str] = set()
        """The names of functions that were called with a server."""
        self.toolkits: dict[v.Value, Server] = {}
        """By the objects that hand over their own methods as tools."""
        self.displays: dict[v.Value, Registration] = {}
        """By the dicts that are whole definitions."""
        self.folders: dict[str, Server] = {}
        """By their paths, the folders whose tools an agent is given."""
        self.dispatchers: list[Dispatcher] = []
        self.tool_rules: dict[str, ToolRules] = {}
        """By the call that makes the agent."""
        self.ready_made: dict[v.Made, str] = {}
        """The ready-made tools of packages that no agent was seen to be given, with their classes."""
        self.unnamed: dict[v.Node, Callable[[], object]] = {}
        """By the calls that make tools without names, what is done about those that are put nowhere that names them."""
        self._blocks: dict[v.Scope | v.Class, int] = {}
        self._lists: dict[tuple[v.Module, int], dict[v.Items | Registration, int]] = {}

    def add(self, registration: Registration) -> Registration:
        """Keep a registration, once: code that is followed twice registers the same tool."""
        if registration.function is not None:
            self.tool_functions.add(registration.function.code)
        place = registration.node.lineno, registration.node.col_offset
        key = (registration.server, registration.name.value, registration.module.path, *place)
        known = self.registrations.get(key)
        if known is not None and known.framework.may_be_part <= registration.framework.may_be_part:
            # One way to it that hangs on nothing is enough.
            known.uncertain = known.uncertain and self.evaluator.soft > 0
            known.optional = known.optional and (registration.optional or self.evaluator.optional > 0)
            return known
        self.registrations[key] = registration
        registration.key = key
        self.evaluator.found_something()
        registration.entry = self.evaluator.entry
        registration.uncertain = self.evaluator.soft > 0
        registration.optional = registration.optional or self.evaluator.optional > 0
        displays = self.evaluator.displays
        if registration.server is None and not registration.container:
            at = getattr(displays[0].node, "lineno", 1) if displays else registration.node.lineno
            where = f"list:{at}" if displays else f"{at}:{registration.node.col_offset}"
            if registration.function is not None and not displays:
                where = self._block(registration.function)
            registration.container = f"{registration.module.path}:{registration.framework.format}:{where}"
        return registration

    def replace(self, old: Registration, new: Registration) -> None:
        """Let a registration stand for another one, which is forgotten."""
        del self.registrations[old.key]
        if old.display is not None:
            self.displays[old.display] = new

    def override(self, server: Server) -> None:
        """What a server's own list has stands for what was registered under the same name: that is not listed any more."""
        listed = {each.name.value: each for each in server.given}
        for old in list(self.registrations.values()):
            new = listed.get(old.name.value)
            if old.server is server and old.by_server and new is not None and new is not old:
                self.replace(old, new)

    def forget(self, mapping: v.Mapping) -> None:
        """A dict in the shape of a definition turns out to be something else."""
        registration = self.displays.pop(mapping, None)
        if registration is not None:
            self.registrations.pop(registration.key, None)

    def registration_of(self, value: v.Value) -> Registration | None:
        """The tool that a value is, or the definition of; None for any other value."""
        return value.registration if isinstance(value, ToolObject) else self.displays.get(value)

    def found(self) -> list[Registration]:
        """The registrations, without those that became a part of another one."""
        known = self.registrations.values()
        whole = {each.name.node for each in known if not each.framework.may_be_part}
        return [each for each in known if not each.framework.may_be_part or each.name.node not in whole]

    def give_folders(self) -> None:
        """Give the tools that lie in the folder of an agent to it."""
        for each in self.registrations.values() if self.folders else ():
            folder = os.path.normpath(os.path.dirname(each.module.path))
            each.server = each.server or self.folders.get(folder)

    def name_the_unnamed(self) -> None:
        """Deal with the tools that nothing has named."""
        for make in list(self.unnamed.values()):
            make()

    def note_ready_made(self) -> None:
        """Take note of the ready-made tools of packages that are made and given to nobody that is known."""
        for made, name in self.ready_made.items():
            module, node = made.arguments.at
            # Under a name of its file, it may only be run by the code there; a framework makes its own for whoever asks.
            if not is_framework(module) and all(value is not made for value in module.scope.names.values()):
                self.add_reason(OUTSIDE_CLASS.format(name), module, node, None, MADE)

    def gather(self, items: v.Items) -> None:
        """The definitions in a list that were made elsewhere are those of the list."""
        if items.module is None or items.node is None or not self.registrations:
            return
        outermost = self.evaluator.displays[0] if self.evaluator.displays else items
        held = [found for found in map(self.registration_of, items.items) if found and found.server is None]
        for found in held:
            found.listed_in.add(items.module.path)
        gathered = [found for found in held if found.display is not None or found.function is None]
        line = getattr(outermost.node, "lineno", 1)
        number = self._number((items.module, line), [outermost, *gathered]) if gathered else 0
        for found in gathered:
            container = f"{items.module.path}:{found.framework.format}:list:{line}"
            found.container = f"{container}:{number}" if number else container

    def _number(self, where: tuple[v.Module, int], parts: list[v.Items | Registration]) -> int:
        """The number, from 0, of the list with these parts among those that one expression makes: one for each caller."""
        lists = self._lists.setdefault(where, {})
        number = next((lists[part] for part in parts if part in lists), len(lists))
        lists.update((part, number) for part in parts)
        return number

    def _block(self, function: v.Function) -> str:
        """What tells the tools in one function's or class's body from those in another; empty for those of a file itself."""
        if function.owner is None and function.scope.outer is None:
            return ""
        return str(self._blocks.setdefault(function.owner or function.scope, len(self._blocks) + 1))

    def server_at(self, framework: Framework, path: str, module: v.Module, node: v.Node, label: str = "") -> Server:
        """The server that an expression makes: one, however often the expression is followed, unless its name differs."""
        key = _key(module, node, label)
        if key not in self.servers:
            self.evaluator.found_something()
        return self.servers.setdefault(key, Server(key, framework, path, module, node))

    def agent_at(self, path: str, call: v.Call) -> Server:
        """The agent, or whatever else is given tools, that a call makes."""
        framework = framework_of(path)
        agent = self.server_at(framework, path, *call.at)
        given = agent_call(path, call).first(framework.agent_names)
        agent.name = agent.name or (text_of(given.value) if given is not None else None) or ""
        return agent

    def known_agent(self, value: v.Value | None) -> Server | None:
        """The agent that a value is, if it was given or told anything; None for another value."""
        if not isinstance(value, v.Made):
            return None
        module, node = value.arguments.at
        return self.servers.get(_key(module, node))

    def add_rules(self, client: str, call: v.Call, names: Iterable[str]) -> ToolRules:
        """Take note of the arguments of these names as lists of what an agent of a client may do."""
        lists = {name: given for name in names if (given := call.get(name)) is not None}
        return self.tool_rules.setdefault(_key(*call.at), ToolRules(client, call, lists, {}))

    def server_of(self, method: v.Method, module: v.Module) -> Server:
        """The server that a method is called on; one of its own for each receiver that is not known."""
        receiver = method.receiver
        if isinstance(receiver, Server):
            return receiver
        if isinstance(receiver, v.Made):
            return self.agent_at(receiver.path, receiver.arguments)
        roots = {value.root for value in module.scope.names.values() if isinstance(value, v.External)}
        key, framework = f"{module.path}:{method.text}", usual_framework(method.name, roots)
        return self.servers.setdefault(key, Server(key, framework, "", module, method.node))

    def known_server(self, value: v.Value) -> Server | None:
        """The server, the toolset or the toolkit of ours that a value is; None for another value."""
        if isinstance(value, v.Made) and value.last in _TOOLSETS:
            return self.server_at(framework_of(value.path), value.path, *value.arguments.at)
        return value if isinstance(value, Server) else self.toolkits.get(value)

    def toolkit(self, instance: v.Instance) -> Server | None:
        """What serves the methods that an object hands over: one for all objects of its class.

        None for an object of a class that derives from nothing outside, or not of a framework: who takes the methods is
        followed there.
        """
        if isinstance(instance, Server):
            return instance
        cls = instance.cls
        path = "" if cls is None else outside_base(cls)
        if cls is None or not path:
            return None
        return self.toolkits.setdefault(instance, self.server_at(framework_of(path), path, *cls.at))

    def add_told(self, server: Server, call: v.Call, keys: Iterable[str], position: int | None = None) -> None:
        """Take note of what a call tells the model by arguments of these names; `position` is that of the first of them."""
        for key in keys:
            told = call.value(key, position)
            position = None
            # A text in place of messages is what a user says.
            if told is not None and (key not in MESSAGES or isinstance(told, v.Items)):
                self.add_text(server, told, in_messages=key in MESSAGES)

    def add_text(
        self,
        server: Server,
        told: v.Value | None,
        roles: Container[str] = TELLING_ROLES,
        *,
        in_messages: bool = False,
        depth: int = 0,
    ) -> None:
        """Take note of a text that a server tells, and of those in lists and in messages of these roles.

        `in_messages`: only those in messages. What a function returns is noted later: see `tellers`.
        """
        # One list may be given to any number of agents.
        self.evaluator.spend(1)
        if told is None or depth > _MAX_DEPTH:
            return
        message = _message(told)
        if message is not None:
            role, held = message
            if role is not None and (not role or role in roles):
                self.add_text(server, held, roles, in_messages=in_messages and not role, depth=depth + 1)
        elif isinstance(told, v.Items):
            for part in told.items:
                self.add_text(server, part, roles, in_messages=in_messages, depth=depth + 1)
        elif in_messages:
            return
        elif isinstance(told, v.Function):
            self.tellers.setdefault((server, told.code), told)
        elif is_text(told) and told.node is not None:
            self.told.setdefault((server, told.node), Told(server, told))

    def start(self, server: Server, started: Started, call: v.Call) -> None:
        """Give an agent the tools of a server that is started for it, as far as the project knows them."""
        if started.module is None or started.node is None:
            started.module, started.node = call.at
        server.starts.setdefault(_key(started.module, started.node, started.prefix), started)
        self.add_reason(UNSEEN, started.module, started.node, server, SERVERS)

    def add_unknown(
        self, value: v.Value, module: v.Module, node: v.Node, server: Server | None, prefix: str = "a tool that is "
    ) -> None:
        """Take note of a tool that cannot be identified: its value, or the name that follows `prefix`, is not known."""
        text = prefix + v.describe(value)
        if self.evaluator.loops:
            module, node, what = self.evaluator.loops[-1]
            text = f"tools registered in a loop over {what}"
        elif isinstance(value, ToolObject) and value.what:
            text = f"a tool registered under {value.what}"
        self.add_reason(text, module, node, server)

    def add_reason(
        self,
        text: str,
        module: v.Module,
        node: v.Node | None,
        server: Server | None,
        cause: str = "",
        is_named: bool = False,
    ) -> None:
        """Take note, once, of why there may be more tools."""
        self.reasons.setdefault(
            (text, module.path, getattr(node, "lineno", 1), server), Reason(text, module, node, server, cause, is_named)
        )
