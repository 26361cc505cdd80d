"""Folders whose modules register themselves by being there: adding a format or a rule means adding one file."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any


class WrongDeclaration(Exception):
    """What modules declare does not fit together; the message is for whoever changes them."""


def registered(package: str, name: str, *others: str) -> tuple[Any, ...]:
    """What the modules of a package declare under `name`, by its `order` if it has one, else by the module's name.

    Raises `WrongDeclaration` for a module that declares neither `name` nor any of `others`: it would be silently dead.
    `os.scandir` and not `pkgutil`, whose import alone takes longer than the listing.
    """
    folder = import_module(package).__path__[0]
    modules = [import_module(f"{package}.{module}") for module in names_in(folder, ".py")]
    names = (name, *others)
    for module in modules:
        if not any(hasattr(module, each) for each in names):
            raise WrongDeclaration(f"{module.__name__} must declare {' or '.join(f'`{each}`' for each in names)}")
    found = [getattr(module, name) for module in modules if hasattr(module, name)]
    return tuple(sorted(found, key=lambda declared: getattr(declared, "order", 0)))


def names_in(folder: str, suffix: str) -> list[str]:
    """The names of the modules in a folder, or with an empty suffix of its folders, in order; not those that begin with `_`."""
    with os.scandir(folder) as entries:
        names = [entry.name for entry in entries if entry.name[0] not in "_."]
    return sorted(name.removesuffix(suffix) for name in names if os.path.splitext(name)[1] == suffix)
