"""Parsing templates: the text into directives and what stands between them, and these into blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from toolsurface_lint.protocols.expressions import Expression, ExpressionError, Path, parse_expression
from toolsurface_lint.protocols.landmarks import stripped
from toolsurface_lint.protocols.templates import (
    Branch,
    Directive,
    For,
    If,
    Include,
    Node,
    Output,
    Section,
    Template,
    TemplateError,
    Text,
    template_error,
)
from toolsurface_lint.source.text import MAX_DEPTH, Span

SECTIONS = (
    *("task", "examples", "output_format", "tools"),
    *("thinking_scaffold", "chain_of_thought", "system_framing"),
)
"""The names that a `section` may have."""

_SECTION_ARGUMENT = re.compile(r"[\s,]*[A-Za-z_][A-Za-z0-9_]*\s*=(?!=)")
_NEXT_ARGUMENT = re.compile(r"(?<![\s,])[\s,]++[A-Za-z_][A-Za-z0-9_]*\s*=(?!=)")


def parse_template(text: str) -> Template:
    """Parse a template. Raises `TemplateError` at the first error: one of the directives' own form before any other."""
    return _Parser(text).parse()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text

    def fail(self, kind: str, item: Directive, /, **values: object) -> TemplateError:
        return template_error(self.text, kind, item.span, **values)

    def parse(self) -> Template:
        items = scan_directives(self.text)
        directives = [item for item in items if isinstance(item, Directive)]
        return Template(self.text, self._blocks(items), directives)

    def _blocks(self, items: Iterable[Text | Directive]) -> list[Node]:
        """Nest the items. A loop with a stack of open blocks: nesting is the input's choice."""
        root: list[Node] = []
        stack: list[_Open] = []
        nodes = root
        for item in items:
            if isinstance(item, Text):
                nodes.append(item)
            elif item.kind == "raw":
                if item.body.start < item.body.end:
                    nodes.append(Text(item.body))
            elif item.kind in ("if", "for", "section"):
                if len(stack) >= MAX_DEPTH:
                    raise self.fail("too_deep/blocks", item, levels=MAX_DEPTH)
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
                raise self.fail("unexpected_directive", item, directive=item.kind)
            # Words after `end` or `else` make it an expression where no block waits for it, and never a valid one.
            self._expression(item, item.body.start, item.body.end)
            raise self.fail("unexpected_directive/words", item, directive=item.kind)
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
            raise self.fail(error.problem.kind, item, **error.problem.values) from None

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
            raise self.fail("for_without_in", item)
        names = [name.strip() for name in self.text[start:at].split(",", 1)]
        if not all(_is_name(name) for name in names):
            raise self.fail("bad_for_variable", item)
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
            raise self.fail("bad_include_with", item)
        bindings = []
        for part in self._split(",", span.start + 1, span.end - 1):
            part = stripped(text, *part)
            if part.start == part.end:
                continue
            colon = next(self._split(":", *part)).end
            name = text[part.start : colon].strip()
            if colon == part.end or not _is_name(name):
                raise self.fail("bad_include_with/binding", item)
            bindings.append((name, self._expression(item, colon + 1, part.end)))
        return tuple(bindings)

    def _open_section(self, item: Directive, start: int, parent: list[Node]) -> _Open:
        name, end = self._section_name(item, start, item.body.end)
        if name not in SECTIONS:
            raise self.fail("unknown_section", item, name=name)
        position = end
        while position < item.body.end:
            argument = _SECTION_ARGUMENT.match(self.text, position, item.body.end)
            if argument is None:
                if self.text[position : item.body.end].strip(" \t\r\n,"):
                    raise self.fail("bad_section_argument", item)
                break
            following = _NEXT_ARGUMENT.search(self.text, argument.end(), item.body.end)
            position = item.body.end if following is None else following.start()
            self._expression(item, argument.end(), position)
        return _Open(item, parent, names=(name,))

    def _section_name(self, item: Directive, start: int, end: int) -> tuple[str, int]:
        start = stripped(self.text, start, end).start
        quote = self.text[start] if start < end else ""
        quoted = QUOTE_END[quote].match(self.text, start + 1, end) if quote in ('"', "'") and quote else None
        if quoted is None:
            raise self.fail("bad_section_name", item)
        return quoted.group()[:-1], quoted.end()

    def _check_section_end(self, item: Directive, block: _Open) -> None:
        start = item.body.start + len("endsection")
        if not self.text[start : item.body.end].strip():
            return
        name, end = self._section_name(item, start, item.body.end)
        if name != block.names[0] or self.text[end : item.body.end].strip():
            raise self.fail("mismatched_section", item, name=block.names[0])

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
                quoted = QUOTE_END[character].match(self.text, position + 1, end)
                position = end if quoted is None else quoted.end()
                continue
            if character in "([{":
                depth += 1
            elif character in ")]}":
                depth -= 1
            elif depth == 0:
                yield position
            position += 1


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
        """The end of the text inside this block. An `if` with an `else` is reported at that, as in Harn."""
        item, block = self.directive, self.directive.kind
        if self.otherwise_directive is not None:
            item, block = self.otherwise_directive if block == "if" else item, "else"
        end = "endsection" if block == "section" else "end"
        return parser.fail("missing_end", item, block=block, end=end)


def _is_name(text: str) -> bool:
    return bool(text) and (text[0].isalpha() or text[0] == "_") and text.replace("_", "a").isalnum()


_CLOSE_OR_QUOTE = re.compile(r"}}|[\"']")
QUOTE_END = {'"': re.compile(r'(?:[^"\\]|\\.)*+"', re.DOTALL), "'": re.compile(r"(?:[^'\\]|\\.)*+'", re.DOTALL)}
_RAW = re.compile(r"[ \t]*raw(?=[ \t\r\n]|\}\}|-\}\}|\Z)")
_TRIM_LEFT = re.compile(r"[ \t]*(?:\r\n|\r|\n)?")
_KEYWORDS = frozenset({"if", "elif", "else", "end", "for", "include", "section", "endsection"})


def scan_directives(text: str) -> list[Text | Directive]:
    """The directives of a template and the texts between them, without what they trim, in the order of the text.

    Raises `TemplateError` for the first directive that has no end.
    """
    return _Scanner(text).scan()


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._items: list[Text | Directive] = []

    def scan(self) -> list[Text | Directive]:
        text = self._text
        position = 0
        trim_left = False
        while True:
            start = text.find("{{", position)
            end = len(text) if start < 0 else start
            trim_right = start >= 0 and text.startswith("-", start + 2)
            self._add_text(position, end, trim_left, trim_right)
            trim_left = False
            if start < 0:
                return self._items
            inner = start + 2 + trim_right
            if text.startswith("#", inner):
                position = self._comment(start, inner)
            elif (raw := _RAW.match(text, inner)) is not None:
                position = self._raw(start, raw.end())
            else:
                close = self._close(inner)
                if close is None:
                    raise template_error(text, "unterminated_directive", Span(start, start + 2))
                trim_left = close > inner and text[close - 1] == "-"
                position = close + 2
                body = stripped(text, inner, close - trim_left)
                words = text[body.start : body.end].split(None, 1)
                kind = words[0] if words and words[0] in _KEYWORDS else "value"
                self._items.append(Directive(kind, Span(start, position), body))

    def _add_text(self, start: int, end: int, trim_left: bool, trim_right: bool) -> None:
        if trim_left:
            start = min(_TRIM_LEFT.match(self._text, start, end).end(), end)  # type: ignore[union-attr]
        if trim_right:
            blank = end
            while blank > start and self._text[blank - 1] in " \t":
                blank -= 1
            if blank > start and self._text[blank - 1] == "\n":
                blank -= 1
                if blank > start and self._text[blank - 1] == "\r":
                    blank -= 1
            end = blank
        if start < end:
            self._items.append(Text(Span(start, end)))

    def _comment(self, start: int, inner: int) -> int:
        end = self._text.find("#}}", inner + 1)
        if end < 0:
            raise template_error(self._text, "unterminated_comment", Span(start, start + 3))
        self._items.append(Directive("comment", Span(start, end + 3), Span(inner + 1, end)))
        return end + 3

    def _raw(self, start: int, after: int) -> int:
        text = self._text
        close = text.find("}}", after)
        if close < 0:
            raise template_error(text, "unterminated_directive", Span(start, start + 2))
        content = position = close + 2
        while True:
            opening = text.find("{{", position)
            end = None if opening < 0 else self._close(opening + 2)
            if end is None:
                raise template_error(text, "unterminated_raw", Span(start, close + 2))
            if text[opening + 2 : end].strip().removeprefix("-").removesuffix("-").strip() == "endraw":
                self._items.append(Directive("raw", Span(start, end + 2), Span(content, opening)))
                return end + 2
            position = end + 2

    def _close(self, position: int) -> int | None:
        """The offset of the `}}` that closes a directive, quoted texts jumped over."""
        while True:
            match = _CLOSE_OR_QUOTE.search(self._text, position)
            if match is None:
                return None
            if match.group() == "}}":
                return match.start()
            quoted = QUOTE_END[match.group()].match(self._text, match.end())
            if quoted is None:
                return None
            position = quoted.end()
