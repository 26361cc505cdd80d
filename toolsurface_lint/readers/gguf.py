"""Chat templates in GGUF files, with the tokens of the vocabulary beside them."""

from __future__ import annotations

from typing import Any, TypeGuard, TypeVar

from toolsurface_lint.model.chat_template import DEFAULT_TEMPLATE, Tokens
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.unseen import Unseen
from toolsurface_lint.readers.chat_templates import read_chat_template
from toolsurface_lint.source.files import KEPT_ELSEWHERE, LFS_POINTER, open_file
from toolsurface_lint.source.gguf import read_metadata
from toolsurface_lint.source.text import SourceText, Unreadable
from toolsurface_lint.source.tree import Spans, Tree

T = TypeVar("T")

_TEMPLATE = "tokenizer.chat_template"
_TOKENS = "tokenizer.ggml.tokens"
_TYPES = "tokenizer.ggml.token_type"
_SPECIAL = {
    f"tokenizer.ggml.{key}_token_id": f"{name}_token"
    for key, name in (("bos", "bos"), ("eos", "eos"), ("unknown", "unk"), ("padding", "pad"), ("seperator", "sep"))
}
_OF_TOKENS = frozenset((_TOKENS, _TYPES, *_SPECIAL))
_ADDED_TYPES = (3, 4)
"""Control tokens, and those that somebody added."""


def _is_wanted(key: str) -> bool:
    return key in _OF_TOKENS or key == _TEMPLATE or key.startswith(f"{_TEMPLATE}.")


class MetadataTree(Tree):
    """The metadata of a file that is no text: every place is the start of the file, and says by its path which key it is."""

    __slots__ = ()

    def _locate(self) -> Spans:
        return Spans(0, 0)


def load_gguf(path: str, display: str, location: str, max_size: int) -> Document:
    """The document of a GGUF file, of which at most `max_size` bytes are read: its metadata, never its tensors."""
    document = Document(display, SourceText(display, ""), "gguf", location)
    try:
        metadata = read_metadata(path, _is_wanted, max_size)
    except Unreadable as error:
        if error.problem.kind == "unreadable/gguf_magic" and _is_pointer(path):
            document.unread = Unseen(KEPT_ELSEWHERE, display)
            return document
        document.problems.append(error.problem)
        document.begins = error.problem.kind not in ("unreadable/gguf_magic", "unreadable/os")
        return document
    texts = {key: text for key, text in metadata.items() if key.startswith(_TEMPLATE) and isinstance(text, str)}
    tree = MetadataTree(document.source, texts)
    document.trees.append(tree)
    if not texts:
        document.unread = Unseen("GGUF without a chat template", display)
        return document
    document.kinds.append("chat-template")
    tokens = _tokens(metadata)
    for key in texts:
        name = key.removeprefix(_TEMPLATE).removeprefix(".") or DEFAULT_TEMPLATE
        template = read_chat_template(tree.at((key,)), name, key)
        template.tokens = tokens
        document.chat_templates.append(template)
    return document


def _is_pointer(path: str) -> bool:
    try:
        with open_file(path, 0) as file:
            return file.read(len(LFS_POINTER)) == LFS_POINTER.encode()
    except OSError:
        return False


def _tokens(metadata: dict[str, Any]) -> Tokens:
    vocabulary, types = metadata.get(_TOKENS), metadata.get(_TYPES)
    if not _is_list_of(vocabulary, str):
        return Tokens()
    special = {
        name: vocabulary[number]
        for key, name in _SPECIAL.items()
        if type(number := metadata.get(key)) is int and 0 <= number < len(vocabulary)
    }
    if not _is_list_of(types, int):
        return Tokens(special)
    added = (token for token, kind in zip(vocabulary, types, strict=False) if kind in _ADDED_TYPES)
    return Tokens(special, frozenset(added).union(special.values()))


def _is_list_of(value: Any, kind: type[T]) -> TypeGuard[list[T]]:
    return isinstance(value, list) and all(type(each) is kind for each in value[:1])
