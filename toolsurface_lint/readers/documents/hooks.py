"""Hooks in the settings of coding clients, in files of their own, and in those of plugins.

Source: code.claude.com/docs/en/hooks and docs/en/plugins-reference, 2026-10; geminicli.com/docs/hooks/reference, 2026-10;
developers.openai.com/codex/hooks, 2026-09; cursor.com/docs/agent/hooks, 2026-08.
"""

from __future__ import annotations

from typing import NamedTuple

from toolsurface_lint.model.document import Document
from toolsurface_lint.readers.document_reader import DocumentReader
from toolsurface_lint.source.tree import Node


class _Place(NamedTuple):
    """Where a client reads hooks: the ends of paths, in lower case, and the folders that relative paths may begin in.

    `client` is empty for plugins, which every client has in the same place. The project, or the plugin, is one folder up;
    without `here`, it is not known.
    """

    ends: tuple[str, ...]
    client: str
    here: tuple[str, ...] = ("..",)


_PLUGIN = ("hooks/hooks.json",)
_PLACES = (
    _Place((".claude/settings.json", ".claude/settings.local.json"), "claude-code"),
    _Place(("managed-settings.json",), "claude-code", ()),
    _Place((".gemini/settings.json",), "gemini-cli"),
    _Place((".codex/hooks.json", ".codex/config.toml"), "codex"),
    # Earlier versions began at the file.
    _Place((".cursor/hooks.json",), "cursor", ("..", ".")),
    _Place(_PLUGIN, ""),
)


def _recognises(root: Node, document: Document) -> tuple[Node, _Place] | None:
    hooks = root.get("hooks")
    place = _place(document.location)
    if hooks is None or place is None:
        return None
    if not place.client:
        client = _client_of(hooks) if isinstance(hooks.value, dict) else None
        return None if client is None else (hooks, place._replace(client=client))
    return hooks, place


def _place(path: str) -> _Place | None:
    path = "/" + path.lower()
    if "/.github/" in path:
        # Those of Copilot and VS Code have forms of their own.
        return None
    return next((place for place in _PLACES if any(path.endswith("/" + end) for end in place.ends)), None)


def _read(found: tuple[Node, _Place], document: Document) -> None:
    from toolsurface_lint.readers.hooks import Folders, plugin_folders, project_folders, read_hooks

    hooks, place = found
    shared = place.ends == _PLUGIN
    folders = project_folders("..", *place.here) if place.here else Folders({})
    document.hooks.append(read_hooks(hooks, place.client, plugin_folders("..") if shared else folders, shared=shared))
    document.complete = True


def _client_of(hooks: Node) -> str | None:
    """The client that the hooks of a plugin are for: the one that has the most of their events; None if none has any."""
    from toolsurface_lint.knowledge.hooks import HOOKS

    flat = all(
        isinstance(group, dict) and "command" in group
        for groups in hooks.value.values()
        if isinstance(groups, list)
        for group in groups
    )
    if flat and any(event in HOOKS["cursor"].events for event in hooks.value):
        return "cursor"
    if "${extensionPath}" in str(hooks.value):
        return "gemini-cli"
    events = {client: sum(event in HOOKS[client].events for event in hooks.value) for client in HOOKS}
    client = max((client for client in HOOKS if not HOOKS[client].flat), key=events.__getitem__)
    return client if events[client] else None


_NAMES = r"/(?:\.claude/settings(?:\.local)?|\.gemini/settings|\.(?:codex|cursor)/hooks|hooks/hooks)\.json\Z"
READER = DocumentReader("hooks", 29, False, _recognises, _read, names=_NAMES)
