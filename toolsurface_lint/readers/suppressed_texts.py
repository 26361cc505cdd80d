"""The texts of a document that hold suppression directives: what those are, and the tool references that they hide."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolsurface_lint.model.document import Document
from toolsurface_lint.model.prompt import Reference
from toolsurface_lint.readers.prompt_calls import hidden_references
from toolsurface_lint.source.directives import Directive, directives
from toolsurface_lint.source.markdown import layout
from toolsurface_lint.source.tree import Node, TextTree


class SuppressedText(NamedTuple):
    """The string at `node`: a whole file, a prompt or a template.

    `hidden` are the tool references in lines that its directives hide, for prompts and templates. `language` is that of a
    whole file with comments: all of its text is read, so that the strings in it need not be.
    """

    node: Node
    directives: list[Directive]
    hidden: list[Reference]
    language: str | None = None


def suppressed_texts(document: Document) -> Iterator[SuppressedText]:
    """The texts of a document that may hold directives; to be asked while the document is in memory."""
    for template in document.templates:
        # Anywhere in the text, comments of the language among it; nothing that they hide is a reference by itself.
        text = str(template.node.value)
        yield SuppressedText(template.node, directives(text), hidden_references(text))
    for chat_template in document.chat_templates:
        yield SuppressedText(chat_template.node, directives(chat_template.text), [])
    for prompt in document.all_prompts:
        yield SuppressedText(
            prompt.node, directives(prompt.text, layout(prompt.text).fences), hidden_references(prompt.text)
        )
    if document.language == "markdown" and document.launches and not document.prompts:
        text = document.source.text
        yield SuppressedText(TextTree(document.source).root, directives(text, layout(text).fences), [])
    if document.has_comments:
        yield SuppressedText(TextTree(document.source).root, directives(document.source.text), [], document.language)
