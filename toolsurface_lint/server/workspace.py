"""All that the client has open: its folders, its buffers, and the places in them as the client counts."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Iterator

from lsprotocol import types
from pygls.uris import from_fs_path, to_fs_path

from toolsurface_lint.model.diagnostics import Diagnostic, Location
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.project.discovery.paths import is_below
from toolsurface_lint.project.discovery.repositories import root_around
from toolsurface_lint.project.settings import SettingsError
from toolsurface_lint.project.settings.loading import is_settings_file
from toolsurface_lint.run.naming import Naming, namings, namings_at
from toolsurface_lint.server.buffers import Buffer
from toolsurface_lint.server.folders import Findings, Folder, OpenCache, State
from toolsurface_lint.server.positions import UTF_16, Positions
from toolsurface_lint.server.reports import SOURCE, to_protocol
from toolsurface_lint.source.text import Position, Range, SourceText, Span
from toolsurface_lint.source.tree import Place


def path_of(uri: str) -> str | None:
    """The absolute path that a URI means; None for what is not a file of this machine."""
    if not uri.startswith("file:"):
        return None
    try:
        path = to_fs_path(uri)
        # A name that the system cannot have would fail wherever it is asked about.
        if not path or b"\0" in os.fsencode(path):
            return None
    except ValueError:
        return None
    # On Windows, the path of a file may begin with another machine's name; elsewhere no path does.
    return None if path.startswith("//") and os.name != "nt" else os.path.abspath(path)


class Opened:
    """One open file at one moment: what the features are asked about."""

    def __init__(self, workspace: Workspace, buffer: Buffer, folder: Folder, state: State) -> None:
        self.buffer = buffer
        self.folder = folder
        self.state = state
        self.document: Document | None = state.documents.get(buffer.path)
        """What was read of it: of a broken file, when it could be read the last time."""
        self.surfaces: list[Surface] = state.surfaces_of(buffer.path)
        self.positions: Positions = buffer.positions(workspace.encoding)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        return self.state.diagnostics.get(self.buffer.path, [])

    @property
    def text(self) -> str:
        return self.buffer.source.text

    @property
    def is_broken(self) -> bool:
        return self.buffer.path in self.state.broken

    def read_offset(self, offset: int) -> int:
        """The offset in the text of `document` of what lies at an offset of the present text."""
        return self.buffer.back(offset) if self.is_broken else offset

    def names_at(self, position: types.Position) -> list[Naming]:
        """What is named at a position, in each of the surfaces that the file is part of."""
        if self.document is None:
            return []
        return namings_at(self.surfaces, self.document.path, self.read_offset(self.positions.offset(position)))

    def names_meant_at(self, position: types.Position) -> list[Naming]:
        """Every place in the surfaces of the file that names what is named at a position."""
        names = self.names_at(position)
        tools = {tool.name_place: tool for naming in names for tool in naming.tools}
        unknown = {naming.name for naming in names if not (naming.tools or naming.is_pattern)}
        return [
            naming
            for surface in self.surfaces
            for naming in namings(surface)
            # A pattern for every tool speaks of none.
            if naming.name != "*"
            and (any(map(naming.means, tools.values())) or (naming.name in unknown and not naming.tools))
        ]

    def range(self, span: Span) -> types.Range:
        """The range of what lies at a span of the text of `document`."""
        return self.positions.range(self.buffer.moved(span) if self.is_broken else span)


class Workspace:
    """The folders and open files of one client."""

    def __init__(self, open_cache: OpenCache | None = None) -> None:
        self._open_cache = open_cache
        self.encoding: str = UTF_16
        self.buffers: dict[str, Buffer] = {}
        """The open files by absolute path."""
        self._folders: dict[str, Folder] = {}
        self._around: dict[str, Folder] = {}
        """For open files that lie in no workspace folder, by absolute path: what each has to do with."""

    # --- what the client says ---------------------------------------------------------------------------------

    def add_folder(self, uri: str) -> None:
        path = path_of(uri)
        if path is not None:
            self._folders.setdefault(path, Folder(path, open_cache=self._open_cache))
            self._around = {other: around for other, around in self._around.items() if not is_below(other, path)}

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
        self._around.pop(buffer.path, None)
        self.look_again([buffer.path])

    def look_again(self, paths: Iterable[str], gone: Container[str] = ()) -> None:
        """These files may have changed on disk or come; those of them that are `gone` have been deleted."""
        for path in paths:
            if path in self.buffers:
                self.buffers[path].look_again()
                if path in gone:
                    self.buffers[path].readable = None
            self._touch(path, Folder.look_again)

    def read_settings_again(self) -> None:
        for folder in self._all():
            folder.read_settings_again()

    def _touch(self, path: str, touch: Callable[[Folder], None] = Folder.touch) -> None:
        for folder in self._all():
            if folder.reads_settings_of(path):
                folder.read_settings_again()
            elif folder.holds(path) or folder.knows(path):
                touch(folder)

    def _all(self) -> Iterator[Folder]:
        yield from self._folders.values()
        yield from self._around.values()

    # --- what the features ask ---------------------------------------------------------------------------------

    def buffer(self, uri: str) -> Buffer | None:
        path = path_of(uri)
        return None if path is None else self.buffers.get(path)

    def settings_buffer(self, uri: str) -> Buffer | None:
        """An open file that may hold settings by its name; None for others."""
        buffer = self.buffer(uri)
        return buffer if buffer is not None and is_settings_file(buffer.path) else None

    def folder_of(self, path: str) -> Folder | None:
        """The innermost workspace folder that a file lies in; for a file in none, what the command looks at for it.

        None for a file outside of all that lies directly in the home directory or in the root of the file system: too
        much lies there that has nothing to do with it.
        """
        holding = [folder for folder in self._folders.values() if folder.holds(path)]
        if holding:
            return max(holding, key=lambda folder: len(folder.path))
        if path not in self._around:
            root = root_around(os.path.dirname(path))
            if root in (os.path.expanduser("~"), os.path.abspath(os.sep)):
                return None
            self._around[path] = Folder(root, path)
        return self._around[path]

    def opened(self, uri: str, *, everything: bool = False) -> Opened | None:
        """An open file with its project; None if it is not open, or belongs to no folder.

        `everything`: with the surfaces of its folder that have no open file, too.
        """
        buffer = self.buffer(uri)
        folder = None if buffer is None else self.folder_of(buffer.path)
        if buffer is None or folder is None:
            return None
        return Opened(self, buffer, folder, folder.state(self.buffers, everything=everything))

    def states(self) -> list[State]:
        """Everything in the workspace folders; without one, what the open files have to do with."""
        folders = self._folders or self._around
        return [folder.state(self.buffers, everything=True) for folder in folders.values()]

    def diagnostics(self, uri: str) -> list[types.Diagnostic]:
        """The diagnostics of an open file."""
        buffer = self.buffer(uri)
        folder = None if buffer is None else self.folder_of(buffer.path)
        if buffer is None or folder is None:
            return []
        return self._diagnostics(folder.findings(self.buffers), buffer.path)

    def survey(self) -> dict[str, list[types.Diagnostic]]:
        """The diagnostics of all files in the workspace folders, open or not, by URI; files without any are left out."""
        found: dict[str, list[types.Diagnostic]] = {}
        for folder in self._folders.values():
            state = folder.findings(self.buffers, everything=True)
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

    def _diagnostics(self, state: Findings, path: str) -> list[types.Diagnostic]:
        def locate(location: Location) -> types.Location:
            # What is wrong with a broken file is said of its present text.
            return self.location(state, location.path, location.span, location.range, moved=path not in state.broken)

        found = [to_protocol(diagnostic, locate) for diagnostic in state.diagnostics.get(path, ())]
        error = state.error
        if found:
            # A rule reports a syntax error as well.
            return found
        if error is not None and error.path is not None and os.path.abspath(error.path) == path:
            found.append(self._settings_diagnostic(error, self.buffers.get(path)))
        return found

    def _settings_diagnostic(self, error: SettingsError, buffer: Buffer | None) -> types.Diagnostic:
        place = Position(error.line, error.column)
        shown = _plain(place) if buffer is None else buffer.positions(self.encoding).at(place)
        return types.Diagnostic(types.Range(shown, shown), error.message, types.DiagnosticSeverity.Error, source=SOURCE)

    def closed_settings(self) -> Iterator[tuple[str | None, types.Diagnostic]]:
        """What is wrong with settings that hold for open files, each with its URI, None for files that nobody can read.

        Without those of open files, among whose diagnostics they are.
        """
        states = [opened.state for buffer in self.buffers.values() if (opened := self.opened(buffer.uri)) is not None]
        for error in {id(state.error): state.error for state in states if state.error is not None}.values():
            path = None if error.path is None else os.path.abspath(error.path)
            if path not in self.buffers:
                yield None if path is None else self.uri(path), self._settings_diagnostic(error, None)

    def location(
        self, state: Findings, display: str, span: Span, range: Range | None = None, *, moved: bool = True
    ) -> types.Location:
        """The location of a span in the file at a displayed path; `range`, in lines from 1, is for files without a text.

        `moved`: in a broken file, the span is one of the text that could be read.
        """
        path = state.absolute(display)
        buffer = self.buffers.get(path)
        if buffer is not None:
            if moved and path in state.broken:
                span = buffer.moved(span)
            return types.Location(buffer.uri, buffer.positions(self.encoding).range(span))
        source = state.sources.get(display)
        uri = from_fs_path(path) or ""
        if source is None or (range is not None and not source.text):
            start, end = (Position(1, 1), Position(1, 1)) if range is None else range
            return types.Location(uri, types.Range(_plain(start), _plain(end)))
        return types.Location(uri, Positions(source.lines, self.encoding).range(span))

    def place(self, state: State, place: Place, span: Span | None = None) -> types.Location | None:
        """The location of a place, or of a span in its file; None for plain data."""
        source: SourceText | None = place.source
        span = place.span() if span is None else span
        if source is None or span is None:
            return None
        state.sources.setdefault(source.path, source)
        return self.location(state, source.path, span)


def _plain(place: Position) -> types.Position:
    return types.Position(place.line - 1, place.column - 1)
