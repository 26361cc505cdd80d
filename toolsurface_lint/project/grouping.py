"""Which documents meet in one surface: by the settings, by one document, or by where the files lie."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from copy import copy
from functools import cache, partial
from typing import TYPE_CHECKING

from toolsurface_lint.knowledge.clients import AGENT
from toolsurface_lint.model.agent import Agent
from toolsurface_lint.model.client_agents import ClientAgents
from toolsurface_lint.model.diagnostics import Skipped
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.patterns import glob_match
from toolsurface_lint.model.prompt import Prompt
from toolsurface_lint.model.servers import Program, Servers
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import FindFormer, Tool, no_former
from toolsurface_lint.model.unseen import SERVERS, Unseen
from toolsurface_lint.project.around import holds_text, is_for_tools, read_around
from toolsurface_lint.project.discovery.globs import matches
from toolsurface_lint.project.discovery.names import TEXT_LANGUAGES, candidate_kind, is_lock
from toolsurface_lint.project.discovery.paths import Given, display_path, with_parents
from toolsurface_lint.project.files import ProjectFiles
from toolsurface_lint.project.project import Project, plan_readings, read
from toolsurface_lint.project.roles import target_of
from toolsurface_lint.project.settings import Settings
from toolsurface_lint.project.unread_definitions import UnreadDefinitions
from toolsurface_lint.source import disk
from toolsurface_lint.source.crashes import crash
from toolsurface_lint.source.languages import PROGRAMS
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import plain

if TYPE_CHECKING:
    from toolsurface_lint.model.vocabulary import Vocabulary
    from toolsurface_lint.project.history import History


def load_project(paths: Sequence[str], settings: Settings) -> Project:
    """Read the files that `paths` name or hold and put them together into surfaces. Raises `PathMissing`."""
    project = Project(settings)
    read(project, plan_readings(project, paths))
    finish(project)
    return project


def finish(project: Project) -> None:
    """Read what else belongs to it, put all together into surfaces, and keep what concerns what was asked for."""
    try:
        read_around(project)
        group(project)
    except Exception as error:
        _give_up(project, error)
    if project.given is not None:
        project.keep_given(project.given)
    folders = {os.path.abspath(path): path for path in sorted(project.paths, reverse=True) if disk.isdir(path)}
    project.empty_folders = tuple(
        display_path(path) for _, path in sorted(folders.items()) if not _holds(project, path)
    )


def _give_up(project: Project, error: Exception) -> None:
    """Leave nothing to check but the documents by themselves: half of what makes a surface would say what is not so."""
    shown = [document for document in project.documents if project.reports(project.absolute(document))]
    place = shown[0].place(Span(0, 0)) if shown else plain(None).place
    project.crash = crash("surfaces", place, error)
    surface = Surface("default", inferred=True)
    surface.files.extend(document.path for document in project.documents)
    surface.open_reasons.append(Unseen("the linter itself crashed where surfaces are put together"))
    project.surfaces[:] = [surface]
    project.workflows.clear()


def _holds(project: Project, folder: str) -> bool:
    """Whether any document lies below a folder, under whichever name it was found."""
    given = Given((folder,))
    paths = [project.absolute(document) for document in project.documents]
    if any(map(given.holds, paths)):
        return True
    given = Given((disk.realpath(folder),))
    return any(given.holds(disk.realpath(path)) for path in paths)


def group(project: Project, history: History | None = None, shown: Container[str] | None = None) -> None:
    """Put the documents of a project together into its surfaces.

    `history` is what is known of earlier commits. `shown` are the absolute paths of the files that will be reported on:
    surfaces of others that have nothing to do with them need not be there. All if None.
    """
    claimed = _configured(project)
    responses = any(document.responses for document in project.documents)
    if claimed and responses:
        _join_responses(project, claimed)
    rest = [document for document in project.documents if document.path not in claimed]
    _complete(project, rest, project.given if shown is None else shown)
    _infer(project, [document for document in rest if not document.complete])
    opening = [display_path(path) for path in project.opening]
    servers = Servers(project.documents, partial(_scripts, project), opening, display_path)
    _give_to_agents(project, servers)
    if responses:
        _leave_out_responses(project)
    unread = UnreadDefinitions(project)
    former = _former_tools(project, history)
    client_names = frozenset(
        tool.name for surface in filter(_takes_in_servers, project.surfaces) for tool in surface.tools
    )
    files, client_agents = ProjectFiles(project), ClientAgents(project.documents)
    without_tools: dict[str | None, Vocabulary] = {}
    for surface in project.surfaces:
        surface.servers = servers
        surface.project_files = files
        surface.client_agents = client_agents
        surface.former = former(surface)
        surface.without_tools = without_tools if surface.document else {}
        if surface.inferred:
            surface.unread_names = unread
            surface.client_names = client_names
    _compare(project)


def _compare(project: Project) -> None:
    """Put next to each lock, snapshot and launch of a server what it is compared with."""
    if any(document.lock is not None for document in project.documents):
        from toolsurface_lint.project.locks import compare_locks

        project.locks = compare_locks(project)
    if any(document.launches for document in project.documents):
        from toolsurface_lint.project.served_templates import give_templates

        give_templates(project)
    if any(document.recorded for document in project.documents):
        from toolsurface_lint.project.snapshots import compare_snapshots

        project.snapshots = compare_snapshots(project)


def _scripts(project: Project) -> dict[str, Program]:
    from toolsurface_lint.project.console_scripts import console_scripts

    return console_scripts(project)


def _former_tools(project: Project, history: History | None) -> Callable[[Surface], FindFormer]:
    """What gives the former tools of each surface; what finds them is imported when the first name is asked about."""

    @cache
    def of_project() -> Callable[[Surface], FindFormer]:
        from toolsurface_lint.project.history import History

        return (history or History()).of(project)

    def of_surface(surface: Surface) -> FindFormer:
        if surface.document and not project.settings.surfaces and all(map(_is_text, surface.files)):
            # What git is asked for declares tools.
            return no_former
        find = cache(lambda: of_project()(surface))
        return lambda name: find()(name)

    return of_surface


def _is_text(path: str) -> bool:
    return candidate_kind(path) in TEXT_LANGUAGES


def _takes_in_servers(holder: Surface | Document) -> bool:
    """Whether an agent has the tools of MCP servers beside its own."""
    return any(unseen.cause == SERVERS for unseen in holder.open_reasons)


def _configured(project: Project) -> set[str]:
    """Build the surfaces of the settings; the paths of the documents that they claim."""
    settings = project.settings
    claimed: set[str] = set()
    if not settings.surfaces:
        return claimed
    relatives = {document.path: settings.relative(project.absolute(document)) for document in project.documents}
    for configured in settings.surfaces:
        surface = Surface(configured.name)
        surface.tool_search = bool(configured.tool_search)
        surface.target = target_of(settings, configured)
        members = [
            document
            for document in project.documents
            if any(matches(glob, relatives[document.path]) for glob in configured.globs)
        ]
        claimed.update(document.path for document in members)
        _fill(surface, members)
        if not surface.tools:
            surface.open_reasons.append(Unseen("no file that its `tools` name holds a tool"))
        surface.add_open_reasons(
            project.unread[path]
            for path in sorted(project.opening)
            if any(matches(glob, settings.relative(path)) for glob in configured.tools)
        )
        project.surfaces.append(surface)
    return claimed


def _complete(project: Project, documents: Iterable[Document], shown: Container[str] | None) -> None:
    """Surfaces and workflows that one document describes; of those that are not shown, what others may have to do with."""
    target = target_of(project.settings, None)
    for document in documents:
        for surface in document.surfaces:
            # Assigned, not added: a language server puts one document into project after project.
            surface.files = [document.path]
            surface.add_open_reasons(document.open_reasons)
            surface.target = target
            project.surfaces.append(surface)
        for workflow in document.workflows:
            for scope in workflow.scopes:
                scope.files = [document.path]
                scope.target = target
            project.workflows.append(workflow)
        if document.complete and (shown is None or document.tool_lists or project.absolute(document) in shown):
            surface = Surface(document.path, document=True)
            surface.target = target
            _fill(surface, [document])
            project.surfaces.append(surface)


def _fill(surface: Surface, documents: Iterable[Document]) -> None:
    reasons: list[Unseen] = []
    for document in documents:
        folder = os.path.dirname(document.path)
        for index, tools in enumerate(document.tool_lists):
            surface.tools.extend(tools)
            # Those of programs and snapshots have the namespace of their server already, which more files may add to.
            if document.language in PROGRAMS or document.recorded:
                continue
            alone = len(document.tool_lists) == 1 and len(tools) == 1
            namespace = folder if alone else f"{document.path}#{index}"
            for tool in tools:
                tool.namespace = namespace
                tool.origin = document.path
        surface.tool_search = surface.tool_search or document.tool_search
        surface.policies.extend(document.policies)
        surface.approvals.extend(document.approvals)
        surface.permissions.extend(document.permissions)
        surface.hooks.extend(document.hooks)
        surface.manifests.extend(document.manifests)
        surface.prompts.extend(document.prompts)
        if document.client_file is not None:
            surface.client_files.append(document.client_file)
        surface.templates.extend(document.templates)
        surface.responses.extend(document.responses)
        surface.transcripts.extend(document.transcripts)
        reasons.extend(document.open_reasons)
        problem = _broken(document)
        # A program has said itself what that leaves open.
        if document.tool_lists and problem is not None and document.language not in PROGRAMS:
            reasons.append(_unseen("part of the file could not be read", document, problem))
        surface.files.append(document.path)
    surface.add_open_reasons(reasons)


def _broken(document: Document) -> Problem[Span] | None:
    """Why a document could not be read to its end."""
    return next((problem for problem in document.problems if problem.code in ("syntax", "unreadable", "crash")), None)


def _unseen(reason: str, document: Document, problem: Problem[Span]) -> Unseen:
    return Unseen(reason, document.path, document.source.lines.line_at(problem.at.start))


def _infer(project: Project, documents: list[Document]) -> None:
    """Surfaces from where files lie: each folder that holds tools, with what joins it from above and beside."""
    folders = _folders_with_tools(project, documents)
    members: dict[frozenset[str], list[Document]] = {frozenset((folder,)): [] for folder in folders}
    tool_folders = _ToolFolders(folders, project)
    for document in documents:
        if not _joins(document, folders):
            continue
        joined = tool_folders.joined_by(project.absolute(document))
        if (
            len(joined) > 1
            and not holds_text(document)
            and not _speaks_of(document, [folders[name] for name in joined])
        ):
            joined = frozenset()
        members.setdefault(joined, []).append(document)
    unread: dict[str, list[Unseen]] = {}
    for path in sorted(project.opening):
        unread.setdefault(os.path.dirname(path), []).append(project.unread[path])
    for document in documents:
        problem = _broken(document)
        # One that says itself what that leaves open has said it where it matters, and a lock holds no tools.
        if problem is not None and not (document.kinds or document.open_reasons or is_lock(document.path)):
            folder = os.path.dirname(project.absolute(document))
            unread.setdefault(folder, []).append(_unseen("a file that could not be read", document, problem))
    if project.given is not None:
        _gather(project, members, folders)
    listed = _listed_elsewhere(project, folders)
    for joined, joining in members.items():
        surface = Surface(_name(sorted(joined)), inferred=True)
        surface.scattered = len(joined) > 1
        surface.target = target_of(project.settings, None)
        _fill(surface, [*(document for folder in sorted(joined) for document in folders[folder]), *joining])
        own = {id(tool) for tool in surface.tools}
        handed = {id(tool): tool for folder in sorted(joined) for tool in listed.get(folder, ())}
        surface.tools.extend(tool for key, tool in handed.items() if key not in own)
        surface.add_open_reasons(unseen for folder in sorted(joined) for unseen in unread.get(folder, ()))
        if not surface.tools:
            surface.open_reasons.append(Unseen("no tools were found beside it"))
        if surface.tools or is_for_tools(surface):
            project.surfaces.append(surface)


def _give_to_agents(project: Project, servers: Servers) -> None:
    """Give what agents are told a surface of its own, one for all agents that are told it, if all their tools are known.

    So too what a server says, if its folder is open: what is not known there are the tools of others, by what programs say.
    Everything else stays with its folder, which lists the other agents that are made in its files.
    """
    answered: dict[Unseen, set[int] | None] = {}
    every = {
        agent.key: _with_started(agent, servers, answered)
        for document in project.documents
        for agent in document.agents
    }
    if not every:
        return
    made_in: dict[str, list[Agent]] = {}
    for agent in every.values():
        if not agent.serves:
            made_in.setdefault(agent.place.tree.origin, []).append(agent)
    of_programs = {
        unseen for document in project.documents if document.language in PROGRAMS for unseen in document.open_reasons
    }
    declared = {tool.name: tool for surface in project.surfaces for tool in surface.tools}
    closed_servers = frozenset(agent.key for agent in every.values() if agent.serves and agent.is_closed)
    bound: set[str] = set()
    named: Counter[str] = Counter()
    inferred = [surface for surface in project.surfaces if surface.inferred]
    for around in inferred:
        told: dict[tuple[str, ...], list[Prompt]] = {}
        left: list[Prompt] = []
        others = [agent for path in around.files for agent in made_in.get(path, ())]
        if answered:
            here = {id(tool) for tool in around.tools}
            known = {unseen for unseen, served in answered.items() if served is not None and served <= here}
            around.open_reasons = [unseen for unseen in around.open_reasons if unseen not in known]
        serving = around.open and of_programs.issuperset(around.open_reasons)
        around.closed_lists = closed_servers if serving else frozenset()
        for prompt in around.prompts:
            agents = [every.get(key) for key in prompt.told_to]
            closed = bool(agents) and all(
                agent is not None and agent.is_closed and (serving or not agent.serves) for agent in agents
            )
            (told.setdefault(prompt.told_to, []) if closed else left).append(prompt)
        around.prompts = left
        around.server_prompts = [prompt for prompts in told.values() for prompt in prompts]
        for keys, prompts in told.items():
            surface = _of_agents(tuple(every[key] for key in keys), prompts, around, declared)
            if any(agent.serves for agent in surface.agents):
                surface.others = others
            named[surface.name] += 1
            if named[surface.name] > 1:
                # Findings say by its name which surface they are in.
                surface.name += f" ({named[surface.name]})"
            project.surfaces.append(surface)
            bound.update(keys)
    for around in inferred:
        around.others = [agent for path in around.files for agent in made_in.get(path, ()) if agent.key not in bound]
        if not around.tools and not is_for_tools(around):
            project.surfaces.remove(around)


def _with_started(agent: Agent, servers: Servers, answered: dict[Unseen, set[int] | None]) -> Agent:
    """An agent with the tools of the servers of this project that are started for it.

    Notes in `answered` the identities of the tools that were not seen, by why; None if they are not known, or renamed.
    """
    if not agent.starts:
        return agent
    tools, unseen = list(agent.tools), set()
    for started in agent.starts:
        served = servers.started_for(agent.place.tree.origin, started)
        before = answered.get(started.unseen, set())
        if served is None or before is None or started.prefix:
            answered[started.unseen] = None
        else:
            answered[started.unseen] = before.union(map(id, served.values()))
        if served is None:
            unseen.add(started.unseen)
        else:
            tools.extend(_named(tool, started.prefix + name) for name, tool in served.items())
    known = {started.unseen for started in agent.starts} - unseen
    return agent._replace(tools=tools, open_reasons=[why for why in agent.open_reasons if why not in known])


def _named(tool: Tool, name: str) -> Tool:
    """The same tool under the name that an agent knows it by."""
    if tool.name == name:
        return tool
    named = copy(tool)
    named.name_node = plain(name)
    return named


def _of_agents(
    agents: tuple[Agent, ...], prompts: list[Prompt], around: Surface, declared: Mapping[str, Tool]
) -> Surface:
    made_in = agents[0].place.tree.origin
    surface = Surface(f"{made_in}: {', '.join(agent.name or agent.made_by for agent in agents)}", inferred=True)
    surface.agents, surface.declared_anywhere = agents, declared
    surface.tools = list({id(tool): tool for agent in agents for tool in agent.tools}.values())
    surface.prompts, surface.target = prompts, around.target
    surface.policies, surface.approvals, surface.permissions = around.policies, around.approvals, around.permissions
    origins = (*(prompt.origin for prompt in prompts), made_in, *(tool.origin for tool in surface.tools))
    surface.files = list(dict.fromkeys(origins))
    return surface


def _gather(
    project: Project, members: dict[frozenset[str], list[Document]], folders: Mapping[str, Sequence[Document]]
) -> None:
    """Let given files that lie by no tools join the tools of the other given files, if those are of one surface."""
    lone = [document for document in members.get(frozenset(), ()) if project.reports(project.absolute(document))]
    if not lone:
        return
    met = {
        joined
        for joined, joining in members.items()
        if joined
        for document in (*joining, *(folders[next(iter(joined))] if len(joined) == 1 else ()))
        if project.reports(project.absolute(document))
    }
    if len(met) == 1:
        given = {id(document) for document in lone}
        members[frozenset()] = [document for document in members[frozenset()] if id(document) not in given]
        members[met.pop()].extend(lone)


def _folders_with_tools(project: Project, documents: Iterable[Document]) -> dict[str, list[Document]]:
    """The folders that directly hold tools, each with the documents that declare them."""
    folders: dict[str, list[Document]] = {}
    for document in documents:
        if document.tool_lists or document.folder:
            folder = document.folder or os.path.dirname(project.absolute(document))
            folders.setdefault(folder, []).append(document)
    return {folder: held for folder, held in folders.items() if any(document.tool_lists for document in held)}


def _listed_elsewhere(project: Project, folders: Mapping[str, Sequence[Document]]) -> dict[str, list[Tool]]:
    """The tools of other folders that the programs of a folder have in their lists, by folder."""
    listed: dict[str, list[Tool]] = {}
    for folder, documents in folders.items():
        for tool in (tool for document in documents for tools in document.tool_lists for tool in tools):
            for other in {os.path.dirname(path) for path in tool.listed_in} - {folder}:
                listed.setdefault(other, []).append(tool)
    return listed


def _joins(document: Document, folders: Container[str]) -> bool:
    """Whether a document joins the tools that lie around it."""
    if document.tool_lists or document.folder in folders:
        return False
    return is_for_tools(document)


def stands_alone(project: Project, shared: Container[str]) -> bool:
    """Whether nothing in these documents has to do with any others, of which some lie in or below the folders `shared`.

    `shared` are folders with all that they lie in. Every other folder that has any of the documents has all of its own.
    """
    if any(
        document.responses
        or document.transcripts
        or document.recorded
        or document.asks_for_others
        or (document.client_file is not None and document.client_file.kind == AGENT)
        or any(tool.listed_in for tools in document.tool_lists for tool in tools)
        or _takes_in_servers(document)
        for document in project.documents
    ):
        return False
    inferred = [document for document in project.documents if not document.complete]
    folders = _folders_with_tools(project, inferred)
    tool_folders = _ToolFolders(folders, project)
    for document in inferred:
        if _joins(document, folders):
            path = project.absolute(document)
            joined = tool_folders.joined_by(path)
            if tool_folders.lowest(path) in shared or not joined or (len(joined) > 1 and not holds_text(document)):
                return False
    return True


def _join_responses(project: Project, claimed: set[str]) -> None:
    """Let responses that the settings name as such, but in no surface, join the configured surface that they lie by."""
    surfaces: dict[str, list[Surface]] = {}
    for surface in project.surfaces:
        for tool_path in {tool.origin for tool in surface.tools}:
            surfaces.setdefault(os.path.dirname(project.full_path(tool_path)), []).append(surface)
    folders = _ToolFolders(surfaces, project)
    for document in project.documents:
        if not document.responses or document.path in claimed:
            continue
        found = {id(one): one for folder in folders.joined_by(project.absolute(document)) for one in surfaces[folder]}
        if len(found) == 1:
            _fill(next(iter(found.values())), [document])
            claimed.add(document.path)


def _leave_out_responses(project: Project) -> None:
    """Note the responses for which nobody says a protocol and none is plain; nothing can be said of them."""
    skipped: set[str] = set()
    for surface in project.surfaces:
        skipped.update(one.origin for one in surface.responses if one.protocol(surface.target) is None)
        surface.responses = [response for response in surface.responses if response.origin not in skipped]
        surface.files = [path for path in surface.files if path not in skipped]
    if skipped:
        project.skipped.extend(Skipped(path, "a response of no known protocol") for path in sorted(skipped))
        project.documents = [document for document in project.documents if document.path not in skipped]
        project.surfaces = [surface for surface in project.surfaces if surface.files]


def _speaks_of(document: Document, folders: Iterable[list[Document]]) -> bool:
    """Whether the policies of a document name any tool of these folders, so that several unrelated ones are not judged."""
    patterns = [str(node.value) for policy in document.policies for node in policy.tools]
    patterns.extend(str(constraint.tool.value) for policy in document.policies for constraint in policy.constraints)
    patterns.extend(str(pattern.node.value) for approval in document.approvals for pattern in approval.patterns())
    patterns.extend(name for policy in document.policies for name in policy.annotations)
    names = {tool.name for documents in folders for found in documents for tools in found.tool_lists for tool in tools}
    return any(glob_match(pattern, name) for pattern in patterns if pattern != "*" for name in names)


class _ToolFolders:
    """The folders that directly hold tools, asked which of them a file elsewhere joins.

    Every ancestor knows the tool folders below it, and every folder is asked once, so that a large tree costs its files
    and not their product with its folders.
    """

    def __init__(self, folders: Iterable[str], project: Project) -> None:
        self._boundary = project.boundary
        self._lowest = cache(self._climb)
        below: dict[str, list[str]] = {}
        for folder in folders:
            for ancestor in with_parents(folder):
                below.setdefault(ancestor, []).append(folder)
        self._below = {ancestor: frozenset(found) for ancestor, found in below.items()}

    def joined_by(self, path: str) -> frozenset[str]:
        """The tool folders below the lowest ancestor of a file that has any.

        Not beyond the root of its repository, or outside of one, beyond where anything is looked for.
        """
        return self._below.get(self.lowest(path), frozenset())

    def lowest(self, path: str) -> str:
        """The lowest ancestor of a file that has tool folders below, or where the search ends."""
        return self._lowest(os.path.dirname(path))

    def _climb(self, folder: str) -> str:
        boundary = self._boundary(folder)
        for parent in with_parents(folder):
            if parent in self._below or parent == boundary:
                break
        return parent


def _name(folders: list[str]) -> str:
    if not folders:
        return "default"
    shared = display_path(os.path.commonpath(folders))
    return "default" if shared in (".", "") else shared
