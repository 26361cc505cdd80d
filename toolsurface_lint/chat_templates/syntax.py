"""Jinja as chat templates use it, parsed by jinja2, with the exact place of every token and node.

The environment is that of transformers' `apply_chat_template` (utils/chat_template_utils.py): `trim_blocks`, `lstrip_blocks`,
`break` and `continue`, and `{% generation %}`. Nothing is compiled or rendered here.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from jinja2 import nodes
from jinja2.environment import Environment
from jinja2.exceptions import TemplateSyntaxError
from jinja2.ext import Extension, LoopControlExtension
from jinja2.lexer import Lexer, TokenStream
from jinja2.parser import Parser

from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span

MAX_LENGTH = 200_000
"""Code points of a template that are parsed. The longest published ones have about 50,000."""

MAX_BRACKETS = 40
"""Brackets inside each other that are followed: jinja2's parser is recursive, and needs 14 calls for each."""

MAX_DEPTH = 200
"""The depth of the tree that is followed: jinja2's compiler needs three calls for each level."""


class ChatTemplateError(Exception):
    """The text does not parse as a template, as `problem` says: kinds `syntax`, `too_long` and `too_deep`.

    `syntax` has the wording of jinja2 in `reason`, the others the limit in `limit`.
    """

    def __init__(self, kind: str, span: Span, **values: object) -> None:
        super().__init__(kind)
        self.problem = Problem(kind, span, values)


class Token(NamedTuple):
    """One token: its half-open range in the text, jinja2's name of its kind, and how it is written, with `\\n` as line end."""

    start: int
    end: int
    kind: str
    value: str


BLANK = frozenset(("whitespace", "comment_begin", "comment", "comment_end"))
"""The kinds of tokens that mean nothing."""

_OPENING = {"(": ")", "[": "]", "{": "}"}
_CLOSING = frozenset(_OPENING.values())
_SPACE = re.compile(r"\s*")


class ParsedTemplate:
    """A template that parses. The `lineno` of each node in `root` is the offset of a token of it, see `span`."""

    def __init__(self, text: str, all_nodes: list[nodes.Node], tokens: list[Token]) -> None:
        self.text = text
        self.all_nodes = all_nodes
        """All nodes, each before what is below it."""
        self.tokens = tokens

    @property
    def root(self) -> nodes.Template:
        root = self.all_nodes[0]
        assert isinstance(root, nodes.Template)
        return root

    def span(self, node: nodes.Node) -> Span:
        """Where a node is written: an expression from end to end, a statement with its opening tag alone.

        Brackets around an operand belong to the expression that it is an operand of.
        """
        if isinstance(node, nodes.Expr):
            first, last = self._ends(node)
            return Span(self._meaning[first].start, self._meaning[last].end)
        first, last = self._tag(node)
        start, end = self._meaning[first].start, self._meaning[last].end
        # The token has the white space after the tag, too, as far as the tag takes it away.
        return Span(start, start + len(self.text[start:end].rstrip()))

    @cached_property
    def _meaning(self) -> list[Token]:
        """The tokens that mean something."""
        return [token for token in self.tokens if token.kind not in BLANK]

    @cached_property
    def _starts(self) -> list[int]:
        return [token.start for token in self._meaning]

    @cached_property
    def _partner(self) -> dict[int, int]:
        """The other bracket of each bracket, by their indexes."""
        partner: dict[int, int] = {}
        stack: list[int] = []
        for index, token in enumerate(self._meaning):
            if token.kind == "operator":
                if token.value in _OPENING:
                    stack.append(index)
                elif token.value in _CLOSING and stack:
                    opening = stack.pop()
                    partner[opening] = index
                    partner[index] = opening
        return partner

    def _at(self, offset: int) -> int:
        """The index of the token at an offset, or of the last one before it."""
        return max(bisect_right(self._starts, offset) - 1, 0)

    def _tag(self, node: nodes.Node) -> tuple[int, int]:
        """The first and last token of the tag that a statement begins with."""
        first = last = self._at(_offset(node))
        if self._meaning[first].kind == "data":
            return first, last
        while first > 0 and not self._meaning[first].kind.endswith("_begin"):
            first -= 1
        while last + 1 < len(self._meaning) and not self._meaning[last].kind.endswith("_end"):
            last += 1
        return first, last

    def _ends(self, node: nodes.Node) -> tuple[int, int]:
        """The first and last token of an expression."""
        ends = [self._ends(child) for child in node.iter_child_nodes()]
        if not ends or not isinstance(node, _OF_OPERANDS):
            at = self._at(_offset(node))
            ends.append((at, self._own_end(node, at)))
        first, last = min(first for first, _ in ends), max(last for _, last in ends)
        if isinstance(node, nodes.Tuple) and first > 0 and self._meaning[first - 1].value == "(":
            first, last = first - 1, self._partner.get(first - 1, last)
        while (closing := self._partner.get(first - 1)) is not None and first <= closing <= last:
            first -= 1
        while (opening := self._partner.get(last + 1)) is not None and first <= opening <= last:
            last += 1
        return first, last

    def _own_end(self, node: nodes.Node, at: int) -> int:
        """The last of the tokens that a node has beside its children, the first of which is at an index."""
        tokens = self._meaning
        if isinstance(node, nodes.Getitem | nodes.Call | nodes.List | nodes.Dict):
            return self._partner.get(at, at + 1)
        if isinstance(node, nodes.Getattr):
            return at + 1
        if isinstance(node, nodes.NSRef):
            return at + 2
        if isinstance(node, nodes.Filter | nodes.Test):
            if isinstance(node, nodes.Test):
                at += 2 if tokens[at + 1].value == "not" else 1
            at += 2 * node.name.count(".")
            is_called = at + 1 < len(tokens) and tokens[at + 1].value == "(" and tokens[at + 1].kind == "operator"
            return self._partner.get(at + 1, at) if is_called else at
        if isinstance(node, nodes.Const):
            while tokens[at].kind == "string" and at + 1 < len(tokens) and tokens[at + 1].kind == "string":
                at += 1
        return at


_OF_OPERANDS = (
    nodes.BinExpr,
    nodes.Compare,
    nodes.CondExpr,
    nodes.Concat,
    nodes.Pair,
    nodes.Operand,
    nodes.Tuple,
)
"""Nodes without a token of their own at either end; jinja2 gives some of them the place of what follows."""


def _offset(node: nodes.Node) -> int:
    return node.lineno


def parse(text: str) -> ParsedTemplate:
    """The tree and the tokens of a template.

    Raises `ChatTemplateError`; of a syntax error, the place is the token at which jinja2 gives up.
    """
    if len(text) > MAX_LENGTH:
        raise ChatTemplateError("too_long", Span(0, 0), limit=MAX_LENGTH)
    lexer = _OffsetLexer(_ENVIRONMENT)
    try:
        lexer.read(text)
        root = _Parser(lexer).parse()
    except TemplateSyntaxError as error:
        raise ChatTemplateError(
            "syntax", _token_span(text, lexer.tokens, error.lineno), reason=_reason(error)
        ) from None
    except RecursionError:
        raise ChatTemplateError("too_deep", Span(0, 0), limit=MAX_DEPTH) from None
    level: list[nodes.Node] = [root]
    all_nodes: list[nodes.Node] = []
    depth = 0
    while level and depth < MAX_DEPTH:
        all_nodes += level
        level = _children(level)
        depth += 1
    if level:
        deep = min((node.lineno for node in level if node.lineno is not None), default=0)
        raise ChatTemplateError("too_deep", _token_span(text, lexer.tokens, deep), limit=MAX_DEPTH)
    return ParsedTemplate(text, all_nodes, lexer.tokens)


def _reason(error: TemplateSyntaxError) -> str:
    """What jinja2 says, without the offset that it adds to some messages."""
    return re.sub(r" at \d+$", "", error.message or "")


def _token_span(text: str, tokens: list[Token], offset: int) -> Span:
    index = bisect_right(tokens, (offset, float("inf"))) - 1
    if index < 0:
        return Span(offset, offset)
    return Span(offset, min(max(tokens[index].end, offset + 1), len(text)))


def _children(parents: list[nodes.Node]) -> list[nodes.Node]:
    """The children of nodes. jinja2's own walk takes three times as long."""
    found: list[nodes.Node] = []
    for node in parents:
        for field in node.fields:
            value = getattr(node, field, None)
            if isinstance(value, list):
                found += [item for item in value if isinstance(item, nodes.Node)]
            elif isinstance(value, nodes.Node):
                found.append(value)
    return found


class _OffsetLexer(Lexer):
    """jinja2's lexer, whose tokens have their offset where it gives them a line."""

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self.tokens: list[Token] = []

    def read(self, text: str) -> None:
        """Fill `tokens`. The numbers of errors raised here are offsets, too."""
        read = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
        returns = (
            [match.start() - index for index, match in enumerate(re.finditer("\r\n", text))] if read != text else []
        )
        at = 0
        depth = 0
        tokens = self.tokens
        try:
            for _, kind, value in super().tokeniter(text, None):
                if not read.startswith(value, at):
                    # White space before a tag that strips it belongs to no token.
                    at = _SPACE.match(read, at).end()  # type: ignore[union-attr]
                start, at = at, at + len(value)
                tokens.append(
                    Token(start + bisect_left(returns, start), at + bisect_left(returns, at), kind, value)
                    if returns
                    else Token(start, at, kind, value)
                )
                if kind == "operator":
                    depth += (value in _OPENING) - (value in _CLOSING)
                    if depth > MAX_BRACKETS:
                        span = Span(tokens[-1].start, tokens[-1].end)
                        raise ChatTemplateError("too_deep", span, limit=MAX_BRACKETS)
        except TemplateSyntaxError as error:
            is_unclosed = bool(tokens) and tokens[-1].kind in ("comment_begin", "raw_begin")
            error.lineno = tokens[-1].start if is_unclosed else at + bisect_left(returns, at)
            raise

    def stream(self) -> TokenStream:
        return TokenStream(self.wrap(_of_parser(self.tokens)), None, None)


def _of_parser(tokens: list[Token]) -> Iterator[tuple[int, str, str]]:
    for token in tokens:
        if token.kind in ("integer", "float") and len(token.value) > _MAX_DIGITS:
            raise TemplateSyntaxError("a number has too many digits", token.start)
        yield token.start, token.kind, token.value


_MAX_DIGITS = 4000
"""Python converts no more than 4,300 digits."""


class _Parser(Parser):
    """jinja2's parser over tokens that were read."""

    def __init__(self, lexer: _OffsetLexer) -> None:
        super().__init__(_ENVIRONMENT, "")
        self.stream = lexer.stream()

    def parse(self) -> nodes.Template:
        """The tree, whose nodes do not hold the environment: only who compiles it needs one."""
        return nodes.Template(self.subparse(), lineno=1)


class _Generation(Extension):
    """`{% generation %}`, with which transformers marks what the assistant wrote; it has the scope of a block."""

    tags = {"generation"}  # noqa: RUF012

    def parse(self, parser: Parser) -> nodes.Node:
        start = next(parser.stream).lineno
        return nodes.Scope(parser.parse_statements(("name:endgeneration",), drop_needle=True), lineno=start)


_ENVIRONMENT = Environment(trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, LoopControlExtension])
