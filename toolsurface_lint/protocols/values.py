"""The value grammar of call arguments: objects, arrays, strings, numbers, words, heredocs, each with its place."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from toolsurface_lint.protocols.landmarks import Landmarks
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import MAX_DEPTH, Span
from toolsurface_lint.source.tree import Spans


class ValueSyntaxError(Exception):
    """The text is not a value.

    `resume` is where a scanner goes on: after what was understood, but not after a string that never ends. `early` is
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
    """Reads values out of `text`, and never looks at `limit` or beyond."""

    __slots__ = ("_closed", "_landmarks", "limit", "text")

    def __init__(self, landmarks: Landmarks, limit: int) -> None:
        self.text = landmarks.text
        self.limit = limit
        self._landmarks = landmarks
        self._closed: tuple[str, int] | None = None

    def read(self, start: int) -> tuple[Any, Spans]:
        """The value at `start` as plain data, and the places in it. Raises `ValueSyntaxError`."""
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

    def _value(self, position: int) -> tuple[Any, Spans]:
        # A loop with a stack of open containers: nesting is the input's choice, recursion would not survive it.
        open_: list[tuple[Any, Spans, Any]] = []
        key, key_place = "", (-1, -1)
        while True:
            position = self.blank(position)
            plain, end = self._start(position)
            fresh = isinstance(plain, (dict, list))
            spans = Spans(position, end, type(plain)() if fresh else None, key_place)
            if open_:
                container, _, places = open_[-1]
                if isinstance(container, dict):
                    container[key], places[key] = plain, spans
                else:
                    container.append(plain)
                    places.append(spans)
            if fresh:
                if len(open_) >= MAX_DEPTH:
                    place = Span(position, position + 1)
                    raise ValueSyntaxError("argument_syntax/too_deep", place, levels=MAX_DEPTH)
                open_.append((plain, spans, spans.items))
            position = end
            while open_:
                container, outer, _ = open_[-1]
                position, closed = self._go_on("}" if isinstance(container, dict) else "]", position, fresh)
                if not closed:
                    break
                open_.pop()
                outer.end = position
                plain, spans, fresh = container, outer, False
            else:
                return plain, spans
            if isinstance(container, dict):
                key, key_place, position = self._key(position)
            else:
                key_place = (-1, -1)

    def _go_on(self, closer: str, position: int, fresh: bool) -> tuple[int, bool]:
        """After an opening bracket (`fresh`) or an item: the next offset, and whether `closer` has been passed."""
        position = self.blank(position)
        found = self._peek(position)
        if found == "," and not fresh:
            position = self.blank(position + 1)
            found = self._peek(position)
        elif found != closer and not fresh:
            raise self._unexpected(position, "separator", closer=closer)
        return (position + 1, True) if found == closer else (position, False)

    def _key(self, position: int) -> tuple[str, tuple[int, int], int]:
        """Read `key:`; the key, its place, and the offset after the colon."""
        quote = self._peek(position)
        if quote in ('"', "'"):
            key, end = self._quoted(position)
            if self.text.startswith("<<", position + 1, self.limit):
                raise ValueSyntaxError("argument_syntax/heredoc_key", Span(position, end))
        else:
            name = _NAME.match(self.text, position, self.limit)
            if name is None:
                raise self._unexpected(position, "key")
            key, end = name.group(), name.end()
        colon = self.blank(end)
        if self._peek(colon) != ":":
            raise ValueSyntaxError("argument_syntax/colon", Span(position, end), colon, key=key[:40])
        return key, (position, end), colon + 1

    def _start(self, position: int) -> tuple[Any, int]:
        """A whole scalar, or an empty container for its opening bracket; and the offset after it."""
        first = self._peek(position)
        if first == "{":
            return {}, position + 1
        if first == "[":
            return [], position + 1
        if first in ('"', "'"):
            return self._quoted(position)
        if first == "`":
            return self._template(position)
        if first == "<" and self.text.startswith("<<", position, self.limit):
            return self._heredoc(position)
        if first == "-" or "0" <= first <= "9":
            return self._number(position)
        for word, plain in _WORDS:
            if self.text.startswith(word, position, self.limit):
                return plain, position + len(word)
        raise self._unexpected(position, "value")

    def _quoted(self, start: int) -> tuple[str, int]:
        text, limit = self.text, self.limit
        if text.startswith("<<", start + 1, limit):
            # The quote is a slip that every runtime forgives: what follows is read as a heredoc.
            content, end = self._heredoc(start + 1)
            return content, end + (self._peek(end) == text[start])
        position = start + 1
        while (stop := _STOPS[text[start]].search(text, position, limit)) is not None:
            position = stop.end()
            if stop.group() != "\\":
                return _unescaped(text[start + 1 : position - 1], _string_escape), position
            if position >= limit:
                break
            position = self._escape(position)
        raise ValueSyntaxError("unterminated_string", Span(start, start + 1), start + 1)

    def _template(self, start: int) -> tuple[str, int]:
        text, limit = self.text, self.limit
        position = start + 1
        while (stop := _STOPS["`"].search(text, position, limit)) is not None:
            position = stop.end()
            if stop.group() == "`":
                return _unescaped(text[start + 1 : position - 1], _template_escape), position
            if stop.group() == "\\":
                position += 1
            elif text.startswith("{", position, limit):
                # An interpolation stays as text; a backtick inside it does not end the template.
                position = self._landmarks.next("}", position) + 1
            if position > limit:
                break
        raise ValueSyntaxError("unterminated_template", Span(start, start + 1), start + 1)

    def _escape(self, position: int) -> int:
        """The offset after an escape of a quoted string, whose backslash is just before `position`."""
        letter = self.text[position]
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

    def _heredoc(self, start: int) -> tuple[str, int]:
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
        end = max(text.rfind("\n", body - 1, closer), body)
        return text[body:end].removesuffix("\r"), closer + len(tag.group())

    def _number(self, start: int) -> tuple[int | float, int]:
        written = _NUMBER.match(self.text, start, self.limit)
        assert written is not None
        number = written.group()
        if _INTEGER.fullmatch(number):
            return int(number), written.end()
        try:
            value = float(number)
        except ValueError:
            value = math.inf
        if math.isinf(value):
            raise ValueSyntaxError("argument_syntax/number", Span(*written.span()), number=number[:40])
        return value, written.end()

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


def _unescaped(raw: str, escape: Callable[[re.Match[str]], str]) -> str:
    return _ESCAPE.sub(escape, raw) if "\\" in raw else raw


def _string_escape(match: re.Match[str]) -> str:
    escape = match[1]
    if len(escape) > 1:
        return chr(int(escape[1:].strip("{}"), 16))
    return _CONTROLS.get(escape, escape)


def _template_escape(match: re.Match[str]) -> str:
    first, rest = match[1][0], match[1][1:]
    return _TEMPLATE_ESCAPES.get(first, "\\" + first) + rest
