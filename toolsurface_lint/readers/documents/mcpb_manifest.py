"""Manifests of MCP bundles (`.mcpb`, formerly `.dxt`): what starts the server, and the tools that it is said to have.

Source: anthropics/mcpb at 27083dc (2025-12), MANIFEST.md, versions 0.1 to 0.4 of the specification.
"""

from __future__ import annotations

import posixpath

from toolsurface_lint.model.document import Document
from toolsurface_lint.model.manifest import Manifest
from toolsurface_lint.readers.document_reader import DocumentReader
from toolsurface_lint.readers.documents.mcp_servers import package_of, programs_of
from toolsurface_lint.source.tree import Node

_VERSIONS = ("manifest_version", "dxt_version")
_TYPES = ("node", "python", "binary", "uv")
_STARTS_PACKAGE = ("__main__.py", "__init__.py")


def _recognises(root: Node, document: Document) -> bool:
    """Whether it is one; the manifest of a browser's extension has a number for its version, and no server."""
    value = root.value
    server = value.get("server")
    return (
        isinstance(server, dict)
        and server.get("type") in _TYPES
        and any(isinstance(value.get(key), str) for key in _VERSIONS)
    )


def _read(root: Node, document: Document) -> None:
    manifest = Manifest(root)
    manifest.generated = root.value.get("tools_generated") is True
    manifest.tools = root.get("tools")
    names = (item.string("name") for item in root.elements("tools") if isinstance(item.value, dict))
    manifest.names = tuple(name for name in names if name is not None)
    server = root.value["server"]
    entry = server.get("entry_point")
    manifest.programs = (entry,) if isinstance(entry, str) else ()
    command = root.find("server", "mcp_config")
    if command is not None and isinstance(command.value, dict):
        manifest.programs = (*programs_of(command), *manifest.programs)
        manifest.package = package_of(command)
    if manifest.package is None and isinstance(entry, str):
        folder, name = posixpath.split(entry)
        manifest.package = posixpath.basename(folder) or None if name in _STARTS_PACKAGE else None
    document.manifests.append(manifest)
    document.complete = True


READER = DocumentReader("manifest", 12, True, _recognises, _read)
