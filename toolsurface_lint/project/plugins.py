"""Which files the plugins of a checkout bring along for Claude Code, by their manifests.

Source: code.claude.com/docs/en/plugins-reference and docs/en/plugin-marketplaces, 2026-08.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from itertools import takewhile
from typing import Any, NamedTuple

from toolsurface_lint.knowledge.client_files import PLUGIN_FOLDERS, PLUGIN_MARKS, standing_in_plugin
from toolsurface_lint.knowledge.clients import SKILL, Standing
from toolsurface_lint.project.discovery.names import is_page
from toolsurface_lint.project.discovery.paths import relative_to, with_parents
from toolsurface_lint.source import disk
from toolsurface_lint.source.files import read_source
from toolsurface_lint.source.text import Unreadable

_FOLDER = ".claude-plugin"
_MOST = 1 << 20
"""Bytes of a manifest that is looked at."""
_NOTES = frozenset({"agents.md", "claude.md", "gemini.md"})
"""Names that files have for whoever works on a folder, wherever it lies."""
_DEFAULTS = {kind: "output-styles" if field == "outputStyles" else field for field, kind in PLUGIN_FOLDERS.items()}


class _Plugin(NamedTuple):
    """A plugin: its folder, and the files and folders with its parts, relative to it, with what each holds."""

    root: str
    parts: Mapping[str, str]
    marks: tuple[str, ...]


class _Around(NamedTuple):
    """What the folders down to one say: the plugin that it lies in, and those that marketplaces name, by folder."""

    plugin: _Plugin | None
    named: Mapping[str, Mapping[str, str]]


_NOTHING = _Around(None, {})


class Plugins:
    """The plugins of a checkout, each looked for when a file of its folder is asked about.

    `boundary` gives the outermost folder that may be looked into for what lies in a folder.
    """

    def __init__(self, boundary: Callable[[str], str | None]) -> None:
        self._boundary = boundary
        self._known: dict[str, _Around] = {}

    def standing_of(self, path: str) -> Standing | None:
        """What the markdown file at an absolute path is in its plugin; None if it is nothing there."""
        folder = os.path.dirname(path)
        plugin = self._around(folder).plugin
        relative = None if plugin is None else relative_to(path, plugin.root)
        if plugin is None or relative is None or is_page(relative) or os.path.basename(path).lower() in _NOTES:
            return None
        part = next((part for part in _with_folders(relative) if part in plugin.parts), None)
        if part is None:
            return None
        kind = plugin.parts[part]
        if (kind == SKILL) != (os.path.basename(path).lower() == "skill.md"):
            return None
        return standing_in_plugin(kind, plugin.marks)

    def _around(self, folder: str) -> _Around:
        boundary = self._boundary(folder)
        if boundary is None:
            return _NOTHING
        folders = [*takewhile(lambda parent: parent != boundary, with_parents(folder)), boundary]
        known = next((at for at, parent in enumerate(folders) if parent in self._known), len(folders))
        found = self._known[folders[known]] if known < len(folders) else _NOTHING
        for parent in reversed(folders[:known]):
            found = self._known[parent] = _look(parent, found)
        return found


def _look(folder: str, above: _Around) -> _Around:
    """What is known in a folder by its manifests, and by those above it."""
    named = above.named
    if disk.isdir(os.path.join(folder, _FOLDER)):
        market = _manifest(folder, "marketplace.json")
        named = {**named, **_named_in(market, folder)} if market else named
        manifest = _manifest(folder, "plugin.json")
    else:
        manifest = None
    if manifest is None and folder not in named:
        return _Around(above.plugin, named)
    parts = {path: kind for kind, path in _DEFAULTS.items()}
    parts.update(_parts(manifest or {}))
    parts.update(named.get(folder, {}))
    marks = tuple(mark for mark in PLUGIN_MARKS if disk.lexists(os.path.join(folder, mark)))
    return _Around(_Plugin(folder, parts, marks), named)


def _manifest(folder: str, name: str) -> dict[str, Any] | None:
    """A manifest of a folder; empty if it cannot be read, None if there is none."""
    path = os.path.join(folder, _FOLDER, name)
    if not disk.isfile(path):
        return None
    from toolsurface_lint.source.json import read_json

    try:
        trees = read_json(read_source(path, path, _MOST)).trees
    except Unreadable:
        return {}
    return trees[0].value if trees and isinstance(trees[0].value, dict) else {}


def _named_in(market: Mapping[str, Any], folder: str) -> dict[str, dict[str, str]]:
    """The plugins that a marketplace names below its folder: their folders, each with its parts."""
    metadata = market.get("metadata")
    base = metadata.get("pluginRoot") if isinstance(metadata, dict) else None
    found: dict[str, dict[str, str]] = {}
    plugins = market.get("plugins")
    for plugin in plugins if isinstance(plugins, list) else ():
        source = plugin.get("source") if isinstance(plugin, dict) else None
        if not isinstance(source, str) or "\0" in source:
            continue
        roots = [folder, *([os.path.join(folder, base)] if isinstance(base, str) and "\0" not in base else [])]
        for root in roots:
            path = os.path.normpath(os.path.join(root, source))
            if relative_to(path, folder) is not None:
                found.setdefault(path, {}).update(_parts(plugin))
    return found


def _parts(manifest: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The files and folders that a manifest names for its parts, relative to its plugin, with what they hold."""
    for field, kind in PLUGIN_FOLDERS.items():
        value = manifest.get(field)
        items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else [value]
        for item in items:
            # A command may be an object that names its file.
            path = item.get("source") if isinstance(item, dict) else item
            if isinstance(path, str) and not os.path.isabs(path):
                path = os.path.normpath(path).replace(os.sep, "/")
                # All that lies in a plugin may be skills, but hardly commands or agents.
                if not path.startswith("..") and (path != "." or kind == SKILL):
                    yield path, kind


def _with_folders(path: str) -> Iterator[str]:
    """A relative path, the folders that it lies in, then `.`, which is all of them."""
    while path:
        yield path
        path = path.rpartition("/")[0]
    yield "."
