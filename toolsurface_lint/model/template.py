"""Templates of prompts in the `{{ }}` language: what a file holds, and what a model reads of it."""

from __future__ import annotations

from collections.abc import Sequence

from toolsurface_lint.model.prompt import Prompt
from toolsurface_lint.protocols.templates import Template, TemplateError
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Node, Place, Tree


class PromptTemplate:
    """One template: a whole file.

    `parsed` is None where the text is not a template, and `error` then says why. `prompts` are the texts that it renders to,
    each once; their places are those in the template.
    """

    def __init__(self, tree: Tree, parsed: Template | None, error: TemplateError | None) -> None:
        self.tree = tree
        self.origin = tree.origin
        self.parsed = parsed
        self.error = error
        self.prompts: Sequence[Prompt] = ()

    @property
    def node(self) -> Node:
        return self.tree.root

    def place(self, span: Span) -> Place:
        """The place of a span of the template's text."""
        return self.node.text_place(span.start, span.end)
