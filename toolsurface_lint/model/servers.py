"""The MCP servers of a project: which tools their lists in the project serve, and which files declare them."""

from __future__ import annotations

import os
import posixpath
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from toolsurface_lint.knowledge import words
from toolsurface_lint.model.names import CloseNames, folded
from toolsurface_lint.model.permission import PermissionFile, ServerFile
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.unseen import Unseen
from toolsurface_lint.source.languages import PROGRAMS
from toolsurface_lint.source.tree import Place

if TYPE_CHECKING:
    from toolsurface_lint.knowledge.client_naming import Naming
    from toolsurface_lint.model.agent import Agent, StartedServer
    from toolsurface_lint.model.published import Outdated, Release

# Names of files and folders that say nothing about whose tools they hold.
_GENERIC = words("tool tools toolslist index mcp server servers src list schema config")
_DEPLOYMENTS = (
    *("beta", "dev", "development", "docker", "fork", "http", "local", "mcp", "next", "preview", "prod", "production"),
    *("remote", "sandbox", "server", "sse", "staging", "stdio", "test", "testing"),
)
"""Ends of names that tell one server from another that has the same tools."""
TOOL_OF_SERVER = re.compile(
    r"\bmcp__(?P<server>[A-Za-z0-9-]{1,64}(?:_[A-Za-z0-9-]{1,64}){0,8})__(?P<tool>[A-Za-z0-9_-]{0,127}[A-Za-z0-9])"
    r"(?P<more>[A-Za-z0-9_*{<\[$\u2026-]?)"
)
"""The name of a server's tool in a text. With `more`, it goes on as a pattern or a placeholder: `mcp__SERVER__read_*`."""
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")


def server_names(path: str) -> set[str]:
    """The folded names of servers whose tools a file may list: its own name and that of its folder."""
    folder, file = os.path.split(path)
    return {folded(file.partition(".")[0]), folded(os.path.basename(folder))} - _GENERIC - {""}


class _Document(Protocol):
    """What is asked of a `Document`, which knows of surfaces, and they of servers."""

    path: str
    language: str
    recorded: bool
    problems: list[Any]
    agents: list[Agent]
    tool_lists: list[list[Tool]]
    server_files: list[ServerFile]
    permissions: list[PermissionFile]
    open_reasons: list[Unseen]


class Program(NamedTuple):
    """What a command of a project's own runs: its package, and the displayed paths of the files that it may begin in."""

    package: str
    files: tuple[str, ...]


class SharedName(NamedTuple):
    """A name that a client gives to a tool of a server, and gave to another tool before."""

    name: str
    server: str
    other: Tool
    other_server: str


def shared_names(naming: Naming, tools: Iterable[tuple[str, Tool]]) -> Iterator[tuple[Tool, SharedName]]:
    """Those of some tools, each with the name of its server, that get the name of an earlier one in a client."""
    first: dict[str, tuple[str, Tool]] = {}
    for server, tool in tools:
        name = naming.name(server or "s", tool.name)
        other_server, other = first.setdefault(name, (server, tool))
        if other is tool or (naming.collision is None and server != other_server):
            continue
        if server != other_server or other.name != tool.name:
            yield tool, SharedName(name, server, other, other_server)


class Servers:
    """An index over the documents of one project, made when it is first asked.

    A tool list belongs to a server if a list of servers starts it from the file, or from one that leads to its server and
    to no other by imports, or by a command of the project's own (`scripts`); if the program itself gives its server that
    name, and no list of servers does but for an address of this machine; if a snapshot has it under that name; or if the
    list is a document and its file, or the folder, has the name of the server or of the package that it is started from.
    Files of Python below a folder of the package's name belong to it together. Of several such lists, and of one that may
    be incomplete, nothing is said.
    """

    def __init__(
        self,
        documents: Sequence[_Document],
        scripts: Callable[[], Mapping[str, Program]] = dict,
        unread: Iterable[str] = (),
        display: Callable[[str], str] = str,
    ) -> None:
        """`scripts` gives the commands by their folded names; `unread` are the displayed paths of the programs that seem to
        have tools which are not known; `display` gives the displayed path of an absolute one.
        """
        self._display = display
        self._documents = documents
        self._scripts = cache(scripts)
        self._unread = frozenset(unread)
        self._close = cache(lambda server: CloseNames(self._lists[server] or ()))
        self._served = cache(self._served_by)
        self._started_from = cache(self._served_with)
        self._outdated = cache(self._compared)
        self._sharing = cache(self._shared)

    def tools_of(self, server: str) -> Mapping[str, Tool] | None:
        """The tools that a server's list in the project holds, by name; None if there is no such list."""
        return self._lists.get(folded(server))

    def names_at(self, path: str, tool: Tool) -> list[str]:
        """What a client whose settings lie at a path calls a tool, one name for each of the servers there that serve it."""
        servers = dict.fromkeys((*self.declared(path), *([tool.server] if tool.server else ())))
        serving = (server for server in servers if (self.tools_of(server) or {}).get(tool.name) is tool)
        return [f"mcp__{normalized(server)}__{tool.name}" for server in serving]

    def longest_name_of(self, tool: Tool) -> str:
        """The longest of the names that the lists of the project give to the servers of a tool, else its program's name."""
        return self._longest_names.get(id(tool), tool.server)

    @cached_property
    def _longest_names(self) -> dict[int, str]:
        longest: dict[int, tuple[str, Mapping[str, Tool]]] = {}
        for server, tools in (item for meeting in self._meetings(once=False) for item in meeting):
            known = longest.get(id(tools))
            if known is None or len(server) > len(known[0]):
                longest[id(tools)] = server, tools
        names: dict[int, str] = {}
        for server, tools in longest.values():
            for tool in tools.values():
                names[id(tool)] = max(names.get(id(tool), ""), server, key=len)
        return names

    def sharing(self, naming: Naming) -> Mapping[int, list[SharedName]]:
        """The tools that get the name of an earlier one of the servers in their list, by the identity of the later tool."""
        return self._sharing(naming)

    def _shared(self, naming: Naming) -> dict[int, list[SharedName]]:
        found: dict[int, list[SharedName]] = {}
        for meeting in self._meetings(once=True):
            pairs = ((server, tool) for server, tools in meeting for tool in tools.values())
            for tool, shared in shared_names(naming, pairs):
                found.setdefault(id(tool), []).append(shared)
        return found

    def _meetings(self, once: bool) -> Iterator[list[tuple[str, Mapping[str, Tool]]]]:
        """The servers that meet in a client, each with its tools, by list of servers. `once`: no tools a second time."""
        for file in (file for files in self._files.values() for file in files):
            served = [(server, tools) for server in file.servers if (tools := self.tools_of(server))]
            yield (
                list({id(tools): (server, tools) for server, tools in reversed(served)}.values())[::-1]
                if once
                else served
            )

    def lacks(self, name: str) -> bool:
        """Whether a name of the form `mcp__SERVER__TOOL` is of a server whose tools are known, and none of these."""
        server, _, tool = name.removeprefix("mcp__").partition("__")
        served = self.tools_of(server)
        return served is not None and tool not in served

    def outdated(self, server: str, tool: str) -> Outdated | None:
        """What the catalogue of published servers says against a tool; None if it may be there, or is not known.

        `server` is as in `mcp__SERVER__TOOL`. Of a server whose tools are in the project, the project says which there are.
        """
        return self._outdated(server, tool)

    def _compared(self, server: str, tool: str) -> Outdated | None:
        from toolsurface_lint.model.published import outdated, own_name

        names = {folded(server), folded(own_name(server))}
        if not names.isdisjoint(self._lists):
            return None
        releases = {release for name in names for release in self._releases.get(name, ())}
        return outdated(server, tool, releases or None)

    def lacks_any(self, name: str) -> bool:
        """Whether the server of a name does not have the tool, by its list in the project or by the catalogue."""
        server, _, tool = name.removeprefix("mcp__").partition("__")
        return self.lacks(name) or self.outdated(server, tool) is not None

    @cached_property
    def _releases(self) -> dict[str, set[Release | None]]:
        """What the files of the project run under each name of a server, which is folded; None for what is not published."""
        found: dict[str, set[Release | None]] = {}
        for document in self._documents:
            lists = [(file.servers, file.releases) for file in document.server_files]
            for servers, releases in (*lists, *((file.servers, file.releases) for file in document.permissions)):
                for server in servers:
                    found.setdefault(folded(server), set()).add(releases.get(server))
        return found

    def named_short(self, server: str, tool: str, declared: Sequence[tuple[str, str]]) -> tuple[str, ...]:
        """The declared server that a name is the beginning of and whose list has the tool, for `mcp__SERVER__TOOL`.

        `declared` is what `in_order` gives for the declared servers. Empty if a file of the project declares the name as
        well, or a published server has it or the tool: users have servers of their own.
        """
        from toolsurface_lint.knowledge.published_servers import SERVERS, servers_named

        name = folded(server)
        if len(name) < 4 or len(folded(tool)) == len(tool) or name in self._releases or name in self._lists:
            return ()
        at = bisect_left(declared, (name, ""))
        begun = [(key, other) for key, other in declared[at : at + 2] if key.startswith(name)]
        if len(begun) != 1:
            return ()
        ((key, whole),) = begun
        rest = key[len(name) :]
        if not rest.isalpha() or rest.endswith(_DEPLOYMENTS) or tool not in (self.tools_of(whole) or ()):
            return ()
        return () if servers_named(name) or any(tool in each.ever for each in SERVERS) else (whole,)

    @cached_property
    def known(self) -> dict[str, Mapping[str, Tool]]:
        """The tools of each server whose tools are known, by the folded name of the server."""
        return {server: tools for server, tools in self._lists.items() if tools is not None}

    def instead_of(self, name: str, server: str) -> tuple[tuple[str, ...], tuple[str, Place]]:
        """The tools of a server that another name may be meant for, and what to show along with it.

        The server is one whose tools are known, and the name is not one of them.
        """
        served = self.known[folded(server)]
        near = self._close(folded(server)).find(name)
        if near:
            return near, (f"`{near[0]}` is declared here", served[near[0]].name_place)
        return (), (f"the tools of `{server}` are declared here", next(iter(served.values())).name_place)

    def started_by(self, origin: str, programs: Iterable[str], package: str | None) -> Mapping[str, Tool] | None:
        """The tools of what a file starts: one of `programs`, or a `package`; None if they, or all of them, are not known.

        The programs are relative to the folder of the file `origin`.
        """
        return self._started_in([os.path.dirname(origin)], programs, package)

    def started_for(self, origin: str, started: StartedServer) -> Mapping[str, Tool] | None:
        """The tools of a server that the program `origin` starts, by its own names; None if they are not known."""
        programs = [self._display(each) if posixpath.isabs(each) else each for each in started.programs]
        served = self._started_in(_folders_above(origin), programs, started.package)
        return None if served is None else {name: tool for name, tool in served.items() if started.gives(name)}

    def _started_in(
        self, folders: Iterable[str], programs: Iterable[str], package: str | None
    ) -> Mapping[str, Tool] | None:
        """The tools of the one program that there is in any of the folders, or of a package of the project."""
        paths = {posixpath.normpath(posixpath.join(folder, each)) for folder in folders for each in programs}
        found = sorted(filter(self._is_program, paths))
        if found:
            return self._started_from(found[0]) if len(found) == 1 else None
        if package is None:
            return None
        name = folded(package.rpartition(".")[2])
        script = self._scripts().get(name)
        return self._installed_from(name, {}) if script is None else self._run_by(script, {})

    def served_at(self, path: str) -> Mapping[str, Tool]:
        """The tools of the servers that are declared for a path; empty if those of any server are not known."""
        return self._served(frozenset(self.declared(path)))

    def _served_by(self, servers: frozenset[str]) -> dict[str, Tool]:
        lists = [tools for server in servers if (tools := self.tools_of(server)) is not None]
        known = lists if len(lists) == len(servers) else []
        return {name: tool for tools in known for name, tool in tools.items()}

    @cached_property
    def _files(self) -> dict[str, list[ServerFile]]:
        """The lists of servers, by the folder that each is for."""
        found: dict[str, list[ServerFile]] = {}
        for document in self._documents:
            for file in document.server_files:
                found.setdefault(_folder_of(file.origin), []).append(file)
        return found

    @cached_property
    def _lists(self) -> dict[str, dict[str, Tool] | None]:
        lists: dict[str, dict[str, Tool] | None] = {}
        for document in self._documents:
            if document.recorded:
                for agent in document.agents:
                    name = folded(agent.name)
                    is_known = agent.is_closed and name not in lists
                    lists[name] = {tool.name: tool for tool in agent.tools} if is_known else None
                continue
            tools = {tool.name: tool for tools in document.tool_lists for tool in tools if tool.format == "mcp"}
            known = not document.open_reasons and not document.problems and len(document.tool_lists) == 1
            for name in server_names(document.path) if document.tool_lists else ():
                lists[name] = tools if tools and known and name not in lists else None
        started: dict[str, dict[str, Tool] | None] = {}
        for folder, files in self._files.items():
            for server, program in (
                (one, each) for file in files for one, all in file.programs.items() for each in all
            ):
                # What a project installs lies in `src` as often as beside it.
                paths = (posixpath.normpath(posixpath.join(folder, root, program)) for root in ("", "src"))
                path = next(filter(self._is_program, paths), None)
                if path is not None:
                    name, served = folded(server), self._started_from(path)
                    started[name] = served if started.get(name, served) is served else None
        packages: dict[str, set[str]] = {}
        for files in self._files.values():
            for server, package in (item for file in files for item in file.packages.items()):
                packages.setdefault(folded(server), set()).add(folded(package.rpartition(".")[2]))
        scripts = self._scripts() if packages else {}
        every = {name for names in packages.values() for name in names}
        made = {name: self._installed_from(name, lists) for name in every}
        run = {name: self._run_by(scripts[name], lists) for name in every if name in scripts}
        single = {server: next(iter(names)) for server, names in packages.items() if len(names) == 1}
        installed = {server: made[name] for server, name in single.items() if made[name] is not None}
        commanded = {server: run[name] for server, name in single.items() if name in run}
        return {**lists, **installed, **self._named, **commanded, **started}

    def _run_by(self, program: Program, lists: Mapping[str, dict[str, Tool] | None]) -> dict[str, Tool] | None:
        """The tools of a command of the project's own; None if they, or all of them, are not known."""
        path = next(filter(self._is_program, program.files), None)
        return self._installed_from(folded(program.package), lists) if path is None else self._started_from(path)

    @cached_property
    def _named(self) -> dict[str, dict[str, Tool] | None]:
        """The tools of the servers to which programs give a name, if no file starts another server of that name.

        Those that are examples say nothing of a server that is called so elsewhere.
        """
        files = [file for files in self._files.values() for file in files]
        declared = {folded(server) for file in files for server in file.servers if file.starts(server)}
        made: dict[str, set[str]] = {}
        shown: set[str] = set()
        for namespace, served in self._by_namespace.items():
            by_programs = (tools for document, tools in served if not document.recorded)
            for tool in (tool for tools in by_programs for tool in tools if tool.server):
                name = folded(tool.server)
                made.setdefault(name, set()).add(namespace)
                if tool.is_example:
                    shown.add(name)
        return {
            name: self._served_in(namespaces) if len(namespaces) == 1 and name not in shown else None
            for name, namespaces in made.items()
            if name not in declared
        }

    def _installed_from(self, name: str, lists: Mapping[str, dict[str, Tool] | None]) -> dict[str, Tool] | None:
        """The tools of a package that is made in this project; None if it is not, or if there may be others.

        `name` is folded: a project of Python is published under the name of the folder of its modules, whose separators
        may differ.
        """
        documents = self._by_package.get(name)
        if documents is None:
            return lists.get(name)
        if any(name in map(folded, path.split("/")[:-1]) for path in self._unread):
            return None
        found: dict[str, Tool] = {}
        for document in documents:
            served = self._started_from(document.path)
            if served is None:
                return None
            found.update(served)
        return found

    @cached_property
    def _by_package(self) -> dict[str, list[_Document]]:
        """The files of Python that make tools, by the folded names of the folders above them."""
        found: dict[str, list[_Document]] = {}
        for document in self._by_path.values():
            if document.language in PROGRAMS:
                for name in {folded(folder) for folder in document.path.split("/")[:-1]} - _GENERIC:
                    found.setdefault(name, []).append(document)
        return found

    def _served_with(self, path: str) -> dict[str, Tool] | None:
        """The tools of the servers that a program makes, whichever files they are in; None if there may be others."""
        document = self._by_path.get(path)
        if document is None:
            server = self._leading[path]
            return self._served_in([server.key]) if server.is_closed else None
        return self._served_in({tool.namespace for tools in document.tool_lists for tool in tools})

    def _is_program(self, path: str) -> bool:
        """Whether it is known which tools a file has, or those of which server it leads to."""
        return path in self._by_path or path in self._leading

    @cached_property
    def _leading(self) -> dict[str, Agent]:
        """The one server that each file leads to by its imports, by path."""
        return {
            path: agent
            for document in self._documents
            for agent in document.agents
            if agent.key in self._by_namespace
            for path in agent.programs
            if path not in self._unread
        }

    def _served_in(self, namespaces: Iterable[str]) -> dict[str, Tool] | None:
        served = [each for namespace in namespaces for each in self._by_namespace[namespace]]
        known = not any(other.open_reasons or other.problems for other, _ in served)
        return {tool.name: tool for _, tools in served for tool in tools} if known else None

    @cached_property
    def _by_path(self) -> dict[str, _Document]:
        return {document.path: document for document in self._documents if document.tool_lists}

    @cached_property
    def _by_namespace(self) -> dict[str, list[tuple[_Document, list[Tool]]]]:
        found: dict[str, list[tuple[_Document, list[Tool]]]] = {}
        for document in self._by_path.values():
            for tools in document.tool_lists:
                for namespace in {tool.namespace for tool in tools}:
                    found.setdefault(namespace, []).append((document, tools))
        return found

    def declared(self, path: str, name: str | None = None) -> dict[str, Place]:
        """The servers that files in the folder of a path, or above it, declare; `name`: only files of that name."""
        return {
            server: place
            for folder in reversed(_folders_above(path))
            for file in self._files.get(folder, ())
            if name in (None, os.path.basename(file.origin))
            for server, place in file.servers.items()
        }


_OWN_FOLDERS = (".claude-plugin", ".codex", ".cursor", ".gemini", ".github", ".opencode", ".vscode")


def _folders_above(path: str) -> list[str]:
    """The folders that a displayed path lies in, the nearest first, the working directory last."""
    found = []
    while (folder := os.path.dirname(path)) not in ("", path):
        found.append(folder)
        path = folder
    return [*found, ""]


def _folder_of(origin: str) -> str:
    """The folder that a list of servers is for."""
    folder = os.path.dirname(origin)
    return os.path.dirname(folder) if os.path.basename(folder) in _OWN_FOLDERS else folder


def in_order(servers: Iterable[str]) -> list[tuple[str, str]]:
    """Servers by their folded names, in the order of these."""
    return sorted((folded(server), server) for server in servers)


def normalized(server: str) -> str:
    """A server's name as it is written in the names of its tools (`mcp__SERVER__TOOL`)."""
    return _NOT_IN_NAMES.sub("_", server)
