"""How type hints are written: in quotes, under names, as unions, within `Annotated`."""

from __future__ import annotations

import ast
from typing import NamedTuple, TypeGuard

from toolsurface_lint.programs.evaluator import Evaluator
from toolsurface_lint.programs.values import External, Hint, Literal, Scope, Value
from toolsurface_lint.source.python import Location

MAX_DEPTH = 20
"""How many hints may lie within each other."""

_KNOWN_ROOTS = frozenset((
    "builtins", "typing", "typing_extensions", "collections", "datetime", "uuid", "pathlib", "decimal", "pydantic",
    "types", "re",
))  # fmt: skip


class Declaration(NamedTuple):
    """A parameter of a function, or a field of a class, as written; `place` is that of its name."""

    name: str
    hint: ast.expr | None
    default: ast.expr | None
    scope: Scope
    place: Location


class HintReader:
    """Takes hints apart; names in them mean what the evaluator makes of them."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    def unwrap(self, hint: ast.expr, scope: Scope) -> tuple[ast.expr, Scope, list[Value]]:
        """A hint without `Annotated`, names of hints followed, and what `Annotated` said."""
        metadata: list[Value] = []
        for _ in range(MAX_DEPTH):
            if is_text(hint):
                written = parsed(hint)
                if written is None:
                    break
                hint = written
            if isinstance(hint, ast.Name | ast.Attribute):
                value = self._evaluator.evaluate(hint, scope)
                if not isinstance(value, Hint):
                    break
                hint, scope = value.expression, value.scope
                continue
            if not isinstance(hint, ast.Subscript) or self.head(hint, scope) != "Annotated":
                break
            hint, *said = arguments(hint)
            metadata.extend(self._evaluator.evaluate(part, scope) for part in said)
        return hint, scope, metadata

    def head(self, hint: ast.expr, scope: Scope) -> str:
        """The own name of the type that a hint names, before its brackets; empty for what is no known type."""
        if isinstance(hint, ast.Constant) and hint.value is None:
            return "None"
        node = hint.value if isinstance(hint, ast.Subscript) else hint
        if not isinstance(node, ast.Name | ast.Attribute):
            return ""
        value = self._evaluator.evaluate(node, scope)
        if isinstance(value, External):
            return value.last if is_known(value) else ""
        if isinstance(value, Literal) and value.value is None:
            return "None"
        return ""

    def alternatives(self, hint: ast.expr, scope: Scope) -> list[tuple[ast.expr, Scope]]:
        """The types that a union allows; of any other hint, itself."""
        found: list[tuple[ast.expr, Scope]] = []
        pending = [(hint, scope)]
        while pending and len(found) < 100:
            part, where = pending.pop(0)
            if isinstance(part, ast.BinOp) and isinstance(part.op, ast.BitOr):
                pending[:0] = [(part.left, where), (part.right, where)]
                continue
            if isinstance(part, ast.Subscript):
                head = self.head(part, where)
                if head == "Union":
                    pending[:0] = [(argument, where) for argument in arguments(part)]
                    continue
                if head == "Optional":
                    null = ast.copy_location(ast.Constant(None), part)
                    pending[:0] = [(arguments(part)[0], where), (null, where)]
                    continue
            found.append((part, where))
        return found


def is_known(value: External) -> bool:
    """Whether a type is of a library whose types are known by name."""
    return value.root in _KNOWN_ROOTS


def is_text(hint: ast.expr) -> TypeGuard[ast.Constant]:
    """Whether a hint is written as a string."""
    return isinstance(hint, ast.Constant) and isinstance(hint.value, str)


def parsed(node: ast.Constant) -> ast.expr | None:
    """A hint written as a string; its parts all lie where the string does."""
    try:
        expression = ast.parse(str(node.value).strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for part in ast.walk(expression):
        if isinstance(part, ast.expr | ast.keyword):
            part.lineno, part.col_offset = node.lineno, node.col_offset
            part.end_lineno, part.end_col_offset = node.end_lineno, node.end_col_offset
    return expression


def arguments(hint: ast.Subscript) -> list[ast.expr]:
    """What stands in the brackets of a hint."""
    return hint.slice.elts if isinstance(hint.slice, ast.Tuple) and hint.slice.elts else [hint.slice]
