"""The value grammar of call arguments: objects, arrays, strings, numbers, words, heredocs, each with its span.

JSON is a part of this grammar, so the places in a JSON object are found with the same reader.
"""

from __future__ import annotations

import re
from json import loads
from typing import Any, NamedTuple

from toolsurface_lint.protocols.landmarks import Landmarks
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import MAX_DEPTH, Span

OBJECT, ARRAY, STRING, TEMPLATE = "object", "array", "string", "template"
HEREDOC, NUMBER, WORD = "heredoc", "number", "word"


class Member(NamedTuple):
    """One `key: value` of an object; a repeated key is kept, its last value counts."""

    key: str
    key_span: Span
    value: Value


class Value:
    """One value as written.

    `plain` is what it means as Python data; `content` is the body of a heredoc, without its tags.
    """

    __slots__ = ("content", "end", "items", "kind", "members", "plain", "start")

    def __init__(self, kind: str, start: int, end: int) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        # Most values are scalars: two empty lists for each would cost a third of the time of a large response.
        self.members: list[Member] | tuple[()] = [] if kind == OBJECT else ()
        self.items: list[Value] | tuple[()] = [] if kind == ARRAY else ()
        self.content: Span | None = None
        self.plain: Any = None

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)

    def at(self, path: tuple[str | int, ...]) -> Value | None:
        """The value at a path of keys and indexes; None where there is none."""
        value: Value | None = self
        for step in path:
            if value is None:
                return None
            if isinstance(step, int):
                value = value.items[step] if 0 <= step < len(value.items) else None
            else:
                member = value.member(step)
                value = None if member is None else member.value
        return value

    def member(self, key: str) -> Member | None:
        """The member that counts for a key: the last one."""
        for member in reversed(self.members):
            if member.key == key:
                return member
        return None


class ValueSyntaxError(Exception):
    """The text is not a value.

    `resume` is where a scanner goes on: behind what was understood, but not behind a string that never ends. `early` is
    the place of a heredoc's tag that ended its body on the line of the error, while the same tag begins a later line.
    """

    def __init__(self, kind: str, span: Span, resume: int | None = None, /, **values: object) -> None:
        super().__init__(kind)
        self.problem = Problem(kind, span, values)
        self.resume = span.start if resume is None else resume
        self.early: Span | None = None


_BLANK = re.compile(r"[ \t\n\r]*")
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_TAG = re.compile(r"[A-Za-z0-9_]+")
_NUMBER = re.compile(r"-?[0-9.eE+\-]*")
_INTEGER = re.compile(r"-?[0-9]{1,18}")
_UNICODE = re.compile(r"\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{4})")
_HEX = re.compile(r"[0-9A-Fa-f]{2}")
_STOPS = {'"': re.compile(r'["\\]'), "'": re.compile(r"['\\]"), "`": re.compile(r"[`\\$]")}
_ESCAPE = re.compile(r"\\(u\{[0-9A-Fa-f]+\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|.)", re.DOTALL)
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\n": ""}
_TEMPLATE_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "`": "`", "$": "$", "\n": ""}
_WORDS = (("true", True), ("false", False), ("null", None), ("undefined", None))


class ValueReader:
    """Reads values out of `text`, never looking at or behind `limit`.

    `json`: the text is known to be JSON, where a string may begin with `<<` and escapes are JSON's.
    """

    __slots__ = ("_closed", "_json", "_keys", "_landmarks", "_nodes", "limit", "text")

    def __init__(self, landmarks: Landmarks, limit: int, *, json: bool = False) -> None:
        self.text = landmarks.text
        self.limit = limit
        self._landmarks = landmarks
        self._json = json
        self._nodes: list[Value] = []
        self._keys: list[tuple[str, Span]] = []
        self._closed: tuple[str, int] | None = None

    def read(self, start: int) -> tuple[Value, int]:
        """The value at `start`, and the offset after it. Raises `ValueSyntaxError`.

        `plain` of its parts is not set before `evaluate`: a value that fails late costs no copies.
        """
        try:
            return self._value(start)
        except ValueSyntaxError as broken:
            broken.early = self._early_end(broken)
            raise

    def blank(self, position: int) -> int:
        """The offset of the next token: white space and comments are skipped."""
        text, limit = self.text, self.limit
        while True:
            position = _BLANK.match(text, position, limit).end()  # type: ignore[union-attr]
            if position >= limit or text[position] != "/":
                return position
            if text.startswith("//", position, limit):
                position = min(self._landmarks.next("\n", position), limit)
            elif text.startswith("/*", position, limit):
                position = min(self._landmarks.next("*/", position + 2) + 2, limit)
            else:
                return position

    def evaluate(self) -> None:
        """Set `plain` of everything read, innermost first."""
        for node in reversed(self._nodes):
            if node.kind == OBJECT:
                node.plain = {member.key: member.value.plain for member in node.members}
            elif node.kind == ARRAY:
                node.plain = [item.plain for item in node.items]
            elif node.kind == HEREDOC:
                assert node.content is not None
                node.plain = self.text[node.content.start : node.content.end]
            elif node.kind in (STRING, TEMPLATE):
                node.plain = _decoded(self.text[node.start + 1 : node.end - 1], node.kind)

    def _value(self, position: int) -> tuple[Value, int]:
        # A loop with a stack of open containers: nesting is the input's choice, recursion would not survive it.
        open_: list[Value] = []
        while True:
            position = self.blank(position)
            node = self._start(position)
            self._nodes.append(node)
            if open_:
                self._attach(open_[-1], node)
            fresh = node.kind in (OBJECT, ARRAY)
            if fresh:
                if len(open_) >= MAX_DEPTH:
                    place = Span(position, position + 1)
                    raise ValueSyntaxError("argument_syntax/too_deep", place, levels=MAX_DEPTH)
                open_.append(node)
            position = node.end
            while open_:
                position, wants_value = self._go_on(open_[-1], position, fresh)
                if wants_value:
                    break
                open_.pop()
                fresh = False
            else:
                return self._nodes[0], position

    def _attach(self, container: Value, node: Value) -> None:
        if isinstance(container.items, list):
            container.items.append(node)
        elif isinstance(container.members, list):
            key, span = self._keys.pop()
            container.members.append(Member(key, span, node))

    def _go_on(self, container: Value, position: int, fresh: bool) -> tuple[int, bool]:
        """Behind an opening bracket (`fresh`) or an item: the next offset, and whether another value stands there."""
        closer = "}" if container.kind == OBJECT else "]"
        position = self.blank(position)
        found = self._peek(position)
        if found == "," and not fresh:
            position = self.blank(position + 1)
            found = self._peek(position)
        elif found != closer and not fresh:
            raise self._unexpected(position, "separator", closer=closer)
        if found == closer:
            container.end = position + 1
            return container.end, False
        if container.kind == OBJECT:
            position = self._key(position)
        return position, True

    def _key(self, position: int) -> int:
        """Read `key:` and return the offset after it."""
        quote = self._peek(position)
        if quote in ('"', "'"):
            node = self._quoted(position, STRING)
            if node.kind == HEREDOC:
                raise ValueSyntaxError("argument_syntax/heredoc_key", node.span)
            written = self.text[position : node.end]
            key, end = loads(written) if self._json else _decoded(written[1:-1], STRING), node.end
        else:
            name = _NAME.match(self.text, position, self.limit)
            if name is None:
                raise self._unexpected(position, "key")
            key, end = name.group(), name.end()
        colon = self.blank(end)
        if self._peek(colon) != ":":
            raise ValueSyntaxError("argument_syntax/colon", Span(position, end), colon, key=key[:40])
        self._keys.append((key, Span(position, end)))
        return colon + 1

    def _start(self, position: int) -> Value:
        """A whole scalar, or the opening bracket of a container."""
        first = self._peek(position)
        if first == "{":
            return Value(OBJECT, position, position + 1)
        if first == "[":
            return Value(ARRAY, position, position + 1)
        if first in ('"', "'"):
            return self._quoted(position, STRING)
        if first == "`":
            return self._quoted(position, TEMPLATE)
        if first == "<" and self.text.startswith("<<", position, self.limit):
            return self._heredoc(position)
        if first == "-" or "0" <= first <= "9":
            return self._number(position)
        for word, plain in _WORDS:
            if self.text.startswith(word, position, self.limit):
                node = Value(WORD, position, position + len(word))
                node.plain = plain
                return node
        raise self._unexpected(position, "value")

    def _quoted(self, start: int, kind: str) -> Value:
        text, limit = self.text, self.limit
        if kind == STRING and not self._json and text.startswith("<<", start + 1, limit):
            # The quote is a slip that every runtime forgives: what follows is read as a heredoc.
            node = self._heredoc(start + 1)
            node.start = start
            if self._peek(node.end) == text[start]:
                node.end += 1
            return node
        quote = text[start]
        position = start + 1
        while True:
            stop = _STOPS[quote].search(text, position, limit)
            if stop is None:
                return self._unterminated(start, kind)
            position = stop.end()
            found = stop.group()
            if found == quote:
                return Value(kind, start, position)
            if found == "\\":
                if position >= limit:
                    return self._unterminated(start, kind)
                position = self._escape(position) if kind == STRING else position + 1
            elif text.startswith("{", position, limit):
                # An interpolation stays as text; a backtick inside it does not end the template.
                position = self._landmarks.next("}", position) + 1
                if position > limit:
                    return self._unterminated(start, kind)

    def _unterminated(self, start: int, kind: str) -> Value:
        raise ValueSyntaxError(f"unterminated_{kind}", Span(start, start + 1), start + 1)

    def _escape(self, position: int) -> int:
        """The offset after an escape of a quoted string, whose backslash stands before `position`."""
        letter = self.text[position]
        if self._json:
            return position + 1
        if letter == "u":
            match = _UNICODE.match(self.text, position + 1, self.limit)
            if match is not None and _is_character(match[1] or match[2]):
                return match.end()
        elif letter == "x":
            match = _HEX.match(self.text, position + 1, self.limit)
            if match is not None:
                return match.end()
        else:
            return position + 1
        place = Span(position - 1, position + 1)
        raise ValueSyntaxError("argument_syntax/escape", place, place.end, letter=letter)

    def _heredoc(self, start: int) -> Value:
        text, limit = self.text, self.limit
        position = start + 2
        quote = self._peek(position)
        if quote in ('"', "'"):
            position += 1
        tag = _TAG.match(text, position, limit)
        if tag is None:
            raise ValueSyntaxError("heredoc_missing_tag", Span(start, start + 2))
        position = tag.end()
        if quote in ('"', "'") and self._peek(position) == quote:
            position += 1
        if self._peek(position) == "\r":
            position += 1
        if self._peek(position) != "\n":
            place = Span(start, tag.end())
            raise ValueSyntaxError("heredoc_tag_not_followed_by_newline", place, tag=tag.group()[:40])
        body = position + 1
        closer = self._landmarks.heredoc_end(tag.group(), body)
        if closer is None or closer + len(tag.group()) > limit:
            raise ValueSyntaxError("heredoc_unterminated", Span(start, tag.end()), tag.end(), tag=tag.group()[:40])
        self._closed = (tag.group(), closer)
        node = Value(HEREDOC, start, closer + len(tag.group()))
        end = max(text.rfind("\n", body - 1, closer), body)
        node.content = Span(body, end - 1 if end > body and text[end - 1] == "\r" else end)
        return node

    def _number(self, start: int) -> Value:
        written = _NUMBER.match(self.text, start, self.limit)
        assert written is not None
        node = Value(NUMBER, start, written.end())
        number = written.group()
        if _INTEGER.fullmatch(number):
            node.plain = int(number)
            return node
        try:
            node.plain = float(number)
        except ValueError:
            node.plain = None
        if node.plain is None or node.plain in (float("inf"), float("-inf")):
            raise ValueSyntaxError("argument_syntax/number", node.span, number=number[:40])
        return node

    def _peek(self, position: int) -> str:
        return self.text[position] if position < self.limit else ""

    def _unexpected(self, position: int, wanted: str, **values: object) -> ValueSyntaxError:
        found = self._peek(position)
        kind = f"argument_syntax/{wanted}" if found else f"argument_syntax/{wanted}_missing"
        return ValueSyntaxError(kind, Span(position, position + len(found)), found=found, **values)

    def _early_end(self, broken: ValueSyntaxError) -> Span | None:
        if self._closed is None or broken.problem.code != "argument_syntax":
            return None
        tag, closer = self._closed
        end = closer + len(tag)
        if "\n" in self.text[end : broken.problem.at.start]:
            return None
        later = self._landmarks.heredoc_end(tag, end)
        return Span(closer, end) if later is not None and later + len(tag) <= self.limit else None


def _is_character(digits: str) -> bool:
    code = int(digits, 16) if len(digits) <= 8 else 0x110000
    return code < 0xD800 or 0xDFFF < code < 0x110000


def _decoded(raw: str, kind: str) -> str:
    if "\\" not in raw:
        return raw
    return _ESCAPE.sub(_string_escape if kind == STRING else _template_escape, raw)


def _string_escape(match: re.Match[str]) -> str:
    escape = match[1]
    if len(escape) > 1:
        return chr(int(escape[1:].strip("{}"), 16))
    return _CONTROLS.get(escape, escape)


def _template_escape(match: re.Match[str]) -> str:
    first, rest = match[1][0], match[1][1:]
    return _TEMPLATE_ESCAPES.get(first, "\\" + first) + rest
