"""Compares two versions of a project: pairs their tools, asks the rules what changed, and says whom it breaks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from itertools import islice
from typing import TYPE_CHECKING

from toolsurface_lint.checks import Checks
from toolsurface_lint.checks.change._changes import InstructionsChange, ToolChange
from toolsurface_lint.checks.change._dependents import Dependents
from toolsurface_lint.checks.contract import CHANGED_INSTRUCTIONS, CHANGED_TOOL
from toolsurface_lint.model.diagnostics import Compared, Diagnostic, Finding, Related, Report
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.prompt import Prompt
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.unseen import Unseen, by_place, unseen_at
from toolsurface_lint.project.settings.selection import Selection
from toolsurface_lint.project.versions import Version
from toolsurface_lint.run.comparing.pairing import Pairing, pair_tools
from toolsurface_lint.run.reporting import FollowedTranscripts, Reporting, Resolver, SurfaceDiagnostic
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Place, plain

if TYPE_CHECKING:
    from datetime import date

    from toolsurface_lint.run.suppression import Suppressions

_BREAKS = "CHANGE_BREAKS_RECORDED_CALL"
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
        self._checks = Checks(selection.enabled)
        self._undecided: list[Unseen] = []
        self._pairing = pair_tools(old, new)
        self._surfaces = new.project.scopes
        self._earlier = _homes(old.project.scopes)
        self._present = _homes(self._surfaces)
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
        broken = _by_tool(transcripts.found if transcripts is not None else ())
        located: list[SurfaceDiagnostic] = []
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

    def _findings(self) -> Iterator[tuple[Surface | None, Finding]]:
        for tool in self._removed:
            yield from self._changed(tool, None)
        for old, new in self._pairing.pairs:
            yield from self._changed(old, new)
        for tool in self._pairing.added:
            yield from self._changed(None, tool)
        for change in _instructions(self._old, self._new):
            for finding in self._checks.run(CHANGED_INSTRUCTIONS, change.new.node.place, change):
                yield None, finding

    def _changed(self, old: Tool | None, new: Tool | None) -> Iterator[tuple[Surface | None, Finding]]:
        surface = None if new is None else self._present.get(id(new))
        earlier = None if old is None else self._earlier.get(id(old))
        if surface is None and old is not None:
            surface = next((each for each in self._surfaces if _has(each.earlier, old)), None)
        place = self._place_of(old) if new is None and old is not None else new.name_place if new is not None else None
        assert place is not None
        change = ToolChange(old, new, place, self._dependents, earlier, surface, shows_old=self._old.on_disk)
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
        opened = {unseen.kind for surface in self._surfaces for unseen in surface.open_reasons}
        opened -= {unseen.kind for surface in self._old.project.scopes for unseen in surface.open_reasons}
        reasons = [
            unseen
            for surface in self._surfaces
            if surface.tools
            for unseen in surface.open_reasons
            if unseen.kind in opened
        ]
        if not reasons:
            return self._pairing.removed
        for tool in self._pairing.removed:
            reason = reasons[0]
            why = f"whether `{tool.name}` was removed: {reason.reason}"
            self._undecided.append(Unseen(why, reason.path, reason.line))
        return []

    def _place_of(self, tool: Tool) -> Place:
        """Where to report that a tool was removed: where it was, if that is a file, else what held it, else who misses it."""
        if self._old.on_disk:
            return tool.name_place
        documents = {document.path: document for document in self._new.project.documents}
        held = documents.get(tool.tree.origin) or documents.get(tool.origin)
        if held is not None:
            return held.place(Span(0, 0))
        missed = next((place for _, place in self._dependents.naming(tool)), None)
        if missed is not None:
            return missed
        first = next(iter(documents.values()), None)
        return plain(None).place if first is None else first.place(Span(0, 0))

    def _set_earlier(self) -> None:
        """Give each surface of the new version the tools that it had in the old one."""
        was = {id(new): old for old, new in self._pairing.pairs}
        renamed = {id(old): new.name for old, new in self._pairing.pairs if old.name != new.name}
        names = {surface.name: surface for surface in self._surfaces}
        homes: dict[int, list[Tool]] = {}
        for tool in self._removed:
            for surface in _heirs(tool, self._old, self._new, self._pairing, names, self._surfaces):
                homes.setdefault(id(surface), []).append(tool)
        for surface in self._surfaces:
            earlier = copy(surface)
            earlier.forget()
            earlier.tools = [was[id(tool)] for tool in surface.tools if id(tool) in was]
            earlier.tools += homes.get(id(surface), [])
            earlier.renamed = {tool.name: renamed[id(tool)] for tool in earlier.tools if id(tool) in renamed}
            surface.earlier = earlier


def _homes(surfaces: Iterable[Surface]) -> dict[int, Surface]:
    """The first surface of each tool, by the identity of the tool."""
    found: dict[int, Surface] = {}
    for surface in surfaces:
        for tool in surface.tools:
            found.setdefault(id(tool), surface)
    return found


def _has(surface: Surface | None, tool: Tool) -> bool:
    return surface is not None and any(each is tool for each in surface.tools)


def _heirs(
    tool: Tool,
    old: Version,
    new: Version,
    pairing: Pairing,
    names: Mapping[str, Surface],
    surfaces: Sequence[Surface],
) -> list[Surface]:
    """The surfaces of the new version that had a tool which is gone: those that have others of its surface, or its name.

    If there is only one surface, it is that one.
    """
    was_in = [surface for surface in old.project.scopes if _has(surface, tool)]
    others = {id(one) for surface in was_in for one in surface.tools}
    kept = {id(after) for before, after in pairing.pairs if id(before) in others}
    found = [surface for surface in surfaces if any(id(each) in kept for each in surface.tools)]
    if not found:
        wanted = {old.relative(surface.name) for surface in was_in}
        found = [surface for name, surface in names.items() if new.relative(name) in wanted]
    return found or (list(surfaces) if len(surfaces) == 1 else [])


def _by_tool(found: Iterable[SurfaceDiagnostic]) -> dict[str, list[Diagnostic]]:
    broken: dict[str, list[Diagnostic]] = {}
    for diagnostic, _ in found:
        if diagnostic.code == _BREAKS and diagnostic.tool is not None:
            broken.setdefault(diagnostic.tool, []).append(diagnostic)
    return broken


def _calls(diagnostic: Diagnostic, broken: Mapping[str, Sequence[Diagnostic]]) -> Iterator[Related]:
    """The recorded calls that a change breaks: those of a tool that is gone, or whose problem is with the same parameter."""
    of_tool = diagnostic.code in _OF_TOOLS
    if not of_tool and diagnostic.code not in _OF_PARAMETERS:
        return
    # A parameter that was renamed is missed by one name, or passed by the other.
    old = (each.removeprefix("old=") for each in diagnostic.parameters if diagnostic.code in _OF_PARAMETERS[:1])
    names = {_first(name) for name in (diagnostic.field, *old) if name}
    calls = (
        call.location for call in broken.get(diagnostic.tool or "", ()) if of_tool or _first(call.field or "") in names
    )
    for location in islice(dict.fromkeys(location for location in calls if location is not None), _MOST_CALLS):
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


def _instructions(old: Version, new: Version) -> Iterator[InstructionsChange]:
    """What the servers of both versions say of themselves: of each that both have, the instructions by their file and order."""
    before, after = _said_by(old), _said_by(new)
    files = {old.relative(tool.tree.origin) for tool in old.tools()}
    for key, prompt in after.items():
        if key in before or key[0] in files:
            yield InstructionsChange(before.get(key), prompt)


def _said_by(version: Version) -> dict[tuple[str, int], Prompt]:
    found: dict[tuple[str, int], Prompt] = {}
    for document in version.project.documents:
        if not version.project.reports(version.project.absolute(document)):
            continue
        serving = {agent.key for agent in document.agents if agent.serves}
        number = 0
        for prompt in document.all_prompts:
            told = (
                not serving.isdisjoint(prompt.told_to) if document.language == "python" else bool(document.tool_lists)
            )
            if told and prompt.field.rpartition(".")[2] == "instructions":
                found[version.relative(document.path), number] = prompt
                number += 1
    return found
