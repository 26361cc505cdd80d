"""What rules ask about the files around those that are read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

LOCK_FILE = "toolsurface.lock"
"""The name of the file that says which tools were accepted, by which it is recognised."""


class Package(NamedTuple):
    """What the file of a package says of it: `package.json`, or `pyproject.toml`.

    `path` is relative to the repository; `version` is empty if it is made as the package is built, `server` the name that an
    npm package gives to its MCP server, empty if it gives none.
    """

    path: str
    name: str
    version: str
    server: str = ""


class Files:
    """Which files lie on the disk, whether they are read or not; never what they hold, but for names of packages.

    Paths are relative to the folder of the file `origin`, which is a displayed path. This one knows of nothing: plain data
    lies nowhere. `project.files` has the one that looks.
    """

    def has(self, origin: str, path: str) -> bool:
        """Whether anything lies at a path."""
        return False

    def has_folder(self, origin: str, path: str) -> bool:
        """Whether there is a folder at a path."""
        return False

    def folder_name(self, origin: str) -> str | None:
        """The name of the folder that a file lies in; None if it is that of a whole checkout, which anybody may name."""
        return None

    def lacking(self, origin: str, paths: Iterable[str]) -> frozenset[str]:
        """Those of some paths in the repository where surely nothing is: nothing is there, and nothing is to be made there."""
        return frozenset()

    def lacks_from_above(self, origin: str, path: str) -> bool:
        """Whether a path leads to nothing, from the folder of the file and from all above it in the repository."""
        return False

    def package(self, origin: str, registry: str, folder: str) -> Package | None:
        """The package of a registry, `npm` or `pypi`, whose file lies beside a file, or else in a folder of the repository."""
        return None

    def is_rewritten(self, origin: str) -> bool:
        """Whether a workflow of the repository, or a script of its package, names the file: it may change it."""
        return False
