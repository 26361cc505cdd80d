"""Runs the checks over documents and surfaces."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from toolsurface_lint.checks import Checks, Said
from toolsurface_lint.checks.contract import (
    AGENT,
    APPROVAL_PATTERN,
    APPROVAL_POLICY,
    CALL,
    CHAT_TEMPLATE,
    CLIENT_FILE,
    CLIENT_PROMPT,
    CLIENT_REFERENCE,
    CONSTRAINT,
    DEFINITION_TEXT,
    DOCUMENT,
    EVERY_CALL,
    EVERY_PROMPT,
    HOOKS,
    LOCK,
    MANIFEST,
    PERMISSIONS,
    POLICY,
    PROMPT,
    PROMPT_TEXT,
    REFERENCE,
    RESPONSE,
    SERVING,
    SNAPSHOT,
    TEMPLATE,
    WORKFLOW,
    Check,
    Indexed,
)
from toolsurface_lint.model.client_file import ClientFile
from toolsurface_lint.model.diagnostics import Diagnostic, Finding, Report, Rule
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.policy import CapabilityPolicy
from toolsurface_lint.model.prompt import Prompt, Reference
from toolsurface_lint.model.serving import Launch
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.unseen import Unseen, by_place, unseen_at
from toolsurface_lint.model.workflow import Workflow
from toolsurface_lint.project.project import Project
from toolsurface_lint.project.settings.selection import Selection
from toolsurface_lint.run.definitions import check_active_tools, check_definitions, check_whole
from toolsurface_lint.run.parallel import Ahead, share
from toolsurface_lint.run.reporting import FollowedTranscripts, Reporting, Resolver, SurfaceDiagnostic, agreed
from toolsurface_lint.source.languages import DATA
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Path, Place, plain

if TYPE_CHECKING:
    from datetime import date

    from toolsurface_lint.model.lock import LockedProject, ServedTools
    from toolsurface_lint.model.response import RecordedResponse
    from toolsurface_lint.run.suppression import Suppressions


class Walk:
    """One walk over things to check: which things there are, in which order."""

    def __init__(
        self, enabled: Callable[[Indexed | Rule], bool], others: Sequence[Check] = (), said: Said | None = None
    ) -> None:
        """`others` and `said` as in `Checks`."""
        self.checks = Checks(enabled, others, said)
        self._run = self.checks.run

    def surface(self, surface: Surface) -> Iterator[Finding]:
        """Everything that there is to say about one surface, in the Harn specification's order."""
        return self.checks.contained(surface.start or plain(None).place, self._surface(surface))

    def _surface(self, surface: Surface) -> Iterator[Finding]:
        contained = self.checks.contained
        for agent in (*surface.agents, *surface.others):
            yield from self._run(AGENT, agent.place, agent)
        if surface.agents:
            # Tools and policies are checked where they are defined, whoever is given them.
            yield from self._prompts(surface)
            return
        yield from check_active_tools(self.checks, surface)
        for policy in surface.policies:
            for constraint in policy.constraints:
                yield from self._run(CONSTRAINT, constraint.node.place, constraint, policy, surface)
        for approval in surface.approvals:
            for pattern in approval.patterns():
                yield from self._run(APPROVAL_PATTERN, pattern.node.place, pattern, surface)
        yield from self._prompts(surface)
        for policy in surface.policies:
            yield from self._run(POLICY, policy.node.place, policy, surface)
        for approval in surface.approvals:
            yield from self._run(APPROVAL_POLICY, approval.node.place, approval, surface)
        for permissions in surface.permissions:
            yield from self._run(PERMISSIONS, permissions.node.place, permissions, surface)
        for hooks in surface.hooks:
            yield from self._run(HOOKS, hooks.node.place, hooks, surface)
        for manifest in surface.manifests:
            yield from self._run(MANIFEST, manifest.node.place, manifest, surface)
        for file in surface.client_files:
            yield from contained(file.body.place(0, 0), self.client_file(file, surface))
        for response in surface.responses:
            yield from contained(response.node.place, self._response(response, surface))
        yield from check_whole(self.checks, surface)

    def _prompts(self, surface: Surface) -> Iterator[Finding]:
        for prompt in (*surface.prompts, *(prompt for template in surface.templates for prompt in template.prompts)):
            yield from self.checks.contained(prompt.place(0, 0), self.prompt(prompt, surface))

    def _response(self, recorded: RecordedResponse, surface: Surface) -> Iterator[Finding]:
        from toolsurface_lint.protocols.calls import BUILT_IN_TOOLS

        protocol = recorded.protocol(surface.target)
        if protocol is None:
            return
        response = recorded.read(recorded.node, protocol, surface, final=recorded.final)
        recorded.calls = len(response.read.calls)
        recorded.used = response.read.protocol
        place = response.place(Span(0, 0))
        yield from self._run(RESPONSE, place, response, surface)
        if not response.calls:
            return
        from toolsurface_lint.schemas.arguments import meant_tool

        for call in response.calls:
            tool = meant_tool(call, surface)
            yield from self._run(EVERY_CALL, call.place, call, tool, surface)
            if tool is not None or call.name not in BUILT_IN_TOOLS:
                yield from self._run(CALL, call.place, call, tool, surface)

    def texts(self, document: Document, target: Target) -> Iterator[Finding]:
        """What a model reads of a document by itself: its templates, and the tokens in its prompts and definitions."""
        for template in document.templates:
            yield from self._run(TEMPLATE, template.node.place, template, target)
        prompts = [*document.all_prompts, *(prompt for template in document.templates for prompt in template.prompts)]
        lists = _tool_lists(document)
        if not prompts and not any(lists):
            # Thousands of transcripts, say, in which there would be much to search.
            return
        knows_model = bool(target.named) and target.model is not None
        if not knows_model and "CALL]]" not in document.source.text:
            return
        for prompt in prompts:
            yield from self._run(PROMPT_TEXT, prompt.place(0, 0), prompt, target)
        for tools in lists:
            for tool in tools:
                yield from self._run(DEFINITION_TEXT, tool.name_place, tool, target)

    def chat_templates(self, document: Document, target: Target) -> Iterator[Finding]:
        """What there is to say about the chat templates of a document."""
        for template in document.chat_templates:
            yield from self._run(CHAT_TEMPLATE, template.node.place, template, target)

    def references(self, prompt: Prompt, references: Iterable[Reference], surface: Surface) -> Iterator[Finding]:
        """What there is to say about references in a prompt."""
        for_clients = bool(surface.audience(prompt))
        for reference in references:
            place = prompt.place(reference.start, reference.end)
            if for_clients:
                yield from self._run(CLIENT_REFERENCE, place, reference, prompt, surface)
            else:
                yield from self._run(REFERENCE, place, reference, prompt, surface)

    def prompt(self, prompt: Prompt, surface: Surface) -> Iterator[Finding]:
        """What there is to say about one prompt of a surface. To override, for a walk that leaves some prompts out."""
        yield from self.references(prompt, prompt.uses(surface.vocabulary_for(prompt)), surface)
        yield from self._run(EVERY_PROMPT, prompt.place(0, 0), prompt, surface)
        if surface.audience(prompt):
            yield from self._run(CLIENT_PROMPT, prompt.place(0, 0), prompt, surface)
        elif prompt.named(surface.vocabulary):
            yield from self._run(PROMPT, prompt.place(0, 0), prompt, surface)

    def client_file(self, file: ClientFile, surface: Surface) -> Iterator[Finding]:
        """What there is to say about a file that a coding client reads. To override, as `prompt`."""
        return self._run(CLIENT_FILE, file.body.place(0, 0), file, surface)

    def workflow(self, workflow: Workflow, ceiling: CapabilityPolicy | None) -> Iterator[Finding]:
        """The structure of a graph; its scopes are surfaces, walked by themselves."""
        return self._run(WORKFLOW, workflow.node.place, workflow, ceiling)

    def lock(self, compared: LockedProject) -> Iterator[Finding]:
        """What is not as a lock has it."""
        return self._run(LOCK, compared.lock.node.place, compared)

    def snapshot(self, compared: ServedTools) -> Iterator[Finding]:
        """What is not as a snapshot has it."""
        return self._run(SNAPSHOT, compared.start, compared)

    def launch(self, launch: Launch) -> Iterator[Finding]:
        """What is wrong with how a server of a model is started."""
        return self._run(SERVING, launch.place, launch)

    def document(self, document: Document) -> Iterator[Finding]:
        """What is wrong with a file itself."""
        return self._run(DOCUMENT, _start(document), document)

    def definitions(self, document: Document, target: Target) -> Iterator[Finding]:
        """Every tool definition of a document by itself; to be asked while the document is in memory."""
        return check_definitions(self.checks, _tool_lists(document), target, python=document.language == "python")


def _tool_lists(document: Document) -> list[list[Tool]]:
    """The tools of a document, a list for each place that declares some."""
    lists = [*document.tool_lists, *(surface.tools for surface in document.surfaces)]
    lists.extend(scope.tools for workflow in document.workflows for scope in workflow.scopes[1:])
    return lists


_WORTH_SHARING = 1000
"""Tools and prompts for which one more process is worth its start."""
_AS_MANY_TOOLS = 50
"""Tools that take as long as one chat template, which is rendered."""


class _Walked(NamedTuple):
    """What came of one walk: of each response how many calls it has and by which protocol it was read, which chat
    templates could not be rendered, and how many things of each subject were looked at. Plain data, to be kept or sent."""

    found: list[Diagnostic]
    asked: Mapping[str, int] = MappingProxyType({})
    responses: tuple[tuple[int, str], ...] = ()
    not_rendered: tuple[Unseen, ...] = ()


class Analysis:
    """One run: first every document as it is read, then the surfaces that they make.

    `today` decides which suppressions have expired: the present day, that of the clock in UTC if None. `walk` is how
    to look at things: at everything that the selection enables if None. `jobs` processes share what can be walked by
    itself.
    """

    def __init__(
        self, selection: Selection, today: date | None = None, walk: Walk | None = None, jobs: int = 1
    ) -> None:
        self.jobs = jobs
        self._today = today
        self._walk = walk or Walk(selection.enabled, selection.others)
        self._alone: list[Finding] = []
        self._postponed: list[tuple[Document, Target]] = []
        """Documents whose definitions and chat templates are still to be looked at, by whichever process."""
        self._not_rendered: list[Unseen] = []
        self._resolver = Resolver(selection.severity)
        self._suppressions: Suppressions | None = None
        self._hidden: dict[tuple[str, Path], list[Reference]] = {}
        self._texts: dict[str, Hashable] = {}
        """What is the same for documents of the same texts, by path; only where processes share the work."""
        self._ahead: Ahead[_Walked] | None = None

    def walk_ahead(self, project: Project, stack: ExitStack) -> None:
        """Have other processes look at the definitions that were left for now, while this one reads on.

        They are ended with the context `stack`.
        """
        size = sum(_size_of_definitions(document) for document, _ in self._postponed)
        others = min(self.jobs, 1 + size // _WORTH_SHARING) - 1
        if others:
            units = [partial(self._walk_definitions, project, *postponed) for postponed in self._postponed]
            self._ahead = stack.enter_context(Ahead(units, others))

    def visit(self, document: Document, target: Target) -> None:
        """What can be said of one document without any other, while its text and values are in memory."""
        if self.jobs > 1 and document.prompts:
            self._texts[document.path] = hash(tuple(prompt.text for prompt in document.prompts))
        self._alone.extend(self.findings(document, target))
        self._not_rendered.extend(_not_rendered(document))
        if document.may_have_directives:
            try:
                self._read_directives(document)
            except Exception as error:
                self._alone.append(self._walk.checks.crash("check", _start(document), error))

    def findings(self, document: Document, target: Target) -> list[Finding]:
        """What the rules say of one document by itself. To override, for an analysis that knows some of it already."""
        contained = partial(self._walk.checks.contained, _start(document))
        found = list(self._walk.document(document))
        if self.jobs > 1 and (document.language in DATA or document.chat_templates):
            self._postponed.append((document, target))
        else:
            found.extend(contained(self._walk.definitions(document, target)))
            found.extend(contained(self._walk.chat_templates(document, target)))
        found.extend(contained(self._walk.texts(document, target)))
        return found

    def _read_directives(self, document: Document) -> None:
        from toolsurface_lint.readers.suppressed_texts import suppressed_texts
        from toolsurface_lint.run.suppression import Suppressions

        if self._suppressions is None:
            self._suppressions = Suppressions(self._today)
        for text in suppressed_texts(document):
            self._suppressions.add(text)
            if text.hidden:
                self._hidden[text.node.tree.origin, text.node.path] = text.hidden

    def report(
        self,
        project: Project,
        *,
        ceiling: CapabilityPolicy | None = None,
        transcripts: FollowedTranscripts | None = None,
    ) -> Report:
        """Check the surfaces and report everything, in the order of paths, positions and codes.

        `transcripts` is what came of following the project's transcripts.
        """
        walk = self._walk
        definitions, walked = self._walk_apart(project)
        reporting = Reporting(project, walk.checks, self._resolver, self._today)
        surface_of = {path: surface for surface in reversed(project.surfaces) for path in surface.files}
        reporting.add_located(
            (diagnostic, surface_of.get(diagnostic.location.path if diagnostic.location else ""))
            for diagnostic in definitions
        )
        for finding in self._alone:
            reporting.add(finding, surface_of.get(_path(finding)))
        if project.crash is not None:
            reporting.add(walk.checks.report_crash(project.crash), project.surfaces[0])
        for workflow in project.workflows:
            for scope in workflow.scopes:
                for finding in walk.surface(scope):
                    reporting.add(finding, scope)
            for finding in walk.workflow(workflow, ceiling):
                reporting.add(finding, workflow.scopes[0])
        launches = (launch for document in project.documents for launch in document.launches)
        said: set[tuple[str, str, Span | None]] = set()
        for finding in chain.from_iterable(map(walk.launch, launches)):
            # An anchor of YAML stands for one text in several places.
            key = finding.rule.code, _path(finding), finding.place.span()
            if key not in said:
                said.add(key)
                reporting.add(finding, surface_of.get(_path(finding)))
        compared = (*map(walk.lock, project.locks), *map(walk.snapshot, project.snapshots))
        for finding in chain.from_iterable(compared):
            reporting.add(finding, surface_of.get(_path(finding)))
        reporting.add_located(agreed(walked, [surface for surface in project.surfaces if not surface.agents]))
        if transcripts is not None:
            reporting.transcripts(transcripts)
        for surface in project.scopes:
            for prompt in surface.prompts:
                # What would be said of lines that directives hide: for the account, never for the report.
                hidden = self._hidden.get((prompt.origin, prompt.path), ())
                for finding in walk.checks.contained(prompt.place(0, 0), walk.references(prompt, hidden, surface)):
                    reporting.add(finding, surface, hidden=True)
        reporting.suppress(self._suppressions)
        reporting.report_expired_ignores()
        report = reporting.report()
        report.not_rendered = by_place(self._not_rendered)
        return report

    def _walk_apart(self, project: Project) -> tuple[list[Diagnostic], list[SurfaceDiagnostic]]:
        """What there is to say about definitions that were left for now, and about every surface, in order."""
        surfaces = project.surfaces
        known = {} if self._ahead is None else self._ahead.results()
        rest = [index for index in range(len(self._postponed)) if index not in known]
        sizes = [_size_of_definitions(self._postponed[index][0]) for index in rest]
        sizes += (len(surface.tools) + len(surface.prompts) for surface in surfaces)
        results = share(
            [
                *(partial(self._walk_definitions, project, *self._postponed[index]) for index in rest),
                *(partial(self._walk_surface, project, surface) for surface in surfaces),
            ],
            min(self.jobs, 1 + sum(sizes) // _WORTH_SHARING),
            [*rest, *(self._texts_of(surface) for surface in surfaces)],
            sizes,
        )
        of_surfaces = results[len(rest) :]
        known.update(zip(rest, results, strict=False))
        of_documents = [known[index] for index in range(len(self._postponed))]
        for result in (*of_documents, *of_surfaces):
            self._walk.checks.count(result.asked)
        for surface, result in zip(surfaces, of_surfaces, strict=True):
            for recorded, (calls, used) in zip(surface.responses, result.responses, strict=True):
                recorded.calls, recorded.used = calls, used
        self._not_rendered.extend(unseen for result in of_documents for unseen in result.not_rendered)
        definitions = [diagnostic for result in of_documents for diagnostic in result.found]
        walked: list[SurfaceDiagnostic] = [
            (diagnostic, surface)
            for surface, result in zip(surfaces, of_surfaces, strict=True)
            for diagnostic in result.found
        ]
        return definitions, walked

    def _texts_of(self, surface: Surface) -> Hashable:
        """What is the same for surfaces of the same texts."""
        return tuple(self._texts.get(path, path) for path in surface.files)

    def _walk_definitions(self, project: Project, document: Document, target: Target) -> _Walked:
        contained = partial(self._walk.checks.contained, _start(document))
        walked = self._walked(
            chain(
                contained(self._walk.definitions(document, target)),
                contained(self._walk.chat_templates(document, target)),
            )
        )._replace(not_rendered=tuple(_not_rendered(document)))
        if project.is_large:
            document.release()
        return walked

    def _walk_surface(self, project: Project, surface: Surface) -> _Walked:
        walked = self._walked(self._walk.surface(surface))
        project.release(surface)
        return walked._replace(responses=tuple((each.calls, each.used) for each in surface.responses))

    def _walked(self, findings: Iterable[Finding]) -> _Walked:
        with self._walk.checks.counting() as asked:
            return _Walked([self._resolver.diagnostic(finding) for finding in findings], asked)


def _size_of_definitions(document: Document) -> int:
    """What a document that is left for now has to look at, in tools."""
    return sum(map(len, _tool_lists(document))) + _AS_MANY_TOOLS * len(document.chat_templates)


def _not_rendered(document: Document) -> Iterator[Unseen]:
    """Why chat templates that rules wanted to see rendered were not."""
    for template in document.chat_templates:
        if template.observed is not None:
            yield from (unseen_at(template.node.place, reason) for reason in template.observed.undecided[:1])


def _start(document: Document) -> Place:
    return document.place(Span(0, 0))


def _path(finding: Finding) -> str:
    """The file of a finding that belongs to a surface; empty for what is wrong with a file itself."""
    source = finding.place.source
    return "" if source is None or finding.rule.code.startswith("INPUT_") else source.path
