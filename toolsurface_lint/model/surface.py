"""Surfaces: the tools, policies and prompts that meet in one agent."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from toolsurface_lint.model.agent import Agent
from toolsurface_lint.model.client_agents import ClientAgents
from toolsurface_lint.model.client_file import ClientFile
from toolsurface_lint.model.effects import hinted_annotations
from toolsurface_lint.model.files import Files
from toolsurface_lint.model.patterns import NameIndex
from toolsurface_lint.model.permission import PermissionFile
from toolsurface_lint.model.policy import ApprovalPolicy, CapabilityPolicy
from toolsurface_lint.model.prompt import CALL, LIST, STRONG, WEAK, Prompt, Reference
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Annotations, FindFormer, Tool, no_former
from toolsurface_lint.model.unseen import Unseen
from toolsurface_lint.source.tree import Place

if TYPE_CHECKING:
    from toolsurface_lint.model.hooks import HookFile
    from toolsurface_lint.model.manifest import Manifest
    from toolsurface_lint.model.names import CloseNames
    from toolsurface_lint.model.passages import Passages
    from toolsurface_lint.model.response import RecordedResponse
    from toolsurface_lint.model.servers import Servers
    from toolsurface_lint.model.template import PromptTemplate
    from toolsurface_lint.model.transcript import Transcript
    from toolsurface_lint.model.vocabulary import Vocabulary


_ANY_READER = "read_command_output"
"""The tool that reads what any other tool emits."""

_STRAY_NAMES = 2
"""So many undeclared names are mistakes in a prompt that names any declared tool; more, if they do not outnumber those.

Where they do, they are mistakes in the passages in which declared tools are not outnumbered.
"""


_SETS = ("_tools", "_toolset")
"""How the names of lists of tools end."""


# What every surface begins with, made once: there may be thousands of them.
_NO_FILES, _NO_AGENTS, _NO_TARGET = Files(), ClientAgents(), Target()


class Surface:
    """Everything that one agent is given, with the indexes that rules ask.

    `open_reasons` says why there may be tools that we do not see; rules that argue from absence are silent then.
    `inferred`: put together from folders, not from settings, so names are judged with more care.
    """

    def __init__(self, name: str, *, inferred: bool = False, document: bool = False, specified: bool = False) -> None:
        self.name = name
        self.inferred = inferred
        self.document = document
        """Whether one document says it all: a surface document, an agent's file, a node of a workflow."""
        self.scattered = False
        """Whether its tools lie in several folders, so that its prompts, which lie above, may be of one or of none."""
        self.specified = specified
        """Whether the Harn specification's question is asked of plain data: its references and its counting, no more."""
        self.tools: list[Tool] = []
        self.policies: list[CapabilityPolicy] = []
        self.approvals: list[ApprovalPolicy] = []
        self.permissions: list[PermissionFile] = []
        """The permission files of its clients, and the tool lists of its agents."""
        self.hooks: list[HookFile] = []
        """What its clients run at their events."""
        self.manifests: list[Manifest] = []
        """What says which tools and files a package of it has."""
        self.project_files = _NO_FILES
        """What lies on disk in the project; None if it comes from no files."""
        self.servers: Servers | None = None
        """The servers of the project that it lies in; None if it comes from no files."""
        self.unread_names: Container[str] = ()
        """The names of definitions around it that are written in ways that are not read: it may have tools of these names."""
        self.client_names: Container[str] = ()
        """The names of the tools of the project's agents that take in those of MCP servers, of which it may be one."""
        self.earlier: Surface | None = None
        """The same with the tools that it had, where two versions are compared; None otherwise."""
        self.renamed: Mapping[str, str] = {}
        """The names of its tools that have others in the version that it is compared with."""
        self.former: FindFormer = no_former
        """Gives the tools that an earlier commit declares in it, and that are declared no more, by name."""
        self.without_tools: dict[str | None, Vocabulary] = {}
        """The vocabularies by client that it shares with others, while it has, and had, no tools."""
        self.client_files: list[ClientFile] = []
        """What coding clients read of it as agents, commands, skills and the like."""
        self.client_agents = _NO_AGENTS
        """The agents of coding clients in the project that it lies in."""
        self.prompts: list[Prompt] = []
        self.server_prompts: list[Prompt] = []
        """What its servers and agents are told or say that is checked in a surface of their own."""
        self.templates: list[PromptTemplate] = []
        self.responses: list[RecordedResponse] = []
        self.transcripts: list[Transcript] = []
        self.tool_search = False
        self.target = _NO_TARGET
        """What the settings say about the agent that it is for."""
        self.agents: tuple[Agent, ...] = ()
        """The agents that a program tells these prompts, and whose tools these are, all of them; empty where a folder decides."""
        self.others: list[Agent] = []
        """The other agents that are made in its files: their tools, or what they are told, are not all known."""
        self.declared_anywhere: Mapping[str, Tool] = {}
        """For the surface of agents, the tools of the whole project by name."""
        self.files: list[str] = []
        """The displayed paths of its documents."""
        self.open_reasons: list[Unseen] = []
        self.closed_lists: frozenset[str] = frozenset()
        """The namespaces whose tools are all known although it is open: those of servers, where only agents may have more."""
        self.scope: str | None = None

    def forget(self) -> None:
        """Drop the indexes over names, and what prompts found with them; both come back when they are asked for."""
        for name in _INDEXES:
            self.__dict__.pop(name, None)
        for prompt in self.prompts:
            prompt.forget()

    @property
    def start(self) -> Place | None:
        """A place to speak of the whole from; None if there is nothing in it."""
        if self.tools:
            return self.tools[0].name_place
        policies: list[CapabilityPolicy | ApprovalPolicy | PermissionFile]
        policies = [*self.policies, *self.approvals, *self.permissions]
        if policies:
            return policies[0].node.place
        if self.hooks:
            return self.hooks[0].node.place
        if self.manifests:
            return self.manifests[0].node.place
        return self.prompts[0].place(0, 0) if self.prompts else None

    def prompts_of(self, path: str) -> Sequence[Prompt]:
        """Its prompts in the file at a displayed path."""
        return self._prompts_by_file.get(path, ())

    @cached_property
    def _prompts_by_file(self) -> dict[str, list[Prompt]]:
        found: dict[str, list[Prompt]] = {}
        for prompt in self.prompts:
            found.setdefault(prompt.origin, []).append(prompt)
        return found

    @property
    def is_of_agents(self) -> bool:
        """Whether its tools are all that those have who are told its prompts; who reads what a server says has others."""
        return bool(self.agents) and not any(agent.serves for agent in self.agents)

    @property
    def open(self) -> bool:
        return bool(self.open_reasons)

    def add_open_reasons(self, reasons: Iterable[Unseen]) -> None:
        """Take in why there may be more tools, each reason once."""
        self.open_reasons = list(dict.fromkeys((*self.open_reasons, *reasons)))

    @cached_property
    def by_name(self) -> dict[str, list[Tool]]:
        """The declared tools of each name; several where namespaces share one, or where one is declared twice."""
        found: dict[str, list[Tool]] = {}
        for tool in self.tools:
            found.setdefault(tool.name, []).append(tool)
        return found

    @cached_property
    def schemas(self) -> list[dict[str, Any]]:
        """The name and the parameters of each tool that has a schema, as plain data."""
        tools = ((tool.name, tool.schema) for tool in self.tools)
        return [{"name": name, "parameters": schema.value} for name, schema in tools if schema is not None]

    def declared(self, names: Iterable[str]) -> list[Tool]:
        """The declared tools of some names, in the order of declaration."""
        found = [tool for name in names for tool in self.by_name.get(name, ())]
        return sorted(found, key=lambda tool: self._positions[id(tool)])

    @cached_property
    def _positions(self) -> dict[int, int]:
        return {id(tool): position for position, tool in enumerate(self.tools)}

    @cached_property
    def active(self) -> list[Tool]:
        """The tools that a policy leaves in use, in the order of declaration.

        Several policies together are alternatives: a tool is active if any of them activates it.
        """
        return [
            tool
            for tool in self.tools
            if not self.policies or any(policy.activates(tool.name) for policy in self.policies)
        ]

    @property
    def offered(self) -> list[list[Tool]]:
        """The tools that a model is offered at once: active, not deferred or optional, in the order of declaration.

        One list where settings or one document say what belongs together; in an inferred surface each namespace is one,
        as nothing says that they meet. A folder with a file for each tool is a store of them: each is by itself.
        """
        lists: dict[str, list[Tool]] = {}
        for tool in self.active:
            if not tool.deferred and not tool.optional:
                stored = tool.namespace == os.path.dirname(tool.origin)
                together = tool.origin if stored else tool.namespace
                lists.setdefault(together if self.inferred else "", []).append(tool)
        return list(lists.values())

    @cached_property
    def active_names(self) -> frozenset[str]:
        return frozenset(tool.name for tool in self.active)

    @cached_property
    def _active_index(self) -> NameIndex:
        return NameIndex(tool.name for tool in self.active)

    def active_matching(self, pattern: str, most: int) -> tuple[list[Tool], int]:
        """The active tools whose names a pattern matches, `most` of them at most, and how many there are."""
        positions, count = self._active_index.matched(pattern, most)
        return [self.active[position] for position in positions], count

    def declared_matching(self, pattern: str, most: int) -> tuple[list[Tool], int]:
        """The same of the declared tools, each name once."""
        names, declared = self._names
        positions, count = names.matched(pattern, most)
        return [self.by_name[declared[position]][0] for position in positions], count

    @cached_property
    def close_active(self) -> CloseNames:
        """The names of active tools, to be asked which of them a name may be meant for."""
        from toolsurface_lint.model.names import CloseNames

        return CloseNames(self.active_names)

    def declared_instead(self, near: Sequence[str]) -> list[tuple[str, Place]]:
        """What to show along with a name that no tool has: the tool of the first of the names close to it.

        If none is close, the lists that the tools come from: how many each declares, where it begins; at most three.
        """
        if near:
            return [(f"`{near[0]}` is declared here", self.by_name[near[0]][0].name_place)]
        return self._declarations

    @cached_property
    def _declarations(self) -> list[tuple[str, Place]]:
        first: dict[str, tuple[int, Place]] = {}
        for tool in self.tools:
            count, place = first.get(tool.namespace, (0, tool.name_place))
            first[tool.namespace] = (count + 1, place)
        return [
            ("1 tool is declared here" if count == 1 else f"{count} tools are declared here", place)
            for count, place in list(first.values())[:3]
        ]

    def ending_with(self, ending: str) -> tuple[str, ...]:
        """The declared names that end with a text, in the order of declaration, a hundred of them at most."""
        names, declared = self._names
        positions, _ = names.matched(f"*{ending}", 100)
        return tuple(declared[position] for position in positions)

    @cached_property
    def _names(self) -> tuple[NameIndex, list[str]]:
        return NameIndex(self.by_name), list(self.by_name)

    @property
    def needs_annotations(self) -> bool:
        """Whether a policy judges tools by their annotations, so that every tool needs some."""
        return any(policy.annotations or policy.ceiling is not None for policy in self.policies)

    def reads(self, tool: Tool) -> bool:
        """Whether a tool can read what others emit although none of them names it: it is annotated to read or to search."""
        annotations = self.annotations(tool)
        return tool.name == _ANY_READER or (annotations is not None and annotations.kind in ("read", "search"))

    @cached_property
    def _has_reader(self) -> bool:
        return any(map(self.reads, self.active))

    def can_read_results(self, annotations: Annotations) -> bool:
        """Whether some active tool can read what a tool with these annotations emits: a declared reader, or any that reads."""
        return self._has_reader or any(reader.value in self.active_names for reader in annotations.result_readers)

    def audience(self, prompt: Prompt) -> frozenset[str]:
        """The coding clients that a prompt is written for; empty for an application's agent, and where settings say so."""
        return prompt.audience if self.inferred or self.document else frozenset()

    def has_tools_for(self, prompt: Prompt) -> bool:
        """Whether there are tools that the names in a prompt are checked against: declared, a client's, or of servers."""
        if self.tools or self.agents or self.client_of(prompt) is not None:
            return True
        return bool(self.audience(prompt)) and self.servers is not None and bool(self.servers.known)

    def vocabulary_for(self, prompt: Prompt) -> Vocabulary:
        """The names that a prompt may mean: the declared ones, and for clients those of servers and of their own tools."""
        if not self.audience(prompt):
            return self.vocabulary
        client = self.client_of(prompt)
        known = self._client_vocabularies if self.tools or self.former is not no_former else self.without_tools
        if client not in known:
            own = frozenset[str]() if client is None else self.own_tools(client)
            served = {} if self.servers is None else self.servers.known
            known[client] = self.vocabulary.with_client(own, served)
        return known[client]

    @cached_property
    def _client_vocabularies(self) -> dict[str | None, Vocabulary]:
        return {}

    def speaks_of_servers(self, prompt: Prompt) -> bool:
        """Whether a prompt for clients names a tool of its servers, all of whose tools are known; remembered."""
        known = self._speaking.get(id(prompt))
        if known is None:
            served = {} if self.servers is None else self.servers.served_at(prompt.origin)
            named = prompt.named(self.vocabulary_for(prompt)) if served else ()
            known = self._speaking[id(prompt)] = any(reference.name in served for reference in named)
        return known

    @cached_property
    def _speaking(self) -> dict[int, bool]:
        return {}

    def client_of(self, prompt: Prompt) -> str | None:
        """The one client that a prompt is written for, if its tools are known: a key of `knowledge.clients.CLIENTS`."""
        from toolsurface_lint.knowledge.clients import CLIENTS

        audience = self.audience(prompt)
        return next(iter(audience)) if len(audience) == 1 and not audience.isdisjoint(CLIENTS) else None

    def own_tools(self, client: str) -> frozenset[str]:
        """The tools that a client has of its own, those that the settings add among them."""
        from toolsurface_lint.knowledge.clients import CLIENTS

        return CLIENTS[client].tools | self.target.builtin_tools.get(client, frozenset())

    def may_speak_of(self, reference: Reference, prompt: Prompt) -> bool:
        """Whether a reference is to a declared tool, or so plain that checks ask why its name is not declared."""
        if reference.name in self.by_name:
            return True
        if self.audience(prompt):
            from toolsurface_lint.model.permission import is_client_tool

            return reference.called_tool and reference.evidence == STRONG and not is_client_tool(reference.name)
        return reference.evidence != WEAK and self.may_mean_a_tool(reference)

    def may_call_unknown(self, reference: Reference, prompt: Prompt) -> bool:
        """Whether an undeclared name in a prompt may be called unknown.

        Always where settings or one document say what belongs together. In an inferred surface the name must be close to a
        declared one, unless tools of several folders have such names, or stand where the prompt speaks of these tools.
        """
        if self.inferred and reference.called_tool and self.has_as_a_part(reference.name):
            return False
        if self.inferred and reference.name.endswith(_SETS) and not self.close_names(reference.name):
            # `Use billing_tools for invoices`: a program has such a list, and the model sees what is in it.
            return False
        if reference.name in self.declared_anywhere or self.may_be_given(reference.name):
            # Others have it, and the prompt may speak of them; or a provider.
            return False
        if prompt.told_to and not self.is_of_agents and self._is_of_clients(reference.name):
            return False
        if not self.inferred or (not self.scattered and self.close_names(reference.name)):
            return True
        if self.is_of_agents and reference.form == LIST:
            return True
        if prompt.told_to and reference.ordered and not self.scattered and "_" in reference.name.strip("_"):
            # The program gives this text to these tools, and it says to call one: it need not name another.
            return True
        return self._naming_of(prompt).speaks_of(reference)

    def _is_of_clients(self, name: str) -> bool:
        """Whether clients have a tool of this name, of which a server may speak; one close to a declared name is a slip."""
        from toolsurface_lint.model.permission import is_client_tool

        return is_client_tool(name) and not self.close_names(name)

    def has_as_a_part(self, name: str) -> bool:
        """Whether a tool is declared whose name is this one and `tool`: `the store_state tool` is `store_state_tool`.

        Or this one behind that of its server: `mcp__ledger__post_entry`.
        """
        own = any(f"{name}{suffix}" in self.by_name for suffix in ("_tool", "-tool", "Tool"))
        return own or bool(self.ending_with(f"__{name}"))

    def may_be_given(self, name: str) -> bool:
        """Whether its agents may have a tool of this name, which no program defines; of others, what a framework gives them."""
        is_close = bool(self.close_names(name))
        if any(agent.may_have(name, is_close=is_close) for agent in self.agents):
            return True
        return any(name in agent.built_in or any(tool.name == name for tool in agent.tools) for agent in self.others)

    def may_mean_a_tool(self, reference: Reference) -> bool:
        """Whether an undeclared name may be a tool's: of calls by the Harn specification's filter, or by being close to one.

        The filter is there because other called names are ordinary code.
        """
        if not reference.specified:
            return True
        name = reference.name
        tool_like = "_" in name or name.startswith(("tool", "run")) or name in self.declared_anywhere
        if self.specified:
            return tool_like
        if name.istitle() and not self._has_capitals:
            # `Plan() -> Write()`: a diagram of agents or steps.
            return False
        if name.islower() and name.capitalize() in self.by_name:
            # `agent(...)`: a function of a script, beside the tool `Agent`.
            return False
        # `_(optional)_` is prose in italics.
        return bool(name.strip("_")) and (tool_like or bool(self.close_names(name)))

    @cached_property
    def _has_capitals(self) -> bool:
        return any(name[:1].isupper() for name in self.by_name)

    def _naming_of(self, prompt: Prompt) -> _Naming:
        """Where a prompt names declared tools, and where others; remembered while its references are the same."""
        references = prompt.named(self.vocabulary)
        known = self._naming.get(id(prompt))
        if known is None or known.references is not references:
            others = [
                reference
                for reference in references
                if not self.vocabulary.was_declared(reference.name)
                # A prompt that shows many calls of functions speaks of code.
                and (reference.evidence == STRONG or reference.form == CALL)
                and self.may_mean_a_tool(reference)
                and not self.close_names(reference.name)
            ]
            declared = [reference for reference in references if self.vocabulary.was_declared(reference.name)]
            known = self._naming[id(prompt)] = _Naming(prompt.text, references, declared, others)
        return known

    @cached_property
    def _naming(self) -> dict[int, _Naming]:
        return {}

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The declared names, to be asked about the names in prompts."""
        from toolsurface_lint.model.vocabulary import Vocabulary

        return Vocabulary(self.by_name, self.specified, former=self.former, elsewhere=self.declared_anywhere)

    def close_names(self, name: str) -> tuple[str, ...]:
        """The declared names that a name may be meant for, closest first."""
        return self.vocabulary.near(name)

    def annotations(self, tool: Tool) -> Annotations | None:
        """A tool's annotations: its own, which win completely, else those that a policy gives it, else its MCP hints."""
        return tool.annotations or self._annotations.get(tool.name) or hinted_annotations(tool)

    @cached_property
    def _annotations(self) -> dict[str, Annotations]:
        """The annotations that policies give; of several policies, the first that says something of a tool."""
        return {name: given for policy in reversed(self.policies) for name, given in policy.annotations.items()}


class _Naming:
    """Where a prompt of an inferred surface names declared tools, and where others that are close to none."""

    def __init__(
        self, text: str, references: list[Reference], declared: list[Reference], others: list[Reference]
    ) -> None:
        self.references = references
        self._text = text
        self._declared = [reference.start for reference in declared]
        # A single word is named by many texts that know nothing of the tool.
        self._telling = [
            reference.start for reference in declared if "_" in reference.name or reference.evidence == STRONG
        ]
        self._others = [reference.start for reference in others]
        names = len({reference.name for reference in declared})
        # `click(...)`, `type(...)`: functions of many programs are called so.
        is_named = any("_" in reference.name or reference.form != CALL for reference in declared)
        self._speaks = is_named and len({reference.name for reference in others}) <= max(names, _STRAY_NAMES)

    def speaks_of(self, reference: Reference) -> bool:
        """Whether the prompt as a whole speaks of these tools, or the passage around a reference does.

        An example may be of another task: it speaks of these tools if it names one. A call in a passage is as often code.
        """
        if not self._declared:
            return False
        from toolsurface_lint.model.passages import count_within

        offset = reference.start
        example = self._passages.example(offset)
        if example is not None:
            return count_within(self._declared, example) > 0
        if self._speaks or reference.form == CALL:
            return self._speaks
        passage = self._passages.around(offset)
        return count_within(self._telling, passage) >= count_within(self._others, passage)

    @cached_property
    def _passages(self) -> Passages:
        from toolsurface_lint.model.passages import Passages

        return Passages(self._text)


_INDEXES = [name for name, member in vars(Surface).items() if isinstance(member, cached_property)]
