"""The expressions of the template language: values, paths, comparisons, `and`/`or`/`not`, filters."""

from __future__ import annotations

import re
from typing import NamedTuple

from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span

MAX_EXPRESSION_DEPTH = 50
"""How deep parentheses and negations may nest; nobody writes more, and the parser below is recursive."""


class ExpressionError(Exception):
    """Text that is not an expression; the problem is at the place in the expression."""

    def __init__(self, kind: str, span: Span, /, **values: object) -> None:
        super().__init__(kind)
        self.problem = Problem(kind, span, values)


class Literal(NamedTuple):
    value: str | int | float | bool | None
    span: Span


class Path(NamedTuple):
    """`a.b[0]["k"]`: the first step is a name, an `int` step is an index."""

    steps: tuple[str | int, ...]
    span: Span

    @property
    def name(self) -> str:
        return str(self.steps[0])


class BooleanOperation(NamedTuple):
    """Operands joined by `and` or by `or`, or one operand with `not`."""

    operator: str
    operands: tuple[Expression, ...]
    span: Span


class Comparison(NamedTuple):
    operator: str
    left: Expression
    right: Expression
    span: Span


class Filter(NamedTuple):
    operand: Expression
    name: str
    arguments: tuple[Expression, ...]
    name_span: Span
    span: Span


Expression = Literal | Path | BooleanOperation | Comparison | Filter


class _Token(NamedTuple):
    kind: str
    value: str | int | float | bool | None
    span: Span


_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r\n\f]+)
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<number>-?[0-9]+(?:\.[0-9]+)*)
    |(?P<text>"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')
    |(?P<operator>&&|\|\||==|!=|<=|>=|[()\[\].,:|!<>])""",
    re.VERBOSE | re.DOTALL,
)
_WORDS: dict[str, tuple[str, bool | None]] = {
    "true": ("literal", True),
    "false": ("literal", False),
    "nil": ("literal", None),
    "and": ("and", None),
    "or": ("or", None),
    "not": ("not", None),
}
_SYMBOLS = {"&&": "and", "||": "or", "!": "not"}
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def parse_expression(text: str, start: int, end: int) -> Expression:
    """The expression between two offsets, its spans counted in `text`. Raises `ExpressionError`."""
    parser = _Parser(_tokens(text, start, end), end)
    expression = parser.filtered()
    rest = parser.peek()
    if rest is not None:
        raise ExpressionError("unexpected_token", rest.span, found=text[slice(*rest.span)][:40])
    return expression


def _tokens(text: str, start: int, end: int) -> list[_Token]:
    tokens = []
    position = start
    while position < end:
        match = _TOKEN.match(text, position, end)
        if match is None:
            span = Span(position, position + 1)
            if text[position] in "\"'":
                raise ExpressionError("unterminated_string", span)
            wrong = "unexpected_character/equals" if text[position] == "=" else "unexpected_character"
            raise ExpressionError(wrong, span, found=text[position])
        kind = match.lastgroup
        span = Span(*match.span())
        written = match.group()
        if kind == "name":
            word, value = _WORDS.get(written, ("name", None))
            tokens.append(_Token(word, written if word == "name" else value, span))
        elif kind == "number":
            tokens.append(_number(written, span))
        elif kind == "text":
            tokens.append(_Token("text", _ESCAPE.sub(_unescape, written[1:-1]), span))
        elif kind == "operator":
            tokens.append(_Token(_SYMBOLS.get(written, written), written, span))
        position = match.end()
    return tokens


def _unescape(match: re.Match[str]) -> str:
    return _ESCAPES.get(match[1], match[1])


def _number(written: str, span: Span) -> _Token:
    points = written.count(".")
    if points > 1 or len(written) > 400:
        raise ExpressionError("bad_number", span, number=written[:40])
    return _Token("number", float(written) if points else int(written), span)


class _Parser:
    def __init__(self, tokens: list[_Token], end: int) -> None:
        self.tokens = tokens
        self.end = end
        self.position = 0

    def peek(self) -> _Token | None:
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    def take(self, kind: str) -> _Token | None:
        token = self.peek()
        if token is None or token.kind != kind:
            return None
        self.position += 1
        return token

    def fail(self, kind: str, **values: object) -> ExpressionError:
        token = self.peek()
        return ExpressionError(kind, Span(self.end, self.end) if token is None else token.span, **values)

    def filtered(self) -> Expression:
        expression = self.junction("or", 0)
        while self.take("|"):
            name = self.take("name")
            if name is None:
                raise self.fail("expected_filter_name")
            arguments = []
            if self.take(":"):
                arguments.append(self.junction("or", 0))
                while self.take(","):
                    arguments.append(self.junction("or", 0))
            span = Span(expression.span.start, self.tokens[self.position - 1].span.end)
            expression = Filter(expression, str(name.value), tuple(arguments), name.span, span)
        return expression

    def junction(self, operator: str, depth: int) -> Expression:
        operands: list[Expression] = []
        while not operands or self.take(operator):
            operands.append(self.junction("and", depth) if operator == "or" else self.negation(depth))
        if len(operands) == 1:
            return operands[0]
        return BooleanOperation(operator, tuple(operands), Span(operands[0].span.start, operands[-1].span.end))

    def negation(self, depth: int) -> Expression:
        if depth > MAX_EXPRESSION_DEPTH:
            raise self.fail("too_deep", levels=MAX_EXPRESSION_DEPTH)
        negated = self.take("not")
        if negated is None:
            return self.comparison(depth)
        operand = self.negation(depth + 1)
        return BooleanOperation("not", (operand,), Span(negated.span.start, operand.span.end))

    def comparison(self, depth: int) -> Expression:
        left = self.primary(depth)
        token = self.peek()
        if token is None or token.kind not in _COMPARISONS:
            return left
        self.position += 1
        right = self.primary(depth)
        return Comparison(token.kind, left, right, Span(left.span.start, right.span.end))

    def primary(self, depth: int) -> Expression:
        token = self.peek()
        if token is None:
            raise self.fail("expected_expression")
        if depth > MAX_EXPRESSION_DEPTH:
            raise self.fail("too_deep", levels=MAX_EXPRESSION_DEPTH)
        if token.kind not in ("literal", "number", "text", "name", "(", "not"):
            raise self.fail("unexpected_token/expression", found=token.value)
        self.position += 1
        if token.kind == "name":
            return self._path(token)
        if token.kind == "not":
            operand = self.primary(depth + 1)
            return BooleanOperation("not", (operand,), Span(token.span.start, operand.span.end))
        if token.kind == "(":
            inner = self.junction("or", depth + 1)
            if not self.take(")"):
                raise self.fail("expected_close_paren")
            return inner
        return Literal(token.value, token.span)

    def _path(self, first: _Token) -> Path:
        steps: list[str | int] = [str(first.value)]
        end = first.span.end
        while True:
            if self.take("."):
                name = self.take("name")
                if name is None:
                    raise self.fail("expected_name")
                steps.append(str(name.value))
                end = name.span.end
            elif self.take("["):
                index = self.take("number") or self.take("text")
                if index is None or isinstance(index.value, float):
                    raise self.fail("bad_index")
                closing = self.take("]")
                if closing is None:
                    raise self.fail("expected_close_bracket")
                steps.append(index.value if isinstance(index.value, int) else str(index.value))
                end = closing.span.end
            else:
                return Path(tuple(steps), Span(first.span.start, end))
