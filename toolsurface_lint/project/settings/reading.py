"""From the bytes of a settings file to settings: which keys there are, and what each may say."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

from toolsurface_lint.model.names import did_you_mean
from toolsurface_lint.model.target import CallRule, Dispatcher, FailureValue
from toolsurface_lint.project.discovery.globs import written_out
from toolsurface_lint.project.discovery.paths import display_path
from toolsurface_lint.project.settings import (
    FAIL_ON,
    SHARED_FILE,
    TABLE,
    FileIgnore,
    Settings,
    SettingsError,
    SurfaceSettings,
    values,
)
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import SourceText, Span, Unreadable, decode
from toolsurface_lint.source.toml import read_toml
from toolsurface_lint.source.tree import Path

_T = TypeVar("_T")

MAX_GLOBS = 200_000
"""Characters of all globs of the settings together: every path may be matched against each of them."""


def read_settings(path: str, data: bytes, table: tuple[str, ...]) -> Settings | None:
    """The settings in a file's bytes, under the keys of `table`; None if there is no such table.

    Raises `SettingsError`.
    """

    def error(message: str, offset: int) -> SettingsError:
        position = source.lines.position(offset)
        return SettingsError(message, source.path, position.line, position.column)

    problems: list[Problem[Span]] = []
    try:
        text = decode(data)
    except Unreadable as unreadable:
        text = unreadable.text
        problems.append(unreadable.problem)
    source = SourceText(display_path(path), text)
    documents = read_toml(source)
    for problem in (*problems, *documents.problems):
        from toolsurface_lint.checks.input.problems import sentence

        raise error(sentence(problem), problem.at.start)
    tree = documents.trees[0]
    found = tree.root.find(*table)
    if found is None:
        return None
    absolute = os.path.abspath(path)
    settings = Settings(os.path.dirname(absolute), absolute)
    settings.table = found
    try:
        if not table:
            _refuse_table(found.value)
        _fill_settings(settings, found.value)
    except values.InvalidSetting as wrong:
        node = tree.at((*table, *wrong.path))
        span = (node.key_place if wrong.key else node.place).span()
        raise error(wrong.message, 0 if span is None else span.start) from None
    return settings


def _refuse_table(value: Any) -> None:
    """Refuse the table that separates our settings from those of others, in a file of their own."""
    for path in (("tool", TABLE), (TABLE,)):
        inner = value
        for key in path:
            inner = inner.get(key) if isinstance(inner, dict) else None
        if isinstance(inner, dict):
            name = ".".join(path)
            message = f"the table `{name}` is for {SHARED_FILE}: in this file, settings stand at the top, without it"
            raise values.InvalidSetting(message, path, key=True)


def _fill_settings(settings: Settings, value: Any) -> None:
    fields = _fields(value, (), SETTINGS)
    vars(settings).update(fields)
    inherited = {name: fields[name] for name in map(attribute_of, _AGENT) if name in fields}
    names = set()
    for index, surface in enumerate(settings.surfaces):
        if surface.name in names:
            raise values.InvalidSetting(f"a second surface named `{surface.name}`", ("surface", index, "name"))
        names.add(surface.name)
        vars(surface).update(inherited | vars(surface))
    globs = (*settings.exclude, *settings.named_globs(), *(ignore.path for ignore in settings.per_file_ignores))
    if sum(len(text) for glob in globs for text in written_out(glob)) > MAX_GLOBS:
        limit = f"more than {MAX_GLOBS:,} characters once their braces are expanded"
        raise values.InvalidSetting(f"the globs have {limit}", ())


def _fields(value: Any, path: Path, readers: _Readers) -> dict[str, Any]:
    """A table's values by the names of the attributes that they set; a key that is not in `readers` is wrong."""
    table = values.table(value, path)
    for key in table:
        if key not in readers:
            raise values.InvalidSetting(f"unknown setting `{key}`{did_you_mean(key, readers)}", (*path, key), key=True)
    return {attribute_of(key): readers[key](table[key], (*path, key)) for key in table}


def attribute_of(key: str) -> str:
    """The attribute of `Settings`, or of one of its parts, that a key sets."""
    return "surfaces" if key == "surface" else key.replace("-", "_")


def _tables(make: Callable[..., _T], readers: _Readers, *required: str) -> values.Reader[tuple[_T, ...]]:
    """The reader of an array of tables, each of which makes something of its values."""

    def read(value: Any, path: Path) -> tuple[_T, ...]:
        if not isinstance(value, list):
            message = f"{values.named(path)} must be an array of tables, written [[{path[-1]}]]"
            raise values.InvalidSetting(message, path)
        made = []
        for index, table in enumerate(value):
            here = (*path, index)
            fields = _fields(table, here, readers)
            for name in required:
                if name not in fields:
                    raise values.InvalidSetting(f"{values.named(here)} needs a `{name}`", here)
            made.append(make(**fields))
        return tuple(made)

    return read


_Readers = dict[str, values.Reader[Any]]

FAILURE_VALUE: _Readers = {
    "pointer": values.pointer,
    "value": values.scalar,
}


def _failures(value: Any, path: Path) -> tuple[str | FailureValue, ...]:
    """Patterns and values of results: one, or an array of them."""
    if not isinstance(value, list):
        return (_failure(value, path),)
    return tuple(_failure(item, (*path, index)) for index, item in enumerate(value))


def _failure(value: Any, path: Path) -> str | FailureValue:
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        raise values.InvalidSetting(
            f"{values.named(path)} must be a pattern, or a table with `pointer` and `value`", path
        )
    fields = _fields(value, path, FAILURE_VALUE)
    for name in FAILURE_VALUE:
        if name not in fields:
            raise values.InvalidSetting(f"{values.named(path)} needs a `{name}`", path)
    return FailureValue(**fields)


CALL_RULE: _Readers = {
    "tool": values.string,
    "requires": values.strings,
    "failure-when": _failures,
}
_AGENT: _Readers = {
    "protocol": values.protocol,
    "done-sentinel": values.string,
    "final-responses": values.globs,
    "model": values.string,
    "provider": values.providers,
    "tool-search": values.boolean,
    "many-tools": values.number("tools"),
    "context-budget": values.number("tokens"),
    "template-variables": values.strings,
    "call-rules": _tables(CallRule, CALL_RULE, "tool"),
}
DISPATCHER: _Readers = {
    "tool": values.string,
    "name": values.string,
    "arguments": values.string,
    "server": values.string,
}
SURFACE: _Readers = {
    "name": values.string,
    "tools": values.globs,
    "policy": values.globs,
    "approval-policy": values.globs,
    "prompts": values.globs,
    "transcripts": values.globs,
    "templates": values.globs,
    "wire-remap": values.boolean,
    "dispatchers": _tables(Dispatcher, DISPATCHER, "tool", "name", "arguments"),
    **_AGENT,
}
PER_FILE_IGNORE: _Readers = {
    "path": values.glob,
    "codes": values.codes,
    "pointer": values.pointer,
    "reason": values.string,
    "until": values.day,
}
SETTINGS: _Readers = {
    "fail-on": values.choice(*FAIL_ON),
    "select": values.codes,
    "extend-select": values.codes,
    "ignore": values.codes,
    "severity": values.severities,
    "surface": _tables(SurfaceSettings, SURFACE, "name"),
    "per-file-ignores": _tables(FileIgnore, PER_FILE_IGNORE, "path", "codes"),
    "kinds": values.kinds,
    "exclude": values.globs,
    "builtin-tools": values.builtin_tools,
    "client-versions": values.client_versions,
    "max-file-size": values.number("bytes"),
    **_AGENT,
}
