"""Gives tools to servers. A server is whatever tools are registered with: an MCP server, an agent, a registry."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from copy import copy
from functools import partial

from toolsurface_lint.model.unseen import LISTS
from toolsurface_lint.programs import framework as kinds
from toolsurface_lint.programs import handoffs
from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.made_tools import MadeTools
from toolsurface_lint.programs.operations import plain, plain_set, text_of, truth, values_of
from toolsurface_lint.programs.registry import (
    NAMELESS_CLASS,
    OUTSIDE_CLASS,
    Choice,
    Dispatcher,
    Naming,
    Registration,
    Registry,
    Server,
    ToolObject,
)
from toolsurface_lint.programs.run_time_tools import NAMED_LIKE_THEMSELVES, added_by
from toolsurface_lint.programs.started_servers import started


class ToolMaker(MadeTools):
    """Makes tools, and adds to a registry what servers are given."""

    def __init__(self, registry: Registry) -> None:
        super().__init__(registry)
        self._lists: list[tuple[Server, v.Function]] = []
        """Functions that list a server's tools."""
        self._told_by: dict[v.Function, list[v.Value]] = {}
        """What each function may return that tells agents something: one that tells several of them is followed once."""
        self._may_hand_over: dict[tuple[Server, v.Node], v.Function] = {}
        """Tools, by their code, each with an agent that has it, that hand over if they return another agent."""

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
        teller = call.value("on_get_prompt")
        if isinstance(teller, v.Function):
            self.registry.tellers.setdefault((server, teller.code), teller)
        called = call.value("on_call_tool")
        if isinstance(called, v.Function):
            self.registry.dispatchers.append(Dispatcher(server, called, 1, "name"))
        self.registry.add_told(server, call, ("instructions",), framework.servers.get(base.last))
        self.take_tools(server, call.get("tools"), call)
        self.take_servers(server, call.get("providers"), call.module)
        for key, enables in (("include_tags", True), ("exclude_tags", False)):
            # Of FastMCP 2.8.0 to 2.14.7.
            given = call.value(key)
            if given is not None and not v.is_none(given):
                tags = plain_set(given)
                server.changes.append(Choice(enables, None, tags, tags is not None, only=enables))
        if cls is not None and not server.attributes:
            self._evaluator.initialise(server, cls, call)
        return server

    def take_servers(
        self, server: Server, given: v.Argument | None, module: v.Module, *, renames: bool = False
    ) -> None:
        """A list of servers, toolsets or providers is given to an agent or a server: it serves their tools too.

        `renames`: under other names, if they are started for it.
        """
        if given is None or v.is_none(given.value):
            return
        value = given.value
        items = value.items if isinstance(value, v.Items) else [value]
        children = [self.registry.known_server(item) or (None if renames else started(item)) for item in items]
        for child in children:
            if isinstance(child, Server):
                server.mount(child, Naming())
            elif child is not None:
                self.registry.start(server, child, v.Call(module, given.site))
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

        `follow` is given a file, what is to be done in the steps that it has left, and the function that this is about.
        """
        done: set[tuple[Server, v.Node]] = set()
        for server, function in self._lists:
            if (server, function.code) not in done:
                done.add((server, function.code))
                follow(function.scope.module, partial(self._run_handler, server, function), function.code)
        handed: set[tuple[Server, v.Node]] = set()
        # An agent that is found so has tools too.
        while waiting := [key for key in self._may_hand_over if key not in handed]:
            handed.update(waiting)
            for server, code in waiting:
                function = self._may_hand_over[server, code]
                follow(function.scope.module, partial(self._hand_over, server, function), code)
        for (server, code), function in list(self.registry.tellers.items()):
            follow(function.scope.module, partial(self._tell, server, function), code)

    def _tell(self, server: Server, function: v.Function) -> None:
        if function not in self._told_by:
            call = v.Call(function.scope.module, function.code, open=True)
            self._told_by[function] = self._evaluator.results(function, call)
        for told in self._told_by[function]:
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
        if isinstance(called, v.Method | v.External):
            self._note_given_later(called, call)
        given = call.get(kinds.TOOL_LISTS[0])
        if given is None or v.is_none(given.value):
            return
        client = called.receiver if isinstance(called, v.Method) else called
        path = client.path if isinstance(client, v.Outside) else ""
        request = self.registry.server_at(kinds.framework_of(path), path, *call.at)
        name = called.name if isinstance(called, v.Method) else path.rpartition(".")[2]
        request.is_request, request.made_by = name in kinds.REQUESTS, name
        items = given.value.items if isinstance(given.value, v.Items) else ()
        if any(isinstance(item, v.Function) for item in items):
            self.take_tools(request, given, call)
        else:
            self._lend(request, given.value)
        self.registry.add_told(request, call, (*kinds.SYSTEM_PROMPTS, *kinds.MESSAGES))

    def _note_given_later(self, called: v.Method | v.External, call: v.Call) -> None:
        """Take note of an agent that is given tools by a method, or copied with others: `agent.clone(tools=[...])`."""
        changed = call.value("update")
        keys = set(call.keywords) | (set(changed.entries) if isinstance(changed, v.Mapping) else set())
        if keys.isdisjoint((*kinds.TOOL_LISTS, "toolsets")):
            return
        agent = self.registry.known_agent(called.receiver if isinstance(called, v.Method) else call.first_value)
        if agent is not None:
            name = called.name if isinstance(called, v.Method) else called.path.rpartition(".")[2]
            agent.unseen.add(f"`{name}` gives it other tools")

    def _lend(self, request: Server, tools: v.Value) -> None:
        """A request is given tools that stay those of the file or the server that has them."""
        if not isinstance(tools, v.Items) or not tools.complete:
            request.unseen.add(f"the list of tools is {v.describe(tools)}")
        for item in tools.items if isinstance(tools, v.Items) else ():
            self._evaluator.spend(1)
            registration = self.registry.registration_of(item)
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
                self._may_hand_over.setdefault((server, value.code), value)
            taken = self.from_function(value, server.framework, server, v.Call(*call.at))
            if taken.registration is not None:
                server.given.append(taken.registration)
        elif (child := self.registry.known_server(value)) is not None:
            server.mount(child, Naming())
        elif (start := started(value)) is not None:
            self.registry.start(server, start, call)
        elif (declared := _declarations(value)) is not None:
            self.take_tools(server, declared, call)
        elif isinstance(value, v.Made) and value.last[:1].isupper():
            self._attach_made(server, value, call)
        elif isinstance(value, v.Class) and value.derives("BaseModel", "TypedDict") is not None:
            self._attach(server, self.from_model(value, server.framework), call)
        elif isinstance(value, v.Instance | v.Class):
            self._attach_object(server, value, call)
        elif isinstance(value, v.External) and value.path.startswith(NAMED_LIKE_THEMSELVES) and value.last.islower():
            server.built_in.add(value.last)
        elif isinstance(value, v.External) and value.last[:1].isupper():
            self.registry.add_reason(OUTSIDE_CLASS.format(value.last), *call.at, server, LISTS)
        elif isinstance(value, v.Mapping):
            definition = self.registry.registration_of(value)
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

    def _attach_made(self, server: Server, value: v.Made, call: v.Call) -> None:
        """An object of a package's class is added to a server."""
        framework = kinds.framework_of(value.path)
        if added_by(value.path):
            self.note_added(server, value.path, value.arguments)
        elif not framework.has_provider_tools or value.last.endswith("Toolset"):
            self.registry.add_reason(OUTSIDE_CLASS.format(value.last), *call.at, server, LISTS)
        elif value.arguments.get("description") is None:
            # A provider runs it: what it does not run is described to the model.
            server.ready_made.add(value.last)
        elif made := self.from_other(framework, value.arguments, (), "a schema that the class makes"):
            self._attach(server, made, call)

    def _attach_object(self, server: Server, value: v.Instance | v.Class, call: v.Call) -> None:
        """A class of ours, or an object of one, is added to a server."""
        cls = value if isinstance(value, v.Class) else value.cls
        found = None if cls is None else self.of_class(cls)
        own_name = value.attributes.get("name") if isinstance(value, v.Instance) else None
        if found is not None and plain(own_name or found.name) == found.name.value:
            server.given.append(found)
        elif cls is not None and found is None:
            self.registry.add_reason(NAMELESS_CLASS.format(cls.name), *call.at, server)
        else:
            server.ready_made.add("a tool")


STEPS_OF_A_TOOL = 50
"""What one more tool made of the same function counts as: each agent's is read and checked by itself."""


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


def _is_own_method(value: v.Value, receiver: v.Instance) -> bool:
    """Whether a value is a method of an object, or a tool that was made of one by a decorator."""
    if isinstance(value, ToolObject):
        function = None if value.registration is None else value.registration.function
        return function is not None and function.owner is not None
    return isinstance(value, v.Function) and value.receiver is receiver


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
        if call.open and not lists:
            server.unseen.add("arguments that only a run can tell")
        # `include_server_in_tool_names` of OpenAI Agents (openai-agents 0.24.0, `agent.py`)
        maker.take_servers(server, servers, call.module, renames="mcp_config" in call.keywords)
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
