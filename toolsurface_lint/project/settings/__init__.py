"""Settings: what a run was given, and what it accepts."""

# No `from __future__ import annotations`: `NamedTuple` compiles annotations that are strings, each of them at every start.

import os
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from toolsurface_lint.model.diagnostics import SEVERITIES, Skipped
from toolsurface_lint.source.files import MAX_FILE_SIZE

if TYPE_CHECKING:
    from toolsurface_lint.checks.contract import Check
    from toolsurface_lint.model.target import CallRule, Dispatcher
    from toolsurface_lint.own_rules.language import Definition
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
    "chat-template",
    "response",
    "transcript",
)
ROLES = ("tools", "policy", "approval_policy", "prompts", "transcripts", "templates")
"""What a file may be to a surface: the attributes of `SurfaceSettings` that hold globs."""


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


class _AgentSettings:
    """What is known about an agent; each None if that is not said."""

    protocol: str | None = None
    done_sentinel: str | None = None
    final_responses: tuple[str, ...] | None = None
    model: str | None = None
    provider: tuple[str, ...] | None = None
    tool_search: bool | None = None
    many_tools: int | None = None
    context_budget: int | None = None
    template_variables: tuple[str, ...] | None = None
    call_rules: tuple["CallRule", ...] | None = None


class SurfaceSettings(_AgentSettings):
    """One `[[surface]]` table: globs of its files by their role, relative to `Settings.root`, and its agent.

    What the table does not say about the agent is that of the settings as a whole.
    """

    tools: tuple[str, ...] = ()
    policy: tuple[str, ...] = ()
    approval_policy: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    transcripts: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()
    wire_remap: bool | None = None
    dispatchers: tuple["Dispatcher", ...] = ()

    def __init__(self, name: str, **fields: Any) -> None:
        self.name = name
        vars(self).update(fields)

    @property
    def globs(self) -> tuple[str, ...]:
        return tuple(glob for role in ROLES for glob in getattr(self, role))


class Settings(_AgentSettings):
    """The settings of one run. Without a settings file, `path` is None and everything else has its default.

    `root` is the absolute folder that all globs are relative to. `kinds` maps globs to kinds, `severity` codes to a
    severity or `off`; `max_file_size` is in bytes, `context_budget` in estimated tokens; `builtin_tools` are tools that
    clients have beyond the catalogue of them, `client_versions` which versions of them are used, both by client.
    `table` is what the file says, for its places. `rules` are those that the settings and what they extend define as data,
    `own_codes` the codes of these and of the `plugins`; `others` makes the checks of both, and is None where there are none.
    `sources` are the bytes of the files that they extend, by absolute path, `not_loaded` the plugins that are turned off.
    """

    table: "Node | None" = None
    rules: tuple["Definition", ...] = ()
    plugins: tuple[str, ...] = ()
    extends: tuple[str, ...] = ()
    own_codes: frozenset[str] = frozenset()
    others: "Callable[[], tuple[Check, ...]] | None" = None
    sources: Mapping[str, bytes] = MappingProxyType({})
    not_loaded: tuple["Skipped", ...] = ()
    fail_on = "error"
    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, str] = MappingProxyType({})
    surfaces: tuple[SurfaceSettings, ...] = ()
    per_file_ignores: tuple[FileIgnore, ...] = ()
    kinds: Mapping[str, str] = MappingProxyType({})
    exclude: tuple[str, ...] = ()
    builtin_tools: Mapping[str, frozenset[str]] = MappingProxyType({})
    client_versions: Mapping[str, tuple[int, ...]] = MappingProxyType({})
    max_file_size = MAX_FILE_SIZE

    def __init__(self, root: str, path: str | None = None) -> None:
        self.root = root
        self.path = path

    def relative(self, path: str) -> str:
        """A path as globs see it: relative to `root`, with forward slashes; it begins with `../` for one outside."""
        return os.path.relpath(path, self.root).replace(os.sep, "/")

    def named_globs(self) -> tuple[str, ...]:
        """The globs by which files are named as a kind or as part of a surface."""
        return (*self.kinds, *(glob for surface in self.surfaces for glob in surface.globs))
