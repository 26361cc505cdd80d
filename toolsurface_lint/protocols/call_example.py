"""Examples of calls in prose: `x({a: 1})`, `x(a="b", c=2)`, `{"name": "x", "arguments": {...}}`.

Read with tolerance: an example may leave things out. What is read is true all the same: a key is a key, and a value is
given only where it is a literal.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from toolsurface_lint.source.json_values import read_value
from toolsurface_lint.source.text import Span

NO_LITERAL = object()
"""Stands for a value that is a placeholder, an expression, or not understood."""


class ExampleArgument(NamedTuple):
    """One argument as written; `value` is `NO_LITERAL` unless it is a plain literal."""

    key: str
    key_span: Span
    value: Any
    value_span: Span

    @property
    def is_literal(self) -> bool:
        return self.value is not NO_LITERAL


class CallExample(NamedTuple):
    """The arguments of an example; offsets are into the text that holds it.

    `complete`: nothing is left out as far as one can see: no `...`, no positional argument, nothing unread.
    """

    arguments: tuple[ExampleArgument, ...]
    complete: bool


_TOKEN = re.compile(
    r"""(?P<string>"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|`(?:[^`\\]|\\.)*+`)"""
    r"""|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<comma>,)|(?P<colon>:(?![:/])|=(?!=))"""
    r"""|(?P<left_out>\.\.\.|\u2026)|(?P<word>[A-Za-z0-9_.+-]+)|(?P<other>[^\s])""",
    re.DOTALL,
)
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\Z")
_WORDS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
# What authors write where a value is to be filled in.
_PLACEHOLDER = re.compile(
    r"\.\.\.|\u2026|[<>{}$\[\]]|\A[A-Z][A-Z0-9_ -]*\Z"
    r"|(?i:\byour[_ -]|\A(?:value|string|text|x+|foo|bar|name)\Z|_here\Z|\bexample\b|\bplaceholder\b)"
)
_LONGEST = 20_000
"""Characters of an example that are looked at; longer ones are not examples."""


def read_example(text: str, start: int, end: int, *, within: str | None = None) -> CallExample | None:
    """The arguments in `text[start:end]`, which begins with `(` or with `{`; None if there are none to speak of.

    `within`: the key of the object that holds the arguments, in a call that is an object itself.
    """
    if end - start > _LONGEST:
        return None
    tokens = [(match.lastgroup or "", match.start(), match.end()) for match in _TOKEN.finditer(text, start, end)]
    position = 0
    while position < len(tokens) and tokens[position][0] == "open":
        opener = text[tokens[position][1]]
        position += 1
        if opener == "{":
            break
    else:
        if not position:
            return None
    arguments, complete = _arguments(text, tokens, position)
    if within is not None:
        held = next((argument for argument in arguments if argument.key in within.split("|")), None)
        return None if held is None else read_example(text, held.value_span.start, held.value_span.end)
    return CallExample(tuple(arguments), complete and bool(arguments)) if arguments else None


Token = tuple[str, int, int]


def _arguments(text: str, tokens: list[Token], position: int) -> tuple[list[ExampleArgument], bool]:
    """Read `key: value` and `key=value` up to the bracket that closes them; and whether nothing was left out."""
    arguments: list[ExampleArgument] = []
    complete = True
    while position < len(tokens):
        kind, start, end = tokens[position]
        if kind == "close":
            return arguments, complete
        if kind == "comma":
            position += 1
            continue
        following = tokens[position + 1][0] if position + 1 < len(tokens) else ""
        key = text[start + 1 : end - 1] if kind == "string" else text[start:end]
        if kind not in ("word", "string") or following != "colon" or not _KEY.match(key):
            complete = False
            position = _value_end(tokens, position)
            continue
        quote = kind == "string"
        key_span = Span(start + quote, end - quote)
        first = position + 2
        position = _value_end(tokens, first)
        if first >= position:
            complete = False
            continue
        span = Span(tokens[first][1], tokens[position - 1][2])
        if text[span.start : span.end] == "*":
            # `Bash(git:*)` is a pattern of permissions.
            complete = False
            continue
        value = NO_LITERAL
        if any(token[0] in ("left_out", "other") for token in tokens[first:position]):
            complete = complete and tokens[first][0] != "left_out"
        else:
            value = _literal(text, tokens[first:position])
        arguments.append(ExampleArgument(key, key_span, value, span))
    return arguments, False


def _value_end(tokens: list[Token], position: int) -> int:
    """The index of the token after a value: the comma or the bracket that ends it."""
    depth = 0
    while position < len(tokens):
        kind = tokens[position][0]
        if kind == "open":
            depth += 1
        elif kind == "close":
            if not depth:
                break
            depth -= 1
        elif kind == "comma" and not depth:
            break
        position += 1
    return position


def _literal(text: str, tokens: list[Token]) -> Any:
    if len(tokens) != 1:
        return _structure(text, tokens)
    kind, start, end = tokens[0]
    written = text[start:end]
    if kind == "string":
        value = written[1:-1]
        return NO_LITERAL if "\\" in value or written[0] == "`" or _PLACEHOLDER.search(value) else value
    if kind == "word":
        if written in _WORDS:
            return _WORDS[written]
        if _NUMBER.match(written) and len(written) < 40:
            return read_value(written)
    return NO_LITERAL


def _structure(text: str, tokens: list[Token]) -> Any:
    """An array or object that is JSON and holds no placeholder."""
    if not tokens or tokens[0][0] != "open":
        return NO_LITERAL
    for kind, start, end in tokens:
        if kind == "string" and _PLACEHOLDER.search(text[start + 1 : end - 1]):
            return NO_LITERAL
    value = read_value(text[tokens[0][1] : tokens[-1][2]])
    return NO_LITERAL if value is None else value
