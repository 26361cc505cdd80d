"""The `server.json` of the MCP registry: the name of a server, its versions, and the packages that it is published in."""

from __future__ import annotations

import posixpath
import re

from toolsurface_lint.knowledge.mcp_registry import (
    FIELDS,
    LOCAL_TRANSPORTS,
    LONGEST,
    NAME,
    PACKAGE_FIELDS,
    PACKAGE_REQUIRED,
    RANGES,
    REGISTRIES,
    REMOTE_TRANSPORTS,
    REQUIRED,
    SCHEMAS,
    SNAKE_CASE,
)
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.manifest import Manifest, PublishedPackage
from toolsurface_lint.model.names import slip
from toolsurface_lint.readers.document_reader import DocumentReader
from toolsurface_lint.readers.shape import Shape, listed
from toolsurface_lint.source.tree import Node

_PLACEHOLDER = re.compile(r"[<${]")
"""In a value that a build, or the reader of an example, is to fill in."""


def _recognises(root: Node, document: Document) -> bool:
    value = root.value
    schema = value.get("$schema")
    if isinstance(schema, str) and schema.startswith(SCHEMAS):
        return schema.endswith("/server.schema.json")
    named = posixpath.basename(document.path).lower() == "server.json" and isinstance(value.get("name"), str)
    packages = value.get("packages")
    return (
        named and isinstance(packages, list) and any(isinstance(one, dict) and "identifier" in one for one in packages)
    )


def _read(root: Node, document: Document) -> None:
    manifest = Manifest(root)
    _Reader(manifest).read()
    document.manifests.append(manifest)
    document.complete = True


class _Reader:
    def __init__(self, manifest: Manifest) -> None:
        self._manifest = manifest
        self._root = manifest.node
        self._snake_case = SNAKE_CASE in str(self._root.value.get("$schema"))

    def read(self) -> None:
        shape = self._shape(self._root)
        before = len(self._manifest.problems)
        if not self._snake_case:
            shape.unknown_fields(self._root, "server.json", FIELDS, close=True)
        shape.require(self._root, "", REQUIRED, before)
        for field, most in LONGEST.items():
            node = shape.text(field)
            if node is not None and len(node.value) > most:
                self._add("long", node, field, length=len(node.value), most=most)
        name = self._root.string("name")
        if name is not None and not _PLACEHOLDER.search(name.value) and re.fullmatch(NAME, name.value) is None:
            self._add("name", name, "name", name=name.value)
        self._check_version(self._root, "version")
        subfolder = self._root.find("repository", "subfolder")
        folder = subfolder.value if subfolder is not None and isinstance(subfolder.value, str) else ""
        for index, package in enumerate(shape.elements("packages")):
            self._read_package(package, f"packages[{index}]", folder)
        for index, remote in enumerate(shape.elements("remotes")):
            if isinstance(remote.value, dict):
                self._check_transport(remote, f"remotes[{index}]", REMOTE_TRANSPORTS)

    def _read_package(self, package: Node, field: str, folder: str) -> None:
        if not isinstance(package.value, dict):
            self._shape(package).expect("object", package, field)
            return
        if self._snake_case:
            return
        before = len(self._manifest.problems)
        self._shape(package).unknown_fields(package, field, PACKAGE_FIELDS, close=True)
        self._shape(package).require(package, f"{field}.", PACKAGE_REQUIRED, before)
        self._check_version(package, f"{field}.version")
        kind = package.string("registryType")
        if kind is not None and kind.value not in REGISTRIES and (near := slip(kind.value, REGISTRIES)):
            self._add(
                "choice", kind, f"{field}.registryType", got=kind.value, words=listed(sorted(REGISTRIES)), near=near
            )
        transport = package.get("transport")
        if transport is not None and isinstance(transport.value, dict):
            self._check_transport(transport, f"{field}.transport", LOCAL_TRANSPORTS)
        identifier = package.string("identifier")
        if kind is not None and identifier is not None and not _PLACEHOLDER.search(identifier.value):
            version = package.string("version")
            self._manifest.published.append(PublishedPackage(kind.value, identifier, version, folder))

    def _check_transport(self, transport: Node, field: str, words: tuple[str, ...]) -> None:
        kind = transport.get("type")
        if kind is None:
            self._add("missing", transport, f"{field}.type")
        elif kind.value not in words:
            got = kind.value if isinstance(kind.value, str) else "null"
            near = slip(got, words) or tuple(word for word in words if word.endswith(f"-{got}"))
            self._add("choice", kind, f"{field}.type", got=got, words=listed(words), near=near)
        elif kind.value != "stdio" and transport.get("url") is None:
            self._add("missing", transport, f"{field}.url")

    def _check_version(self, holder: Node, field: str) -> None:
        node = holder.string("version")
        if node is None or _PLACEHOLDER.search(node.value[1:]):
            return
        text = node.value.strip()
        if text == "latest" or any(re.fullmatch(form, text) for form in RANGES):
            self._add("version", node, field, version=text)

    def _add(self, kind: str, node: Node, field: str, **values: object) -> None:
        self._shape(node).add(kind, node.place, field, **values)

    def _shape(self, node: Node) -> Shape:
        return Shape(node, self._manifest.problems, kind="refused")


READER = DocumentReader("manifest", 14, True, _recognises, _read)
