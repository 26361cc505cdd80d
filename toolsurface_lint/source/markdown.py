"""Markdown: front matter, fenced code and blocks, as places in the text.

Read by markdown-it-py, which follows 20 levels of lists and quotes and takes time in proportion to the text, but no more
than 3 MB/s. Most prompts do not need it: fences that open at the first column are found by their lines alone.

Two rules of CommonMark are off. Prompts mark their sections with tags of their own (`<example>`), which no browser
will ever see: read as HTML, such a section would swallow the fences inside it. Link reference definitions are plain
text here, because a model reads them too. Tables are read, so that each of their rows is a block.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from toolsurface_lint.source.shared import shared
from toolsurface_lint.source.text import Span, is_within

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


class FrontMatter(NamedTuple):
    """The head of a markdown file: `content` lies between the two `---` lines; the text after them begins at `body`."""

    content: Span
    body: int


_OPENING = re.compile(r"---[ \t]*(?:\r\n|\r|\n)")
_CLOSING = re.compile(r"(?:^|(?<=[\r\n]))(?:---|\.\.\.)[ \t]*(?:\r\n|\r|\n|\Z)")
# A file may also begin with a thematic break: front matter is only what begins like YAML members, or holds nothing.
_MEMBERS = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n))*+[\w\"'$][^:\r\n]*:(?:[ \t\r\n]|\Z)|[ \t\r\n]*\Z")


def front_matter(text: str) -> FrontMatter | None:
    """The front matter of a file's text, or None. What it holds need not be YAML that a strict reader accepts."""
    opening = _OPENING.match(text)
    if opening is None:
        return None
    closing = _CLOSING.search(text, opening.end())
    if closing is None or not _MEMBERS.match(text[opening.end() : closing.start()]):
        return None
    return FrontMatter(Span(opening.end(), closing.start()), closing.end())


def uniform(text: str) -> str:
    r"""The text with `\n` as its only line end, of the same length, so that offsets keep their meaning."""
    return text.replace("\r\n", " \n").replace("\r", "\n") if "\r" in text else text


class Layout:
    """Where fences and blocks lie in one text; made by `layout`.

    `text` is uniform. `fences` are whole lines, in order: the fence lines, what is between them, and the last line end.
    """

    def __init__(self, text: str, fences: list[Span], leaves: list[Span] | None = None) -> None:
        self.text = text
        self.fences = fences
        self._leaves = leaves
        """The blocks that hold text, in order, once they are known."""

    def is_fenced(self, offset: int) -> bool:
        """Whether an offset lies in a fence, or in one of its two lines."""
        return is_within(offset, self.fences)

    def block_end(self, offset: int) -> int:
        """Where the paragraph, heading, table row or code block that holds `offset` ends, without its line end."""
        if self._leaves is None:
            self._leaves = _parse(self.text)[1]
        index = bisect_right(self._leaves, (offset, len(self.text) + 1)) - 1
        if index >= 0 and offset < self._leaves[index].end:
            return self._leaves[index].end
        end = self.text.find("\n", offset)
        return end if end >= 0 else len(self.text)


@shared
def layout(text: str) -> Layout:
    """The layout of a text, as CommonMark has it."""
    text = uniform(text)
    fences = quick_fences(text)
    return Layout(text, *_parse(text)) if fences is None else Layout(text, fences)


# --- without a parse -------------------------------------------------------------------------------------------------

# Begins with a literal, which `re` finds at the speed of memchr; an anchor in its place costs ten times as much.
_FENCE_LINE = re.compile(r"\n([ \t>*+\-0-9.)]*+)(`{3,}+|~{3,}+)([^\n]*+)")


_LESS_INDENTED = tuple(re.compile(rf"\n(?! {{{size}}}| {{0,2}}\t|[ \t]*(?:\n|\Z))") for size in range(4))


def quick_fences(text: str) -> list[Span] | None:
    """The fences of a uniform text if what holds them does not matter; None if it may.

    It does not where a fence opens at the first column, nor where it opens at most three spaces further, is closed in the same
    column, and no line between them begins before it: then a list that holds it goes on for as long.
    """
    fences: list[Span] = []
    opened = -1
    opening = outer = ""
    # One line end in front makes every line begin alike: offsets in `lines` are one too large.
    lines = "\n" + text
    for line in _FENCE_LINE.finditer(lines):
        indent, run, rest = line.groups()
        if opened >= 0 and outer:
            if _closes("", run, rest, opening):
                if (
                    indent != outer
                    or _LESS_INDENTED[len(outer)].search(lines, opened + 1, line.start() + 1) is not None
                ):
                    return None
                fences.append(Span(opened, min(line.end(), len(text))))
                opened = -1
        elif opened >= 0:
            # Nearly every fence is closed by the same line again.
            if (run == opening and not indent and not rest) or _closes(indent, run, rest, opening):
                fences.append(Span(opened, min(line.end(), len(text))))
                opened = -1
        elif run[0] == "`" and "`" in rest:
            continue
        elif len(indent) > 3 or indent.strip(" "):
            return None
        else:
            opened, opening, outer = line.start(), run, indent
    if opened >= 0:
        if outer:
            return None
        fences.append(Span(opened, len(text)))
    return fences


def _closes(indent: str, run: str, rest: str, opening: str) -> bool:
    return (
        run[0] == opening[0]
        and len(run) >= len(opening)
        and len(indent) <= 3
        and not indent.strip(" ")
        and not rest.strip(" \t")
    )


# --- by a parse --------------------------------------------------------------------------------------------------------


class _LeafTokens(list["Token"]):
    """The tokens of a parse without those that hold no text: they would take several hundred times the text's memory."""

    def append(self, token: Token) -> None:
        if token.type in ("inline", "fence", "code_block"):
            super().append(token)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table").disable(["html_block", "reference"])


def _parse(text: str) -> tuple[list[Span], list[Span]]:
    """Fences and leaves of a uniform text as markdown-it-py sees them."""
    starts = [0]
    starts.extend(match.end() for match in re.finditer("\n", text))
    starts.append(len(text))
    fences: list[Span] = []
    leaves: list[Span] = []
    last = len(starts) - 1
    parser = _parser()
    tokens = _LeafTokens()
    parser.block.parse(text.replace("\0", "\ufffd"), parser, {}, tokens)
    for token in tokens:
        if token.map is None:
            continue
        start, end = starts[min(token.map[0], last)], starts[min(token.map[1], last)]
        if token.type == "fence":
            fences.append(Span(start, end))
        # The cells of a table share their row.
        if not leaves or leaves[-1].start < start:
            leaves.append(Span(start, end - 1 if text.endswith("\n", start, end) else end))
    return fences, leaves
