"""Settings of Claude Code: `permissions` with `allow`, `ask` and `deny`, and the servers of `.mcp.json` by name.

Source: the documentation of settings and permissions, up to 2.1.288; the settings' schema of SchemaStore, 2026-08.
"""

from __future__ import annotations

import os
import re
from typing import Any

from toolsurface_lint.model.document import Document
from toolsurface_lint.model.permission import ALLOW, ASK, DENY, PermissionFile
from toolsurface_lint.readers.document_reader import DocumentReader
from toolsurface_lint.readers.permissions import CLAUDE_CODE, choice, read_claude_rule, texts_of
from toolsurface_lint.readers.shape import Shape, describe
from toolsurface_lint.source.tree import Node

_LISTS = (DENY, ASK, ALLOW)
_MODES = ("default", "manual", "acceptEdits", "plan", "auto", "delegate", "dontAsk", "bypassPermissions")
_WORDS = (("defaultMode", _MODES), ("disableBypassPermissionsMode", ("disable",)), ("disableAutoMode", ("disable",)))
_OWN_KEYS = ("defaultMode", "additionalDirectories", "disableBypassPermissionsMode", "disableAutoMode")
_MEANT = {
    "allowed": ALLOW,
    "denied": DENY,
    "prompt": ASK,
    "additionalDirs": "additionalDirectories",
    "additionalDirectory": "additionalDirectories",
}
"""Other words for keys of `permissions`, which Claude Code does not read."""
_SERVER_KEYS = ("enabledMcpjsonServers", "disabledMcpjsonServers")


def _recognises(root: Node, document: Document) -> bool:
    value = root.value
    permissions = value.get("permissions")
    if isinstance(permissions, dict) and _is_permissions(permissions, document.location, value):
        return True
    if any(isinstance(value.get(key), list) for key in _SERVER_KEYS):
        return True
    return re.search(_NAMES, f"/{document.location}") is not None


def _is_permissions(permissions: dict[str, Any], path: str, value: dict[str, Any]) -> bool:
    if any(key in permissions for key in _OWN_KEYS) or "claude-code" in str(value.get("$schema", "")):
        return True
    folder, name = os.path.split(path)
    if os.path.basename(folder) == ".claude" and name in ("settings.json", "settings.local.json"):
        return True
    if not any(key in permissions for key in _LISTS):
        return False
    if os.path.basename(folder) == ".claude" or name in ("managed-settings.json", "settings.local.json"):
        return True
    from toolsurface_lint.knowledge.clients import CLIENTS

    # Cursor's `permissions` look alike, with names of its own; one that both have says nothing.
    rules = [rule for key in _LISTS if isinstance(permissions.get(key), list) for rule in permissions[key]]
    names = {rule.partition("(")[0] for rule in rules if isinstance(rule, str)}
    return not names.isdisjoint(CLIENTS[CLAUDE_CODE].tools - {"Read", "Write", "WebFetch"}) or any(
        name.startswith("mcp__") for name in names
    )


def read_settings(root: Node, document: Document) -> None:
    """The settings at a node, as a surface of their own."""
    permissions = root.get("permissions")
    if permissions is None or not isinstance(permissions.value, dict):
        permissions = None
    file = PermissionFile(permissions or root, CLAUDE_CODE)
    if permissions is not None:
        _read_permissions(file, permissions)
    if re.search(_NAMES, f"/{document.location}"):
        from toolsurface_lint.readers.settings_keys import read_settings_keys

        read_settings_keys(file, root, CLAUDE_CODE)
    for key in _SERVER_KEYS:
        file.named_servers.extend((node, key) for node in texts_of(file, root.get(key), key))
    document.permissions.append(file)
    document.complete = True


def _read_permissions(file: PermissionFile, permissions: Node) -> None:
    for action in _LISTS:
        field = f"permissions.{action}"
        for node in texts_of(file, permissions.get(action), field):
            rule = read_claude_rule(file, node.value, node.place, action, field, settings=True)
            if rule is not None:
                file.rules.append(rule)
    known = (*_LISTS, *_OWN_KEYS)
    Shape(permissions, file.problems).unknown_fields(permissions, "permissions", known, close=True, others=_MEANT)
    mode = permissions.get("defaultMode")
    if mode is not None and mode.value == "bypassPermissions":
        file.add("broad/name", mode.place, "permissions.defaultMode", rule=mode.value)
    for key, words in _WORDS:
        choice(file, permissions.get(key), f"permissions.{key}", words, "shape/choice", name=f"permissions.{key}")
    folders = permissions.get("additionalDirectories")
    if folders is not None and not isinstance(folders.value, list):
        field = "permissions.additionalDirectories"
        file.add("shape/strings", folders.place, field, name=field, got=describe(folders.value))


_NAMES = r"/(?:\.claude/settings(?:\.local)?|managed-settings)\.json\Z"
READER = DocumentReader("permissions", 30, False, _recognises, read_settings, names=_NAMES)
