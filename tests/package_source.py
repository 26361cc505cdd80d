"""The modules of the package, read and parsed once for all tests of its structure."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "toolsurface_lint"


@cache
def parsed() -> dict[str, ast.Module]:
    """The tree of each module by its path in the package; not to be changed."""
    paths = {path.relative_to(PACKAGE).as_posix(): path for path in sorted(PACKAGE.rglob("*.py"))}
    return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in paths.items()}


@cache
def nodes() -> dict[str, list[ast.AST]]:
    """All nodes of each module by its path, each behind the one that holds it: to walk takes longer than to look."""
    return {name: list(ast.walk(tree)) for name, tree in parsed().items()}


def module_name(path: str) -> str:
    """The name of a module within the package, such as `run.fixes`; that of the package for the package itself."""
    return path.removesuffix(".py").removesuffix("__init__").rstrip("/").replace("/", ".") or PACKAGE.name
