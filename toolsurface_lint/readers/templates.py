"""Templates in files: which files are some, and reading them."""

from __future__ import annotations

import re

from toolsurface_lint.model.prompt import Prompt
from toolsurface_lint.model.template import PromptTemplate
from toolsurface_lint.protocols.rendering import Rendering, rendered_branches
from toolsurface_lint.protocols.template_parser import parse_template
from toolsurface_lint.protocols.templates import TemplateError
from toolsurface_lint.readers.prompts import read_prompt
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Node, Path, Place, Spans, Tree

# Blocks, partials and raw values of Handlebars, statements of Jinja, and doubled braces around JSON.
_FOREIGN = re.compile(r"""\{%|\{\{(?:\{|[>~&^]|#(?:if|each|unless|with)\b|\s*["'][^"'\n]*["']\s*:)""")
_OWN_BLOCK = re.compile(r"\{\{-?\s*(?:if|for|include|raw|section|end|endsection|endraw)\b")


def is_template(name: str, text: str) -> bool:
    """Whether a file is a template by its name and its text.

    `name` ends in `.prompt`, in any case. One that ends in `.harn.prompt` always is a template; any other only without
    front matter, without the syntax of other languages, and if it parses or has a block of this language.
    """
    if name.lower().endswith(".harn.prompt"):
        return True
    if text.startswith("---") or _FOREIGN.search(text) is not None:
        return False
    if _OWN_BLOCK.search(text) is not None:
        return True
    try:
        parse_template(text)
    except TemplateError:
        return False
    return True


def read_template(tree: Tree) -> PromptTemplate:
    """The template whose text is the value of a tree."""
    try:
        parsed = parse_template(str(tree.value))
    except TemplateError as error:
        return PromptTemplate(tree, None, error, _prompts)
    return PromptTemplate(tree, parsed, None, _prompts)


def _prompts(template: PromptTemplate) -> list[Prompt]:
    """The prompts that a template renders to."""
    if template.parsed is None:
        return []
    prompts: dict[str, Prompt] = {}
    for rendering, _ in rendered_branches(template.parsed, includes=template.files):
        template.is_cut |= rendering.is_cut
        if rendering.text not in prompts:
            prompts[rendering.text] = read_prompt(_RenderedTree(template, rendering, template.node))
    return list(prompts.values())


class _RenderedTree(Tree):
    """The text that a template renders to in one of its branches, each place in it the one in `node` that it comes from.

    A place in what another file holds is one of the tree for that file.
    """

    __slots__ = ("_node", "_template", "rendering")

    def __init__(self, template: PromptTemplate, rendering: Rendering, node: Node) -> None:
        super().__init__(node.tree.source, rendering.text)
        self._template = template
        self._node = node
        self.rendering = rendering

    def text_place(self, path: Path, start: int, end: int) -> Place:
        node = self._template.node_of(self.rendering.origin(Span(start, end)).template)
        tree = self if node.tree is self._node.tree else _RenderedTree(self._template, self.rendering, node)
        return Place(tree, path, "text", start, end)

    def text_span(self, path: Path, start: int, end: int) -> Span:
        span = self.rendering.origin(Span(start, end)).span
        return self._node.tree.text_span(self._node.path, span.start, span.end)

    def spans_at(self, path: Path) -> tuple[Spans, bool]:
        return self._node.tree.spans_at(self._node.path)

    def escape(self, raw: str, text: str, start: int, end: int) -> str | None:
        return None if "{{" in text else self._node.tree.escape(raw, text, start, end)
