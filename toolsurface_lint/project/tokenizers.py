"""What the files beside a chat template say of its tokenizer."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from toolsurface_lint.model.document import Document
from toolsurface_lint.project.discovery.paths import display_path
from toolsurface_lint.readers.chat_templates import tokens_of
from toolsurface_lint.source.files import open_file, read_source
from toolsurface_lint.source.json import read_json
from toolsurface_lint.source.text import Unreadable
from toolsurface_lint.source.tree import Node

_FILES = ("tokenizer_config.json", "special_tokens_map.json", "added_tokens.json")
_MOST = 1 << 23
"""Bytes of a file beside a template that is read: those with 1,000 added tokens have a fortieth of it."""
_HEAD = 1 << 20
"""Bytes of `tokenizer.json` that are read: its added tokens come first, before a vocabulary of 10 to 30 MB."""
_ADDED = '"added_tokens"'
# Python converts no integer of more than 4,300 digits, and the numbers of tokens are not asked for.
_decoder = json.JSONDecoder(parse_int=float)


class Tokenizers:
    """What the files of each folder say of a tokenizer, read once.

    `unsaved` are the bytes of files that are not on disk, by absolute path.
    """

    def __init__(self, unsaved: Mapping[str, bytes]) -> None:
        self._unsaved = unsaved
        self._by_folder: dict[str, tuple[list[Any], Node | None]] = {}

    def give_tokens(self, document: Document, path: str) -> None:
        """Tell the chat templates of a document, whose file has an absolute path, what is known of their tokenizer."""
        folder = os.path.dirname(path)
        if os.path.basename(folder) == "additional_chat_templates":
            folder = os.path.dirname(folder)
        if folder not in self._by_folder:
            self._by_folder[folder] = self._read(folder)
        values, response = self._by_folder[folder]
        tokens = tokens_of(*(tree.value for tree in document.trees), *values)
        for template in document.chat_templates:
            template.tokens = tokens
            if template.response is None:
                template.response = response

    def _read(self, folder: str) -> tuple[list[Any], Node | None]:
        """The configurations in a folder, and the response template in the first of them."""
        beside = [_root(os.path.join(folder, name), self._unsaved) for name in _FILES]
        added = _added(_bytes(os.path.join(folder, "tokenizer.json"), self._unsaved, _HEAD))
        response = None if beside[0] is None else beside[0].get("response_template")
        if response is not None and not isinstance(response.value, dict):
            response = None
        return [*(root.value for root in beside if root is not None), added], response


def _root(path: str, unsaved: Mapping[str, bytes]) -> Node | None:
    """The value of a file in JSON; None if it cannot be read."""
    try:
        source = read_source(path, display_path(path), _MOST, unsaved.get(path))
    except Unreadable:
        return None
    trees = read_json(source).trees
    return trees[0].root if trees else None


def _bytes(path: str, unsaved: Mapping[str, bytes], most: int) -> bytes:
    """The first bytes of a file; none if it cannot be read."""
    if path in unsaved:
        return unsaved[path][:most]
    try:
        with open_file(path, 0) as file:
            return file.read(most)
    except OSError:
        return b""


def _added(data: bytes) -> Any:
    """The list of added tokens in the beginning of `tokenizer.json`; None if it is not there."""
    text = data.decode("utf-8", "replace")
    start = text.find("[", text.find(_ADDED)) if _ADDED in text else -1
    try:
        return _decoder.raw_decode(text, start)[0] if start >= 0 else None
    except (ValueError, RecursionError):
        return None
