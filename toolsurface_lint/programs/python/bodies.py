"""Bodies of functions that are parsed when somebody asks for them.

A syntax tree takes seventy times the memory of its text, most of it for bodies, and few of a large package's functions
are ever looked into. The rest of their trees stays, so that a function is the same object before and after.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from toolsurface_lint.source.python import parse_python
from toolsurface_lint.source.text import SourceText

_SMALL = 3
"""Lines of a function that is not worth the trouble."""


def _body(function: ast.AST) -> list[ast.stmt]:
    members = vars(function)
    if "source" in members:
        members["statements"] = _parsed(function, members.pop("source"))
    statements: list[ast.stmt] = members["statements"]
    return statements


class LaterFunction(ast.FunctionDef):
    """A function whose body is parsed when it is asked for, and then stays."""

    body = property(_body)


class LaterAsyncFunction(ast.AsyncFunctionDef):
    """The same for `async def`."""

    body = property(_body)


def drop_bodies(tree: ast.Module, source: SourceText) -> None:
    """Take the bodies of a file's functions and methods out of its tree."""
    pending: list[ast.AST] = [tree]
    while pending:
        for _, block in ast.iter_fields(pending.pop()):
            for index, statement in enumerate(block if isinstance(block, list) else ()):
                if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                    block[index] = _later(statement, source)
                elif isinstance(statement, ast.stmt | ast.ExceptHandler | ast.match_case):
                    pending.append(statement)


_FLAT = frozenset(
    ("arg", "attr", "conversion", "ctx", "id", "kind", "level", "module", "op", "ops", "simple", "type_comment")
)
"""Fields that hold no node that has a place, of whatever node they are."""


class _Deep(dict[type[ast.AST], list[str]]):
    """The other fields of each kind of node; names and constants, which most nodes are, have none."""

    def __missing__(self, kind: type[ast.AST]) -> list[str]:
        self[kind] = [] if kind is ast.Constant else [name for name in kind._fields if name not in _FLAT]
        return self[kind]


_DEEP = _Deep()


def nodes(trees: Sequence[ast.AST]) -> list[ast.AST]:
    """Some nodes with all that they consist of and that has a place, as far as bodies are parsed."""
    found = [*trees]
    for node in found:
        for name in _DEEP[type(node)]:
            member = vars(node).get(name)
            if isinstance(member, list):
                found += [item for item in member if isinstance(item, ast.AST)]
            elif isinstance(member, ast.AST):
                found.append(member)
    return found


def _later(function: ast.FunctionDef | ast.AsyncFunctionDef, source: SourceText) -> ast.stmt:
    """A function without its body; one that is short as it is."""
    if (function.end_lineno or 0) - function.body[0].lineno < _SMALL:
        return function
    kind = LaterFunction if isinstance(function, ast.FunctionDef) else LaterAsyncFunction
    later = kind.__new__(kind)
    members = dict(vars(function), source=source, docstring=_documented(function.body))
    del members["body"]
    vars(later).update(members)
    return later


def docstring_of(code: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> ast.Constant | None:
    """What documents a function or a class; its body is not parsed for that."""
    members = vars(code)
    return members["docstring"] if "docstring" in members else _documented(code.body)


def _documented(body: list[ast.stmt]) -> ast.Constant | None:
    first = body[0].value if body and isinstance(body[0], ast.Expr) else None
    return first if isinstance(first, ast.Constant) and isinstance(first.value, str) else None


def _parsed(function: ast.AST, source: SourceText) -> list[ast.stmt]:
    line, end = vars(function)["lineno"], vars(function)["end_lineno"]
    starts, text = source.lines.starts, source.text
    # Below an `if`, an indented function is Python by itself.
    stop = starts[end] if end < len(starts) else len(text)
    part = text[starts[line - 1] : stop] if end <= len(starts) else ""
    tree, _ = parse_python(SourceText(source.path, f"if 1:\n{part}" if part[:1].isspace() else f"\n{part}"))
    found = tree.body[0] if tree is not None and tree.body else None
    found = found.body[0] if isinstance(found, ast.If) else found
    if not isinstance(found, ast.FunctionDef | ast.AsyncFunctionDef):
        # The file has changed since it was read.
        return [ast.Pass(lineno=line, col_offset=0, end_lineno=line, end_col_offset=0)]
    for node in nodes(found.body):
        place = vars(node)
        if "lineno" in place:
            place["lineno"] += line - 2
            place["end_lineno"] += line - 2
    return found.body
