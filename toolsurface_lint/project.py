"""The project: which documents there are, what each is, and which of them meet in one surface."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from toolsurface_lint.config import Settings, SurfaceSettings
from toolsurface_lint.diagnostics import Skipped
from toolsurface_lint.discovery import (
    Candidate,
    candidate_kind,
    discover,
    display_path,
    matches,
    names_prompt,
    repository_root,
)
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.policy import glob_match
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.target import MANY_TOOLS, Target
from toolsurface_lint.model.workflow import Workflow
from toolsurface_lint.readers.loading import load_document

KEPT_TEXT = 16 * 1024 * 1024
"""Characters of documents that stay in memory; beyond them, a document is read again where it has a finding."""

_ROLES = ("tools", "policy", "approval_policy", "prompts", "transcripts", "templates")
_KIND_OF_ROLE = {
    "tools": "tools",
    "policy": "policy",
    "approval_policy": "approval-policy",
    "prompts": "prompt",
    "transcripts": "transcript",
    "templates": "template",
}
_TEXT_LANGUAGES = ("markdown", "text")


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
        self.given: frozenset[str] | None = None
        self.walked: list[str] = []
        """The folders that were named, as absolute paths."""
        self.empty_folders: tuple[str, ...] = ()
        """The given folders in which nothing was recognised, as displayed."""
        self._paths: dict[str, str] = {}
        self.visit: Callable[[Document, Target], None] | None = None
        self._kept = 0

    def reports(self, path: str) -> bool:
        """Whether findings in the file at this absolute path are reported."""
        return self.given is None or path in self.given

    def relative(self, path: str) -> str:
        """A displayed path relative to the root of the settings, with forward slashes."""
        return os.path.relpath(self._paths.get(path, path), self.settings.root).replace(os.sep, "/")

    def absolute(self, document: Document) -> str:
        return self._paths[document.path]


def load_project(
    paths: Sequence[str],
    settings: Settings,
    *,
    kind: str | None = None,
    stdin: tuple[str, bytes] | None = None,
    visit: Callable[[Document, Target], None] | None = None,
    begin: Callable[[Sequence[Reading]], None] | None = None,
) -> Project:
    """Read the files that `paths` name or hold and put them together into surfaces.

    `kind` is what the files given by name are. `stdin` is the path and the bytes of one more given file. `visit` is called
    with every document that is to be reported on, while it is in memory; `begin` once before the first is read, with what
    will be reported on. Raises `PathMissing`.
    """
    project = Project(settings)
    project.visit = visit
    candidates = discover(paths, settings)
    if stdin is not None:
        path = os.path.abspath(stdin[0])
        candidates = [*(c for c in candidates if c.path != path), Candidate(path, display_path(path), True)]
    project.walked = [os.path.abspath(path) for path in paths if os.path.isdir(path)]
    neighbours = _neighbours(candidates, settings, alone=not project.walked)
    if neighbours or not project.walked:
        project.given = frozenset(candidate.path for candidate in candidates)
        candidates.extend(neighbours)
    unsaved = {} if stdin is None else {os.path.abspath(stdin[0]): stdin[1]}
    readings = [
        reading
        for candidate in candidates
        if (reading := _plan(project, candidate, kind if candidate.given else None, unsaved.get(candidate.path)))
    ]
    if begin is not None:
        begin([reading for reading in readings if project.reports(reading.path)])
    for reading in readings:
        _admit(project, reading.read(), reading)
    claimed = _configured(project, settings)
    rest = [document for document in project.documents if document.path not in claimed]
    _complete(project, rest)
    _infer(project, [document for document in rest if not document.complete])
    if project.given is not None:
        _keep_given(project, project.given)
    project.empty_folders = tuple(
        display_path(path) for path in paths if os.path.isdir(path) and not _holds(project, path)
    )
    return project


def _keep_given(project: Project, given: frozenset[str]) -> None:
    """Forget what was read beside the given files and meets none of them."""
    shown = {document.path for document in project.documents if project.absolute(document) in given}
    project.surfaces = [surface for surface in project.surfaces if not shown.isdisjoint(surface.files)]
    project.workflows = [flow for flow in project.workflows if not shown.isdisjoint(flow.scopes[0].files)]
    for surface in project.surfaces:
        shown.update(surface.files)
    project.documents = [document for document in project.documents if document.path in shown]
    displayed = {display_path(path) for path in given}
    project.skipped = [skipped for skipped in project.skipped if skipped.path in displayed]


def _holds(project: Project, folder: str) -> bool:
    """Whether any document lies below a folder."""
    prefix = os.path.join(os.path.abspath(folder), "")
    return any(project.absolute(document).startswith(prefix) for document in project.documents)


def _neighbours(candidates: list[Candidate], settings: Settings, *, alone: bool) -> list[Candidate]:
    """The other files that may meet those looked at: the rest of their surfaces in the settings, and where only files
    were named (`alone`), for those in no such surface, what lies around them.
    """
    found: dict[str, Candidate] = {}
    members = {candidate.path: _surfaces_of(candidate.path, settings) for candidate in candidates}
    wanted = {surface for surfaces in members.values() for surface in surfaces}
    if wanted:
        for candidate in discover([settings.root], settings):
            if not wanted.isdisjoint(_surfaces_of(candidate.path, settings)):
                found[candidate.path] = candidate
    if alone:
        unclaimed = [path for path, surfaces in members.items() if not surfaces]
        for root in sorted({_root_around(path) for path in unclaimed}):
            found.update((candidate.path, candidate) for candidate in discover([root], settings))
    return [found[path] for path in sorted(found.keys() - members.keys())]


def _surfaces_of(path: str, settings: Settings) -> frozenset[str]:
    """The names of the configured surfaces that a file belongs to."""
    if not settings.surfaces:
        return frozenset()
    relative = os.path.relpath(path, settings.root).replace(os.sep, "/")
    return frozenset(
        surface.name for surface in settings.surfaces if any(matches(glob, relative) for glob in surface.globs)
    )


def _root_around(path: str) -> str:
    """The folder in which a file's neighbours are looked for: its repository, else the working directory that it lies in.

    Never a home directory or the root of the file system, which hold too much that has nothing to do with it: then the
    file's own folder.
    """
    root = repository_root(path)
    if root is not None:
        return root
    working = os.getcwd()
    if path.startswith(os.path.join(working, "")) and working not in (os.path.expanduser("~"), os.path.abspath(os.sep)):
        return working
    return os.path.dirname(path)


def _role_of(relative: str, settings: Settings) -> tuple[SurfaceSettings, str] | None:
    """The first configured surface that a path belongs to, and as what."""
    for surface in settings.surfaces:
        for role in _ROLES:
            if any(matches(glob, relative) for glob in getattr(surface, role)):
                return surface, role
    return None


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

    def read(self) -> Document:
        return load_document(
            self.path, self.display, self.language, kind=self.kind, max_size=self.max_size, data=self.data
        )


def _plan(project: Project, candidate: Candidate, kind: str | None, data: bytes | None) -> Reading | None:
    """How a candidate is to be read; None, and where somebody may miss it a note, if it is not."""
    settings = project.settings
    if candidate.skip is not None:
        project.skipped.append(Skipped(candidate.display, candidate.skip))
        return None
    role = None
    if settings.surfaces or settings.kinds:
        relative = os.path.relpath(candidate.path, settings.root).replace(os.sep, "/")
        role = _role_of(relative, settings)
        if kind is None:
            kind = next((kind for glob, kind in settings.kinds if matches(glob, relative)), None)
    if kind is None and role is not None and role[1] in ("policy", "approval_policy", "prompts"):
        kind = _KIND_OF_ROLE[role[1]]
    language = candidate_kind(candidate.path)
    if language is None:
        if not candidate.given and kind is None and role is None:
            return None
        language = "unknown"
    if language == "python" and kind is None:
        return None
    if (
        language in _TEXT_LANGUAGES
        and kind is None
        and not candidate.given
        and not names_prompt(candidate.display.replace(os.sep, "/"))
    ):
        project.skipped.append(Skipped(candidate.display, "not recognised"))
        return None
    target = _target(settings, role)
    return Reading(
        candidate.path, candidate.display, candidate.given, language, kind, target, settings.max_file_size, data
    )


def _admit(project: Project, document: Document, reading: Reading) -> None:
    """Take a document into the project, or note why it is left out."""
    if not reading.given and not document.kinds and _is_template(document):
        project.skipped.append(Skipped(document.path, "a template of another language"))
        return
    if not document.kinds and not document.problems:
        reason = "not recognised" if document.trees else "empty"
        project.skipped.append(Skipped(document.path, reason))
        return
    project.documents.append(document)
    project._paths[document.path] = reading.path
    if project.visit is not None and project.reports(reading.path):
        project.visit(document, reading.target)
    project._kept += len(document.source.text)
    if project._kept > KEPT_TEXT:
        document.release()


def _target(settings: Settings, role: tuple[SurfaceSettings, str] | None) -> Target:
    """What the settings of a file's surface, or else the settings at large, name as its provider and model."""
    own = settings if role is None else role[0]
    return Target(
        own.provider or settings.provider,
        own.model or settings.model,
        bool(role is not None and role[0].wire_remap),
        own.many_tools or settings.many_tools or MANY_TOOLS,
        own.context_budget or settings.context_budget,
        own.protocol or settings.protocol,
        settings.done_sentinel if own.done_sentinel is None else own.done_sentinel,
        () if role is None else role[0].dispatchers,
    )


def _is_template(document: Document) -> bool:
    """Whether a data file that cannot be read is one that some template engine fills in first."""
    if not any(problem.kind == "syntax" for problem in document.problems):
        return False
    text = document.source.text
    return "{{" in text or "{%" in text


def _configured(project: Project, settings: Settings) -> set[str]:
    """Build the surfaces of the settings; the paths of the documents that they claim."""
    claimed: set[str] = set()
    if not settings.surfaces:
        return claimed
    relatives = {
        document.path: os.path.relpath(project.absolute(document), settings.root).replace(os.sep, "/")
        for document in project.documents
    }
    for configured in settings.surfaces:
        surface = Surface(configured.name)
        surface.tool_search = bool(configured.tool_search)
        surface.target = _target(settings, (configured, "tools"))
        members = []
        for document in project.documents:
            roles = [
                role
                for role in _ROLES
                if any(matches(glob, relatives[document.path]) for glob in getattr(configured, role))
            ]
            if roles:
                claimed.add(document.path)
                members.append(document)
        _fill(surface, members)
        if not surface.tools:
            surface.open_reasons.append("no file that its `tools` name holds a tool")
        project.surfaces.append(surface)
    return claimed


def _complete(project: Project, documents: Iterable[Document]) -> None:
    """Surfaces and workflows that one document describes."""
    target = _target(project.settings, None)
    for document in documents:
        for surface in document.surfaces:
            surface.files.append(document.path)
            surface.open_reasons.extend(document.open_reasons)
            surface.target = target
            project.surfaces.append(surface)
        for workflow in document.workflows:
            for scope in workflow.scopes:
                scope.files.append(document.path)
                scope.target = target
            project.workflows.append(workflow)
        if document.complete:
            surface = Surface(document.path, document=True)
            surface.target = target
            _fill(surface, [document])
            project.surfaces.append(surface)


def _fill(surface: Surface, documents: Iterable[Document]) -> None:
    one_tool_files: dict[str, str] = {}
    for document in documents:
        folder = os.path.dirname(document.path)
        for index, tools in enumerate(document.tool_lists):
            alone = len(document.tool_lists) == 1 and len(tools) == 1
            namespace = one_tool_files.setdefault(folder, folder) if alone else f"{document.path}#{index}"
            for tool in tools:
                tool.namespace = namespace
                tool.origin = document.path
                surface.tools.append(tool)
        surface.policies.extend(document.policies)
        surface.approvals.extend(document.approvals)
        surface.prompts.extend(document.prompts)
        surface.transcripts.extend(document.transcripts)
        surface.open_reasons.extend(document.open_reasons)
        if document.tool_lists and any(problem.kind in ("syntax", "unreadable") for problem in document.problems):
            surface.open_reasons.append(f"{document.path}: part of the file could not be read")
        surface.files.append(document.path)


def _infer(project: Project, documents: list[Document]) -> None:
    """Surfaces from where files lie: each folder that holds tools, with what joins it from above and beside."""
    folders: dict[str, list[Document]] = {}
    for document in documents:
        if document.tool_lists:
            folders.setdefault(os.path.dirname(project.absolute(document)), []).append(document)
    members: dict[frozenset[str], list[Document]] = {frozenset((folder,)): [] for folder in folders}
    tool_folders = _ToolFolders(folders, project.walked)
    for document in documents:
        members_only = document.prompts or document.policies or document.approvals or document.transcripts
        if document.tool_lists or not members_only:
            continue
        joined = tool_folders.joined_by(project.absolute(document))
        alone = not document.prompts and not document.transcripts
        if len(joined) > 1 and alone and not _speaks_of(document, [folders[name] for name in joined]):
            joined = frozenset()
        members.setdefault(joined, []).append(document)
    broken = {
        os.path.dirname(project.absolute(document)): document.path
        for document in documents
        if not document.kinds and any(problem.kind in ("syntax", "unreadable") for problem in document.problems)
    }
    groups: list[tuple[str, list[Document], list[str]]] = []
    for joined, joining in members.items():
        tool_documents = [document for folder in sorted(joined) for document in folders[folder]]
        reasons = [f"{broken[folder]}: could not be read" for folder in sorted(joined) if folder in broken]
        groups.append((_name(project, sorted(joined)), [*tool_documents, *joining], reasons))
    if project.given is not None:
        groups = _given_group(project, groups)
    for name, group, reasons in groups:
        surface = Surface(name, inferred=True)
        surface.target = _target(project.settings, None)
        _fill(surface, group)
        surface.open_reasons.extend(reasons)
        if not surface.tools:
            surface.open_reasons.append("no tools were found beside it")
        if surface.tools or surface.prompts or surface.policies or surface.approvals or surface.transcripts:
            project.surfaces.append(surface)


def _speaks_of(document: Document, folders: Iterable[list[Document]]) -> bool:
    """Whether the policies of a document name any tool of these folders, so that several unrelated ones are not judged."""
    patterns = [str(node.value) for policy in document.policies for node in policy.tools]
    patterns.extend(str(constraint.tool.value) for policy in document.policies for constraint in policy.constraints)
    patterns.extend(str(pattern.node.value) for approval in document.approvals for pattern in approval.patterns())
    patterns.extend(name for policy in document.policies for name in policy.annotations)
    wanted = [pattern for pattern in patterns if pattern != "*"]
    return any(
        glob_match(pattern, tool.text)
        for documents in folders
        for found in documents
        for tools in found.tool_lists
        for tool in tools
        for pattern in wanted
    )


def _given_group(
    project: Project, groups: list[tuple[str, list[Document], list[str]]]
) -> list[tuple[str, list[Document], list[str]]]:
    """The files given by name, and what belongs with any of them, as one surface."""
    assert project.given is not None
    merged: dict[str, Document] = {}
    reasons: list[str] = []
    for _, group, group_reasons in groups:
        if any(project.absolute(document) in project.given for document in group):
            merged.update((document.path, document) for document in group)
            reasons.extend(group_reasons)
    return [("default", [merged[path] for path in sorted(merged)], reasons)] if merged else []


class _ToolFolders:
    """The folders that directly hold tools, asked which of them a file elsewhere joins.

    Every ancestor knows the tool folders below it, and every folder is asked once, so that a large tree costs its files
    and not their product with its folders.
    """

    def __init__(self, folders: Iterable[str], walked: Sequence[str]) -> None:
        self._walked = walked
        self._joined: dict[str, frozenset[str]] = {}
        below: dict[str, list[str]] = {}
        for folder in folders:
            ancestor = folder
            while True:
                below.setdefault(ancestor, []).append(folder)
                parent = os.path.dirname(ancestor)
                if parent == ancestor:
                    break
                ancestor = parent
        self._below = {ancestor: frozenset(found) for ancestor, found in below.items()}

    def joined_by(self, path: str) -> frozenset[str]:
        """The tool folders below the lowest ancestor of a file that has any.

        Not beyond the root of its repository, or outside of one, beyond the folder that was named.
        """
        folder = os.path.dirname(path)
        found = self._joined.get(folder)
        if found is None:
            found = self._joined[folder] = self._find(folder)
        return found

    def _find(self, folder: str) -> frozenset[str]:
        inside = os.path.join(folder, "")
        boundary = repository_root(folder) or next(
            (root for root in self._walked if inside.startswith(os.path.join(root, ""))), None
        )
        while True:
            below = self._below.get(folder, frozenset())
            parent = os.path.dirname(folder)
            if below or folder == boundary or parent == folder:
                return below
            folder = parent


def _name(project: Project, folders: list[str]) -> str:
    if not folders:
        return "default"
    shared = display_path(os.path.commonpath(folders))
    return "default" if shared in (".", "") else shared
