"""From the events of a YAML stream to values and places."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import yaml
from yaml import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import MAX_DEPTH, NotSyntax, Span, TooDeep
from toolsurface_lint.source.tree import Spans, link_open, repeated_key
from toolsurface_lint.source.yaml.scalars import RESOLVED_TAGS, plain_value

_MOST_NODES = 1_000_000
_MOST_NODES_AN_EVENT = 100
_HARMLESS_NODES = 10_000
"""So many nodes cost nothing: no document that stays below is called a bomb, however short it is."""
_HARMLESS_CHARACTERS = 1_000_000
_MOST_CHARACTERS_A_CHARACTER = 10
"""An alias to a long text is one node, but every reader goes over the text again."""

_PROPERTY = re.compile(r"(?:!<[^>\s]*>|[&!][^\s,\[\]{}]*)(?:[ \t\r\n]++(?:#[^\r\n]*+)?)*+")


LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Whichever of PyYAML's parsers is there: with libyaml, events come 30 times faster than from pure Python."""


class _Frame:
    """A collection that is still open.

    `key` is the place of the key whose value is due, `name` its text, `merge` whether it is a merge key; `merged` the
    members to merge and their places. `height` counts the levels of collections inside, itself included; `before`
    the nodes and the characters that come before it.
    """

    def __init__(self, value: Any, spans: Spans, anchor: str | None, before: tuple[int, int]) -> None:
        self.value = value
        self.spans = spans
        self.anchor = anchor
        self.before = before
        self.height = 1
        self.key: tuple[int, int] | None = None
        self.name = ""
        self.merge = False
        self.merged: tuple[dict[str, Any], dict[str, Spans]] = ({}, {})


class _Anchored(NamedTuple):
    """What an alias stands for. `text` is that of a scalar, else None.

    `size` counts nodes and `length` the characters of scalars, both with aliases expanded.
    """

    value: Any
    spans: Spans
    text: str | None
    height: int
    size: int
    length: int


class Composer:
    """Builds values and places from events, with a stack of its own: recursion would end well before `MAX_DEPTH`.

    `spans` are the places of the document that was yielded last; `duplicates` the repeated keys; `indents` the columns
    at which block scalars with an indentation indicator begin, by their raw text (None where one text has two).
    """

    def __init__(self, text: str, start: int, end: int, *, exact: bool = False) -> None:
        self.text = text
        self._exact = exact
        # PyYAML skips a byte order mark without counting it.
        self.start = start + text.startswith("\ufeff", start, end)
        self.end = end
        self.spans = Spans(start, start)
        self.duplicates: list[Problem[Span]] = []
        self.indents: dict[str, int | None] = {}
        self._anchors: dict[str, _Anchored | _Frame] = {}
        self._events = 0
        self._nodes = 0
        self._characters = 0
        self._originals: dict[int, str] = {}
        self._open: list[_Frame] = []

    def begun(self) -> Any:
        """What there is of the document in which the text stopped being readable, which is complete then no more."""
        # The key of a collection is that for which the one around it was waiting.
        outer = ("", *(frame.name for frame in self._open))
        return link_open([(frame.value, name) for frame, name in zip(self._open, outer, strict=False)])

    def documents(self) -> Iterator[tuple[Any, int, int]]:
        """The values of the stream's documents, each with the start and the end of the slice that holds it alone.

        Raises `NotSyntax` where the text stops being readable.
        """
        first = self.start
        known = 0
        try:
            part, self._originals = _without_odd_breaks(self.text[self.start : self.end])
            get_event = LOADER(part).get_event
            while True:
                event = get_event()
                kind = type(event)
                if kind is DocumentStartEvent:
                    self._anchors = {}
                    known = len(self.duplicates)
                    value, empty = self._document(get_event)
                elif kind is DocumentEndEvent:
                    last = self.start + event.end_mark.index
                    if not empty:
                        yield value, first, last
                    first = last
                elif kind is StreamEndEvent:
                    return
        except (yaml.YAMLError, UnicodeEncodeError) as error:
            from toolsurface_lint.source.yaml.errors import not_syntax, too_deep_for_libyaml

            if (at := too_deep_for_libyaml(error)) is not None:
                self._read_until(first, self.start + at, known)
            raise not_syntax(error, self.text, self.start, self.end) from None

    def _read_until(self, first: int, end: int, known: int) -> None:
        """Read the document that begins at `first` again, only up to `end`, where libyaml gave up on its depth.

        libyaml looks up to 1,024 characters ahead for a `:` before it hands out a bracket, and so gives up before it hands
        out those that are over our limit. It hands them out when the text ends first. `known` duplicates come from the
        documents before this one.
        """
        again = Composer(self.text, first, end)
        try:
            for _ in again.documents():
                pass
        finally:
            self.duplicates[known:] = again.duplicates
            self._open = again._open

    def _document(self, get_event: Callable[[], Any]) -> tuple[Any, bool]:
        """The value of the document that has begun, and whether it has no text at all; its places go to `spans`."""
        shift = self.start
        stack = self._open = []
        while True:
            event = get_event()
            kind = type(event)
            self._events += 1
            text: str | None = None
            if kind is ScalarEvent:
                self._nodes += 1
                value, spans, text = self._scalar(event, stack)
            elif kind is AliasEvent:
                value, spans, text = self._alias(event, stack)
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                start = self._after_properties(event)
                if len(stack) >= MAX_DEPTH:
                    raise TooDeep("nesting", Span(start, start + 1), most=MAX_DEPTH)
                members: Any = {} if kind is MappingStartEvent else []
                spans = Spans(start, start, {} if kind is MappingStartEvent else [])
                frame = _Frame(members, spans, event.anchor, (self._nodes, self._characters))
                if event.anchor is not None:
                    self._anchors[event.anchor] = frame
                self._nodes += 1
                stack.append(frame)
                continue
            else:
                frame = stack.pop()
                spans = frame.spans
                # A block collection is said to end at the next token, past blank lines and comments: it ends with its
                # last member, which has moved `spans.end` already.
                if event.end_mark.index > event.start_mark.index:
                    spans.end = shift + event.end_mark.index
                self._close(frame)
                value = frame.value
                if stack:
                    stack[-1].height = max(stack[-1].height, frame.height + 1)
            if not stack:
                self.spans = spans
                bare = kind is ScalarEvent and event.anchor is None and event.tag is None
                return value, bare and spans.start == spans.end
            self._add(stack[-1], value, spans, text, kind is ScalarEvent and event.implicit[0])

    def _close(self, frame: _Frame) -> None:
        members, places = frame.merged
        if members:
            # Own members win over merged ones.
            frame.value = members | frame.value
            frame.spans.items = places | frame.spans.items  # type: ignore[operator]
        # A node inside may have taken the same anchor name since: the later one counts.
        if frame.anchor is not None and self._anchors[frame.anchor] is frame:
            nodes, characters = frame.before
            size, length = self._nodes - nodes, self._characters - characters
            self._anchors[frame.anchor] = _Anchored(frame.value, frame.spans, None, frame.height, size, length)

    def _add(self, frame: _Frame, value: Any, spans: Spans, text: str | None, plain: bool) -> None:
        """Make a node the next member of an open collection: an element, a key, or the value of the last key."""
        outer = frame.spans
        outer.end = spans.end
        items = outer.items
        if type(items) is list:
            frame.value.append(value)
            items.append(spans)
            return
        assert type(items) is dict
        if frame.key is None:
            frame.key = (spans.start, spans.end)
            frame.name = self.text[spans.start : spans.end] if text is None else text
            frame.merge = plain and text == "<<"
            return
        name = frame.name
        spans.key_start, spans.key_end = frame.key
        frame.key = None
        if frame.merge and _merges(frame.merged, value, spans):
            return
        first = items.get(name)
        if first is not None:
            self._repeated(name, first, spans, frame.value[name], value)
        frame.value[name] = value
        items[name] = spans

    def _repeated(self, name: str, first: Spans, again: Spans, value: Any, value_again: Any) -> None:
        """Note a repeated key; the first one can go where it says the same and has its line to itself."""
        line = _own_line(self.text, self.end, first)
        # 1 is neither 1.0 nor true. A member on a line of its own holds no aliases, which may expand to very much.
        if line is not None and repr(value) != repr(value_again):
            line = None
        self.duplicates.append(repeated_key(name, first, again, line))

    def _scalar(self, event: Any, stack: list[_Frame]) -> tuple[Any, Spans, str]:
        text = event.value
        self._characters += len(text)
        if self._originals:
            text = text.translate(self._originals)
        start = self.start + event.start_mark.index
        end = self.start + event.end_mark.index
        anchor = event.anchor
        if anchor is not None or event.tag is not None:
            start = self._after_properties(event)
        style = event.style
        if self._exact and (style == "|" or style == ">"):
            end = self._block_end(start, end, stack)
        value = text if style and event.tag not in RESOLVED_TAGS else plain_value(text, event.tag)
        spans = Spans(start, end)
        if anchor is not None:
            self._anchors[anchor] = _Anchored(value, spans, text, 0, 1, len(text))
        return value, spans, text

    def _alias(self, event: Any, stack: list[_Frame]) -> tuple[Any, Spans, str | None]:
        start = self.start + event.start_mark.index
        end = self.start + event.end_mark.index
        span = Span(start, end)
        target = self._anchors.get(event.anchor)
        if target is None:
            raise NotSyntax("yaml_alias", span, anchor=event.anchor)
        if isinstance(target, _Frame):
            raise TooDeep("alias_in_itself", span, anchor=event.anchor)
        if len(stack) + target.height > MAX_DEPTH:
            raise TooDeep("alias_nesting", span, most=MAX_DEPTH, anchor=event.anchor)
        if stack:
            stack[-1].height = max(stack[-1].height, target.height + 1)
        self._nodes += target.size
        most = min(_MOST_NODES, max(_HARMLESS_NODES, _MOST_NODES_AN_EVENT * self._events))
        if self._nodes > most:
            raise TooDeep("alias_bomb", span, most=most)
        self._characters += target.length
        most = max(_HARMLESS_CHARACTERS, _MOST_CHARACTERS_A_CHARACTER * (end - self.start))
        if self._characters > most:
            raise TooDeep("alias_text_bomb", span, most=most)
        return target.value, Spans(start, end, target.spans.items), target.text

    def _after_properties(self, event: Any) -> int:
        """Where a node begins: after its anchor, its tag and the comments that follow them."""
        start: int = self.start + event.start_mark.index
        for present in (event.anchor is not None, event.tag is not None):
            if present:
                start = _PROPERTY.match(self.text, start, self.end).end()  # type: ignore[union-attr]
        # A scalar without text has no place but the one after its properties.
        end: int = self.start + event.end_mark.index
        return min(start, end) if type(event) is ScalarEvent else start

    def _block_end(self, start: int, end: int, stack: list[_Frame]) -> int:
        """Where the text of a block scalar ends: with the last line break that counts."""
        from toolsurface_lint.source.yaml.offsets import block_offsets, indicator

        raw = self.text[start:end]
        indent: int | None = None
        if given := indicator(raw):
            collection = stack[-1].spans.start if stack else -1
            column = collection - max(self.text.rfind("\n", 0, collection), self.text.rfind("\r", 0, collection)) - 1
            indent = given + column if stack else given
        end = start + block_offsets(raw, indent)[-1]
        if indent is not None:
            raw = self.text[start:end]
            self.indents[raw] = indent if self.indents.get(raw, indent) == indent else None
        return end


def _merges(merged: tuple[dict[str, Any], dict[str, Spans]], value: Any, spans: Spans) -> bool:
    """Whether the value of a merge key can be merged: a mapping, or a list of them; it is then added to `merged`."""
    sources = [(value, spans)]
    if isinstance(value, list):
        assert isinstance(spans.items, list)
        # The first mapping of a list wins, so it is applied last.
        sources = list(zip(value, spans.items, strict=True))[::-1]
    if not all(isinstance(members, dict) for members, _ in sources):
        return False
    for members, places in sources:
        merged[0].update(members)
        merged[1].update(places.items)  # type: ignore[arg-type]
    return True


_ODD_BREAK = re.compile("[\x85\u2028\u2029]")


def _without_odd_breaks(text: str) -> tuple[str, dict[int, str]]:
    """A text with one stand-in for each U+0085, U+2028 and U+2029, and what turns those back, for `str.translate`.

    They are not line breaks in YAML 1.2, but PyYAML folds them away as if they were; noncharacters pass unchanged.
    """
    if not _ODD_BREAK.search(text):
        return text, {}
    free = (chr(code) for code in range(0xFDD0, 0xFDF0) if chr(code) not in text)
    stand_ins = {ord(odd): stand_in for odd, stand_in in zip("\x85\u2028\u2029", free, strict=False)}
    return text.translate(stand_ins), {ord(stand_in): chr(odd) for odd, stand_in in stand_ins.items()}


_INDENT = re.compile(r"([ ]*)(?=[^ \t\r\n])")
_COLON = re.compile(r"[ \t]*:[ \t]*")
_SPECIAL = re.compile(r"[\r\n&*!#]")
# A comma in the next line belongs to a member of braces.
_REST_OF_LINE = re.compile(r"[ \t]*\r?\n(?![ \t\r\n]*,)")


def _own_line(text: str, end: int, member: Spans) -> Span | None:
    """The line of a member that has it to itself, without a comment, with its line end; `end` is that of the document."""
    line = _INDENT.match(text, text.rfind("\n", 0, member.key_start) + 1, end)
    if line is None or line.end(1) != member.key_start:
        return None
    between = text[member.key_end : member.end]
    colon = _COLON.match(between)
    rest = _REST_OF_LINE.match(text, member.end, end)
    # Behind an anchor or a tag, more hangs on the value than itself.
    if colon is None or member.key_end + colon.end() != member.start or rest is None or _SPECIAL.search(between):
        return None
    return Span(line.start(), rest.end())
