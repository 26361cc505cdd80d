"""Chat templates in JSON: `tokenizer_config.json`, `chat_template.json`, and whatever holds one under the same keys.

Source: transformers 5.24.0, tokenization_utils_base.py and processing_utils.py; axolotl's `chat_template_jinja`, 0.13.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.model.chat_template import DEFAULT_TEMPLATE
from toolsurface_lint.model.document import Document
from toolsurface_lint.readers.chat_templates import is_chat_template, read_chat_template
from toolsurface_lint.readers.document_reader import DocumentReader
from toolsurface_lint.source.tree import Node

_KEYS = ("chat_template", "chat_template_jinja")
_FILES = ("tokenizer_config.json", "chat_template.json", "processor_config.json")


def _recognises(root: Node, document: Document) -> bool:
    texts = [str(text.value) for _, text in _variants(root)]
    if "chat-template" in document.kinds or document.location.rpartition("/")[2] in _FILES:
        return bool(texts)
    return any(is_chat_template("", text) for text in texts)


def _read(root: Node, document: Document) -> None:
    for name, text in _variants(root):
        response = root.get("response_template")
        document.chat_templates.append(read_chat_template(text, name, str(text.path[0]), response))


def _variants(root: Node) -> Iterator[tuple[str, Node]]:
    """The templates of an object and their names: one text, a list of names and texts, or texts by name."""
    for key in _KEYS:
        held = root.get(key)
        if held is None:
            continue
        if isinstance(held.value, str):
            if "{" in held.value:
                yield DEFAULT_TEMPLATE, held
        elif isinstance(held.value, dict):
            yield from ((name, text) for name, text in held.members() if isinstance(text.value, str))
        else:
            for entry in held.elements():
                name, text = (
                    entry.string(key) if isinstance(entry.value, dict) else None for key in ("name", "template")
                )
                if text is not None:
                    yield DEFAULT_TEMPLATE if name is None else str(name.value), text


READER = DocumentReader(
    "chat-template", 31, False, _recognises, _read, names=r"/(?:tokenizer_config|chat_template)\.json\Z"
)
