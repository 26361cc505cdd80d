"""One file to one document: its text, its values, and what its readers make of them. Pure, and without other files."""

from __future__ import annotations

import os

from toolsurface_lint.model.document import Document
from toolsurface_lint.readers.document_reader import read_values
from toolsurface_lint.readers.prose import read_prompt
from toolsurface_lint.source.files import read_source
from toolsurface_lint.source.text import Problem, SourceText, Span, Unreadable
from toolsurface_lint.source.tree import text_tree

TEXT_KINDS = ("prompt", "template", "response")
_TEXT_LANGUAGES = ("markdown", "text")
# Hosts that read comments and trailing commas in files called `.json`.
_LENIENT_FOLDERS = (".vscode", ".devcontainer", ".zed", ".gemini")
_LENIENT_NAMES = ("tsconfig", "jsconfig", "devcontainer.json", "opencode.json")


def load_document(
    path: str, display: str, language: str, *, kind: str | None, max_size: int, data: bytes | None = None
) -> Document:
    """Read one file and everything that it says by itself.

    `kind` is what the user says that the file is; None leaves it to the content. A file that cannot be read is a
    document with that problem and nothing else.
    """
    try:
        source = read_source(path, display, max_size, data)
    except Unreadable as error:
        document = Document(display, SourceText(display, error.text), language)
        document.problems.append(Problem("unreadable", error.message, error.span))
        return document
    if language == "unknown":
        language = "json" if source.text.lstrip()[:1] in ("{", "[") else "text"
    document = Document(display, source, language)
    if kind in TEXT_KINDS or (kind is None and language in _TEXT_LANGUAGES):
        _load_text(document, kind or "prompt")
    else:
        _load_values(document, path, kind)
    return document


def _load_text(document: Document, kind: str) -> None:
    start = 0
    if document.language == "markdown" and document.source.text.startswith("---"):
        from toolsurface_lint.source.markdown import front_matter

        head = front_matter(document.source.text)
        start = 0 if head is None else head.body
    tree = text_tree(document.source, start)
    document.trees.append(tree)
    document.kinds.append(kind)
    if kind == "prompt":
        document.prompts.append(read_prompt(tree, (), "prompt", document.path))


def _load_values(document: Document, path: str, kind: str | None) -> None:
    source = document.source
    if document.language in ("json", "jsonl"):
        from toolsurface_lint.source.json import read_json

        read = read_json(source, lines=document.language == "jsonl", comments_allowed=_takes_comments(path))
    elif document.language == "yaml":
        from toolsurface_lint.source.yaml import read_yaml

        read = read_yaml(source)
    elif document.language == "toml":
        from toolsurface_lint.source.toml import read_toml

        read = read_toml(source)
    else:
        return
    document.trees.extend(read.trees)
    document.problems.extend(read.problems)
    if not document.trees:
        return
    if kind is not None:
        document.kinds.append(kind)
    if not read_values(document, kind) and kind is not None:
        document.kinds.clear()
        document.problems.append(Problem("wrong_kind", f"this file is no {kind} document", Span(0, 0)))


def _takes_comments(path: str) -> bool:
    folder, name = os.path.split(path)
    if not name.lower().endswith(".json"):
        return True
    return os.path.basename(folder) in _LENIENT_FOLDERS or name.startswith(_LENIENT_NAMES)
