"""`toolsurface-lint config`: the settings that hold for some paths, and where each of them comes from."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from toolsurface_lint.cli.stream import write
from toolsurface_lint.project.discovery import PathMissing
from toolsurface_lint.project.discovery.paths import display_path
from toolsurface_lint.project.settings import Settings
from toolsurface_lint.project.settings.description import describe_settings
from toolsurface_lint.project.settings.loading import load_settings
from toolsurface_lint.project.settings.toml import toml_value
from toolsurface_lint.reporters.characters import escape_commands, visible
from toolsurface_lint.source.tree import Node

_DEFAULT = "default"


def config(paths: Sequence[str], *, config: str | None = None, isolated: bool = False, output: str = "text") -> int:
    """Run the command and return its exit code. Raises `PathMissing` and `SettingsError`."""
    for path in paths:
        if not os.path.lexists(path):
            raise PathMissing(path)
    described = describe(load_settings(paths or (".",), config, isolated))
    if output == "json":
        from toolsurface_lint.reporters.json import dump

        write(dump(described, 3) + "\n")
    else:
        write(text(described))
    return 0


def describe(settings: Settings) -> dict[str, Any]:
    """The settings as `--output json` writes them.

    `file` is None where there is no settings file, `root` the folder that globs are relative to. Each setting has its
    `value`, None if it has none, and its `origin`: `default`, or `path:line:column` of its key.
    """
    values = describe_settings(settings)
    surfaces = values.pop("surface")
    table = settings.table
    return {
        "file": None if settings.path is None else display_path(settings.path),
        "root": display_path(settings.root),
        "settings": {key: {"value": value, "origin": _origin(table, key)} for key, value in values.items()},
        "surfaces": [_surface(table, index, surface) for index, surface in enumerate(surfaces)],
    }


def _surface(table: Node | None, index: int, surface: dict[str, Any]) -> dict[str, Any]:
    """What a table says itself is of its own place, what it inherits of the place of that."""
    described = {}
    for key, value in surface.items():
        own = _origin(table, "surface", index, key)
        described[key] = {"value": value, "origin": _origin(table, key) if own == _DEFAULT else own}
    return described


def _origin(table: Node | None, *path: str | int) -> str:
    node = None if table is None else table.find(*path)
    span = None if node is None else node.key_place.span()
    source = None if node is None else node.tree.source
    if span is None or source is None:
        return _DEFAULT
    position = source.lines.position(span.start)
    return f"{source.path}:{position.line}:{position.column}"


def text(described: dict[str, Any]) -> str:
    """The same for people, as TOML that says it all: a settings file of this text would mean the same."""
    file = described["file"]
    lines = [f"# settings of {visible(file)}" if file else "# no settings file: these are the defaults"]
    lines.append(f"# paths are relative to {visible(described['root'])}")
    lines += _lines(described["settings"])
    for surface in described["surfaces"]:
        lines += ["", "[[surface]]", *_lines(surface)]
    return escape_commands("\n".join(lines) + "\n", "\\u0023")


def _lines(settings: dict[str, Any]) -> list[str]:
    return [
        f"# {key} is not set"
        if setting["value"] is None
        else f"{key} = {toml_value(setting['value'])}  # {visible(setting['origin'])}"
        for key, setting in settings.items()
    ]
