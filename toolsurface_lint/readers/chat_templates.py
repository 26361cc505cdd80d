"""Chat templates in files: which texts are some, and what a tokenizer's configuration says of its tokens.

Source: transformers 5.24.0, tokenization_utils_base.py (`chat_template`, a text or a list of names and texts;
`chat_template.jinja`, `additional_chat_templates/`, `special_tokens_map.json`) and processing_utils.py (`chat_template.json`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from toolsurface_lint.model.chat_template import DEFAULT_TEMPLATE, ChatTemplate, Tokens
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Node

if TYPE_CHECKING:
    from toolsurface_lint.chat_templates.syntax import ParsedTemplate

_CONVERSATION = re.compile(r"\bmessages\b")
_OF_TOKENIZERS = re.compile(r"\b(?:add_generation_prompt|[be]os_token)\b")
_ROLE = re.compile(r"""\brole\b['"]?\]?\s*(?:[!=]=|in\b)|['"]role['"]""")
_MARKER = re.compile(r"<\|[^|<>\s]{1,40}\|>|<｜[^｜<>\s]{1,40}｜>|</?s>|\[/?INST\]|<(?:start|end)_of_turn>")
_MARKUP = re.compile(r"<(?:!DOCTYPE|html|div|span|p|li|body)\b", re.IGNORECASE)


def is_chat_template(path: str, text: str) -> bool:
    """Whether a file, whose path has forward slashes, is a chat template by what it says between its braces.

    It uses `messages`, and either its name says the rest, or it knows what only tokenizers bind, or it asks for roles and
    writes a marker of a model's format. Pages that show a conversation do neither: they write markup.
    """
    if "messages" not in text or "{%" not in text:
        return False
    code = "\n".join(_code(text))
    if _CONVERSATION.search(code) is None:
        return False
    if _OF_TOKENIZERS.search(code) is not None or _says_so(path.lower()):
        return True
    return _ROLE.search(code) is not None and _MARKER.search(text) is not None and _MARKUP.search(text) is None


def _says_so(path: str) -> bool:
    """Whether the name or the folder of a file says that it is a chat template."""
    folder, _, name = path.rpartition("/")
    stem, dot, _ = name.rpartition(".")
    in_folder = folder.rpartition("/")[2] == "additional_chat_templates"
    return bool(dot) and (in_folder or "chattemplate" in stem.replace("_", "").replace("-", ""))


def _code(text: str) -> Iterator[str]:
    """What stands in the tags of a text, as far as each is closed."""
    for opener, closer in (("{%", "%}"), ("{{", "}}")):
        start = text.find(opener)
        while start >= 0:
            end = text.find(closer, start + 2)
            if end < 0:
                break
            yield text[start + 2 : end]
            start = text.find(opener, end + 2)


_VARIANT = re.compile(r"(?:^|/)additional_chat_templates/([^/]+)\.[^/.]*\Z")


def variant_of(path: str) -> str:
    """The name of the variant that a file of one template is, by its path with forward slashes."""
    match = _VARIANT.search(path)
    return DEFAULT_TEMPLATE if match is None else match[1]


def read_chat_template(
    node: Node, name: str = DEFAULT_TEMPLATE, key: str = "", response: Node | None = None
) -> ChatTemplate:
    """The chat template that a string is."""
    return ChatTemplate(node, _parse, name, key, response)


def _parse(text: str) -> tuple[ParsedTemplate | None, Problem[Span] | None]:
    from toolsurface_lint.chat_templates.syntax import ChatTemplateError, parse

    try:
        return parse(text), None
    except ChatTemplateError as error:
        return None, error.problem


_NAMED = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")


def tokens_of(*configurations: Any) -> Tokens:
    """What the files of a tokenizer say of its tokens: plain data, of which later ones say what earlier ones do not.

    Those are `tokenizer_config.json`, `special_tokens_map.json`, `added_tokens.json` (texts and numbers), and the
    `added_tokens` of `tokenizer.json`.
    """
    special: dict[str, str] = {}
    added: set[str] = set()
    is_known = False
    for configuration in configurations:
        if isinstance(configuration, list):
            added.update(filter(None, map(_token, configuration)))
            is_known = True
            continue
        if not isinstance(configuration, dict):
            continue
        extra = configuration.get("extra_special_tokens")
        named = extra if isinstance(extra, dict) else {}
        for name, value in (*((name, configuration.get(name)) for name in _NAMED), *named.items()):
            token = _token(value)
            if token:
                special.setdefault(name, token)
                added.add(token)
        for tokens in (extra, configuration.get("additional_special_tokens")):
            if isinstance(tokens, list):
                added.update(filter(None, map(_token, tokens)))
        decoder = configuration.get("added_tokens_decoder")
        if isinstance(decoder, dict):
            added.update(filter(None, map(_token, decoder.values())))
            is_known = True
        if configuration and all(type(value) is int for value in configuration.values()):
            added.update(configuration)
            is_known = True
    return Tokens(special, frozenset(added) if is_known else None)


def _token(value: Any) -> str:
    """The text of a token, which is written alone or with how it is matched; empty if there is none."""
    text = value.get("content") if isinstance(value, dict) else value
    return text if isinstance(text, str) else ""
