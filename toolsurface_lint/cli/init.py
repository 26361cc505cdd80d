"""`toolsurface-lint init`: a settings file for what is found in a folder."""

from __future__ import annotations

import os
import posixpath
from collections import Counter
from collections.abc import Iterable

from toolsurface_lint.cli.stream import CommandError, complain
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.project.discovery.globs import matches
from toolsurface_lint.project.discovery.paths import display_path
from toolsurface_lint.project.grouping import load_project
from toolsurface_lint.project.project import Project
from toolsurface_lint.project.settings import OWN_FILE, Settings
from toolsurface_lint.project.settings.loading import load_settings
from toolsurface_lint.project.settings.toml import toml_value
from toolsurface_lint.reporters import count
from toolsurface_lint.reporters.characters import visible
from toolsurface_lint.run.writing import NotWritten, replace

_ROLES = {
    "tools": "tools",
    "policy": "policy",
    "approval-policy": "approval-policy",
    "prompt": "prompts",
    "template": "templates",
    "transcript": "transcripts",
    "response": "transcripts",
}
"""The key of a surface for each kind of document that can be named there."""

_HEAD = """\
# Settings of toolsurface-lint; `toolsurface-lint config` shows what holds, and where it comes from.
# Paths are globs, relative to this file.

# From which severity on a run fails: "error", "warning", "info" or "never".
fail-on = "error"

# Files and folders to leave out; a name without a slash is meant at any depth.
exclude = []

# Rules to turn off: codes or prefixes of codes, which `toolsurface-lint rule` lists.
ignore = []

# Other severities: "error", "warning", "info" or "off".
[severity]
# TOOL_SURFACE_MISSING_EXECUTOR = "off"
"""

_NO_SURFACES = """
# Nothing was found that makes a surface of several files. One is written so:
# [[surface]]
# name = "agent"
# tools = ["tools/*.json"]
# policy = "policy.toml"
# prompts = ["prompts/**/*.md"]
"""

_OTHERS = """
# Found without settings, complete in one file or sharing files with others:
"""


def init(folder: str | None) -> int:
    """Run the command and return its exit code. Raises `CommandError` and `SettingsError`."""
    folder = "." if folder is None else folder
    if not os.path.isdir(folder):
        raise CommandError(f"{folder}: no such folder")
    path = os.path.join(folder, OWN_FILE)
    found = load_settings([folder])
    if found.path is not None and os.path.dirname(found.path) == os.path.abspath(folder):
        raise CommandError(f"{display_path(found.path)} has settings already")
    project = load_project([folder], Settings(os.path.abspath(folder)))
    if os.path.lexists(path):
        raise CommandError(f"{path} exists already")
    try:
        replace(path, settings_text(project).encode("utf-8"), None, path)
    except NotWritten as error:
        raise CommandError(str(error)) from None
    complain(f"wrote {display_path(path)}")
    return 0


def settings_text(project: Project) -> str:
    """The text of a settings file for the surfaces of a project: those of several files are named in it.

    In the settings a file belongs to one surface: those that share files are left as they are found without.
    """
    documents = {document.path: document for document in project.documents}
    places = Counter(path for surface in project.surfaces for path in surface.files)
    tables: list[str] = []
    others: list[str] = []
    names: set[str] = set()
    for surface in project.surfaces:
        roles = _roles(project, [documents[path] for path in surface.files if path in documents])
        own = surface.inferred and all(places[path] == 1 for path in surface.files)
        if own and "tools" in roles and sum(map(len, roles.values())) > 1:
            tables.append(_table(_unique(surface.name, names), surface, roles, project))
        elif surface.tools:
            others.append(
                f"# {visible(surface.name)}: {', '.join(visible(project.relative(path)) for path in surface.files)}\n"
            )
    return _HEAD + ("".join(tables) or _NO_SURFACES) + (_OTHERS + "".join(others) if others else "")


def _roles(project: Project, documents: Iterable[Document]) -> dict[str, list[str]]:
    """The files of a surface by the key that they belong under, relative to the settings file."""
    roles: dict[str, list[str]] = {}
    for document in documents:
        for kind in document.kinds[:1]:
            if kind in _ROLES and not document.complete:
                roles.setdefault(_ROLES[kind], []).append(project.relative(document.path))
    return {key: sorted(roles[key]) for key in dict.fromkeys(_ROLES.values()) if key in roles}


def _unique(name: str, taken: set[str]) -> str:
    number = 1
    unique = name
    while unique in taken:
        number += 1
        unique = f"{name}-{number}"
    taken.add(unique)
    return unique


def _table(name: str, surface: Surface, roles: dict[str, list[str]], project: Project) -> str:
    tools = len({tool.name for tool in surface.tools})
    lines = ["", f"# {count(tools, 'tool')}", "[[surface]]", f"name = {toml_value(name)}"]
    # Those too in which nothing is recognised: what the settings name as a prompt is one, as a `README.md` among prompts.
    everything = [project.settings.relative(path) for path in project.candidates]
    for key, files in roles.items():
        lines.append(f"{key} = {toml_value(_globs(files, everything))}")
    return "\n".join(lines) + "\n"


def _globs(files: list[str], everything: list[str]) -> list[str]:
    """The files as globs: a folder's files of one extension as one, if it means these and nothing else of `everything`."""
    groups: dict[str, list[str]] = {}
    for file in files:
        folder, name = posixpath.split(file)
        groups.setdefault(posixpath.join(_literal(folder), f"*{posixpath.splitext(name)[1]}"), []).append(file)
    globs: list[str] = []
    for glob, members in groups.items():
        exact = len(members) > 1 and [path for path in sorted(everything) if matches(glob, path)] == sorted(members)
        globs += [glob] if exact else map(_literal, members)
    return globs


def _literal(path: str) -> str:
    """A path as a glob that means it alone."""
    return "".join(f"[{char}]" if char in "*?[{" else char for char in path)
