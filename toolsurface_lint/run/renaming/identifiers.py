"""Tools that are called after something in their program: how they get another name without that getting one.

Whoever else uses a function, a class or a variable is not seen, so none of them is renamed.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from toolsurface_lint.model.tool import Tool
from toolsurface_lint.source.program_tree import Offsets
from toolsurface_lint.source.text import SourceText, Span

Insertion = tuple[Span, str]
"""What takes the place of a span."""


_LITERAL = re.compile(r"([\"'])([\w.-]+)\1")
_PLAIN = re.compile(r"[\w.-]+")


def is_plain(name: str) -> bool:
    """Whether a name is written alike in the literals of every language."""
    return _PLAIN.fullmatch(name) is not None


class OwnName(NamedTuple):
    """What a program calls a tool: the whole of its name, or what comes after a prefix. `quoted`: it is a text."""

    name: str
    span: Span
    quoted: bool


def own_name(source: SourceText, span: Span, name: str) -> OwnName | None:
    """The name at a span of a program, where it is one of its identifiers, or the end of the tool's; None for any other."""
    text = source.text[span.start : span.end]
    literal = _LITERAL.fullmatch(text)
    if literal is not None and literal[2] != name and name.endswith(literal[2]):
        return OwnName(literal[2], Span(span.start + 1, span.end - 1), True)
    is_word = text.isidentifier() and name.endswith(text)
    return OwnName(text, span, False) if is_word and source.text[max(span.start - 1, 0)] not in "\"'`" else None


def named_otherwise(tool: Tool, source: SourceText, own: OwnName, new: str) -> Insertion | None:
    """The edit that gives a tool another name than its program has for it; None if there is no safe one."""
    if own.quoted:
        return (own.span, new) if is_plain(new) else None
    if tool.format.startswith("python"):
        return _by_decorator(tool, source, own, new)
    if tool.format.startswith("typescript"):
        return _by_key(source.text, own.span, new)
    return None


def branches(text: str, name: str) -> Iterator[Span]:
    """Where a program that declares a tool by a text branches on that text, as it does when the tool is called."""
    quoted = rf"([\"'`])(?P<name>{re.escape(name)})\1"
    for pattern in (rf"\bcase\s+{quoted}\s*:", rf"[=!]==?\s*{quoted}", rf"{quoted}\s*[=!]=="):
        for found in re.finditer(pattern, text):
            yield Span(*found.span("name"))


_BEFORE_KEY = re.compile(r"(?:[{,]|//[^\n]*|\*/)\s*\Z")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_NEAR = 1_000


def _by_key(text: str, span: Span, new: str) -> Insertion | None:
    """The key of an object, or a variable that stands for a key and its value: `{ readFile }`."""
    before = text[max(span.start - _NEAR, 0) : span.start]
    # The last line alone: a comment that ends it may be anything's.
    if not _BEFORE_KEY.search(before[before.rfind("\n", 0, len(before.rstrip())) + 1 :]):
        return None
    written = new if _NAME.fullmatch(new) else json.dumps(new)
    after = text[span.end : span.end + _NEAR].lstrip()[:1]
    if after == ":":
        return span, written
    return (Span(span.start, span.start), f"{written}: ") if after in (",", "}") else None


def _by_decorator(tool: Tool, source: SourceText, own: OwnName, new: str) -> Insertion | None:
    """An argument of the decorator that makes a tool of a function of Python."""
    from toolsurface_lint.programs.framework import FIRST, frameworks

    ways = [each for each in frameworks() if each.format == tool.format and each.named_by]
    keywords = {each.named_by for each in ways}
    if len(keywords) != 1:
        return None
    (keyword,) = keywords
    made = {name for each in ways for name in (*each.decorators, *each.methods)}
    decorators = _decorators(source.text).get(own.span.start, ())
    found = [each for each in decorators if _last_name(each) in made]
    if len(found) != 1:
        return None
    argument = json.dumps(new) if keyword == FIRST else f"{keyword}={json.dumps(new)}"
    return _with_argument(found[0], argument, source.text, Offsets(source))


# One file is asked for each of its tools.
@lru_cache(maxsize=1)
def _decorators(text: str) -> dict[int, list[ast.expr]]:
    """What decorates each function of a program of Python, by the offset of its name."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    offsets = Offsets(SourceText("", text))
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return {
        offsets.span(offsets.identifier(node, node.name, keyword=True)).start: node.decorator_list for node in functions
    }


def _last_name(decorator: ast.expr) -> str:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""


def _with_argument(decorator: ast.expr, argument: str, text: str, offsets: Offsets) -> Insertion | None:
    """A decorator with one more argument, before all others."""
    end = offsets.span(decorator).end
    if not isinstance(decorator, ast.Call):
        return Span(end, end), f"({argument})"
    if decorator.args:
        # What comes first may be a name already, and nothing may come before it.
        return None
    if decorator.keywords:
        first = decorator.keywords[0]
        # What is unpacked may have the name among it.
        if first.arg is None or any(each.arg is None for each in decorator.keywords):
            return None
        start = offsets.span(first).start
        # On a line of its own, if what follows is.
        line = text.rfind("\n", 0, start) + 1
        own_line = text[line:start].isspace()
        return Span(start, start), f"{argument},\n{text[line:start]}" if own_line else f"{argument}, "
    opening = text.rfind("(", 0, end)
    return (Span(opening + 1, opening + 1), argument) if not text[opening + 1 : end - 1].strip() else None
