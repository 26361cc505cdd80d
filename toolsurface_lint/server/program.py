"""The server of one client: what it has open, and what has been reported about that."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any

from lsprotocol import types
from pygls.exceptions import (
    FeatureRequestError,
    JsonRpcException,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcServerNotInitialized,
)
from pygls.io_ import StdoutWriter
from pygls.lsp.server import LanguageServer
from pygls.protocol.language_server import LanguageServerProtocol

from toolsurface_lint import __version__
from toolsurface_lint.run.naming import Naming
from toolsurface_lint.server.folders import OpenCache
from toolsurface_lint.server.messages import next_body, parse
from toolsurface_lint.server.parent import Parent
from toolsurface_lint.server.workspace import Opened, Workspace, path_of
from toolsurface_lint.source.tree import Place

_PAUSE = 0.15
"""Seconds without a change after which diagnostics are sent to clients that do not ask for them."""

_CALM = 1.0
"""Seconds without a change after which the whole workspace is looked at: before, somebody is typing, and waits for answers."""

_CALM_FOR_A_LOOK = 10
"""The same as a multiple of the time that the last look took, if that is more: nothing else is answered during a look."""


_PARENT_PAUSE = 2.0
"""Seconds between two looks at whether the client is still there."""


class _Output(StdoutWriter):
    """What the client reads."""

    def write(self, data: bytes) -> None:
        try:
            super().write(data)
        except BrokenPipeError:
            _end()


def _end() -> None:
    """End when the client is gone: a thread waits for its next message, and nothing would wake it."""
    os._exit(1)


async def _end_with(parent: Parent) -> None:
    while not parent.is_gone():
        await asyncio.sleep(_PARENT_PAUSE)
    _end()


class _Protocol(LanguageServerProtocol):
    """pygls's protocol, with our own buffers in place of its own, and an answer to what pygls is silent about."""

    _server: Server

    lsp_text_document__did_open = lsp_text_document__did_change = lsp_text_document__did_close = None  # type: ignore[assignment]
    """pygls would keep these buffers; `FEATURES` has what answers instead."""

    def receive(self, body: bytes) -> None:
        """Answer one message; what cannot be answered is refused, and where nobody waits for that, logged."""
        message: dict[str, Any] = {}
        try:
            message = parse(body)
            known = self._admit(message)
            structured = self.structure_message(message) if known else None
        except JsonRpcException as error:
            self.refuse(error, message)
            return
        if structured is not None:
            self.handle_message(structured)

    def refuse(self, error: JsonRpcException, message: dict[str, Any]) -> None:
        number = message.get("id")
        if "method" in message and "id" not in message:
            self._server.log(f"{message['method']}: {error.message}")
        elif "method" in message or "id" not in message or not ("result" in message or "error" in message):
            number = number if type(number) in (int, str) else None
            answer = {"code": error.code, "message": error.message}
            self._send_data({"jsonrpc": self.VERSION, "id": number, "error": answer})
        else:
            self._server.log(f"an answer from the client: {error.message}")

    def _admit(self, message: dict[str, Any]) -> bool:
        """Whether a message is for us; False for a notification of something we know nothing of.

        Raises a `JsonRpcException` for one that is malformed, or out of turn.
        """
        number, method = message.get("id"), message.get("method")
        if message.get("jsonrpc") != self.VERSION or not ("id" in message or "method" in message):
            raise JsonRpcInvalidRequest("a message that is not of JSON-RPC 2.0")
        if "id" in message and type(number) not in (int, str):
            raise JsonRpcInvalidRequest("an `id` that is neither a number nor a string")
        if "method" not in message:
            return True
        if not isinstance(method, str):
            raise JsonRpcInvalidRequest("a `method` that is not a string")
        if method == types.EXIT:
            return True
        if self._shutdown:
            raise JsonRpcInvalidRequest("the server is shut down")
        has_begun = hasattr(self, "server_capabilities")
        if not has_begun and method != types.INITIALIZE:
            raise JsonRpcServerNotInitialized("the server is not initialized")
        if has_begun and method == types.INITIALIZE:
            raise JsonRpcInvalidRequest("the server is initialized already")
        kind = self.get_message_type(method)
        if kind is None:
            if "id" in message:
                raise JsonRpcMethodNotFound.of(method)
            return False
        if hasattr(kind, "id") != ("id" in message):
            raise JsonRpcInvalidRequest(f"{method} is a {'request' if hasattr(kind, 'id') else 'notification'}")
        return True


class Server(LanguageServer):
    """One client's server. Diagnostics are answered when the client asks; to others they are sent after a pause."""

    def __init__(self, open_cache: OpenCache | None = None) -> None:
        super().__init__("toolsurface-lint", __version__, protocol_cls=_Protocol)
        self.files = Workspace(open_cache)
        self._sent: dict[str, list[types.Diagnostic]] = {}
        """What was reported last for each open file, by URI."""
        self._timer: asyncio.TimerHandle | None = None
        self._last_change = 0.0
        self._look_took = 0.0
        self._surveyed = False
        """Whether the client has asked for the whole workspace."""
        self._outdated = False
        """Whether files that need not be open have changed since."""
        self._settings: dict[str, types.Diagnostic] = {}
        """What was sent last for settings files that are not open, by URI."""
        self._complaints: list[str] = []
        """What was logged last of settings that cannot even be opened."""
        self._following: asyncio.Future[None] | None = None

    def serve(self) -> int:
        """Answer one client until it says goodbye or is gone.

        Returns 1 if it asked the server to exit without shutting it down first, as the protocol demands, else 0.
        """
        self.protocol.set_writer(_Output(sys.stdout.buffer))
        try:
            asyncio.run(self._serve())
        except SystemExit as end:
            return 1 if end.code else 0
        except KeyboardInterrupt:
            pass
        finally:
            self.shutdown()  # type: ignore[no-untyped-call]
        return 0

    async def _serve(self) -> None:
        protocol = self.protocol
        assert isinstance(protocol, _Protocol)
        reading = asyncio.get_running_loop().run_in_executor
        while True:
            try:
                body = await reading(self.thread_pool, next_body, sys.stdin.buffer)
            except JsonRpcException as error:
                protocol.refuse(error, {})
                continue
            if not body:
                return
            protocol.receive(body)

    def report_server_error(self, error: Exception, source: type[Exception]) -> None:
        """Log what went wrong where the client waits for no answer: a window for each would be one a keystroke."""
        if source is not FeatureRequestError:
            self.log(f"{type(error).__name__}: {error}")

    def log(self, text: str) -> None:
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, f"toolsurface-lint: {text}"))

    def follow(self, process: int | None) -> None:
        """End with the client's process, even if somebody else holds its end of the pipe open."""
        if process is not None:
            self._following = asyncio.ensure_future(_end_with(Parent(process)))

    # --- buffers -------------------------------------------------------------------------------------------------

    def opened(self, params: types.DidOpenTextDocumentParams) -> None:
        self.files.open(params.text_document)
        self.plan_report()

    def changed(self, params: types.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        # Clients also open and change what is not a file; none of that is ours.
        if self.files.buffer(uri) is None and path_of(uri) is not None:
            self.log(f"a change of a document that is not open: {uri}")
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
        """Whether the client can be asked to pull again."""
        workspace = self.client_capabilities.workspace
        return bool(workspace and workspace.diagnostics and workspace.diagnostics.refresh_support)

    @property
    def pulls_workspace(self) -> bool:
        """Whether the client knows of diagnostics of a whole workspace."""
        workspace = self.client_capabilities.workspace
        return self.pulls and workspace is not None and workspace.diagnostics is not None

    @property
    def completes_in_markdown(self) -> bool:
        """Whether the client can show Markdown beside what it offers to write."""
        document = self.client_capabilities.text_document
        item = document.completion.completion_item if document and document.completion else None
        return bool(item and item.documentation_format and types.MarkupKind.Markdown in item.documentation_format)

    def plan_report(self, *, closed_files: bool = False) -> None:
        """Look at all open files once nothing has changed for a moment; `closed_files`: others may have changed too."""
        self._last_change = time.monotonic()
        self._outdated = self._outdated or (closed_files and self._surveyed)
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(_PAUSE, self._report_all)

    def _report_all(self) -> None:
        """Send what has changed, or ask the client to pull it."""
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
        self._report_settings()

    def _look(self, uri: str) -> bool:
        """Find the diagnostics of an open file; whether they differ from those before."""
        found = self.files.diagnostics(uri)
        if self._sent.get(uri) == found:
            return False
        self._sent[uri] = found
        return True

    def pull(self, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        uri = params.text_document.uri
        self._look(uri)
        found = self._sent[uri]
        result = _result_id(found)
        if params.previous_result_id == result:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=result)
        return types.RelatedFullDocumentDiagnosticReport(items=found, result_id=result)

    async def pull_workspace(self, params: types.WorkspaceDiagnosticParams) -> types.WorkspaceDiagnosticReport:
        """What is reported in all files of the workspace, and for those that the client knows of, that nothing is."""
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
            result = _result_id(diagnostics)
            buffer = self.files.buffer(uri)
            version = None if buffer is None else buffer.version
            if known.get(uri) == result:
                items.append(types.WorkspaceUnchangedDocumentDiagnosticReport(uri, result, version))
            else:
                items.append(types.WorkspaceFullDocumentDiagnosticReport(uri, diagnostics, version, result_id=result))
        return types.WorkspaceDiagnosticReport(items)

    def _report_settings(self) -> None:
        """Send what is wrong with settings that are not open: only those who ask for the whole workspace ask for that."""
        errors = list(self.files.closed_settings())
        placed = {} if self.pulls_workspace else {uri: error for uri, error in errors if uri is not None}
        for uri in {**self._settings, **placed}:
            # For an open file, what was found in it has been sent by now, or will be asked for.
            if placed.get(uri) != self._settings.get(uri) and (self.pulls or self.files.buffer(uri) is None):
                shown = [placed[uri]] if uri in placed else []
                self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, shown))
        self._settings = placed
        complaints = [str(error.message) for uri, error in errors if uri is None]
        for complaint in complaints:
            if complaint not in self._complaints:
                self.log(complaint)
        self._complaints = complaints

    # --- names ---------------------------------------------------------------------------------------------------

    def locations(self, opened: Opened, found: Iterable[Naming]) -> list[types.Location]:
        """The places of names, each once."""
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


def _result_id(diagnostics: Sequence[types.Diagnostic]) -> str:
    """What a client names a result by: made from what it says, so that it stays the same as long as that does."""
    return sha256(repr(diagnostics).encode("utf-8", "backslashreplace")).hexdigest()[:16]
