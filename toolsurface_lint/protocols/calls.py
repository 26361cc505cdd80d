"""Bare calls: `name({ key: value })` at the beginning of a line, as the tagged protocol writes them.

The grammar is that of Harn, release 0.7.50: what is a call here is what a runtime would run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from toolsurface_lint.protocols.landmarks import Landmarks, stripped
from toolsurface_lint.protocols.values import ValueReader, ValueSyntaxError
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Spans

BUILT_IN_TOOLS = frozenset({"ledger", "load_skill"})
"""Tools that every runtime of the Harn specification has, whatever is registered."""

LABELS = (
    *("tool_code", "tool_call", "tool_output", "call", "tool", "use"),
    *("python", "javascript", "typescript", "shell", "bash"),
)
"""The labels before a call that a runtime cuts off; any other label before a known tool loses the call."""


class Parts(NamedTuple):
    """Where the name of a call is, empty if it is not known, and the places in its arguments, None if it has none."""

    name_span: Span
    places: Spans | None


class Call:
    """One call as written: `name`, `arguments` as plain data, and `span`, which is all of it.

    The places of its parts are looked up when they are asked for.
    """

    __slots__ = ("_parts", "arguments", "name", "span")

    def __init__(self, name: str, arguments: dict[str, Any], span: Span, parts: Parts | Callable[[], Parts]) -> None:
        self.name = name
        self.arguments = arguments
        self.span = span
        self._parts = parts

    @property
    def parts(self) -> Parts:
        if not isinstance(self._parts, Parts):
            self._parts = self._parts()
        return self._parts

    def argument_span(self, path: tuple[str | int, ...]) -> Span:
        """The place of the argument at a path of keys and indexes; of the nearest part where there is none."""
        places = self.parts.places
        if places is None:
            return self.span
        for step in path:
            inner = _member(places, step)
            if inner is None:
                break
            places = inner
        return Span(places.start, places.end)

    def key_span(self, key: str) -> Span | None:
        """The place of a top-level key; None where it is not written."""
        member = None if self.parts.places is None else _member(self.parts.places, key)
        return None if member is None else Span(member.key_start, member.key_end)

    def __repr__(self) -> str:
        return f"Call({self.name!r}, {self.arguments!r}, {self.span!r})"


def _member(places: Spans, step: str | int) -> Spans | None:
    items = places.items
    if isinstance(items, dict):
        return items.get(str(step))
    return items[step] if items and isinstance(step, int) and 0 <= step < len(items) else None


class CallError(NamedTuple):
    """Something that looks like a call and cannot be read as one; nothing runs for it.

    The `code` of `problem` is one of the Harn specification's names: `unknown_tool`, `not_object_literal`, `label_prefix`,
    `argument_syntax`, `missing_close_paren`, `unterminated_string`, `unterminated_template`, `heredoc_unterminated`,
    `heredoc_missing_tag`, `heredoc_tag_not_followed_by_newline`; its value `name` is the called name, which stands at
    `name_span`. `early` is set when a body line that begins with the heredoc's tag ended the heredoc: its place.
    """

    problem: Problem[Span]
    name_span: Span
    early: Span | None = None


class Calls:
    """What a scan for bare calls found in `span` of `text`: `calls` and `errors`, in the order of the text.

    `labels` are the labels cut off before calls, `fences` the markdown fence lines, `inline` the whole text as one code
    span, `trailing` further calls on the line of a call, which no runtime sees. `consumed` are the calls with what belongs
    to them: labels, angle brackets.
    """

    __slots__ = ("calls", "consumed", "errors", "fences", "inline", "labels", "span", "text", "trailing")

    def __init__(self, text: str, span: Span) -> None:
        self.text = text
        self.span = span
        self.calls: list[Call] = []
        self.errors: list[CallError] = []
        self.labels: list[Span] = []
        self.fences: list[Span] = []
        self.inline: Span | None = None
        self.trailing: list[Span] = []
        self.consumed: list[Span] = []

    @property
    def rest(self) -> list[Span]:
        """The text, without blanks around it, that is neither call nor error nor fence."""
        taken = [*self.consumed, *self.fences, *self.trailing]
        taken.extend(Span(error.name_span.start, error.problem.at.end) for error in self.errors)
        if self.inline is not None:
            taken += [Span(self.inline.start, self.inline.start + 1), Span(self.inline.end - 1, self.inline.end)]
        rest = []
        position = self.span.start
        for start, end in [*sorted(taken), Span(self.span.end, self.span.end)]:
            if start > position:
                trimmed = stripped(self.text, position, start)
                if trimmed.start < trimmed.end:
                    rest.append(trimmed)
            position = max(position, end)
        return rest

    @property
    def prose(self) -> str:
        """The text without the calls and the fences around them; the text itself where there is no call."""
        text = self.text[self.span.start : self.span.end]
        if not self.calls:
            return text
        kept = []
        position = self.span.start
        for start, end in sorted([*self.consumed, *self._fences_around_calls()]):
            kept.append(self.text[position:start])
            position = max(position, end)
        kept.append(self.text[position : self.span.end])
        return _BLANK_LINES.sub("\n\n", "".join(kept)).strip()

    def _fences_around_calls(self) -> list[Span]:
        starts = sorted(call.span.start for call in self.calls)
        around = []
        index = 0
        for number, fence in enumerate(self.fences):
            following = self.fences[number + 1].start if number + 1 < len(self.fences) else self.span.end
            while index < len(starts) and starts[index] < fence.start:
                index += 1
            if index < len(starts) and starts[index] < following:
                around.append(fence)
                if number + 1 < len(self.fences):
                    around.append(self.fences[number + 1])
        return around


_BLANK_LINES = re.compile(r"\n{3,}")
_LINE_HEAD = re.compile(r"[ \t\r\f]*")
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_LABEL = re.compile("(?:" + "|".join(LABELS) + "):[ \t]*")
_OTHER_LABEL = re.compile(r"([A-Za-z_$][A-Za-z0-9_$]*):[ \t]*([A-Za-z_$][A-Za-z0-9_$]*)\(")
_ARGUMENT_OBJECT = re.compile(r"[ \t]*\{")


def scan_calls(landmarks: Landmarks, known: frozenset[str] | None, start: int, end: int) -> Calls:
    """The bare calls between two offsets. `known`: the names that are tools, None for every name."""
    text = landmarks.text
    found = Calls(text, Span(start, end))
    trimmed = stripped(text, start, end)
    if _is_code_span(text, trimmed):
        # Only then: a call that is all of the text runs although it is in a code span.
        inner = _scan(landmarks, known, Calls(text, Span(trimmed.start + 1, trimmed.end - 1)))
        if inner.calls or inner.errors:
            inner.span, inner.inline = found.span, trimmed
            return inner
    return _scan(landmarks, known, found)


def read_call(landmarks: Landmarks, name: Span, limit: int) -> Call:
    """The call whose name is at `name`, followed by `(`, blanks and `{`. Raises `ValueSyntaxError`."""
    reader = ValueReader(landmarks, limit)
    arguments, places = reader.read(name.end + 1)
    position = reader.blank(places.end)
    if position >= limit or landmarks.text[position] != ")":
        found = landmarks.text[position : min(position + 1, limit)]
        kind = "missing_close_paren" if found else "missing_close_paren/end"
        raise ValueSyntaxError(kind, Span(position, position + len(found)), found=found)
    called = landmarks.text[name.start : name.end]
    return Call(called, arguments, Span(name.start, position + 1), Parts(name, places))


def _is_code_span(text: str, span: Span) -> bool:
    if span.end - span.start < 3 or text[span.start] != "`" or text[span.end - 1] != "`":
        return False
    return text.find("`", span.start + 1, span.end) == span.end - 1


def _scan(landmarks: Landmarks, known: frozenset[str] | None, found: Calls) -> Calls:
    text = landmarks.text
    position, end = found.span
    in_code = False
    while position < end:
        # `position` is the beginning of a line, or what follows a call on its line.
        line_end = text.find("\n", position, end)
        line_end = end if line_end < 0 else line_end
        at_line_start = position == found.span.start or text[position - 1] == "\n"
        if at_line_start and not in_code:
            head = _LINE_HEAD.match(text, position, line_end).end()  # type: ignore[union-attr]
            if text.startswith("```", head, line_end):
                found.fences.append(Span(position, min(line_end + 1, end)))
                position = line_end + 1
                continue
            after = _try_call(landmarks, known, found, head, line_end)
            if after is not None:
                position = after
                continue
        if text.count("`", position, line_end) % 2:
            in_code = not in_code
        position = line_end + 1
    return found


def _try_call(landmarks: Landmarks, known: frozenset[str] | None, found: Calls, head: int, line_end: int) -> int | None:
    """Read a call that begins at `head`, the first character of a line.

    Returns the offset to go on at, None if nothing like a call begins there.
    """
    text, limit = landmarks.text, found.span.end
    position = head
    if text.startswith("<", position, line_end):
        position = _LINE_HEAD.match(text, position + 1, line_end).end()  # type: ignore[union-attr]
    label = _LABEL.match(text, position, line_end)
    if label is not None:
        position = label.end()
    other = _OTHER_LABEL.match(text, position, line_end)
    if other is not None and _is_known(other[2], known):
        values = {"name": other[2], "label": f"{other[1]}:"}
        found.errors.append(CallError(Problem("label_prefix", Span(*other.span(1)), values), Span(*other.span(2))))
        return line_end
    name = _NAME.match(text, position, line_end)
    if name is None or not text.startswith("(", name.end(), limit):
        return None
    called, span = name.group(), Span(*name.span())
    has_object = _ARGUMENT_OBJECT.match(text, name.end() + 1, limit) is not None
    if not _is_known(called, known):
        if not has_object:
            return None
        found.errors.append(CallError(Problem("unknown_tool", span, {"name": called}), span))
        return name.end() + 1
    if not has_object:
        opening = Span(span.start, span.end + 1)
        found.errors.append(CallError(Problem("not_object_literal", opening, {"name": called}), span))
        return name.end() + 1
    try:
        call = read_call(landmarks, span, limit)
    except ValueSyntaxError as broken:
        values = {**broken.problem.values, "name": called}
        found.errors.append(CallError(broken.problem._replace(values=values), span, broken.early))
        return max(broken.resume, name.end() + 1)
    found.calls.append(call)
    if label is not None:
        found.labels.append(Span(label.start(), label.start() + len(label.group().rstrip())))
    after = _LINE_HEAD.match(text, call.span.end, limit).end()  # type: ignore[union-attr]
    if text.startswith("<", head, line_end) and text.startswith(">", after, limit):
        after += 1
    found.consumed.append(Span(head, after))
    return _skip_trailing_calls(landmarks, known, found, after)


def _skip_trailing_calls(landmarks: Landmarks, known: frozenset[str] | None, found: Calls, position: int) -> int:
    """Record the calls that follow a call on its line; the offset after them."""
    text, limit = landmarks.text, found.span.end
    while True:
        name = _NAME.match(text, position, limit)
        if name is None or not text.startswith("(", name.end(), limit) or not _is_known(name.group(), known):
            return position
        if _ARGUMENT_OBJECT.match(text, name.end() + 1, limit) is None:
            return position
        try:
            call = read_call(landmarks, Span(*name.span()), limit)
        except ValueSyntaxError:
            return position
        found.trailing.append(call.span)
        position = _LINE_HEAD.match(text, call.span.end, limit).end()  # type: ignore[union-attr]


def _is_known(name: str, known: Iterable[str] | None) -> bool:
    return known is None or name in known
