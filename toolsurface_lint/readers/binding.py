"""The lines of a prompt that bind, and where the calls in them end."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable

from toolsurface_lint.source.directives import directives, hidden_lines
from toolsurface_lint.source.markdown import Layout, layout
from toolsurface_lint.source.shared import shared
from toolsurface_lint.source.text import Span


class Binding:
    """The lines of a text that bind: in `text` all others are blank, so that offsets stay those of the whole.

    Asked about calls from the start of the text to its end; it remembers the block it is in, so that a long line costs
    its length once.
    """

    __slots__ = ("_block_end", "_layout", "_line_end", "hidden", "text")

    def __init__(self, text: str, hidden: list[Span] | None = None) -> None:
        if hidden is None:
            self._layout, self.hidden, self.text = _bound(text)
        else:
            self._layout, self.hidden, self.text = Layout(text, []), hidden, blanked(text, hidden)
        self._block_end = self._line_end = -1

    def call_end(self, parenthesis: int) -> int:
        """Where the call ends whose parenthesis opens here: after the closing one, or at the end of its block."""
        # A line lies in one block, which saves most texts from being parsed.
        if parenthesis >= self._line_end:
            end = self.text.find("\n", parenthesis)
            self._line_end = end if end >= 0 else len(self.text)
        end = _closed(self.text, parenthesis, self._line_end)
        if end >= 0:
            return end
        if parenthesis >= self._block_end:
            self._block_end = self._layout.block_end(parenthesis)
        end = _closed(self.text, parenthesis, self._block_end)
        return end if end >= 0 else self._block_end

    def gaps(self, start: int, end: int) -> tuple[Span, ...]:
        """The hidden lines between two offsets."""
        index = bisect_left(self.hidden, (start, start))
        last = bisect_left(self.hidden, (end, end))
        return tuple(self.hidden[index:last])


@shared
def _bound(text: str) -> tuple[Layout, list[Span], str]:
    """The layout of a text, its lines that do not bind, and the text with those blank."""
    laid_out = layout(text)
    fences = laid_out.fences
    hidden = sorted([*fences, *hidden_lines(directives(text, fences))])
    return laid_out, hidden, blanked(text, hidden) if hidden else text


def blanked(text: str, spans: Iterable[Span]) -> str:
    """The text with spaces in place of the spans, which are in order and may overlap."""
    parts: list[str] = []
    position = 0
    for span in spans:
        end = min(span.end, len(text))
        if end > position:
            start = max(span.start, position)
            parts.append(text[position:start])
            parts.append(" " * (end - start))
            position = end
    parts.append(text[position:])
    return "".join(parts)


# Quotes are taken whole; a quote alone is one without its end.
_INSIDE = re.compile(
    r"""[()]|"[^"\\]*+(?:\\.[^"\\]*+)*+"|'[^'\\]*+(?:\\.[^'\\]*+)*+'|`[^`\\]*+(?:\\.[^`\\]*+)*+`|["'`]""", re.DOTALL
)


def _closed(text: str, parenthesis: int, limit: int) -> int:
    """The offset after the parenthesis that closes the one given; -1 if there is none before `limit`.

    Parentheses in quotes do not count. An apostrophe opens a quote too (specification).
    """
    depth = 0
    for match in _INSIDE.finditer(text, parenthesis, limit):
        start, end = match.span()
        if end - start > 1:
            continue
        character = text[start]
        if character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
            if not depth:
                return end
        else:
            return -1
    return -1
