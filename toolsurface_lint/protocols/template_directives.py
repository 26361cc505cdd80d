"""The text of a template, taken apart into directives and what stands between them."""

from __future__ import annotations

import re

from toolsurface_lint.protocols.landmarks import stripped
from toolsurface_lint.protocols.templates import Directive, Text, template_error
from toolsurface_lint.source.text import Span

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
