"""Manifests of Claude Code's plugins and marketplaces: the files that they name, and the servers that they bring along.

Source: the documentation of plugins and marketplaces, 2026-11.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from toolsurface_lint.model.document import Document
from toolsurface_lint.model.manifest import Manifest, NamedPath
from toolsurface_lint.model.permission import PermissionFile
from toolsurface_lint.readers.document_reader import DocumentReader
from toolsurface_lint.readers.documents.mcp_servers import server_file
from toolsurface_lint.source.tree import Node

_FIELDS = ("commands", "agents", "skills", "hooks", "mcpServers", "lspServers", "outputStyles")
_FOLDER = ".claude-plugin"
_NAMES = rf"/\{_FOLDER}/(?:plugin|marketplace)\.json\Z"
_ROOT = "${CLAUDE_PLUGIN_ROOT}/"


def _recognises(root: Node, document: Document) -> bool:
    return isinstance(root.value.get("name"), str) and re.search(_NAMES, f"/{document.location.lower()}") is not None


def _read(root: Node, document: Document) -> None:
    manifest = Manifest(root)
    if posixpath.basename(document.path).lower() == "plugin.json":
        manifest.paths.extend(_paths(root, ("..",), ""))
        _read_servers(root, document)
    else:
        manifest.paths.extend(_marketplace_paths(root))
    document.manifests.append(manifest)
    document.complete = True


def _marketplace_paths(root: Node) -> Iterator[NamedPath]:
    """The folders of the plugins that lie beside a marketplace, and what it names in them."""
    metadata = root.get("metadata")
    base = metadata.string("pluginRoot") if metadata is not None and isinstance(metadata.value, dict) else None
    for index, plugin in enumerate(root.elements("plugins")):
        source = plugin.string("source") if isinstance(plugin.value, dict) else None
        if source is None:
            continue
        folders = ["..", *([posixpath.join("..", base.value)] if base is not None else [])]
        folders = [posixpath.join(folder, source.value) for folder in folders]
        yield NamedPath(source.value, source.place, f"plugins[{index}].source", tuple(folders))
        yield from _paths(plugin, tuple(folders), f"plugins[{index}].")


def _paths(plugin: Node, folders: tuple[str, ...], prefix: str) -> Iterator[NamedPath]:
    """The paths in the fields of a plugin: one, or a list of some. `folders` are those that it may lie in."""
    for field in _FIELDS:
        node = plugin.get(field)
        if node is None:
            continue
        for item in [node] if isinstance(node.value, str) else node.elements():
            if isinstance(item.value, str):
                path = item.value.removeprefix(_ROOT)
                if not any(character in path for character in "$*?[{") and "://" not in path:
                    paths = tuple(posixpath.join(folder, path) for folder in folders)
                    yield NamedPath(item.value, item.place, f"{prefix}{field}", paths)


def _read_servers(root: Node, document: Document) -> None:
    """The servers in the manifest itself, whose tools are named `mcp__plugin_PLUGIN_SERVER__TOOL`."""
    servers = root.get("mcpServers")
    if servers is None or not isinstance(servers.value, dict):
        return
    from toolsurface_lint.readers.server_lists import read_server_list

    document.server_files.append(server_file(document.path, servers, f"plugin_{root.value['name']}_"))
    file = PermissionFile(servers, None)
    read_server_list(file, servers, "claude-code")
    document.permissions.append(file)


READER = DocumentReader("manifest", 13, False, _recognises, _read, names=_NAMES)
