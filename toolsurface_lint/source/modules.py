"""Folders whose modules register themselves by being there: adding a format or a rule means adding one file."""

from __future__ import annotations

import os
from importlib import import_module
from types import ModuleType


class WrongDeclaration(Exception):
    """What modules declare does not fit together; the message is for whoever changes them."""


def import_folder(package: str, folder: str) -> list[ModuleType]:
    """Import every module that lies directly in the folder of a package, in the order of their names.

    `folder` is the package's directory. `os.scandir` and not `pkgutil`, whose import alone takes longer than the listing.
    """
    return [import_module(f"{package}.{name}") for name in names_in(folder, ".py")]


def names_in(folder: str, suffix: str) -> list[str]:
    """The names of the modules in a folder, or with an empty suffix of its folders, in order; not those that begin with `_`."""
    with os.scandir(folder) as entries:
        names = [entry.name for entry in entries if entry.name[0] not in "_."]
    return sorted(name.removesuffix(suffix) for name in names if os.path.splitext(name)[1] == suffix)
