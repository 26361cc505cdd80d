"""The facts of registered Python tools: one tree a file in the shape of MCP tool lists, every part with its place."""

from __future__ import annotations

import ast
import os
import re
from collections import Counter, abc, defaultdict
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

from toolsurface_lint.model.agent import Agent
from toolsurface_lint.model.code import CodeParameter, Dispatch, DocumentedParameter, Effect, PythonFunction
from toolsurface_lint.model.effects import said_effect
from toolsurface_lint.model.permission import ALLOW, DENY, PermissionFile
from toolsurface_lint.model.prompt import Prompt, PromptFile
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.unseen import LIMIT, LISTS, MADE, Unseen
from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.flow import ImportGroup, OutOfSteps
from toolsurface_lint.programs.framework import OTHER
from toolsurface_lint.programs.modules import Modules
from toolsurface_lint.programs.operations import plain, text_of
from toolsurface_lint.programs.python.docstrings import read_docstring
from toolsurface_lint.programs.python.modules import PythonModule
from toolsurface_lint.programs.registry import Dispatcher, Registration, Registry, Server, ToolRules
from toolsurface_lint.programs.run_time_tools import has_none_but_given
from toolsurface_lint.programs.started_servers import Started
from toolsurface_lint.programs.values import NAMED_REST, Function, Items, Literal, Mapping, Module, Value, is_none
from toolsurface_lint.readers.permissions import listed_rules, read_claude_rule
from toolsurface_lint.readers.programs.definition import Inferred, description_text, infer_schema, make_definition
from toolsurface_lint.readers.programs.served import ServedTools
from toolsurface_lint.readers.programs.started import started_server
from toolsurface_lint.readers.programs.told import read_told
from toolsurface_lint.readers.programs.trees import Converter, FileTree, Part
from toolsurface_lint.readers.tool_format import set_deferred, set_schema
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.program_tree import Located, ProgramTree
from toolsurface_lint.source.text import SourceText, Span
from toolsurface_lint.source.tree import Node, Place, Spans

if TYPE_CHECKING:
    from toolsurface_lint.programs.python.dispatch import SeenDispatch, SeenName
    from toolsurface_lint.programs.python.effects import Effects, SeenEffect


class OpenReason(NamedTuple):
    """Why a namespace, or (empty) any of some files, may have tools that are not seen: a sentence, and where.

    `files` are the paths of those files, in sets that many reasons share; None for all. `cause` is that of `Unseen`.
    """

    text: str
    namespace: str
    source: SourceText
    span: Span
    files: tuple[frozenset[str], ...] | None = None
    cause: str = ""

    @property
    def line(self) -> int:
        return self.source.lines.line_at(self.span.start)

    @property
    def unseen(self) -> Unseen:
        return Unseen(self.text, self.source.path, self.line, self.cause)


class ProgramTools(NamedTuple):
    """What Python files that belong together define.

    `tools` are ordered by file and position; those of one server share a `namespace`. By path: the `problems` of files that
    look as if they define tools, the `trees` of those that tools refer to, the `syntax` trees of all that were parsed.
    `prompts` are what servers, agents and requests tell the model, `prompt_files` where they have more of it from, by the
    path of the program that reads it; `agents` are those of them that are not servers, `permissions` what
    agents of clients may do. `unfollowed` are the paths of files
    that look as if they define tools, and were left before any was found.
    """

    tools: list[Tool]
    prompts: list[Prompt]
    prompt_files: dict[str, list[PromptFile]]
    agents: list[Agent]
    permissions: list[PermissionFile]
    reasons: list[OpenReason]
    problems: dict[str, list[Problem[Span]]]
    trees: dict[str, ProgramTree]
    syntax: dict[str, ast.Module]
    unfollowed: frozenset[str]


_SCHEMAS = (
    ("function", "parameters"), ("inputSchema", "json"), ("inputSchema",), ("input_schema",), ("parameters",),
    ("parametersJsonSchema",), ("parameters_json_schema",),
)  # fmt: skip
_TEACHES_CALLS = re.compile(
    r"\b[Aa]ction(?: ?[Ii]nput)?:|<(?:tool|function|invoke|code\b)|tool_code|tool_calls?\b"
    r"|['\"](?:tool|tools|tool_name|action|function|function_name|name)['\"][ \t]*:|```(?:python|py|tool)"
)
"""Of calls that stand in the text of an answer: ReAct, tags, JSON, code."""
_DYNAMIC = re.compile(r"import_module|__import__|iter_modules|entry_points")
"""What imports files without naming them."""


def _handed_by_others(one: Registration, other: Registration) -> bool:
    """Whether two files hand a tool each to an agent that is made in a third: each has an agent of its own."""
    server = one.server
    if server is None or one.by_server or other.by_server:
        return False
    return len({one.module, other.module, server.module}) == 3


_KEEPS_NAMES = re.compile(
    r"deprecat|legacy|alias|backward|compat|earlier|\bformer|renamed|\bold\b|hidden|disabled|experimental|undocumented",
    re.IGNORECASE,
)
"""What is said of a name that is handled on purpose though it is not served."""


def _says_what_it_does(tool: Tool) -> bool:
    declares = tool.hints is not None or tool.side_effects is not None
    return declares or (tool.description is not None and said_effect(tool.description.value) is not None)


def _why_given_more(server: Server, texts: list[str]) -> str:
    """Why what is made without tools may have some all the same; empty for an agent that has none."""
    if server.is_request or not (has_none_but_given(server.path) or server.granted is not None):
        return "made without tools, which it may get in a way that is not read"
    if any(_TEACHES_CALLS.search(text) for text in texts):
        return "made without tools, and told how to write calls, which the program may read itself"
    return ""


class Definitions:
    """Makes `Tool` facts of registrations; `roots` are the files that look as if they define tools."""

    def __init__(
        self,
        evaluator: Evaluator,
        registry: Registry,
        modules: Modules,
        roots: list[Module],
        groups: abc.Mapping[Module, ImportGroup],
    ) -> None:
        self.evaluator = evaluator
        self._registry = registry
        self._modules = modules
        self._roots = roots
        self._groups = groups
        self._files: dict[str, FileTree] = {}
        self._tools: list[Tool] = []
        self._made: defaultdict[Registration, list[Tool]] = defaultdict(list)
        self._served = ServedTools(list(registry.servers.values()))
        self._server_names = {
            server.key: server.name for server in registry.servers.values() if server.framework.is_mcp
        }
        self._has_server = any(server.path for server in registry.servers.values())
        self._imported = {target for module in roots for target in module.imported}
        self._formats_with_effects = {
            found.framework.format for found in registry.found() if found.side_effects is not None
        }

    @cached_property
    def _imports_unnamed(self) -> bool:
        return any(_DYNAMIC.search(module.source.text) for module in self._roots)

    def build(self) -> ProgramTools:
        order = {module.path: number for number, module in enumerate(self._modules.all)}
        registrations = sorted(
            self._registry.found(),
            key=lambda found: (order[found.module.path], found.node.lineno, found.node.col_offset),
        )
        taken: dict[tuple[str, str], Registration] = {}
        left: dict[ImportGroup, ImportGroup] = {}
        for registration in registrations:
            for namespace, name, is_offered in self._served.places(registration):
                earlier = taken.setdefault((namespace, name), registration)
                alternative = earlier is not registration and (
                    registration.uncertain
                    or earlier.uncertain
                    or (registration.versioned and earlier.versioned)
                    or _handed_by_others(earlier, registration)
                )
                group = self._groups[registration.module]
                steps = left.setdefault(group, group.for_definitions())
                add = partial(self._add, registration, name, namespace, alternative or not is_offered)
                self.evaluator.within(steps, registration.module, add, registration.node)
                group.complete = group.complete and steps.complete
        self._add_dispatches(left)
        # Of servers that are mounted, clients see the tools alone.
        told = [
            each for each in self._registry.told.values() if self._tools and each.server not in self._served.mounted
        ]
        texts = read_told(told, self._registry.entries if self._tools else {}, self._file)
        prompt_files = {self._file(module).tree.origin: files for module, files in texts.files.items()}
        reasons = self._reasons()
        agents = [*self._agents(texts.prompts), *self._servers(reasons)]
        permissions = [
            self._permissions(rules) for rules in self._registry.tool_rules.values() if any(rules.lists.values())
        ]
        trees = {path: file.tree for path, file in self._files.items()}
        syntax = {
            module.path: module.tree
            for module in self._modules.all
            if isinstance(module, PythonModule) and module.tree is not None
        }
        roots = set(self._roots)
        problems = {
            module.path: [module.problem]
            for module in self._modules.all
            # What is wrong with a file that shows no sign of tools is nothing to us, unless it is our own fault.
            if module.problem is not None and (module in roots or module.problem.code == "crash")
        }
        unfollowed = frozenset(
            module.path
            for module in self._roots
            if (module.too_long or not self._groups[module].complete)
            and module.path not in trees
            and module.path not in problems
        )
        return ProgramTools(
            self._tools,
            texts.prompts,
            prompt_files,
            agents,
            permissions,
            [*reasons, *map(self._left_out, texts.left_out.values())],
            problems,
            trees,
            syntax,
            unfollowed,
        )

    def _agents(self, prompts: list[Prompt]) -> list[Agent]:
        """The agents that programs make, and their requests with tools."""
        texts: defaultdict[str, list[str]] = defaultdict(list)
        for prompt in prompts:
            for key in prompt.told_to:
                texts[key].append(prompt.text)
        unseen: defaultdict[str, list[Unseen]] = defaultdict(list)
        for reason in self._registry.reasons.values():
            if reason.is_named:
                continue
            line = getattr(reason.node, "lineno", None)
            for key in self._served.namespaces(reason.server):
                unseen[key].append(Unseen(reason.text, reason.module.source.path, line, reason.cause))
        served: defaultdict[str, list[Tool]] = defaultdict(list)
        for tool in self._tools:
            served[tool.namespace].append(tool)
        agents = []
        for server in self._registry.servers.values():
            module, node = server.module, server.node
            if server.framework.is_mcp or module is None or node is None:
                continue
            if not (server.key in texts or server.given or server.handoffs):
                continue
            if server in self._served.mounted and server.key not in texts:
                # A set of tools that others are given.
                continue
            held = {id(tool): tool for found in server.given for tool in self._made.get(found, ())}
            starter = server.shares
            held.update((id(tool), tool) for tool in served[(starter or server).key] if server.may_use(tool.name))
            # Who has a list of what it may use has nothing of what else there may be.
            sources = [server] if starter is None or server.granted is not None else [server, starter]
            why = [reason for source in sources for reason in unseen[source.key]]
            why += [
                Unseen(text, module.source.path, node.lineno) for source in sources for text in sorted(source.unseen)
            ]
            if any(found not in self._made for found in server.given):
                why.append(Unseen("a tool that is given to it and defined elsewhere", module.source.path, node.lineno))
            if server.framework is OTHER and not server.is_request:
                why.append(Unseen("a kind of agent that is not known", module.source.path, node.lineno))
            if not self._groups[module].complete:
                why.append(Unseen("more code than is followed", module.source.path, cause=LIMIT))
            if not (held or server.transfers or why) and (more := _why_given_more(server, texts[server.key])):
                why.append(Unseen(more, module.source.path, node.lineno))
            agents.append(
                Agent(
                    server.key,
                    server.name,
                    server.made_by or server.path.rpartition(".")[2],
                    self._file(module).place(node),
                    [
                        *held.values(),
                        *(self._transfer(name, server, module, node) for name in sorted(server.transfers)),
                    ],
                    [each.name if isinstance(each, Server) else each.what for each in server.handoffs.values()],
                    frozenset(server.ready_made),
                    why,
                    frozenset(server.built_in),
                    server.client,
                    starts=tuple(map(started_server, server.starts.values())),
                )
            )
        return agents

    def _servers(self, reasons: list[OpenReason]) -> list[Agent]:
        """The MCP servers that programs make: what they say is said beside their own tools."""
        served: defaultdict[str, list[Tool]] = defaultdict(list)
        for tool in self._tools:
            served[tool.namespace].append(tool)
        # What is called on something that only a run can tell may be called on any server nearby.
        unknown = {server.key for server in self._registry.servers.values() if not server.path}
        unseen: defaultdict[str, list[Unseen]] = defaultdict(list)
        near: dict[frozenset[str] | None, Unseen] = {}
        for reason in reasons:
            if reason.namespace and reason.namespace not in unknown:
                unseen[reason.namespace].append(reason.unseen)
            else:
                at = (self._paths[os.path.dirname(reason.source.path)],) if reason.namespace else reason.files
                for files in at or (None,):
                    near.setdefault(files, reason.unseen)
        # The first reason of several is enough for all in a file.
        of_file: dict[str, Unseen] = {}
        for files, first in near.items():
            for path in files or ():
                of_file.setdefault(path, first)
        everywhere = near.get(None)
        programs = self._programs()
        found = []
        for server in self._registry.servers.values():
            module, node, tools = server.module, server.node, served[server.key]
            if not server.framework.is_mcp or not server.path or module is None or node is None or not tools:
                continue
            paths = {module.path, *(tool.origin for tool in tools)}
            others = [everywhere, *map(of_file.get, sorted(paths))]
            why = [*unseen[server.key], *filter(None, others)]
            made_by = server.path.rpartition(".")[2]
            # A file that only makes the server, and says nothing, is none with tools.
            place = self._file(module).place(node) if module.path in self._files else tools[0].name_place
            found.append(
                Agent(
                    server.key,
                    server.name,
                    made_by,
                    place,
                    tools,
                    [],
                    frozenset(),
                    why,
                    serves=True,
                    programs=tuple(programs.get(server.key, ())),
                )
            )
        return found

    def _programs(self) -> dict[str, list[str]]:
        """The paths of the files from which imports lead to one server and no other, by its key.

        A server that is mounted counts as that which serves its tools, if that one is led to as well.
        """
        made: dict[Module, set[str]] = {}
        served: dict[Module, set[str]] = {}
        for server in self._registry.servers.values():
            if server.framework.is_mcp and server.module is not None:
                served.setdefault(server.module, set()).update(self._served.namespaces(server))
                if server not in self._served.mounted:
                    made.setdefault(server.module, set()).add(server.key)
        own, all_served = self._modules.led_to(made), self._modules.led_to(served)
        found: dict[str, list[str]] = {}
        for module, key in own.items():
            if key is not None and all_served.get(module) == key:
                found.setdefault(key, []).append(module.path)
        return found

    def _permissions(self, rules: ToolRules) -> PermissionFile:
        """What the call that makes an agent says of what it may do."""
        file = self._file(rules.call.module)
        permissions = PermissionFile(file.node({}, file.span(rules.call.node)), rules.client)
        permissions.provided = {
            name: self._tools_of(server if isinstance(server, Server) else None)
            for name, server in rules.servers.items()
        }
        permissions.started = {
            name: started_server(server) for name, server in rules.servers.items() if isinstance(server, Started)
        }
        for field, given in rules.lists.items():
            action = DENY if field in ("disallowed_tools", "disallowedTools") else ALLOW
            for item in given.value.items if isinstance(given.value, Items) else ():
                text = text_of(item) if isinstance(item, Literal) else None
                if text is None or item.module is None or item.node is None:
                    continue
                written = self._file(item.module).text(item.node, text)
                # The lists are handed to the command line of the client.
                for start, end in listed_rules(text):
                    place = written.text_place(start, end)
                    rule = read_claude_rule(permissions, text[start:end], place, action, field, settings=False)
                    if rule is not None:
                        permissions.rules.append(rule)
        return permissions

    def _tools_of(self, server: Server | None) -> frozenset[str] | None:
        """The names of the tools of a server; None if they are not all known."""
        if server is None or any(reason.server in (None, server) for reason in self._registry.reasons.values()):
            return None
        return frozenset(str(found.name.value) for found in server.given)

    def _transfer(self, name: str, agent: Server, module: Module, node: Located) -> Tool:
        """A tool that a framework makes to hand over: no program defines it, so it stands at the call that makes the agent."""
        file = self._file(module)
        span = file.span(node)
        path = file.add_tool(Part({"name": name}, Spans(*span, {"name": Spans(*span)})))
        tool = Tool(file.tree.at((*path, "name")), agent.framework.format, file.tree, path)
        tool.origin, tool.namespace = module.path, agent.key
        return tool

    def _file(self, module: Module) -> FileTree:
        if module.path not in self._files:
            self._files[module.path] = FileTree(module)
        return self._files[module.path]

    def _is_unserved(self, registration: Registration) -> bool:
        """Whether a tool's file is imported only where a setting is on; or waits for a server that nothing passes to it."""
        path, server = registration.module.path, registration.server
        if self.evaluator.imports.get(path) is False:
            return True
        if server is None or server.path or not self._has_server:
            return False
        # Other functions of this name are handed a server, this one never is: a module that is not plugged in.
        if registration.entry in self._registry.given_servers:
            return True
        return registration.module not in self._imported and not self._imports_unnamed

    def _reasons(self) -> list[OpenReason]:
        reasons: list[OpenReason] = []
        filled = {tool.namespace for tool in self._tools}
        for reason in self._registry.reasons.values():
            source = reason.module.source
            span = Span(0, 0) if reason.node is None else reason.module.offsets.span(reason.node)
            namespaces = self._served.namespaces(reason.server)
            cause = reason.cause
            if reason.server is None:
                near = self._near(reason.module)[1 if cause == MADE else 0 :]
                reasons.append(OpenReason(reason.text, "", source, span, near, cause))
            elif cause == LISTS and filled.isdisjoint(namespaces):
                near = self._near(reason.module, in_lists=True)
                reasons.append(OpenReason(reason.text, "", source, span, near, cause))
            else:
                reasons += [OpenReason(reason.text, each, source, span, cause=cause) for each in namespaces]
        start = Span(0, 0)
        if self._served.more:
            reasons.append(
                OpenReason("more mounted servers than are followed", "", self._roots[0].source, start, cause=LIMIT)
            )
        left: dict[ImportGroup, list[Module]] = {}
        for module, group in self._groups.items():
            if not group.complete:
                left.setdefault(group, []).append(module)
        # What has no room in memory is left out because of all other files.
        refused = self._modules.refused
        for modules in left.values():
            files = None if not refused.isdisjoint(modules) else (frozenset(module.path for module in modules),)
            reasons.append(OpenReason("more code than is followed", "", modules[0].source, start, files, LIMIT))
        reasons.extend(
            OpenReason("a file that cannot be read", "", module.source, module.problem.at, self._near(module))
            for module in self._roots
            if module.problem is not None and module.problem.code != "crash"
        )
        reasons.extend(
            OpenReason("more code than is followed", "", module.source, start, self._near(module), LIMIT)
            for module in self._roots
            if module.too_long
        )
        return reasons

    def _left_out(self, text: Value) -> OpenReason:
        module, node = text.module, text.node
        assert module is not None
        assert node is not None
        what, span = "more texts put together than are read", module.offsets.span(node)
        return OpenReason(what, "", module.source, span, self._near(module), LIMIT)

    def _near(self, module: Module, *, in_lists: bool = False) -> tuple[frozenset[str], ...]:
        """The paths of the files that imports join with a file, and of those in its folder: what happens in it concerns them.

        `in_lists`: only those with tools that no server is known to serve.
        """
        paths = self._paths_with_lists if in_lists else self._paths
        return paths[self._groups[module]], paths[os.path.dirname(module.path)]

    @cached_property
    def _paths(self) -> dict[ImportGroup | str, frozenset[str]]:
        """The paths of the files of each group, and of those in each folder."""
        found: dict[ImportGroup | str, list[str]] = {}
        for module in self._modules.all:
            found.setdefault(self._groups[module], []).append(module.path)
            found.setdefault(os.path.dirname(module.path), []).append(module.path)
        return {key: frozenset(paths) for key, paths in found.items()}

    @cached_property
    def _paths_with_lists(self) -> dict[ImportGroup | str, frozenset[str]]:
        served = {server.key for server in self._registry.servers.values() if server.path}
        with_lists = frozenset(tool.origin for tool in self._tools if tool.namespace not in served)
        return {key: paths & with_lists for key, paths in self._paths.items()}

    # The code that is given the names of tools

    def _add_dispatches(self, left: abc.Mapping[ImportGroup, ImportGroup]) -> None:
        """Read the code by which servers and requests call the tools that they list: those that are no functions themselves."""
        by_server: dict[Server, list[Dispatcher]] = {}
        for dispatcher in self._registry.dispatchers:
            by_server.setdefault(dispatcher.server, []).append(dispatcher)
        listed: dict[Server, list[Registration]] = {}
        for registration in self._made:
            if registration.server in by_server and registration.function is None:
                listed.setdefault(registration.server, []).append(registration)
        listed = {server: found for server, found in listed.items() if isinstance(found[0].module, PythonModule)}
        if listed:
            from toolsurface_lint.programs.python.dispatch import dispatches_of
        open_servers = {reason.server for reason in self._registry.reasons.values()}
        for server, registrations in listed.items():
            functions = {each.function.code: each for each in by_server[server]}
            # Of several, one takes the place of the other, or each is for its own way to run.
            if len(functions) == 1 and server not in self._served.mounted and not server.mounts and not server.changes:
                (each,) = functions.values()
                read = partial(dispatches_of, each.function, each.position, each.attribute, self.evaluator)
                complete = open_servers.isdisjoint((None, server))
                self._read_dispatch(each.function.scope.module, read, registrations, complete, left, alone=True)
        self._add_dispatches_of_requests(left)

    def _add_dispatches_of_requests(self, left: abc.Mapping[ImportGroup, ImportGroup]) -> None:
        given: dict[Module, dict[Registration, None]] = {}
        complete: dict[Module, bool] = {}
        for request in self._registry.servers.values():
            module = request.module
            if not request.made_by or module is None:
                continue
            given.setdefault(module, {}).update(dict.fromkeys(request.given))
            known = not request.unseen and self._made.keys() >= set(request.given)
            complete[module] = complete.get(module, True) and known
        times = Counter(registration for registrations in given.values() for registration in registrations)
        for module, registrations in given.items():
            listed = [each for each in registrations if each.function is None and times[each] == 1]
            is_read = isinstance(module, PythonModule) and complete[module]
            if listed and is_read and len(listed) == len(registrations):
                from toolsurface_lint.programs.python.dispatch import dispatches_of_calls

                self._read_dispatch(module, partial(dispatches_of_calls, module, self.evaluator), listed, True, left)

    def _read_dispatch(
        self,
        module: Module,
        read: abc.Callable[[], list[SeenDispatch]],
        registrations: list[Registration],
        complete: bool,
        left: abc.Mapping[ImportGroup, ImportGroup],
        *,
        alone: bool = False,
    ) -> None:
        """Say of some tools which code of a file is given their names; `alone`: nothing else gives it any."""
        found: list[SeenDispatch] = []
        group = self._groups[module]
        self.evaluator.within(left.get(group) or group.for_definitions(), module, lambda: found.extend(read()))
        if not found:
            return
        tools = [tool for registration in registrations for tool in self._made[registration]]
        for tool in filter(_says_what_it_does, tools):
            runs = (run for each in found for run in each.runs.get(tool.name, ()))
            tool.effects = self._made_known(effect for run in runs for effect in self._effects.of(run))
        names = {name: seen for each in reversed(found) for name, seen in each.names.items()}
        handled = {name: self._handled(seen) for name, seen in names.items()}
        refuses = len(found) == 1 and found[0].closed
        if not (complete or refuses):
            return
        served = list(dict.fromkeys(tool.name for tool in tools))
        dead = self._dead(found[0]) if alone and complete and refuses else []
        dispatch = Dispatch(self._file(module).place(found[0].at), handled, served, refuses=refuses, dead=dead)
        for tool in tools:
            tool.dispatch = dispatch

    def _dead(self, dispatch: SeenDispatch) -> list[str]:
        """The handled names of no tool, with code of their own, in files that say nothing of names that are kept."""
        known = self._tool_names
        live = {run for name, runs in dispatch.runs.items() if name in known for run in runs}
        own = [name for name, runs in dispatch.runs.items() if name not in known and live.isdisjoint(runs)]
        found = [name for name in own if name in dispatch.names]
        modules = {dispatch.names[name].module for name in found}
        return [] if any(_KEEPS_NAMES.search(module.source.text) for module in modules) else found

    @cached_property
    def _tool_names(self) -> frozenset[str]:
        """Once all tools are there."""
        return frozenset(tool.name for tool in self._tools)

    def _handled(self, seen: SeenName) -> Place:
        file = self._file(seen.module)
        # A text is the value of a node, of which a fix can write another one.
        is_text = isinstance(seen.node, ast.Constant)
        return file.node(seen.name, file.span(seen.node)).place if is_text else file.place(seen.node)

    # One tool

    def _add(self, registration: Registration, name: str, namespace: str, is_unsure: bool) -> None:
        file = self._file(registration.module)
        site = file.span(registration.node)
        inferred = infer_schema(registration, self.evaluator)
        definition = registration.display or make_definition(registration, name, inferred, self.evaluator)
        group = self._groups[registration.module]
        converter = Converter(self.evaluator, registration.module, group)
        try:
            part = converter.convert(definition, site)
        except OutOfSteps:
            part, group.complete = None, False
        if part is None:
            part = Part({"name": name}, Spans(*site, {"name": Spans(*site)}))
        path = file.add_tool(part)
        framework = registration.framework
        tool = Tool(self._name(registration, name, file, path), framework.format, file.tree, path)
        tool.origin = registration.module.path
        tool.namespace = namespace
        tool.server = self._server_names.get(namespace, "")
        tool.listed_in = frozenset(registration.listed_in - {registration.module.path})
        takes = {"schema"} if framework.describes else {"schema", "description"}
        if framework.takes_hints:
            takes.add("hints")
        if framework.side_effects or framework.format in self._formats_with_effects:
            takes.add("side_effects")
        self._describe(tool, registration, file, takes)
        self._add_declarations(tool, registration, takes)
        set_deferred(tool, tool.definition, tool.definition.get("function"))
        if registration.function is not None:
            tool.code = self._code(registration.function, inferred)
            if _says_what_it_does(tool):
                tool.effects = self._made_known(self._effects.of(registration.function))
            undescribed = registration.description is not None and is_none(registration.description)
            tool.code.needs_docstring = framework.needs_text and registration.is_decorated and undescribed
            text = registration.description
            given = text is None or text.node is not registration.function.docstring.node
            if given and registration.function.owner and not (registration.is_decorated or registration.by_server):
                # Of a class of tools that describes itself, nobody but the readers of the source sees the docstring.
                tool.code.documented = ()
            tool.code.describes_alone = not (given or registration.by_server or tool.code.needs_docstring)
        tool.declarable = frozenset(takes)
        tool.gaps = frozenset(self._gaps(tool, registration, takes, in_schema=converter.has_gaps))
        tool.optional = registration.optional or registration.uncertain or is_unsure or self._is_unserved(registration)
        self._tools.append(tool)
        self._made[registration].append(tool)

    def _name(self, registration: Registration, name: str, file: FileTree, path: tuple[str, int]) -> Node:
        """The name where it is written, which may be another file than the definition's."""
        written = registration.name
        if written.module is not None and written.node is not None and written.module is not file.module:
            other = self._file(written.module)
            return other.node(name, other.span(written.node))
        steps: list[str | int] = [*path]
        if registration.display is not None and isinstance(registration.display.get("function"), Mapping):
            steps.append("function")
        found = file.tree.at((*steps, "name"))
        if found.value == name:
            return found
        return file.node(name, file.span(written.node or registration.node))

    def _describe(self, tool: Tool, registration: Registration, file: FileTree, takes: set[str]) -> None:
        written = registration.description
        text = description_text(registration)
        if text is None or not isinstance(written, Literal) or written.module is None or written.node is None:
            if written is not None and not isinstance(written, Literal):
                # There is a description; what it says is not known.
                takes.discard("description")
            return
        definition = tool.definition
        found = definition.find("function", "description") or definition.string("description")
        if written.module is file.module and found is not None and found.value == text:
            tool.description = found
        else:
            home = self._file(written.module)
            tool.description = home.node(text, home.span(written.node))

    def _add_declarations(self, tool: Tool, registration: Registration, takes: set[str]) -> None:
        definition = tool.definition
        schemas = (definition.find(*keys) for keys in _SCHEMAS)
        schema = next((node for node in schemas if node is not None and isinstance(node.value, dict)), None)
        if schema is None:
            takes.discard("schema")
        set_schema(tool, schema)
        output = definition.get("outputSchema")
        if output is not None and registration.framework.is_mcp and isinstance(output.value, dict):
            tool.output_path = output.path
        hints = definition.get("annotations")
        if hints is not None and isinstance(hints.value, dict):
            tool.hints = hints
            if registration.annotations is not None:
                given = registration.annotations
                tool.takes_hints = self._file(given.module).place(given.site)
        elif registration.annotations is not None and not is_none(registration.annotations.value):
            takes.discard("hints")
        effects = definition.get("side_effects")
        if effects is not None and isinstance(effects.value, list):
            tool.side_effects = effects
        elif registration.side_effects is not None:
            takes.discard("side_effects")

    def _gaps(self, tool: Tool, registration: Registration, takes: set[str], *, in_schema: bool) -> abc.Iterator[str]:
        """The parts of a tool that are there, or may be, and are not all known; `in_schema`: something inside is not."""
        if tool.description is None and "description" not in takes:
            yield "description"
        if tool.schema_path is None or in_schema:
            yield "schema"
        # A server derives it from the type hint of what the function returns, or does not, by its version.
        derived = registration.function is not None and registration.framework.format == "python-mcp"
        if (registration.output is not None or derived) if tool.output_path is None else in_schema:
            yield "output_schema"
        hints, effects = registration.annotations, registration.side_effects
        if (tool.hints is None and hints is not None and not is_none(hints.value)) or (
            tool.side_effects is None and effects is not None
        ):
            yield "annotations"

    def _code(self, function: Function, inferred: Inferred | None) -> PythonFunction:
        file = self._file(function.scope.module)
        code = PythonFunction(function.name, file.place(function.name_place))
        if inferred is not None:
            offsets = function.scope.module.offsets
            code.parameters = tuple(
                CodeParameter(name, typing, file.place(offsets.identifier(node, name)), hint and file.place(hint))
                for (name, hint, _, node, _), typing in inferred.parameters
            )
        code.names = tuple(parameter.name for parameter in function.parameters)
        code.takes_any = function.is_rewritten or any(parameter.kind == NAMED_REST for parameter in function.parameters)
        written = function.docstring
        text = plain(written)
        documented = read_docstring(text).parameters if isinstance(text, str) else ()
        if documented and written.module is function.scope.module and written.node is not None:
            node = file.node(text, file.span(written.node))
            places = ((found.name, node.text_place(found.start, found.end)) for found in documented)
            code.documented = tuple(DocumentedParameter(name, place) for name, place in places)
        return code

    @cached_property
    def _effects(self) -> Effects:
        from toolsurface_lint.programs.python.effects import Effects

        return Effects(self.evaluator)

    def _made_known(self, effects: abc.Iterable[SeenEffect]) -> tuple[Effect, ...]:
        return tuple(
            Effect(seen.effect, seen.what, self._file(seen.function.scope.module).place(seen.node), seen.through)
            for seen in effects
        )
