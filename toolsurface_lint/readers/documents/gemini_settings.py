"""Settings and extensions of Gemini CLI: the tools that they allow and exclude, its own and those of servers.

Source: @google/gemini-cli-core 0.61.0, its reference of settings.
"""

from __future__ import annotations

import os
import re

from toolsurface_lint.model.document import Document
from toolsurface_lint.model.manifest import Manifest, NamedPath
from toolsurface_lint.model.permission import ALLOW, DENY, GLOB, PermissionFile, PermissionRule
from toolsurface_lint.readers.document_reader import DocumentReader
from toolsurface_lint.readers.documents.mcp_servers import releases_of, server_file
from toolsurface_lint.readers.permissions import texts_of
from toolsurface_lint.source.tree import Node

_CLIENT = "gemini-cli"
# The names without `tools` are those before it was an object; extensions still use them.
_LISTS = (
    (("tools", "core"), ALLOW),
    (("tools", "allowed"), ALLOW),
    (("tools", "confirmationRequired"), ALLOW),
    (("tools", "exclude"), DENY),
    (("coreTools",), ALLOW),
    (("allowedTools",), ALLOW),
    (("excludeTools",), DENY),
)
_SERVER_LISTS = (("includeTools", ALLOW), ("excludeTools", DENY))
_SHELL = "run_shell_command"
_APPROVING = (("tools", "allowed"), ("allowedTools",))


def _recognises(root: Node, document: Document) -> bool:
    folder, name = os.path.split(document.location)
    if name == "gemini-extension.json" or (name == "settings.json" and os.path.basename(folder) == ".gemini"):
        return True
    tools = root.value.get("tools")
    return isinstance(tools, dict) and any(
        isinstance(tools.get(key), list) for key in ("core", "allowed", "exclude", "confirmationRequired")
    )


def read_settings(root: Node, document: Document) -> None:
    """The settings at a node, as a surface of their own."""
    file = PermissionFile(root, _CLIENT)
    for path, action in _LISTS:
        field = ".".join(path)
        for node in texts_of(file, root.find(*path), field):
            rule = _rule(node, action, field)
            file.rules.append(rule)
            if path in _APPROVING and rule.tool == _SHELL and rule.specifier is None:
                file.add("broad/name", node.place, field, rule=rule.text)
    if re.search(_SETTINGS, f"/{document.location}"):
        from toolsurface_lint.readers.settings_keys import read_settings_keys

        read_settings_keys(file, root, _CLIENT)
    servers = root.get("mcpServers")
    if servers is not None:
        file.releases = releases_of(servers)
    # Other files are known by their lists of tools alone.
    if servers is not None and re.search(_NAMES, f"/{document.location}"):
        from toolsurface_lint.readers.server_lists import read_server_list

        document.server_files.append(server_file(document.path, servers))
        read_server_list(file, servers, _CLIENT)
    for server, definition in root.members("mcpServers"):
        file.servers[server] = definition.key_place
        for key, action in _SERVER_LISTS:
            field = f"mcpServers.{server}.{key}"
            for node in texts_of(file, definition.get(key), field):
                rule = _rule(node, action, field)
                rule.server = server
                rule.server_tool = rule.tool
                rule.tool = f"mcp_{server}_{rule.tool}"
                file.rules.append(rule)
    document.permissions.append(file)
    if (files := root.get("contextFileName")) is not None:
        _read_files(files, document)
    document.complete = True


def _read_files(node: Node, document: Document) -> None:
    """The files that an extension names for the model to read."""
    if os.path.basename(document.path) != "gemini-extension.json":
        return
    manifest = Manifest(node)
    for item in [node] if isinstance(node.value, str) else node.elements():
        if isinstance(item.value, str) and item.value:
            manifest.paths.append(NamedPath(item.value, item.place, "contextFileName", (item.value,)))
    document.manifests.append(manifest)


def _rule(node: Node, action: str, field: str) -> PermissionRule:
    from toolsurface_lint.knowledge.clients import CLIENTS

    rule = PermissionRule(node.value, node.place, action, field)
    name, parenthesis, specifier = node.value.partition("(")
    rule.tool = CLIENTS[_CLIENT].legacy.get(name, name)
    if parenthesis:
        # `run_shell_command(git)` matches every command that begins with `git`.
        rule.matching = GLOB
        rule.specifier = f"{specifier.removesuffix(')')} *"
    return rule


_SETTINGS = r"/\.gemini/settings\.json\Z"
_NAMES = r"/(?:\.gemini/settings|gemini-extension)\.json\Z"
READER = DocumentReader("permissions", 32, False, _recognises, read_settings, names=_NAMES)
