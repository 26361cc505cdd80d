"""Strings to prompts; what scans them is loaded on demand."""

from __future__ import annotations

from toolsurface_lint.model.prompt import Prompt, Scanner
from toolsurface_lint.source.tree import Path, Tree


def read_prompt(tree: Tree, path: Path = (), field: str = "prompt") -> Prompt:
    """The prompt whose text is the string at `path` of a tree."""
    return Prompt(tree, path, field, _scanner)


def _scanner() -> Scanner:
    from toolsurface_lint.readers import prompt_calls

    return prompt_calls
