"""How type hints are written: in quotes, under names, as unions, within `Annotated`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolsurface_lint.programs.values import External, Hint, Literal, Scope, TypeHint, Value

if TYPE_CHECKING:
    from toolsurface_lint.programs.evaluator import Evaluator

MAX_DEPTH = 20
"""How many hints may lie within each other."""

_KNOWN_ROOTS = frozenset((
    "builtins", "typing", "typing_extensions", "collections", "datetime", "uuid", "pathlib", "decimal", "pydantic",
    "types", "re",
))  # fmt: skip


def read_hint(hint: ast.expr, scope: Scope, evaluator: Evaluator) -> TypeHint:
    """A hint taken apart; names in it mean what the evaluator makes of them."""
    metadata: list[Value] = []
    value: Value | None = None
    for _ in range(MAX_DEPTH):
        hint = _unquoted(hint)
        value = _named(hint, scope, evaluator)
        if isinstance(value, Hint) and not isinstance(hint, ast.Subscript | ast.Call):
            hint, scope = value.expression, value.scope
        elif isinstance(hint, ast.Subscript) and _head(value) == "Annotated":
            hint, *said = arguments(hint)
            metadata.extend(evaluator.evaluate(part, scope) for part in said)
        else:
            break
    else:
        value = None
    inside = arguments(hint) if isinstance(hint, ast.Subscript) else []
    return TypeHint(hint, scope, metadata, _alternatives(hint, scope, evaluator), _head(value), value, inside)


def hinted(hint: ast.expr, scope: Scope, evaluator: Evaluator, depth: int = 0) -> Iterator[tuple[str, Value]]:
    """The names in a hint, each with what it stands for; of one that stands for another hint, the names in that."""
    hint = _unquoted(hint)
    for node in ast.walk(hint) if depth < MAX_DEPTH else ():
        if isinstance(node, ast.Name | ast.Attribute):
            value = evaluator.evaluate(node, scope)
            if isinstance(value, Hint):
                yield from hinted(value.expression, value.scope, evaluator, depth + 1)
            else:
                yield (node.id if isinstance(node, ast.Name) else node.attr), value


def _named(hint: ast.expr, scope: Scope, evaluator: Evaluator) -> Value | None:
    """What a hint names, before its brackets; None for what is put together."""
    node = hint.value if isinstance(hint, ast.Subscript) else hint
    if isinstance(node, ast.Name | ast.Attribute | ast.Call) or (isinstance(node, ast.Constant) and node.value is None):
        return evaluator.evaluate(node, scope)
    return None


def _head(value: Value | None) -> str:
    """The own name of a type that is known; empty for any other."""
    if isinstance(value, External) and value.root in _KNOWN_ROOTS:
        return value.last
    return "None" if isinstance(value, Literal) and value.value is None else ""


def _alternatives(hint: ast.expr, scope: Scope, evaluator: Evaluator) -> list[tuple[ast.expr, Scope]]:
    found: list[tuple[ast.expr, Scope]] = []
    pending = [(hint, scope)]
    while pending and len(found) < 100:
        part, where = pending.pop(0)
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.BitOr):
            pending[:0] = [(part.left, where), (part.right, where)]
            continue
        if isinstance(part, ast.Subscript):
            head = _head(_named(part, where, evaluator))
            if head == "Union":
                pending[:0] = [(argument, where) for argument in arguments(part)]
                continue
            if head == "Optional":
                null = ast.copy_location(ast.Constant(None), part)
                pending[:0] = [(arguments(part)[0], where), (null, where)]
                continue
        found.append((part, where))
    return found


def _unquoted(hint: ast.expr) -> ast.expr:
    """A hint that may be written as a string; then its parts all lie where the string does."""
    if not isinstance(hint, ast.Constant) or not isinstance(hint.value, str):
        return hint
    try:
        expression = ast.parse(hint.value.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return hint
    for part in ast.walk(expression):
        if isinstance(part, ast.expr | ast.keyword):
            ast.copy_location(part, hint)
    return expression


def arguments(hint: ast.Subscript) -> list[ast.expr]:
    """What is in the brackets of a hint."""
    return hint.slice.elts if isinstance(hint.slice, ast.Tuple) and hint.slice.elts else [hint.slice]
