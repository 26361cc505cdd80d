"""From the bytes of a settings file to settings: which keys there are, and what each may say."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from toolsurface_lint.model.target import CallRule, Dispatcher, FailureValue
from toolsurface_lint.project.discovery.globs import written_out
from toolsurface_lint.project.settings import (
    FAIL_ON,
    SHARED_FILE,
    TABLE,
    FileIgnore,
    Settings,
    SurfaceSettings,
    values,
)
from toolsurface_lint.project.settings.selection import all_codes
from toolsurface_lint.project.settings.settings_file import SettingsFile, check_codes
from toolsurface_lint.source.tree import Path

MAX_GLOBS = 200_000
"""Characters of all globs of the settings together: every path may be matched against each of them."""


def read_settings(
    path: str, data: bytes, table: tuple[str, ...], unsaved: Mapping[str, bytes] | None = None
) -> Settings | None:
    """The settings in a file's bytes, under the keys of `table`, with those that they extend; None if there is no such table.

    `unsaved` as in `load_settings`. Raises `SettingsError`.
    """
    file = SettingsFile(path, data, table)
    if file.table is None:
        return None
    settings = Settings(os.path.dirname(file.path), file.path)
    settings.table = file.table
    with file.located():
        if not table:
            _refuse_table(file.table.value)
        _fill_settings(settings, file.table.value)
    if settings.rules or settings.extends or settings.plugins:
        from toolsurface_lint.project.settings.extending import extend

        extend(settings, file, unsaved or {})
    with file.located():
        check_codes(file.table.value, all_codes(settings), bool(settings.not_loaded))
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
    fields = values.fields(value, (), SETTINGS)
    vars(settings).update(fields)
    inherited = {name: fields[name] for name in map(values.attribute_of, _AGENT) if name in fields}
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


FAILURE_VALUE: values.Readers = {
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
    fields = values.fields(value, path, FAILURE_VALUE)
    for name in FAILURE_VALUE:
        if name not in fields:
            raise values.InvalidSetting(f"{values.named(path)} needs a `{name}`", path)
    return FailureValue(**fields)


CALL_RULE: values.Readers = {
    "tool": values.string,
    "requires": values.strings,
    "failure-when": _failures,
}
_AGENT: values.Readers = {
    "protocol": values.protocol,
    "done-sentinel": values.string,
    "final-responses": values.globs,
    "model": values.string,
    "provider": values.providers,
    "tool-search": values.boolean,
    "many-tools": values.number("tools"),
    "context-budget": values.number("tokens"),
    "template-variables": values.strings,
    "call-rules": values.tables(CallRule, CALL_RULE, "tool"),
}
DISPATCHER: values.Readers = {
    "tool": values.string,
    "name": values.string,
    "arguments": values.string,
    "server": values.string,
}
SURFACE: values.Readers = {
    "name": values.string,
    "tools": values.globs,
    "policy": values.globs,
    "approval-policy": values.globs,
    "prompts": values.globs,
    "transcripts": values.globs,
    "templates": values.globs,
    "wire-remap": values.boolean,
    "dispatchers": values.tables(Dispatcher, DISPATCHER, "tool", "name", "arguments"),
    **_AGENT,
}
PER_FILE_IGNORE: values.Readers = {
    "path": values.glob,
    "codes": values.codes,
    "pointer": values.pointer,
    "reason": values.string,
    "until": values.day,
}


def _rules(value: Any, path: Path) -> Any:
    from toolsurface_lint.project.settings.own_rules import read_rules

    return read_rules(value, path)


SETTINGS: values.Readers = {
    "fail-on": values.choice(*FAIL_ON),
    "select": values.codes,
    "extend-select": values.codes,
    "ignore": values.codes,
    "severity": values.severities,
    "surface": values.tables(SurfaceSettings, SURFACE, "name"),
    "per-file-ignores": values.tables(FileIgnore, PER_FILE_IGNORE, "path", "codes"),
    "kinds": values.kinds,
    "exclude": values.globs,
    "builtin-tools": values.builtin_tools,
    "client-versions": values.client_versions,
    "max-file-size": values.number("bytes"),
    "rule": _rules,
    "extends": values.strings,
    "plugins": values.strings,
    **_AGENT,
}
