"""Front matter as the clients read it: the members that are there, whatever a strict YAML reader would say.

Nearly all front matter is one line a member. A reader of our own takes such lines, so that most files never load
PyYAML; what is not plainly one of them is left to YAML, and where YAML refuses the whole, each member is read by
itself, so that a colon in a description does not lose the list of tools below it. That is what the clients do. The
front matter of clients whose own form is not YAML is read in their way alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from toolsurface_lint.source.markdown import front_matter
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import SourceText, Span
from toolsurface_lint.source.tree import FileTree, Path, Spans, Tree

_LINES = re.compile(r"\.mdc\Z|(?:^|/)\.(?:cursor|windsurf)/rules/", re.IGNORECASE)
_KEY_OF_LINES = "globs"
"""The rules of clients that read front matter line by line, by their place and by a key that is theirs alone: in the
`globs: **/*` that Cursor and Windsurf write themselves, quotes would be a part of the pattern, so that no YAML is asked
for. Source: their rules in public repositories; for Windsurf also the example of its documentation on rules,
`globs: **/*.test.ts` after `trigger: glob`.
"""


class FrontMatter(NamedTuple):
    """The front matter of a markdown file.

    `tree` is an object, empty where nothing could be read; `body` is the offset at which the text after it begins.
    `problems` are of the kinds `duplicate_key` and `front_matter/...`: a strict reader would
    refuse it, at the place, for the reason after the slash. `unquoted` are the members whose texts lack the quotes with
    which a strict reader would read all of it, as lenient ones do without them.
    """

    tree: Tree
    body: int
    problems: list[Problem[Span]]
    unquoted: Sequence[str] = ()


def read_front_matter(source: SourceText) -> FrontMatter | None:
    """The front matter of a markdown file; None if it has none."""
    head = front_matter(source.text)
    if head is None:
        return None
    found = _Members(source, head.content)
    problems: list[Problem[Span]] = []
    unquoted: Sequence[str] = ()
    if not found.plain and not _LINES.search(source.path) and _KEY_OF_LINES not in found.value:
        from toolsurface_lint.source.yaml import read_yaml

        strict = read_yaml(source, head.content.start, head.content.end)
        problems = [problem for problem in strict.problems if problem.kind == "duplicate_key"]
        refused = next((problem for problem in strict.problems if problem.kind != "duplicate_key"), None)
        if refused is not None:
            edits = _quoting(source, head.content, found)
            unquoted = tuple(edits)
            if any(_COMMENT.search(found.value[name]) for name in edits):
                # What looks like a comment would become text.
                edits = {}
            names = " and ".join(f"`{name}`" for name in edits)
            values = {**refused.values, "names": names}
            problems.append(Problem(f"front_matter/{refused.kind}", refused.at, values, edits=tuple(edits.values())))
        elif len(strict.trees) == 1 and isinstance(strict.trees[0].value, dict):
            return FrontMatter(strict.trees[0], head.body, problems)
    return FrontMatter(_HeadTree(source, found.value, head.content), head.body, problems, unquoted)


def _quoting(source: SourceText, content: Span, found: _Members) -> dict[str, tuple[Span, str]]:
    """What makes YAML of front matter: quotes around the texts that need them, by the names of their members.

    Empty unless a strict reader then reads exactly what a lenient one does without them.
    """
    edits: dict[str, tuple[Span, str]] = {}
    for name, value in found.value.items():
        spans = found.spans[name]
        span = Span(spans.start, spans.end)
        if isinstance(value, str) and source.text[span.start : span.end] == value and not _PLAIN.match(value):
            edits[name] = (span, _quoted(value))
    if not edits:
        return {}
    pieces: list[str] = []
    before = 0
    for (start, end), quoted in sorted(edits.values()):
        pieces += source.text[before:start], quoted
        before = end
    text = "".join((*pieces, source.text[before : content.end]))
    from toolsurface_lint.source.yaml import read_yaml

    changed = read_yaml(SourceText("", text), content.start)
    if changed.problems or [tree.value for tree in changed.trees] != [found.value]:
        return {}
    return edits


def _quoted(value: str) -> str:
    """A text in quotes, in which nothing has to be escaped if that can be had."""
    return f"'{value.replace(chr(39), chr(39) * 2)}'" if '"' in value or "\\" in value else f'"{value}"'


class _HeadTree(FileTree):
    """The members of the front matter in a span of a text."""

    __slots__ = ("_content",)

    def __init__(self, source: SourceText, value: Any, content: Span) -> None:
        super().__init__(source, value)
        self._content = content

    def _read(self) -> _Members:
        size = len(self.source.text)
        return _Members(self.source, Span(min(self._content.start, size), min(self._content.end, size)))

    def _load(self) -> Any:
        return self._read().value

    def _locate(self) -> Spans:
        return Spans(self._content.start, self._content.end, self._read().spans)

    def _offsets(self, path: Path, raw: str) -> Sequence[int] | None:
        from toolsurface_lint.source.yaml.offsets import unescape

        return unescape(raw)

    def escape(self, raw: str, text: str, start: int, end: int) -> str | None:
        from toolsurface_lint.source.yaml.writing import escape

        return escape(raw, text, start, end)


class _Value(NamedTuple):
    """One value and its places. `plain`: a strict reader surely gives the same."""

    value: Any
    spans: Spans
    plain: bool


_LINE = re.compile(r"[^\r\n]*")
_KEY = re.compile(r"([A-Za-z_][\w.-]*)[ \t]*:(?=[ \t\r\n]|\Z)")
_EMPTY = re.compile(r"[ \t]*(?:#|\Z)")
_COMMENT = re.compile(r"[ \t]#")
# Characters that YAML takes for line breaks, or not at all, and tabs, which it takes only in some places.
_STRANGE = re.compile(r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_DOUBLE = re.compile(r'"((?:[^"\\]|\\["\\])*)"(?:[ \t]+#.*|[ \t]*)\Z')
_SINGLE = re.compile(r"'((?:[^']|'')*)'(?:[ \t]+#.*|[ \t]*)\Z")
# A plain scalar that YAML can only read as text: no indicator, digit or sign at its start, no colon that could end a key.
_PLAIN = re.compile(r"(?![-?:,\[\]{}#&*!|>'\"%@`<=~.+0-9 ])(?:[^:#]|:(?! |\Z)|(?<! )#)+\Z")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_ITEM = re.compile(r"( *)-[ ]+(\S.*)\Z")


class _Members:
    """The members of one front matter, read line by line; `plain` if YAML would read every one of them the same."""

    __slots__ = ("plain", "spans", "value")

    def __init__(self, source: SourceText, content: Span) -> None:
        self.value: dict[str, Any] = {}
        self.spans: dict[str, Spans] = {}
        text = source.text
        keys = [key for line in _lines(text, content) if (key := _KEY.match(text, line.start, line.end)) is not None]
        ends = [*(key.start() for key in keys), content.end]
        above = _lines(text, Span(content.start, ends[0]))
        self.plain = _STRANGE.search(text, content.start, content.end) is None and all(
            _EMPTY.match(text[line.start : line.end]) for line in above
        )
        for key, end in zip(keys, ends[1:], strict=True):
            name = key[1]
            member = _member(source, Span(key.end(), end))
            self.plain = self.plain and member.plain and name not in self.value
            member.spans.key_start, member.spans.key_end = key.span(1)
            self.value[name] = member.value
            self.spans[name] = member.spans


def _lines(text: str, span: Span) -> Iterator[Span]:
    """The lines of a span, without their line ends."""
    position = span.start
    while position < span.end:
        end = min(_LINE.match(text, position).end(), span.end)  # type: ignore[union-attr]
        yield Span(position, end)
        position = end + (2 if text.startswith("\r\n", end) else 1)


def _member(source: SourceText, span: Span) -> _Value:
    """The value of one member, from its colon to the next member."""
    text = source.text
    lines = list(_lines(text, span)) or [span]
    first = lines[0]
    while first.start < first.end and text[first.start] in " \t":
        first = Span(first.start + 1, first.end)
    below = [line for line in lines[1:] if not _EMPTY.match(text[line.start : line.end])]
    empty = bool(_EMPTY.match(text[first.start : first.end]))
    value: _Value | None = None
    if empty:
        value = _list(text, below) if below else _Value(None, Spans(first.start, first.start), True)
    elif not below:
        value = _scalar(text, first)
    if value is None and not (below and not empty and any(text[line.start] not in " \t" for line in below)):
        value = _alone(source, Span(first.start, span.end), empty)
    if value is None and empty:
        value = _list(text, below, lenient=True)
    return value or _raw(text, first)


def _scalar(text: str, span: Span) -> _Value | None:
    """A quoted or plain scalar that fills its line."""
    line = text[span.start : span.end]
    match = _DOUBLE.match(line)
    if match is not None:
        return _Value(re.sub(r"\\(.)", r"\1", match[1]), Spans(span.start, span.start + match.end(1) + 1), True)
    match = _SINGLE.match(line)
    if match is not None:
        return _Value(match[1].replace("''", "'"), Spans(span.start, span.start + match.end(1) + 1), True)
    comment = _COMMENT.search(line)
    word = (line if comment is None else line[: comment.start()]).rstrip()
    if _PLAIN.match(word) and word.lower() not in _WORDS:
        return _Value(word, Spans(span.start, span.start + len(word)), True)
    return None


def _list(text: str, lines: list[Span], lenient: bool = False) -> _Value | None:
    """A list of one scalar a line. `lenient`: any other item is the rest of its line."""
    values: list[Any] = []
    places: list[Spans] = []
    indent: str | None = None
    for line in lines:
        match = _ITEM.match(text[line.start : line.end])
        if match is None or (indent is not None and indent != match[1]):
            return None
        indent = match[1]
        rest = Span(line.start + match.start(2), line.end)
        item = _scalar(text, rest) or (_raw(text, rest) if lenient else None)
        if item is None:
            return None
        values.append(item.value)
        places.append(item.spans)
    dash = lines[0].start + len(indent or "")
    return _Value(values, Spans(dash, places[-1].end, places), not lenient)


def _alone(source: SourceText, span: Span, empty: bool) -> _Value | None:
    """What YAML makes of one member without the others; None if it refuses that one too.

    `empty`: nothing follows the key on its line. If something does, it is not a collection without brackets: in
    `description: Use it when: always`, what follows the second colon belongs to the text.
    """
    from toolsurface_lint.source.yaml import read_yaml

    read = read_yaml(source, span.start, span.end)
    if len(read.trees) != 1 or any(problem.kind != "duplicate_key" for problem in read.problems):
        return None
    tree = read.trees[0]
    if not empty and isinstance(tree.value, dict | list) and source.text[span.start] not in "{[":
        return None
    return _Value(tree.value, tree.spans, False)


def _raw(text: str, span: Span) -> _Value:
    """The rest of a line as text."""
    word = text[span.start : span.end].rstrip()
    return _Value(word, Spans(span.start, span.start + len(word)), False)
