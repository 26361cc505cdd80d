"""What a folder holds: as git lists it in a repository, else as it is on disk."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable

from toolsurface_lint.discovery.paths import is_repository, relative_to, repository_root

NEVER_WALKED = frozenset(
    (".git", ".hg", ".svn", ".jj", "node_modules", "bower_components", "site-packages", "build", "dist", "target")
) | frozenset(("__pycache__", ".tox", ".nox", ".eggs", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"))
"""Names of folders that are never walked; folders with a `pyvenv.cfg` (virtual environments) are not either."""

_VIRTUAL_ENVIRONMENT = "pyvenv.cfg"


class Listing:
    """The files of one folder, relative to it, with forward slashes: all of them, those that are links, and the folders
    that cannot be read.
    """

    __slots__ = ("links", "names", "unlisted")

    def __init__(self) -> None:
        self.names: list[str] = []
        self.links: set[str] = set()
        self.unlisted: dict[str, str] = {}
        """The reason for each."""

    def add(self, prefix: str, other: Listing) -> None:
        """Take over what is below the folder `prefix`, which ends with a slash."""
        self.names += [prefix + name for name in other.names]
        self.links.update(prefix + name for name in other.links)
        self.unlisted.update({prefix + name: reason for name, reason in other.unlisted.items()})

    def add_new(self, folder: str, unsaved: Iterable[str]) -> None:
        """Take in those of the unsaved files below `folder` that are not on disk yet; of others, the disk decides."""
        for path in unsaved:
            name = relative_to(path, folder)
            if name is not None and NEVER_WALKED.isdisjoint(name.split("/")) and not os.path.lexists(path):
                self.names.append(name)
        self.names.sort()


def list_folder(root: str) -> Listing:
    """The files below a folder, which is an absolute path, sorted.

    In a repository, those that git tracks or would track; else all. Folders of `NEVER_WALKED`, virtual environments and
    links to folders are left out, and so is what is no file (pipes, sockets, dead links).
    """
    listing = _list_repository(root) if repository_root(root) else None
    if listing is None:
        listing = _scan(root)
    listing.names.sort()
    return listing


def _list_repository(root: str) -> Listing | None:
    """What git lists below a folder; None where git cannot say, or where the folder itself is ignored."""
    output = _git(root, "ls-files", "-co", "--exclude-standard", "-z")
    if output is None:
        return None
    # Unmerged files are listed once for each of their stages.
    names = dict.fromkeys(os.fsdecode(name) for name in output.split(b"\0") if name)
    if not names and _git(root, "check-ignore", "-q", ".") is not None:
        return None
    environments = tuple(name[: -len(_VIRTUAL_ENVIRONMENT)] for name in names if _is_environment_mark(name))
    listing = Listing()
    base = os.path.join(root, "")
    for name in names:
        if not NEVER_WALKED.isdisjoint(name.split("/")[:-1]) or name.startswith(environments):
            continue
        try:
            mode = os.lstat(base + name).st_mode
        except OSError:
            continue
        if stat.S_ISREG(mode):
            listing.names.append(name)
        elif stat.S_ISLNK(mode):
            if os.path.isfile(base + name):
                listing.names.append(name)
                listing.links.add(name)
        elif stat.S_ISDIR(mode) and is_repository(base + name):
            # A submodule, or a repository inside this one, is listed by its folder's name.
            folder = name.rstrip("/")
            if os.path.basename(folder) not in NEVER_WALKED:
                listing.add(f"{folder}/", list_folder(base + folder))
    return listing


def _is_environment_mark(name: str) -> bool:
    return name.endswith("/" + _VIRTUAL_ENVIRONMENT)


# Set while git runs a hook; they would point git at another repository than the one of the folder.
_GIT_LOCAL = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_PREFIX")


def _git(folder: str, *arguments: str) -> bytes | None:
    """The output of a git command run in a folder; None if git is not there or the command fails."""
    # A repository's own settings can name a program as file-system monitor: nothing that is linted may run.
    command = ["git", "-C", folder, "-c", "core.fsmonitor=false", *arguments]
    environment = {name: value for name, value in os.environ.items() if name not in _GIT_LOCAL}
    if os.name == "nt":
        import subprocess

        try:
            done = subprocess.run(command, env=environment, capture_output=True, stdin=subprocess.DEVNULL, check=False)
        except OSError:
            return None
        return done.stdout if done.returncode == 0 else None
    return _spawn(command, environment)


def _spawn(command: list[str], environment: dict[str, str]) -> bytes | None:
    """Standard output of a command, None if it fails; without `subprocess`, whose import takes longer than git does."""
    read_end, write_end = os.pipe()
    try:
        pid = os.posix_spawnp(
            command[0],
            command,
            environment,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, write_end, 1),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ],
        )
    except OSError:
        os.close(read_end)
        return None
    finally:
        os.close(write_end)
    with open(read_end, "rb") as pipe:
        output = pipe.read()
    try:
        _, status = os.waitpid(pid, 0)
    except ChildProcessError:
        # The program that uses us collects its children itself; what git wrote is all there is to go by.
        return output or None
    return output if status == 0 else None


def _scan(root: str) -> Listing:
    """The files below a folder that no repository speaks for; repositories further down speak for themselves."""
    listing = Listing()
    waiting = [""]
    while waiting:
        prefix = waiting.pop()
        try:
            with os.scandir(os.path.join(root, prefix)) as entries:
                members = list(entries)
        except OSError as error:
            listing.unlisted[prefix.rstrip("/")] = error.strerror or str(error)
            continue
        inside = {entry.name for entry in members}
        if prefix and _VIRTUAL_ENVIRONMENT in inside:
            continue
        if prefix and ".git" in inside:
            listing.add(prefix, list_folder(os.path.join(root, prefix)))
            continue
        for entry in members:
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in NEVER_WALKED:
                    waiting.append(f"{prefix}{entry.name}/")
            elif _is_file(entry):
                listing.names.append(prefix + entry.name)
                if entry.is_symlink():
                    listing.links.add(prefix + entry.name)
    return listing


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:
        return False
