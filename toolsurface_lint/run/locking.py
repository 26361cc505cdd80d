"""Writing the lock: what it says, what is declared now, and the text of the file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from toolsurface_lint.model.digests import PARTS, WHOLE
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.files import LOCK_FILE
from toolsurface_lint.model.lock import LOCK_VERSION, DeclaredTool, LockedTool, ToolKey
from toolsurface_lint.project.grouping import load_project
from toolsurface_lint.project.locks import Servers, declared_below
from toolsurface_lint.project.settings import Settings
from toolsurface_lint.project.settings.toml import toml_key, toml_value
from toolsurface_lint.run.writing import NotWritten, Reach, replace
from toolsurface_lint.source.files import TooLarge, read_bytes

_HEAD = f"""\
# The tools of each server, as they were accepted. `toolsurface-lint lock` writes this file, and
# `toolsurface-lint check` reports what has changed since.
version = {LOCK_VERSION}
"""

Entry = Mapping[str, str]
"""What the lock says of one tool: `sha256`, then the parts, in the order of the file."""


class Locking(NamedTuple):
    """The lock of a project: its path, the document and the bytes that are there now, and what is declared.

    `servers` says of which servers files cannot be read, or may have tools that are not seen.
    """

    path: str
    document: Document | None
    before: bytes | None
    declared: Mapping[ToolKey, DeclaredTool]
    servers: Servers

    @property
    def locked(self) -> dict[ToolKey, Entry] | None:
        """What the lock says now; None if there is none that can be used."""
        lock = None if self.document is None else self.document.lock
        if lock is None or lock.problem is not None:
            return None
        return {key: _entry_of(locked) for key, locked in lock.tools.items()}

    @property
    def is_newer(self) -> bool:
        """Whether a release that knows more has written it."""
        lock = None if self.document is None else self.document.lock
        return lock is not None and lock.problem is not None and lock.problem.kind == "version"

    def current(self, key: ToolKey) -> Entry:
        """What the lock is to say of a tool that is declared."""
        digests = self.declared[key].digests
        return {WHOLE: digests.whole(), **{part: digests.short(part) for part in PARTS}}

    def all(self) -> tuple[dict[ToolKey, Entry], int]:
        """What the lock is to say of all tools, and of how many it says what it did, as their file cannot be read now."""
        kept = {
            key: entry
            for key, entry in (self.locked or {}).items()
            if key not in self.declared and not self.servers.are_read(key[0])
        }
        return {**kept, **{key: self.current(key) for key in self.declared}}, len(kept)

    def write(self, entries: Mapping[ToolKey, Entry], display: str) -> None:
        """Give the lock these tools. Raises `NotWritten`."""
        reason = Reach([os.path.dirname(self.path)]).reason_against(self.path)
        if reason is not None:
            raise NotWritten(f"cannot write {display}: {reason}")
        replace(self.path, lock_text(entries).encode("utf-8"), self.before, display)


def _entry_of(locked: LockedTool) -> Entry:
    return {WHOLE: locked.digest, **locked.parts}


def read_locking(settings: Settings) -> Locking:
    """The lock at the root of some settings, and all that lies below it. Raises `NotWritten` for one that is not a file."""
    path = os.path.join(settings.root, LOCK_FILE)
    try:
        before = read_bytes(path, settings.max_file_size)
    except FileNotFoundError:
        before = None
    except (TooLarge, OSError) as error:
        raise NotWritten(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None
    project = load_project([settings.root], settings)
    folders = [os.path.dirname(project.absolute(each)) for each in project.documents if each.lock is not None]
    declared = declared_below(project, {*folders, settings.root})[settings.root]
    document = next((each for each in project.documents if project.absolute(each) == path), None)
    return Locking(path, document, before, declared, Servers(project, settings.root, declared))


def lock_text(entries: Mapping[ToolKey, Entry]) -> str:
    """The text of a lock. Each tool is a table of its own, headed by its name, so that git merges changes of two tools."""
    tables = [_HEAD]
    for (server, name), entry in sorted(entries.items()):
        lines = "".join(f"{field} = {toml_value(value)}\n" for field, value in entry.items())
        tables.append(f"\n[servers.{toml_key(server)}.{toml_key(name)}]\n{lines}")
    return "".join(tables)
