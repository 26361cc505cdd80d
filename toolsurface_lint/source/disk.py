"""What is asked of the disk, apart from opening files: each question of a run passes here, so that it can be asked again.

Whoever keeps the outcome of a run (`run.cache`) has all questions and answers recorded, and asks again before that outcome is
used. Nothing in the rooms that find and read files may ask the system in another way; `tests/test_architecture.py` holds that.
The functions are those of `os` and `os.path` with the same names.
"""

from __future__ import annotations

import os
import stat as modes
import time
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice
from typing import Any, ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")

Answer = Any
"""What can be written as JSON."""

STATUS, CONTENT, GIT, DAY = "status", "content", "git", "day"
"""Questions that other modules ask."""

FILE, FOLDER, LINK, OTHER, NOTHING = "file", "folder", "link", "other", ""

_KINDS = {modes.S_IFREG: FILE, modes.S_IFDIR: FOLDER, modes.S_IFLNK: LINK}


class Facts:
    """Questions and their first answers since `ask_again`; `since` is when the first was asked, in nanoseconds since 1970."""

    def __init__(self) -> None:
        self.answers: dict[tuple[str, str], Answer] = {}
        self.since = time.time_ns()
        self._told = 0
        self._outdated: set[tuple[str, str]] = set()
        """Questions that were asked only before that; the next answer replaces theirs."""
        self._torn = False
        self._lost = False

    @property
    def steady(self) -> bool:
        """Whether no question was answered in two ways since `ask_again`, and all of them can be asked another time."""
        return not (self._torn or self._lost)

    def note(self, question: str, about: str, answer: Answer) -> None:
        key = question, about
        if key in self._outdated:
            self._outdated.discard(key)
            self.answers[key] = answer
            return
        known = self.answers.setdefault(key, answer)
        if known == answer:
            return
        if question == CONTENT and isinstance(known, list) and isinstance(answer, list) and known[0] == answer[0]:
            # Only a part of it was asked for before, or is now.
            self.answers[key] = max(known, answer, key=lambda content: content[1] is not None)
        else:
            self._torn = True

    def ask_again(self) -> None:
        """The disk may have changed: what matters of it is about to be asked again."""
        self._outdated = set(self.answers)
        self._torn = False

    def current(self, lasting: Container[str], others: Facts) -> Facts:
        """What was asked since `ask_again`, ever about the paths `lasting`, and in `others`."""
        current = Facts()
        current.since = min(self.since, others.since)
        current._torn, current._lost = self._torn, self._lost or not others.steady
        for key, answer in self.answers.items():
            if key not in self._outdated or key[1] in lasting:
                current.answers[key] = answer
        for (question, about), answer in others.answers.items():
            current.note(question, about, answer)
        return current

    def give_up(self) -> None:
        """Something was asked that cannot be asked another time."""
        self._lost = True

    def news(self) -> tuple[list[tuple[tuple[str, str], Answer]], bool]:
        """What has been noted since this was called the last time, and whether all is steady."""
        told, self._told = self._told, len(self.answers)
        return list(islice(self.answers.items(), told, None)), self.steady


_facts: Facts | None = None
_forgetting: list[Callable[[], None]] = []


@contextmanager
def recording(facts: Facts | None = None) -> Iterator[Facts]:
    """Record what is asked meanwhile, in this process and in those that `run.parallel` makes of it.

    `facts` are those of an earlier recording that goes on.
    """
    global _facts
    for forget in _forgetting:
        forget()
    before, _facts = _facts, facts or Facts()
    try:
        yield _facts
    finally:
        _facts = before


def remembered(function: Callable[P, R]) -> Callable[P, R]:
    """Remembers what a function found out, until a recording begins: that needs its questions."""
    cached = lru_cache(maxsize=None)(function)
    _forgetting.append(cached.cache_clear)
    return cast("Callable[P, R]", cached)


def is_recording() -> bool:
    return _facts is not None


def note(question: str, about: str, answer: Answer) -> None:
    """Record an answer that somebody else has found."""
    if _facts is not None:
        _facts.note(question, about, answer)


def give_up() -> None:
    """What was looked at cannot be asked about again: the outcome of this run is not to be kept."""
    if _facts is not None:
        _facts.give_up()


def news() -> tuple[list[tuple[tuple[str, str], Answer]], bool] | None:
    """What a process has to tell the one that it was made of; None if nobody records."""
    return None if _facts is None else _facts.news()


def learn(told: tuple[list[tuple[tuple[str, str], Answer]], bool] | None) -> None:
    """Take in what another process tells."""
    if _facts is not None and told is not None:
        for (question, about), answer in told[0]:
            _facts.note(question, about, answer)
        if not told[1]:
            _facts.give_up()


def _kind(path: str) -> str:
    try:
        return _KINDS.get(modes.S_IFMT(os.stat(path).st_mode), OTHER)
    except (OSError, ValueError):
        return NOTHING


def _own_kind(path: str) -> str:
    try:
        return _KINDS.get(modes.S_IFMT(os.lstat(path).st_mode), OTHER)
    except (OSError, ValueError):
        return NOTHING


def sized(status: os.stat_result) -> Answer:
    kind = _KINDS.get(modes.S_IFMT(status.st_mode), OTHER)
    return [kind, status.st_size if kind == FILE else 0]


def _failed(error: Exception) -> Answer:
    return error.errno if isinstance(error, OSError) else type(error).__name__


def _status(path: str) -> Answer:
    try:
        return sized(os.stat(path))
    except (OSError, ValueError) as error:
        return _failed(error)


def _members(path: str) -> Answer:
    try:
        return _listed(_entries(path))
    except OSError as error:
        return _failed(error)


def _entries(path: str) -> list[os.DirEntry[str]]:
    with os.scandir(path) as entries:
        return list(entries)


def _listed(entries: Sequence[os.DirEntry[str]]) -> Answer:
    """The names of the members of a folder and what each is, as a digest: there may be many."""
    from hashlib import blake2b

    signs = sorted(f"{entry.name}/{_kind_of_member(entry)}" for entry in entries)
    return blake2b("//".join(signs).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _kind_of_member(entry: os.DirEntry[str]) -> str:
    if entry.is_file(follow_symlinks=False):
        return FILE
    if entry.is_dir(follow_symlinks=False):
        return FOLDER
    return LINK if entry.is_symlink() else OTHER


def _names(path: str) -> Answer:
    try:
        return sorted(os.listdir(path))
    except OSError as error:
        return _failed(error)


def _is_executable(path: str) -> bool:
    return os.access(path, os.X_OK)


ASK: dict[str, Callable[[str], Answer]] = {
    "kind": _kind,
    "own kind": _own_kind,
    STATUS: _status,
    "real path": os.path.realpath,
    "members": _members,
    "names": _names,
    "executable": _is_executable,
}
"""How each question is asked again, by its name; `CONTENT` is asked by `source.files`, and git by `project.git`."""


def _asked(question: str, path: str) -> Answer:
    answer = ASK[question](path)
    if _facts is not None:
        _facts.note(question, path, answer)
    return answer


def isfile(path: str) -> bool:
    return bool(_asked("kind", path) == FILE)


def isdir(path: str) -> bool:
    return bool(_asked("kind", path) == FOLDER)


def exists(path: str) -> bool:
    return bool(_asked("kind", path) != NOTHING)


def lexists(path: str) -> bool:
    return bool(_asked("own kind", path) != NOTHING)


def islink(path: str) -> bool:
    return bool(_asked("own kind", path) == LINK)


def realpath(path: str) -> str:
    return str(_asked("real path", path))


def is_executable(path: str) -> bool:
    return bool(_asked("executable", path))


def own_mode(path: str) -> int:
    """The mode of what lies at a path, of a link its own; only what it is may be made use of. Raises `OSError`."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        note("own kind", path, NOTHING)
        raise
    if _facts is not None:
        _facts.note("own kind", path, _KINDS.get(modes.S_IFMT(mode), OTHER))
    return mode


def stat(path: str) -> os.stat_result:
    """Only what a file is and its size may be made use of: the rest is not asked for again. Raises `OSError`, `ValueError`."""
    try:
        status = os.stat(path)
    except (OSError, ValueError) as error:
        note(STATUS, path, _failed(error))
        raise
    if _facts is not None:
        _facts.note(STATUS, path, sized(status))
    return status


def scandir(path: str) -> list[os.DirEntry[str]]:
    """The members of a folder; of each, only its name and what it is. Raises `OSError`."""
    try:
        entries = _entries(path)
    except OSError as error:
        note("members", path, _failed(error))
        raise
    if _facts is not None:
        _facts.note("members", path, _listed(entries))
    return entries


def listdir(path: str) -> list[str]:
    """The names of the members of a folder, sorted. Raises `OSError`."""
    try:
        names = sorted(os.listdir(path))
    except OSError as error:
        note("names", path, _failed(error))
        raise
    note("names", path, names)
    return names
