"""The `{{ }}` template language of prompts: text and directives into blocks, every part with its span."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolsurface_lint.protocols.expressions import (
    Comparison,
    Expression,
    ExpressionError,
    Filter,
    Junction,
    Not,
    Path,
    parse_expression,
)
from toolsurface_lint.protocols.landmarks import stripped
from toolsurface_lint.source.text import MAX_DEPTH, LineIndex, Span

SECTIONS = (
    "task",
    "examples",
    "output_format",
    "tools",
    "thinking_scaffold",
    "chain_of_thought",
    "system_framing",
)
"""The names that a `section` may have."""


class TemplateError(Exception):
    """A template that does not parse or render.

    `line` and `column` count from 1, in characters, and point at the opening braces of the directive; `span` is that
    directive. `category` is one of the names of the specification's cases: `unexpected_directive`, `missing_end`,
    `unterminated_directive`, ...
    """

    def __init__(self, category: str, message: str, span: Span, line: int, column: int) -> None:
        super().__init__(f"{line}:{column}: {message}")
        self.category = category
        self.message = message
        self.span = span
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

    def error(self, category: str, message: str, span: Span) -> TemplateError:
        return template_error(self.text, category, message, span)

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


def template_error(text: str, category: str, message: str, span: Span) -> TemplateError:
    line, column = LineIndex(text).position(span.start)
    return TemplateError(category, message, span, line, column)


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


def parse_template(text: str) -> Template:
    """Parse a template. Raises `TemplateError` at the first error: one of the directives' own form before any other."""
    return _Parser(text).parse()


# Directives

_CLOSE_OR_QUOTE = re.compile(r"}}|[\"']")
_QUOTE_END = {'"': re.compile(r'(?:[^"\\]|\\.)*+"', re.DOTALL), "'": re.compile(r"(?:[^'\\]|\\.)*+'", re.DOTALL)}
_RAW = re.compile(r"[ \t]*raw(?=[ \t\r\n]|\}\}|-\}\}|\Z)")
_TRIM_LEFT = re.compile(r"[ \t]*(?:\r\n|\r|\n)?")
_KEYWORDS = frozenset({"if", "elif", "else", "end", "for", "include", "section", "endsection"})


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.items: list[Text | Directive] = []
        self.position = 0

    def fail(self, category: str, message: str, span: Span) -> TemplateError:
        return template_error(self.text, category, message, span)

    def parse(self) -> Template:
        self._tokenize()
        directives = [item for item in self.items if isinstance(item, Directive)]
        return Template(self.text, self._blocks(), directives)

    def _tokenize(self) -> None:
        text = self.text
        position = 0
        trim_left = False
        while True:
            start = text.find("{{", position)
            end = len(text) if start < 0 else start
            trim_right = start >= 0 and text.startswith("-", start + 2)
            self._text(position, end, trim_left, trim_right)
            trim_left = False
            if start < 0:
                return
            inner = start + 2 + trim_right
            if text.startswith("#", inner):
                position = self._comment(start, inner)
            elif (raw := _RAW.match(text, inner)) is not None:
                position = self._raw(start, raw.end())
            else:
                close = self._close(inner)
                if close is None:
                    message = "this directive is never closed by `}}`"
                    raise self.fail("unterminated_directive", message, Span(start, start + 2))
                trim_left = close > inner and text[close - 1] == "-"
                position = close + 2
                body = stripped(text, inner, close - trim_left)
                words = text[body.start : body.end].split(None, 1)
                kind = words[0] if words and words[0] in _KEYWORDS else "value"
                self.items.append(Directive(kind, Span(start, position), body))

    def _text(self, start: int, end: int, trim_left: bool, trim_right: bool) -> None:
        if trim_left:
            start = min(_TRIM_LEFT.match(self.text, start, end).end(), end)  # type: ignore[union-attr]
        if trim_right:
            blank = end
            while blank > start and self.text[blank - 1] in " \t":
                blank -= 1
            if blank > start and self.text[blank - 1] == "\n":
                blank -= 1
                if blank > start and self.text[blank - 1] == "\r":
                    blank -= 1
            end = blank
        if start < end:
            self.items.append(Text(Span(start, end)))

    def _comment(self, start: int, inner: int) -> int:
        end = self.text.find("#}}", inner + 1)
        if end < 0:
            message = "this comment is never closed by `#}}`"
            raise self.fail("unterminated_comment", message, Span(start, start + 3))
        self.items.append(Directive("comment", Span(start, end + 3), Span(inner + 1, end)))
        return end + 3

    def _raw(self, start: int, after: int) -> int:
        text = self.text
        close = text.find("}}", after)
        if close < 0:
            message = "this directive is never closed by `}}`"
            raise self.fail("unterminated_directive", message, Span(start, start + 2))
        content = position = close + 2
        while True:
            opening = text.find("{{", position)
            end = None if opening < 0 else self._close(opening + 2)
            if end is None:
                message = "this `{{ raw }}` has no `{{ endraw }}`"
                raise self.fail("unterminated_raw", message, Span(start, close + 2))
            if text[opening + 2 : end].strip().removeprefix("-").removesuffix("-").strip() == "endraw":
                self.items.append(Directive("raw", Span(start, end + 2), Span(content, opening)))
                return end + 2
            position = end + 2

    def _close(self, position: int) -> int | None:
        """The offset of the `}}` that closes a directive, quoted texts jumped over."""
        while True:
            match = _CLOSE_OR_QUOTE.search(self.text, position)
            if match is None:
                return None
            if match.group() == "}}":
                return match.start()
            quoted = _QUOTE_END[match.group()].match(self.text, match.end())
            if quoted is None:
                return None
            position = quoted.end()

    # Blocks

    def _blocks(self) -> list[Node]:
        """Nest the items. A loop with a stack of open blocks: nesting is the input's choice."""
        root: list[Node] = []
        stack: list[_Open] = []
        nodes = root
        for item in self.items:
            if isinstance(item, Text):
                nodes.append(item)
            elif item.kind == "raw":
                if item.body.start < item.body.end:
                    nodes.append(Text(item.body))
            elif item.kind in ("if", "for", "section"):
                if len(stack) >= MAX_DEPTH:
                    raise self.fail("too_deep", f"blocks nest deeper than {MAX_DEPTH} levels", item.span)
                stack.append(self._open(item, nodes))
                nodes = stack[-1].body
            elif item.kind in ("elif", "else", "end", "endsection"):
                nodes = self._continue(item, stack)
            elif item.kind != "comment":
                nodes.append(self._include(item) if item.kind == "include" else self._output(item))
        if stack:
            raise stack[-1].missing_end(self)
        return root

    def _open(self, item: Directive, parent: list[Node]) -> _Open:
        start = item.body.start + len(item.kind)
        if item.kind == "if":
            condition = self._expression(item, start, item.body.end)
            return _Open(item, parent, condition=condition)
        if item.kind == "for":
            return self._open_for(item, start, parent)
        return self._open_section(item, start, parent)

    def _continue(self, item: Directive, stack: list[_Open]) -> list[Node]:
        """Close the innermost block, or begin its next branch; the block that goes on."""
        plain = self.text[item.body.start : item.body.end] == item.kind
        block = stack[-1] if stack else None
        if block is None or not block.takes(item, plain):
            if block is not None and block.otherwise_directive is not None and item.kind == "end":
                raise block.missing_end(self)
            if plain or item.kind in ("elif", "endsection"):
                message = f"`{{{{ {item.kind} }}}}` stands outside any block that it could belong to"
                raise self.fail("unexpected_directive", message, item.span)
            # Words after `end` or `else` make it an expression where no block waits for it, and never a valid one.
            self._expression(item, item.body.start, item.body.end)
            raise self.fail("unexpected_directive", f"unexpected `{item.kind}`", item.span)
        if item.kind in ("end", "endsection"):
            if item.kind == "endsection":
                self._check_section_end(item, block)
            stack.pop()
            block.parent.append(block.close(item))
            return block.parent
        if item.kind == "elif":
            start = item.body.start + len("elif")
            block.next_branch(item, self._expression(item, start, item.body.end))
        else:
            block.begin_otherwise(item)
        return block.body

    def _expression(self, item: Directive, start: int, end: int) -> Expression:
        try:
            return parse_expression(self.text, start, end)
        except ExpressionError as error:
            raise self.fail(error.category, error.message, item.span) from None

    def _output(self, item: Directive) -> Output:
        name = self.text[item.body.start : item.body.end]
        if _is_name(name):
            # Any plain name, also `true` and `endif`: the language has no other meaning for it.
            return Output(item, Path((name,), item.body), True)
        return Output(item, self._expression(item, item.body.start, item.body.end), False)

    def _open_for(self, item: Directive, start: int, parent: list[Node]) -> _Open:
        start = stripped(self.text, start, item.body.end).start
        at = self._keyword(" in ", start, item.body.end)
        if at is None:
            raise self.fail("for_without_in", "expected `for NAME in LIST`", item.span)
        names = [name.strip() for name in self.text[start:at].split(",", 1)]
        if not all(_is_name(name) for name in names):
            raise self.fail("bad_for_variable", "expected one or two names between `for` and `in`", item.span)
        iterable = self._expression(item, at + len(" in "), item.body.end)
        return _Open(item, parent, condition=iterable, names=tuple(names))

    def _include(self, item: Directive) -> Include:
        start = stripped(self.text, item.body.start + len("include"), item.body.end).start
        at = self._keyword(" with ", start, item.body.end)
        path = self._expression(item, start, item.body.end if at is None else at)
        bindings = () if at is None else self._bindings(item, stripped(self.text, at + len(" with "), item.body.end))
        return Include(item, path, bindings)

    def _bindings(self, item: Directive, span: Span) -> tuple[tuple[str, Expression], ...]:
        text = self.text
        if not (span.end - span.start >= 2 and text[span.start] == "{" and text[span.end - 1] == "}"):
            raise self.fail("bad_include_with", "expected `{ name: value }` after `with`", item.span)
        bindings = []
        for part in self._split(",", span.start + 1, span.end - 1):
            part = stripped(text, *part)
            if part.start == part.end:
                continue
            colon = next(self._split(":", *part)).end
            name = text[part.start : colon].strip()
            if colon == part.end or not _is_name(name):
                raise self.fail("bad_include_with", "expected `name: value` between the braces after `with`", item.span)
            bindings.append((name, self._expression(item, colon + 1, part.end)))
        return tuple(bindings)

    def _open_section(self, item: Directive, start: int, parent: list[Node]) -> _Open:
        name, end = self._section_name(item, start, item.body.end)
        if name not in SECTIONS:
            message = f"`{name}` is no section; expected one of {', '.join(SECTIONS)}"
            raise self.fail("unknown_section", message, item.span)
        position = end
        while position < item.body.end:
            argument = _SECTION_ARGUMENT.match(self.text, position, item.body.end)
            if argument is None:
                if self.text[position : item.body.end].strip(" \t\r\n,"):
                    raise self.fail("bad_section_argument", "expected `name=value` after the section's name", item.span)
                break
            following = _NEXT_ARGUMENT.search(self.text, argument.end(), item.body.end)
            position = item.body.end if following is None else following.start()
            self._expression(item, argument.end(), position)
        return _Open(item, parent, names=(name,))

    def _section_name(self, item: Directive, start: int, end: int) -> tuple[str, int]:
        start = stripped(self.text, start, end).start
        quote = self.text[start] if start < end else ""
        quoted = _QUOTE_END[quote].match(self.text, start + 1, end) if quote in ('"', "'") and quote else None
        if quoted is None:
            raise self.fail("bad_section_name", "expected the section's name in quotes", item.span)
        return quoted.group()[:-1], quoted.end()

    def _check_section_end(self, item: Directive, block: _Open) -> None:
        start = item.body.start + len("endsection")
        if not self.text[start : item.body.end].strip():
            return
        name, end = self._section_name(item, start, item.body.end)
        if name != block.names[0] or self.text[end : item.body.end].strip():
            raise self.fail("mismatched_section", f"the open section is `{block.names[0]}`", item.span)

    def _keyword(self, keyword: str, start: int, end: int) -> int | None:
        """The offset of a keyword outside quotes and brackets."""
        for position in self._top_level(start, end):
            if self.text.startswith(keyword, position, end):
                return position
        return None

    def _split(self, delimiter: str, start: int, end: int) -> Iterator[Span]:
        for position in self._top_level(start, end):
            if self.text[position] == delimiter:
                yield Span(start, position)
                start = position + 1
        yield Span(start, end)

    def _top_level(self, start: int, end: int) -> Iterator[int]:
        """The offsets outside quotes and brackets."""
        depth = 0
        position = start
        while position < end:
            character = self.text[position]
            if character in "\"'":
                quoted = _QUOTE_END[character].match(self.text, position + 1, end)
                position = end if quoted is None else quoted.end()
                continue
            if character in "([{":
                depth += 1
            elif character in ")]}":
                depth -= 1
            elif depth == 0:
                yield position
            position += 1


_SECTION_ARGUMENT = re.compile(r"[\s,]*[A-Za-z_][A-Za-z0-9_]*\s*=(?!=)")
_NEXT_ARGUMENT = re.compile(r"[\s,]+[A-Za-z_][A-Za-z0-9_]*\s*=(?!=)")


class _Open:
    """A block that is not closed yet."""

    def __init__(
        self,
        directive: Directive,
        parent: list[Node],
        *,
        condition: Expression | None = None,
        names: tuple[str, ...] = (),
    ) -> None:
        self.directive = directive
        self.parent = parent
        self.condition = condition
        self.names = names
        self.body: list[Node] = []
        self.branches: list[Branch] = []
        self.first_body = self.body
        self.otherwise_directive: Directive | None = None
        self._branch = directive

    def takes(self, item: Directive, plain: bool) -> bool:
        """Whether a directive goes on with this block or closes it; after `else` only a plain `end` does."""
        kind = self.directive.kind
        if kind == "section":
            return item.kind == "endsection"
        if self.otherwise_directive is not None:
            return item.kind == "end" and plain
        return item.kind in ("end", "else") or (item.kind == "elif" and kind == "if")

    def next_branch(self, item: Directive, condition: Expression) -> None:
        self._end_branch()
        self._branch, self.condition, self.body = item, condition, []

    def begin_otherwise(self, item: Directive) -> None:
        self._end_branch()
        self.otherwise_directive, self.body = item, []

    def _end_branch(self) -> None:
        if self.directive.kind == "if":
            assert self.condition is not None
            self.branches.append(Branch(self._branch, self.condition, self.body))

    def close(self, end: Directive) -> Node:
        otherwise = None if self.otherwise_directive is None else self.body
        if self.directive.kind == "section":
            return Section(self.directive, self.names[0], self.body, end)
        if self.directive.kind == "if":
            if otherwise is None:
                self._end_branch()
            return If(self.branches, otherwise, self.otherwise_directive, end)
        assert self.condition is not None
        key = self.names[0] if len(self.names) == 2 else None
        return For(self.directive, key, self.names[-1], self.condition, self.first_body, otherwise, end)

    def missing_end(self, parser: _Parser) -> TemplateError:
        """The end of the text inside this block. An `if` with an `else` is reported at that, as in the reference."""
        kind, span = self.directive.kind, self.directive.span
        if self.otherwise_directive is not None:
            if kind == "if":
                span = self.otherwise_directive.span
            kind = "else"
        end = "endsection" if kind == "section" else "end"
        return parser.fail("missing_end", f"`{{{{ {kind} }}}}` has no `{{{{ {end} }}}}`", span)


def _is_name(text: str) -> bool:
    return bool(text) and (text[0].isalpha() or text[0] == "_") and text.replace("_", "a").isalnum()
