"""The messages of the Language Server Protocol, and what answers each."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

from lsprotocol import types
from pygls.uris import from_fs_path

from toolsurface_lint.model.surface import Surface
from toolsurface_lint.project.discovery.names import candidate_globs
from toolsurface_lint.project.settings import OWN_FILE, SHARED_FILE
from toolsurface_lint.project.settings.selection import all_codes, other_rules
from toolsurface_lint.run.naming import DECLARATION, Naming
from toolsurface_lint.server.actions import FIX_ALL, code_actions
from toolsurface_lint.server.completion import TRIGGERS, Candidates, candidates
from toolsurface_lint.server.folders import OpenCache
from toolsurface_lint.server.hover import code_at, describe_code, describe_tools
from toolsurface_lint.server.positions import Positions
from toolsurface_lint.server.program import Server
from toolsurface_lint.server.renaming import prepare, rename
from toolsurface_lint.server.reports import SOURCE
from toolsurface_lint.server.settings_files import describe, offers
from toolsurface_lint.server.symbols import AGENT, Symbol, document_symbols, is_asked, workspace_symbols
from toolsurface_lint.server.workspace import Opened, path_of

_WATCH = types.Registration(
    "toolsurface-lint-files",
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
    types.DidChangeWatchedFilesRegistrationOptions(
        [types.FileSystemWatcher(pattern) for pattern in (*candidate_globs(), f"**/{OWN_FILE}", f"**/{SHARED_FILE}")]
    ),
)


def _initialize(ls: Server, params: types.InitializeParams) -> None:
    encoding = ls.workspace.position_encoding
    if encoding is not None:
        ls.files.encoding = encoding.value if isinstance(encoding, types.PositionEncodingKind) else encoding
    root = params.root_uri or (from_fs_path(params.root_path) if params.root_path else None)
    folders = [folder.uri for folder in params.workspace_folders or ()] or ([root] if root else [])
    for uri in folders:
        ls.files.add_folder(uri)
    ls.follow(params.process_id)
    if ls.pulls_workspace:
        ls.feature(types.WORKSPACE_DIAGNOSTIC)(partial(Server.pull_workspace, ls))


def _initialized(ls: Server, params: types.InitializedParams) -> None:
    workspace = ls.client_capabilities.workspace
    watched = workspace.did_change_watched_files if workspace is not None else None
    if watched is not None and watched.dynamic_registration:
        ls.client_register_capability(types.RegistrationParams([_WATCH]))


def _saved(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
    path = path_of(params.text_document.uri)
    if path is not None:
        ls.files.look_again([path])
        ls.plan_report(closed_files=True)


def _changed_on_disk(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
    changes = [(path, change.type) for change in params.changes if (path := path_of(change.uri)) is not None]
    gone = {path for path, type in changes if type == types.FileChangeType.Deleted}
    ls.files.look_again([path for path, _ in changes], gone)
    ls.plan_report(closed_files=True)


def _configured(ls: Server, params: types.DidChangeConfigurationParams) -> None:
    ls.files.read_settings_again()
    ls.plan_report(closed_files=True)


def _folders_changed(ls: Server, params: types.DidChangeWorkspaceFoldersParams) -> None:
    for folder in params.event.removed:
        ls.files.remove_folder(folder.uri)
    for folder in params.event.added:
        ls.files.add_folder(folder.uri)
    ls.plan_report(closed_files=True)


def _hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
    buffer = ls.files.settings_buffer(params.text_document.uri)
    if buffer is not None:
        positions = buffer.positions(ls.files.encoding)
        said = describe(buffer.path, buffer.source.text, positions.offset(params.position))
        if said is not None:
            return _markdown(said[0], positions.range(said[1]))
    opened = ls.files.opened(params.text_document.uri)
    if opened is None:
        return None
    code = code_at(opened.text, opened.positions.offset(params.position))
    if code is not None:
        page = describe_code(code[0], other_rules(opened.state.project.settings))
        return None if page is None else _markdown(page, opened.positions.range(code[1]))
    names = opened.names_at(params.position)
    tools = {id(tool): (tool, naming.surface) for naming in names for tool in naming.tools}
    span = next((naming.span for naming in names), None)
    if not tools or span is None:
        return None
    text = describe_tools(list(tools.values()), lambda place: ls.link(opened, place))
    return _markdown(text, opened.range(span))


def _markdown(text: str, range: types.Range) -> types.Hover:
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), range)


def _define(ls: Server, params: types.DefinitionParams) -> list[types.Location]:
    opened = ls.files.opened(params.text_document.uri)
    if opened is None:
        return []
    names = opened.names_at(params.position)
    tools = [(tool, naming.surface) for naming in names for tool in naming.tools]
    return ls.locations(opened, [Naming(tool.name, tool.name_place, DECLARATION, surface) for tool, surface in tools])


def _refer(ls: Server, params: types.ReferenceParams) -> list[types.Location]:
    opened = ls.files.opened(params.text_document.uri)
    if opened is None:
        return []
    found = opened.names_meant_at(params.position)
    return ls.locations(
        opened, (naming for naming in found if params.context.include_declaration or naming.role != DECLARATION)
    )


def _highlight(ls: Server, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
    opened = ls.files.opened(params.text_document.uri)
    if opened is None or opened.document is None:
        return []
    path = opened.document.path
    spans = {
        span: naming.role
        for naming in opened.names_meant_at(params.position)
        if naming.place.source is not None and naming.place.source.path == path and (span := naming.span) is not None
    }
    written = types.DocumentHighlightKind.Write
    return [
        types.DocumentHighlight(
            opened.range(span), written if role == DECLARATION else types.DocumentHighlightKind.Read
        )
        for span, role in sorted(spans.items())
    ]


def _complete(ls: Server, params: types.CompletionParams) -> types.CompletionList | None:
    buffer = ls.files.settings_buffer(params.text_document.uri)
    if buffer is not None:
        positions = buffer.positions(ls.files.encoding)
        found = offers(buffer.path, buffer.source.text, positions.offset(params.position))
        if found is not None:
            for item in found.items:
                if not ls.completes_in_markdown and isinstance(item.documentation, types.MarkupContent):
                    item.documentation = item.documentation.value
            return types.CompletionList(is_incomplete=False, items=_placed(found, positions))
    opened = ls.files.opened(params.text_document.uri)
    if opened is None:
        return None
    recognised = opened.folder.recognised.get(opened.buffer.path)
    if recognised is None:
        return None
    document, surfaces = (opened.document, opened.surfaces) if opened.surfaces and opened.document else recognised
    context = params.context
    asked = context is None or context.trigger_kind == types.CompletionTriggerKind.Invoked
    offset = opened.positions.offset(params.position)
    codes = sorted(all_codes(opened.state.project.settings))
    found = candidates(document, surfaces, opened.text, offset, opened.read_offset(offset), asked=asked, codes=codes)
    if found is None:
        return None
    return types.CompletionList(is_incomplete=True, items=_placed(found, opened.positions))


def _placed(found: Candidates, positions: Positions) -> list[types.CompletionItem]:
    range = positions.range(found.span)
    for item in found.items:
        item.text_edit = types.TextEdit(range, item.insert_text or item.label)
        item.insert_text = None
    return found.items


def _outline(ls: Server, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    opened = ls.files.opened(params.text_document.uri)
    if opened is None or opened.document is None:
        return []
    return [_symbol(symbol, opened) for symbol in document_symbols(opened.document, opened.surfaces)]


def _symbol(symbol: Symbol, opened: Opened) -> types.DocumentSymbol:
    return types.DocumentSymbol(
        name=symbol.name,
        kind=symbol.kind,
        detail=symbol.detail,
        range=opened.range(symbol.span),
        selection_range=opened.range(symbol.name_span),
        children=[_symbol(child, opened) for child in symbol.children] or None,
    )


_MOST_SYMBOLS = 2_000
"""So many names of a workspace are given at once: a longer query finds the others."""


def _search(ls: Server, params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
    found: list[types.WorkspaceSymbol] = []
    for state in ls.files.states():
        surfaces: dict[str, list[Surface]] = {}
        for surface in state.project.scopes:
            for file in surface.files:
                surfaces.setdefault(file, []).append(surface)
        for document in state.project.documents:
            for symbol in workspace_symbols(document, surfaces.get(document.path, ())):
                if not is_asked(symbol.name, params.query):
                    continue
                if len(found) == _MOST_SYMBOLS:
                    return found
                location = ls.files.location(state, document.path, symbol.name_span)
                container = symbol.detail if symbol.kind == AGENT else os.path.basename(document.path)
                found.append(types.WorkspaceSymbol(location, symbol.name, symbol.kind, container_name=container))
    return found


FEATURES: tuple[tuple[str, Callable[..., Any], Any], ...] = (
    (types.INITIALIZE, _initialize, None),
    (types.INITIALIZED, _initialized, None),
    (types.TEXT_DOCUMENT_DID_OPEN, Server.opened, None),
    (types.TEXT_DOCUMENT_DID_CHANGE, Server.changed, None),
    (types.TEXT_DOCUMENT_DID_CLOSE, Server.closed, None),
    (types.TEXT_DOCUMENT_DID_SAVE, _saved, types.SaveOptions(include_text=False)),
    (types.WORKSPACE_DID_CHANGE_WATCHED_FILES, _changed_on_disk, None),
    (types.WORKSPACE_DID_CHANGE_CONFIGURATION, _configured, None),
    (types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, _folders_changed, None),
    (types.TEXT_DOCUMENT_DIAGNOSTIC, Server.pull, types.DiagnosticOptions(True, False, SOURCE)),
    (types.TEXT_DOCUMENT_HOVER, _hover, None),
    (types.TEXT_DOCUMENT_DEFINITION, _define, None),
    (types.TEXT_DOCUMENT_REFERENCES, _refer, None),
    (types.TEXT_DOCUMENT_COMPLETION, _complete, types.CompletionOptions(trigger_characters=list(TRIGGERS))),
    (
        types.TEXT_DOCUMENT_CODE_ACTION,
        code_actions,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix, FIX_ALL]),
    ),
    (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, _outline, None),
    (types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, _highlight, None),
    (types.TEXT_DOCUMENT_PREPARE_RENAME, prepare, None),
    (types.TEXT_DOCUMENT_RENAME, rename, None),
    (types.WORKSPACE_SYMBOL, _search, None),
)
"""What is answered for every client: the message, its handler, and the options that the client is sent beforehand.

A handler is called with the server and the message.
"""


def make_server(open_cache: OpenCache | None = None) -> Server:
    """The server with everything that it answers, not yet started; `open_cache` as in `Folder`."""
    server = Server(open_cache)
    for method, handler, options in FEATURES:
        server.feature(method, options)(partial(handler, server))
    return server
