"""Strings to prompts; what scans them is loaded on demand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolsurface_lint.model.prompt import Prompt, Scanner
from toolsurface_lint.source.tree import Node, Path, Tree


def read_prompt(tree: Tree, path: Path = (), field: str = "prompt", audience: frozenset[str] = frozenset()) -> Prompt:
    """The prompt whose text is the string at `path` of a tree; `audience` as in `Prompt`."""
    return Prompt(tree, path, field, _scanner, audience)


def prompts_in(node: Node, fields: Iterable[str], audience: frozenset[str] = frozenset()) -> Iterator[Prompt]:
    """The prompts that are the texts of these fields of an object."""
    for field in fields:
        text = node.string(field)
        if text is not None:
            yield read_prompt(text.tree, text.path, field, audience)


def _scanner() -> Scanner:
    from toolsurface_lint.readers import prompt_calls

    return prompt_calls
