"""The project: which documents there are, what each is, and which of them meet in one surface."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
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
from toolsurface_lint.model.servers import Servers
from toolsurface_lint.model.siblings import siblings_of
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.target import MANY_TOOLS, Target
from toolsurface_lint.model.workflow import Workflow
from toolsurface_lint.readers.loading import holds_tool_list, load_document

KEPT_TEXT = 12 * 1024 * 1024
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
        """Called with every document that is to be reported on, while it is in memory."""
        self._by_path: dict[str, Document] = {}
        self._kept = 0

    @property
    def is_large(self) -> bool:
        """Whether there is more text than is kept in memory."""
        return self._kept > KEPT_TEXT

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
        return os.path.relpath(self._paths.get(path, path), self.settings.root).replace(os.sep, "/")

    def absolute(self, document: Document) -> str:
        return self._paths[document.path]

    def keep_given(self, given: frozenset[str]) -> None:
        """Report on the files at these absolute paths only, and forget what meets none of them."""
        self.given = given
        shown = {document.path for document in self.documents if self.absolute(document) in given}
        self.surfaces = [surface for surface in self.surfaces if not shown.isdisjoint(surface.files)]
        self.workflows = [flow for flow in self.workflows if not shown.isdisjoint(flow.scopes[0].files)]
        for surface in self.surfaces:
            shown.update(surface.files)
        self.documents = [document for document in self.documents if document.path in shown]
        displayed = {display_path(path) for path in given}
        self.skipped = [skipped for skipped in self.skipped if skipped.path in displayed]


class Reader:
    """Reads files to documents, each time anew. A language server puts one in its place that remembers."""

    def read(self, reading: Reading) -> Document:
        """The document of a file that is no program."""
        return reading.read()

    def read_programs(self, readings: Sequence[Reading]) -> dict[str, Document]:
        """The documents of those Python files, of all of a project, that define tools or prompts, by absolute path."""
        from toolsurface_lint.readers.python.documents import PythonFile, read_python_documents

        return read_python_documents(
            [PythonFile(each.path, each.display, each.given, each.kind, each.max_size, each.data) for each in readings]
        )


def load_project(
    paths: Sequence[str], settings: Settings, *, kind: str | None = None, unsaved: Mapping[str, bytes] | None = None
) -> Project:
    """Read the files that `paths` name or hold and put them together into surfaces.

    `kind` is what the files given by name are. `unsaved` has the bytes of files, by absolute path, that are not, or not
    as they are, on disk. Raises `PathMissing`.
    """
    project = Project(settings)
    read(project, plan_readings(project, paths, kind=kind, unsaved=unsaved))
    finish(project, paths)
    return project


def plan_readings(
    project: Project, paths: Sequence[str], *, kind: str | None = None, unsaved: Mapping[str, bytes] | None = None
) -> list[Reading]:
    """How each file of a project is to be read, before any is; see `load_project`. Raises `PathMissing`."""
    settings = project.settings
    unsaved = unsaved or {}
    candidates = discover(paths, settings, unsaved)
    project.walked = [os.path.abspath(path) for path in paths if os.path.isdir(path)]
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
    """Read files of a project and take in their documents."""
    reader = reader or Reader()
    programs = [reading for reading in readings if reading.is_program]
    for reading in readings:
        if not reading.is_program:
            _admit(project, reader.read(reading), reading)
    if programs:
        _admit_programs(project, programs, reader.read_programs(programs))


def finish(project: Project, paths: Iterable[str]) -> None:
    """Put what was read for `paths` together into surfaces, and keep what concerns them."""
    group(project)
    if project.given is not None:
        project.keep_given(project.given)
    project.empty_folders = tuple(
        display_path(path) for path in paths if os.path.isdir(path) and not _holds(project, path)
    )


def group(project: Project) -> None:
    """Put the documents of a project together into its surfaces."""
    claimed = _configured(project, project.settings)
    if claimed and any(document.responses for document in project.documents):
        _join_responses(project, claimed)
    rest = [document for document in project.documents if document.path not in claimed]
    _complete(project, rest)
    _infer(project, [document for document in rest if not document.complete])
    if any(document.responses for document in project.documents):
        _leave_out_responses(project)
    servers = Servers(project.documents)
    for surface in project.surfaces:
        surface.servers = servers


def _holds(project: Project, folder: str) -> bool:
    """Whether any document lies below a folder."""
    prefix = os.path.join(os.path.abspath(folder), "")
    return any(project.absolute(document).startswith(prefix) for document in project.documents)


def files_of(paths: Sequence[str], settings: Settings) -> list[str]:
    """The absolute paths of the files that a run on `paths` may read, those of their surfaces too. Raises `PathMissing`."""
    candidates = discover(paths, settings)
    alone = not any(os.path.isdir(path) for path in paths)
    return [candidate.path for candidate in (*candidates, *_neighbours(candidates, settings, alone=alone))]


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

    @property
    def is_program(self) -> bool:
        """Whether it is a Python file that tools may be defined in: such files are read together."""
        return self.language == "python" and self.kind in (None, "tools")

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
    language = candidate_kind(candidate.path)
    # A program among the prompts holds some: it is none.
    named = ("policy", "approval_policy") if language == "python" else ("policy", "approval_policy", "prompts")
    if kind is None and role is not None and role[1] in named:
        kind = _KIND_OF_ROLE[role[1]]
    if kind is None and role is not None:
        if role[1] == "templates":
            kind = "template"
        elif role[1] == "transcripts" and language in _TEXT_LANGUAGES:
            # A transcript that is plain text is one response.
            kind = "response"
    if language is None:
        if not candidate.given and kind is None and role is None:
            return None
        language = "unknown"
    if (
        language in _TEXT_LANGUAGES
        and kind is None
        and not candidate.given
        and not names_prompt(candidate.display.replace(os.sep, "/"))
        and not (language == "markdown" and holds_tool_list(candidate.path, data))
    ):
        project.skipped.append(Skipped(candidate.display, "not recognised"))
        return None
    target = _target(settings, role)
    return Reading(
        candidate.path, candidate.display, candidate.given, language, kind, target, settings.max_file_size, data
    )


def _admit_programs(project: Project, readings: Sequence[Reading], documents: Mapping[str, Document]) -> None:
    """Take in the Python files that define tools or prompts; the others are noted only if somebody named them."""
    # A tool's name may stand in a given file, and the tool in another one.
    reported = {document.folder for path, document in documents.items() if project.reports(path)} - {""}
    for reading in readings:
        document = documents.get(reading.path)
        if document is not None:
            _admit(project, document, reading, reported=document.folder in reported)
        elif reading.given:
            project.skipped.append(Skipped(reading.display, "not recognised"))


def _admit(project: Project, document: Document, reading: Reading, *, reported: bool = False) -> None:
    """Take a document into the project, or note why it is left out.

    `reported`: what is found in it may concern a given file although it is none.
    """
    if not reading.given and not document.kinds and _is_template(document):
        project.skipped.append(Skipped(document.path, "a template of another language"))
        return
    if not document.kinds and not document.problems:
        reason = "not recognised" if document.trees else "empty"
        project.skipped.append(Skipped(document.path, reason))
        return
    project.documents.append(document)
    project._paths[document.path] = reading.path
    project._by_path[document.path] = document
    if project.visit is not None and (reported or project.reports(reading.path)):
        project.visit(document, reading.target)
    project._kept += len(document.source.text)
    if project.is_large:
        # What rules about surfaces ask of a tool's texts has to be read while they are in memory.
        for tools in document.tool_lists:
            for tool in tools:
                siblings_of(tool)
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
        settings.builtin_tools,
        own.template_variables,
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
            # Assigned, not added: a language server puts one document into project after project.
            surface.files = [document.path]
            surface.open_reasons.extend(text for text in document.open_reasons if text not in surface.open_reasons)
            surface.target = target
            project.surfaces.append(surface)
        for workflow in document.workflows:
            for scope in workflow.scopes:
                scope.files = [document.path]
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
            surface.tools.extend(tools)
            # Python's tools have the namespace of their server already, which more files may add to.
            if document.language == "python":
                continue
            alone = len(document.tool_lists) == 1 and len(tools) == 1
            namespace = one_tool_files.setdefault(folder, folder) if alone else f"{document.path}#{index}"
            for tool in tools:
                tool.namespace = namespace
                tool.origin = document.path
        surface.policies.extend(document.policies)
        surface.approvals.extend(document.approvals)
        surface.permissions.extend(document.permissions)
        surface.prompts.extend(document.prompts)
        surface.templates.extend(document.templates)
        surface.responses.extend(document.responses)
        surface.transcripts.extend(document.transcripts)
        surface.open_reasons.extend(text for text in document.open_reasons if text not in surface.open_reasons)
        if document.tool_lists and any(problem.kind in ("syntax", "unreadable") for problem in document.problems):
            surface.open_reasons.append(f"{document.path}: part of the file could not be read")
        surface.files.append(document.path)


def _infer(project: Project, documents: list[Document]) -> None:
    """Surfaces from where files lie: each folder that holds tools, with what joins it from above and beside."""
    folders = _folders_with_tools(project, documents)
    members: dict[frozenset[str], list[Document]] = {frozenset((folder,)): [] for folder in folders}
    tool_folders = _ToolFolders(folders, project.walked)
    for document in documents:
        if not _joins(document, folders):
            continue
        joined = tool_folders.joined_by(project.absolute(document))
        if len(joined) > 1 and not _texts(document) and not _speaks_of(document, [folders[name] for name in joined]):
            joined = frozenset()
        members.setdefault(joined, []).append(document)
    broken = {
        os.path.dirname(project.absolute(document)): document.path
        for document in documents
        # One that says itself what that leaves open has said it where it matters.
        if not document.kinds
        and not document.open_reasons
        and any(problem.kind in ("syntax", "unreadable") for problem in document.problems)
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
        if surface.tools or surface.policies or surface.approvals or _holds_text(surface):
            project.surfaces.append(surface)


def _folders_with_tools(project: Project, documents: Iterable[Document]) -> dict[str, list[Document]]:
    """The folders that directly hold tools, each with the documents that declare them."""
    folders: dict[str, list[Document]] = {}
    for document in documents:
        if document.tool_lists or document.folder:
            folder = document.folder or os.path.dirname(project.absolute(document))
            folders.setdefault(folder, []).append(document)
    return {folder: held for folder, held in folders.items() if any(document.tool_lists for document in held)}


def _texts(document: Document) -> bool:
    """Whether a document holds anything that is written for a model or by one."""
    return bool(document.prompts or document.templates or document.responses or document.transcripts)


def _joins(document: Document, folders: Container[str]) -> bool:
    """Whether a document joins the tools that lie around it."""
    if document.tool_lists or document.folder in folders:
        return False
    return bool(_texts(document) or document.policies or document.approvals)


def stands_alone(project: Project, shared: Container[str]) -> bool:
    """Whether nothing in these documents has to do with any others, of which some lie in or below the folders `shared`.

    `shared` are folders with all that they lie in. Every other folder that has any of the documents has all of its own.
    """
    if any(
        document.responses
        or document.transcripts
        or document.server_files
        or any(permissions.asks_for_servers for permissions in document.permissions)
        for document in project.documents
    ):
        return False
    inferred = [document for document in project.documents if not document.complete]
    folders = _folders_with_tools(project, inferred)
    tool_folders = _ToolFolders(folders, project.walked)
    for document in inferred:
        if _joins(document, folders):
            path = project.absolute(document)
            joined = tool_folders.joined_by(path)
            if tool_folders.lowest(path) in shared or not joined or (len(joined) > 1 and not _texts(document)):
                return False
    return True


def _holds_text(surface: Surface) -> bool:
    """Whether a surface has anything that is written for a model or by one."""
    return bool(surface.prompts or surface.templates or surface.responses or surface.transcripts)


def _join_responses(project: Project, claimed: set[str]) -> None:
    """Let responses that the settings name as such, but in no surface, join the configured surface that they lie by."""
    surfaces: dict[str, list[Surface]] = {}
    for surface in project.surfaces:
        for tool_path in {tool.origin for tool in surface.tools}:
            surfaces.setdefault(os.path.dirname(project._paths.get(tool_path, tool_path)), []).append(surface)
    folders = _ToolFolders(surfaces, project.walked)
    for document in project.documents:
        if not document.responses or document.path in claimed:
            continue
        found = {id(one): one for folder in folders.joined_by(project.absolute(document)) for one in surfaces[folder]}
        if len(found) == 1:
            _fill(next(iter(found.values())), [document])
            claimed.add(document.path)


def _leave_out_responses(project: Project) -> None:
    """Note the responses for which nobody says a protocol and none is plain; nothing can be said of them."""
    skipped = set()
    for surface in project.surfaces:
        for response in surface.responses:
            if surface.target.protocol is None and response.protocol is None:
                skipped.add(response.origin)
        surface.responses = [response for response in surface.responses if response.origin not in skipped]
        surface.files = [path for path in surface.files if path not in skipped]
    if skipped:
        project.skipped.extend(Skipped(path, "a response of no known protocol") for path in sorted(skipped))
        project.documents = [document for document in project.documents if document.path not in skipped]
        project.surfaces = [surface for surface in project.surfaces if surface.files]


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
        self._found: dict[str, str] = {}
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
        return self._below.get(self.lowest(path), frozenset())

    def lowest(self, path: str) -> str:
        """The lowest ancestor of a file that has tool folders below, or where the search ends."""
        folder = os.path.dirname(path)
        found = self._found.get(folder)
        if found is None:
            found = self._found[folder] = self._climb(folder)
        return found

    def _climb(self, folder: str) -> str:
        inside = os.path.join(folder, "")
        boundary = repository_root(folder) or next(
            (root for root in self._walked if inside.startswith(os.path.join(root, ""))), None
        )
        while True:
            parent = os.path.dirname(folder)
            if folder in self._below or folder == boundary or parent == folder:
                return folder
            folder = parent


def _name(project: Project, folders: list[str]) -> str:
    if not folders:
        return "default"
    shared = display_path(os.path.commonpath(folders))
    return "default" if shared in (".", "") else shared
