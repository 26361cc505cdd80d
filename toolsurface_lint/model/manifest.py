"""Manifests of what is published or installed: which tools a package says that it has, and which of its files it names."""

from __future__ import annotations

from typing import NamedTuple

from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Node, Place


class NamedPath(NamedTuple):
    """A file or folder that a manifest names: the text, where it is written, and the paths that it may mean.

    `paths` are relative to the folder of the manifest, with forward slashes; `field` is the key that holds it. `beside` is the
    folder that must be there for the file to be missed: without it, a build makes both.
    """

    text: str
    place: Place
    field: str
    paths: tuple[str, ...]
    beside: str = "."


class PublishedPackage(NamedTuple):
    """A package in which a registry is told that a server is published.

    `registry` is the kind of that registry, such as `npm`; `folder` is where the source lies in the repository, empty if that
    is not said.
    """

    registry: str
    identifier: Node
    version: Node | None
    folder: str


class Manifest:
    """One manifest. `programs` and `package` say what its server is started from, as in `model.permission.ServerFile`."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.origin = node.tree.origin
        self.tools: Node | None = None
        """The list of the tools of its server; None if it has none, which says nothing about the tools."""
        self.names: tuple[Node, ...] = ()
        """The names in that list."""
        self.generated = False
        """Whether the server makes more tools as it runs."""
        self.programs: tuple[str, ...] = ()
        self.package: str | None = None
        self.paths: list[NamedPath] = []
        self.published: list[PublishedPackage] = []
        self.problems: list[Problem[Place]] = []
        """Values that whoever reads it refuses, and variables that nobody gives a value."""
