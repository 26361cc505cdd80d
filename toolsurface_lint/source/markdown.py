"""Markdown: front matter, fenced code and blocks, as places in the text.

Two accuracies of one layout. The quick one is a scanner of our own, because most prompts have nothing to report and
markdown-it-py reads 3 MB/s. The exact one asks markdown-it-py wherever the two could differ, and has the last word.

Two rules of CommonMark are off. Prompts mark their sections with tags of their own (`<example>`), which no browser
will ever see: read as HTML, such a section would swallow the fences inside it. Link reference definitions are plain
text here, because a model reads them too. Tables are read, so that each of their rows is a block.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from toolsurface_lint.source.text import Span

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


class FrontMatter(NamedTuple):
    """The head of a markdown file: `content` lies between the two `---` lines; the text after them begins at `body`."""

    content: Span
    body: int


_OPENING = re.compile(r"---[ \t]*(?:\r\n|\r|\n)")
_CLOSING = re.compile(r"(?:^|(?<=[\r\n]))(?:---|\.\.\.)[ \t]*(?:\r\n|\r|\n|\Z)")
# A file may also begin with a thematic break: front matter is only what begins like YAML members, or holds nothing.
_MEMBERS = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n))*+[\w\"'$][^:\r\n]*:(?:[ \t\r\n]|\Z)|[ \t\r\n]*\Z")


def front_matter(text: str) -> FrontMatter | None:
    """The front matter of a file's text, or None. What stands in it need not be YAML that a strict reader accepts."""
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

    __slots__ = ("_leaves", "exact", "fences", "text")

    def __init__(self, text: str, fences: list[Span], exact: bool, leaves: Leaves | None = None) -> None:
        self.text = text
        self.fences = fences
        self.exact = exact
        self._leaves = leaves

    def block_end(self, offset: int) -> int:
        """Where the paragraph, heading, table row or code block that holds `offset` ends, without its line end."""
        if not self.exact:
            return _quick_block_end(self.text, offset)
        if self._leaves is None:
            self._leaves = _parse(self.text)[1]
        return self._leaves.end(offset, self.text)


def layout(text: str, exact: bool = False) -> Layout:
    """The layout of a text. The exact one costs a parse only where the quick one could be wrong."""
    text = uniform(text)
    plain = _plain_fences(text)
    if plain is not None:
        return Layout(text, plain, exact)
    fences, certain = _quick_fences(text)
    if exact and not certain:
        fences, leaves = _parse(text)
        return Layout(text, fences, exact, leaves)
    return Layout(text, fences, exact)


# --- quick --------------------------------------------------------------------------------------------------------

# Begins with a literal, which `re` finds at the speed of memchr; an anchor in its place costs ten times as much.
_FENCE_LINE = re.compile(r"\n([ \t>*+\-0-9.)]*+)(`{3,}+|~{3,}+)([^\n]*+)")
_STARTS = (
    r"\n|\Z|\#{1,6}(?:[ \t\n]|\Z)|```|~~~|[-+*](?:[ \t\n]|\Z)|[0-9]{1,9}[.)](?:[ \t\n]|\Z)|\|"
    r"|-[-\ \t]*+(?:\n|\Z)|=++[ \t]*+(?:\n|\Z)|_[_\ \t]*+(?:\n|\Z)|\*[*\ \t]*+(?:\n|\Z)"
)
_BLOCK_START = re.compile(rf"\n(?=[ \t]*+(?:>|{_STARTS}))")
_BLOCK_START_IN_QUOTE = re.compile(rf"\n(?=[ \t>]*+(?:{_STARTS}))")
_QUOTED = re.compile(r"[ \t]*+>")
_HEADING = re.compile(r"[ \t>]*+#{1,6}(?:[ \t\n]|\Z)")


# A quote mark with nothing behind it: what follows, quoted or not, is another block.
_EMPTY_QUOTE = re.compile(r"[ >\t]*>[ >\t]*(?:\n|\Z)")


def _quick_block_end(text: str, offset: int) -> int:
    """Like `Layout.block_end`, by the look of the lines alone: mostly right, and asked only before the exact look."""
    line = text.rfind("\n", 0, offset) + 1
    if _HEADING.match(text, line) or _EMPTY_QUOTE.match(text, line):
        end = text.find("\n", offset)
        return end if end >= 0 else len(text)
    start = (_BLOCK_START_IN_QUOTE if _QUOTED.match(text, line) else _BLOCK_START).search(text, offset)
    return start.start() if start else len(text)


def _plain_fences(text: str) -> list[Span] | None:
    """The fences of a text in which three backticks only ever begin a line, as in most; None for any other text.

    Each of them is then the first or the last line of a fence, for any reader of Markdown.
    """
    if "~" in text and "~~~" in text:
        return None
    before, *parts = text.split("```")
    fences: list[Span] = []
    opened = -1
    start = len(before)
    for part in parts:
        if (before[-1:] != "\n" and start) or part[:1] == "`":
            return None
        before = part
        rest = part.partition("\n")[0]
        if opened < 0:
            if "`" not in rest:
                opened = start
        elif not rest or not rest.strip(" \t"):
            fences.append(Span(opened, min(start + 4 + len(rest), len(text))))
            opened = -1
        start += 3 + len(part)
    if opened >= 0:
        fences.append(Span(opened, len(text)))
    return fences


def _quick_fences(text: str) -> tuple[list[Span], bool]:
    """The fences, and whether they are surely those of CommonMark.

    They are as long as every fence opens at the first column: no list and no quote can hold such a line.
    """
    fences: list[Span] = []
    opened = -1
    opening = ""
    # One line end in front makes every line begin alike: offsets in `lines` are one too large.
    lines = "\n" + text
    for line in _FENCE_LINE.finditer(lines):
        indent, run, rest = line.groups()
        if opened >= 0:
            # Nearly every fence is closed by the same line again.
            if (run == opening and not indent and not rest) or _closes(indent, run, rest, opening):
                fences.append(Span(opened, min(line.end(), len(text))))
                opened = -1
        elif run[0] == "`" and "`" in rest:
            continue
        elif indent:
            # Whatever was open before the last fence at the first column, that fence has closed it.
            fences.extend(_nested_fences(text, fences[-1].end if fences else 0))
            return fences, False
        else:
            opened, opening = line.start(), run
    if opened >= 0:
        fences.append(Span(opened, len(text)))
    return fences, True


def _closes(indent: str, run: str, rest: str, opening: str) -> bool:
    return (
        run[0] == opening[0]
        and len(run) >= len(opening)
        and len(indent) <= 3
        and not indent.strip(" ")
        and not rest.strip(" \t")
    )


_ITEM = re.compile(r"(?:[-+*]|([0-9]{1,9})[.)])(?= |\Z)")
_BREAK = re.compile(r"(?:(?:\* *+){3,}+|(?:- *+){3,}+|(?:_ *+){3,}+)\Z")
_UNDERLINE = re.compile(r"(?:=++|-++) *+\Z")
_FENCE = re.compile(r"(`{3,}+)([^`]*+)\Z|(~{3,}+)(.*+)\Z")
_MAX_CONTAINERS = 50
_QUOTE = 0


def _nested_fences(text: str, start: int) -> Iterator[Span]:
    """The fences from `start`, the start of a line outside all lists and quotes; those in lists and quotes too.

    Follows the containers line by line as CommonMark describes it. `containers` holds the open ones from the outside
    in: the columns that a line must be indented to belong to a list item, or `_QUOTE`.
    """
    containers: list[int] = []
    fence = ""
    fence_start = 0
    paragraph = hollow = False
    position = end = start
    for line in text[start:].split("\n"):
        position, end = end, end + len(line) + 1
        rest = line.expandtabs(4) if "\t" in line else line
        depth, rest = _continued(containers, rest)
        if fence:
            if depth == len(containers):
                closing = _FENCE.match(rest.lstrip(" "))
                indent = rest[: len(rest) - len(rest.lstrip(" "))]
                if closing and _closes(indent, closing[1] or closing[3], closing[2] or closing[4] or "", fence):
                    yield Span(fence_start, min(end, len(text)))
                    fence = ""
                continue
            yield Span(fence_start, position)
            fence = ""
        if not rest.strip():
            # An item that begins with an empty line ends with a second one.
            del containers[depth - hollow if depth == len(containers) else depth :]
            paragraph = hollow = False
            continue
        interrupts = paragraph and depth == len(containers)
        opened, rest = _opened(rest, interrupts, _MAX_CONTAINERS - depth)
        content = rest.lstrip(" ")
        indent_width = len(rest) - len(content)
        hollow = bool(opened) and opened[-1] != _QUOTE and not content
        if opened:
            containers[depth:] = opened
            paragraph = False
        opener = _FENCE.match(content) if indent_width <= 3 else None
        if opener:
            if not opened:
                del containers[depth:]
            fence, fence_start, paragraph = opener[1] or opener[3], position, False
            continue
        breaks = indent_width <= 3 and bool(
            _HEADING.match(content) or _BREAK.match(content) or (interrupts and _UNDERLINE.match(content))
        )
        if not opened and depth < len(containers) and (breaks or not paragraph):
            # Not the lazy continuation of a paragraph: what was not continued is closed.
            del containers[depth:]
            paragraph = False
        if not paragraph:
            paragraph = bool(content) and indent_width <= 3
        if breaks:
            paragraph = False
    if fence:
        yield Span(fence_start, len(text))


def _continued(containers: list[int], rest: str) -> tuple[int, str]:
    """How many of the open containers a line continues, and the line without their marks."""
    depth = 0
    for width in containers:
        content = rest.lstrip(" ")
        indent = len(rest) - len(content)
        if width == _QUOTE:
            if indent > 3 or not content.startswith(">"):
                break
            rest = content[1:].removeprefix(" ")
        else:
            if content and indent < width:
                break
            rest = rest[width:]
        depth += 1
    return depth, rest


def _opened(rest: str, interrupts: bool, limit: int) -> tuple[list[int], str]:
    """The containers that a line opens, and what remains of it. `interrupts`: else it would continue a paragraph."""
    opened: list[int] = []
    while len(opened) < limit:
        content = rest.lstrip(" ")
        indent = len(rest) - len(content)
        if indent > 3:
            break
        if content.startswith(">"):
            opened.append(_QUOTE)
            rest = content[1:].removeprefix(" ")
        else:
            item = _ITEM.match(content)
            if item is None or _BREAK.match(content):
                break
            after = content[item.end() :]
            inner = after.lstrip(" ")
            # Only a list that begins with 1, and whose first item is not empty, can interrupt a paragraph.
            if interrupts and not opened and (not inner or item[1] not in (None, "1")):
                break
            spaces = len(after) - len(inner)
            if not inner or spaces > 4:
                spaces = 1
            opened.append(indent + item.end() + spaces)
            rest = after[spaces:]
    return opened, rest


# --- exact --------------------------------------------------------------------------------------------------------


class Leaves:
    """The blocks that hold text: their starts and ends in offsets, in order."""

    __slots__ = ("ends", "starts")

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []

    def end(self, offset: int, text: str) -> int:
        index = bisect_right(self.starts, offset) - 1
        if index >= 0 and offset < self.ends[index]:
            return self.ends[index]
        end = text.find("\n", offset)
        return end if end >= 0 else len(text)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table").disable(["html_block", "reference"])
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _parse(text: str) -> tuple[list[Span], Leaves]:
    """Fences and leaves of a uniform text as markdown-it-py sees them."""
    starts = [0]
    starts.extend(match.end() for match in re.finditer("\n", text))
    starts.append(len(text))
    fences: list[Span] = []
    leaves = Leaves()
    last = len(starts) - 1
    for token in _parser().parse(text):
        if token.map is None or token.type not in ("inline", "fence", "code_block"):
            continue
        start, end = starts[min(token.map[0], last)], starts[min(token.map[1], last)]
        if token.type == "fence":
            fences.append(Span(start, end))
        # The cells of a table share their row.
        if not leaves.starts or leaves.starts[-1] < start:
            leaves.starts.append(start)
            leaves.ends.append(end - 1 if text.endswith("\n", start, end) else end)
    return fences, leaves
