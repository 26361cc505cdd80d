"""The passages of a prompt: what is said in one of them is about the same tools."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from toolsurface_lint.source.text import Span

# A paragraph or a list: blank lines, headings and tags on lines of their own end it.
_BREAK = re.compile(r"\n(?=[ \t]*(?:\n|#{1,6}[ \t]|</?[A-Za-z][A-Za-z_-]*>[ \t]*(?:\n|\Z)))")
_EXAMPLE = re.compile(r"<(example|few[_-]shot|demonstration)s?\b[^<>\n]*+>", re.IGNORECASE)
_EXAMPLE_HEADING = re.compile(r"^#{1,6}[ \t][^\n]*\b(?:Example|Few[- ]Shot)[^\n]*$", re.IGNORECASE | re.MULTILINE)
_HEADING = re.compile(r"^#{1,6}[ \t]", re.MULTILINE)


class Passages:
    """Where each passage and each example of a text begins and ends."""

    def __init__(self, text: str) -> None:
        self._breaks = [0, *(match.end() for match in _BREAK.finditer(text)), len(text) + 1]
        self._examples = _examples(text)
        self._starts = [example.start for example in self._examples]

    def around(self, offset: int) -> Span:
        """The passage that holds an offset."""
        index = bisect_right(self._breaks, offset)
        return Span(self._breaks[index - 1], self._breaks[min(index, len(self._breaks) - 1)])

    def example(self, offset: int) -> Span | None:
        """The example that holds an offset; None outside of all."""
        index = bisect_right(self._starts, offset) - 1
        return self._examples[index] if index >= 0 and offset < self._examples[index].end else None


def _examples(text: str) -> list[Span]:
    """The examples of a text in order, apart: between tags, or below a heading until the next one."""
    found: list[Span] = []
    headings: list[int] | None = None
    openings = sorted([*_EXAMPLE.finditer(text), *_EXAMPLE_HEADING.finditer(text)], key=re.Match.start)
    unclosed: set[str] = set()
    for opening in openings:
        if found and opening.start() < found[-1].end:
            continue
        if opening[0].startswith("<"):
            closing = f"</{opening[1]}"
            end = -1 if closing in unclosed else text.find(closing, opening.end())
            if end < 0:
                unclosed.add(closing)
                continue
        else:
            if headings is None:
                headings = [match.start() for match in _HEADING.finditer(text)]
            index = bisect_right(headings, opening.start())
            end = headings[index] if index < len(headings) else len(text)
        found.append(Span(opening.start(), end))
    return found


def count_within(offsets: Sequence[int], span: Span) -> int:
    """How many of the sorted offsets are in a span."""
    return bisect_left(offsets, span.end) - bisect_left(offsets, span.start)
