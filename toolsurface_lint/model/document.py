"""Documents: one file, what it was recognised as, and the facts read from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolsurface_lint.knowledge.clients import Standing
from toolsurface_lint.model.agent import Agent
from toolsurface_lint.model.client_file import ClientFile
from toolsurface_lint.model.hooks import HookFile
from toolsurface_lint.model.manifest import Manifest
from toolsurface_lint.model.permission import PermissionFile, ServerFile
from toolsurface_lint.model.policy import ApprovalPolicy, CapabilityPolicy
from toolsurface_lint.model.prompt import Prompt, PromptFile
from toolsurface_lint.model.serving import Launch
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.unseen import Unseen
from toolsurface_lint.model.workflow import Workflow
from toolsurface_lint.source.languages import PROGRAMS
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import SourceText, Span
from toolsurface_lint.source.tree import Place, TextTree, Tree

if TYPE_CHECKING:
    from toolsurface_lint.model.chat_template import ChatTemplate
    from toolsurface_lint.model.lock import Lock
    from toolsurface_lint.model.response import RecordedResponse
    from toolsurface_lint.model.template import PromptTemplate
    from toolsurface_lint.model.transcript import Transcript


class Document:
    """One file and what its readers found in it.

    `language` is how the text is written: `json`, `jsonl`, `yaml`, `toml`, `markdown`, `text`, `shell`, or one of
    `PROGRAMS`.
    """

    __slots__ = (
        "_whole",
        "agents",
        "approvals",
        "begins",
        "chat_templates",
        "client_file",
        "complete",
        "folder",
        "hooks",
        "kinds",
        "language",
        "launches",
        "leaves_open",
        "location",
        "lock",
        "manifests",
        "open_reasons",
        "path",
        "permissions",
        "policies",
        "problems",
        "prompt_files",
        "prompts",
        "recorded",
        "responses",
        "server_files",
        "source",
        "standing",
        "surfaces",
        "takes_comments",
        "templates",
        "tool_lists",
        "tool_search",
        "transcripts",
        "trees",
        "unread",
        "workflows",
    )

    def __init__(self, path: str, source: SourceText, language: str, location: str = "") -> None:
        self.path = path
        """The path as displayed: relative to the working directory where it lies below it, with forward slashes."""
        self.location = location or path
        """The path from the root of its repository, by which names and folders say what it is; outside any, `path`."""
        self._whole: Tree | None = None
        self.source = source
        self.language = language
        self.takes_comments = language in ("yaml", "toml", "shell") or language in PROGRAMS
        """Whether its host reads comments: JSON does only under some names."""
        self.trees: list[Tree] = []
        self.problems: list[Problem[Span]] = []
        self.kinds: list[str] = []
        """What it was recognised as: `tools`, `policy`, ...; empty if as nothing."""
        self.begins = False
        """Whether it broke off although it began like something that is recognised."""
        self.unread: Unseen | None = None
        """Why its tools are not known although it looks as if it had some."""
        self.leaves_open = False
        """Whether these may be tools of the surfaces of its folder."""
        self.tool_lists: list[list[Tool]] = []
        """One list for each namespace in the file."""
        self.tool_search = False
        """Whether the model is given a way to find the deferred tools among them."""
        self.policies: list[CapabilityPolicy] = []
        self.approvals: list[ApprovalPolicy] = []
        self.permissions: list[PermissionFile] = []
        self.server_files: list[ServerFile] = []
        self.agents: list[Agent] = []
        """The agents that a program makes, and its requests with tools, that are told something in it or elsewhere."""
        self.hooks: list[HookFile] = []
        self.manifests: list[Manifest] = []
        self.lock: Lock | None = None
        """The tools that were accepted, if this is the file that says so."""
        self.prompts: list[Prompt] = []
        self.prompt_files: list[PromptFile] = []
        """Where a program has others from."""
        self.standing = Standing("", frozenset())
        """Of a markdown or text file: what its place makes of it for coding clients."""
        self.client_file: ClientFile | None = None
        """What it is to a coding client, if that reads it as an agent, a command or the like."""
        self.templates: list[PromptTemplate] = []
        self.chat_templates: list[ChatTemplate] = []
        self.responses: list[RecordedResponse] = []
        self.transcripts: list[Transcript] = []
        self.surfaces: list[Surface] = []
        """Surfaces that this document describes completely."""
        self.workflows: list[Workflow] = []
        self.launches: list[Launch] = []
        """The commands in it that start servers of models."""
        self.recorded = False
        """Whether it is a recording of what servers serve: what is found there is fixed elsewhere."""
        self.complete = False
        """Whether the tools and prompts read from it are a surface of their own."""
        self.open_reasons: list[Unseen] = []
        self.folder = ""
        """The folder that its tools are of, as an absolute path, if their server's files lie in more than its own."""

    @property
    def scopes(self) -> list[Surface]:
        """The surfaces that it describes completely, those of its workflows among them."""
        return [*self.surfaces, *(scope for workflow in self.workflows for scope in workflow.scopes)]

    @property
    def all_prompts(self) -> list[Prompt]:
        """Its prompts, those of its surfaces among them, but not those that its templates render to."""
        return [*self.prompts, *(prompt for scope in self.scopes for prompt in scope.prompts)]

    @property
    def asks_for_others(self) -> bool:
        """Whether it is about tools, servers, programs or agents that any other file of the project may declare."""
        return bool(
            self.lock is not None
            or self.server_files
            or any(permissions.asks_for_servers or permissions.names_agents for permissions in self.permissions)
            or any(hooks.asks_for_servers for hooks in self.hooks)
            or any(manifest.tools is not None for manifest in self.manifests)
        )

    @property
    def has_comments(self) -> bool:
        """Whether the file is of a language with comments, or has some all the same."""
        return self.takes_comments or any(problem.code == "not_strict_json" for problem in self.problems)

    @property
    def may_have_directives(self) -> bool:
        """Whether the text may hold suppression directives at all: a cheap look before any other."""
        text = self.source.text
        return "tool-surface" in text or "toolsurface-lint:" in text

    def place(self, span: Span) -> Place:
        """The place of a span of the whole file."""
        if self._whole is None:
            self._whole = TextTree(self.source)
        return Place(self._whole, (), "text", span.start, span.end)

    def release(self) -> None:
        """Drop text and values; what is asked for again is read again."""
        for tree in self.trees:
            tree.release()
        for template in self.chat_templates:
            template.release()
        self._whole = None
        self.source.release()
