"""Workspace folders: the project in each, kept between keystrokes, and what is reported in its files."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cached_property
from typing import Any

from toolsurface_lint.checks import Said
from toolsurface_lint.model.client_file import ClientFile
from toolsurface_lint.model.diagnostics import Diagnostic, Finding, Location, Report
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.prompt import Prompt
from toolsurface_lint.model.serving import Launch
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.transcript import Transcript
from toolsurface_lint.project.around import read_around
from toolsurface_lint.project.discovery import PathMissing
from toolsurface_lint.project.discovery.paths import is_below
from toolsurface_lint.project.grouping import group
from toolsurface_lint.project.history import History
from toolsurface_lint.project.project import Project, Reader, Reading, plan_readings, read
from toolsurface_lint.project.settings import Settings, SettingsError
from toolsurface_lint.project.settings.loading import is_settings_file, load_settings
from toolsurface_lint.project.settings.selection import Selection
from toolsurface_lint.run.analysis import Analysis, Walk
from toolsurface_lint.run.cache import Cache
from toolsurface_lint.run.reporting import FollowedTranscripts
from toolsurface_lint.run.transcripts import check_transcripts
from toolsurface_lint.server.buffers import Buffer, to_bytes
from toolsurface_lint.server.memory import Memory
from toolsurface_lint.source import disk
from toolsurface_lint.source.text import SourceText

LARGEST_TRANSCRIPT = 1024 * 1024
"""The size of transcripts that are still followed while somebody types; larger ones are for the command."""

OpenCache = Callable[[str], Cache | None]
"""Gives what is kept of the folder at a path; None if there is nothing to keep it in."""

_Known = dict[Document, tuple[tuple[Target, Any], list[Finding]]]
"""What the rules say of documents by themselves, for one target each, and for what their templates include."""


@contextmanager
def no_collections() -> Iterator[None]:
    """Collect no garbage meanwhile: each collection would look at every value of every tree, and all of them are in use."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class Findings:
    """What is reported in the files of a folder at one moment."""

    def __init__(self, report: Report | None = None) -> None:
        """`report` is that of a whole folder, in which nothing is open that is not saved."""
        self.error: SettingsError | None = None
        self.broken: Mapping[str, Document] = {}
        self.diagnostics: dict[str, list[Diagnostic]] = {}
        """By absolute path."""
        self.sources: dict[str, SourceText] = {}
        """The texts of files by displayed path."""
        if report is not None:
            self.sources.update(report.sources)
            self.add(report.diagnostics)

    def absolute(self, display: str) -> str:
        return os.path.abspath(display)

    def add(self, diagnostics: Iterable[Diagnostic]) -> None:
        for diagnostic in diagnostics:
            if diagnostic.location is not None:
                self.diagnostics.setdefault(self.absolute(diagnostic.location.path), []).append(diagnostic)


class State(Findings):
    """What a folder is at one moment: the project around the open files, and what is reported in them."""

    def __init__(self, project: Project, error: SettingsError | None, broken: Mapping[str, Document]) -> None:
        super().__init__()
        self.project = project
        self.error = error
        """What is wrong with the settings; those before, or none, are in use then."""
        self.broken = broken
        """The open files that cannot be read, by absolute path, with what is wrong and nothing else: as all other things
        of the project, their `documents` are what could last be read. `Buffer.moved` says where it lies now."""
        self.documents: dict[str, Document] = {project.absolute(document): document for document in project.documents}
        self.sources = {document.path: document.source for document in project.documents}
        self.report: Report | None = None
        """All that is reported in it; None where what has been before decides some of that: files or settings are broken."""

    def absolute(self, display: str) -> str:
        return os.path.abspath(self.project.full_path(display))

    def surfaces_of(self, path: str) -> list[Surface]:
        """The surfaces that the file at an absolute path is part of."""
        document = self.documents.get(path)
        if document is None:
            return []
        return [surface for surface in self.project.scopes if document.path in surface.files]


class Folder:
    """A folder whose files are one project, with settings of its own; or what a `file` in it has to do with, and its settings.

    What is read from a file stays until the file changes. `state` puts it together again after `touch`, looks at the disk
    again after `look_again`, and at the settings too after `read_settings_again`.
    """

    def __init__(self, path: str, file: str | None = None, open_cache: OpenCache | None = None) -> None:
        self.path = path
        self._file = file
        self._open_cache = open_cache
        self._facts = disk.Facts()
        """What was asked for all that is remembered here, if there is a cache,"""
        self._facts_of_settings = disk.Facts()
        """and for the settings, which are not read again with the rest."""
        self._kept: Findings | None = None
        """What the cache has of all that is on disk."""
        self._may_be_kept = True
        """Whether it is still to be asked for that."""
        self._is_stored = False
        self._reader = Memory()
        self._history = History()
        self._settings: Settings | None = None
        self._usable: Settings | None = None
        self._error: SettingsError | None = None
        self._plan: tuple[Project, list[Reading]] | None = None
        self._read: Container[str] = ()
        """The files that were read for the last state."""
        self._states: dict[bool, State] = {}
        """What is known at present: of the open files, and of everything."""
        self._known: _Known = {}
        self._said: Said = []
        """What the rules have said of definitions, wherever these are."""
        self.recognised: dict[str, tuple[Document, list[Surface]]] = {}
        """The document of each open file and its surfaces when it was last part of any: of what may be written in it.

        `- ` alone is not an item of a policy, and neither are the first letters after it.
        """

    def holds(self, path: str) -> bool:
        return is_below(path, self.path)

    def knows(self, path: str) -> bool:
        """Whether a file is one of those that are read, as far as has been looked."""
        return self._plan is not None and (path in self._plan[0].nearby.readings or path in self._read)

    def touch(self) -> None:
        """A buffer has changed."""
        self._states.clear()

    def look_again(self) -> None:
        """Files may have come, gone or changed on disk."""
        self._facts.ask_again()
        self._kept, self._is_stored = None, False
        # Once files have been read, only those that changed are read again.
        self._may_be_kept = not self._read
        self._states.clear()
        self._plan = None
        self._reader.look_again()

    def read_settings_again(self) -> None:
        self._settings = None
        self._known = {}
        self._said = []
        self.look_again()

    def state(self, buffers: Mapping[str, Buffer], *, everything: bool = False) -> State:
        """The present state; `buffers` are the open files by absolute path, the only ones that are reported on unless
        `everything` in the folder is.
        """
        if everything not in self._states:
            with self._recording(self._facts):
                self._states[everything] = self._make(buffers, everything)
        return self._states[everything]

    def findings(self, buffers: Mapping[str, Buffer], *, everything: bool = False) -> Findings:
        """What is reported, as `state` has it: from the cache while that is known to be the same, with all closed files."""
        # A file outside of the folder may hold settings that count in it.
        cache = self._cache if all(buffer.saved for buffer in buffers.values()) else None
        if cache is not None and everything not in self._states:
            if self._may_be_kept:
                self._may_be_kept = False
                report = cache.load()
                self._kept = None if report is None else Findings(report)
            if self._kept is not None:
                return self._kept
        state = self.state(buffers, everything=everything)
        if cache is not None and everything and not self._is_stored and state.report is not None:
            # Documents are remembered while their files are the same; all else was asked again.
            cache.store(state.report, self._facts.current(self._read, self._facts_of_settings))
            self._is_stored = True
        return state

    def _recording(self, facts: disk.Facts) -> AbstractContextManager[object]:
        return nullcontext() if self._cache is None else disk.recording(facts)

    @cached_property
    def _cache(self) -> Cache | None:
        return None if self._open_cache is None else self._open_cache(self.path)

    @no_collections()
    def _make(self, buffers: Mapping[str, Buffer], everything: bool) -> State:
        inside = {path: buffer for path, buffer in buffers.items() if self.holds(path)}
        settings = self._current_settings(buffers)
        is_new = self._plan is None
        if self._plan is None:
            self._plan = self._make_plan(settings, inside)
        planned, readings = self._plan
        project = Project(settings)
        project.walked = planned.walked
        project.roots = planned.roots
        project.asked = planned.asked
        project.nearby = planned.nearby
        project.candidates = planned.candidates
        project.given = planned.given
        project.skipped = list(planned.skipped)
        project.unsaved = {path: buffer.data for path, buffer in inside.items() if not buffer.saved}
        self._reader.begin(inside)
        read(project, [_with_data(reading, project.unsaved.get(reading.path)) for reading in readings], self._reader)
        if self._file is None:
            read_around(project, self._reader)
        self._read = project.readings
        self._known = {document: self._known[document] for document in project.documents if document in self._known}
        given = project.given if everything else frozenset(inside)
        group(project, self._history, given)
        if given is not None:
            project.keep_given(given)
        state = State(project, self._error, self._reader.broken)
        self._remember(state, inside)
        self._check(state)
        if state.broken:
            self._check_broken(state, [project.readings[path] for path in state.broken])
        if is_new:
            # What has been read stays until something changes on disk: no collection after a keystroke need look at it.
            gc.unfreeze()
            gc.freeze()
        return state

    def _remember(self, state: State, inside: Collection[str]) -> None:
        self.recognised = {path: entry for path, entry in self.recognised.items() if path in inside}
        for path in inside:
            surfaces = state.surfaces_of(path)
            if surfaces and state.documents[path].kinds:
                self.recognised[path] = state.documents[path], surfaces

    def _make_plan(self, settings: Settings, buffers: Mapping[str, Buffer]) -> tuple[Project, list[Reading]]:
        unsaved = {path: buffer.data for path, buffer in buffers.items() if not buffer.saved}
        # What a broken file begins with does not say what it is.
        readable = {path: buffers[path].readable for path in self._reader.broken if path in buffers}
        unsaved.update((path, to_bytes(text)) for path, text in readable.items() if text is not None)
        planned = Project(settings)
        try:
            readings = plan_readings(planned, [self.path], unsaved=unsaved)
        except PathMissing:
            readings = []
        if self._file is not None:
            planned.given = frozenset((self._file,))
        self._reader.forget_others({reading.path for reading in readings})
        return planned, readings

    def reads_settings_of(self, path: str) -> bool:
        """Whether a file may hold settings of this folder: by its name, or because they extend it."""
        return is_settings_file(path) or (self._usable is not None and path in self._usable.sources)

    def _current_settings(self, buffers: Mapping[str, Buffer]) -> Settings:
        if self._settings is None:
            self._facts_of_settings = disk.Facts()
            with self._recording(self._facts_of_settings):
                self._settings = self._load_settings(buffers)
        return self._settings

    def _load_settings(self, buffers: Mapping[str, Buffer]) -> Settings:
        unsaved = {path: buffer.data for path, buffer in buffers.items() if not buffer.saved}
        start = [self._file or self.path]
        self._error = None
        try:
            self._usable = load_settings(start, unsaved=unsaved)
        except SettingsError as error:
            # Half-typed settings do not replace those before; if none are known yet, the disk has them.
            self._error = error
            if self._usable is None:
                with suppress(SettingsError):
                    self._usable = load_settings(start)
        return self._usable or Settings(self.path)

    def _check(self, state: State) -> None:
        project = state.project
        selection = Selection(project.settings)
        shown = {document.path for path, document in state.documents.items() if project.reports(path)}
        analysis = _Remembering(selection, shown, self._known, self._said)
        for path, document in state.documents.items():
            if project.reports(path) and path not in state.broken:
                analysis.visit(document, project.readings[path].target)
        report = analysis.report(project, transcripts=_follow(project, selection, shown))
        state.sources.update(report.sources)
        state.add(_without_stale(found, state) for found in report.diagnostics if not _is_stale(found.location, state))
        if not (state.broken or state.error or (self._plan and self._plan[0].unsaved)):
            state.report = report

    def _check_broken(self, state: State, readings: Sequence[Reading]) -> None:
        """Say of broken files what is wrong with them, whatever else the project is."""
        project = Project(state.project.settings)
        # What is ours no more by what can be read of it was so when it could be read.
        readings = [reading._replace(ours=True) for reading in readings]
        read(project, readings, _Broken(state.broken))
        analysis = Analysis(Selection(project.settings))
        targets = {reading.path: reading.target for reading in readings}
        for document in project.documents:
            analysis.visit(document, targets[project.absolute(document)])
        # That comments hide nothing is not to be said of them.
        found = analysis.report(project).diagnostics
        state.add(diagnostic for diagnostic in found if diagnostic.code.startswith("INPUT_"))


class _Broken(Reader):
    """Reads broken files to what is wrong with them."""

    def __init__(self, broken: Mapping[str, Document]) -> None:
        self._broken = broken

    def read(self, reading: Reading) -> Document:
        return self._broken[reading.path]

    def read_programs(self, readings: Sequence[Reading]) -> dict[str, Document]:
        return {reading.path: self._broken[reading.path] for reading in readings}


def _is_stale(location: Location | None, state: State) -> bool:
    """Whether a location lies in a file that has been broken since."""
    return location is not None and state.absolute(location.path) in state.broken


def _without_stale(diagnostic: Diagnostic, state: State) -> Diagnostic:
    """The diagnostic without a fix that would write where a file has been broken since."""
    if diagnostic.fix is None or not any(_is_stale(edit.location, state) for edit in diagnostic.fix.edits):
        return diagnostic
    return diagnostic._replace(fix=None)


def _with_data(reading: Reading, data: bytes | None) -> Reading:
    return reading if data == reading.data else reading._replace(data=data)


def _follow(project: Project, selection: Selection, shown: Collection[str]) -> FollowedTranscripts:
    """Check those transcripts that are shown and small."""
    for surface in project.scopes:
        surface.transcripts = [
            transcript
            for transcript in surface.transcripts
            if transcript.path in shown and _size(transcript) <= LARGEST_TRANSCRIPT
        ]
    return check_transcripts(project, selection)


def _size(transcript: Transcript) -> int:
    """The size of a transcript: bytes of a file, or the characters of what was read whole."""
    sources = {id(tree.source): tree.source for tree in transcript.trees if tree.source is not None}
    return transcript.size + sum(len(source.text) for source in sources.values())


class _WalkOfShown(Walk):
    """A walk that looks only at those prompts, files for clients and launches that are shown: the others may be many."""

    def __init__(self, selection: Selection, shown: Collection[str], said: Said) -> None:
        super().__init__(selection.enabled, selection.others, said)
        self._shown = shown

    def prompt(self, prompt: Prompt, surface: Surface) -> Iterator[Finding]:
        return super().prompt(prompt, surface) if prompt.origin in self._shown else iter(())

    def client_file(self, file: ClientFile, surface: Surface) -> Iterator[Finding]:
        return super().client_file(file, surface) if file.origin in self._shown else iter(())

    def launch(self, launch: Launch) -> Iterator[Finding]:
        return super().launch(launch) if launch.place.tree.origin in self._shown else iter(())


class _Remembering(Analysis):
    """An analysis of the shown files, given by displayed path, that asks about a document by itself only once.

    Of a document that has changed, the same holds for its definitions.
    """

    def __init__(self, selection: Selection, shown: Collection[str], known: _Known, said: Said) -> None:
        super().__init__(selection, walk=_WalkOfShown(selection, shown, said))
        self._known = known

    def findings(self, document: Document, target: Target) -> list[Finding]:
        included = tuple(template.graph.contents for template in document.templates if template.graph is not None)
        entry = self._known.get(document)
        if entry is None or entry[0] != (target, included):
            entry = self._known[document] = (target, included), super().findings(document, target)
        return entry[1]
