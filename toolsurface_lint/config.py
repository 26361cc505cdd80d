"""Settings: where they are looked for, what they may say, and which rules they leave enabled."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from toolsurface_lint.diagnostics import SEVERITIES, Rule, selects
from toolsurface_lint.discovery import display_path, repository_root
from toolsurface_lint.model.target import Dispatcher

if TYPE_CHECKING:
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
MAX_FILE_SIZE = 64 * 1024 * 1024
"""Bytes of a file that is read whole, unless the settings say otherwise."""

_ALIKE = 0.75
"""The share of letters in common from which on a name is suggested in place of a wrong one."""

ALL = "ALL"
_ALWAYS_ENABLED = "INTERNAL_ERROR"

_T = TypeVar("_T")


class SettingsError(Exception):
    """Settings that cannot be used; `line` and `column` are from 1, `path` is None for what the command line gave."""

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

    __slots__ = (
        "approval_policy",
        "context_budget",
        "dispatchers",
        "done_sentinel",
        "many_tools",
        "model",
        "name",
        "policy",
        "prompts",
        "protocol",
        "provider",
        "template_variables",
        "templates",
        "tool_search",
        "tools",
        "transcripts",
        "wire_remap",
    )

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
    """What one run was told. Without a settings file, `path` is None and everything else has its default.

    `root` is the absolute folder that all globs are relative to. `kinds` holds (glob, kind), `severity` maps codes to a
    severity or `off`; `max_file_size` is in bytes, `context_budget` in estimated tokens; `builtin_tools` are tools that
    clients have beyond the catalogue of them, by client. `table` is what the file says, for its places.
    """

    __slots__ = (
        "_globs",
        "builtin_tools",
        "context_budget",
        "done_sentinel",
        "exclude",
        "extend_select",
        "fail_on",
        "ignore",
        "kinds",
        "many_tools",
        "max_file_size",
        "model",
        "path",
        "per_file_ignores",
        "protocol",
        "provider",
        "root",
        "select",
        "severity",
        "surfaces",
        "table",
        "template_variables",
        "tool_search",
    )

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

    def named_globs(self) -> tuple[str, ...]:
        """The globs by which files are named as a kind or as part of a surface."""
        if self._globs is None:
            kinds = tuple(glob for glob, _ in self.kinds)
            self._globs = kinds + tuple(glob for surface in self.surfaces for glob in surface.globs)
        return self._globs


def load_settings(
    start_paths: Sequence[str],
    config_file: str | None = None,
    isolated: bool = False,
    unsaved: Mapping[str, bytes] | None = None,
) -> Settings:
    """The settings for a run on `start_paths`: those of `config_file`, none if `isolated`, else the closest ones.

    They are looked for from the folder that the paths have in common upwards, to the root of its repository and no
    further; outside a repository, to the working directory if the folder lies below it, else in that folder alone. In
    one folder `toolsurface.toml` wins over `pyproject.toml`. `unsaved` has the bytes of files, by absolute path, that
    win over those on disk. Raises `SettingsError`.
    """
    start = _common_folder(start_paths)
    if isolated:
        return Settings(_search_root(start))
    if config_file is not None:
        return _read(config_file, required=True, unsaved=unsaved) or Settings(
            os.path.dirname(os.path.abspath(config_file))
        )
    for path in settings_files(start_paths):
        settings = _read(path, required=False, unsaved=unsaved)
        if settings is not None:
            return settings
    return Settings(_search_root(start))


def settings_files(start_paths: Sequence[str], config_file: str | None = None, isolated: bool = False) -> list[str]:
    """The absolute paths of the files that `load_settings` looks for, the first choice first, whether they are there or not."""
    if isolated:
        return []
    if config_file is not None:
        return [os.path.abspath(config_file)]
    folder = _common_folder(start_paths)
    last = _search_root(folder)
    folders = [folder]
    while folders[-1] != last:
        folders.append(os.path.dirname(folders[-1]))
    return [os.path.join(folder, name) for folder in folders for name in (OWN_FILE, SHARED_FILE)]


def _common_folder(paths: Sequence[str]) -> str:
    folders = []
    for path in paths or (os.curdir,):
        absolute = os.path.abspath(path)
        folders.append(absolute if os.path.isdir(absolute) else os.path.dirname(absolute))
    try:
        return os.path.commonpath(folders)
    except ValueError:
        # Paths on two drives have nothing in common.
        return os.getcwd()


def _search_root(start: str) -> str:
    """The last folder in which settings are looked for, the start itself or one of its ancestors."""
    repository = repository_root(start)
    if repository is not None:
        return repository
    here = os.getcwd()
    below = start == here or start.startswith(here.rstrip(os.sep) + os.sep)
    return here if below else start


def _read(path: str, required: bool, unsaved: Mapping[str, bytes] | None = None) -> Settings | None:
    """The settings of one file; None if it is not there and not required, or is a `pyproject.toml` that has none."""
    data = unsaved.get(os.path.abspath(path)) if unsaved else None
    try:
        if data is None:
            with open(path, "rb") as file:
                data = file.read()
    except (FileNotFoundError, NotADirectoryError) as error:
        if not required:
            return None
        raise SettingsError(f"cannot read the settings file {path}: {error.strerror}") from None
    except OSError as error:
        raise SettingsError(f"cannot read the settings file {path}: {error.strerror}") from None
    shared = os.path.basename(path) == SHARED_FILE
    # Most are other programs' alone: their errors are not ours to report, and reading them costs more than looking.
    if shared and TABLE.encode() not in data:
        return None
    return _parse(path, data, ("tool", TABLE) if shared else ())


class _Wrong(Exception):
    """A message about the value at a path of keys in the settings file, or about its last key."""

    def __init__(self, message: str, path: tuple[str | int, ...], key: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.key = key


def _parse(path: str, data: bytes, table: tuple[str, ...]) -> Settings | None:
    """The settings in a file's bytes, under the keys of `table`; None if there is no such table."""
    from toolsurface_lint.source.text import SourceText, Unreadable, decode
    from toolsurface_lint.source.toml import read_toml

    def error(message: str, offset: int) -> SettingsError:
        position = source.lines.position(offset)
        return SettingsError(message, source.path, position.line, position.column)

    try:
        source = SourceText(display_path(path), decode(data))
    except Unreadable as unreadable:
        source = SourceText(display_path(path), unreadable.text)
        raise error(unreadable.message, unreadable.span.start) from None
    documents = read_toml(source)
    for problem in documents.problems:
        raise error(problem.message, problem.span.start)
    tree = documents.trees[0]
    found = tree.root.find(*table)
    if found is None:
        return None
    absolute = os.path.abspath(path)
    settings = Settings(os.path.dirname(absolute), absolute)
    settings.table = found
    try:
        _fill_settings(settings, found.value)
    except _Wrong as wrong:
        node = tree.at((*table, *wrong.path))
        span = (node.key_place if wrong.key else node.place).span()
        raise error(wrong.message, 0 if span is None else span.start) from None
    return settings


_Path = tuple[str | int, ...]
_Read = Callable[[Any, _Path], _T]


def _fill_settings(settings: Settings, value: Any) -> None:
    fields = _fields(value, (), _SETTINGS)
    surfaces = fields.pop("surfaces", ())
    for name, field in fields.items():
        setattr(settings, name, field)
    for surface in surfaces:
        for name in _INHERITED:
            if getattr(surface, name) is None:
                setattr(surface, name, getattr(settings, name))
    settings.surfaces = surfaces


def _fields(value: Any, path: _Path, readers: dict[str, _Read[Any]]) -> dict[str, Any]:
    """A table's values by the names of the attributes that they set; a key that is not in `readers` is wrong."""
    table = _table(value, path)
    for key in table:
        if key not in readers:
            raise _Wrong(f"unknown setting `{key}`{did_you_mean(key, readers)}", (*path, key), key=True)
    return {_ATTRIBUTES.get(key, key.replace("-", "_")): readers[key](table[key], (*path, key)) for key in table}


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """The end of a message about an unknown name: the closest known one as a question; empty if none is close.

    Guesses more freely than findings do, short names included: whoever reads the message sees what there is to choose.
    """
    from difflib import get_close_matches

    from toolsurface_lint.model.names import close_names, folded

    known = sorted(candidates)
    alike = [one for one in known if folded(one) == folded(name)]
    close = alike or close_names(name, known) or get_close_matches(name, known, 1, _ALIKE)
    return f", did you mean `{close[0]}`?" if close else ""


def _table(value: Any, path: _Path) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _Wrong(f"{_named(path)} must be a table", path)
    return value


def _string(value: Any, path: _Path) -> str:
    if not isinstance(value, str):
        raise _Wrong(f"{_named(path)} must be a string", path)
    return value


def _boolean(value: Any, path: _Path) -> bool:
    if not isinstance(value, bool):
        raise _Wrong(f"{_named(path)} must be true or false", path)
    return value


def _number(of: str) -> _Read[int]:
    def read(value: Any, path: _Path) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
            raise _Wrong(f"{_named(path)} must be a number of {of} above 0", path)
        return value

    return read


def _choice(*choices: str) -> _Read[str]:
    def read(value: Any, path: _Path) -> str:
        if value not in choices:
            name = value if isinstance(value, str) else ""
            raise _Wrong(f"{_named(path)} must be {_either(choices)}{did_you_mean(name, choices)}", path)
        return str(value)

    return read


def _either(choices: Sequence[str]) -> str:
    quoted = [f'"{choice}"' for choice in choices]
    return f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def _strings(value: Any, path: _Path) -> tuple[str, ...]:
    """An array of strings, or one string alone."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list):
        raise _Wrong(f"{_named(path)} must be a string or an array of strings", path)
    return tuple(_string(item, (*path, index)) for index, item in enumerate(value))


def _codes(value: Any, path: _Path) -> tuple[str, ...]:
    codes = _strings(value, path)
    for index, code in enumerate(codes):
        message = unknown_code(code)
        if message:
            raise _Wrong(message, (*path, index) if isinstance(value, list) else path)
    return codes


def _severities(value: Any, path: _Path) -> dict[str, str]:
    from toolsurface_lint.rule_pages import codes

    table = _table(value, path)
    known = codes()
    read = _choice(*SEVERITIES, "off")
    for code in table:
        if code not in known:
            raise _Wrong(f"unknown code `{code}`{did_you_mean(code, known)}", (*path, code), key=True)
    return {code: read(severity, (*path, code)) for code, severity in table.items()}


def _provider(value: Any, path: _Path) -> str:
    provider = _string(value, path)
    message = unknown_provider(provider)
    if message:
        raise _Wrong(message, path)
    return provider


def unknown_provider(provider: str) -> str | None:
    """What is wrong with a provider's name: that nothing is known of it, but of one that is close; None otherwise.

    A provider that is close to none may well exist: then only what is common to all providers is checked.
    """
    from toolsurface_lint.knowledge.provider_names import PROVIDERS
    from toolsurface_lint.knowledge.providers import provider_id
    from toolsurface_lint.model.names import close_names

    key = provider_id(provider)
    close = () if key in PROVIDERS else close_names(key, PROVIDERS)
    return f"unknown provider `{provider}`, did you mean `{close[0]}`?" if close else None


def _kinds(value: Any, path: _Path) -> tuple[tuple[str, str], ...]:
    read = _choice(*KINDS)
    return tuple((glob, read(kind, (*path, glob))) for glob, kind in _table(value, path).items())


def _builtin_tools(value: Any, path: _Path) -> dict[str, frozenset[str]]:
    from toolsurface_lint.knowledge.clients import CLIENTS

    table = _table(value, path)
    for client in table:
        if client not in CLIENTS:
            raise _Wrong(f"unknown client `{client}`{did_you_mean(client, CLIENTS)}", (*path, client), key=True)
    return {client: frozenset(_strings(names, (*path, client))) for client, names in table.items()}


def _tables(value: Any, path: _Path) -> list[Any]:
    if not isinstance(value, list):
        raise _Wrong(f"{_named(path)} must be an array of tables, written [[{path[-1]}]]", path)
    return value


def _surfaces(value: Any, path: _Path) -> tuple[SurfaceSettings, ...]:
    surfaces: dict[str, SurfaceSettings] = {}
    for index, table in enumerate(_tables(value, path)):
        here = (*path, index)
        fields = _required(_fields(table, here, _SURFACE), here, "name")
        surface = SurfaceSettings(fields.pop("name"))
        if surface.name in surfaces:
            raise _Wrong(f"a second surface named `{surface.name}`", (*here, "name"))
        for name, field in fields.items():
            setattr(surface, name, field)
        surfaces[surface.name] = surface
    return tuple(surfaces.values())


def _dispatchers(value: Any, path: _Path) -> tuple[Dispatcher, ...]:
    dispatchers = []
    for index, table in enumerate(_tables(value, path)):
        here = (*path, index)
        fields = _required(_fields(table, here, _DISPATCHER), here, "tool", "name", "arguments")
        dispatchers.append(Dispatcher(**fields))
    return tuple(dispatchers)


def _per_file_ignores(value: Any, path: _Path) -> tuple[FileIgnore, ...]:
    ignores = []
    for index, table in enumerate(_tables(value, path)):
        here = (*path, index)
        fields = _required(_fields(table, here, _PER_FILE_IGNORE), here, "path", "codes")
        ignores.append(FileIgnore(**fields))
    return tuple(ignores)


def _required(fields: dict[str, Any], path: _Path, *names: str) -> dict[str, Any]:
    for name in names:
        if name not in fields:
            raise _Wrong(f"{_named(path)} needs a `{name}`", path)
    return fields


def _pointer(value: Any, path: _Path) -> str:
    pointer = _string(value, path)
    if pointer and not pointer.startswith("/"):
        raise _Wrong(f"{_named(path)} must be a JSON pointer, which is empty or begins with `/`", path)
    return pointer


def _day(value: Any, path: _Path) -> str:
    """A day, as TOML writes it or as text: both come as text."""
    from toolsurface_lint.source.dates import is_day

    if not isinstance(value, str) or not is_day(value):
        raise _Wrong(f"{_named(path)} must be a day, written YYYY-MM-DD", path)
    return value


def _named(path: _Path) -> str:
    """How a message calls the value at a path: by its key, or by the key of the array that it is in."""
    if not path:
        return f"`[tool.{TABLE}]`"
    keys = [step for step in path if isinstance(step, str)]
    return f"`{keys[-1]}`" if isinstance(path[-1], str) else f"each item of `{keys[-1]}`"


_AGENT: dict[str, _Read[Any]] = {
    "protocol": _choice(*PROTOCOLS),
    "done-sentinel": _string,
    "model": _string,
    "provider": _provider,
    "tool-search": _boolean,
    "many-tools": _number("tools"),
    "context-budget": _number("tokens"),
    "template-variables": _strings,
}
_DISPATCHER: dict[str, _Read[Any]] = {"tool": _string, "name": _string, "arguments": _string, "server": _string}
_INHERITED = tuple(key.replace("-", "_") for key in _AGENT)
_SURFACE: dict[str, _Read[Any]] = {
    "name": _string,
    "tools": _strings,
    "policy": _strings,
    "approval-policy": _strings,
    "prompts": _strings,
    "transcripts": _strings,
    "templates": _strings,
    "wire-remap": _boolean,
    "dispatchers": _dispatchers,
    **_AGENT,
}
_PER_FILE_IGNORE: dict[str, _Read[Any]] = {
    "path": _string,
    "codes": _codes,
    "pointer": _pointer,
    "reason": _string,
    "until": _day,
}
_SETTINGS: dict[str, _Read[Any]] = {
    "fail-on": _choice(*FAIL_ON),
    "select": _codes,
    "extend-select": _codes,
    "ignore": _codes,
    "severity": _severities,
    "surface": _surfaces,
    "per-file-ignores": _per_file_ignores,
    "kinds": _kinds,
    "exclude": _strings,
    "builtin-tools": _builtin_tools,
    "max-file-size": _number("bytes"),
    **_AGENT,
}
_ATTRIBUTES = {"surface": "surfaces"}


def override(
    settings: Settings,
    *,
    protocol: str | None = None,
    done_sentinel: str | None = None,
    model: str | None = None,
    provider: str | None = None,
    tool_search: bool | None = None,
) -> Settings:
    """The same settings with what the command line says about the agent, which wins over every surface's own.

    Raises `SettingsError` for a protocol that is none of `PROTOCOLS`, and for a misspelt provider.
    """
    if protocol is not None and protocol not in PROTOCOLS:
        raise SettingsError(
            f"unknown protocol `{protocol}`{did_you_mean(protocol, PROTOCOLS) or f': it must be {_either(PROTOCOLS)}'}"
        )
    message = None if provider is None else unknown_provider(provider)
    if message:
        raise SettingsError(message)
    given = {
        "protocol": protocol,
        "done_sentinel": done_sentinel,
        "model": model,
        "provider": provider,
        "tool_search": tool_search,
    }
    for name, value in given.items():
        if value is not None:
            for holder in (settings, *settings.surfaces):
                setattr(holder, name, value)
    return settings


def split_codes(values: Iterable[str]) -> tuple[str, ...]:
    """The codes in strings that each hold one or several, between commas."""
    return tuple(code for value in values for code in (part.strip() for part in value.split(",")) if code)


def unknown_code(code: str) -> str | None:
    """What is wrong with a code or prefix that is to select rules; None if it names any rule."""
    from toolsurface_lint.rule_pages import codes

    known = codes()
    if any(names_code(code, one) for one in known):
        return None
    return f"unknown code or prefix `{code}`{did_you_mean(code, known | _prefixes(known) | {ALL})}"


def _prefixes(codes: Iterable[str]) -> set[str]:
    """Every prefix that names some of the codes, without the underscore that it ends at."""
    words = [code.split("_") for code in codes]
    return {"_".join(parts[:count]) for parts in words for count in range(1, len(parts))}


def names_code(selector: str, code: str) -> bool:
    """Whether a code, a prefix of codes or `ALL`, which directives do not know, means this code."""
    return selector == ALL or selects(selector, code)


class Selection:
    """Which rules are enabled, and how grave their findings are.

    `select` replaces the default set and the settings' own `select`; `extend_select` and `ignore` add to the settings'.
    What is ignored, or `off`, is never enabled. A preview rule is enabled by its full code or by `ALL`, never by a
    prefix. Each takes codes or prefixes, also several in one string. Raises `SettingsError` for one that names no rule.
    """

    __slots__ = ("_added", "_ignored", "_selected", "_severities")

    def __init__(
        self,
        settings: Settings,
        select: Iterable[str] | None = None,
        extend_select: Iterable[str] | None = None,
        ignore: Iterable[str] | None = None,
    ) -> None:
        self._selected = settings.select if select is None else _known(select)
        self._added = settings.extend_select + _known(extend_select or ())
        self._ignored = settings.ignore + _known(ignore or ())
        self._severities = settings.severity

    def enabled(self, rule: Rule) -> bool:
        return self.severity(rule) is not None

    def severity(self, rule: Rule) -> str | None:
        """The severity of a rule's findings; None if the rule is not enabled."""
        if rule.code == _ALWAYS_ENABLED:
            return rule.severity
        if any(names_code(selector, rule.code) for selector in self._ignored):
            return None
        chosen = not rule.preview if self._selected is None else _chosen(self._selected, rule)
        if not chosen and not _chosen(self._added, rule):
            return None
        severity = self._severities.get(rule.code, rule.severity)
        return None if severity == "off" else severity


def _known(selectors: Iterable[str]) -> tuple[str, ...]:
    codes = split_codes((selectors,) if isinstance(selectors, str) else selectors)
    for code in codes:
        message = unknown_code(code)
        if message:
            raise SettingsError(message)
    return codes


def _chosen(selectors: tuple[str, ...], rule: Rule) -> bool:
    if rule.preview:
        return rule.code in selectors or ALL in selectors
    return any(names_code(selector, rule.code) for selector in selectors)


def describe_settings(settings: Settings) -> dict[str, Any]:
    """Every setting by its key, as a settings file would say it; None for what has no value.

    In `surface` are tables of the same kind, with what they inherit.
    """
    described = {key: _plain(getattr(settings, _ATTRIBUTES.get(key, key.replace("-", "_")))) for key in _SETTINGS}
    described["kinds"] = dict(settings.kinds)
    described["surface"] = [
        {key: _plain(getattr(surface, key.replace("-", "_"))) for key in _SURFACE} for surface in settings.surfaces
    ]
    return described


def _plain(value: Any) -> Any:
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {key: _plain(field) for key, field in value._asdict().items() if field is not None}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def locate_settings(path: str) -> Node:
    """The table of the settings in a file that they have been loaded from, for its places."""
    from toolsurface_lint.source.text import SourceText, decode
    from toolsurface_lint.source.toml import read_toml

    with open(path, "rb") as file:
        root = read_toml(SourceText(display_path(path), decode(file.read()))).trees[0].root
    table = root.find("tool", TABLE) if os.path.basename(path) == SHARED_FILE else root
    return root if table is None else table
