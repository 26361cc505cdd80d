"""What a file says apart from its comments: two texts that say the same differ only in what nothing reads."""

from __future__ import annotations

import json

from toolsurface_lint.source.languages import PROGRAMS
from toolsurface_lint.source.text import SourceText


def values(language: str, text: str, path: str = "") -> object:
    """What a text says, without its comments, to compare it with another; None for a program that cannot be read.

    `language` is one with comments: `json`, `yaml`, `toml` or that of a program; the end of `path` says which form of it.
    """
    if language == "python":
        import ast

        try:
            return ast.dump(ast.parse(text))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    source = SourceText("", text)
    if language in PROGRAMS:
        from toolsurface_lint.source.syntax import grammar_of, parse_syntax

        scripts = ("typescript", "javascript")
        root = parse_syntax(source, grammar_of(path) if language in scripts else language)
        # Comments are left out of the nodes, but text between tags is not a comment.
        return None if root is None else [(node.kind, "" if node.children else node.text) for node in root.walk()]
    if language == "json":
        from toolsurface_lint.source.json import read_json

        found = read_json(source, comments_allowed=True)
    elif language == "yaml":
        from toolsurface_lint.source.yaml import read_yaml

        found = read_yaml(source)
    else:
        from toolsurface_lint.source.toml import read_toml

        found = read_toml(source)
    kinds = sorted({problem.code for problem in found.problems})
    return json.dumps([[tree.value for tree in found.trees], kinds], default=str)
