"""The project: which documents there are, and what each is. Which of them meet in one surface is `grouping`'s to say."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from toolsurface_lint.model.diagnostics import Skipped
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.workflow import Workflow
from toolsurface_lint.project.discovery import Candidate, discover, outermost
from toolsurface_lint.project.discovery.globs import matches
from toolsurface_lint.project.discovery.names import TEXT_LANGUAGES, candidate_kind, lies_in_tests, names_prompt
from toolsurface_lint.project.discovery.paths import display_path, is_below, relative_to, working_folder
from toolsurface_lint.project.discovery.repositories import Repositories, repository_root
from toolsurface_lint.project.roles import kind_of, role_of, surfaces_of, target_of
from toolsurface_lint.project.settings import ROLES, Settings
from toolsurface_lint.readers.loading import holds_tool_list, load_document

KEPT_TEXT = 6 * 1024 * 1024
"""Characters of documents that stay in memory; beyond them, a document is read again where it has a finding."""


class Project:
    """What one run looks at.

    `given` are the absolute paths of the files that the user named; None when folders were named, and all is reported.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.documents: list[Document] = []
        self.surfaces: list[Surface] = []
        self.workflows: list[Workflow] = []
        self.skipped: list[Skipped] = []
        self.paths: Sequence[str] = ()
        """What was asked for: files and folders, as they were named."""
        self.given: frozenset[str] | None = None
        self.walked: list[str] = []
        """The folders that were named, as absolute paths, without those that lie in another of them."""
        self.repositories = Repositories()
        self.empty_folders: tuple[str, ...] = ()
        """The given folders in which nothing was recognised, as displayed."""
        self.unfollowed: dict[str, str] = {}
        """Programs that may define tools and were left before any was found, by absolute path: why their surfaces are open."""
        self._paths: dict[str, str] = {}
        self.displays: dict[str, str] = {}
        """How the files that were named or found are shown, by absolute path."""
        self.visit: Callable[[Document, Target], None] | None = None
        """Called with every document that is to be reported on, while it is in memory."""
        self.most_text = KEPT_TEXT
        self._by_path: dict[str, Document] = {}
        self._kept = 0

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

    def reports(self, path: str) -> bool:
        """Whether findings in the file at this absolute path are reported."""
        return self.given is None or path in self.given

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
        displayed = {self.displays.get(path) or display_path(path) for path in given}
        self.skipped = [skipped for skipped in self.skipped if skipped.path in displayed]


class Reader:
    """Reads files to documents, again each time. A language server puts one in its place that remembers."""

    def read(self, reading: Reading) -> Document:
        """The document of a file that is not a program."""
        return reading.read()

    def read_programs(self, readings: Sequence[Reading]) -> dict[str, Document]:
        """The documents of those Python files, of all of a project, that define tools or prompts, by absolute path."""
        from toolsurface_lint.readers.python.documents import PythonFile, read_python_documents

        return read_python_documents(
            [PythonFile(each.path, each.display, each.given, each.kind, each.max_size, each.data) for each in readings]
        )


def plan_readings(
    project: Project, paths: Sequence[str], *, kind: str | None = None, unsaved: Mapping[str, bytes] | None = None
) -> list[Reading]:
    """How each file that `paths` name or hold is to be read, before any is.

    `kind` is what the files given by name are. `unsaved` has the bytes of files, by absolute path, that are not, or not
    as they are, on disk. Raises `PathMissing`.
    """
    project.paths = paths
    settings = project.settings
    unsaved = unsaved or {}
    candidates = discover(paths, settings, unsaved)
    project.displays = {candidate.path: candidate.display for candidate in candidates}
    project.walked = outermost(paths)
    if settings.surfaces and any(is_below(settings.root, folder) for folder in project.walked):
        project.skipped.extend(_unmatched(candidates, settings))
    neighbours = _neighbours(candidates, settings, alone=not project.walked)
    if neighbours or not project.walked:
        project.given = frozenset(candidate.path for candidate in candidates)
        candidates.extend(neighbours)
    return [
        reading
        for candidate in candidates
        if (reading := _plan(project, candidate, kind if candidate.given else None, unsaved.get(candidate.path)))
    ]


def read(project: Project, readings: Sequence[Reading], reader: Reader | None = None) -> None:
    """Read files of a project and take in their documents; of its programs, those that define tools or prompts."""
    reader = reader or Reader()
    programs = [reading for reading in readings if reading.is_program]
    for reading in readings:
        if not reading.is_program:
            _admit(project, reader.read(reading), reading)
    documents = reader.read_programs(programs) if programs else {}
    # A tool's name may stand in a given file, and the tool in another one.
    reported = {document.folder for path, document in documents.items() if project.reports(path)} - {""}
    for reading in programs:
        document = documents.get(reading.path)
        if document is not None:
            _admit(project, document, reading, reported=document.folder in reported)
        else:
            project.skipped.append(Skipped(reading.display, "not recognised"))


def _neighbours(candidates: list[Candidate], settings: Settings, *, alone: bool) -> list[Candidate]:
    """The other files that may meet those looked at: the rest of their surfaces in the settings, and where only files
    were named (`alone`), for those in no such surface, what lies around them.
    """
    found: dict[str, Candidate] = {}
    members = {candidate.path: surfaces_of(candidate.path, settings) for candidate in candidates}
    wanted = {surface for surfaces in members.values() for surface in surfaces}
    if wanted:
        for candidate in discover([settings.root], settings):
            if not wanted.isdisjoint(surfaces_of(candidate.path, settings)):
                found[candidate.path] = candidate
    if alone:
        unclaimed = [path for path, surfaces in members.items() if not surfaces]
        for root in sorted({root_around(path) for path in unclaimed}):
            found.update((candidate.path, candidate) for candidate in discover([root], settings))
    # A link that was named is the file itself.
    named = {name for path in members for name in (path, os.path.realpath(path))} if found else set()
    return [found[path] for path in sorted(found) if path not in named]


def _unmatched(candidates: Sequence[Candidate], settings: Settings) -> Iterator[Skipped]:
    """What the surfaces of the settings name and no file of all there are matches; transcripts need not be there yet."""
    names = [settings.relative(candidate.path) for candidate in candidates]
    for surface in settings.surfaces:
        for role in ROLES:
            for glob in getattr(surface, role) if role != "transcripts" else ():
                if not any(matches(glob, name) for name in names):
                    display = display_path(os.path.join(settings.root, glob))
                    yield Skipped(display, f"no file matches `{glob}` of surface `{surface.name}`")


def root_around(path: str) -> str:
    """The folder in which a file's neighbours are looked for: its repository, else the working directory that it lies in.

    Never a home directory or the root of the file system, which hold too much that has nothing to do with it: then the
    file's own folder.
    """
    root = repository_root(path)
    if root is not None:
        return root
    working = working_folder()
    if (
        working is not None
        and is_below(path, working)
        and working not in (os.path.expanduser("~"), os.path.abspath(os.sep))
    ):
        return working
    return os.path.dirname(path)


class Reading(NamedTuple):
    """How one file is to be read: as which language, as which kind if anybody says so, and for which target."""

    path: str
    display: str
    given: bool
    language: str
    kind: str | None
    target: Target
    max_size: int
    data: bytes | None

    @property
    def is_program(self) -> bool:
        """Whether it is a Python file that tools may be defined in: such files are read together."""
        return self.language == "python" and self.kind in (None, "tools")

    def read(self) -> Document:
        return load_document(
            self.path, self.display, self.language, kind=self.kind, max_size=self.max_size, data=self.data
        )


Planned = Callable[[Project, Sequence[Reading]], None]
"""Called with a project and all that will be read into it, before anything is; what it raises ends the run."""


def is_recognised(reading: Reading, settings: Settings) -> bool:
    """Whether a project would take a file in. It is read for that, but for programs, of which that shows only together."""
    if reading.is_program:
        return True
    alone = Project(settings)
    read(alone, [reading])
    return bool(alone.documents)


def _plan(project: Project, candidate: Candidate, kind: str | None, data: bytes | None) -> Reading | None:
    """How a candidate is to be read; None, and where somebody may miss it a note, if it is not."""
    settings = project.settings
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
    if (
        language in TEXT_LANGUAGES
        and kind is None
        and not candidate.given
        and not names_prompt(project.repositories.relative(candidate.path))
        and not (language == "markdown" and holds_tool_list(candidate.path, data))
    ):
        project.skipped.append(Skipped(candidate.display, "not recognised"))
        return None
    if language == "python" and kind is None and role is None and _tests(project, candidate.path):
        project.skipped.append(Skipped(candidate.display, "Python code of tests"))
        return None
    target = target_of(settings, None if role is None else role[0])
    return Reading(
        candidate.path, candidate.display, candidate.given, language, kind, target, settings.max_file_size, data
    )


def _tests(project: Project, path: str) -> bool:
    """Whether a file is a part of the tests of its repository, or of the project that the settings are for."""
    relative = relative_to(path, project.repositories.root(os.path.dirname(path)) or project.settings.root)
    return relative is not None and lies_in_tests(relative)


def _admit(project: Project, document: Document, reading: Reading, *, reported: bool = False) -> None:
    """Take a document into the project, or note why it is left out.

    `reported`: what is found in it may concern a given file although it is none.
    """
    text = document.source.text
    if (
        not reading.given
        and not document.kinds
        and any(problem.code == "syntax" for problem in document.problems)
        and ("{{" in text or "{%" in text)
    ):
        project.skipped.append(Skipped(document.path, "a template of another language"))
        return
    if document.left_out:
        project.unfollowed[reading.path] = f"{document.path}: {document.left_out}"
    if not document.kinds and not document.problems:
        if reading.path != project.settings.path:
            reason = document.left_out or ("not recognised" if document.trees else "empty")
            project.skipped.append(Skipped(document.path, reason))
        return
    project.documents.append(document)
    project._paths[document.path] = reading.path
    project._by_path[document.path] = document
    if project.visit is not None and (reported or project.reports(reading.path)):
        project.visit(document, reading.target)
    project._kept += len(text)
    if project.is_large:
        document.release()
