"""Example responses inside a text that teaches a protocol: where they are, and what is wrong with them.

An example that only shows the shape, with placeholders for what a model fills in (`value`, `...`, `<name>`), is
schematic: its delimiters must be right, but what stands for a value need not parse.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from toolsurface_lint.protocols.calls import scan_calls
from toolsurface_lint.protocols.landmarks import Landmarks
from toolsurface_lint.protocols.recognition import FENCED_JSON, TAGGED, parse_response
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span

# Misspelled tags too: an example with one is what is looked for.
_NAMES = "(?:tool[-_]?calls?|assistant[-_]?prose|user[-_]?response|done)"
_TAG = re.compile(rf"<(/?)({_NAMES})>", re.IGNORECASE)
_CODE_SPAN = re.compile(r"(?<!`)(`++)(?:(?!\1)[^\n])++\1(?!`)")
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\r?\n)+")
_BLANK = re.compile(r"\s*")
_LINE_END = re.compile(r"[ \t]*\r?(?:\n|\Z)")
_NEGATION = re.compile(
    r"\b(?:not|never|no|avoid|without|forbidden|wrong|bad|incorrect|invalid|reject(?:s|ed)?|instead of|rather than)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)


def negates(words: str) -> bool:
    """Whether words speak of what must not be done."""
    return _NEGATION.search(words) is not None


def introduced_as_wrong(text: str, start: int) -> bool:
    """Whether the line before `start` introduces what follows as something that must not be written."""
    line = line_before(text, start)
    return line.rstrip("*_ ").endswith(":") and negates(line)


_LONGEST_INTRODUCTION = 400


def line_before(text: str, start: int) -> str:
    """The last line before `start` that is not blank, or the end of it."""
    return text[max(start - _LONGEST_INTRODUCTION, 0) : start].rstrip().rpartition("\n")[2]


def find_examples(text: str, protocol: str) -> list[Span]:
    """The example responses of a text, in its order; those that are shown as wrong are left out."""
    found = _TaggedText(text).examples() if protocol == TAGGED else _fenced_examples(text)
    return [span for span in found if not introduced_as_wrong(text, span.start)]


def example_violations(text: str, example: Span, protocol: str, sentinel: str | None) -> list[Problem[Span]]:
    """What breaks the protocol in an example, in offsets of the text; none of it concerns tools that are not known."""
    written = text[example.start : example.end]
    violations = _violations(written, protocol, sentinel)
    if violations:
        schema = _filled_in(written, protocol)
        if schema.places:
            violations = [
                violation
                for violation in _violations(schema.text, protocol, sentinel)
                if not (violation.code in _OF_VALUES and schema.covers(violation.at))
            ]
    return [
        violation._replace(at=Span(violation.at.start + example.start, violation.at.end + example.start))
        for violation in _causes(written, violations)
    ]


def _causes(text: str, violations: list[Problem[Span]]) -> list[Problem[Span]]:
    """The violations without those that another one brings with it."""
    drifted = [violation for violation in violations if violation.code == "wrong_info_string"]
    if drifted:
        return drifted
    found = []
    for index, violation in enumerate(violations):
        following = violations[index + 1] if index + 1 < len(violations) else None
        # Text before a closing tag that has lost its opener.
        brought = (
            following is not None
            and violation.code == following.code == "stray_content"
            and text.startswith("</", following.at.start)
            and not text[violation.at.end : following.at.start].strip()
        )
        if not brought:
            found.append(violation)
    return found


def _violations(text: str, protocol: str, sentinel: str | None) -> list[Problem[Span]]:
    if protocol == FENCED_JSON and (opener := _FENCE_LINE.match(text)) is not None and opener["info"] != "tool":
        # Not every runtime takes such a block for a call; an example that shows one is wrong all the same.
        return [Problem("wrong_info_string", Span(*opener.span("fence")), {"opener": opener["fence"]})]
    return parse_response(text, protocol, done_sentinel=sentinel).violations


# Tagged


class _Paragraphs:
    """The paragraphs of a text: what is between blank lines."""

    def __init__(self, text: str) -> None:
        blanks = [match.span() for match in _BLANK_LINES.finditer(text)]
        self._starts = [0, *(end for _, end in blanks)]
        self._ends = [*(start for start, _ in blanks), len(text)]

    def at(self, position: int) -> Span:
        """The paragraph that a position lies in; of those around it if it lies between two, the one before."""
        index = bisect_right(self._starts, position) - 1
        return Span(self._starts[index], max(self._ends[index], self._starts[index]))


_ANSWERS = ("user_response", "done")


class _TaggedText:
    """A text that teaches the tagged protocol; `text` has blanks for code spans, so that tags are not only named."""

    def __init__(self, text: str) -> None:
        text = _CODE_SPAN.sub(lambda match: " " * len(match.group()), text) if "`" in text else text
        self.text = text
        self.landmarks = Landmarks(text)
        self.paragraphs = _Paragraphs(text)
        self.tags = list(_TAG.finditer(text))
        self.on_lines = [tag for tag in self.tags if self._begins_line(tag)]
        """The tags that begin a line."""
        self.starts = [tag.start() for tag in self.on_lines]

    def examples(self) -> Iterator[Span]:
        position = 0
        for tag in self.tags:
            if tag.start() < position:
                continue
            start = self._start(tag, position)
            if start is not None:
                position = max(self._end(tag), tag.end())
                yield Span(start, position)

    def _begins_line(self, tag: re.Match[str]) -> bool:
        position = tag.start()
        while position and self.text[position - 1] in " \t":
            position -= 1
        return not position or self.text[position - 1] == "\n"

    def _ends_line(self, tag: re.Match[str]) -> bool:
        return _LINE_END.match(self.text, tag.end()) is not None

    def _lines_with_tags(self, span: Span) -> list[re.Match[str]]:
        """The first two tags between two offsets that begin a line."""
        first = bisect_left(self.starts, span.start)
        return [tag for tag in self.on_lines[first : first + 2] if tag.start() < span.end]

    def _start(self, tag: re.Match[str], after: int) -> int | None:
        """Where the example begins that a tag belongs to; None if the tag is only spoken of."""
        paragraph = self.paragraphs.at(tag.start())
        begin = max(paragraph.start, after)
        others = [
            other
            for other in self._lines_with_tags(Span(begin, paragraph.end))
            if other.start() != tag.start() and not (other[1] and not self._ends_line(other))
        ]
        if tag[1]:
            # A closing tag without its opener is part of an example where it ends a line among other tags.
            shown = others or self.text.startswith("<", begin)
            return begin if shown and self._ends_line(tag) else None
        if not self._begins_line(tag):
            opens = tag[2] == "tool_call" and self._ends_line(tag)
            return max(self.text.rfind("\n", 0, tag.start()) + 1, after) if opens else None
        closer = self.landmarks.next(f"</{tag[2]}>", tag.end())
        if self._is_explained(tag, closer):
            return None
        closed = closer < paragraph.end
        shown = self._ends_line(tag) or closed or others or line_before(self.text, tag.start()).endswith(":")
        return tag.start() if shown else None

    def _is_explained(self, tag: re.Match[str], closer: int) -> bool:
        """Whether a block on one line has words after it there, so that the line is about the tag."""
        line_end = self.landmarks.next("\n", tag.end())
        behind = self.text[closer + len(tag[2]) + 3 : line_end].strip()
        return closer < line_end and bool(behind) and not behind.startswith("<")

    def _end(self, opener: re.Match[str]) -> int:
        """Where an example ends: with the last of the blocks that follow one another, or with its paragraph."""
        if opener[1]:
            return opener.end()
        while True:
            end = self._block_end(opener)
            following = _TAG.match(self.text, _BLANK.match(self.text, end).end())  # type: ignore[union-attr]
            if following is None:
                # Words between two blocks of one paragraph are stray; after the last one they are not part of the example.
                rest = Span(end, self.paragraphs.at(end).end)
                following = next(
                    (tag for tag in self._lines_with_tags(rest) if not tag[1] or self._ends_line(tag)), None
                )
                if following is None:
                    return end
            if following[1]:
                return following.end()
            # An answer ends a response: after a blank line, another example begins.
            apart = _BLANK_LINES.search(self.text, end, following.start()) is not None
            if apart and opener[2] in _ANSWERS and following[2] not in _ANSWERS:
                return end
            opener = following

    def _block_end(self, opener: re.Match[str]) -> int:
        """Where a block ends: after its closing tag, else with its call, or with its paragraph."""
        index = bisect_left(self.starts, opener.end())
        while index < len(self.starts) and self.on_lines[index][1]:
            index += 1
        limit = self.starts[index] if index < len(self.starts) else len(self.text)
        closer = f"</{opener[2]}>"
        found = self.landmarks.next(closer, opener.end())
        if found < limit:
            return found + len(closer)
        calls = scan_calls(self.landmarks, None, opener.end(), limit).calls
        after = max([opener.end(), *(call.span.end for call in calls[:1])])
        return min(max(self.paragraphs.at(after).end, after), limit)


# Fenced JSON

_FENCE_LINE = re.compile(
    r"^[ \t]*(?P<fence>(?P<marker>```|~~~)(?![`~])[ \t]*(?P<info>[^\n`]*?))[ \t]*\r?$", re.MULTILINE
)
_CALL_OBJECT = re.compile(r'\s*\{\s*"(?:name|tool)"\s*:')
_ARGUMENTS_KEY = re.compile(r'"(?:args|arguments)"\s*:')
_OBJECT_LINE = re.compile(r'^[ \t]*\{\s*"(?:name|tool)"\s*:', re.MULTILINE)


def _fenced_examples(text: str) -> Iterator[Span]:
    fences = list(_FENCE_LINE.finditer(text))
    position = 0
    paragraphs = _Paragraphs(text)
    index = 0
    while index < len(fences):
        opener = fences[index]
        index += 1
        closer = fences[index] if index < len(fences) else None
        end = len(text) if closer is None else closer.start()
        closed = closer is not None and not closer["info"] and closer["marker"] == opener["marker"]
        index += closed
        body = text[opener.end() : end]
        if opener["info"] != "tool" and not (_CALL_OBJECT.match(body) and _ARGUMENTS_KEY.search(body)):
            continue
        yield from _unfenced_examples(text, paragraphs, position, opener.start())
        if closer is not None and closed:
            position = closer.end()
        else:
            position = min(end, max(paragraphs.at(opener.end()).end, opener.end()))
        yield Span(opener.start(), position)
    yield from _unfenced_examples(text, paragraphs, position, len(text))


def _unfenced_examples(text: str, paragraphs: _Paragraphs, start: int, end: int) -> Iterator[Span]:
    """Objects that are calls and begin a line without a fence around them, with what follows them in their paragraph."""
    resume = start
    for match in _OBJECT_LINE.finditer(text, start, end):
        if match.start() < resume:
            continue
        resume = min(paragraphs.at(match.end()).end, end)
        if _ARGUMENTS_KEY.search(text, match.end(), resume) is not None:
            yield Span(match.start(), resume)


# Schematic examples

_OF_VALUES = frozenset(
    {
        *("argument_syntax", "unterminated_string", "unterminated_template", "heredoc_missing_tag"),
        *("heredoc_unterminated", "heredoc_tag_not_followed_by_newline", "done_mismatch"),
        *("invalid_json", "unterminated", "args_not_object", "heredoc", "missing_name"),
    }
)
"""Breaks that a placeholder may cause in place of a value."""

_PLACEHOLDER = re.compile(
    r"(?P<dots>\.\.\.|…)|(?P<variable>\{\{[^{}\n]*\}\})"
    rf"|(?P<angle><(?!/?(?i:{_NAMES})>)[A-Za-z][\w ./|-]*>)"
    r"|(?<=:)(?P<word>[ \t]*(?!(?:true|false|null|undefined)\b)[A-Za-z_][\w |-]*?)(?=[ \t]*[,}\]\n])"
)


class _FilledIn(NamedTuple):
    """A schematic example with values in place of its placeholders, of the same length, and where those stood."""

    text: str
    places: list[Span]

    def covers(self, span: Span) -> bool:
        """Whether a placeholder is in the block that a span lies in."""
        start = max(self.text.rfind("\n<", 0, span.start + 1), self.text.rfind("```", 0, span.start))
        ends = [end for delimiter in ("\n</", "\n```") if (end := self.text.find(delimiter, span.start)) >= 0]
        end = min(ends, default=len(self.text))
        return any(start < place.start and place.end <= end for place in self.places)


def _filled_in(text: str, protocol: str) -> _FilledIn:
    places: list[Span] = []

    def fill(match: re.Match[str]) -> str:
        written = match.group()
        before = text[max(match.start() - 80, 0) : match.start()].rstrip(" \t")
        if before.endswith(('"', "'")) or (match["variable"] and not before.endswith((":", "[", "(", ","))):
            return written
        places.append(Span(*match.span()))
        if match["angle"] and text[match.end() : match.end() + 1] == "(":
            return "f".rjust(len(written))
        if match["angle"] and text[match.end() : match.end() + 20].lstrip(" \t").startswith(":") and protocol == TAGGED:
            return "k".ljust(len(written))
        if before.endswith("(") and len(written) >= 2:
            return "{}".ljust(len(written))
        return ("0" if before.endswith((":", "[")) or match["word"] else "").ljust(len(written))

    filled = _PLACEHOLDER.sub(fill, text)
    if protocol == FENCED_JSON:
        # A comma before dots that are gone.
        filled = re.sub(r",(?=\s*[}\]])", " ", filled) if places else filled
    return _FilledIn(filled, places)
