"""The files that templates include, by the paths of Harn's template language."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from toolsurface_lint.model.template import TemplateFiles
from toolsurface_lint.project.discovery.paths import display_path, is_below, with_parents
from toolsurface_lint.protocols.includes import Missing
from toolsurface_lint.protocols.template_parser import parse_template
from toolsurface_lint.protocols.templates import Template, TemplateError
from toolsurface_lint.source import disk
from toolsurface_lint.source.files import read_source
from toolsurface_lint.source.text import NotSyntax, SourceText, Unreadable
from toolsurface_lint.source.tree import Node, TextTree

if TYPE_CHECKING:
    from toolsurface_lint.project.discovery.repositories import Repositories
    from toolsurface_lint.project.settings import Settings

_MANIFEST = "harn.toml"


class Project(Protocol):
    """What is asked of a project."""

    settings: Settings
    repositories: Repositories
    unsaved: Mapping[str, bytes]
    on_disk: bool

    def boundary(self, folder: str) -> str | None: ...
    def full_path(self, path: str) -> str: ...


class ProjectTemplateFiles(TemplateFiles):
    """What the templates of a project include: files on disk, or in an editor, that lie in the project.

    A path is relative to the folder of the file that includes it. `@/a` begins at the closest folder above that file with a
    `harn.toml`, `@name/a` at the folder that its table `[asset_roots]` gives for the name. Nothing that a link leads out of
    the project is read.
    """

    def __init__(self, project: Project) -> None:
        self._project = project
        self._found: dict[str, Template | Missing] = {}
        """By the file itself: links could give one file any number of names."""
        self._nodes: dict[str, Node] = {}
        self._roots: dict[str, Mapping[str, str] | None] = {}
        """Of each folder, the asset roots that its manifest gives; None without a manifest."""

    def name(self, origin: str) -> str:
        return self._project.full_path(origin)

    def node(self, template: Template) -> Node | None:
        return self._nodes.get(template.name)

    def display(self, template: Template) -> str:
        return display_path(template.name)

    def find(self, outer: Template, path: str) -> Template | Missing:
        folder = os.path.dirname(outer.name)
        boundary = self._project.boundary(folder)
        if boundary is None:
            return Missing("")
        # Outside a repository nobody says where a project ends.
        known = self._project.repositories.root(folder) is not None
        base = self._base(folder, boundary, path, known)
        if isinstance(base, Missing):
            return base
        root, rest = base
        found = os.path.normpath(os.path.join(root, rest))
        if "\0" in found or found == boundary:
            return Missing("not_found")
        if not is_below(found, boundary):
            return Missing("outside" if known else "")
        real = disk.realpath(found)
        if real not in self._found:
            self._found[real] = self._read(found, boundary)
        return self._found[real]

    def _base(self, folder: str, boundary: str, path: str, known: bool) -> tuple[str, str] | Missing:
        """The folder that a path begins at, and the rest of it."""
        if not path.startswith("@"):
            return folder, path
        alias, _, rest = path[1:].partition("/")
        if rest.startswith("/") or ".." in rest.split("/"):
            return Missing("dots")
        for parent in with_parents(folder):
            roots = self._asset_roots(parent, boundary)
            if roots is not None:
                if alias and alias not in roots:
                    return Missing("no_alias")
                return os.path.join(parent, roots[alias] if alias else ""), rest
            if parent == boundary:
                break
        return Missing("no_manifest" if known else "")

    def _asset_roots(self, folder: str, boundary: str) -> Mapping[str, str] | None:
        if folder not in self._roots:
            try:
                source = self._text(os.path.join(folder, _MANIFEST), boundary)
            except Unreadable:
                source = None
            self._roots[folder] = None if source is None else _asset_roots(source.text)
        return self._roots[folder]

    def _text(self, path: str, boundary: str) -> SourceText | None:
        """The text of a file in the project; None if it is not there, or a link leads out of the project."""
        project = self._project
        data = project.unsaved.get(path)
        if data is None:
            real = disk.realpath(path)
            if not project.on_disk or not is_below(real, disk.realpath(boundary)) or not disk.isfile(real):
                return None
        return read_source(path, display_path(path), project.settings.max_file_size, data)

    def _read(self, path: str, boundary: str) -> Template | Missing:
        try:
            source = self._text(path, boundary)
        except Unreadable:
            return Missing("unreadable")
        if source is None:
            lies = disk.islink(path) and self._project.on_disk and disk.exists(path)
            return Missing("outside" if lies else "not_found")
        try:
            template = parse_template(source.text)
        except TemplateError as error:
            template = Template(source.text, [], [])
            template.error = error
        template.name = path
        self._nodes[path] = TextTree(source).root
        return template


def _asset_roots(manifest: str) -> dict[str, str]:
    from toolsurface_lint.source.toml.values import toml_value

    try:
        roots = toml_value(manifest).get("asset_roots")
    except NotSyntax:
        return {}
    return {name: root for name, root in roots.items() if isinstance(root, str)} if isinstance(roots, dict) else {}
