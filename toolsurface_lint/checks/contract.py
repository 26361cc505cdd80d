"""What a rule's file declares: which things a check looks at, and which rules it may report.

    @check(DEFINITION, RULE)
    def too_long(tool: Tool, target: Target) -> Iterator[Finding]: ...

A check is a function of any name, anywhere in a folder of `checks/`. It is called for each thing of its subject, with the
arguments that the subject names, and gives findings of the declared rules only, as a generator or, where it is asked about
millions, as a tuple. Severity belongs to the rule and to the settings, never to the check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, ParamSpec, TypeVar

from toolsurface_lint.model.diagnostics import Finding, Rule

if TYPE_CHECKING:
    from toolsurface_lint.checks.change._changes import InstructionsChange, ToolChange
    from toolsurface_lint.checks.tool._tool_schema import ToolSchema
    from toolsurface_lint.model.agent import Agent
    from toolsurface_lint.model.chat_template import ChatTemplate
    from toolsurface_lint.model.client_file import ClientFile
    from toolsurface_lint.model.dataset import DatasetFacts
    from toolsurface_lint.model.document import Document
    from toolsurface_lint.model.hooks import HookFile
    from toolsurface_lint.model.lock import LockedProject, ServedTools
    from toolsurface_lint.model.manifest import Manifest
    from toolsurface_lint.model.permission import PermissionFile
    from toolsurface_lint.model.policy import ApprovalPattern, ApprovalPolicy, ArgConstraint, CapabilityPolicy
    from toolsurface_lint.model.prompt import Prompt, Reference
    from toolsurface_lint.model.response import AssistantResponse
    from toolsurface_lint.model.serving import Launch
    from toolsurface_lint.model.surface import Surface
    from toolsurface_lint.model.target import Target
    from toolsurface_lint.model.template import PromptTemplate
    from toolsurface_lint.model.tool import Tool
    from toolsurface_lint.model.transcript import Call, Mismatch, Result, Turn
    from toolsurface_lint.model.workflow import Workflow
    from toolsurface_lint.source.problem import Problem
    from toolsurface_lint.source.tree import Place

P = ParamSpec("P")
R = TypeVar("R")
Follow = Callable[["Turn | None", "list[Mismatch]"], Iterable[Finding]]
"""What follows one conversation: called with each turn and what does not match in it, and with None when it ends."""


class Subject(Generic[P, R]):
    """A kind of thing that checks look at: `P` are the arguments of such a check, `R` is what it gives."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


DEFINITION: Subject[[Tool, Target], Iterable[Finding]] = Subject("definition")
"""Every tool definition by itself, while its file is at hand."""
SCHEMA: Subject[[ToolSchema, Target], Iterable[Finding]] = Subject("schema")
"""The parameter schema of every tool that has one, while its file is at hand."""
OUTPUT_SCHEMA: Subject[[ToolSchema, Target], Iterable[Finding]] = Subject("output_schema")
"""The schema of the results of every tool that has one, while its file is at hand."""
PYTHON_DEFINITION: Subject[[Tool, Target], Iterable[Finding]] = Subject("python_definition")
"""The same, of tools that Python code defines."""
TOOL_LISTS: Subject[[list[list[Tool]], Target], Iterable[Finding]] = Subject("tool_lists")
"""The tool lists of a file, while it is at hand."""
DEFINITION_TEXT: Subject[[Tool, Target], Iterable[Finding]] = Subject("definition_text")
"""Every tool definition as a known model reads it."""
PROMPT_TEXT: Subject[[Prompt, Target], Iterable[Finding]] = Subject("prompt_text")
"""Every prompt, and every branch of a template, as a known model reads it."""
TEMPLATE: Subject[[PromptTemplate, Target], Iterable[Finding]] = Subject("template")
"""Every template, while its file is at hand."""
CHAT_TEMPLATE: Subject[[ChatTemplate, Target], Iterable[Finding]] = Subject("chat_template")
"""Every chat template, while its file is at hand."""
DOCUMENT: Subject[[Document], Iterable[Finding]] = Subject("document")
"""Every file, as a file."""
ACTIVE_TOOL: Subject[[Tool, Surface], Iterable[Finding]] = Subject("active_tool")
"""Every active tool of a surface."""
CONSTRAINT: Subject[[ArgConstraint, CapabilityPolicy, Surface], Iterable[Finding]] = Subject("constraint")
APPROVAL_PATTERN: Subject[[ApprovalPattern, Surface], Iterable[Finding]] = Subject("approval_pattern")
"""Every tool pattern of the approval policies."""
REFERENCE: Subject[[Reference, Prompt, Surface], Iterable[Finding]] = Subject("reference")
"""Every reference to a tool of a prompt for an application's agent."""
CLIENT_REFERENCE: Subject[[Reference, Prompt, Surface], Iterable[Finding]] = Subject("client_reference")
"""Every reference to a tool of a prompt for coding clients."""
CLIENT_PROMPT: Subject[[Prompt, Surface], Iterable[Finding]] = Subject("client_prompt")
"""Every prompt for coding clients."""
EVERY_PROMPT: Subject[[Prompt, Surface], Iterable[Finding]] = Subject("every_prompt")
"""Every prompt, whoever it is for."""
PROMPT: Subject[[Prompt, Surface], Iterable[Finding]] = Subject("prompt")
"""Every prompt for an application's agent that names a tool."""
POLICY: Subject[[CapabilityPolicy, Surface], Iterable[Finding]] = Subject("policy")
APPROVAL_POLICY: Subject[[ApprovalPolicy, Surface], Iterable[Finding]] = Subject("approval_policy")
PERMISSIONS: Subject[[PermissionFile, Surface], Iterable[Finding]] = Subject("permissions")
"""Every permission file, and every tool list of an agent."""
HOOKS: Subject[[HookFile, Surface], Iterable[Finding]] = Subject("hooks")
"""The hooks of every file that has some."""
MANIFEST: Subject[[Manifest, Surface], Iterable[Finding]] = Subject("manifest")
"""Every manifest of a package or a plugin."""
CLIENT_FILE: Subject[[ClientFile, Surface], Iterable[Finding]] = Subject("client_file")
"""Every agent, command, skill and the like that a coding client reads."""
SURFACE: Subject[[Surface], Iterable[Finding]] = Subject("surface")
"""Every surface that has tools or policies."""
AGENT: Subject[[Agent], Iterable[Finding]] = Subject("agent")
"""Every agent that a program makes, with the tools that it is given."""
LOCK: Subject[[LockedProject], Iterable[Finding]] = Subject("lock")
"""Every lock, with the tools that are declared now."""
SNAPSHOT: Subject[[ServedTools], Iterable[Finding]] = Subject("snapshot")
"""Every server of a snapshot that a program or a list of the repository declares, too."""
SERVING: Subject[[Launch], Iterable[Finding]] = Subject("serving")
"""Every command that starts a server of a model."""
WORKFLOW: Subject[[Workflow, CapabilityPolicy | None], Iterable[Finding]] = Subject("workflow")
"""Every workflow graph, with a ceiling for its policies where there is one."""
RESPONSE: Subject[[AssistantResponse, Surface], Iterable[Finding]] = Subject("response")
"""Every assistant response, read by its protocol."""
CALL: Subject[[Call, Tool | None, Surface], Iterable[Finding]] = Subject("call")
"""Every recorded call; the tool is None if none of that name is declared."""
RESULT: Subject[[Call, Result, Tool, Surface], Iterable[Finding]] = Subject("result")
"""Every recorded result of an MCP server, with its call and the tool that was called."""
EVERY_CALL: Subject[[Call, Tool | None, Surface], Iterable[Finding]] = Subject("every_call")
"""Every recorded call, also one that is plainly right, or of a tool that a client may have: all of a file is followed for it."""
EVERY_RESULT: Subject[[Call, Result, Tool | None, Surface], Iterable[Finding]] = Subject("every_result")
"""Every recorded result that answers a call, in the same way; the tool is None if none of that name is declared."""
CONVERSATION: Subject[[Surface], Follow | None] = Subject("conversation")
"""Once a conversation: gives what follows it, or None if there is nothing to follow."""
CHANGED_TOOL: Subject[[ToolChange], Iterable[Finding]] = Subject("changed_tool")
"""Every tool that one of two compared versions has, or both."""
CHANGED_INSTRUCTIONS: Subject[[InstructionsChange], Iterable[Finding]] = Subject("changed_instructions")
"""The instructions of every server that two compared versions have."""
DATASET: Subject[[DatasetFacts], Iterable[Finding]] = Subject("dataset")
"""Every dataset, once all of its rows are read."""
DIRECTIVE: Subject[[Problem[Place]], Iterable[Finding]] = Subject("directive")
"""Everything that is wrong with a suppression itself."""
CRASH: Subject[[Problem[Place]], Iterable[Finding]] = Subject("crash")
"""Everything that the linter itself crashed at, but for what the documents say of their readers."""


class Check(NamedTuple):
    """One function of a rule's file."""

    subject: str
    rules: tuple[Rule, ...]
    run: Callable[..., Any]


class Indexed(NamedTuple):
    """What is known of a rule before its module is imported; `module` is its name below `checks`, `group` empty for most."""

    code: str
    severity: str
    preview: bool
    harn: int
    module: str
    subjects: tuple[str, ...]
    group: str = ""


declared: dict[str, list[Check]] = {}
"""The checks of each imported module, by its full name."""


def check(subject: Subject[P, R], *rules: Rule) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Declare that a function looks at the things of a subject and reports these rules."""

    def declare(run: Callable[P, R]) -> Callable[P, R]:
        declared.setdefault(run.__module__, []).append(Check(subject.name, rules, run))
        return run

    return declare
