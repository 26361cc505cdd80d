"""Paths as other programs know them: relative to the root of the repository, whatever the working directory."""

from __future__ import annotations

import os

from toolsurface_lint.model.diagnostics import Diagnostic, Report
from toolsurface_lint.project.discovery.paths import relative_to


def from_root(path: str, root: str | None) -> str:
    """A path relative to `root` (None: the working directory), with forward slashes and without `.` and `..`.

    Symbolic links are followed, as code scanning knows only the files that they lead to, unless that leads out of the root.
    A path outside the root is given from its drive or file system root on: code scanning refuses a whole upload for
    one absolute path.
    """
    root = os.path.abspath(root or os.curdir)
    for candidate, base in ((os.path.realpath(path), os.path.realpath(root)), (os.path.abspath(path), root)):
        inside = relative_to(candidate, base)
        if inside is not None and inside != ".":
            return inside
    return os.path.splitdrive(os.path.abspath(path))[1].replace(os.sep, "/").lstrip("/")


def any_path(report: Report, diagnostic: Diagnostic) -> str | None:
    """A file of the diagnostic's surface, or any: several formats have no way to say that a finding has no place."""
    paths = [path for surface in report.surfaces if surface.name == diagnostic.surface for path in surface.files]
    return next(iter(paths or report.sources), None)
