"""Settings: what a run was given, and what it accepts."""

# No `from __future__ import annotations`: `NamedTuple` compiles annotations that are strings, each of them at every start.

import os
from typing import TYPE_CHECKING, NamedTuple

from toolsurface_lint.model.diagnostics import SEVERITIES
from toolsurface_lint.source.files import MAX_FILE_SIZE

if TYPE_CHECKING:
    from toolsurface_lint.model.target import Dispatcher
    from toolsurface_lint.source.tree import Node

OWN_FILE = "toolsurface.toml"
SHARED_FILE = "pyproject.toml"
TABLE = "toolsurface-lint"
"""The table of the settings in `pyproject.toml`, below `tool`."""

FAIL_ON = (*SEVERITIES, "never")
KINDS = (
    "tools",
    "policy",
    "approval-policy",
    "surface",
    "workflow",
    "prompt",
    "template",
    "response",
    "transcript",
)
PROTOCOLS = ("tagged", "fenced-json")


class SettingsError(Exception):
    """Settings that cannot be used.

    `message` says why, at `line` and `column` of `path`. Both count from 1; `path` is None for what the caller gave.
    """

    def __init__(self, message: str, path: str | None = None, line: int = 1, column: int = 1) -> None:
        super().__init__(message if path is None else f"{path}:{line}:{column}: {message}")
        self.message = message
        self.path = path
        self.line = line
        self.column = column


class FileIgnore(NamedTuple):
    """One `[[per-file-ignores]]` table: what `codes` find in files that the glob `path` covers is ignored.

    `pointer` is a JSON pointer that narrows it to one place of the file; None for the whole file. `reason` is for
    people; `until` is the last day on which it holds, as `YYYY-MM-DD`, None for ever.
    """

    path: str
    codes: tuple[str, ...]
    pointer: str | None = None
    reason: str | None = None
    until: str | None = None


class SurfaceSettings:
    """One `[[surface]]` table: globs of its files, relative to `Settings.root`, and what is known about its agent.

    `protocol`, `done_sentinel`, `model`, `provider`, `tool_search`, `many_tools`, `context_budget` and
    `template_variables` are the table's own, or else those of the settings as a whole; None where neither says.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.tools: tuple[str, ...] = ()
        self.policy: tuple[str, ...] = ()
        self.approval_policy: tuple[str, ...] = ()
        self.prompts: tuple[str, ...] = ()
        self.transcripts: tuple[str, ...] = ()
        self.templates: tuple[str, ...] = ()
        self.tool_search: bool | None = None
        self.protocol: str | None = None
        self.done_sentinel: str | None = None
        self.model: str | None = None
        self.provider: str | None = None
        self.wire_remap: bool | None = None
        self.template_variables: tuple[str, ...] | None = None
        self.dispatchers: tuple[Dispatcher, ...] = ()
        self.many_tools: int | None = None
        self.context_budget: int | None = None

    @property
    def globs(self) -> tuple[str, ...]:
        return self.tools + self.policy + self.approval_policy + self.prompts + self.transcripts + self.templates


class Settings:
    """The settings of one run. Without a settings file, `path` is None and everything else has its default.

    `root` is the absolute folder that all globs are relative to. `kinds` holds (glob, kind), `severity` maps codes to a
    severity or `off`; `max_file_size` is in bytes, `context_budget` in estimated tokens; `builtin_tools` are tools that
    clients have beyond the catalogue of them, by client. `table` is what the file says, for its places.
    """

    def __init__(self, root: str, path: str | None = None) -> None:
        self.root = root
        self.path = path
        self.table: Node | None = None
        self.fail_on = "error"
        self.select: tuple[str, ...] | None = None
        self.extend_select: tuple[str, ...] = ()
        self.ignore: tuple[str, ...] = ()
        self.severity: dict[str, str] = {}
        self.surfaces: tuple[SurfaceSettings, ...] = ()
        self.per_file_ignores: tuple[FileIgnore, ...] = ()
        self.kinds: tuple[tuple[str, str], ...] = ()
        self.exclude: tuple[str, ...] = ()
        self.builtin_tools: dict[str, frozenset[str]] = {}
        self.max_file_size = MAX_FILE_SIZE
        self.protocol: str | None = None
        self.done_sentinel: str | None = None
        self.model: str | None = None
        self.provider: str | None = None
        self.tool_search: bool | None = None
        self.many_tools: int | None = None
        self.context_budget: int | None = None
        self.template_variables: tuple[str, ...] | None = None
        self._globs: tuple[str, ...] | None = None

    def relative(self, path: str) -> str:
        """A path as globs see it: relative to `root`, with forward slashes; it begins with `../` for one outside."""
        return os.path.relpath(path, self.root).replace(os.sep, "/")

    def named_globs(self) -> tuple[str, ...]:
        """The globs by which files are named as a kind or as part of a surface."""
        if self._globs is None:
            kinds = tuple(glob for glob, _ in self.kinds)
            self._globs = kinds + tuple(glob for surface in self.surfaces for glob in surface.globs)
        return self._globs
