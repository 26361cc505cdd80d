"""Folders whose modules register themselves by being there: adding a format or a rule means adding one file."""

from __future__ import annotations

import os
from importlib import import_module
from types import ModuleType


def import_folder(package: str, folder: str) -> list[ModuleType]:
    """Import every module that lies directly in the folder of a package, in the order of their names.

    `folder` is the package's directory. `os.scandir` and not `pkgutil`, whose import alone takes longer than the listing.
    """
    with os.scandir(folder) as entries:
        names = sorted(entry.name[:-3] for entry in entries if entry.name.endswith(".py") and entry.name[0] != "_")
    return [import_module(f"{package}.{name}") for name in names]
