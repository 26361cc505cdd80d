"""What looks like a tool in a Python file of which nothing was understood: a decorated function, a class of a kind of its own.

No tools are made of it: it is there to be said, so that silence about a program does not mean that it has no tools.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from toolsurface_lint.knowledge import words
from toolsurface_lint.model.unseen import Unseen
from toolsurface_lint.programs.framework import NO_FRAMEWORK
from toolsurface_lint.programs.python.objects import own_name
from toolsurface_lint.source.text import SourceText

# Words before: all but those of something that is done to a tool, or with one.
_DECORATOR = re.compile(
    r"(?:(?!(?:after|before|call|check|get|on|patch|post|pre|require|requires|skip|use|validate|with)_)[a-z0-9]+_)*"
    r"tool(?:_(?:api|function|method))?"
)
_ACTION = re.compile(r"(?:\w+\.)*(?:controller|registry)\.action")
"""Programs that drive a browser call their tools so, after Browser Use."""
# Apart, so that each is searched for by the text that it begins with.
_SIGNS = tuple(
    map(re.compile, (r"@[\w.]*(?:tool(?:_[a-z]+)?|\.action)\b", r"class[ \t]+\w*Tool\b", r"Tool\b[^\n:]{0,100}\)"))
)
_RUNS = words("run _run arun _arun execute _execute aexecute call __call__ invoke ainvoke forward")
_BLOCKS = ("body", "orelse", "finalbody", "handlers")


def lookalike(source: SourceText, module: ast.Module) -> Unseen | None:
    """What looks like a tool in a file, the first such place; None if nothing does. `module` is the file, parsed."""
    text = source.peek()
    signs = sorted(match.start() for sign in _SIGNS for match in sign.finditer(text))
    if not signs:
        return None
    lines = [source.lines.line_at(sign) for sign in signs]
    others = _imported_from_others(module)
    for node in _definitions(module, lines):
        for decorator in node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            dotted = _dotted(called)
            if (_DECORATOR.fullmatch(_last_name(called)) or _ACTION.fullmatch(dotted)) and dotted not in others:
                return Unseen(f"a function with the decorator `@{dotted}`", source.path, node.lineno)
        if isinstance(node, ast.ClassDef) and _is_tool_class(node):
            reason = f"the class `{node.name}`, which is not derived from a known one"
            return Unseen(reason, source.path, node.lineno)
    return None


def _imported_from_others(module: ast.Module) -> frozenset[str]:
    """The names that a file imports from packages that have nothing to do with tools of a model."""
    imports = [node for node in module.body if isinstance(node, ast.ImportFrom) and not node.level]
    return frozenset(
        alias.asname or alias.name
        for node in imports
        if (node.module or "").partition(".")[0] in NO_FRAMEWORK
        for alias in node.names
    )


def _definitions(
    module: ast.Module, lines: list[int]
) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """The functions and classes of a file, at any depth of blocks that have one of the lines, in no order that matters."""
    waiting: list[ast.AST] = [module]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node
            # The bodies of most functions would have to be parsed for this.
            if bisect_left(lines, node.lineno) == bisect_right(lines, node.end_lineno or 0):
                continue
        for block in _BLOCKS:
            waiting.extend(reversed(getattr(node, block, None) or ()))


def _is_tool_class(node: ast.ClassDef) -> bool:
    """Whether a class has the name of a tool, its own or by its base, and says what a tool says: a name, a text, what it does.

    Or its methods are the tools: each says in its decorator what it does.
    """
    if not any(name.endswith("Tool") for name in (node.name, *map(_last_name, node.bases))):
        return False
    said: set[str] = set()
    for member in node.body:
        if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef):
            said.add("run" if member.name in _RUNS else member.name)
            if member.name == "__init__":
                said.update(_given_to_base(member))
            if any(_describes(decorator) for decorator in member.decorator_list):
                return True
        elif isinstance(member, ast.Assign):
            said.update(target.id for target in member.targets if isinstance(target, ast.Name))
        elif isinstance(member, ast.AnnAssign) and member.value is not None and isinstance(member.target, ast.Name):
            said.add(member.target.id)
    # The second are those of Langroid.
    return said >= {"name", "description", "run"} or said >= {"request", "purpose"}


def _given_to_base(constructor: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """`super().__init__(name="...", description="...")`: what a constructor says by keywords."""
    for statement in constructor.body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            yield from (keyword.arg for keyword in statement.value.keywords if keyword.arg is not None)


def _describes(decorator: ast.expr) -> bool:
    """`@activity(description="...")`, `@activity({"description": "..."})`"""
    if not isinstance(decorator, ast.Call):
        return False
    given = [*decorator.args, *(keyword.value for keyword in decorator.keywords)]
    keys = (key for value in given if isinstance(value, ast.Dict) for key in value.keys)
    return any(keyword.arg == "description" for keyword in decorator.keywords) or any(
        isinstance(key, ast.Constant) and key.value == "description" for key in keys
    )


def _dotted(node: ast.expr) -> str:
    """A name with what it is taken from, as far as that is written in names."""
    names: list[str] = []
    while isinstance(node, ast.Attribute) and len(names) < _MAX_NAMES:
        names.append(node.attr)
        node = node.value
    return ".".join(reversed([*names, _last_name(node)] if isinstance(node, ast.Name) else names))


_MAX_NAMES = 4


def _last_name(node: ast.expr) -> str:
    return own_name(node.value if isinstance(node, ast.Subscript) else node)
