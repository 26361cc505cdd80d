"""All that the client has open: its folders, its buffers, and the places in them as the client counts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from lsprotocol import types
from pygls.uris import from_fs_path, to_fs_path

from toolsurface_lint.config import SettingsError
from toolsurface_lint.config.loading import is_settings_file
from toolsurface_lint.diagnostics import Diagnostic, Location
from toolsurface_lint.discovery.paths import repository_root
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.server.buffers import Buffer
from toolsurface_lint.server.folders import Folder, State
from toolsurface_lint.server.positions import UTF_16, Positions
from toolsurface_lint.server.reports import SOURCE, to_protocol
from toolsurface_lint.source.text import Position, Range, SourceText, Span
from toolsurface_lint.source.tree import Place


def path_of(uri: str) -> str | None:
    """The absolute path that a URI means; None for what is no file of this machine."""
    if not uri.startswith("file:"):
        return None
    try:
        path = to_fs_path(uri)
        # A name that the system cannot have would fail wherever it is asked about.
        if not path or b"\0" in os.fsencode(path):
            return None
    except ValueError:
        return None
    # To Windows, another machine's name begins the path of a file; elsewhere it is none.
    return None if path.startswith("//") and os.name != "nt" else os.path.abspath(path)


class Opened:
    """One open file at one moment: what the features are asked about."""

    def __init__(self, workspace: Workspace, buffer: Buffer, folder: Folder, state: State) -> None:
        self.buffer = buffer
        self.folder = folder
        self.state = state
        self.document: Document | None = state.documents.get(buffer.path)
        self.surfaces: list[Surface] = state.surfaces_of(buffer.path)
        self.positions: Positions = buffer.positions(workspace.encoding)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        return self.state.diagnostics.get(self.buffer.path, [])

    @property
    def text(self) -> str:
        return self.buffer.source.text


class Workspace:
    """The folders and open files of one client."""

    def __init__(self) -> None:
        self.encoding: str = UTF_16
        self.buffers: dict[str, Buffer] = {}
        """The open files by absolute path."""
        self._folders: dict[str, Folder] = {}
        self._around: dict[str, Folder] = {}
        """Folders around files that lie in no workspace folder."""

    # --- what the client tells ---------------------------------------------------------------------------------

    def add_folder(self, uri: str) -> None:
        path = path_of(uri)
        if path is not None:
            self._folders.setdefault(path, Folder(path))

    def remove_folder(self, uri: str) -> None:
        path = path_of(uri)
        if path is not None:
            self._folders.pop(path, None)

    def open(self, item: types.TextDocumentItem) -> None:
        path = path_of(item.uri)
        if path is None:
            return
        self.buffers[path] = Buffer(item.uri, path, item.text, item.version)
        folder = self.folder_of(path)
        if folder is not None and not folder.knows(path):
            folder.look_again()
        self._touch(path)

    def change(self, params: types.DidChangeTextDocumentParams) -> None:
        buffer = self.buffer(params.text_document.uri)
        if buffer is None:
            return
        for change in params.content_changes:
            buffer.change(change, self.encoding)
        buffer.version = params.text_document.version
        self._touch(buffer.path)

    def close(self, uri: str) -> None:
        buffer = self.buffer(uri)
        if buffer is None:
            return
        del self.buffers[buffer.path]
        self.look_again([buffer.path])
        self._around = {
            path: folder for path, folder in self._around.items() if any(folder.holds(other) for other in self.buffers)
        }

    def look_again(self, paths: Iterable[str]) -> None:
        """These files may have changed on disk, come, or gone."""
        for path in paths:
            if path in self.buffers:
                self.buffers[path].look_again()
            for folder in self._all():
                if is_settings_file(path):
                    folder.read_settings_again()
                elif folder.holds(path):
                    folder.look_again()

    def read_settings_again(self) -> None:
        for folder in self._all():
            folder.read_settings_again()

    def _touch(self, path: str) -> None:
        for folder in self._all():
            if is_settings_file(path):
                folder.read_settings_again()
            elif folder.holds(path):
                folder.touch()

    def _all(self) -> Iterator[Folder]:
        yield from self._folders.values()
        yield from self._around.values()

    # --- what the features ask ---------------------------------------------------------------------------------

    def buffer(self, uri: str) -> Buffer | None:
        path = path_of(uri)
        return None if path is None else self.buffers.get(path)

    def folder_of(self, path: str) -> Folder | None:
        """The innermost workspace folder that a file lies in; for a file in none, its repository or its own folder.

        None for a file outside of all that lies directly in the home directory or in the root of the file system: too
        much lies there that has nothing to do with it.
        """
        holding = [folder for folder in self._folders.values() if folder.holds(path)]
        if holding:
            return max(holding, key=lambda folder: len(folder.path))
        root = repository_root(os.path.dirname(path)) or os.path.dirname(path)
        if root in (os.path.expanduser("~"), os.path.abspath(os.sep)):
            return None
        return self._around.setdefault(root, Folder(root))

    def opened(self, uri: str) -> Opened | None:
        """An open file with its project; None if it is not open, or belongs to no folder."""
        buffer = self.buffer(uri)
        folder = None if buffer is None else self.folder_of(buffer.path)
        if buffer is None or folder is None:
            return None
        return Opened(self, buffer, folder, folder.state(self.buffers))

    def diagnostics(self, uri: str) -> list[types.Diagnostic]:
        """The diagnostics of an open file."""
        opened = self.opened(uri)
        return [] if opened is None else self._diagnostics(opened.state, opened.buffer.path)

    def survey(self) -> dict[str, list[types.Diagnostic]]:
        """The diagnostics of all files in the workspace folders, open or not, by URI; files without any are left out."""
        found: dict[str, list[types.Diagnostic]] = {}
        for folder in self._folders.values():
            state = folder.survey(self.buffers)
            error = state.error
            paths = {*state.diagnostics, *([os.path.abspath(error.path)] if error and error.path else [])}
            # A file in a folder inside of another is that one's: it has settings of its own.
            for path in sorted(path for path in paths if folder.holds(path) and self.folder_of(path) is folder):
                diagnostics = self._diagnostics(state, path)
                if diagnostics:
                    found[self.uri(path)] = diagnostics
        return found

    def uri(self, path: str) -> str:
        """The URI of a file: the client's own if it is open."""
        buffer = self.buffers.get(path)
        return from_fs_path(path) or "" if buffer is None else buffer.uri

    def _diagnostics(self, state: State, path: str) -> list[types.Diagnostic]:
        def locate(location: Location) -> types.Location:
            return self.location(state, location.path, location.span, location.range)

        found = [to_protocol(diagnostic, locate) for diagnostic in state.diagnostics.get(path, ())]
        error = state.error
        if found:
            # A syntax error is told by a rule as well.
            return found
        if error is not None and error.path is not None and os.path.abspath(error.path) == path:
            place = Position(error.line, error.column)
            buffer = self.buffers.get(path)
            range = Range(place, place)
            found.append(
                _settings_diagnostic(
                    error, _plain_range(range) if buffer is None else buffer.positions(self.encoding).range_of(range)
                )
            )
        return found

    def settings_errors(self) -> list[str]:
        """What is wrong with the settings of folders in which files are open."""
        states = [opened.state for buffer in self.buffers.values() if (opened := self.opened(buffer.uri)) is not None]
        return list(dict.fromkeys(str(state.error) for state in states if state.error is not None))

    def location(self, state: State, display: str, span: Span, range: Range | None = None) -> types.Location:
        """The location of a span in the file at a displayed path; `range`, in lines from 1, is for files without a text."""
        path = state.absolute(display)
        buffer = self.buffers.get(path)
        if buffer is not None:
            return types.Location(buffer.uri, buffer.positions(self.encoding).range(span))
        source = state.sources.get(display)
        uri = from_fs_path(path) or ""
        if source is None or (range is not None and not source.text):
            return types.Location(uri, _plain_range(range))
        return types.Location(uri, Positions(source.lines, self.encoding).range(span))

    def place(self, state: State, place: Place, span: Span | None = None) -> types.Location | None:
        """The location of a place, or of a span in its file; None for plain data."""
        source: SourceText | None = place.source
        span = place.span() if span is None else span
        if source is None or span is None:
            return None
        state.sources.setdefault(source.path, source)
        return self.location(state, source.path, span)


def _plain_range(range: Range | None) -> types.Range:
    if range is None:
        return types.Range(types.Position(0, 0), types.Position(0, 0))
    return types.Range(*(types.Position(place.line - 1, place.column - 1) for place in (range.start, range.end)))


def _settings_diagnostic(error: SettingsError, range: types.Range) -> types.Diagnostic:
    return types.Diagnostic(
        range=range,
        severity=types.DiagnosticSeverity.Error,
        source=SOURCE,
        message=error.message,
    )
