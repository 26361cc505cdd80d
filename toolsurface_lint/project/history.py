"""What earlier commits declared: the tools that a surface had in the last commit, or where the branch began, and has no more.

Git is asked when a prompt names something that may be a tool and is not declared, and then once for each repository. Of
an earlier version, only files are read that may have declared tools and are not as they were.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

from toolsurface_lint.model.document import Document
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import FindFormer, FormerTool
from toolsurface_lint.project.discovery import Candidate
from toolsurface_lint.project.discovery.names import candidate_kind
from toolsurface_lint.project.discovery.paths import display_path, relative_to, with_parents
from toolsurface_lint.project.git import GitFailed, Repository
from toolsurface_lint.project.project import Project, Reader, Reading
from toolsurface_lint.project.roles import surfaces_of
from toolsurface_lint.source import disk
from toolsurface_lint.source.files import read_bytes
from toolsurface_lint.source.languages import PROGRAMS

MOST_FILES = 256
"""How many files of one commit are read, of those that are not as they were."""

MOST_BYTES = 1024 * 1024
"""The size up to which the earlier version of a file is read."""

_DATA = ("json", "jsonl", "yaml", "toml")

_WORD = re.compile(rb"[A-Za-z0-9_]+")
_DEFINED = re.compile(rb"\b(?:def|class)[ \t]+([A-Za-z0-9_]+)|[\"']([A-Za-z0-9_.:/-]+)[\"']")


class _Changed(NamedTuple):
    """A file that is not as it was: how it was read, the id of what it was, and how it is read now, if it is still there."""

    before: Reading
    then: str
    now: Reading | None


class _Earlier(NamedTuple):
    """An earlier version of a file: its names of tools, and the folder that they were of, empty for a whole surface.

    Both paths are absolute.
    """

    path: str
    folder: str
    names: tuple[str, ...]


class History:
    """What has been read of earlier commits. A language server keeps it from one project of a folder to the next."""

    def __init__(self) -> None:
        self.tree = lru_cache(maxsize=4)(Repository.tree)
        self.blobs = lru_cache(maxsize=4)(Repository.blobs)
        self._base = lru_cache(maxsize=1)(_base)
        self._ids: dict[str, tuple[tuple[int, ...], str]] = {}
        """Of each file on disk that was asked about what changes with its content, and its id."""
        self._earlier: dict[tuple[object, ...], list[_Earlier]] = {}

    def of(self, project: Project) -> Callable[[Surface], FindFormer]:
        """What gives the former tools of each surface of a project; git is not asked before they are."""
        past = _Past(self, project)
        return lambda surface: cache(_FormerTools(past, surface).find)

    def commits(self, repository: Repository) -> list[str]:
        """The ids of the last commit and of the one from which the branch went apart from the default one."""
        head, default = repository.head(), repository.default_branch()
        if head is None:
            return []
        base = None if default in (None, head) else self._base(repository, head, default)
        return [head] if base in (None, head) else [head, base]

    def present(self, reading: Reading, like: str) -> str:
        """The id that git gives to the present content of a file, of the same kind as another id; empty if there is none."""
        try:
            if reading.data is not None:
                return _id(reading.data, len(like))
            status = disk.stat(reading.path)
            stamp = (reading.max_size, len(like), status.st_mtime_ns, status.st_size)
            known = self._ids.get(reading.path)
            if known is None or known[0] != stamp:
                known = self._ids[reading.path] = stamp, _id(read_bytes(reading.path, reading.max_size), len(like))
            return known[1]
        except OSError:
            return ""

    def earlier(self, key: tuple[object, ...], read: Callable[[], Iterable[_Earlier]]) -> list[_Earlier]:
        """Earlier versions of files, which are read once; `key` says which."""
        if key not in self._earlier:
            if len(self._earlier) == MOST_FILES:
                self._earlier.clear()
            self._earlier[key] = list(read())
        return self._earlier[key]


class _Past:
    """The past of all files of one project."""

    def __init__(self, history: History, project: Project) -> None:
        self.history = history
        self.project = project
        # Later, it keeps those only that meet what was asked for.
        self._documents = list(project.documents)

    @cached_property
    def documents(self) -> dict[str, Document]:
        """The documents with tools, by absolute path."""
        project = self.project
        return {
            project.absolute(document): document
            for document in self._documents
            if any(document.tool_lists) or any(scope.tools for scope in document.scopes)
        }

    @cached_property
    def declared(self) -> frozenset[str]:
        """The names of all tools that the project has now, wherever."""
        return frozenset(name for document in self.documents.values() for name in _names(document))

    @cached_property
    def folders(self) -> frozenset[str]:
        """The folders that hold tools, or that tools are of."""
        return frozenset(folder for path, document in self.documents.items() for folder in _folders(path, document))

    def folders_of(self, path: str) -> set[str]:
        """The folders that the tools of a file are of, or, of one that is gone, those of the tools that it lay by."""
        document = self.documents.get(path)
        if document is not None:
            return {os.path.dirname(path), *_folders(path, document)}
        above = with_parents(os.path.dirname(path))
        return {next((folder for folder in above if folder in self.folders), os.path.dirname(path))}

    @cached_property
    def changes(self) -> list[_Changes]:
        """What has changed since earlier commits, in one folder each; what the last commit had comes first."""
        found: list[_Changes] = []
        roots = {self.project.repositories.root(folder) for folder in set(map(os.path.dirname, self.documents))}
        for root in sorted(root for root in roots if root is not None):
            # What cannot be known is no evidence.
            with suppress(GitFailed):
                repository = Repository.at(root)
                if repository is not None:
                    found.extend(self._commits(repository))
        return found

    def _commits(self, repository: Repository) -> Iterator[_Changes]:
        for index, commit in enumerate(self.history.commits(repository)):
            tree = self.history.tree(repository, commit)
            changed = self._changed(repository, tree)
            contents = self.history.blobs(repository, tuple(each.then for each in changed), MOST_BYTES)
            together: dict[tuple[bool, str], list[_Changed]] = {}
            for each in changed:
                if each.then in contents:
                    before = each.before._replace(data=contents[each.then])
                    folder = min(self.folders_of(before.path), key=len)
                    together.setdefault((before.is_program, folder), []).append(each._replace(before=before))
            for some in together.values():
                yield _Changes(self, repository.root, tree, some, branch=index > 0)

    def _changed(self, repository: Repository, tree: dict[str, str]) -> list[_Changed]:
        """The files that are not as they were, of those that hold tools or are gone from beside them."""
        changed: list[_Changed] = []
        gone: list[_Changed] = []
        for name, then in tree.items():
            language = candidate_kind(name)
            if language not in PROGRAMS and language not in _DATA:
                continue
            path = os.path.join(repository.root, *name.split("/"))
            reading = self.project.readings.get(path)
            if reading is not None:
                if path in self.documents and self.history.present(reading, then) != then:
                    changed.append(_Changed(reading, then, reading))
            elif self._lay_beside_tools(path, language) and not disk.lexists(path):
                planned = self.project.plan_gone(Candidate(path, display_path(path), False))
                if planned is not None:
                    gone.append(_Changed(planned, then, None))
        return [*changed, *gone][:MOST_FILES]

    def _lay_beside_tools(self, path: str, language: str) -> bool:
        folder = os.path.dirname(path)
        # Programs of one server may lie further down.
        return not self.folders.isdisjoint(with_parents(folder) if language in PROGRAMS else (folder,))


class _Changes:
    """Files of an earlier commit that are not as they were, of one folder: all of them are programs, or none is.

    `branch`: it is not the last commit, but the one where the branch began.
    """

    def __init__(
        self, past: _Past, root: str, tree: dict[str, str], changed: Sequence[_Changed], *, branch: bool
    ) -> None:
        self._past = past
        self._root = root
        self._tree = tree
        self._changed = changed
        self.branch = branch
        self._renamed = cache(self._renamings)

    def declared(self, name: str) -> list[_Earlier]:
        """The earlier versions of files that declared a name which nothing declares now."""
        if name in self._past.declared:
            return []
        written = name.encode(errors="replace")
        # A look at what is written where files have changed is quicker than reading them, above all if they are programs.
        names = [written] if self._are_programs else _WORD.findall(written)
        return self._declared.get(name, []) if self._written.issuperset(names) else []

    @cached_property
    def paths(self) -> frozenset[str]:
        return frozenset(each.before.path for each in self._changed)

    @cached_property
    def folders(self) -> frozenset[str]:
        """The folders that the tools of these files are of."""
        return frozenset(folder for path in self.paths for folder in self._past.folders_of(path))

    @property
    def _are_programs(self) -> bool:
        return self._changed[0].before.is_program

    @cached_property
    def _written(self) -> frozenset[bytes]:
        """The words of the lines that are not there any more; of programs, the names that they define or quote."""
        lines = (line for each in self._changed for line in self._lines(each))
        if self._are_programs:
            return frozenset(match[1] or match[2] for line in lines for match in _DEFINED.finditer(line))
        return frozenset(word for line in lines for word in _WORD.findall(line))

    def _lines(self, changed: _Changed) -> Iterator[bytes]:
        now: set[bytes] = set()
        with suppress(OSError):
            if changed.now is not None:
                now.update(_bytes(changed.now).splitlines())
        above = b""
        for line in _bytes(changed.before).splitlines():
            # A decorator may name what is defined below it.
            if line not in now or (above and above not in now):
                yield line
            above = line

    @cached_property
    def _declared(self) -> dict[str, list[_Earlier]]:
        key = (self._root, *((each.before.path, each.then) for each in self._changed))
        declared: dict[str, list[_Earlier]] = {}
        for each in self._past.history.earlier(key, self._read):
            for name in each.names:
                declared.setdefault(name, []).append(each)
        return declared

    def _read(self) -> Iterator[_Earlier]:
        then = [each.before for each in self._changed]
        if not self._are_programs:
            for reading in then:
                yield from _earlier(reading.path, reading.read())
            return
        # Programs import one another: those around are read with them, as they are.
        programs = {
            path: reading
            for path, reading in self._past.project.readings.items()
            if reading.is_program
            and relative_to(path, self._root) in self._tree
            and not self.folders.isdisjoint(with_parents(os.path.dirname(path)))
        }
        programs.update((reading.path, reading) for reading in then)
        for path, document in Reader().read_programs([programs[path] for path in sorted(programs)]).items():
            yield from _earlier(path, document)

    def renamed(self, name: str, earlier: _Earlier) -> str | None:
        """The present name of a tool, if its file plainly has one tool in the place of the other."""
        return self._renamed(earlier).get(name)

    def _renamings(self, earlier: _Earlier) -> dict[str, str]:
        document = self._past.documents.get(earlier.path)
        now = () if document is None else _names(document)
        new, old = _between(now, frozenset(earlier.names)), _between(earlier.names, frozenset(now))
        return {
            names[0]: new[place][0] for place, names in old.items() if len(names) == 1 and len(new.get(place, ())) == 1
        }


class _FormerTools:
    """The tools that a surface had and has no more, by name."""

    def __init__(self, past: _Past, surface: Surface) -> None:
        self._past = past
        self._surface = surface

    def find(self, name: str) -> FormerTool | None:
        for changes in self._past.changes:
            for earlier in changes.declared(name) if self._may_hold(changes) else ():
                if self._holds(earlier):
                    return FormerTool(changes.branch, changes.renamed(name, earlier))
        return None

    def _may_hold(self, changes: _Changes) -> bool:
        """Whether any of the files may have had tools of the surface, as far as that is known before they are read."""
        if not self._surface.inferred:
            return True
        return not (self._files.isdisjoint(changes.paths) and self._folders.isdisjoint(changes.folders))

    def _holds(self, earlier: _Earlier) -> bool:
        surface = self._surface
        configured = surfaces_of(earlier.path, self._past.project.settings)
        if configured or not (surface.inferred or surface.document):
            return surface.name in configured
        if earlier.path in self._files:
            return True
        return surface.inferred and earlier.folder in self._folders

    @cached_property
    def _files(self) -> frozenset[str]:
        return frozenset(map(self._past.project.full_path, self._surface.files))

    @cached_property
    def _folders(self) -> frozenset[str]:
        documents = self._past.documents
        return frozenset(
            folder for path in self._files if path in documents for folder in _folders(path, documents[path])
        )


def _names(document: Document) -> tuple[str, ...]:
    lists = (*document.tool_lists, *(scope.tools for scope in document.scopes))
    return tuple(dict.fromkeys(tool.name for tools in lists for tool in tools))


def _folders(path: str, document: Document) -> tuple[str, ...]:
    """The folders that a document's tools are of, its own and that of its server; none if it is a surface by itself."""
    if document.complete or not document.tool_lists:
        return ()
    return tuple(filter(None, (os.path.dirname(path), document.folder)))


def _earlier(path: str, document: Document) -> Iterator[_Earlier]:
    names = _names(document)
    if names:
        folders = _folders(path, document)
        yield _Earlier(path, folders[-1] if folders else "", names)


def _base(repository: Repository, head: str, default: str) -> str | None:
    with suppress(GitFailed):
        return repository.merge_base(head, default)
    return None


def _bytes(reading: Reading) -> bytes:
    return read_bytes(reading.path, reading.max_size) if reading.data is None else reading.data


def _id(data: bytes, letters: int) -> str:
    """The id that git gives to the content of a file: by SHA-1, or of 64 letters by SHA-256."""
    import hashlib

    new = hashlib.sha1 if letters == 40 else hashlib.sha256
    found = new(b"blob %d\0" % len(data), usedforsecurity=False)
    found.update(data)
    return found.hexdigest()


_Place = tuple[str, str]
"""The names before and after a stretch of names that only one of two lists has; empty at the ends."""


def _between(names: Iterable[str], kept: frozenset[str]) -> dict[_Place, list[str]]:
    """The names of a list that are not kept, by their place."""
    found: dict[_Place, list[str]] = {}
    before = ""
    waiting: list[str] = []
    for name in (*names, ""):
        if name in kept or not name:
            if waiting:
                found[before, name] = waiting
            before, waiting = name, []
        else:
            waiting.append(name)
    return found
