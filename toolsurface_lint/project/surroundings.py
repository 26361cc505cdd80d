"""What lies around the files of a project on the disk: only whether something is there, never what it holds."""

from __future__ import annotations

import os

from toolsurface_lint.model.client_file import Surroundings
from toolsurface_lint.project.discovery.names import lies_in_examples
from toolsurface_lint.project.discovery.paths import relative_to, with_parents
from toolsurface_lint.project.project import Project


class Disk(Surroundings):
    def __init__(self, project: Project) -> None:
        self._project = project

    def folder_name(self, origin: str) -> str | None:
        folder = os.path.dirname(self._project.full_path(origin))
        return None if folder == self._project.boundary(folder) else os.path.basename(folder)

    def lacks(self, origin: str, path: str) -> bool:
        own = self._project.full_path(origin)
        folder = os.path.dirname(own)
        boundary = self._project.boundary(folder) or folder
        # Of a text that is not a file, and of a page that shows one, nothing is known.
        if not os.path.isfile(own) or lies_in_examples(relative_to(own, boundary) or ""):
            return False
        for parent in with_parents(folder):
            if os.path.lexists(os.path.join(parent, path)):
                return False
            if parent == boundary:
                break
        return True

    def has_folder(self, origin: str, path: str) -> bool:
        return os.path.isdir(os.path.join(os.path.dirname(self._project.full_path(origin)), path))
