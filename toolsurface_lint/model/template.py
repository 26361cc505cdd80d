"""Templates of prompts in the `{{ }}` language: what stands in a file, and what a model reads of it."""

from __future__ import annotations

from collections.abc import Sequence

from toolsurface_lint.model.prompt import Prompt
from toolsurface_lint.protocols.rendering import Rendering
from toolsurface_lint.protocols.templates import Template, TemplateError
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Node, Path, Place, Spans, Tree


class PromptTemplate:
    """One template: a whole file.

    `parsed` is None where the text is no template, and `error` then says why. `prompts` are the texts that it renders to,
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


class RenderedTree(Tree):
    """The text that a template renders to in one of its branches; each place in it is the one that it comes from."""

    __slots__ = ("_outer", "rendering")

    def __init__(self, outer: Node, rendering: Rendering) -> None:
        super().__init__(outer.tree.source, rendering.text)
        self._outer = outer
        self.rendering = rendering

    def text_span(self, path: Path, start: int, end: int) -> Span:
        span = self.rendering.template_span(Span(start, end))
        return self._outer.tree.text_span(self._outer.path, span.start, span.end)

    def spans_at(self, path: Path) -> tuple[Spans, bool]:
        return self._outer.tree.spans_at(self._outer.path)

    def escape(self, raw: str, text: str, start: int, end: int) -> str | None:
        return None if "{{" in text else self._outer.tree.escape(raw, text, start, end)
