"""What a prompt in the `{{ }}` template language is made of: blocks and expressions, every part with its span."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolsurface_lint.protocols.expressions import BooleanOperation, Comparison, Expression, Filter, Path
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import LineIndex, Span


class TemplateError(Exception):
    """A template that does not parse or render.

    `problem` is at the directive, and its `code` one of the names of the Harn specification's cases: `unexpected_directive`,
    `missing_end`, `unterminated_directive`, ... `line` and `column` count from 1, in code points, and point at the
    opening braces of the directive. Its text is place and code, `2:1: missing end`; `describe` gives the sentence.
    """

    def __init__(self, text: str, kind: str, span: Span, /, **values: object) -> None:
        self.problem = Problem(kind, span, values)
        self.line, self.column = LineIndex(text).position(span.start)
        super().__init__(f"{self.line}:{self.column}: {self.problem.code.replace('_', ' ')}")


class Directive(NamedTuple):
    """One `{{ ... }}`: all of it, its body without blanks and trim markers, and its first word.

    `kind` is the first word where that is one of the language's, `value` for anything that renders, `comment` or `raw`.
    """

    kind: str
    span: Span
    body: Span


class Text(NamedTuple):
    span: Span


class Output(NamedTuple):
    """A value to render. `bare`: a plain name, which is rendered as it stands where nothing is bound to it."""

    directive: Directive
    expression: Expression
    bare: bool


class Branch(NamedTuple):
    """One way through a block; `condition` is None for an `else`, and in a `section`."""

    directive: Directive
    condition: Expression | None
    body: list[Node]


class Block(NamedTuple):
    """What an `if`, a `for` or a `section` encloses: its `branches` are the directives that begin a part of it.

    The condition of a `for` is what it goes through; `names` are its variables, one or two, or the name of a `section`.
    """

    kind: str
    branches: list[Branch]
    names: tuple[str, ...] = ()

    @property
    def otherwise(self) -> Branch | None:
        """The `else`, if there is one yet."""
        return self.branches[-1] if self.branches[-1].directive.kind == "else" else None


class Include(NamedTuple):
    directive: Directive
    path: Expression
    bindings: tuple[tuple[str, Expression], ...]


Node = Text | Output | Block | Include


class Template:
    """A parsed template: `nodes` nest, `directives` are all of them in the order of the text.

    `name` is what tells it from other templates where one includes another: the path of its file. An included text that does
    not parse is an empty template with the `error`.
    """

    __slots__ = ("directives", "error", "name", "nodes", "text")

    def __init__(self, text: str, nodes: list[Node], directives: list[Directive]) -> None:
        self.text = text
        self.nodes = nodes
        self.directives = directives
        self.name = ""
        self.error: TemplateError | None = None

    def walk(self) -> Iterator[Node]:
        """Every node, outer ones first, in the order of the text."""
        stack = list(reversed(self.nodes))
        while stack:
            node = stack.pop()
            yield node
            if isinstance(node, Block):
                stack.extend(child for branch in reversed(node.branches) for child in reversed(branch.body))

    def conditions(self) -> Iterator[tuple[Directive, Expression]]:
        """Every `if` and `elif` with its condition."""
        for node in self.walk():
            for branch in node.branches if isinstance(node, Block) and node.kind == "if" else ():
                if branch.condition is not None:
                    yield branch.directive, branch.condition

    def free_names(self) -> list[tuple[str, Span]]:
        """The names that a caller has to bind, at every place where they are used."""
        free: list[tuple[str, Span]] = []
        stack: list[tuple[Node, frozenset[str]]] = [(node, frozenset()) for node in reversed(self.nodes)]
        while stack:
            node, bound = stack.pop()
            for expression in _own_expressions(node):
                free.extend((path.name, path.span) for path in paths(expression) if path.name not in bound)
            if not isinstance(node, Block):
                continue
            for branch in reversed(node.branches):
                inner = bound | {"loop", *node.names} if branch.directive.kind == "for" else bound
                stack.extend((child, inner) for child in reversed(branch.body))
        return free


def expressions(expression: Expression) -> Iterator[Expression]:
    """An expression and everything in it, in the order of the text."""
    stack = [expression]
    while stack:
        part = stack.pop()
        yield part
        if isinstance(part, BooleanOperation):
            stack.extend(reversed(part.operands))
        elif isinstance(part, Comparison):
            stack += [part.right, part.left]
        elif isinstance(part, Filter):
            stack.extend([*reversed(part.arguments), part.operand])


def paths(expression: Expression) -> Iterator[Path]:
    for part in expressions(expression):
        if isinstance(part, Path):
            yield part


def filters(template: Template) -> Iterator[Filter]:
    """Every use of a filter, in the order of the nodes."""
    for node in template.walk():
        for expression in _own_expressions(node):
            for part in expressions(expression):
                if isinstance(part, Filter):
                    yield part


def _own_expressions(node: Node) -> list[Expression]:
    if isinstance(node, Output):
        return [node.expression]
    if isinstance(node, Block):
        return [branch.condition for branch in node.branches if branch.condition is not None]
    if isinstance(node, Include):
        return [node.path, *(value for _, value in node.bindings)]
    return []
