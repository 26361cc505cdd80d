"""The files that reports and baselines are written to: none that the run reads, and nothing but files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from toolsurface_lint.cli.stream import CommandError
from toolsurface_lint.project.discovery.paths import is_below
from toolsurface_lint.project.settings.loading import is_settings_file
from toolsurface_lint.run.writing import reason_against_replacing

if TYPE_CHECKING:
    from toolsurface_lint.project.project import Project, Reading

READ = "this run reads it"


class Targets:
    """The files that a run is going to write.

    `read` are the paths that the command line names for reading, each with what a message says of it. Raises
    `CommandError` for a file that is one of them, that two things would be written to, or that cannot be written.
    """

    def __init__(self, files: Iterable[str], read: Mapping[str, str]) -> None:
        self._files: dict[object, str] = {}
        for file in files:
            _refuse(file, _reason_against(file))
            identity = _identity(file)
            if identity in self._files:
                raise CommandError(f"two reports cannot be written to one file: {file}")
            self._files[identity] = file
        for path, reason in read.items():
            self._refuse_as(path, reason)

    def refuse_read(self, project: Project, readings: Sequence[Reading]) -> None:
        """Refuse what a run is about to read, found by walking or as the settings; before anything of it is read.

        What lies in a walked folder and is not recognised, as the report of the last run, is not meant. Raises
        `CommandError`.
        """
        # A file that is not there yet is not read either.
        if not any(map(os.path.exists, self._files.values())):
            return
        if project.settings.path is not None:
            self._refuse_as(project.settings.path, "it holds the settings of this run")
        from toolsurface_lint.project.project import is_recognised

        near = [project.plan_nearby(path) for path in project.nearby.candidates if _identity(path) in self._files]
        for reading in (*readings, *filter(None, near)):
            if _identity(reading.path) in self._files and is_recognised(reading, project.settings):
                self._refuse_as(reading.path, READ)

    def _refuse_as(self, path: str, reason: str) -> None:
        file = self._files.get(_identity(path))
        if file is not None:
            _refuse(file, reason)


def _refuse(file: str, reason: str | None) -> None:
    if reason is not None:
        raise CommandError(f"cannot write {file}: {reason}")


def _identity(file: str | int) -> object:
    """The same for all names of a file, and for its descriptor; None for a descriptor of nothing."""
    try:
        status = os.stat(file)
    except (OSError, ValueError):
        return os.path.normcase(os.path.realpath(file)) if isinstance(file, str) else None
    return status.st_dev, status.st_ino


def _reason_against(file: str) -> str | None:
    """Why nothing can be written to a file, as far as can be known beforehand."""
    path = os.path.abspath(file)
    real = os.path.realpath(path)
    here = os.getcwd()
    reason = reason_against_replacing(path)
    if reason is not None:
        is_stream = not (os.path.isfile(path) or os.path.isdir(path))
        return f"{reason}; a report without a file goes to standard output" if is_stream else reason
    if _identity(path) in map(_identity, (1, 2)):
        return "standard output or standard error goes there"
    if os.path.islink(real):
        return "it is a link to itself"
    # A link in the way to some other place is the user's own.
    if (is_below(path, here) or os.path.islink(path)) and not is_below(real, here):
        return f"it is a link out of the working folder, to {real}"
    if is_settings_file(real):
        return "it is a settings file"
    folder = os.path.dirname(real)
    if not os.path.isdir(folder):
        return "No such file or directory"
    exists = os.path.exists(real)
    if not os.access(folder, os.W_OK | os.X_OK) or (exists and not os.access(real, os.W_OK)):
        return "it is write-protected" if exists else "its folder is write-protected"
    return None
