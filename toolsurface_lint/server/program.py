"""The server itself: the messages of the Language Server Protocol, answered from the workspace."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Generator, Iterable
from hashlib import sha256
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol.language_server import LanguageServerProtocol, lsp_method
from pygls.uris import from_fs_path

from toolsurface_lint import __version__
from toolsurface_lint.add_suppressions.comments import can_hide, plan_comments
from toolsurface_lint.add_suppressions.ignores import add_ignores, ignoring, settings_file
from toolsurface_lint.add_suppressions.insertions import Insertion
from toolsurface_lint.config import OWN_FILE, SHARED_FILE, FileIgnore
from toolsurface_lint.diagnostics import AppliedFix, Diagnostic
from toolsurface_lint.server import actions
from toolsurface_lint.server.completion import TRIGGERS, candidates
from toolsurface_lint.server.hover import code_at, describe_code, describe_tools
from toolsurface_lint.server.names import DECLARATION, Naming, namings, namings_at
from toolsurface_lint.server.positions import Positions
from toolsurface_lint.server.reports import SOURCE
from toolsurface_lint.server.symbols import PARAMETER, PATTERN, POLICY, PROMPT, TOOL, Symbol, document_symbols
from toolsurface_lint.server.workspace import Opened, Workspace, path_of
from toolsurface_lint.source.tree import Place

FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.{SOURCE}"
_PAUSE = 0.15
"""Seconds without a change after which diagnostics are sent to clients that do not ask for them."""

_CALM = 1.0
"""Seconds without a change after which the whole workspace is looked at: before, somebody is typing, and waits for answers."""

_CALM_FOR_A_LOOK = 10
"""The same as a multiple of the time that the last look took, if that is more: nothing else is answered during a look."""

_SYMBOL_KINDS = {
    TOOL: types.SymbolKind.Function,
    PARAMETER: types.SymbolKind.Property,
    POLICY: types.SymbolKind.Object,
    PATTERN: types.SymbolKind.String,
    PROMPT: types.SymbolKind.String,
}


class _Protocol(LanguageServerProtocol):
    """pygls's protocol, with our own buffers in place of its own."""

    _server: Server

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Generator[Any, Any, None]:
        self._server.opened(params)
        yield from ()

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Generator[Any, Any, None]:
        self._server.changed(params)
        yield from ()

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Generator[Any, Any, None]:
        self._server.closed(params)
        yield from ()


class Server(LanguageServer):
    """One client's server. Diagnostics are answered when the client asks; to others they are sent after a pause."""

    def __init__(self) -> None:
        super().__init__("toolsurface-lint", __version__, protocol_cls=_Protocol)
        self.files = Workspace()
        self._sent: dict[str, list[types.Diagnostic]] = {}
        """What was reported last for each open file, by URI."""
        self._results: dict[str, int] = {}
        """The number of that report. It goes on counting after a file is closed: a client may ask with an old number."""
        self._timer: asyncio.TimerHandle | None = None
        self._last_change = 0.0
        self._look_took = 0.0
        self._surveyed = False
        """Whether the client has asked for the whole workspace."""
        self._outdated = False
        """Whether files that need not be open have changed since."""
        self._complaints: list[str] = []
        self._is_shut_down = False
        self.exit_code = 0
        """1 if the client told it to exit without shutting it down first, as the protocol has it."""

    def shut_down(self) -> None:
        self._is_shut_down = True

    def leave(self) -> None:
        self.exit_code = 0 if self._is_shut_down else 1

    # --- buffers -------------------------------------------------------------------------------------------------

    def opened(self, params: types.DidOpenTextDocumentParams) -> None:
        self.files.open(params.text_document)
        self.plan_report()

    def changed(self, params: types.DidChangeTextDocumentParams) -> None:
        self.files.change(params)
        self.plan_report()

    def closed(self, params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        self.files.close(uri)
        if self._sent.pop(uri, None) and not self.pulls:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))
        self.plan_report()

    # --- diagnostics ---------------------------------------------------------------------------------------------

    @property
    def pulls(self) -> bool:
        """Whether the client asks for diagnostics."""
        document = self.client_capabilities.text_document
        return document is not None and document.diagnostic is not None

    @property
    def refreshes(self) -> bool:
        """Whether the client can be told to ask again."""
        workspace = self.client_capabilities.workspace
        return bool(workspace and workspace.diagnostics and workspace.diagnostics.refresh_support)

    @property
    def pulls_workspace(self) -> bool:
        """Whether the client knows of diagnostics of a whole workspace."""
        workspace = self.client_capabilities.workspace
        return self.pulls and workspace is not None and workspace.diagnostics is not None

    def plan_report(self, *, closed_files: bool = False) -> None:
        """Look at all open files once nothing has changed for a moment; `closed_files`: others may have changed too."""
        self._last_change = time.monotonic()
        self._outdated = self._outdated or (closed_files and self._surveyed)
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(_PAUSE, self._report_all)

    def _report_all(self) -> None:
        """Send what has changed, or tell the client to ask for it."""
        self._timer = None
        stale, self._outdated = self._outdated, False
        for buffer in list(self.files.buffers.values()):
            if self.pulls:
                asked = buffer.uri in self._sent
                stale = (self._look(buffer.uri) and asked) or stale
            elif self._look(buffer.uri):
                found = self._sent[buffer.uri]
                self.text_document_publish_diagnostics(
                    types.PublishDiagnosticsParams(buffer.uri, found, buffer.version)
                )
        if stale and self.refreshes:
            self.workspace_diagnostic_refresh(None)
        self._complain()

    def _look(self, uri: str) -> bool:
        """Find the diagnostics of an open file; whether they differ from those before."""
        found = self.files.diagnostics(uri)
        if self._sent.get(uri) == found:
            return False
        self._sent[uri] = found
        self._results[uri] = self._results.get(uri, 0) + 1
        return True

    def pull(self, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        uri = params.text_document.uri
        self._look(uri)
        result = str(self._results[uri])
        if params.previous_result_id == result:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=result)
        return types.RelatedFullDocumentDiagnosticReport(items=self._sent[uri], result_id=result)

    async def pull_workspace(self, params: types.WorkspaceDiagnosticParams) -> types.WorkspaceDiagnosticReport:
        """What is reported in all files of the workspace, and for those that the client knows of, that nothing is.

        A result's number is made from what it says, so that it stays the same as long as that does.
        """
        self._surveyed = True
        while (left := self._last_change + max(_CALM, _CALM_FOR_A_LOOK * self._look_took) - time.monotonic()) > 0:
            await asyncio.sleep(left)
        start = time.process_time()
        found = self.files.survey()
        self._look_took = time.process_time() - start
        known = {previous.uri: previous.value for previous in params.previous_result_ids}
        items: list[types.WorkspaceFullDocumentDiagnosticReport | types.WorkspaceUnchangedDocumentDiagnosticReport] = []
        for uri in dict.fromkeys([*found, *known]):
            diagnostics = found.get(uri, [])
            result = sha256(repr(diagnostics).encode("utf-8", "backslashreplace")).hexdigest()[:16]
            buffer = self.files.buffer(uri)
            version = None if buffer is None else buffer.version
            if known.get(uri) == result:
                items.append(types.WorkspaceUnchangedDocumentDiagnosticReport(uri, result, version))
            else:
                items.append(types.WorkspaceFullDocumentDiagnosticReport(uri, diagnostics, version, result_id=result))
        return types.WorkspaceDiagnosticReport(items)

    def _complain(self) -> None:
        """Tell what is wrong with the settings, each thing once."""
        errors = self.files.settings_errors()
        for error in errors:
            if error not in self._complaints:
                self.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"toolsurface-lint: {error}"))
        self._complaints = errors

    # --- names ---------------------------------------------------------------------------------------------------

    def names_at(self, uri: str, position: types.Position) -> tuple[Opened, list[Naming]] | None:
        opened = self.files.opened(uri)
        if opened is None or opened.document is None:
            return None
        offset = opened.positions.offset(position)
        return opened, namings_at(opened.surfaces, opened.document.path, offset)

    def locations(self, opened: Opened, found: Iterable[Naming]) -> list[types.Location]:
        """Where names stand, each place once."""
        places = [self.files.place(opened.state, naming.place, naming.span) for naming in found]
        unique = {(place.uri, place.range.start.line, place.range.start.character): place for place in places if place}
        return list(unique.values())

    def link(self, opened: Opened, place: Place) -> str:
        """A Markdown link to a place, as `file:line`."""
        location = self.files.place(opened.state, place)
        if location is None or place.source is None:
            return ""
        line = location.range.start.line + 1
        return f"[{os.path.basename(place.source.path)}:{line}]({location.uri}#L{line})"


def make_server() -> Server:
    """The server with everything that it answers, not yet started."""
    server = Server()
    feature = server.feature

    @feature(types.INITIALIZE)
    def _(params: types.InitializeParams) -> None:
        encoding = server.workspace.position_encoding
        if encoding is not None:
            server.files.encoding = encoding.value if isinstance(encoding, types.PositionEncodingKind) else encoding
        root = params.root_uri or (from_fs_path(params.root_path) if params.root_path else None)
        folders = [folder.uri for folder in params.workspace_folders or ()] or ([root] if root else [])
        for uri in folders:
            server.files.add_folder(uri)
        if server.pulls_workspace:

            @feature(types.WORKSPACE_DIAGNOSTIC)
            async def _(params: types.WorkspaceDiagnosticParams) -> types.WorkspaceDiagnosticReport:
                return await server.pull_workspace(params)

    @feature(types.INITIALIZED)
    def _(params: types.InitializedParams) -> None:
        workspace = server.client_capabilities.workspace
        watched = workspace.did_change_watched_files if workspace is not None else None
        if watched is not None and watched.dynamic_registration:
            server.client_register_capability(types.RegistrationParams([_WATCH]))

    @feature(types.SHUTDOWN)
    def _(*_: Any) -> None:
        server.shut_down()

    @feature(types.EXIT)
    def _(*_: Any) -> None:
        server.leave()

    @feature(types.TEXT_DOCUMENT_DID_SAVE, types.SaveOptions(include_text=False))
    def _(params: types.DidSaveTextDocumentParams) -> None:
        path = path_of(params.text_document.uri)
        if path is not None:
            server.files.look_again([path])
            server.plan_report(closed_files=True)

    @feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def _(params: types.DidChangeWatchedFilesParams) -> None:
        paths = (path_of(change.uri) for change in params.changes)
        server.files.look_again([path for path in paths if path is not None])
        server.plan_report(closed_files=True)

    @feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def _(params: types.DidChangeConfigurationParams) -> None:
        server.files.read_settings_again()
        server.plan_report(closed_files=True)

    @feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def _(params: types.DidChangeWorkspaceFoldersParams) -> None:
        for folder in params.event.removed:
            server.files.remove_folder(folder.uri)
        for folder in params.event.added:
            server.files.add_folder(folder.uri)
        server.plan_report(closed_files=True)

    options = types.DiagnosticOptions(True, False, SOURCE)

    @feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    def _(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        return server.pull(params)

    @feature(types.TEXT_DOCUMENT_HOVER)
    def _(params: types.HoverParams) -> types.Hover | None:
        return _hover(server, params)

    @feature(types.TEXT_DOCUMENT_DEFINITION)
    def _(params: types.DefinitionParams) -> list[types.Location]:
        found = server.names_at(params.text_document.uri, params.position)
        if found is None:
            return []
        opened, names = found
        tools = [(tool, naming.surface) for naming in names for tool in naming.tools]
        return server.locations(
            opened, [Naming(tool.text, tool.name_place, DECLARATION, surface) for tool, surface in tools]
        )

    @feature(types.TEXT_DOCUMENT_REFERENCES)
    def _(params: types.ReferenceParams) -> list[types.Location]:
        found = server.names_at(params.text_document.uri, params.position)
        if found is None:
            return []
        opened, names = found
        wanted = {tool.text for naming in names for tool in naming.tools}
        wanted.update(naming.name for naming in names if "*" not in naming.name)
        # A pattern for every tool speaks of none.
        every = [naming for surface in opened.surfaces for naming in namings(surface) if naming.name != "*"]
        return server.locations(
            opened,
            (
                naming
                for naming in every
                if any(naming.names(name) for name in wanted)
                and (params.context.include_declaration or naming.role != DECLARATION)
            ),
        )

    @feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=list(TRIGGERS)))
    def _(params: types.CompletionParams) -> types.CompletionList | None:
        return _completion(server, params)

    kinds = [types.CodeActionKind.QuickFix, FIX_ALL]

    @feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=kinds))
    def _(params: types.CodeActionParams) -> list[types.CodeAction]:
        return _actions(server, params)

    @feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def _(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        opened = server.files.opened(params.text_document.uri)
        if opened is None or opened.document is None:
            return []
        return [_symbol(symbol, opened.positions) for symbol in document_symbols(opened.document, opened.surfaces)]

    return server


_WATCHED = "**/*.{json,jsonc,jsonl,ndjson,snap,yaml,yml,toml,md,mdc,markdown,prompt,prompty,txt,j2,jinja,jinja2,py}"
_WATCH = types.Registration(
    "toolsurface-lint-files",
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
    types.DidChangeWatchedFilesRegistrationOptions(
        [types.FileSystemWatcher(pattern) for pattern in (_WATCHED, f"**/{OWN_FILE}", f"**/{SHARED_FILE}")]
    ),
)


def _hover(server: Server, params: types.HoverParams) -> types.Hover | None:
    uri = params.text_document.uri
    opened = server.files.opened(uri)
    if opened is None:
        return None
    code = code_at(opened.text, opened.positions.offset(params.position))
    if code is not None:
        page = describe_code(code[0])
        return None if page is None else _markdown(page, opened.positions.range(code[1]))
    found = server.names_at(uri, params.position)
    if found is None:
        return None
    _, names = found
    tools = {id(tool): (tool, naming.surface) for naming in names for tool in naming.tools}
    span = next((naming.span for naming in names), None)
    if not tools or span is None:
        return None
    text = describe_tools(list(tools.values()), lambda place: server.link(opened, place))
    return _markdown(text, opened.positions.range(span))


def _markdown(text: str, range: types.Range) -> types.Hover:
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), range)


def _completion(server: Server, params: types.CompletionParams) -> types.CompletionList | None:
    opened = server.files.opened(params.text_document.uri)
    if opened is None:
        return None
    readable = opened.folder.last_readable(opened.buffer.path)
    if readable is None:
        return None
    document, surfaces = (opened.document, opened.surfaces) if opened.surfaces and opened.document else readable
    context = params.context
    asked = context is None or context.trigger_kind == types.CompletionTriggerKind.Invoked
    offset = opened.positions.offset(params.position)
    found = candidates(document, surfaces, opened.text, offset, asked=asked)
    if found is None:
        return None
    range = opened.positions.range(found.span)
    for item in found.items:
        item.text_edit = types.TextEdit(range, item.label)
    return types.CompletionList(is_incomplete=True, items=found.items)


def _actions(server: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    opened = server.files.opened(params.text_document.uri)
    if opened is None or opened.document is None:
        return []
    found: list[types.CodeAction] = []
    if _wanted(types.CodeActionKind.QuickFix.value, params):
        first = opened.positions.offset(params.range.start)
        last = opened.positions.offset(params.range.end)
        every = server.files.diagnostics(opened.buffer.uri)
        for diagnostic, shown in zip(opened.diagnostics, every, strict=False):
            assert diagnostic.location is not None
            span = diagnostic.location.span
            if span.start <= last and first <= span.end:
                found.extend(_quick_fixes(server, opened, diagnostic, [shown]))
    if _wanted(FIX_ALL, params):
        fixes = actions.safe_fixes(opened.diagnostics)
        if fixes:
            title = "Apply all safe fixes of toolsurface-lint"
            found.append(types.CodeAction(title, FIX_ALL, edit=_edit(server, opened, fixes)))
    return found


def _wanted(kind: str, params: types.CodeActionParams) -> bool:
    """Whether the client asks for actions of a kind: for all, for this one, or for one that it is a kind of."""
    only = params.context.only
    if only is None:
        # What fixes a whole file is offered to those who ask for it.
        return kind != FIX_ALL
    asked = [str(one.value if isinstance(one, types.CodeActionKind) else one) for one in only]
    return any(one == kind or kind.startswith(f"{one}.") or not one for one in asked)


def _quick_fixes(
    server: Server, opened: Opened, diagnostic: Diagnostic, shown: list[types.Diagnostic]
) -> list[types.CodeAction]:
    """The fix of one of the file's diagnostics, then what suppresses it; `shown` is what the client knows it as."""
    quick = types.CodeActionKind.QuickFix
    found = []
    if diagnostic.fix is not None:
        title = diagnostic.fix.title[:1].upper() + diagnostic.fix.title[1:]
        edit = _edit(server, opened, [diagnostic.fix])
        found.append(types.CodeAction(title, quick, shown, is_preferred=diagnostic.fix.safe or None, edit=edit))
    assert opened.document is not None
    assert diagnostic.location is not None
    line = diagnostic.location.range.start.line
    comments = can_hide(diagnostic) and plan_comments(opened.document, opened.text, {line: [diagnostic.code]})
    if comments:
        change = [_insertion(insertion, opened.positions) for insertion in comments[line]]
        edit = types.WorkspaceEdit(changes={opened.buffer.uri: change})
        found.append(types.CodeAction(f"Suppress {diagnostic.code} here", quick, shown, edit=edit))
        return found
    settings = opened.state.project.settings
    for ignore in ignoring([diagnostic], opened.buffer.path, settings):
        file = settings_file(settings)
        settings_edit = _ignore(server, file, ignore)
        if settings_edit is not None:
            where = "in this file" if ignore.pointer is None else "here"
            title = f"Ignore {diagnostic.code} {where} ({os.path.basename(file)})"
            found.append(types.CodeAction(title, quick, shown, edit=settings_edit))
    return found


def _insertion(insertion: Insertion, positions: Positions) -> types.TextEdit:
    position = positions.position(insertion.offset)
    return types.TextEdit(types.Range(position, position), insertion.text)


def _edit(server: Server, opened: Opened, fixes: Iterable[AppliedFix]) -> types.WorkspaceEdit:
    changes: dict[str, list[types.TextEdit]] = {}
    for fix in fixes:
        for edit in fix.edits:
            location = server.files.location(opened.state, edit.location.path, edit.location.span)
            changes.setdefault(location.uri, []).append(types.TextEdit(location.range, edit.text))
    return types.WorkspaceEdit(changes=changes)


def _ignore(server: Server, path: str, ignore: FileIgnore) -> types.WorkspaceEdit | None:
    """Add a table to a settings file, which is created if it is not there and the client can do that."""
    buffer = server.files.buffers.get(path)
    uri = buffer.uri if buffer is not None else from_fs_path(path) or ""
    if buffer is None:
        try:
            with open(path, encoding="utf-8", newline="") as file:
                present: str | None = file.read()
        except FileNotFoundError:
            present = None
        except (OSError, ValueError):
            return None
    else:
        present = buffer.text
    insertion = add_ignores(path, present or "", [ignore])
    if insertion is None:
        return None
    if present is None:
        return _create(server, uri, insertion.text)
    from toolsurface_lint.source.text import LineIndex

    positions = Positions(LineIndex(present), server.files.encoding)
    return types.WorkspaceEdit(changes={uri: [_insertion(insertion, positions)]})


def _create(server: Server, uri: str, text: str) -> types.WorkspaceEdit | None:
    workspace = server.client_capabilities.workspace
    able = workspace.workspace_edit if workspace is not None else None
    operations = (able.resource_operations or ()) if able is not None else ()
    if types.ResourceOperationKind.Create not in operations or not (able and able.document_changes):
        return None
    start = types.Position(0, 0)
    edits: list[types.TextEdit | types.AnnotatedTextEdit | types.SnippetTextEdit] = [
        types.TextEdit(types.Range(start, start), text)
    ]
    created = types.CreateFile(uri, options=types.CreateFileOptions(ignore_if_exists=True))
    filled = types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(uri), edits)
    return types.WorkspaceEdit(document_changes=[created, filled])


def _symbol(symbol: Symbol, positions: Positions) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        name=symbol.name,
        kind=_SYMBOL_KINDS[symbol.kind],
        detail=symbol.detail,
        range=positions.range(symbol.span),
        selection_range=positions.range(symbol.name_span),
        children=[_symbol(child, positions) for child in symbol.children] or None,
    )
