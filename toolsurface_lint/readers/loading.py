"""One file to one document: its text, its values, and what its readers make of them. Pure, and without other files."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from toolsurface_lint.model.client_file import ClientFile
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.unseen import Unseen
from toolsurface_lint.readers.prompts import read_prompt
from toolsurface_lint.source import disk
from toolsurface_lint.source.files import KEPT_ELSEWHERE, LFS_POINTER, open_file, read_source
from toolsurface_lint.source.languages import JINJA
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import SourceText, Span, Unreadable
from toolsurface_lint.source.tree import Documents, TextTree

if TYPE_CHECKING:
    from toolsurface_lint.knowledge.clients import Standing
    from toolsurface_lint.readers.front_matter import FrontMatter

_TEXT_LANGUAGES = ("markdown", "text")
# Hosts that read comments and trailing commas in files called `.json`.
_LENIENT_FOLDERS = (".vscode", ".devcontainer", ".zed", ".gemini")
_LENIENT_NAMES = ("tsconfig", "jsconfig", "devcontainer.json", "opencode.json")


def load_document(
    path: str,
    display: str,
    language: str,
    *,
    kind: str | None,
    max_size: int,
    data: bytes | None = None,
    location: str = "",
    standing: Standing | None = None,
) -> Document:
    """Read one file and everything that it says by itself.

    `kind` is what the user says that the file is; None leaves it to the content. `location` is as in `Document`; `standing` is
    what the file is to coding clients, if more than its location says so. A file that cannot be read is a document with that
    problem and nothing else.
    """
    if language == "gguf" and kind in (None, "chat-template"):
        from toolsurface_lint.readers.gguf import load_gguf

        return load_gguf(path, display, location, max_size)
    if language == "inspect" and kind in (None, "transcript"):
        from toolsurface_lint.readers.archived_logs import load_archived_log

        return load_archived_log(path, display, location, max_size, data)
    if kind in (None, "transcript") and data is None and _may_be_lines(path, language, kind):
        lines = _load_lines(path, display, language, location, max_size)
        if lines is not None:
            return lines
    try:
        source = read_source(path, display, max_size, data)
    except Unreadable as error:
        document = Document(display, SourceText(display, error.text), language, location)
        if kind is None:
            document.begins = _begins(document)
        document.problems.append(error.problem)
        return document
    if language == "json" and kind in (None, "transcript") and data is None and _TWO_LINES.match(source.text):
        lines = _load_lines(path, display, language, location, max_size)
        if lines is not None:
            return lines
    if source.text.startswith(LFS_POINTER):
        document = Document(display, source, language, location)
        document.unread = Unseen(KEPT_ELSEWHERE, display)
        document.leaves_open = True
        return document
    if language == "unknown":
        start = source.text.lstrip()[:2]
        language = "json" if start[:1] in ("{", "[") and start not in _TAGS else "text"
    document = Document(display, source, language, location)
    if kind is None and language in _TEXT_LANGUAGES:
        kind = _kind_of_text(path, source.text)
    if kind == "serving" or (kind is None and language == "shell"):
        _load_serving(document, path)
    elif kind in ("template", "response") or (kind == "chat-template" and language in _TEXT_LANGUAGES):
        _load_whole_text(document, kind)
    elif kind == "prompt":
        from toolsurface_lint.knowledge.client_files import standing_of

        document.standing = standing or standing_of(document.location)
        _load_prompt(document)
    else:
        _load_values(document, path, kind)
    if kind in (None, "prompt") and language in ("markdown", "yaml"):
        _load_serving(document, path)
    return document


def _load_serving(document: Document, path: str) -> None:
    from toolsurface_lint.readers.serving import read_serving

    read_serving(document, path)


_TAGS = ("{%", "{{", "{#")
"""How a template begins, and no JSON."""
_LARGE = 1 << 20


def _may_be_lines(path: str, language: str, kind: str | None) -> bool:
    """Whether a file is worth a look at its first lines: by its name, or because reading it whole would cost much.

    A text that somebody says is a transcript can only be one of lines.
    """
    if language in ("jsonl", "unknown") or (kind == "transcript" and language in _TEXT_LANGUAGES):
        return True
    try:
        return language == "json" and disk.stat(path).st_size > _LARGE
    except OSError:
        return False


_TWO_LINES = re.compile(r"\{[^\n]*\}[ \t\r]*\n\{")
"""How JSON Lines may begin in a file that is called JSON: with two lines that may each be an object."""


def _load_lines(path: str, display: str, language: str, location: str, max_size: int) -> Document | None:
    """A transcript in JSON Lines, which is never read whole: there is no limit to its size. None if the file is not one."""
    from toolsurface_lint.readers.conversations import recognise_transcript

    transcript = recognise_transcript(path, display, named_lines=language == "jsonl", max_line=max_size)
    if transcript is None:
        return None
    document = Document(display, SourceText(display, ""), language, location)
    document.kinds.append("transcript")
    document.transcripts.append(transcript)
    return document


def _kind_of_text(path: str, text: str) -> str:
    """Whether a text is a template, of either kind, or a plain prompt; a response only by what the user says."""
    if path.lower().endswith(".prompt"):
        from toolsurface_lint.readers.templates import is_template

        if is_template(os.path.basename(path), text):
            return "template"
    return "chat-template" if _is_chat_template(path, text) else "prompt"


def _is_chat_template(path: str, text: str) -> bool:
    if not path.lower().endswith(JINJA):
        return False
    from toolsurface_lint.readers.chat_templates import is_chat_template

    return is_chat_template(path.replace(os.sep, "/"), text)


def _load_whole_text(document: Document, kind: str) -> None:
    tree = TextTree(document.source)
    document.trees.append(tree)
    document.kinds.append(kind)
    if kind == "template":
        from toolsurface_lint.readers.templates import read_template

        document.templates.append(read_template(tree))
    elif kind == "chat-template":
        from toolsurface_lint.readers.chat_templates import read_chat_template, variant_of

        document.chat_templates.append(read_chat_template(tree.root, variant_of(document.location)))
    else:
        from toolsurface_lint.readers.responses import record_response

        document.responses.append(record_response(tree))


def _load_prompt(document: Document) -> None:
    standing = document.standing
    start = 0
    matter: FrontMatter | None = None
    if document.language == "markdown" and document.source.text.startswith("---"):
        from toolsurface_lint.readers.front_matter import read_front_matter

        matter = read_front_matter(document.source)
        if matter is not None:
            start = matter.body
    tree = TextTree(document.source, start)
    document.trees.append(tree)
    document.kinds.append("prompt")
    if matter is None:
        prompt = read_prompt(tree, audience=standing.readers)
        document.prompts.append(prompt)
        from toolsurface_lint.knowledge.clients import SKILL

        if standing.kind == SKILL:
            document.client_file = ClientFile(SKILL, None, None, prompt)
        return
    from toolsurface_lint.readers.agent_markdown import audience_of, problems_of, read_agent, read_client_file

    head = matter.tree
    document.problems.extend(problems_of(document.location, standing, matter))
    prompt = read_prompt(tree, audience=audience_of(document.location, standing, head))
    document.prompts.append(prompt)
    document.trees.append(head)
    document.client_file = read_client_file(document.location, standing, head, prompt)
    read_agent(document, head)
    if "hooks" in head.value:
        from toolsurface_lint.readers.hooks import read_head_hooks

        read_head_hooks(document, head.root)


_CHAT_TEMPLATE_SIZE = 1 << 18
_HEAD_SIZE = 1 << 12
_OF_CLIENTS = re.compile(rb"^(?:tools|(?:dis)?allowed[-_]?[tT]ools|argument-hint)[ \t]*:", re.MULTILINE)
_DESCRIPTION = re.compile(rb"^description[ \t]*:", re.MULTILINE)


def begins_like_an_agent(path: str, data: bytes | None = None) -> bool:
    """Whether a markdown file, whatever its name, has the front matter of an agent or a command.

    That is a description, and a list of tools or the hint that is shown after the name of a command.
    """
    try:
        if data is None:
            with open_file(path, 0) as file:
                data = file.read(_HEAD_SIZE)
    except OSError:
        return False
    head = data[:_HEAD_SIZE].removeprefix(b"\xef\xbb\xbf")
    if not head.startswith(b"---"):
        return False
    end = head.find(b"\n---", 3)
    head = head if end < 0 else head[:end]
    return bool(_OF_CLIENTS.search(head) and _DESCRIPTION.search(head))


def holds_chat_template(path: str, data: bytes | None = None) -> bool:
    """Whether a file is a chat template by its name and its first 256 KiB; the longest published ones have 40."""
    if not path.lower().endswith(JINJA):
        return False
    try:
        if data is None:
            with open_file(path, 0) as file:
                data = file.read(_CHAT_TEMPLATE_SIZE)
    except OSError:
        return False
    return _is_chat_template(path, data[:_CHAT_TEMPLATE_SIZE].decode("utf-8", "replace"))


def _load_values(document: Document, path: str, kind: str | None) -> None:
    lenient = _takes_comments(path)
    document.takes_comments |= lenient and document.language == "json" and path.lower().endswith((".json", ".jsonc"))
    read = _read_data(document, lenient)
    if read is None:
        return
    document.trees.extend(read.trees)
    document.problems.extend(read.problems)
    if not document.trees and kind is None and read.begun is not None:
        from toolsurface_lint.readers.document_reader import begins_document

        document.begins = begins_document(document, read.begun)
    if not document.trees:
        return
    if kind is None and len(document.trees) > 1:
        from toolsurface_lint.readers.tool_list import are_samples

        if are_samples(tree.root for tree in document.trees):
            document.unread = Unseen("samples of a dataset, each with its own tools", document.path)
            return
    from toolsurface_lint.readers.document_reader import read_values

    if kind is not None:
        document.kinds.append(kind)
    if not read_values(document, kind) and kind is not None:
        document.kinds.clear()
        document.problems.append(Problem("wrong_kind", Span(0, 0), {"expected": kind}))
    elif document.kinds == ["tools"] and len(document.trees) > 1:
        _note_unread(document)
    elif not document.kinds:
        _note_lookalike(document)


def _note_lookalike(document: Document) -> None:
    """Say of a file in which nothing is recognised that it seems to define a tool."""
    from toolsurface_lint.readers.tool_list import lookalike

    document.unread = next(filter(None, (lookalike(tree.root) for tree in document.trees)), None)
    document.leaves_open = document.unread is not None


def _note_unread(document: Document) -> None:
    """Say which of several values, such as the lines of JSON Lines, are not tools, in a file of nothing else."""
    from toolsurface_lint.readers.tool_list import unread

    read = {id(tool.tree) for tools in document.tool_lists for tool in tools}
    others = (tree.root for tree in document.trees if id(tree) not in read and isinstance(tree.value, dict))
    document.open_reasons.extend(unread(others))


def _read_data(document: Document, lenient: bool) -> Documents | None:
    """The values of a document in a language of data; None if it is in another one."""
    source = document.source
    if document.language in ("json", "jsonl"):
        from toolsurface_lint.source.json import read_json

        return read_json(source, lines=document.language == "jsonl", comments_allowed=lenient)
    if document.language == "yaml":
        from toolsurface_lint.source.yaml import read_yaml

        return read_yaml(source)
    if document.language == "toml":
        from toolsurface_lint.source.toml import read_toml

        return read_toml(source)
    return None


def _begins(document: Document) -> bool:
    """Whether the part of a file that could be decoded is recognised, or begins like something that is."""
    read = _read_data(document, True) if document.source.text else None
    if read is None:
        return False
    from toolsurface_lint.readers.document_reader import begins_document

    values = [*(tree.value for tree in read.trees), read.begun]
    return any(begins_document(document, value) for value in values)


def _takes_comments(path: str) -> bool:
    folder, name = os.path.split(path)
    if not name.lower().endswith(".json"):
        return True
    return os.path.basename(folder) in _LENIENT_FOLDERS or name.startswith(_LENIENT_NAMES)
