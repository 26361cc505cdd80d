"""The only door to git: the one place that starts it, and what it may read.

A repository's own configuration, hooks and attributes name programs, and whoever wrote the repository wrote them. Git
therefore never sees them. It gets a git directory of ours, without any configuration (`no_configuration/`), and only
paths into the repository: its index, its objects, its work tree and its list of excluded files. The user's and the
system's configuration is not read either, but for the one value that says which files the user ignores everywhere.

Of earlier commits, git is asked for objects by their ids only: the names of commits, which may lead anywhere, are looked
up here. An object that is missing, as in a shallow or partial clone, is an error and nothing else.

Nothing here depends on a version of git: 2.30 and later are supported and tested. `GIT_NO_LAZY_FETCH`, which git knows
from 2.44 on, and `GIT_ALLOW_PROTOCOL` are second locks on the door that is the easiest to open by mistake: without a
configuration no remote exists that git could fetch a missing object from.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from toolsurface_lint.project.discovery.paths import with_parents
from toolsurface_lint.project.git.process import MOST_GIVEN, GitFailed, run
from toolsurface_lint.source import disk
from toolsurface_lint.source.files import read_bytes

__all__ = ["GitFailed", "Repository"]

_OURS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "no_configuration")

_SHA256 = re.compile(rb"^[ \t]*objectformat[ \t]*=[ \t]*\"?sha256", re.IGNORECASE | re.MULTILINE)

_SMALL = 1024 * 1024
"""More bytes than the small files of a git directory have (`commondir`, `config`, a `.git` that is a file)."""

_MOST_REFS = 16 * 1024 * 1024
"""Bytes of the list of packed references that are read: those of about two hundred thousand."""

_MOST_PATHS = 64 * 1024 * 1024
"""Bytes of a list of files. Trees may name one another so often that their files could not be listed in a lifetime."""

_ID = rb"[0-9a-f]{40}(?:[0-9a-f]{24})?"

_REFERENCE = r"(?s)refs/(?!.*(?:\.\.|//))[^\x00-\x20\\:?*\[~^\x7f]+"
"""The name of a reference that is a path below `refs`, and leads nowhere else."""

_REVISION = re.compile(
    r"(?s)(?P<name>[^\x00-\x20\\:?*\[~^\x7f-][^\x00-\x20\\:?*\[~^\x7f]*)(?P<steps>(?:[~^][0-9]{0,6}){0,16})"
)
"""A name of a commit, and the steps to one of its ancestors: `HEAD~1`, `v1.2^`, `origin/main`."""

_REFERENCES = ("refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}", "refs/remotes/{}/HEAD")
"""What the short name of a reference may mean, in git's order."""

_DEFAULT_BRANCHES = ("refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master")

_SEALED = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
"""The environment of git, but for what a machine needs to start any program. It holds no `HOME`: git before 2.32 does not
know `GIT_CONFIG_GLOBAL`, and finds no configuration of the user without a home either."""

_MACHINE = ("PATH", "SYSTEMROOT", "DEVELOPER_DIR")
"""Variables that programs need to start at all: everywhere, on Windows, and for the `git` of macOS that starts another."""

_HOME = ("HOME", "XDG_CONFIG_HOME", "USERPROFILE")


class Repository(NamedTuple):
    """A repository on disk, as far as it can be known without obeying its configuration.

    `root` is the folder of its work tree, `directory` its git directory, `common` what linked work trees share of that;
    all of them are absolute.
    """

    root: str
    directory: str
    common: str

    @classmethod
    def around(cls, folder: str) -> Repository | None:
        """The repository whose work tree an absolute folder lies in; None outside any.

        As with git, a folder `.git` that is not a git directory is passed over, and a file `.git` that does not name one is
        an error: raises `GitFailed`. A bare repository inside a work tree is a folder like any other, which git disputes.
        """
        return next((found for parent in with_parents(folder) if (found := cls.at(parent)) is not None), None)

    @classmethod
    def at(cls, folder: str) -> Repository | None:
        """The repository whose work tree an absolute folder is; None if it is that of none. Raises `GitFailed`."""
        directory = _named_directory(os.path.join(folder, ".git"))
        if directory is None or not _is_git_directory(directory):
            return None
        return cls(folder, directory, _common_directory(directory))

    def files(self, folder: str) -> list[str]:
        """What git tracks or would track below an absolute folder, relative to it; a repository further down ends in `/`.

        Raises `GitFailed`.
        """
        # After `--exclude-standard` the patterns of the repository outrank those of the user, as they do in git.
        own = [f"--exclude-from={path}" for path in self._excluded()]
        output = self._run(folder, _user_excludes(), "ls-files", "-c", "-o", "-z", "--exclude-standard", *own)
        # Unmerged files are listed once for each of their stages.
        return list(dict.fromkeys(os.fsdecode(name) for name in output.split(b"\0") if name))

    def ignored(self, paths: Iterable[str]) -> frozenset[str]:
        """Those of some paths, relative to the root, that git ignores; they need not be there. Raises `GitFailed`."""
        found: set[str] = set()
        given = b"".join(os.fsencode(path) + b"\0" for path in paths)
        if len(given) > MOST_GIVEN:
            raise GitFailed("more paths than git is given at once")
        for patterns in (_user_excludes(), *self._excluded()):
            try:
                output = self._run(self.root, patterns, "check-ignore", "-z", "--stdin", given=given)
            except GitFailed as failure:
                if failure.status != 1:
                    raise
            else:
                found.update(os.fsdecode(path) for path in output.split(b"\0") if path)
        return frozenset(found)

    def ignores(self, folder: str) -> bool:
        """Whether git ignores an absolute folder itself. Raises `GitFailed`."""
        # Besides the `.gitignore` files, `check-ignore` takes the patterns of one file only.
        for patterns in (_user_excludes(), *self._excluded()):
            try:
                self._run(folder, patterns, "check-ignore", "-q", ".")
            except GitFailed as failure:
                if failure.status != 1:
                    raise
            else:
                return True
        return False

    def head(self) -> str | None:
        """The id of the commit that is checked out; None if there is none yet."""
        return self._resolve("HEAD")

    def default_branch(self) -> str | None:
        """The id of the last commit that is known of the default branch of the remote `origin`, if that is plain."""
        return next((commit for name in _DEFAULT_BRANCHES if (commit := self._resolve(name)) is not None), None)

    def commit(self, revision: str) -> str | None:
        """The id of the commit that a revision means: a reference or an id, with `~2` or `^` behind it for an ancestor.

        None if it means none that is there, as in a shallow clone. Raises `GitFailed`.
        """
        found = _REVISION.fullmatch(revision)
        if found is None:
            return None
        name = found["name"]
        meant = self.head() if name in ("HEAD", "@") else None
        if meant is None and re.fullmatch(_REFERENCE, f"refs/{name}"):
            references = (name, *(form.format(name) for form in _REFERENCES))
            known = (each for each in references if each.startswith("refs/"))
            meant = next((id for each in known if (id := self._resolve(each)) is not None), None)
        if meant is None:
            if not re.fullmatch(r"[0-9a-f]{4,64}", name):
                return None
            meant = name
        try:
            given = f"{meant}{found['steps']}^{{commit}}"
            answer = self._read_objects("rev-parse", "--verify", "--quiet", "--end-of-options", given).strip()
        except GitFailed as failure:
            if failure.status is None:
                raise
            return None
        return answer.decode() if re.fullmatch(_ID, answer) else None

    def merge_base(self, one: str, other: str) -> str:
        """The id of the commit from which two others went apart. Raises `GitFailed`, also if there is none."""
        found = self._read_objects("merge-base", one, other).strip()
        if not re.fullmatch(_ID, found):
            raise GitFailed("git named no commit")
        return found.decode()

    def tree(self, commit: str) -> dict[str, str]:
        """The ids of the files of a commit by their paths, without links and submodules. Raises `GitFailed`.

        The paths are relative to the root, with slashes, and lead to nothing outside of it.
        """
        files: dict[str, str] = {}
        for entry in self._read_objects("ls-tree", "-r", "-z", "--full-tree", commit, most=_MOST_PATHS).split(b"\0"):
            facts, _, name = entry.partition(b"\t")
            path = os.fsdecode(name)
            if facts.startswith(b"100") and _stays_inside(path):
                files[path] = os.fsdecode(facts.rpartition(b" ")[2])
        return files

    def blobs(self, ids: Iterable[str], most: int) -> dict[str, bytes]:
        """The contents of files by their ids, of those that are there and have at most `most` bytes. Raises `GitFailed`."""
        sizes: dict[str, int] = {}
        for some in _pieces(sorted(set(ids))):
            for line in self._read_objects("cat-file", "--batch-check", given=_lines(some)).splitlines():
                words = os.fsdecode(line).split(" ")
                if words[1:2] == ["blob"] and int(words[2]) <= most:
                    sizes[words[0]] = int(words[2])
        found: dict[str, bytes] = {}
        for some in _pieces(list(sizes)):
            expected = sum(sizes[each] for each in some) + len(some) * 128
            output = self._read_objects("cat-file", "--batch", given=_lines(some), most=expected)
            at = 0
            for each in some:
                header = f"{each} blob {sizes[each]}\n".encode()
                start = at + len(header)
                at = start + sizes[each] + 1
                if not output.startswith(header, start - len(header)) or len(output) < at:
                    raise GitFailed("git wrote something else than was asked for")
                found[each] = output[start : at - 1]
        return found

    def _read_objects(self, *arguments: str, given: bytes = b"", most: int | None = None) -> bytes:
        """What git says of objects, which it finds without any work tree, index or reference."""
        return run(["-C", _OURS, *arguments], self._environment(), given, most)

    def _resolve(self, name: str) -> str | None:
        """The id that a reference stands for; None if it stands for none, or for one that leads out of the repository."""
        for _ in range(5):
            own = os.path.join(self.directory, *name.split("/"))
            shared = os.path.join(self.common, *name.split("/"))
            content = (_read_small(own) or _read_small(shared)).strip()
            if re.fullmatch(_ID, content):
                return content.decode()
            if not content:
                return self._packed(name)
            start, _, target = os.fsdecode(content).partition("ref: ")
            name = target.strip()
            if start or not re.fullmatch(_REFERENCE, name):
                return None
        return None

    def _packed(self, name: str) -> str | None:
        packed = _read_small(os.path.join(self.common, "packed-refs"), _MOST_REFS)
        found = re.search(rb"^(" + _ID + rb") " + re.escape(os.fsencode(name)) + rb"\r?$", packed, re.MULTILINE)
        return None if found is None else found[1].decode()

    def _excluded(self) -> list[str]:
        """The repository's own list of excluded files, if there is one that can be read without waiting for a writer."""
        path = os.path.join(self.common, "info", "exclude")
        return [path] if disk.isfile(path) else []

    def _run(self, folder: str, patterns: str, *arguments: str, given: bytes = b"") -> bytes:
        index = os.path.join(self.directory, "index")
        if disk.lexists(index) and not disk.isfile(index):
            raise GitFailed("the index of the repository is not a file")
        environment = {**self._environment(), "GIT_WORK_TREE": self.root, "GIT_INDEX_FILE": index}
        return run(["-C", folder, *_settings(patterns), *arguments], environment, given)

    def _environment(self) -> dict[str, str]:
        # By which hash objects are named is the one thing that only the repository's configuration says.
        uses_sha256 = _SHA256.search(_read_small(os.path.join(self.common, "config"))) is not None
        return {
            **_machine(),
            **_SEALED,
            "GIT_DIR": os.path.join(_OURS, "sha256" if uses_sha256 else "sha1"),
            "GIT_OBJECT_DIRECTORY": os.path.join(self.common, "objects"),
        }


def _stays_inside(path: str) -> bool:
    """Whether a path of a tree is one that git would check out below the root of the work tree."""
    if sys.platform == "win32" and ("\\" in path or ":" in path):
        return False
    return not any(part in ("", ".", "..") or part.lower() == ".git" for part in path.split("/"))


def _pieces(ids: Sequence[str]) -> list[Sequence[str]]:
    """Ids in groups, each of which git can be given at once."""
    size = MOST_GIVEN // 65
    return [ids[start : start + size] for start in range(0, len(ids), size)]


def _lines(ids: Sequence[str]) -> bytes:
    return "".join(f"{each}\n" for each in ids).encode()


def _settings(patterns: str) -> list[str]:
    settings = [f"core.excludesFile={patterns}"]
    # What `git init` finds out about a file system and writes into the configuration that is not read.
    if sys.platform in ("darwin", "win32"):
        settings.append("core.ignoreCase=true")
    if sys.platform == "darwin":
        settings.append("core.precomposeUnicode=true")
    if sys.platform == "win32":
        settings.append("core.longPaths=true")
    return [word for setting in settings for word in ("-c", setting)]


def _user_excludes() -> str:
    """The file with the patterns that the user ignores in every repository; empty if there is none."""
    return _excludes_below(tuple(os.environ.get(name, "") for name in _HOME))


@disk.remembered
def _excludes_below(home: tuple[str, ...]) -> str:
    # Reading configuration starts nothing, and with a git directory of ours no repository adds to it.
    sealed = {name: value for name, value in _SEALED.items() if not name.startswith("GIT_CONFIG")}
    user = {name: value for name, value in zip(_HOME, home, strict=True) if value}
    environment = {**_machine(), **sealed, **user, "GIT_DIR": os.path.join(_OURS, "sha1")}
    try:
        found = run(["-C", _OURS, "config", "--type=path", "-z", "--get", "core.excludesFile"], environment)
    except GitFailed:
        folder = user.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
        found = os.fsencode(os.path.join(folder, "git", "ignore"))
    path = os.fsdecode(found.rstrip(b"\0"))
    return path if disk.isfile(path) else ""


def _machine() -> dict[str, str]:
    return {name: os.environ[name] for name in _MACHINE if name in os.environ}


def _named_directory(mark: str) -> str | None:
    """What a `.git` is or names: a folder, or with a linked work tree and in a submodule a file with the folder's path."""
    if disk.isdir(mark):
        return mark
    named = _read_small(mark)
    if not named:
        return None
    start, _, path = named.partition(b"gitdir: ")
    directory = _beside(os.path.dirname(mark), path)
    if start or not path or not _is_git_directory(directory):
        raise GitFailed("the file `.git` does not name a git directory that is there")
    return directory


def _is_git_directory(directory: str) -> bool:
    common = _common_directory(directory)
    shared = (disk.isdir(os.path.join(common, name)) for name in ("objects", "refs"))
    return disk.lexists(os.path.join(directory, "HEAD")) and all(shared)


def _common_directory(directory: str) -> str:
    """Where the parts of a git directory lie that linked work trees share."""
    named = _read_small(os.path.join(directory, "commondir"))
    return _beside(directory, named) if named else directory


def _beside(folder: str, named: bytes) -> str:
    """A path that a file in a folder names, relative to the folder or absolute."""
    path = os.path.join(folder, os.fsdecode(named.rstrip(b"\r\n")))
    drive = os.path.splitdrive(path)[0]
    # On Windows, looking at a share of another machine opens the network and signs in there.
    if drive[:1] in ("/", "\\") and drive != os.path.splitdrive(folder)[0]:
        raise GitFailed("the repository names a folder of another machine")
    return path


def _read_small(path: str, limit: int = _SMALL) -> bytes:
    """The content of a small file; nothing if there is no such file, or something else in its place."""
    try:
        return read_bytes(path, limit)
    except (OSError, ValueError):
        return b""
