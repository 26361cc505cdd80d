"""Parsing templates: the text into directives and the texts between them, and these into blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from toolsurface_lint.protocols.expressions import Expression, ExpressionError, Path, parse_expression
from toolsurface_lint.protocols.landmarks import stripped
from toolsurface_lint.protocols.templates import (
    Block,
    Branch,
    Directive,
    Include,
    Node,
    Output,
    Template,
    TemplateError,
    Text,
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
        return TemplateError(self.text, kind, item.span, **values)

    def parse(self) -> Template:
        items = list(scan_directives(self.text))
        directives = [item for item in items if isinstance(item, Directive)]
        return Template(self.text, self._nodes(items), directives)

    def _nodes(self, items: Iterable[Text | Directive]) -> list[Node]:
        """Nest the items. A loop with a stack of open blocks: nesting is the input's choice."""
        root: list[Node] = []
        stack: list[Block] = []
        for item in items:
            nodes = stack[-1].branches[-1].body if stack else root
            if isinstance(item, Text):
                nodes.append(item)
            elif item.kind == "raw":
                if item.body.start < item.body.end:
                    nodes.append(Text(item.body))
            elif item.kind in ("if", "for", "section"):
                if len(stack) >= MAX_DEPTH:
                    raise self.fail("too_deep/blocks", item, levels=MAX_DEPTH)
                stack.append(self._open(item))
                nodes.append(stack[-1])
            elif item.kind in ("elif", "else", "end", "endsection"):
                self._continue(item, stack)
            elif item.kind != "comment":
                nodes.append(self._include(item) if item.kind == "include" else self._output(item))
        if stack:
            raise self._missing_end(stack[-1])
        return root

    def _open(self, item: Directive) -> Block:
        start = item.body.start + len(item.kind)
        if item.kind == "if":
            return Block("if", [Branch(item, self._expression(item, start, item.body.end), [])])
        return self._open_for(item, start) if item.kind == "for" else self._open_section(item, start)

    def _continue(self, item: Directive, stack: list[Block]) -> None:
        """Close the innermost block, or begin its next branch."""
        plain = self.text[item.body.start : item.body.end] == item.kind
        block = stack[-1] if stack else None
        if block is None or not _takes(block, item, plain):
            if block is not None and block.otherwise is not None and item.kind == "end":
                raise self._missing_end(block)
            if plain or item.kind in ("elif", "endsection"):
                raise self.fail("unexpected_directive", item, directive=item.kind)
            # Words after `end` or `else` make it an expression where no block waits for it, and never a valid one.
            self._expression(item, item.body.start, item.body.end)
            raise self.fail("unexpected_directive/words", item, directive=item.kind)
        if item.kind == "elif":
            start = item.body.start + len("elif")
            block.branches.append(Branch(item, self._expression(item, start, item.body.end), []))
        elif item.kind == "else":
            block.branches.append(Branch(item, None, []))
        else:
            if item.kind == "endsection":
                self._check_section_end(item, block.names[0])
            stack.pop()

    def _missing_end(self, block: Block) -> TemplateError:
        """The end of the text inside this block. An `if` with an `else` is reported at that, as in Harn."""
        item, kind = block.branches[0].directive, block.kind
        if block.otherwise is not None:
            item, kind = block.otherwise.directive if kind == "if" else item, "else"
        return self.fail("missing_end", item, block=kind, end="endsection" if kind == "section" else "end")

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

    def _open_for(self, item: Directive, start: int) -> Block:
        start = stripped(self.text, start, item.body.end).start
        at = self._keyword(" in ", start, item.body.end)
        if at is None:
            raise self.fail("for_without_in", item)
        names = [name.strip() for name in self.text[start:at].split(",", 1)]
        if not all(_is_name(name) for name in names):
            raise self.fail("bad_for_variable", item)
        iterable = self._expression(item, at + len(" in "), item.body.end)
        return Block("for", [Branch(item, iterable, [])], tuple(names))

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

    def _open_section(self, item: Directive, start: int) -> Block:
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
        return Block("section", [Branch(item, None, [])], (name,))

    def _section_name(self, item: Directive, start: int, end: int) -> tuple[str, int]:
        start = stripped(self.text, start, end).start
        quote = self.text[start] if start < end else ""
        quoted = QUOTE_END[quote].match(self.text, start + 1, end) if quote in ('"', "'") and quote else None
        if quoted is None:
            raise self.fail("bad_section_name", item)
        return quoted.group()[:-1], quoted.end()

    def _check_section_end(self, item: Directive, opened: str) -> None:
        start = item.body.start + len("endsection")
        if not self.text[start : item.body.end].strip():
            return
        name, end = self._section_name(item, start, item.body.end)
        if name != opened or self.text[end : item.body.end].strip():
            raise self.fail("mismatched_section", item, name=opened)

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


def _takes(block: Block, item: Directive, plain: bool) -> bool:
    """Whether a directive goes on with a block or closes it; after `else` only a plain `end` does."""
    if block.kind == "section":
        return item.kind == "endsection"
    if block.otherwise is not None:
        return item.kind == "end" and plain
    return item.kind in ("end", "else") or (item.kind == "elif" and block.kind == "if")


def _is_name(text: str) -> bool:
    return bool(text) and (text[0].isalpha() or text[0] == "_") and text.replace("_", "a").isalnum()


_CLOSE_OR_QUOTE = re.compile(r"}}|[\"']")
QUOTE_END = {'"': re.compile(r'(?:[^"\\]|\\.)*+"', re.DOTALL), "'": re.compile(r"(?:[^'\\]|\\.)*+'", re.DOTALL)}
_RAW = re.compile(r"[ \t]*raw(?=[ \t\r\n]|\}\}|-\}\}|\Z)")
_TRIM_LEFT = re.compile(r"[ \t]*(?:\r\n|\r|\n)?")
_KEYWORDS = frozenset({"if", "elif", "else", "end", "for", "include", "section", "endsection"})


def scan_directives(text: str) -> Iterator[Text | Directive]:
    """The directives of a template and the texts between them, without what they trim, in the order of the text.

    Raises `TemplateError` for the first directive that has no end.
    """
    position = 0
    trim_left = False
    while True:
        start = text.find("{{", position)
        trim_right = start >= 0 and text.startswith("-", start + 2)
        between = _trimmed(text, position, len(text) if start < 0 else start, trim_left, trim_right)
        if between.start < between.end:
            yield Text(between)
        if start < 0:
            return
        trim_left = False
        inner = start + 2 + trim_right
        if text.startswith("#", inner):
            end = text.find("#}}", inner + 1)
            if end < 0:
                raise TemplateError(text, "unterminated_comment", Span(start, start + 3))
            position = end + 3
            yield Directive("comment", Span(start, position), Span(inner + 1, end))
            continue
        raw = _RAW.match(text, inner)
        close = _close(text, inner) if raw is None else text.find("}}", raw.end())
        if close < 0:
            raise TemplateError(text, "unterminated_directive", Span(start, start + 2))
        if raw is not None:
            body, position = _raw(text, Span(start, close + 2))
            yield Directive("raw", Span(start, position), body)
            continue
        trim_left = close > inner and text[close - 1] == "-"
        position = close + 2
        body = stripped(text, inner, close - trim_left)
        words = text[body.start : body.end].split(None, 1)
        yield Directive(words[0] if words and words[0] in _KEYWORDS else "value", Span(start, position), body)


def _trimmed(text: str, start: int, end: int, trim_left: bool, trim_right: bool) -> Span:
    """What two directives leave of the text between them: each may take the blanks at its side, and one line end."""
    if trim_left:
        start = min(_TRIM_LEFT.match(text, start, end).end(), end)  # type: ignore[union-attr]
    if trim_right:
        while end > start and text[end - 1] in " \t":
            end -= 1
        if end > start and text[end - 1] == "\n":
            end -= 1
            if end > start and text[end - 1] == "\r":
                end -= 1
    return Span(start, end)


def _raw(text: str, opener: Span) -> tuple[Span, int]:
    """The text between a `raw` directive and its `endraw`, and the offset after that."""
    position = opener.end
    while True:
        opening = text.find("{{", position)
        end = -1 if opening < 0 else _close(text, opening + 2)
        if end < 0:
            raise TemplateError(text, "unterminated_raw", opener)
        position = end + 2
        if text[opening + 2 : end].strip().removeprefix("-").removesuffix("-").strip() == "endraw":
            return Span(opener.end, opening), position


def _close(text: str, position: int) -> int:
    """The offset of the `}}` that closes a directive, quoted texts jumped over; -1 if none does."""
    while True:
        match = _CLOSE_OR_QUOTE.search(text, position)
        if match is None:
            return -1
        if match.group() == "}}":
            return match.start()
        quoted = QUOTE_END[match.group()].match(text, match.end())
        if quoted is None:
            return -1
        position = quoted.end()
