"""Conversations with the language server: the real program in a process of its own, and a client at its pipes."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient, make_test_lsp_client

from tests.files import write_files

REPOSITORY = Path(__file__).resolve().parents[2]
TIMEOUT = 60

TOOLS = """[
  {
    "name": "read_file",
    "description": "Read a file and return its text.",
    "input_schema": {
      "type": "object",
      "properties": {
        "path": {"type": "string", "description": "Which file."},
        "limit": {"type": "integer", "description": "How many lines."}
      },
      "required": ["path"]
    }
  },
  {
    "name": "list_files",
    "description": "List the files of a folder.",
    "input_schema": {"type": "object", "properties": {"folder": {"type": "string"}}, "required": ["folder"]}
  }
]
"""


class Session:
    """One client. Files are named by their paths in `folder`, positions are lines and characters from 0."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.result: types.InitializeResult | None = None
        self._versions: dict[str, int] = {}

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def document(self, name: str) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri(name))

    def open(self, name: str, text: str | None = None) -> None:
        """Open a file, as it is on disk or with another text."""
        if text is None:
            with open(self.folder / name, encoding="utf-8", newline="") as file:
                text = file.read()
        self._versions[name] = 1
        item = types.TextDocumentItem(self.uri(name), "", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, name: str, *changes: types.TextDocumentContentChangeEvent) -> None:
        self._versions[name] += 1
        document = types.VersionedTextDocumentIdentifier(self._versions[name], self.uri(name))
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, list(changes)))

    def rewrite(self, name: str, text: str) -> None:
        """Replace the whole text of an open file."""
        self.change(name, types.TextDocumentContentChangeWholeDocument(text))

    def edit(self, name: str, start: tuple[int, int], end: tuple[int, int], text: str) -> None:
        """Replace a part of an open file."""
        range = types.Range(types.Position(*start), types.Position(*end))
        self.change(name, types.TextDocumentContentChangePartial(range, text))

    def write(self, files: dict[str, str]) -> None:
        write_files(self.folder, files)

    def watched(self, *names: str) -> None:
        """Tell the server that files have changed on disk."""
        changes = [types.FileEvent(self.uri(name), types.FileChangeType.Changed) for name in names]
        self.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(changes))

    def save(self, name: str, text: str) -> None:
        """Write a file and tell the server that its buffer has been saved."""
        (self.folder / name).write_text(text, encoding="utf-8", newline="")
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(self.document(name)))

    def close(self, name: str) -> None:
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(self.document(name)))

    async def pull(self, name: str) -> list[types.Diagnostic]:
        report = await self.client.text_document_diagnostic_async(types.DocumentDiagnosticParams(self.document(name)))
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
        return list(report.items)

    async def findings(self, name: str) -> list[str]:
        """The diagnostics of a file, one each: `line:character-line:character CODE`."""
        return [shown(diagnostic) for diagnostic in await self.pull(name)]

    async def pushed(self, name: str, count: int | None = None) -> list[str]:
        """What the server sends for a file next, or once it has sent so many diagnostics."""
        while True:
            await self.client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
            found = self.client.diagnostics.get(self.uri(name))
            if found is not None and (count is None or len(found) == count):
                return [shown(diagnostic) for diagnostic in found]

    def at(self, name: str, line: int, character: int) -> dict[str, Any]:
        return {"text_document": self.document(name), "position": types.Position(line, character)}


def shown(diagnostic: types.Diagnostic) -> str:
    return f"{span(diagnostic.range)} {diagnostic.code}"


def span(range: types.Range) -> str:
    start, end = range.start, range.end
    return f"{start.line}:{start.character}-{end.line}:{end.character}"


def capabilities(*encodings: str, pulls: bool = True, **workspace: Any) -> types.ClientCapabilities:
    """What a client can do: pull diagnostics or not, and count positions in these encodings, the best first."""
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=list(encodings) or None),
        text_document=types.TextDocumentClientCapabilities(
            diagnostic=types.DiagnosticClientCapabilities() if pulls else None
        ),
        workspace=types.WorkspaceClientCapabilities(**workspace),
    )


@pytest.fixture
def able() -> Callable[..., types.ClientCapabilities]:
    return capabilities


Talk = Callable[..., None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two tools, a prompt that calls one of them, and settings that say nothing."""
    files = {
        "tools.json": TOOLS,
        "prompts/system.md": 'Call `read_file({ path: "a" })` first.\n',
        "toolsurface.toml": "",
    }
    write_files(tmp_path, files)
    return tmp_path


@pytest.fixture
def talk(folder: Path) -> Talk:
    """Runs a conversation with a server that has `folder`, or the given folders of it, as its workspace."""

    def run(
        conversation: Callable[[Session], Awaitable[None]],
        able: types.ClientCapabilities | None = None,
        folders: tuple[str, ...] = (".",),
        prepare: Callable[[LanguageClient], None] | None = None,
    ) -> None:
        async def converse() -> None:
            client = make_test_lsp_client()
            if prepare is not None:
                prepare(client)
            environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
            command = [sys.executable, "-m", "toolsurface_lint", "server", "--stdio"]
            await client.start_io(*command, cwd=folder, env=environment)
            session = Session(client, folder)
            workspaces = [types.WorkspaceFolder((folder / name).resolve().as_uri(), name) for name in folders]
            session.result = await client.initialize_session(
                types.InitializeParams(capabilities=able or capabilities(), workspace_folders=workspaces)
            )
            try:
                await conversation(session)
                assert [message.message for message in client.log_messages] == []
            finally:
                await client.shutdown_session()
                await client.stop()

        asyncio.run(asyncio.wait_for(converse(), TIMEOUT))

    return run
