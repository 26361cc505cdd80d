"""From findings to a report: places become locations; severities, ignores, suppressions; one of each, in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from toolsurface_lint.checks import Checks
from toolsurface_lint.checks.contract import DIRECTIVE
from toolsurface_lint.checks.index import RULES
from toolsurface_lint.model.diagnostics import (
    ERROR,
    INLINE,
    INTERNAL_ERROR,
    SETTINGS,
    AppliedFix,
    Diagnostic,
    Finding,
    Fix,
    Location,
    Related,
    Report,
    Rule,
    Skipped,
    Suppressed,
    SurfaceSummary,
    TextEdit,
    TranscriptSummary,
)
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.unseen import Unseen, by_place
from toolsurface_lint.project.discovery.globs import matches
from toolsurface_lint.project.project import Project, Reading
from toolsurface_lint.project.settings import FileIgnore
from toolsurface_lint.project.settings.selection import names_code
from toolsurface_lint.source.crashes import crash
from toolsurface_lint.source.dates import is_past
from toolsurface_lint.source.files import unread_source
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import SourceText, Span
from toolsurface_lint.source.tree import Node, Place, TextTree, plain

if TYPE_CHECKING:
    from datetime import date

    from toolsurface_lint.model.policy import ApprovalPolicy, CapabilityPolicy
    from toolsurface_lint.model.prompt import Prompt
    from toolsurface_lint.model.tool import Tool
    from toolsurface_lint.run.suppression import Suppressions


SurfaceDiagnostic = tuple[Diagnostic, Surface | None]
"""A diagnostic, and the surface in which it was found, if that is known."""


class FollowedTranscripts(NamedTuple):
    """What came of a project's transcripts; `sources` are the texts of the files that were not read whole.

    `members` says of the paths of archives' members which archive they are in.
    """

    found: list[SurfaceDiagnostic]
    summaries: tuple[TranscriptSummary, ...]
    sources: dict[str, SourceText]
    members: dict[str, str]
    asked: Mapping[str, int]
    """How many things of each subject were looked at."""


class Resolver:
    """Turns findings into diagnostics and places into locations, and remembers the sources that it met.

    `severity` is how severe the findings of a rule are.
    """

    def __init__(self, severity: Callable[[Rule], str | None] = lambda rule: rule.severity) -> None:
        self._severity = severity
        self.sources: dict[str, Any] = {}

    def diagnostic(self, finding: Finding) -> Diagnostic:
        """The diagnostic of a finding; related places in plain data, which have no location, are left out.

        Where its place cannot be computed, that is what is reported.
        """
        try:
            return self._diagnostic(finding)
        except Exception as error:
            from toolsurface_lint.checks.input.problems import CRASHED

            source = finding.place.source
            place = plain(None).place if source is None else Place(TextTree(source), (), "text")
            problem = crash("place", place, error, codes=f"`{finding.rule.code}`")
            return self._diagnostic(CRASHED.of(problem))

    def _diagnostic(self, finding: Finding) -> Diagnostic:
        related = tuple(
            Related(message, location)
            for message, place in finding.related
            if (location := self.location(place)) is not None
        )
        return Diagnostic(
            finding.rule.code,
            self._severity(finding.rule) or finding.rule.severity,
            finding.message,
            self.location(finding.place),
            related,
            finding.tool,
            finding.field,
            help=finding.help,
            fix=None if finding.fix is None else self._fix(finding.fix),
            pointer=None if finding.place.source is None else finding.place.pointer or None,
            parameters=finding.parameters,
            url=finding.rule.url,
        )

    def location(self, place: Place) -> Location | None:
        span = place.span()
        source = place.source
        return None if span is None or source is None else self._located(source, span)

    def _located(self, source: SourceText, span: Span) -> Location:
        self.sources[source.path] = source
        in_file = Span(span.start + source.offset, span.end + source.offset)
        return Location(source.path, source.lines.range(span), in_file)

    def _fix(self, fix: Fix) -> AppliedFix | None:
        edits = []
        for edit in fix.edits:
            rewritten = edit.place.rewritten(edit.text)
            source = edit.place.source
            if rewritten is None or source is None:
                return None
            edits.append(TextEdit(self._located(source, rewritten[0]), rewritten[1]))
        return AppliedFix(fix.title, fix.safe, tuple(edits))


def agreed(found: list[SurfaceDiagnostic], surfaces: Sequence[Surface]) -> list[SurfaceDiagnostic]:
    """What was found in surfaces, without the fixes that not all surfaces of a file ask for: they would break another."""
    if len(surfaces) < 2 or all(diagnostic.fix is None for diagnostic, _ in found):
        return found
    holders: dict[str, set[int]] = {}
    for surface in surfaces:
        for file in surface.files:
            holders.setdefault(file, set()).add(id(surface))
    asked: dict[AppliedFix, set[int]] = {}
    for diagnostic, origin in found:
        if diagnostic.fix is not None:
            asked.setdefault(diagnostic.fix, set()).add(id(origin))
    agreed: list[SurfaceDiagnostic] = []
    for diagnostic, origin in found:
        fix = diagnostic.fix
        # What an agent is told is in no other surface.
        alone = origin is not None and bool(origin.agents)
        if (
            fix is not None
            and not alone
            and any(holders.get(edit.location.path, set()) - asked[fix] for edit in fix.edits)
        ):
            diagnostic = diagnostic._replace(fix=None)
        agreed.append((diagnostic, origin))
    return agreed


class Reporting:
    """Turns findings into diagnostics: severities, ignores, one of each, only what concerns the given files."""

    def __init__(
        self, project: Project, checks: Checks, resolver: Resolver, today: date | None, others: Iterable[str] = ()
    ) -> None:
        """`others` are the displayed paths of files that are reported on, besides those of the project."""
        self._project = project
        self._ignores, self._expired = _in_force(project.settings.per_file_ignores, today)
        self._checks = checks
        self._seen: set[tuple[Any, ...]] = set()
        self._kept: list[Diagnostic] = []
        self._suppressed: list[Suppressed] = []
        self._surface_of: dict[int, Surface] = {}
        self._resolver = resolver
        self._followed = FollowedTranscripts([], (), {}, {}, {})
        self._given = None
        if project.given is not None:
            self._given = {
                *others,
                *(document.path for document in project.documents if project.absolute(document) in project.given),
            }
        self._recorded = {document.path for document in project.documents if document.transcripts or document.recorded}

    def add(self, finding: Finding, surface: Surface | None = None, *, hidden: bool = False) -> None:
        """Take in one finding; a hidden one is only counted among the suppressed."""
        self._take(self._resolver.diagnostic(finding), surface, hidden)

    def _take(self, diagnostic: Diagnostic, surface: Surface | None, hidden: bool = False) -> None:
        location = diagnostic.location
        # A workflow's own scope and a node's show one defect twice, and so do two surfaces that share a document.
        key = (diagnostic.code, location, diagnostic.message)
        if location is not None and key in self._seen:
            return
        self._seen.add(key)
        crashed = diagnostic.code == INTERNAL_ERROR
        if (
            self._given is not None
            and not crashed
            and not any(
                place.path in self._given
                for place in (location, *(related.location for related in diagnostic.related))
                if place is not None
            )
        ):
            return
        # A recording is evidence of what happened: nothing in it is changed.
        if diagnostic.fix is not None and any(edit.location.path in self._recorded for edit in diagnostic.fix.edits):
            diagnostic = diagnostic._replace(fix=None)
        if surface is not None:
            diagnostic = diagnostic._replace(surface=surface.name, scope=surface.scope)
        if hidden and not crashed:
            self._suppressed.append(Suppressed(diagnostic, INLINE))
        elif self._keep(diagnostic) and surface is not None:
            self._surface_of[id(diagnostic)] = surface

    def _keep(self, diagnostic: Diagnostic) -> bool:
        """Keep a diagnostic, among the suppressed if the settings hide it; whether it will be reported."""
        ignore = self._ignored(diagnostic)
        if ignore is None:
            self._kept.append(diagnostic)
        else:
            self._suppressed.append(Suppressed(diagnostic, SETTINGS, ignore.reason or None))
        return ignore is None

    def transcripts(self, followed: FollowedTranscripts) -> None:
        """Take in what came of the transcripts."""
        self._followed = followed
        self._recorded.update(summary.path for summary in followed.summaries)
        if self._given is not None:
            self._given.update([member for member, archive in followed.members.items() if archive in self._given])
        self.add_located(followed.found, followed.sources)

    def add_located(self, found: Iterable[SurfaceDiagnostic], others: Mapping[str, SourceText] | None = None) -> None:
        """Take in diagnostics that another process may have located; `others` are sources that are not documents."""
        sources = {document.path: document.source for document in self._project.documents} | dict(others or {})
        for diagnostic, surface in found:
            for location in (diagnostic.location, *(related.location for related in diagnostic.related)):
                if location is None or location.path in self._resolver.sources:
                    continue
                source = sources.get(location.path) or self._read_beside(location.path)
                if source is not None:
                    self._resolver.sources[location.path] = source
            self._take(diagnostic, surface)

    def _read_beside(self, path: str) -> SourceText | None:
        """The text of a file that was read only for a document beside it, as the configuration of a tokenizer is."""
        reading = self._readings.get(path)
        return None if reading is None else unread_source(reading.path, path, reading.max_size)

    @cached_property
    def _readings(self) -> dict[str, Reading]:
        """What was read from the disk, by displayed path."""
        on_disk = self._project.on_disk
        return {each.display: each for each in self._project.readings.values() if on_disk and each.data is None}

    def _ignored(self, diagnostic: Diagnostic) -> FileIgnore | None:
        """What the settings say that hides a diagnostic."""
        if diagnostic.location is None or diagnostic.code == INTERNAL_ERROR:
            return None
        for ignore in self._ignores:
            if (
                matches(ignore.path, self._project.relative(diagnostic.location.path))
                and any(names_code(code, diagnostic.code) for code in ignore.codes)
                and (ignore.pointer is None or f"{diagnostic.pointer or ''}/".startswith(f"{ignore.pointer}/"))
            ):
                return ignore
        return None

    def report_expired_ignores(self) -> None:
        """Take in what is to be said of the settings' own suppressions: of those that concern any file reported on."""
        table = self._project.settings.table
        if not self._expired or table is None:
            return
        project = self._project
        reported = [document for document in project.documents if project.reports(project.absolute(document))]
        relatives = [project.relative(document.path) for document in reported]
        for index, ignore in self._expired:
            node = table.find("per-file-ignores", index, "until")
            if node is None or not any(matches(ignore.path, relative) for relative in relatives):
                continue
            problem = Problem("expired/settings", node.place, {"path": ignore.path, "day": ignore.until})
            for finding in self._checks.run(DIRECTIVE, node.place, problem):
                self._keep(self._resolver.diagnostic(finding))

    def suppress(self, suppressions: Suppressions | None) -> None:
        """Take out what directives hide, and take in what is to be said of the directives themselves."""
        if suppressions is None:
            return
        self._kept, suppressed = suppressions.filter(self._kept)
        # A directive is of use too for what the settings happen to hide.
        suppressions.filter([hidden.diagnostic for hidden in self._suppressed if hidden.by == SETTINGS])
        self._suppressed.extend(suppressed)
        for problem in suppressions.problems(self._checks.codes, self._checks.enabled):
            for finding in self._checks.run(DIRECTIVE, problem.at, problem):
                self.add(finding)

    def report(self) -> Report:
        project = self._project
        prompts, policies = self._without_tools()
        invalid = {id(self._surface_of[id(d)]) for d in self._kept if d.severity == ERROR and id(d) in self._surface_of}
        # A workflow counts as a whole.
        reported = [*project.surfaces, *(workflow.scopes[0] for workflow in project.workflows)]
        open_surfaces = [surface for surface in reported if surface.open and surface.tools]
        surfaces = in_order(
            SurfaceSummary(
                surface.name,
                id(surface) not in invalid,
                surface.open,
                tuple(dict.fromkeys(tool.name for tool in surface.tools)),
                tuple(surface.files),
            )
            for surface in reported
        )
        return Report(
            tuple(sorted(self._kept, key=position_of)),
            surfaces=surfaces,
            skipped=tuple(sorted((*project.skipped, *project.settings.not_loaded, *_not_followed(project.documents)))),
            counts={
                **self._counts(len(surfaces)),
                "open_surfaces": len(open_surfaces),
                "prompts_without_tools": _different(prompts),
                "policies_without_tools": _different(policies),
            },
            suppressed=tuple(sorted(self._suppressed, key=lambda hidden: position_of(hidden.diagnostic))),
            transcripts=self._followed.summaries,
            rules=self._checks.rules,
            codes=frozenset(self._checks.enabled),
            own_codes=self._checks.codes - RULES.keys(),
            sources=self._resolver.sources,
            fail_on=project.settings.fail_on,
            empty_folders=project.empty_folders,
            open_reasons=by_place(unseen for surface in open_surfaces for unseen in _kinds(surface)),
            without_tools=tuple(sorted({one.tree.origin for one in (*prompts, *policies)})),
            unread_tools=by_place(project.unread.values()),
            not_locked=by_place(
                unseen
                for compared in project.locks
                for unseen in compared.not_compared()
                if project.reports(project.full_path(unseen.path or ""))
            ),
            broken=frozenset(_broken(project.documents)),
            protocols=self._protocols(),
            asked=dict(sorted((Counter(self._checks.asked) + Counter(self._followed.asked)).items())),
        )

    def _counts(self, surfaces: int) -> dict[str, int]:
        scopes = self._project.scopes
        summaries = self._followed.summaries
        policies: list[Node] = []
        for surface in scopes:
            policies += [policy.node for policy in surface.policies]
            policies += [approval.node for approval in surface.approvals]
            policies += [permissions.node for permissions in surface.permissions]
        # What several surfaces have counts once.
        responses = {id(response.tree): response.calls for surface in scopes for response in surface.responses}
        return {
            "files": len(self._project.documents),
            "surfaces": surfaces,
            "tools": _different(tool for surface in scopes for tool in surface.tools),
            "prompts": _different(prompt for surface in scopes for prompt in surface.prompts),
            "policies": _different(policies),
            "templates": len({id(template.tree) for surface in scopes for template in surface.templates}),
            "chat_templates": sum(len(document.chat_templates) for document in self._project.documents),
            "server_commands": sum(len(document.launches) for document in self._project.documents),
            "transcripts": sum(summary.conversations for summary in summaries),
            "turns": len(responses) + sum(summary.turns for summary in summaries),
            "calls": sum(responses.values()) + sum(summary.calls for summary in summaries),
            "suppressed": len(self._suppressed),
        }

    def _protocols(self) -> dict[str, int]:
        """How many responses, and messages of transcripts, were read by each protocol."""
        used = Counter({id(one.tree): one.used for scope in self._project.scopes for one in scope.responses}.values())
        for summary in self._followed.summaries:
            used.update(summary.protocols)
        return {protocol: number for protocol, number in sorted(used.items()) if protocol}

    def _without_tools(self) -> tuple[list[Prompt | Node], list[Prompt | Node]]:
        """The prompts and the policies, in the files reported on, that no surface checks against any tools."""
        prompts: list[tuple[Prompt | Node, bool]] = []
        policies: list[tuple[Prompt | Node, bool]] = []
        held: Iterable[CapabilityPolicy | ApprovalPolicy]
        for surface in self._project.scopes:
            prompts += [(prompt, surface.has_tools_for(prompt)) for prompt in surface.prompts]
            held = (*surface.policies, *surface.approvals)
            policies += [(policy.node, bool(surface.tools)) for policy in held]
        return self._never(prompts), self._never(policies)

    def _never(self, asked: Sequence[tuple[Prompt | Node, bool]]) -> list[Prompt | Node]:
        """Those for which the answer is never yes."""
        met = {(id(one.tree), one.path) for one, answer in asked if answer}
        return [
            one
            for one, _ in asked
            if (id(one.tree), one.path) not in met and (self._given is None or one.tree.origin in self._given)
        ]


def _different(things: Iterable[Tool | Prompt | Node]) -> int:
    return len({(id(thing.tree), thing.path) for thing in things})


def _broken(documents: Iterable[Document]) -> Iterator[tuple[str, str]]:
    """What is wrong with files as files: the path of each, and what tells one problem from others."""
    for document in documents:
        for problem in document.problems:
            yield document.path, f"{problem.kind} {problem.values}"
        for template in document.templates:
            if template.error is not None:
                yield document.path, template.error.problem.kind


def _not_followed(documents: Iterable[Document]) -> Iterator[Skipped]:
    """The includes of templates that are not looked into although something may be there."""
    for document in documents:
        for template in document.templates:
            for reason, span in template.not_followed:
                at = document.source.lines.position(span.start)
                yield Skipped(document.path, reason, at.line, at.column)


def _kinds(surface: Surface) -> Iterable[Unseen]:
    """Why a surface is open, each kind of reason once."""
    return {unseen.kind: unseen for unseen in reversed(surface.open_reasons)}.values()


def _in_force(
    ignores: Sequence[FileIgnore], today: date | None
) -> tuple[list[FileIgnore], list[tuple[int, FileIgnore]]]:
    """The settings' suppressions that hold, and those that have expired with their indexes."""
    expired = {
        index for index, ignore in enumerate(ignores) if ignore.until is not None and is_past(ignore.until, today)
    }
    held = [ignore for index, ignore in enumerate(ignores) if index not in expired]
    return held, [(index, ignores[index]) for index in sorted(expired)]


def in_order(surfaces: Iterable[SurfaceSummary]) -> tuple[SurfaceSummary, ...]:
    """The surfaces of a report in the order of their first files."""
    return tuple(sorted(surfaces, key=lambda surface: surface.files[:1]))


def position_of(diagnostic: Diagnostic) -> tuple[Any, ...]:
    """What the diagnostics of a report are ordered by."""
    location = diagnostic.location
    if location is None:
        return ("", 0, 0, diagnostic.code, diagnostic.message)
    return (location.path, location.span.start, location.span.end, diagnostic.code, diagnostic.message)
