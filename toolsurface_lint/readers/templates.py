"""Templates in files: which files are some, and reading them."""

from __future__ import annotations

import re

from toolsurface_lint.model.prompt import Prompt
from toolsurface_lint.model.template import PromptTemplate, RenderedTree
from toolsurface_lint.protocols.branches import rendered_branches
from toolsurface_lint.protocols.template_parser import parse_template
from toolsurface_lint.protocols.templates import TemplateError
from toolsurface_lint.readers.prompts import read_prompt
from toolsurface_lint.source.tree import Tree

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
    """The template whose text is the value of a tree, with the prompts that it renders to."""
    try:
        parsed = parse_template(str(tree.value))
    except TemplateError as error:
        return PromptTemplate(tree, None, error)
    template = PromptTemplate(tree, parsed, None)
    prompts: dict[str, Prompt] = {}
    for rendering, _ in rendered_branches(parsed):
        if rendering.text not in prompts:
            prompts[rendering.text] = read_prompt(RenderedTree(template.node, rendering))
    template.prompts = list(prompts.values())
    return template
