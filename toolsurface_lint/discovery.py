"""From paths to candidate files: what a folder holds, what is never looked into, and what names alone say."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from toolsurface_lint.config import Settings


class PathMissing(Exception):
    """A path given by name that does not exist."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path or repr(path)}: no such file or folder")
        self.path = path


class Candidate(NamedTuple):
    """A file to look at.

    `path` is absolute; `display` is how it is shown; `given` means by name, not found by walking. `skip` is the reason
    why it must not be read, for the report's account, None for files to read.
    """

    path: str
    display: str
    given: bool
    skip: str | None = None


class Given:
    """The files and folders that the user named, with everything below them."""

    def __init__(self, paths: Iterable[str]) -> None:
        absolute = [os.path.abspath(path) for path in paths]
        self._files = frozenset(absolute)
        self._folders = tuple(os.path.join(path, "") for path in absolute)

    def holds(self, path: str) -> bool:
        """Whether an absolute path is one of them or lies below one."""
        return path in self._files or path.startswith(self._folders)


_LANGUAGES = {
    "json": (".json", ".jsonc", ".snap", ".traj"),
    "jsonl": (".jsonl", ".ndjson", ".responses"),
    "yaml": (".yaml", ".yml"),
    "toml": (".toml",),
    "markdown": (".md", ".mdc", ".markdown", ".prompt", ".prompty"),
    "text": (".txt", ".j2", ".jinja", ".jinja2", ".cursorrules", ".clinerules", ".windsurfrules"),
    "python": (".py",),
}
_BY_EXTENSION = {extension: language for language, extensions in _LANGUAGES.items() for extension in extensions}


def candidate_kind(name: str) -> str | None:
    """The language that a file is written in by its name alone; None for files that walking leaves out."""
    dot = name.rfind(".")
    return _BY_EXTENSION.get(name[dot:].lower()) if dot >= 0 else None


NEVER_WALKED = frozenset(
    (".git", ".hg", ".svn", ".jj", "node_modules", "bower_components", "site-packages", "build", "dist", "target")
) | frozenset(("__pycache__", ".tox", ".nox", ".eggs", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis"))
"""Names of folders that are never walked; folders with a `pyvenv.cfg` (virtual environments) are not either."""

_VIRTUAL_ENVIRONMENT = "pyvenv.cfg"


def discover(paths: Iterable[str], settings: Settings, unsaved: Collection[str] = ()) -> list[Candidate]:
    """The files to look at: those given, in the order given, and those below given folders, sorted; none twice.

    Files below a folder count if `candidate_kind` knows their name, or if the settings name them as a kind or as part
    of a surface. What the settings exclude is left out; a given file among it stays, marked, because its absence has to
    be accounted for. `unsaved` are the absolute paths of files that somebody has open, which need not be on disk yet.
    Raises `PathMissing` for a path that does not exist.
    """
    found: dict[str, Candidate] = {}
    for path in paths:
        absolute = os.path.abspath(path)
        if absolute not in unsaved and _is_folder(path):
            for candidate in _walked(path, absolute, settings, unsaved):
                found.setdefault(candidate.path, candidate)
        else:
            skip = "excluded by the settings" if _excluded(absolute, settings) else None
            found[absolute] = Candidate(absolute, display_path(path), True, skip)
    return list(found.values())


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise PathMissing(path) from None
    except OSError:
        # It is there but cannot be looked at: whoever reads it reports that.
        return False


def _walked(path: str, absolute: str, settings: Settings, unsaved: Collection[str]) -> list[Candidate]:
    listing = list_folder(absolute)
    listing.add_new(absolute, unsaved)
    base = os.path.join(absolute, "")
    named = settings.named_globs()
    wanted = [name for name in listing.names if candidate_kind(name) or _in_settings(base + name, settings, named)]
    if settings.exclude:
        wanted = [name for name in wanted if not _excluded(base + name, settings)]
    aliases = _aliases(absolute, listing.links, wanted)
    display = display_path(path)
    prefix = "" if display == "." else display.rstrip("/") + "/"
    found = [Candidate(base + name, prefix + name, False) for name in wanted if name not in aliases]
    for name, reason in listing.unlisted.items():
        shown = prefix + name if name else display
        found.append(Candidate(base + name, shown, False, f"cannot be listed: {reason}"))
    return found


def _aliases(folder: str, links: set[str], names: list[str]) -> set[str]:
    """The links to files that are among `names` themselves, but not those whose own name alone makes them prompts."""
    links = links.intersection(names)
    if not links:
        return links
    real_folder = os.path.realpath(folder)
    targets = set(names) - links
    aliases = set()
    for link in links:
        target = _relative(os.path.realpath(os.path.join(folder, link)), real_folder)
        if target in targets and names_prompt(target) >= names_prompt(link):
            aliases.add(link)
    return aliases


def _relative(path: str, root: str) -> str | None:
    """A path below `root`, relative to it, with forward slashes; `.` for the root itself, None outside it."""
    if path == root:
        return "."
    base = root if root.endswith(os.sep) else root + os.sep
    return path[len(base) :].replace(os.sep, "/") if path.startswith(base) else None


def _excluded(path: str, settings: Settings) -> bool:
    relative = _relative(path, settings.root)
    return relative is not None and any(covers(glob, relative) for glob in settings.exclude)


def _in_settings(path: str, settings: Settings, globs: tuple[str, ...]) -> bool:
    relative = _relative(path, settings.root) if globs else None
    return relative is not None and any(matches(glob, relative) for glob in globs)


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
            name = _relative(path, folder)
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


def repository_root(path: str) -> str | None:
    """The folder of the repository that a path lies in (the closest one with `.git`); None outside any."""
    folder = os.path.abspath(path)
    while True:
        if is_repository(folder):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def is_repository(folder: str) -> bool:
    """Whether a folder is the root of a repository."""
    return os.path.exists(os.path.join(folder, ".git"))


def display_path(path: str) -> str:
    """A path as people are shown it, with forward slashes: relative to the working directory if it lies below it.

    Any other path is shown as it was given.
    """
    relative = _relative(os.path.abspath(path), os.getcwd())
    return path.replace(os.sep, "/") if relative is None else relative


_GLOBS: dict[str, re.Pattern[str]] = {}


def matches(glob: str, path: str) -> bool:
    """Whether a glob matches a whole relative path with forward slashes.

    `*` and `?` stay within one name, `**` as a whole name stands for any number of folders, `[...]` and `[!...]` for
    one character, `{a,b}` for alternatives. A glob that ends with a slash matches everything below that folder.
    """
    pattern = _GLOBS.get(glob)
    if pattern is None:
        pattern = _GLOBS[glob] = re.compile(_regex(glob), re.DOTALL)
    return pattern.fullmatch(path) is not None


def covers(glob: str, path: str) -> bool:
    """Whether a glob matches a relative path or one of the folders that it lies in; without a slash, at any depth."""
    anywhere = "/" not in glob.rstrip("/")
    folder = glob.rstrip("/")
    full = f"**/{folder}" if anywhere else folder
    return matches(full, path) or matches(f"{full}/**", path)


def _regex(glob: str) -> str:
    glob = glob.removeprefix("./").removeprefix("/")
    if glob.endswith("/"):
        glob += "**"
    parts: list[str] = []
    open_braces = 0
    index = 0
    while index < len(glob):
        char = glob[index]
        at_name = index == 0 or glob[index - 1] in "/{,"
        stars = _DOUBLE_STAR.match(glob, index) if at_name else None
        if stars:
            # `**/**/` says no more than `**/`, and would make the match exponential.
            index = stars.end()
            parts.append("(?:[^/]+/)*" if stars.group().endswith("/") else ".*")
            continue
        index += 1
        if char == "*":
            index = _STARS.match(glob, index).end()  # type: ignore[union-attr]
            parts.append("[^/]*")
        elif char == "?":
            parts.append("[^/]")
        elif char == "[" and (found := _CHARACTERS.match(glob, index)):
            index = found.end()
            parts.append(_character_class(found))
        elif char == "{" and _closes(glob, index):
            open_braces += 1
            parts.append("(?:")
        elif char == "}" and open_braces:
            open_braces -= 1
            parts.append(")")
        elif char == "," and open_braces:
            parts.append("|")
        else:
            parts.append(re.escape(char))
    return "".join(parts)


_DOUBLE_STAR = re.compile(r"(?:\*\*/)+(?:\*\*(?=$|[,}]))?|\*\*(?=$|[,}])")
_STARS = re.compile(r"\**")
_CHARACTERS = re.compile(r"([!^]?)(\][^\]/]*|[^\]/]+)\]")


def _character_class(found: re.Match[str]) -> str:
    negated, body = found.groups()
    members: list[str] = []
    index = 0
    while index < len(body):
        if body[index + 1 : index + 2] == "-" and index + 2 < len(body):
            first, last = body[index], body[index + 2]
            # A range that runs backwards is empty.
            if first <= last:
                members.append(f"{re.escape(first)}-{re.escape(last)}")
            index += 3
        else:
            members.append(re.escape(body[index]))
            index += 1
    if negated:
        return f"[^/{''.join(members)}]"
    return f"[{''.join(members)}]" if members else "(?!)"


def _closes(glob: str, index: int) -> bool:
    """Whether a brace opened before `index` is closed."""
    depth = 1
    for char in glob[index:]:
        depth += {"{": 1, "}": -1}.get(char, 0)
        if not depth:
            return True
    return False


# Of the markdown and text files found by walking, these are prompts; the others are somebody's notes.
_PROMPT_NAMES = (
    "*.prompt",
    "*.prompty",
    "*.prompt.*",
    "*.agent.md",
    "*.chatmode.md",
    "*.instructions.md",
    "*.mdc",
    "system*.md",
    "system.*",
    "*system{_,-,}prompt*",
    "{prompt,*_prompt,*-prompt}.*",
    "{instructions,copilot-instructions}.md",
    "{skill,agent,agents,agents.override,claude,claude.local,gemini,qwen}.md",
    "{.cursorrules,.clinerules,.windsurfrules}",
)
_PROMPT_FOLDERS = (
    "**/{prompts,chatmodes}/**",
    "**/{agents,subagents}/*.md",
    "**/.*/{agents,agent,commands,command}/**",
    "**/{.clinerules,.{amazonq,claude,continue,cursor,roo,windsurf}/rules*}/**",
)
_IS_PROMPT = "{" + ",".join((*(f"**/{name}" for name in _PROMPT_NAMES), *_PROMPT_FOLDERS)) + "}"
_IS_NO_PROMPT = "**/{readme,changelog,license,licence,contributing,code_of_conduct,security,notice}{.*,}"


def names_prompt(path: str) -> bool:
    """Whether the name or the folders of a relative path say that a markdown or text file is a prompt."""
    if candidate_kind(path) not in ("markdown", "text"):
        return False
    path = path.lower().lstrip("/")
    return matches(_IS_PROMPT, path) and not matches(_IS_NO_PROMPT, path)
