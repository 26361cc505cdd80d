"""Compares two versions of a project: pairs their tools, asks the rules what changed, and says whom it breaks."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from toolsurface_lint.checks import Checks
from toolsurface_lint.checks.change._changes import ToolChange
from toolsurface_lint.checks.change._dependents import Dependents
from toolsurface_lint.checks.contract import CHANGED_INSTRUCTIONS, CHANGED_TOOL, DOCUMENT
from toolsurface_lint.model.diagnostics import Compared, Diagnostic, Finding, Location, Related, Report
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.unseen import Unseen, by_place, unseen_at
from toolsurface_lint.project.project import Project
from toolsurface_lint.project.settings.selection import Selection
from toolsurface_lint.project.versions import Version
from toolsurface_lint.run.comparing.instructions import changed_instructions
from toolsurface_lint.run.comparing.pairing import pair_tools
from toolsurface_lint.run.reporting import FollowedTranscripts, Reporting, Resolver, SurfaceDiagnostic
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Place, plain

if TYPE_CHECKING:
    from datetime import date

    from toolsurface_lint.run.suppression import Suppressions

_BREAKS = "CHANGE_BREAKS_RECORDED_CALL"
_HOLDS_NONE = ("not recognised", "empty", "part of tests", "another name of a file that is found")
"""The reasons for which a file is skipped that say that it has no tools of its own."""
_MOST_CALLS = 5
"""How many recorded calls a change is shown with; every one has a finding of its own."""


def compare_versions(
    old: Version,
    new: Version,
    selection: Selection,
    *,
    today: date | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """What changed from one version to the other, each change with what breaks by it in the new one."""
    return _Comparing(old, new, selection, today).report(progress)


class _Comparing:
    def __init__(self, old: Version, new: Version, selection: Selection, today: date | None) -> None:
        self._old, self._new = old, new
        self._selection, self._today = selection, today
        self._checks = Checks(selection.enabled, selection.others)
        self._undecided: list[Unseen] = []
        self._pairing = pair_tools(old, new)
        self._surfaces = new.project.scopes
        self._was_in, self._is_in = _homes(old.project.scopes), _homes(self._surfaces)
        self._now = {id(before): after for before, after in self._pairing.pairs}
        self._heirs_of: dict[int, list[Surface]] = {}
        self._missed_in: dict[int, Surface] = {}
        self._removed = self._surely_removed()
        self._set_earlier()
        servers = next((surface.servers for surface in old.project.surfaces), None)
        self._dependents = Dependents(self._surfaces, servers)

    def report(self, progress: Callable[[int, int], None] | None) -> Report:
        project = self._new.project
        resolver = Resolver(self._selection.severity)
        others = [document.path for document in self._old.project.documents] if self._old.on_disk else []
        reporting = Reporting(project, self._checks, resolver, self._today, others)
        transcripts = self._transcripts(progress)
        broken = _broken_calls(transcripts.found if transcripts is not None else ())
        located: list[SurfaceDiagnostic] = []
        for version in (self._old, self._new):
            self._undecided.extend(_broken(version.project))
            for finding in self._crashes(version.project):
                reporting.add(finding)
        for surface, finding in self._findings():
            diagnostic = resolver.diagnostic(finding)
            located.append((diagnostic._replace(related=(*diagnostic.related, *_calls(diagnostic, broken))), surface))
        reporting.add_located(located)
        if transcripts is not None:
            reporting.transcripts(transcripts)
        reporting.suppress(_suppressions(project.documents, self._today))
        report = reporting.report()
        undecided = by_place(dict.fromkeys(self._undecided))
        tools = len(self._pairing.pairs)
        old, new = tools + len(self._pairing.removed), tools + len(self._pairing.added)
        report.compared = Compared(self._old.title, self._new.title, old, new, undecided)
        return report

    def _transcripts(self, progress: Callable[[int, int], None] | None) -> FollowedTranscripts | None:
        if _BREAKS not in self._checks.enabled or not any(surface.transcripts for surface in self._surfaces):
            return None
        from toolsurface_lint.run.transcripts import check_transcripts

        return check_transcripts(self._new.project, self._selection, progress)

    def _crashes(self, project: Project) -> Iterator[Finding]:
        """What the linter itself crashed at: what of it was not read is not compared."""
        if project.crash is not None:
            yield self._checks.report_crash(project.crash)
        for document in project.documents:
            yield from self._checks.run(DOCUMENT, document.place(Span(0, 0)), document)

    def _findings(self) -> Iterator[tuple[Surface | None, Finding]]:
        for tool in self._removed:
            yield from self._changed(tool, None)
        for old, new in self._pairing.pairs:
            yield from self._changed(old, new)
        for tool in self._pairing.added:
            yield from self._changed(None, tool)
        for change in changed_instructions(self._old, self._new):
            for finding in self._checks.run(CHANGED_INSTRUCTIONS, change.new.node.place, change):
                yield None, finding

    def _changed(self, old: Tool | None, new: Tool | None) -> Iterator[tuple[Surface | None, Finding]]:
        earlier = None if old is None else next(iter(self._was_in.get(id(old), ())), None)
        file = None
        if new is not None:
            surface, place = next(iter(self._is_in.get(id(new), ())), None), new.name_place
        else:
            assert old is not None
            surface = self._missed_in.get(id(old))
            place, file = self._place_of(old)
        change = ToolChange(old, new, place, self._dependents, earlier, surface, shows_old=self._old.on_disk, file=file)
        for finding in self._checks.run(CHANGED_TOOL, place, change):
            yield surface, finding
        self._note(change)

    def _note(self, change: ToolChange) -> None:
        """Take note of what was not compared."""
        new = change.new
        if new is None or change.old is None:
            return
        if change.unread_texts:
            self._undecided.append(unseen_at(new.name_place, f"the description of `{new.name}` is made by a run"))
        for undecided in change.inputs.undecided:
            what = f"`{undecided.keyword}`" if undecided.keyword else "a type that is not known"
            self._undecided.append(unseen_at(change.input_place(undecided.at), f"{what} in the schema of `{new.name}`"))
        for undecided in change.outputs.undecided:
            what = f"`{undecided.keyword}`" if undecided.keyword else "a type that is not known"
            self._undecided.append(unseen_at(new.name_place, f"{what} in the result schema of `{new.name}`"))

    def _surely_removed(self) -> list[Tool]:
        """The tools that the new version does not have, unless it may have them for a reason that the old one did not have."""
        removed = []
        for tool in self._pairing.removed:
            homes = self._was_in.get(id(tool), [])
            # What joins several folders is open for the reasons of all.
            homes = [surface for surface in homes if not surface.scattered] or homes
            before = {unseen.kind for surface in homes for unseen in surface.open_reasons}
            reasons = (unseen for surface in self._heirs(homes) if surface.tools for unseen in surface.open_reasons)
            file = self._old.relative(tool.tree.origin)
            reason = self._unread.get(file) or self._unread.get(posixpath.dirname(file) + "/")
            reason = reason or next((unseen for unseen in reasons if unseen.kind not in before), None)
            if reason is None:
                removed.append(tool)
            else:
                why = f"whether `{tool.name}` was removed: {reason.reason}"
                self._undecided.append(Unseen(why, reason.path, reason.line))
        return removed

    @cached_property
    def _unread(self) -> dict[str, Unseen]:
        """The files of the new version that may hold tools which nobody knows, by their paths in both versions.

        Of files that could not be read, the folders as well, with a slash: they may have been moved in it.
        """
        project, relative = self._new.project, self._new.relative
        found = {
            relative(skipped.path): Unseen(skipped.reason, skipped.path, skipped.line)
            for skipped in project.skipped
            if skipped.reason not in _HOLDS_NONE
        }
        found.update((relative(unseen.path), unseen) for unseen in project.unread.values() if unseen.path is not None)
        for unseen in _broken(project):
            file = relative(unseen.path or "")
            found[file] = found[f"{posixpath.dirname(file)}/"] = unseen
        return found

    def _heirs(self, homes: Iterable[Surface]) -> list[Surface]:
        """The surfaces of the new version that are what these of the old one were: they have others of the tools, or the name.

        If both versions have one surface only, it is that one.
        """
        found: dict[int, Surface] = {}
        for surface in homes:
            if id(surface) not in self._heirs_of:
                self._heirs_of[id(surface)] = self._find_heirs(surface)
            found.update((id(each), each) for each in self._heirs_of[id(surface)])
        alone = len(self._surfaces) == 1 == len(self._old.project.scopes)
        return list(found.values()) or (list(self._surfaces) if alone else [])

    def _find_heirs(self, surface: Surface) -> list[Surface]:
        kept = (self._now[id(tool)] for tool in surface.tools if id(tool) in self._now)
        found = {id(each): each for tool in kept for each in self._is_in.get(id(tool), ())}
        name = self._old.relative(surface.name)
        if not surface.scattered:
            return list(found.values()) or [each for each in self._surfaces if self._new.relative(each.name) == name]
        # Its prompts lie above the folders of its tools, and have not moved with any of them.
        files = {self._old.relative(prompt.origin) for prompt in surface.prompts}
        return [
            each
            for each in self._surfaces
            if self._new.relative(each.name) == name
            or any(self._new.relative(prompt.origin) in files for prompt in each.prompts)
        ]

    def _place_of(self, tool: Tool) -> tuple[Place, str | None]:
        """Where to report that a tool was removed, and the file that held it if that is gone, too.

        It is where the tool was, if that is a file; else in the file that held it; else where it is missed first; else in the
        closest file there is.
        """
        if self._old.on_disk:
            return tool.name_place, None
        held = next((found for each in (tool.tree.origin, tool.origin) if (found := self._files.get(each))), None)
        if held is not None:
            return held.place(Span(0, 0)), None
        missed = next((place for _, place in self._dependents.naming(tool)), None)
        if missed is not None:
            return missed, tool.tree.origin
        files = self._files.values()
        closest = max(
            files, key=lambda each: (_shared_steps(each.path, tool.tree.origin), bool(each.tool_lists)), default=None
        )
        return (plain(None).place if closest is None else closest.place(Span(0, 0))), tool.tree.origin

    @cached_property
    def _files(self) -> dict[str, Document]:
        return {document.path: document for document in self._new.project.documents}

    def _set_earlier(self) -> None:
        """Give each surface of the new version the tools that it had in the old one."""
        was = {id(new): old for old, new in self._pairing.pairs}
        gone: dict[int, list[Tool]] = {}
        for tool in self._removed:
            for surface in self._heirs(self._was_in.get(id(tool), ())):
                gone.setdefault(id(surface), []).append(tool)
                self._missed_in.setdefault(id(tool), surface)
        for surface in self._surfaces:
            earlier = copy(surface)
            earlier.forget()
            earlier.tools = [was[id(tool)] for tool in surface.tools if id(tool) in was] + gone.get(id(surface), [])
            earlier.renamed = {
                tool.name: now.name
                for tool in earlier.tools
                if (now := self._now.get(id(tool))) is not None and now.name != tool.name
            }
            surface.earlier = earlier


def _broken(project: Project) -> Iterator[Unseen]:
    """The files that could not be read to their end."""
    for document in project.documents:
        problem = next((each for each in document.problems if each.code in ("syntax", "unreadable", "crash")), None)
        if problem is not None:
            line = document.source.lines.line_at(problem.at.start)
            yield Unseen("what could not be read of a file", document.path, line)


def _homes(surfaces: Iterable[Surface]) -> dict[int, list[Surface]]:
    """The surfaces of each tool, by the identity of the tool."""
    found: dict[int, list[Surface]] = {}
    for surface in surfaces:
        for tool in surface.tools:
            found.setdefault(id(tool), []).append(surface)
    return found


def _shared_steps(one: str, other: str) -> int:
    """How many folders two displayed paths begin with alike."""
    return next((at for at, (a, b) in enumerate(zip(one.split("/"), other.split("/"), strict=False)) if a != b), 0)


def _broken_calls(found: Iterable[SurfaceDiagnostic]) -> dict[tuple[str, str], list[Location]]:
    """The recorded calls that break, a few for each tool (under an empty name) and for each of its parameters."""
    broken: dict[tuple[str, str], list[Location]] = {}
    for diagnostic, _ in found:
        if diagnostic.code == _BREAKS and diagnostic.tool is not None and diagnostic.location is not None:
            for name in {"", _first(diagnostic.field or "")}:
                calls = broken.setdefault((diagnostic.tool, name), [])
                if len(calls) < _MOST_CALLS and diagnostic.location not in calls:
                    calls.append(diagnostic.location)
    return broken


def _calls(diagnostic: Diagnostic, broken: Mapping[tuple[str, str], Sequence[Location]]) -> Iterator[Related]:
    """The recorded calls that a change breaks: those of a tool that is gone, or whose problem is with the same parameter."""
    if diagnostic.code in _OF_TOOLS:
        names = [""]
    elif diagnostic.code in _OF_PARAMETERS:
        # A parameter that was renamed is missed by one name, or passed by the other.
        old = (each.removeprefix("old=") for each in diagnostic.parameters if diagnostic.code == _OF_PARAMETERS[0])
        names = [_first(name) for name in (diagnostic.field, *old) if name]
    else:
        return
    calls = (call for name in names for call in broken.get((diagnostic.tool or "", name), ()))
    for location in islice(dict.fromkeys(calls), _MOST_CALLS):
        yield Related("this recorded call breaks", location)


_OF_TOOLS = ("CHANGE_TOOL_REMOVED", "CHANGE_TOOL_RENAMED")
_OF_PARAMETERS = (
    "CHANGE_PARAMETER_RENAMED",
    "CHANGE_PARAMETER_REMOVED",
    "CHANGE_PARAMETER_REQUIRED",
    "CHANGE_TYPE_NARROWED",
    "CHANGE_ENUM_NARROWED",
    "CHANGE_CONSTRAINT_NARROWED",
    "CHANGE_FORMAT",
)


def _first(field: str) -> str:
    """The parameter that a path in the arguments begins with."""
    return field.partition(".")[0].partition("[")[0]


def _suppressions(documents: Iterable[Document], today: date | None) -> Suppressions | None:
    from toolsurface_lint.readers.suppressed_texts import suppressed_texts
    from toolsurface_lint.run.suppression import Suppressions

    suppressions = None
    for document in documents:
        if document.may_have_directives:
            suppressions = suppressions or Suppressions(today)
            for text in suppressed_texts(document):
                suppressions.add(text)
    return suppressions
