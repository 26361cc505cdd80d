"""How code says that there is no tool of a name: what it answers then, and what it only writes down of a name."""

from __future__ import annotations

import ast
import re

from toolsurface_lint.programs.python.objects import own_name

_REFUSES = re.compile(
    r"\b(?:unknown|unsupported|unrecogni[sz]ed|undefined|invalid|no such|not a valid|not implemented)\b"
    r"[^\n]{0,20}?\b(?:tool|function|command|method|operation|action)"
    r"|\b(?:tool|function|command|method|operation|action)\b[^\n]{0,60}?"
    r"\b(?:unknown|unsupported|not (?:found|supported|implemented|recogni[sz]ed|available|known|valid|registered|defined)"
    r"|does(?:n['’]t| not) exist)\b"
    r"|\b(?:unknown|unsupported) (?:tool|function|name)",
    re.IGNORECASE,
)
"""What programs answer if they have no tool of a name."""
_ERROR = re.compile(r"error|fail|except", re.IGNORECASE)
LOGS = frozenset((
    "print", "debug", "info", "warning", "warn", "error", "exception", "critical", "log", "echo", "write_log", "trace",
    "append", "isinstance", "len", "repr", "perf_counter", "time", "set_attribute", "add_event",
))  # fmt: skip
"""Functions that may be given the name, and do nothing but write it down."""


def quoted_in(node: ast.AST) -> list[ast.expr]:
    """What an f-string, `+`, `%` or `format` puts into a text of several words; empty for another expression."""
    parts: list[ast.expr] = []
    if isinstance(node, ast.JoinedStr):
        parts = node.values
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        parts = [node.func.value, *node.args, *(keyword.value for keyword in node.keywords)]
    elif isinstance(node, ast.BinOp):
        while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
            parts.append(node.right)
            node = node.left
        if isinstance(node, ast.expr):
            parts.append(node)
    return parts if any(map(_has_words, parts)) else []


def _has_words(node: ast.AST) -> bool:
    if isinstance(node, ast.JoinedStr):
        return any(map(_has_words, node.values))
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value


def refuses(value: ast.AST) -> bool:
    """Whether an expression says that there is no such tool."""
    for part in ast.walk(value):
        if isinstance(part, ast.Constant) and isinstance(part.value, str) and _REFUSES.search(part.value[:300]):
            return True
        if isinstance(part, ast.JoinedStr):
            texts = (str(each.value) if isinstance(each, ast.Constant) else "x" for each in part.values[:20])
            if _REFUSES.search("".join(texts)[:300]):
                return True
    return False


def says_error(value: ast.expr, caught: str | None) -> bool:
    """Whether an expression says that there is no such tool, or, of the exception that was raised for that, an error.

    `caught` is the name of that in its handler, empty if it has none; None outside of one.
    """
    if refuses(value):
        return True
    if caught is None:
        return False
    return any(
        _ERROR.search(part.value[:100]) if isinstance(part, ast.Constant) and isinstance(part.value, str)
        else getattr(part, "id", None) == caught or _ERROR.search(own_name(part))
        for part in ast.walk(value)
    )  # fmt: skip


def catches(statement: ast.stmt) -> bool:
    """Whether a statement may go on with something else where what is in it raises an exception; to report it is not that."""
    if isinstance(statement, ast.With | ast.AsyncWith):
        return any(own_name(part) == "suppress" for item in statement.items for part in ast.walk(item.context_expr))
    if not isinstance(statement, ast.Try | ast.TryStar):
        return False
    for node in (node for handler in statement.handlers for part in handler.body for node in ast.walk(part)):
        if isinstance(node, ast.Call) and not (
            own_name(node.func)[:1].isupper() or own_name(node.func) in LOGS | _TEXTS
        ):
            return True
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name | ast.Attribute | ast.Lambda):
            return True
    return False


_TEXTS = frozenset(("str", "repr", "format", "dumps", "print_exc", "format_exc", "type", "exit"))
