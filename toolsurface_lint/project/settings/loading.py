"""Which settings hold for a run: the closest file's, and over them what the command line says."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from toolsurface_lint.project.discovery.paths import is_below, with_parents, working_folder
from toolsurface_lint.project.discovery.repositories import repository_root
from toolsurface_lint.project.settings import OWN_FILE, SHARED_FILE, TABLE, Settings, SettingsError
from toolsurface_lint.source import disk
from toolsurface_lint.source.files import TooLarge, read_bytes, read_stream

MAX_SETTINGS = 1024 * 1024
"""Bytes that a settings file may have."""

_DEVICES = "/dev/"
"""Where a shell puts what is not a file: `--config <(command)`, `--config /dev/stdin`. Only `--config` reads from there."""


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
    if isolated and config_file is not None:
        raise SettingsError("--isolated reads no settings: it cannot be combined with --config")
    if isolated:
        return Settings(_search_root(start))
    if config_file is not None:
        return _read_file(config_file, required=True, unsaved=unsaved) or Settings(
            os.path.dirname(os.path.abspath(config_file))
        )
    last = _search_root(start)
    for folder in with_parents(start):
        for name in (OWN_FILE, SHARED_FILE):
            settings = _read_file(os.path.join(folder, name), required=False, unsaved=unsaved)
            if settings is not None:
                return settings
        if folder == last:
            break
    return Settings(last)


def is_settings_file(path: str) -> bool:
    """Whether a file may hold settings, by its name."""
    return os.path.basename(path) in (OWN_FILE, SHARED_FILE)


def _common_folder(paths: Sequence[str]) -> str:
    folders = []
    for path in paths or (os.curdir,):
        absolute = os.path.abspath(path)
        folders.append(absolute if disk.isdir(absolute) else os.path.dirname(absolute))
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
    here = working_folder()
    return here if here is not None and is_below(start, here) else start


def _read_file(path: str, required: bool, unsaved: Mapping[str, bytes] | None = None) -> Settings | None:
    """The settings of one file; None if it is not there and not required, or is a `pyproject.toml` that has none."""
    data = unsaved.get(os.path.abspath(path)) if unsaved else None
    try:
        if data is None and required and os.path.abspath(path).startswith(_DEVICES):
            disk.give_up()
            with open(path, "rb", buffering=0) as file:
                data = read_stream(file, MAX_SETTINGS)
        elif data is None:
            data = read_bytes(path, MAX_SETTINGS)
        elif len(data) > MAX_SETTINGS:
            raise TooLarge(MAX_SETTINGS)
    except OSError as error:
        if not required and isinstance(error, FileNotFoundError | NotADirectoryError):
            return None
        raise SettingsError(f"cannot read the settings file {path}: {error.strerror}") from None
    shared = os.path.basename(path) == SHARED_FILE
    # Most are other programs' alone: their errors are not ours to report, and reading them costs more than looking.
    if shared and TABLE.encode() not in data:
        return None
    from toolsurface_lint.project.settings.reading import read_settings

    return read_settings(path, data, ("tool", TABLE) if shared else (), unsaved)


def require_choice(what: str, given: str, choices: Sequence[str]) -> None:
    """Raise `SettingsError` for an option that is none of its choices."""
    if given not in choices:
        from toolsurface_lint.model.names import did_you_mean
        from toolsurface_lint.project.settings.values import either

        near = did_you_mean(given, choices) or f": it must be {either(choices)}"
        raise SettingsError(f"unknown {what} `{given}`{near}")


def override(
    settings: Settings,
    *,
    protocol: str | None = None,
    done_sentinel: str | None = None,
    final: bool = False,
    model: str | None = None,
    provider: str | Sequence[str] | None = None,
    tool_search: bool | None = None,
    exclude: str | Sequence[str] | None = None,
) -> Settings:
    """The same settings with what the command line says: of the agent, which wins over every surface's own.

    `exclude` are more globs beside those of the settings. Raises `SettingsError` for an unknown protocol, provider or version,
    and for a glob that cannot be used.
    """
    if exclude:
        from toolsurface_lint.project.settings.values import InvalidSetting, globs

        try:
            more = globs(exclude if isinstance(exclude, str) else list(exclude), ("exclude",))
        except InvalidSetting as error:
            raise SettingsError(error.message) from None
        settings.exclude = (*settings.exclude, *more)
    if protocol is not None:
        from toolsurface_lint.project.settings.values import unknown_protocol

        wrong = unknown_protocol(protocol)
        if wrong:
            raise SettingsError(wrong)
    if not provider:
        # An option that may be repeated is empty where it is not given.
        provider = None if provider != "" else ("",)
    else:
        from toolsurface_lint.project.settings.values import unknown_provider

        provider = (provider,) if isinstance(provider, str) else tuple(provider)
        message = next(filter(None, map(unknown_provider, provider)), None)
        if message:
            raise SettingsError(message)
    given = {
        "protocol": protocol,
        "done_sentinel": done_sentinel,
        "final_responses": ("**",) if final else None,
        "model": model,
        "provider": provider,
        "tool_search": tool_search,
    }
    for name, value in given.items():
        if value is not None:
            for holder in (settings, *settings.surfaces):
                setattr(holder, name, value)
    return settings
