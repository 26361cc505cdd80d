"""What a prompt in the `{{ }}` template language is made of: blocks and expressions, every part with its span."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolsurface_lint.protocols.expressions import Comparison, Expression, Filter, Junction, Not, Path
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import LineIndex, Span


class TemplateError(Exception):
    """A template that does not parse or render.

    `problem` is at the directive, and its `code` one of the names of the Harn specification's cases: `unexpected_directive`,
    `missing_end`, `unterminated_directive`, ... `line` and `column` count from 1, in code points, and point at the
    opening braces of the directive. Its text is place and code, `2:1: missing end`; `describe` gives the sentence.
    """

    def __init__(self, problem: Problem[Span], line: int, column: int) -> None:
        super().__init__(f"{line}:{column}: {problem.code.replace('_', ' ')}")
        self.problem = problem
        self.line = line
        self.column = column


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
    directive: Directive
    condition: Expression
    body: list[Node]


class If(NamedTuple):
    branches: list[Branch]
    otherwise: list[Node] | None
    otherwise_directive: Directive | None
    end: Directive


class For(NamedTuple):
    directive: Directive
    key: str | None
    value: str
    iterable: Expression
    body: list[Node]
    otherwise: list[Node] | None
    end: Directive


class Include(NamedTuple):
    directive: Directive
    path: Expression
    bindings: tuple[tuple[str, Expression], ...]


class Section(NamedTuple):
    directive: Directive
    name: str
    body: list[Node]
    end: Directive


Node = Text | Output | If | For | Include | Section


class Template:
    """A parsed template: `nodes` nest, `directives` are all of them in the order of the text."""

    __slots__ = ("directives", "nodes", "text")

    def __init__(self, text: str, nodes: list[Node], directives: list[Directive]) -> None:
        self.text = text
        self.nodes = nodes
        self.directives = directives

    def walk(self) -> Iterator[Node]:
        """Every node, outer ones first, in the order of the text."""
        stack = list(reversed(self.nodes))
        while stack:
            node = stack.pop()
            yield node
            for body in reversed(bodies(node)):
                stack.extend(reversed(body))

    def conditions(self) -> Iterator[Branch]:
        """Every `if` and `elif` with its condition."""
        for node in self.walk():
            if isinstance(node, If):
                yield from node.branches

    def free_names(self) -> list[tuple[str, Span]]:
        """The names that a caller has to bind, at every place where they are used."""
        free: list[tuple[str, Span]] = []
        stack: list[tuple[Node, frozenset[str]]] = [(node, frozenset()) for node in reversed(self.nodes)]
        while stack:
            node, bound = stack.pop()
            for expression in _own_expressions(node):
                free.extend((path.name, path.span) for path in paths(expression) if path.name not in bound)
            for body in reversed(bodies(node)):
                inner = bound
                if isinstance(node, For) and body is node.body:
                    inner = bound | {"loop", node.value, node.key or node.value}
                stack.extend((child, inner) for child in reversed(body))
        return free


def template_error(text: str, kind: str, span: Span, /, **values: object) -> TemplateError:
    """The error at a span of a template's text."""
    return TemplateError(Problem(kind, span, values), *LineIndex(text).position(span.start))


def bodies(node: Node) -> list[list[Node]]:
    """The blocks inside a node, in the order of the text."""
    if isinstance(node, If):
        inner = [branch.body for branch in node.branches]
        return inner if node.otherwise is None else [*inner, node.otherwise]
    if isinstance(node, For):
        return [node.body] if node.otherwise is None else [node.body, node.otherwise]
    return [node.body] if isinstance(node, Section) else []


def expressions(expression: Expression) -> Iterator[Expression]:
    """An expression and everything in it, in the order of the text."""
    stack = [expression]
    while stack:
        part = stack.pop()
        yield part
        if isinstance(part, Not):
            stack.append(part.operand)
        elif isinstance(part, Junction):
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
    if isinstance(node, If):
        return [branch.condition for branch in node.branches]
    if isinstance(node, For):
        return [node.iterable]
    if isinstance(node, Include):
        return [node.path, *(value for _, value in node.bindings)]
    return []
