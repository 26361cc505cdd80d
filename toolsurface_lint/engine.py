"""Runs the checks over documents and surfaces and makes one report of what they find."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from toolsurface_lint.checks import Check, all_rules, checks_of
from toolsurface_lint.config import FileIgnore, Selection, Settings, names_code
from toolsurface_lint.diagnostics import (
    ERROR,
    INLINE,
    SETTINGS,
    AppliedFix,
    Diagnostic,
    Finding,
    Fix,
    Location,
    Related,
    Report,
    Rule,
    Suppressed,
    SurfaceSummary,
    TextEdit,
    TranscriptSummary,
)
from toolsurface_lint.discovery import matches
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.policy import CapabilityPolicy
from toolsurface_lint.model.prompt import Prompt, Reference
from toolsurface_lint.model.siblings import siblings_of
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.workflow import Workflow
from toolsurface_lint.project import Project, Reading
from toolsurface_lint.second_process import SecondProcess, may_fork
from toolsurface_lint.source.text import SourceText, Span
from toolsurface_lint.source.tree import Path, Place, text_tree

if TYPE_CHECKING:
    from datetime import date

    from toolsurface_lint.model.response import RecordedResponse
    from toolsurface_lint.suppression import Suppressions


class Walk:
    """One walk over things to check: which checks are enabled, and what crashed on the way.

    A crash of a rule is a finding of `INTERNAL_ERROR` at what it looked at; the other rules still run.
    """

    def __init__(self, enabled: Callable[[Rule], bool]) -> None:
        self._enabled = enabled
        self._checks: dict[tuple[str, str], list[Check]] = {}
        self.crashed = False

    def surface(self, surface: Surface) -> Iterator[Finding]:
        """Everything that there is to say about one surface, in the specification's order."""
        families = ["surface", "tool"]
        if surface.policies or surface.approvals or surface.permissions:
            families.append("policy")
        prompts = [*surface.prompts, *(prompt for template in surface.templates for prompt in template.prompts)]
        if prompts or surface.permissions:
            families.append("prompt")
        for tool in surface.active:
            yield from self._run(families, "tool", tool.name_place, tool, surface)
        for policy in surface.policies:
            for constraint in policy.constraints:
                yield from self._run(families, "constraint", constraint.node.place, constraint, policy, surface)
        for approval in surface.approvals:
            for pattern in approval.patterns():
                yield from self._run(families, "approval", pattern.node.place, pattern, surface)
        for prompt in prompts:
            found = list(self._prompt(families, prompt, surface))
            # The quick scan may take for prose what Markdown hides: nothing is said before the exact one agrees.
            if found and prompt.refine():
                found = list(self._prompt(families, prompt, surface))
            yield from found
        for policy in surface.policies:
            yield from self._run(families, "policy", policy.node.place, policy, surface)
        for approval in surface.approvals:
            yield from self._run(families, "approval_policy", approval.node.place, approval, surface)
        for permissions in surface.permissions:
            yield from self._run(families, "permissions", permissions.node.place, permissions, surface)
        for response in surface.responses:
            yield from self._response(response, surface)
        start = surface.start
        if start is not None:
            yield from self._run(families, "surface", start, surface)

    def _response(self, recorded: RecordedResponse, surface: Surface) -> Iterator[Finding]:
        from toolsurface_lint.protocols.calls import BUILT_IN_TOOLS
        from toolsurface_lint.readers.responses import read_response

        protocol = surface.target.protocol or recorded.protocol
        if protocol is None:
            return
        response = read_response(recorded.node, protocol, surface)
        recorded.calls = len(response.read.calls)
        place = response.place(Span(0, 0))
        yield from self._run(["response", "reserved"], "response", place, response, surface)
        if not response.calls:
            return
        from toolsurface_lint.checks.call.arguments import meant_tool

        for call in response.calls:
            tool = meant_tool(call, surface)
            if tool is not None or call.name not in BUILT_IN_TOOLS:
                yield from self._run(["call"], "call", call.place, call, tool, surface)

    def texts(self, document: Document, target: Target) -> Iterator[Finding]:
        """What a model reads of a document by itself: its templates, and the tokens in its prompts and definitions."""
        for template in document.templates:
            yield from self._run(["template"], "template", template.node.place, template, target)
        knows_model = target.provider is not None and target.model is not None
        if not knows_model and "CALL]]" not in document.source.text:
            return
        prompts = [*document.prompts, *(prompt for template in document.templates for prompt in template.prompts)]
        prompts.extend(prompt for surface in document.surfaces for prompt in surface.prompts)
        prompts.extend(prompt for flow in document.workflows for scope in flow.scopes for prompt in scope.prompts)
        for prompt in prompts:
            yield from self._run(["reserved"], "text", prompt.place(0, 0), prompt, target)
        for tools in _tool_lists(document):
            for tool in tools:
                yield from self._run(["reserved"], "definition", tool.name_place, tool, target)

    def hidden(self, prompt: Prompt, references: Iterable[Reference], surface: Surface) -> Iterator[Finding]:
        """What would be said of references in lines that directives hide: for the account, never for the report."""
        for reference in references:
            place = prompt.place(reference.start, reference.end)
            yield from self._run(["surface", "prompt"], "reference", place, reference, prompt, surface)

    def _prompt(self, families: list[str], prompt: Prompt, surface: Surface) -> Iterator[Finding]:
        for reference in prompt.uses(surface.vocabulary):
            place = prompt.place(reference.start, reference.end)
            yield from self._run(families, "reference", place, reference, prompt, surface)
        if prompt.named(surface.vocabulary):
            yield from self._run(families, "prompt", prompt.place(0, 0), prompt, surface)

    def workflow(self, workflow: Workflow, ceiling: CapabilityPolicy | None) -> Iterator[Finding]:
        """The structure of a graph; its scopes are surfaces, walked by themselves."""
        return self._run(["workflow"], "workflow", workflow.node.place, workflow, ceiling)

    def document(self, document: Document) -> Iterator[Finding]:
        """What is wrong with a file itself."""
        return self._run(["input"], "document", document.place(Span(0, 0)), document)

    def definitions(self, document: Document, target: Target) -> Iterator[Finding]:
        """Every tool definition of a document by itself; to be asked while the document is in memory."""
        lists = _tool_lists(document)
        for tools in lists:
            for tool in tools:
                yield from self._run(["tool"], "definition", tool.name_place, tool, target)
                # Rules about surfaces ask for them, when the tool's texts are no longer at hand.
                siblings_of(tool)
        if any(lists):
            first = next(tools[0] for tools in lists if tools)
            yield from self._run(["tool"], "lists", first.name_place, lists, target)

    def _run(self, families: Iterable[str], subject: str, place: Place, *arguments: Any) -> Iterator[Finding]:
        for family in families:
            for check in self._enabled_checks(family, subject):
                try:
                    for finding in check.run(*arguments):
                        if self._enabled(finding.rule):
                            yield finding
                except Exception as error:
                    self.crashed = True
                    yield crash(check, place, error)

    def _enabled_checks(self, family: str, subject: str) -> list[Check]:
        key = (family, subject)
        found = self._checks.get(key)
        if found is None:
            found = [
                check
                for check in checks_of(family)
                if check.subject == subject and any(self._enabled(rule) for rule in check.rules)
            ]
            self._checks[key] = found
        return found


def _tool_lists(document: Document) -> list[list[Tool]]:
    """The tools of a document, a list for each place that declares some."""
    lists = [*document.tool_lists, *(surface.tools for surface in document.surfaces)]
    lists.extend(scope.tools for workflow in document.workflows for scope in workflow.scopes[1:])
    return lists


def crash(check: Check, place: Place, error: Exception) -> Finding:
    """What is reported when a check of ours fails."""
    from toolsurface_lint.checks.input.internal_error import RULE

    codes = ", ".join(f"`{rule.code}`" for rule in check.rules)
    problem = f"{type(error).__name__}: {error}"
    return RULE.at(place, codes=codes, problem=problem, help="this is a defect of toolsurface-lint: please report it")


_DATA_LANGUAGES = ("json", "jsonl", "yaml", "toml")
_WORTH_FORKING = 1024 * 1024
"""Bytes of definitions from which on a second process looks at them."""
_WORTH_SHARING = 1000
"""Tools and prompts from which on two processes share the surfaces."""


class _Found(NamedTuple):
    """A finding and where it was made."""

    finding: Finding
    surface: Surface | None


class Analysis:
    """One run: first every document as it is read, then the surfaces that they make.

    `today` decides which suppressions have expired: the present day, that of the clock in UTC if None.
    """

    def __init__(self, selection: Selection, today: date | None = None) -> None:
        self._selection = selection
        self._today = today
        self._walk = Walk(selection.enabled)
        self._alone: list[Finding] = []
        self._resolver = Resolver()
        self._second: SecondProcess[tuple[list[tuple[Diagnostic, Path]], bool]] | None = None
        self._suppressions: Suppressions | None = None
        self._hidden: dict[tuple[str, Path], list[Reference]] = {}

    def begin(self, readings: Sequence[Reading]) -> None:
        """Have a second process look at the definitions, if there are many: it reads their files once more, which is cheap."""
        data = [reading for reading in readings if reading.language in _DATA_LANGUAGES]
        if _size(data) >= _WORTH_FORKING and may_fork():
            self._second = SecondProcess(lambda: self._definitions_of(data))

    def stop(self) -> None:
        """End what has begun, when nobody wants the report any more."""
        if self._second is not None:
            self._second.stop()

    def _definitions_of(self, readings: Sequence[Reading]) -> tuple[list[tuple[Diagnostic, Path]], bool]:
        """The diagnostics of all definitions in files, each with its path in its value, and whether a rule crashed."""
        found: list[tuple[Diagnostic, Path]] = []
        for reading in readings:
            document = reading.read()
            found.extend(
                (self._resolver.diagnostic(finding, self._severity(finding.rule)), finding.place.path)
                for finding in self._walk.definitions(document, reading.target)
            )
        return found, self._walk.crashed

    def _severity(self, rule: Rule) -> str:
        return self._selection.severity(rule) or rule.severity

    def visit(self, document: Document, target: Target) -> None:
        """What can be said of one document without any other, while its text and values are in memory."""
        self._alone.extend(self._findings(document, target))
        if document.may_have_directives:
            self._read_directives(document)

    def _findings(self, document: Document, target: Target) -> list[Finding]:
        """What the rules say of one document by itself."""
        found = list(self._walk.document(document))
        if self._second is None or document.language not in _DATA_LANGUAGES:
            found.extend(self._walk.definitions(document, target))
        found.extend(self._walk.texts(document, target))
        return found

    def _read_directives(self, document: Document) -> None:
        """The directives of prompts, as Markdown has them, and in files with comments those of the whole text."""
        from toolsurface_lint.readers.prose import hidden_references
        from toolsurface_lint.source.markdown import layout
        from toolsurface_lint.suppression import Suppressions, read_directives

        if self._suppressions is None:
            self._suppressions = Suppressions(self._today)
        suppressions = self._suppressions
        for template in document.templates:
            # Anywhere in the text, comments of the language among it; nothing that they hide is a reference by itself.
            node = template.node
            hidden = hidden_references(str(node.value), exact=True)
            suppressions.add(read_directives(node), [reference.start for reference in hidden])
        prompts = [*document.prompts, *(prompt for surface in document.surfaces for prompt in surface.prompts)]
        prompts.extend(prompt for flow in document.workflows for scope in flow.scopes for prompt in scope.prompts)
        for prompt in prompts:
            text = prompt.text
            hidden = hidden_references(text, exact=True)
            if hidden:
                self._hidden[prompt.origin, prompt.path] = hidden
            directives = read_directives(prompt.node, layout(text, exact=True).fences)
            suppressions.add(directives, [reference.start for reference in hidden])
        if document.has_comments:
            suppressions.add(read_directives(text_tree(document.source).root, language=document.language))

    def report(
        self,
        project: Project,
        *,
        ceiling: CapabilityPolicy | None = None,
        transcripts: Outcome | None = None,
        shared: bool = True,
    ) -> Report:
        """Check the surfaces and report everything, in the order of paths, positions and codes.

        `transcripts` is what came of following the project's transcripts; `shared`: a second process may help.
        """
        walk = self._walk
        surface_of = {path: surface for surface in reversed(project.surfaces) for path in surface.files}
        found = [_Found(finding, surface_of.get(_path(finding))) for finding in self._alone]
        for workflow in project.workflows:
            for scope in workflow.scopes:
                found.extend(_Found(finding, scope) for finding in walk.surface(scope))
            found.extend(_Found(finding, workflow.scopes[0]) for finding in walk.workflow(workflow, ceiling))
        walked = _agreed(self._walked(project, shared), project.surfaces)
        reporting = _Reporting(project, self._selection, self._resolver, self._today)
        if self._second is not None:
            diagnostics, crashed = self._second.result()
            walk.crashed = walk.crashed or crashed
            reporting.resolved(
                (diagnostic, path, surface_of.get(_file(diagnostic))) for diagnostic, path in diagnostics
            )
        for item in found:
            reporting.add(item)
        reporting.resolved(walked)
        if transcripts is not None:
            reporting.transcripts(transcripts)
        for surface in [*project.surfaces, *(scope for flow in project.workflows for scope in flow.scopes)]:
            for prompt in surface.prompts:
                for finding in walk.hidden(prompt, self._hidden.get((prompt.origin, prompt.path), ()), surface):
                    reporting.add(_Found(finding, surface), hidden=True)
        reporting.suppress(self._suppressions)
        reporting.report_expired_ignores()
        return reporting.report(walk.crashed)

    def _walked(self, project: Project, shared: bool) -> list[tuple[Diagnostic, Path, Surface | None]]:
        """What there is to say about every surface, in order; of many, a second process walks every other one."""
        surfaces = project.surfaces
        size = sum(len(surface.tools) + len(surface.prompts) for surface in surfaces)
        # A response is counted as it is walked.
        shared = shared and size >= _WORTH_SHARING and not any(surface.responses for surface in surfaces)
        if not shared or not may_fork():
            return [(found, path, surface) for surface in surfaces for found, path in self._walk_one(project, surface)]
        with SecondProcess(
            lambda: ([self._walk_one(project, each) for each in surfaces[1::2]], self._walk.crashed)
        ) as second:
            found_by = {id(surface): self._walk_one(project, surface) for surface in surfaces[::2]}
            theirs, crashed = second.result()
        self._walk.crashed = self._walk.crashed or crashed
        found_by.update((id(surface), found) for surface, found in zip(surfaces[1::2], theirs, strict=True))
        return [(found, path, surface) for surface in surfaces for found, path in found_by[id(surface)]]

    def _walk_one(self, project: Project, surface: Surface) -> list[tuple[Diagnostic, Path]]:
        found = [
            (self._resolver.diagnostic(finding, self._severity(finding.rule)), finding.place.path)
            for finding in self._walk.surface(surface)
        ]
        project.release(surface)
        return found


def _broken(documents: Iterable[Document]) -> Iterator[tuple[str, str]]:
    """What is wrong with files as files: the path of each, and a message."""
    for document in documents:
        for problem in document.problems:
            yield document.path, problem.message
        for template in document.templates:
            if template.error is not None:
                yield document.path, template.error.message


def _size(readings: Iterable[Reading]) -> int:
    """The bytes of files, as far as they can be looked at."""
    total = 0
    for reading in readings:
        with suppress(OSError):
            total += os.stat(reading.path).st_size
    return total


def _file(diagnostic: Diagnostic) -> str:
    return "" if diagnostic.location is None else diagnostic.location.path


def _path(finding: Finding) -> str:
    """The file of a finding that belongs to a surface; empty for what is wrong with a file itself."""
    source = finding.place.source
    return "" if source is None or finding.rule.code.startswith("INPUT_") else source.path


class Outcome(NamedTuple):
    """What came of a project's transcripts.

    `reported` are the diagnostics, each with the path of its place in its value and its surface; `sources` the texts of
    the files that were not read whole.
    """

    reported: list[tuple[Diagnostic, Path, Surface]]
    summaries: tuple[TranscriptSummary, ...]
    sources: dict[str, SourceText]
    crashed: bool


def _agreed(
    walked: list[tuple[Diagnostic, Path, Surface | None]], surfaces: Sequence[Surface]
) -> list[tuple[Diagnostic, Path, Surface | None]]:
    """What was found in surfaces, without the fixes that not all surfaces of a file ask for: they would break another."""
    if len(surfaces) < 2 or all(diagnostic.fix is None for diagnostic, _, _ in walked):
        return walked
    holders: dict[str, set[int]] = {}
    for surface in surfaces:
        for file in surface.files:
            holders.setdefault(file, set()).add(id(surface))
    asked: dict[AppliedFix, set[int]] = {}
    for diagnostic, _, found_by in walked:
        if diagnostic.fix is not None:
            asked.setdefault(diagnostic.fix, set()).add(id(found_by))
    agreed = []
    for diagnostic, path, found_by in walked:
        fix = diagnostic.fix
        if fix is not None and any(holders.get(edit.location.path, set()) - asked[fix] for edit in fix.edits):
            diagnostic = diagnostic._replace(fix=None)
        agreed.append((diagnostic, path, found_by))
    return agreed


class _Reporting:
    """Turns findings into diagnostics: severities, ignores, one of each, only what concerns the given files."""

    def __init__(self, project: Project, selection: Selection, resolver: Resolver, today: date | None) -> None:
        self._project = project
        self._settings: Settings = project.settings
        self._ignores, self._expired = _in_force(project.settings.per_file_ignores, today)
        self._selection = selection
        self._seen: set[tuple[Any, ...]] = set()
        self._kept: list[Diagnostic] = []
        self._suppressed: list[Suppressed] = []
        self._surface_of: dict[int, Surface] = {}
        self._resolver = resolver
        self._outcome = Outcome([], (), {}, False)
        self._given = None
        if project.given is not None:
            self._given = {
                document.path for document in project.documents if project.absolute(document) in project.given
            }
        self._recorded = {document.path for document in project.documents if document.transcripts}

    def add(self, item: _Found, *, hidden: bool = False) -> None:
        """Take in one finding; a hidden one is only counted among the suppressed."""
        finding = item.finding
        diagnostic = self._resolver.diagnostic(finding, self._selection.severity(finding.rule) or finding.rule.severity)
        self._take(diagnostic, finding.place.path, item.surface, hidden)

    def _take(self, diagnostic: Diagnostic, path: Path, surface: Surface | None, hidden: bool = False) -> None:
        location = diagnostic.location
        # A workflow's own scope and a node's show one defect twice, and so do two surfaces that share a document.
        key = (diagnostic.code, location, diagnostic.message)
        if location is not None and key in self._seen:
            return
        self._seen.add(key)
        if self._given is not None and not any(
            place.path in self._given
            for place in (location, *(related.location for related in diagnostic.related))
            if place is not None
        ):
            return
        # A recording is evidence of what happened: nothing in it is changed.
        if diagnostic.fix is not None and any(edit.location.path in self._recorded for edit in diagnostic.fix.edits):
            diagnostic = diagnostic._replace(fix=None)
        if surface is not None:
            diagnostic = diagnostic._replace(surface=surface.name, scope=surface.scope)
        if path:
            diagnostic = diagnostic._replace(pointer=json_pointer(path))
        if hidden:
            self._suppressed.append(Suppressed(diagnostic, INLINE))
            return
        ignore = self._ignored(diagnostic, path)
        if ignore is not None:
            self._suppressed.append(Suppressed(diagnostic, SETTINGS, ignore.reason or None))
            return
        self._kept.append(diagnostic)
        if surface is not None:
            self._surface_of[id(diagnostic)] = surface

    def transcripts(self, outcome: Outcome) -> None:
        """Take in what came of the transcripts."""
        self._outcome = outcome
        self._recorded.update(summary.path for summary in outcome.summaries)
        self.resolved(outcome.reported, outcome.sources)

    def resolved(
        self,
        reported: Iterable[tuple[Diagnostic, Path, Surface | None]],
        others: Mapping[str, SourceText] | None = None,
    ) -> None:
        """Take in diagnostics whose places another process has resolved; `others` are sources that are no documents."""
        sources = {document.path: document.source for document in self._project.documents} | dict(others or {})
        for diagnostic, path, surface in reported:
            for location in (diagnostic.location, *(related.location for related in diagnostic.related)):
                if location is not None and location.path in sources:
                    self._resolver.sources[location.path] = sources[location.path]
            self._take(diagnostic, path, surface)

    def _ignored(self, diagnostic: Diagnostic, path: Path) -> FileIgnore | None:
        """What the settings say that hides a diagnostic."""
        if diagnostic.location is None:
            return None
        for ignore in self._ignores:
            if (
                matches(ignore.path, self._project.relative(diagnostic.location.path))
                and any(names_code(code, diagnostic.code) for code in ignore.codes)
                and (ignore.pointer is None or _below(path, ignore.pointer))
            ):
                return ignore
        return None

    def report_expired_ignores(self) -> None:
        """Take in what is to be said of the settings' own suppressions: of those that concern any file reported on."""
        table = self._settings.table
        if not self._expired or table is None:
            return
        from toolsurface_lint.checks.suppression.directives import EXPIRED

        severity = self._selection.severity(EXPIRED)
        if severity is None:
            return
        project = self._project
        reported = [document for document in project.documents if project.reports(project.absolute(document))]
        relatives = [project.relative(document.path) for document in reported]
        for index, ignore in self._expired:
            node = table.find("per-file-ignores", index, "until")
            if node is None or not any(matches(ignore.path, relative) for relative in relatives):
                continue
            problem = (
                f"what is ignored in `{ignore.path}` was to be ignored until `{ignore.until}`, and is reported again"
            )
            finding = EXPIRED.at(
                node.place, problem=problem, help="cure it and remove the table, or give it a later day"
            )
            diagnostic = self._resolver.diagnostic(finding, severity)._replace(pointer=json_pointer(node.path))
            hiding = self._ignored(diagnostic, node.path)
            if hiding is None:
                self._kept.append(diagnostic)
            else:
                self._suppressed.append(Suppressed(diagnostic, SETTINGS, hiding.reason or None))

    def suppress(self, suppressions: Suppressions | None) -> None:
        """Take out what directives hide, and take in what is to be said of the directives themselves."""
        if suppressions is None:
            return
        from toolsurface_lint.checks.suppression.directives import BY_LEFTOVER
        from toolsurface_lint.rule_pages import codes

        self._kept, suppressed = suppressions.filter(self._kept)
        # A directive is of use too for what the settings happen to hide.
        suppressions.filter([hidden.diagnostic for hidden in self._suppressed if hidden.by == SETTINGS])
        self._suppressed.extend(suppressed)
        enabled = {rule.code for rule in self._enabled_rules()}
        for leftover in suppressions.leftovers(codes(), enabled):
            rule = BY_LEFTOVER[leftover.what]
            if self._selection.enabled(rule):
                finding = rule.at(leftover.place, problem=leftover.message, help=leftover.help, fix=leftover.fix)
                self.add(_Found(finding, None))

    def report(self, crashed: bool) -> Report:
        project = self._project
        invalid = {id(self._surface_of[id(d)]) for d in self._kept if d.severity == ERROR and id(d) in self._surface_of}
        surfaces = in_order(
            SurfaceSummary(
                surface.name,
                id(surface) not in invalid,
                surface.open,
                tuple(dict.fromkeys(tool.text for tool in surface.tools)),
                tuple(surface.files),
            )
            for surface in self._reported_surfaces()
        )
        return Report(
            tuple(sorted(self._kept, key=position_of)),
            surfaces=surfaces,
            skipped=tuple(sorted(project.skipped)),
            counts=self._counts(len(surfaces)),
            suppressed=tuple(sorted(self._suppressed, key=lambda hidden: position_of(hidden.diagnostic))),
            internal_errors=crashed or self._outcome.crashed,
            transcripts=self._outcome.summaries,
            rules=self._enabled_rules,
            sources=self._resolver.sources,
            fail_on=self._settings.fail_on,
            empty_folders=project.empty_folders,
            broken=frozenset(_broken(project.documents)),
        )

    def _enabled_rules(self) -> tuple[Rule, ...]:
        return tuple(rule for rule in all_rules() if self._selection.enabled(rule))

    def _reported_surfaces(self) -> list[Surface]:
        return [*self._project.surfaces, *(workflow.scopes[0] for workflow in self._project.workflows)]

    def _counts(self, surfaces: int) -> dict[str, int]:
        tools: set[tuple[int, Path]] = set()
        policies: set[tuple[int, Path]] = set()
        prompts: set[tuple[int, Path]] = set()
        templates: set[tuple[int, Path]] = set()
        responses: set[tuple[int, int]] = set()
        scopes = [*self._project.surfaces, *(scope for flow in self._project.workflows for scope in flow.scopes)]
        for surface in scopes:
            tools.update((id(tool.tree), tool.path) for tool in surface.tools)
            nodes = [policy.node for policy in surface.policies] + [approval.node for approval in surface.approvals]
            nodes.extend(permissions.node for permissions in surface.permissions)
            policies.update((id(node.tree), node.path) for node in nodes)
            prompts.update((id(prompt.tree), prompt.path) for prompt in surface.prompts)
            templates.update((id(template.tree), template.path) for template in surface.templates)
            responses.update((id(response.tree), response.calls) for response in surface.responses)
        return {
            "files": len(self._project.documents),
            "surfaces": surfaces,
            "tools": len(tools),
            "prompts": len(prompts),
            "policies": len(policies),
            "templates": len(templates),
            "transcripts": sum(summary.conversations for summary in self._outcome.summaries),
            "turns": len(responses) + sum(summary.turns for summary in self._outcome.summaries),
            "calls": sum(calls for _, calls in responses) + sum(summary.calls for summary in self._outcome.summaries),
            "suppressed": len(self._suppressed),
        }


class Resolver:
    """Turns places into locations, and remembers the sources that it met."""

    def __init__(self) -> None:
        self.sources: dict[str, Any] = {}

    def diagnostic(self, finding: Finding, severity: str) -> Diagnostic:
        """The diagnostic of a finding; related places in plain data, which have no location, are left out."""
        related = tuple(
            Related(message, location)
            for message, place in finding.related
            if (location := self.location(place)) is not None
        )
        return Diagnostic(
            finding.rule.code,
            severity,
            finding.message,
            self.location(finding.place),
            related,
            finding.tool,
            finding.field,
            help=finding.help,
            fix=None if finding.fix is None else self._fix(finding.fix),
        )

    def location(self, place: Place) -> Location | None:
        span = place.span()
        source = place.source
        if span is None or source is None:
            return None
        self.sources[source.path] = source
        return Location(source.path, source.lines.range(span), span)

    def _fix(self, fix: Fix) -> AppliedFix | None:
        edits = []
        for edit in fix.edits:
            rewritten = edit.place.rewritten(edit.text)
            source = edit.place.source
            if rewritten is None or source is None:
                return None
            span, text = rewritten
            self.sources[source.path] = source
            edits.append(TextEdit(Location(source.path, source.lines.range(span), span), text))
        return AppliedFix(fix.title, fix.safe, tuple(edits))


def in_order(surfaces: Iterable[SurfaceSummary]) -> tuple[SurfaceSummary, ...]:
    """The surfaces of a report in the order of their first files."""
    return tuple(sorted(surfaces, key=lambda surface: surface.files[:1]))


def position_of(diagnostic: Diagnostic) -> tuple[Any, ...]:
    """What the diagnostics of a report are ordered by."""
    location = diagnostic.location
    if location is None:
        return ("", 0, 0, diagnostic.code, diagnostic.message)
    return (location.path, location.span.start, location.span.end, diagnostic.code, diagnostic.message)


def _in_force(
    ignores: Sequence[FileIgnore], today: date | None
) -> tuple[list[FileIgnore], list[tuple[int, FileIgnore]]]:
    """The settings' suppressions that hold, and those that have expired with their indexes."""
    if all(ignore.until is None for ignore in ignores):
        return list(ignores), []
    from toolsurface_lint.source.dates import is_past

    past = [ignore.until is not None and is_past(ignore.until, today) for ignore in ignores]
    held = [ignore for ignore, gone in zip(ignores, past, strict=True) if not gone]
    return held, [(index, ignore) for index, ignore in enumerate(ignores) if past[index]]


def json_pointer(path: Path) -> str:
    """The JSON pointer of a path (RFC 6901)."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def _below(path: Path, pointer: str) -> bool:
    """Whether a path lies at or below a JSON pointer (RFC 6901)."""
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    return [str(step) for step in path[: len(steps)]] == steps
