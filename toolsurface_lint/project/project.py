"""The project: which documents there are, and what each is. Which of them meet in one surface is `grouping`'s to say."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from toolsurface_lint.knowledge.clients import Standing
from toolsurface_lint.model.diagnostics import Skipped
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.files import LOCK_FILE
from toolsurface_lint.model.prompt import Prompt, PromptFile
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.unseen import Unseen
from toolsurface_lint.model.workflow import Workflow
from toolsurface_lint.project.discovery import Candidate, discover, outermost
from toolsurface_lint.project.discovery.globs import covers, matches
from toolsurface_lint.project.discovery.listing import NEVER_WALKED
from toolsurface_lint.project.discovery.names import (
    TEXT_LANGUAGES,
    candidate_kind,
    lies_in_examples,
    lies_in_tests,
    names_prompt,
)
from toolsurface_lint.project.discovery.paths import display_path, is_below, relative_to, with_parents
from toolsurface_lint.project.discovery.repositories import Repositories, root_around
from toolsurface_lint.project.own_files import is_baseline
from toolsurface_lint.project.roles import is_final, kind_of, role_of, surfaces_of, target_of
from toolsurface_lint.project.settings import OWN_FILE, ROLES, Settings
from toolsurface_lint.readers.document_reader import names_document
from toolsurface_lint.readers.loading import begins_like_an_agent, holds_chat_template, load_document
from toolsurface_lint.readers.serving.marks import may_serve
from toolsurface_lint.source import disk
from toolsurface_lint.source.crashes import crash
from toolsurface_lint.source.languages import DATA, PROGRAMS, TITLES
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import SourceText, Span
from toolsurface_lint.source.tree import Place

if TYPE_CHECKING:
    from toolsurface_lint.model.lock import LockedProject, ServedTools
    from toolsurface_lint.model.transcript import Transcript
    from toolsurface_lint.project.includes import ProjectTemplateFiles
    from toolsurface_lint.project.plugins import Plugins
    from toolsurface_lint.project.tokenizers import Tokenizers

KEPT_TEXT = 6 * 1024 * 1024
"""Characters of documents that stay in memory; beyond them, a document is read again where it has a finding."""
KEPT_RECORDINGS = 1024 * 1024
"""The same of transcripts, of which there may be thousands: each is read again once, when it is followed."""


class Project:
    """What one run looks at.

    `given` are the absolute paths of the files that the user named; None when folders were named, and all is reported.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.documents: list[Document] = []
        self.surfaces: list[Surface] = []
        self.workflows: list[Workflow] = []
        self.locks: list[LockedProject] = []
        """What is compared with its locks,"""
        self.snapshots: list[ServedTools] = []
        """and with its snapshots."""
        self.skipped: list[Skipped] = []
        self.paths: Sequence[str] = ()
        """What was asked for: files and folders, as they were named."""
        self.given: frozenset[str] | None = None
        self.walked: list[str] = []
        """The folders that were named, as absolute paths, without those that lie in another of them."""
        self.roots: list[str] = []
        """The folders in which what may meet the files asked for is looked for, as absolute paths, outermost first."""
        self.repositories = Repositories()
        self.empty_folders: tuple[str, ...] = ()
        """The given folders in which nothing was recognised, as displayed."""
        self.unread: dict[str, Unseen] = {}
        """Files that look as if they define tools, of which none is known, by absolute path."""
        self.opening: set[str] = set()
        """Those of them that leave the surfaces of their folders open."""
        self.readings: dict[str, Reading] = {}
        """How each file was read, by absolute path."""
        self._paths: dict[str, str] = {}
        self.visit: Callable[[Document, Target], None] | None = None
        """Called with every document that is to be reported on, while it is in memory."""
        self.most_text = KEPT_TEXT
        self.unsaved: Mapping[str, bytes] = {}
        """The bytes of files, by absolute path, that are not, or not as they are, on disk."""
        self.on_disk = True
        """Whether all other files are those on disk."""
        self.candidates: dict[str, Candidate] = {}
        """The files that were named, or lie in folders that were, by absolute path."""
        self._by_path: dict[str, Document] = {}
        self._kept = 0
        self._kept_of_recordings = 0
        self.asked: frozenset[str] = frozenset()
        """The files that were named, or lie in folders that were, as absolute paths."""
        self.nearby = Nearby(settings)
        self.unasked: set[str] = set()
        """The files that are read only for what was asked for, as displayed: nothing is said of them."""
        self.crash: Problem[Place] | None = None
        """What the linter crashed at when the documents were put together; then there is one surface, without anything in it."""
        self.recordings = 0
        """How many transcripts have been left out because nobody asked for them."""

    @property
    def is_large(self) -> bool:
        """Whether there is more text than is kept in memory."""
        return self._kept > self.most_text

    @property
    def scopes(self) -> list[Surface]:
        """Everything that is looked at as one surface: the surfaces, then of each workflow the whole and its nodes."""
        return [*self.surfaces, *(scope for workflow in self.workflows for scope in workflow.scopes)]

    def release(self, surface: Surface) -> None:
        """Drop what was read again for a surface of a large project, and its indexes."""
        if self.is_large:
            surface.forget()
            for path in surface.files:
                document = self._by_path.get(path)
                if document is not None:
                    document.release()

    @property
    def has_many_recordings(self) -> bool:
        """Whether there is more text of transcripts than is kept in memory."""
        return self._kept_of_recordings > min(KEPT_RECORDINGS, self.most_text)

    def release_recording(self, transcript: Transcript) -> None:
        """Drop what was read of a transcript that has been followed, where there are many."""
        document = self._by_path.get(transcript.path) if transcript.trees else None
        if document is not None and (self.is_large or self.has_many_recordings):
            document.release()

    def reports(self, path: str) -> bool:
        """Whether findings in the file at this absolute path are reported."""
        return self.given is None or path in self.given

    def boundary(self, folder: str) -> str | None:
        """The outermost folder whose tools may be those of what lies in a folder: its repository, outside of one, a root."""
        root = self.repositories.root(folder)
        return root if root is not None else next((root for root in self.roots if is_below(folder, root)), None)

    @cached_property
    def tokenizers(self) -> Tokenizers:
        """What lies beside its chat templates."""
        from toolsurface_lint.project.tokenizers import Tokenizers

        return Tokenizers(self.unsaved)

    @cached_property
    def template_files(self) -> ProjectTemplateFiles:
        """What its templates include."""
        from toolsurface_lint.project.includes import ProjectTemplateFiles

        return ProjectTemplateFiles(self)

    @cached_property
    def plugins(self) -> Plugins:
        """The plugins of Claude Code around the files."""
        from toolsurface_lint.project.plugins import Plugins

        return Plugins(self.boundary)

    def plan_nearby(self, path: str) -> Reading | None:
        """How a file of `nearby` is to be read, if it is; nothing is said of it."""
        candidate = self.nearby.candidates[path]
        self.unasked.add(candidate.display)
        if path not in self.nearby.readings:
            self.nearby.readings[path] = _plan(self, candidate, None)
        return self.nearby.readings[path]

    def plan_nearby_programs(self) -> list[Reading]:
        """How the programs of `nearby` are to be read: they import one another, so it is done together."""
        programs = [path for path in self.nearby.candidates if candidate_kind(path) in PROGRAMS]
        return [reading for path in programs if (reading := self.plan_nearby(path)) is not None]

    def plan_gone(self, candidate: Candidate) -> Reading | None:
        """How a file was to be read that is not there any more; None if it would not have been, too."""
        settings = self.settings
        relative = relative_to(candidate.path, settings.root)
        if relative is not None and any(covers(glob, relative) for glob in settings.exclude):
            return None
        root = self.repositories.root(os.path.dirname(candidate.path))
        if root is None or not NEVER_WALKED.isdisjoint((relative_to(candidate.path, root) or "").split("/")[:-1]):
            return None
        project = Project(settings)
        project.unsaved = {candidate.path: b""}
        return _plan(project, candidate, None)

    def relative(self, path: str) -> str:
        """A displayed path relative to the root of the settings, with forward slashes."""
        return self.settings.relative(self.full_path(path))

    def absolute(self, document: Document) -> str:
        return self._paths[document.path]

    def full_path(self, path: str) -> str:
        """The absolute path of a displayed one; any other path as it is."""
        return self._paths.get(path, path)

    def keep_given(self, given: frozenset[str]) -> None:
        """Report on the files at these absolute paths only, and forget what meets none of them."""
        self.given = given
        shown = {document.path for document in self.documents if self.absolute(document) in given}
        self.surfaces = [surface for surface in self.surfaces if not shown.isdisjoint(surface.files)]
        self.workflows = [flow for flow in self.workflows if not shown.isdisjoint(flow.scopes[0].files)]
        for surface in self.surfaces:
            shown.update(surface.files)
        self.documents = [document for document in self.documents if document.path in shown]
        self.skipped = [skipped for skipped in self.skipped if skipped.path not in self.unasked]
        self.unread = {path: unseen for path, unseen in self.unread.items() if path in given}


class Nearby:
    """What lies around the files asked for, listed when it is first asked for, and read only if it may meet them.

    `roots` are the folders in which it lies, `known` the absolute paths of what is read anyway.
    """

    def __init__(
        self, settings: Settings, roots: Sequence[str] = (), known: Iterable[str] = (), apart: Sequence[str] = ()
    ) -> None:
        """`apart` are absolute paths of files and folders that belong to something else."""
        self._settings = settings
        self._roots = roots
        self._known = known
        self._apart = apart
        self.readings: dict[str, Reading | None] = {}
        self.seen: dict[str, frozenset[str]] = {}
        """What looks like names of tools in files on disk, by absolute path, for `UnreadDefinitions`; under the empty path, in
        programs of other languages. An editor's next project has the same listing, until something changes on disk."""

    @property
    def possible(self) -> bool:
        """Whether there may be anything, as far as that is known without a look at the disk."""
        return bool(self._roots)

    @cached_property
    def candidates(self) -> dict[str, Candidate]:
        """The files by absolute path, in that order."""
        known = _with_targets(self._known)
        found = {candidate.path: candidate for root in self._roots for candidate in discover([root], self._settings)}
        return {path: found[path] for path in sorted(found) if path not in known and not _lies_in(path, self._apart)}


class Reader:
    """Reads files to documents, again each time. A language server puts one in its place that remembers."""

    def read(self, reading: Reading) -> Document:
        """The document of a file that is not a program."""
        return reading.read()

    def read_programs(self, readings: Sequence[Reading]) -> dict[str, Document]:
        """The documents of those programs, of all of a project, that define tools or prompts, by absolute path."""
        from toolsurface_lint.readers.programs.documents import read_program_documents
        from toolsurface_lint.readers.programs.program_file import ProgramFile

        return read_program_documents(
            [
                ProgramFile(each.path, each.display, each.language, each.kind, each.max_size, each.data)
                for each in readings
            ]
        )


def plan_readings(
    project: Project,
    paths: Sequence[str],
    *,
    kind: str | None = None,
    unsaved: Mapping[str, bytes] | None = None,
    piped: str | None = None,
    apart: Sequence[str] = (),
) -> list[Reading]:
    """How each file that `paths` name or hold is to be read, before any is.

    `kind` is what the files given by name are. `unsaved` is as in `Project`; `piped` is the path of the one that came by
    standard input; `apart` are absolute paths of what belongs to something else, wherever it lies. Raises `PathMissing`.
    """
    project.paths = paths
    settings = project.settings
    project.unsaved = unsaved or {}
    candidates = [each for each in discover(paths, settings, project.unsaved) if not _lies_in(each.path, apart)]
    project.walked = outermost(paths)
    if settings.surfaces and any(is_below(settings.root, folder) for folder in project.walked):
        project.skipped.extend(_unmatched(candidates, settings))
    folders = {*project.walked, *(os.path.dirname(candidate.path) for candidate in candidates if candidate.given)}
    project.roots = outermost({root_around(folder) for folder in folders})
    project.candidates = {candidate.path: candidate for candidate in candidates}
    project.asked = frozenset(project.candidates)
    neighbours = [*_neighbours(candidates, settings), *_lock(project)]
    if neighbours or not project.walked:
        project.given = project.asked
        project.unasked.update(candidate.display for candidate in neighbours)
    known = project.asked.union(candidate.path for candidate in neighbours)
    project.nearby = Nearby(settings, [root for root in project.roots if root not in project.walked], known, apart)
    readings = [
        reading
        for candidate in (*candidates, *neighbours)
        if (reading := _plan(project, candidate, kind if candidate.given else None, piped=candidate.path == piped))
    ]
    if not project.walked and any(each.is_program and not surfaces_of(each.path, settings) for each in readings):
        # Programs import one another: they are read together.
        readings.extend(project.plan_nearby_programs())
    return readings


def plan_contents(project: Project, contents: Mapping[str, bytes], asked: str) -> list[Reading]:
    """How files are to be read that are not on disk, or not as they are there; by absolute path, all of one repository.

    `asked` is the absolute path of the folder, or of the file among them, that was asked for. Nothing else is read.
    """
    project.unsaved = contents
    project.on_disk = False
    project.walked = project.roots = [] if asked in contents else [asked]
    project.candidates = {path: Candidate(path, display_path(path), path == asked) for path in sorted(contents)}
    project.asked = frozenset(contents)
    readings = (_plan(project, candidate, None) for candidate in project.candidates.values())
    return [reading for reading in readings if reading is not None]


def read(
    project: Project,
    readings: Sequence[Reading],
    reader: Reader | None = None,
    after_data: Callable[[], None] | None = None,
) -> None:
    """Read files of a project and take in their documents; of its programs, those that define tools or prompts.

    `after_data` is called between the files of data and all others.
    """
    reader = reader or Reader()
    project.readings.update((reading.path, reading) for reading in readings)
    programs = [reading for reading in readings if reading.is_program]
    data = [reading for reading in readings if reading.language in DATA]
    texts = [reading for reading in readings if not (reading.is_program or reading.language in DATA)]
    before = len(project.documents)
    for reading in data:
        _admit(project, reader.read(reading), reading)
    if after_data is not None:
        after_data()
    for reading in texts:
        _admit(project, reader.read(reading), reading)
    order = {reading.display: number for number, reading in enumerate(readings)}
    # What is read folder by folder has thousands of documents before.
    project.documents[before:] = sorted(project.documents[before:], key=lambda document: order[document.path])
    documents = reader.read_programs(programs) if programs else {}
    # A tool's name may stand in a given file, and the tool in another one.
    reported = {document.folder for path, document in documents.items() if project.reports(path)} - {""}
    for reading in programs:
        document = documents.get(reading.path)
        if document is not None:
            _admit(project, document, reading, reported=document.folder in reported)
        else:
            project.skipped.append(Skipped(reading.display, "not recognised"))
    _read_prompt_files(project, documents, reader)


def _read_prompt_files(project: Project, programs: Mapping[str, Document], reader: Reader) -> None:
    """Read the files that programs read for what they tell models, and say of each text who is told it.

    Only what is found by walking, and no link that leads out of the checkout. Any text is a prompt then.
    """
    named = [
        (candidate, file)
        for path, document in programs.items()
        for file in document.prompt_files
        if (candidate := _find_prompt_file(project, os.path.dirname(path), file)) is not None
    ]
    unread: dict[str, tuple[Candidate, PromptFile]] = {}
    for candidate, file in named:
        if candidate.display not in project._by_path:
            unread.setdefault(candidate.display, (candidate, file))
    project.skipped = [skipped for skipped in project.skipped if skipped.path not in unread]
    for candidate, file in unread.values():
        _read_prompt_file(project, candidate, None if file.by_agent else "prompt", reader)
    told_to: dict[Prompt, set[str]] = {}
    for candidate, file in named:
        found = project._by_path.get(candidate.display)
        for prompt in () if found is None else found.prompts:
            told_to.setdefault(prompt, set(prompt.told_to)).update(file.tells(prompt))
    for prompt, keys in told_to.items():
        prompt.told_to = tuple(sorted(keys))


def _read_prompt_file(project: Project, candidate: Candidate, kind: str | None, reader: Reader) -> None:
    reading = _plan(project, candidate, kind)
    if reading is None:
        return
    if candidate.path not in project.asked:
        project.unasked.add(candidate.display)
        project.given = project.asked if project.given is None else project.given
    project.readings[candidate.path] = reading
    _admit(project, reader.read(reading), reading)


def _find_prompt_file(project: Project, folder: str, file: PromptFile) -> Candidate | None:
    """The file that a program in a folder means by a path; the closest one if that depends on the run."""
    outermost_folder = project.boundary(folder) or folder
    languages = ("yaml",) if file.by_agent else TEXT_LANGUAGES
    for parent in with_parents(folder):
        found = os.path.normpath(os.path.join(parent, file.path))
        if candidate_kind(found) in languages and is_below(found, outermost_folder):
            candidate = project.candidates.get(found)
            if candidate is None and project.nearby.possible:
                candidate = project.nearby.candidates.get(found)
            if candidate is not None:
                is_inside = is_below(disk.realpath(found), disk.realpath(outermost_folder))
                return candidate if is_inside else None
        if os.path.isabs(file.path) or parent == outermost_folder:
            break
    return None


def _neighbours(candidates: Sequence[Candidate], settings: Settings) -> list[Candidate]:
    """The rest of the surfaces in the settings that the files looked at are part of."""
    paths = [candidate.path for candidate in candidates]
    wanted = {surface for path in paths for surface in surfaces_of(path, settings)}
    if not wanted:
        return []
    named = _with_targets(paths)
    return [
        candidate
        for candidate in discover([settings.root], settings)
        if candidate.path not in named and not wanted.isdisjoint(surfaces_of(candidate.path, settings))
    ]


def _lock(project: Project) -> list[Candidate]:
    """The lock at the root of the settings, where nothing that was named holds it."""
    root = project.settings.root
    path = os.path.join(root, LOCK_FILE)
    if path in project.asked or any(is_below(root, folder) for folder in project.walked) or not disk.isfile(path):
        return []
    found = discover([path], project.settings)
    return [candidate._replace(given=False) for candidate in found if candidate.skip is None]


def _lies_in(path: str, places: Sequence[str]) -> bool:
    """Whether an absolute path is one of some others, or lies below one."""
    return any(is_below(path, place) for place in places)


def _with_targets(paths: Iterable[str]) -> set[str]:
    """Paths, and what they lead to: a link that was named is the file itself."""
    found: set[str] = set()
    folders: dict[str, str] = {}
    for path in paths:
        folder, name = os.path.split(path)
        if folder not in folders:
            folders[folder] = disk.realpath(folder)
        real = os.path.join(folders[folder], name)
        found.update((path, disk.realpath(real) if disk.islink(real) else real))
    return found


def _unmatched(candidates: Sequence[Candidate], settings: Settings) -> Iterator[Skipped]:
    """What the surfaces of the settings name and no file of all there are matches; transcripts need not be there yet."""
    names = [settings.relative(candidate.path) for candidate in candidates]
    for surface in settings.surfaces:
        for role in ROLES:
            for glob in getattr(surface, role) if role != "transcripts" else ():
                if not any(matches(glob, name) for name in names):
                    display = display_path(os.path.join(settings.root, glob))
                    yield Skipped(display, f"no file matches `{glob}` of surface `{surface.name}`")


class Reading(NamedTuple):
    """How one file is to be read: as which language, as which kind if anybody says so, and for which target.

    `location` is the path from the root of its repository, empty outside any.
    `ours`: an option, the settings, standard input, or a prompt's name says that it is for this linter, whatever it holds.
    `standing` is what a file is to coding clients, if more than its path says so.
    """

    path: str
    display: str
    ours: bool
    language: str
    kind: str | None
    target: Target
    max_size: int
    data: bytes | None
    location: str = ""
    standing: Standing | None = None

    @property
    def is_program(self) -> bool:
        """Whether it is a program that tools may be defined in: such files are read together."""
        return self.language in PROGRAMS and self.kind in (None, "tools")

    def read(self) -> Document:
        """Its document: where its reader crashes, one with that problem and nothing else."""
        try:
            return load_document(
                self.path,
                self.display,
                self.language,
                kind=self.kind,
                max_size=self.max_size,
                data=self.data,
                location=self.location,
                standing=self.standing,
            )
        except Exception as error:
            document = Document(self.display, SourceText(self.display, ""), self.language)
            document.problems.append(crash("file", Span(0, 0), error))
            return document


Planned = Callable[[Project, Sequence[Reading]], None]
"""Called with a project and all that will be read into it, before anything is; what it raises ends the run."""


def is_recognised(reading: Reading, settings: Settings) -> bool:
    """Whether a project would take a file in. It is read for that, but for programs, of which that shows only together."""
    if reading.is_program:
        return True
    alone = Project(settings)
    read(alone, [reading])
    return bool(alone.documents)


def _plan(project: Project, candidate: Candidate, kind: str | None, *, piped: bool = False) -> Reading | None:
    """How a candidate is to be read; None, and where somebody may miss it a note, if it is not."""
    settings = project.settings
    data = project.unsaved.get(candidate.path)
    if candidate.skip is not None:
        project.skipped.append(Skipped(candidate.display, candidate.skip))
        return None
    role = None
    if settings.surfaces or settings.kinds:
        relative = settings.relative(candidate.path)
        role = role_of(relative, settings)
        if kind is None:
            kind = next((kind for glob, kind in settings.kinds.items() if matches(glob, relative)), None)
    language = candidate_kind(candidate.path)
    if kind is None and role is not None:
        kind = kind_of(role[1], language)
    if language is None:
        if not candidate.given and kind is None and role is None:
            return None
        language = "unknown"
    standing = project.plugins.standing_of(candidate.path) if language == "markdown" else None
    named = language in TEXT_LANGUAGES and (
        standing is not None or names_prompt(project.repositories.relative(candidate.path))
    )
    served = kind is None and not named and language in ("shell", "markdown") and may_serve(candidate.path, data)
    if language == "shell" and kind is None and not served:
        if candidate.given:
            project.skipped.append(Skipped(candidate.display, "not recognised"))
        return None
    if (
        language in TEXT_LANGUAGES
        and kind is None
        and not candidate.given
        and not named
        and not served
        and not (language == "markdown" and begins_like_an_agent(candidate.path, data))
        and not (language == "text" and holds_chat_template(candidate.path, data))
    ):
        project.skipped.append(Skipped(candidate.display, "not recognised"))
        return None
    target = target_of(settings, None if role is None else role[0])
    own = os.path.basename(candidate.path) == OWN_FILE
    meant = piped or own or kind is not None or role is not None
    if not meant and is_test(project, candidate.path):
        project.skipped.append(Skipped(candidate.display, "part of tests"))
        return None
    if served and not candidate.given and not (language == "markdown" and begins_like_an_agent(candidate.path, data)):
        kind = "serving"
    ours = meant or named
    location = project.repositories.inside(candidate.path) or ""
    most = settings.max_file_size
    return Reading(candidate.path, candidate.display, ours, language, kind, target, most, data, location, standing)


def is_ours(document: Document, reading: Reading) -> bool:
    """Whether there is anything to say of a file: what it holds is recognised, or it was meant to be and cannot be read.

    The one place where this is decided, and with it what the `INPUT_` rules are about. That a file was named to be checked
    does not say what it is: hooks name every file that has changed.
    """
    if document.kinds or any(problem.code == "crash" for problem in document.problems):
        return True
    if not document.problems or _is_template(document, reading):
        return False
    # What can be read says what a file is, whatever it is called.
    return reading.ours or document.begins or (not document.trees and names_document(reading.path))


def _is_template(document: Document, reading: Reading) -> bool:
    """Whether a file cannot be read because a program is going to fill it in, and nobody has said what it is."""
    text = document.source.text
    broken = any(problem.code == "syntax" for problem in document.problems)
    return broken and not reading.ours and ("{{" in text or "{%" in text)


def _skipped(document: Document, reading: Reading) -> Skipped:
    """Why a document is left out, and, if that is why nothing is recognised in it, where it cannot be read."""
    problem = next((each for each in document.problems if each.code in ("syntax", "unreadable")), None)
    if problem is not None and _is_template(document, reading):
        return Skipped(document.path, "a template of another language")
    if problem is None:
        unread = document.unread
        if unread is not None:
            # One that is about the whole file says why by itself.
            reason = unread.reason if unread.line is None else "looks like tools, but is not understood"
            return Skipped(document.path, reason, unread.line)
        return Skipped(document.path, "not recognised" if document.trees else "empty")
    if problem.code == "syntax":
        reason = f"not recognised, and not {TITLES.get(document.language, 'readable')}"
    else:
        from toolsurface_lint.checks.input.problems import sentence

        reason = f"not recognised: {sentence(problem)}"
    if not document.source.text:
        return Skipped(document.path, reason)
    at = document.source.lines.position(problem.at.start)
    return Skipped(document.path, reason, at.line, at.column)


def is_test(project: Project, path: str) -> bool:
    """Whether a file is a part of the tests of its repository, or of the project that the settings are for.

    What lies in a folder of tests that was asked for itself is not: the run is about it.
    """
    relative = _in_repository(project, path)
    if relative is None or not lies_in_tests(relative):
        return False
    for folder in project.walked:
        below, inside = relative_to(path, folder), _in_repository(project, os.path.join(folder, "file"))
        if below is not None and inside is not None and lies_in_tests(inside):
            return lies_in_tests(below)
    return True


def _in_repository(project: Project, path: str) -> str | None:
    return relative_to(path, project.repositories.root(os.path.dirname(path)) or project.settings.root)


def _note_examples(project: Project, document: Document, path: str) -> None:
    """Take note of the tools of a program that lies among examples."""
    relative = _in_repository(project, path)
    if relative is not None and lies_in_examples(relative):
        for tools in document.tool_lists:
            for tool in tools:
                tool.is_example = True


def _admit(project: Project, document: Document, reading: Reading, *, reported: bool = False) -> None:
    """Take a document into the project, or note why it is left out.

    `reported`: what is found in it may concern a given file although it is none.
    """
    unread = document.unread
    if unread is not None and (reading.is_program or unread.line is not None or names_document(reading.path)):
        project.unread[reading.path] = unread
        if document.leaves_open:
            project.opening.add(reading.path)
    if document.transcripts and not project.reports(reading.path):
        # A recording is evidence about a surface, and no part of what others in it are checked against.
        project.recordings += 1
        return
    if not is_ours(document, reading):
        if reading.path != project.settings.path and not is_baseline(document):
            project.skipped.append(_skipped(document, reading))
        return
    if document.language in PROGRAMS:
        _note_examples(project, document, reading.path)
    elif not document.recorded:
        # A language server puts one document into project after project, and programs change.
        for prompt in document.prompts:
            prompt.told_to = ()
    if document.chat_templates and document.language != "gguf":
        project.tokenizers.give_tokens(document, reading.path)
    project.documents.append(document)
    project._paths[document.path] = reading.path
    project._by_path[document.path] = document
    for template in document.templates:
        template.link(project.template_files)
    for response in document.responses:
        response.final = is_final(project.settings.relative(reading.path), project.settings)
    if project.visit is not None and (reported or project.reports(reading.path)):
        project.visit(document, reading.target)
    is_recording = document.kinds == ["transcript"]
    if is_recording:
        project._kept_of_recordings += len(document.source.text)
    else:
        project._kept += len(document.source.text)
    if project.is_large or (is_recording and project.has_many_recordings):
        document.release()
