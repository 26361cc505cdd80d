"""Where a file looks at the names of the calls in a model's answers: `tool_call.function.name`, `block.name`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolsurface_lint.programs.python.objects import FunctionStatement, as_written
from toolsurface_lint.programs.python.refusals import catches

MAX_NAMES = 50
"""Names of the name, in one function."""
_MAX_NESTING = 60


class Block(NamedTuple):
    """Statements of a function, or of a file, that look at the names of calls, and how these are written."""

    statements: Sequence[ast.stmt]
    names: frozenset[str]
    function: FunctionStatement | None


_NAMES = (".function.name", ".function_call.name", ".functionCall.name")
_KINDS = ("tool_use", "function_call")
"""What `type` says of a part of an answer that is a call: the interfaces of Anthropic, and OpenAI's Responses."""
_LISTS = ("tool_calls", "function_calls")


def blocks_with_calls(statements: Sequence[ast.stmt]) -> Iterator[Block]:
    """The blocks of a file, and of each function in it, that look at the names of calls: one of each at most."""
    functions: list[FunctionStatement | None] = [None]
    for function in functions:
        nodes: list[ast.AST] = [*(statements if function is None else function.body)]
        for node in nodes:
            if isinstance(node, FunctionStatement):
                functions.append(node)
            elif not isinstance(node, ast.Lambda):
                nodes.extend(ast.iter_child_nodes(node))
        names = _names_of_calls(nodes)
        if names and len(names) <= MAX_NAMES:
            found = _smallest_block(statements if function is None else function.body, names)
            if found:
                yield Block(found, names, function)


def _names_of_calls(nodes: list[ast.AST]) -> frozenset[str]:
    """How the nodes of a function write the name of a tool that a model calls."""
    calls: set[str] = set()
    lists: set[str] = set()
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Attribute | ast.Subscript):
            written = as_written(node)
            if written.endswith(_NAMES):
                names.add(written)
        elif isinstance(node, ast.Compare) and any(_is_kind(part) for part in node.comparators):
            written = as_written(node.left)
            if written.endswith(".type"):
                calls.add(written.removesuffix(".type"))
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            own = node.targets[0].id
            if as_written(node.value).endswith((".function_call", *(f".{name}.0" for name in _LISTS))):
                calls.add(own)
            elif as_written(node.value).endswith(tuple(f".{name}" for name in _LISTS)):
                lists.add(own)
            elif not isinstance(node.value, ast.Constant) and any(map(_is_kind, ast.walk(node.value))):
                calls.add(own)
                lists.add(own)
    for node in nodes:
        if isinstance(node, ast.For | ast.AsyncFor | ast.comprehension) and isinstance(node.target, ast.Name):
            written = as_written(node.iter)
            if written in lists or written.rpartition(".")[2] in _LISTS:
                calls.add(node.target.id)
    return frozenset(names | {f"{call}.name" for call in calls})


def _is_kind(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value in _KINDS


def _smallest_block(statements: Sequence[ast.stmt], names: frozenset[str]) -> Sequence[ast.stmt]:
    """The innermost block that has all places of the names, from the first statement with one; empty if there is none."""
    for _ in range(_MAX_NESTING):
        holding = [at for at, statement in enumerate(statements) if _mentions(statement, names)]
        if not holding:
            return ()
        parts = list(ast.iter_fields(statements[holding[0]])) if len(holding) == 1 else []
        if parts and catches(statements[holding[0]]):
            break
        mentioning = [part for _, part in parts if _mentions(part, names)]
        inner = mentioning[0] if len(mentioning) == 1 else None
        if isinstance(inner, list) and isinstance(inner[0], ast.stmt):
            statements = inner
        else:
            break
    return statements[holding[0] :]


def _mentions(part: object, names: frozenset[str]) -> bool:
    """Whether a node, or one of a list of nodes, has one of the names in it, outside of functions of its own."""
    pending = [*part] if isinstance(part, list) else [part]
    for node in pending:
        if isinstance(node, ast.AST) and not isinstance(node, FunctionStatement):
            if as_written(node) in names:
                return True
            pending.extend(ast.iter_child_nodes(node))
    return False
