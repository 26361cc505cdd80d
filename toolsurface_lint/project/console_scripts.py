"""The console scripts of a project's Python packages: by which of its modules a command is run."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from typing import Any

from toolsurface_lint.model.names import folded
from toolsurface_lint.model.servers import Program
from toolsurface_lint.project.discovery.paths import display_path
from toolsurface_lint.project.project import Project
from toolsurface_lint.source.files import read_source
from toolsurface_lint.source.text import NotSyntax, Unreadable

MAX_SIZE = 1024 * 1024
"""Bytes of a `pyproject.toml` that is looked at."""

_NAME = "pyproject.toml"
_TABLES = (("project", "scripts"), ("tool", "poetry", "scripts"))
"""Python Packaging User Guide, "Entry points for scripts"; Poetry's own table has the same form."""
_ROOTS = ("", "src")


def console_scripts(project: Project) -> dict[str, Program]:
    """By the folded name of the script, what it runs; None of those that two packages have.

    A file that cannot be read names no scripts: what is wrong with it is not ours to say.
    """
    found: dict[str, set[Program]] = {}
    for path in sorted(project.asked.union(project.nearby.candidates)):
        if os.path.basename(path) == _NAME:
            for name, program in _scripts(path):
                found.setdefault(folded(name), set()).add(program)
    return {name: programs.pop() for name, programs in found.items() if len(programs) == 1}


def _scripts(path: str) -> Iterator[tuple[str, Program]]:
    from toolsurface_lint.source.toml.values import toml_value

    try:
        value: Any = toml_value(read_source(path, path, MAX_SIZE).text)
    except (Unreadable, NotSyntax):
        return
    folder = os.path.dirname(display_path(path))
    for keys in _TABLES:
        table = value
        for key in keys:
            table = table.get(key) if isinstance(table, dict) else None
        for name, entry in table.items() if isinstance(table, dict) else ():
            module = entry.partition(":")[0].strip() if isinstance(entry, str) else ""
            if module.replace(".", "_").isidentifier():
                below = module.replace(".", "/")
                files = tuple(
                    posixpath.join(folder, root, below + end) for root in _ROOTS for end in (".py", "/__init__.py")
                )
                yield name, Program(module.partition(".")[0], files)
