"""Manifests of MCP bundles (`.mcpb`, formerly `.dxt`): what starts the server, its tools and its prompts.

Source: anthropics/mcpb at 27083dc (2025-12), MANIFEST.md and src/schemas, versions 0.1 to 0.4 of the specification.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator

from toolsurface_lint.knowledge import words
from toolsurface_lint.knowledge.clients import ANY_CLIENT
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.manifest import Manifest, NamedPath
from toolsurface_lint.model.names import likely_meant, slip
from toolsurface_lint.readers.document_reader import DocumentReader
from toolsurface_lint.readers.documents.mcp_servers import package_of, programs_of
from toolsurface_lint.readers.prompts import read_prompt
from toolsurface_lint.readers.shape import Shape, listed
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Node

_VERSIONS = ("manifest_version", "dxt_version")
_TYPES = ("node", "python", "binary", "uv")
_OF_SOURCES = ("python", "uv")
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
    node = root.find("server", "entry_point")
    # Those of other servers are compiled.
    if node is not None and isinstance(entry, str) and server["type"] in _OF_SOURCES and "$" not in entry:
        beside = posixpath.dirname(entry) or "."
        manifest.paths.append(NamedPath(entry, node.place, "server.entry_point", (entry,), beside))
    command = root.find("server", "mcp_config")
    if command is not None and isinstance(command.value, dict):
        manifest.programs = (*programs_of(command), *manifest.programs)
        manifest.package = package_of(command)
    if manifest.package is None and isinstance(entry, str):
        folder, name = posixpath.split(entry)
        manifest.package = posixpath.basename(folder) or None if name in _STARTS_PACKAGE else None
    _Reader(manifest, document).read()
    document.manifests.append(manifest)
    document.complete = True


_FIELDS = words(
    "$schema manifest_version dxt_version name display_name version description long_description author repository homepage "
    "documentation support icon icons screenshots localization server tools tools_generated prompts prompts_generated "
    "keywords license privacy_policies compatibility user_config"
)
_REQUIRED = ("name", "version", "description", "author")
_OPTION_TYPES = ("string", "number", "boolean", "directory", "file")
_PROMPT_FIELDS = words("name description arguments text")
_VARIABLE = re.compile(r"\$\{(arguments|user_config)\.([\w.-]{1,200}+)\}")


class _Reader:
    """Reads what every bundle has, whatever its server is written in."""

    def __init__(self, manifest: Manifest, document: Document) -> None:
        self._problems = manifest.problems
        self._root = manifest.node
        self._document = document

    def read(self) -> None:
        shape = self._shape(self._root)
        shape.unknown_fields(self._root, "manifest.json", _FIELDS, close=True)
        shape.require(self._root, "", _REQUIRED)
        for index, tool in enumerate(shape.elements("tools")):
            if isinstance(tool.value, dict):
                self._shape(tool).require(tool, f"tools[{index}].", ("name",))
            else:
                shape.expect("object", tool, f"tools[{index}]")
        options = dict(shape.members("user_config"))
        for name, option in options.items():
            kind = option.string("type") if isinstance(option.value, dict) else None
            if kind is not None and kind.value not in _OPTION_TYPES:
                near = slip(kind.value, _OPTION_TYPES)
                values = {"got": kind.value, "words": listed(_OPTION_TYPES), "near": near}
                shape.add("choice", kind.place, f"user_config.{name}.type", **values)
        command = self._root.find("server", "mcp_config")
        if command is not None:
            for node in _texts(command):
                self._check_variables(node, "user_config", options)
        for index, prompt in enumerate(shape.elements("prompts")):
            if isinstance(prompt.value, dict):
                self._read_prompt(prompt, f"prompts[{index}]")
            else:
                shape.expect("object", prompt, f"prompts[{index}]")

    def _read_prompt(self, prompt: Node, field: str) -> None:
        before = len(self._problems)
        shape = self._shape(prompt)
        shape.unknown_fields(prompt, field, _PROMPT_FIELDS, close=True)
        shape.require(prompt, f"{field}.", ("name", "text"), before)
        text = prompt.string("text")
        if text is None:
            return
        arguments = [item.value for item in prompt.elements("arguments") if isinstance(item.value, str)]
        self._check_variables(text, "arguments", arguments)
        # A user of the server gives it to the model of any client.
        self._document.prompts.append(read_prompt(text.tree, text.path, f"{field}.text", ANY_CLIENT))

    def _check_variables(self, node: Node, kind: str, declared: Collection[str]) -> None:
        for match in _VARIABLE.finditer(node.value):
            name = match[2]
            if match[1] == kind and name not in declared:
                place = node.text_place(*match.span(2))
                values = {"name": name, "variable": match[0], "near": likely_meant(name, declared)}
                self._problems.append(Problem(f"variable/{kind}", place, values, kind))

    def _shape(self, node: Node) -> Shape:
        return Shape(node, self._problems, kind="refused")


def _texts(command: Node) -> Iterator[Node]:
    """The texts of what starts the server, here and on other platforms."""
    for one in (command, *(node for _, node in command.members("platform_overrides"))):
        members = (one.get("command"), *one.elements("args"), *(node for _, node in one.members("env")))
        yield from (node for node in members if node is not None and isinstance(node.value, str))


READER = DocumentReader("manifest", 12, True, _recognises, _read)
