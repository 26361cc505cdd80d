"""Commands of Gemini CLI: a prompt in TOML, in `.gemini/commands` or the `commands` of an extension.

Source: google-gemini/gemini-cli 5411f11, packages/cli/src/services/FileCommandLoader.ts, 2026-08.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolsurface_lint.knowledge.clients import COMMAND
from toolsurface_lint.model.client_file import ClientFile
from toolsurface_lint.model.document import Document
from toolsurface_lint.readers.document_reader import DocumentReader
from toolsurface_lint.readers.prompts import read_prompt
from toolsurface_lint.source.tree import Node

if TYPE_CHECKING:
    from toolsurface_lint.knowledge.client_files import FileKind

_CLIENT = "gemini-cli"


def _row() -> FileKind:
    from toolsurface_lint.knowledge.client_files import FILE_KINDS

    return FILE_KINDS[(_CLIENT, COMMAND)]


def _recognises(root: Node, document: Document) -> bool:
    path = f"/{document.location.lower()}"
    if document.language != "toml" or not isinstance(root.value.get("prompt"), str):
        return False
    # Elsewhere, nothing but the fields of a command says that it is one.
    return "/.gemini/commands/" in path or ("/commands/" in path and root.value.keys() <= _row().keys)


def _read(root: Node, document: Document) -> None:
    from toolsurface_lint.readers.agent_markdown import note_keys

    prompt = read_prompt(root.tree, ("prompt",), "prompt", frozenset({_CLIENT}))
    document.prompts.append(prompt)
    document.client_file = ClientFile(COMMAND, _CLIENT, root, prompt)
    note_keys(document.client_file, _row())


READER = DocumentReader("prompt", 17, True, _recognises, _read)
