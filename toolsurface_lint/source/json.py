"""JSON, JSON with comments, JSON Lines and concatenated documents: plain values at C speed, exact places on demand.

Two readers of one language. `json.loads` gives the values of text that is strictly JSON, which nearly all of it is.
`_Reader` gives values, places and the reason why a text is not strictly JSON; it reads comments and trailing commas,
finds the offset where text stops being readable, and has the last word on everything that the first one refuses.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

from toolsurface_lint.source.json_values import refuse, scan_value
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import MAX_DEPTH, NotSyntax, SourceText, Span, TooDeep
from toolsurface_lint.source.tree import (
    Documents,
    FileTree,
    Path,
    Spans,
    Tree,
    character_offsets,
    depth_exceeds,
    link_open,
    repeated_key,
)


class _DuplicateError(ValueError):
    """An object repeats a key: only the reader with positions can say where."""


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _DuplicateError
    return members


_decoder = json.JSONDecoder(object_pairs_hook=_members, parse_constant=refuse)
_decode = _decoder.decode


def read_json(source: SourceText, *, lines: bool = False, comments_allowed: bool = False) -> Documents:
    """The documents of a JSON text.

    `lines`: the file is JSON Lines by its name, a broken line is one problem and the others are read. Text of several
    documents, one a line or one after the other, is read whatever it is called; the value `lines` of a problem is how many
    of such lines cannot be read. `comments_allowed`: the host of this
    file reads comments and trailing commas, so they are not a problem. Problems are of the kinds `syntax`, `unreadable`
    (nesting), `duplicate_key` and `not_strict_json`. An empty text has no documents and no problems.
    """
    text = source.text
    if lines:
        return _read_lines(source, text, comments_allowed)
    try:
        return Documents([JsonTree(source, _shallow(text, _decode(text)), 0)], [])
    except (ValueError, RecursionError):
        return _read_slowly(source, text, comments_allowed)


class JsonTree(FileTree):
    """The value that begins at or after an offset of a JSON text."""

    __slots__ = ("_start",)

    def __init__(self, source: SourceText, value: Any, start: int) -> None:
        super().__init__(source, value)
        self._start = start

    def _locate(self) -> Spans:
        from toolsurface_lint.source.json_places import find_places

        with suppress(ValueError, RecursionError):
            return find_places(self.source.text, self._start, read_places)
        return read_places(self.source.text, self._start)

    def _load(self) -> Any:
        # Few values are asked for with their text, but many values of one file are not to read it once each.
        text = self.source.text if self._start else self.source.peek()
        with suppress(StopIteration, ValueError, RecursionError):
            # Which keys are repeated is known from the first reading: the last one counts, here too.
            value, end = scan_value(text, _SPACE.match(text, self._start).end())  # type: ignore[union-attr]
            # Of many values in one file, each counts its own text only.
            return _shallow(text, value, self._start, end)
        return _Reader(text).document(self._start)[0]

    def _offsets(self, path: Path, raw: str) -> Sequence[int] | None:
        return unescape(raw)

    def escape(self, raw: str, text: str, start: int, end: int) -> str | None:
        return json.dumps(text, ensure_ascii=not text.isprintable())[1:-1] if raw.startswith('"') else None


def read_places(text: str, start: int) -> Spans:
    """The places of the value that begins at or after `start`, in strict JSON or not. Raises `NotSyntax`."""
    return _Reader(text).document(start)[1]


def _read_slowly(source: SourceText, text: str, comments_allowed: bool) -> Documents:
    """Read with positions: one document, or several one after the other."""
    trees: list[Tree] = []
    reader = _Reader(text)
    problems: list[Problem[Span]] = []
    begun = None
    position = end = 0
    try:
        position = reader.skip(0)
        while position < len(text):
            value, _, end = reader.document(position)
            following = reader.skip(end)
            trees.append(JsonTree(source, value, position))
            position = following
    except NotSyntax as error:
        # A broken line among the lines of a JSON Lines file does not end the file.
        if trees and _REST_OF_LINE.match(text, end) and not _LINE_END.search(text, reader.skip(0), end):
            return _read_lines(source, text, comments_allowed)
        problems.append(error.problem)
        begun = reader.begun()
    problems.extend(reader.duplicates)
    if not comments_allowed:
        problems.extend(_not_strict([reader]))
    return Documents(trees, problems, begun)


def _not_strict(readers: Sequence[_Reader]) -> list[Problem[Span]]:
    """The first place where the parts of one file, each with its reader, are not strict; none if all of them are."""
    first = next((reader.not_strict for reader in readers if reader.not_strict is not None), None)
    if first is None:
        return []
    # A comment says something, and there is no place for it in strict JSON: only its author can move it.
    commented = any(reader.comments for reader in readers)
    commas = [] if commented else [comma for reader in readers for comma in reader.commas]
    return [first._replace(edits=tuple((comma, "") for comma in commas))]


_REST_OF_LINE = re.compile(r"[ \t]*[\r\n]")
_LINE_END = re.compile(r"[\r\n]")


def _read_lines(source: SourceText, text: str, comments_allowed: bool) -> Documents:
    trees: list[Tree] = []
    problems: list[Problem[Span]] = []
    readers: list[_Reader] = []
    broken: list[Problem[Span]] = []
    for match in re.finditer("[^\r]+" if "\n" not in text else "[^\n]+", text):
        line = match.group()
        if line.isspace():
            continue
        start, end = match.span()
        try:
            value = _shallow(line, _decode(line))
            trees.append(JsonTree(source, value, start + len(line) - len(line.lstrip())))
        except (ValueError, RecursionError):
            reader = _Reader(text, end)
            readers.append(reader)
            try:
                at = reader.skip(start)
                if at < end:
                    value, _, value_end = reader.document(at)
                    after = reader.skip(value_end)
                    if after < end:
                        raise NotSyntax("text_after_line", Span(after, end)) from None
                    trees.append(JsonTree(source, value, at))
            except NotSyntax as error:
                broken.append(error.problem)
            problems.extend(reader.duplicates)
    if not comments_allowed:
        problems.extend(_not_strict(readers))
    begun = None
    if broken:
        # However many lines cannot be read, the file is wrong once: where it begins to be.
        problems.append(broken[0]._replace(values={**broken[0].values, "lines": len(broken)}))
        if not trees:
            begun = _first_value(text)
    return Documents(trees, problems, begun)


def _first_value(text: str) -> Any:
    """The first value of a text that is not JSON Lines, over however many lines it is written, or what there is of it."""
    reader = _Reader(text)
    try:
        return reader.document(0)[0]
    except NotSyntax:
        return reader.begun()


def _shallow(text: str, value: Any, start: int = 0, end: int | None = None) -> Any:
    """The value of a range of a text unless it nests too deeply, for which it raises `RecursionError`, as the decoder may."""
    if text.count("[", start, end) + text.count("{", start, end) > MAX_DEPTH and depth_exceeds(value, MAX_DEPTH):
        raise RecursionError
    return value


_SPACE = re.compile(r"[ \t\n\r]*")
_COMMENT = re.compile(r"//[^\n\r]*|/\*(?:[^*]++|\*(?!/))*+\*/")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_NEXT_MEMBER = re.compile(r"[ \t\n\r]*,[ \t\n\r]*(?=\")")
_LITERALS = {"true": True, "false": False, "null": None}


class _Reader:
    """Reads one text from a given offset, values and places together; tolerant of comments and trailing commas.

    `not_strict` is the first place where the text used either, with what it is, `comments` and `commas` all places;
    `duplicates` the repeated keys.
    """

    def __init__(self, text: str, end: int | None = None) -> None:
        self.text = text
        self.end = len(text) if end is None else end
        self.not_strict: Problem[Span] | None = None
        self.comments: list[Span] = []
        self.commas: list[Span] = []
        self.duplicates: list[Problem[Span]] = []
        self._open: list[tuple[Any, Spans, str]] = []

    def begun(self) -> Any:
        """What there is of the value in which `document` broke off, which is complete then no more; None if nothing."""
        return link_open([(container, name) for container, _, name in self._open])

    def document(self, start: int) -> tuple[Any, Spans, int]:
        """The value that begins at or after `start`, its places, and the offset at which it ends.

        A loop with a stack of the open containers: recursion would end at Python's limit, well before `MAX_DEPTH`.
        """
        text = self.text
        limit = self.end
        skip = self.skip
        # Each open container with the name it has in the one around it.
        stack = self._open = []
        position = skip(start)
        key = (-1, -1)
        name = ""
        while True:
            # A value is expected at `position`; `name` is its key in an object, at the place `key`.
            opener = text[position] if position < limit else ""
            if opener == "{" or opener == "[":
                if len(stack) >= MAX_DEPTH:
                    raise TooDeep("nesting", Span(position, position + 1), most=MAX_DEPTH)
                value: Any = {} if opener == "{" else []
                spans = Spans(position, position, {} if opener == "{" else [], key)
                stack.append((value, spans, name))
                position = skip(position + 1)
                done = self._closes(spans, value, position)
            else:
                value, end = self._scalar(position)
                spans = Spans(position, end, None, key)
                done = True
                position = end
            while done:
                # `value` is complete and ends at `position`: close what it completes, or find the next member.
                if stack and stack[-1][1] is spans:
                    _, _, name = stack.pop()
                    position += 1
                    spans.end = position
                if not stack:
                    return value, spans, position
                container, outer, _ = stack[-1]
                items: Any = outer.items
                if type(container) is list:
                    container.append(value)
                    items.append(spans)
                else:
                    if name in items:
                        self._repeated(name, items[name], spans, _alike(container[name], value))
                    container[name] = value
                    items[name] = spans
                position = skip(position)
                comma = position < limit and text[position] == ","
                if comma:
                    at = position
                    position = skip(position + 1)
                done = self._closes(outer, container, position)
                if done:
                    if comma:
                        self.commas.append(Span(at, at + 1))
                        self._lenient(self.commas[-1], "comma")
                    value, spans = container, outer
                elif not comma:
                    closer = "}" if type(container) is dict else "]"
                    span = Span(position, position + 1)
                    raise NotSyntax("separator", span, closer=closer, found=_quoted(text[position]))
            if type(stack[-1][0]) is dict:
                name, key, position = self._key(position)
            else:
                key = (-1, -1)

    def _closes(self, spans: Spans, container: Any, position: int) -> bool:
        """Whether the container that opened at `spans.start` ends at `position`."""
        if position >= self.end:
            end = len(self.text[: self.end].rstrip())
            opened = Span(spans.start, spans.start + 1)
            raise NotSyntax("unclosed", Span(end, end), (("syntax/opened", opened),), opener=self.text[spans.start])
        return self.text[position] == ("}" if isinstance(container, dict) else "]")

    def _key(self, position: int) -> tuple[str, tuple[int, int], int]:
        """The key at `position`, its place, and the offset of its value."""
        text = self.text
        if text[position] != '"':
            raise NotSyntax("json_key", Span(position, position + 1), found=_quoted(text[position]))
        name, end = self._string(position)
        colon = self.skip(end)
        if colon >= self.end or text[colon] != ":":
            raise NotSyntax("colon", Span(position, end))
        return name, (position, end), self.skip(colon + 1)

    def _repeated(self, name: str, first: Spans, again: Spans, alike: bool) -> None:
        """Note a repeated key; `alike`: both of its values are the same, so that the first one says nothing."""
        whole: Span | None = None
        after = _NEXT_MEMBER.match(self.text, first.end)
        if alike and after is not None:
            whole = Span(first.key_start, after.end())
            if any(whole.start <= comment.start < whole.end for comment in self.comments):
                whole = None
        self.duplicates.append(repeated_key(name, first, again, whole))

    def skip(self, position: int) -> int:
        """The offset of the next character that is neither white space nor in a comment."""
        text = self.text
        if position < self.end and text[position] not in " \t\n\r/":
            return position
        while True:
            position = _SPACE.match(text, position).end()  # type: ignore[union-attr]
            if position >= self.end:
                return self.end
            if text[position] != "/":
                return position
            comment = _COMMENT.match(text, position)
            if comment is None:
                kind = "comment" if text.startswith("/*", position) else "slash"
                raise NotSyntax(kind, Span(position, position + 1))
            self.comments.append(Span(*comment.span()))
            self._lenient(self.comments[-1], "comment")
            position = comment.end()

    def _lenient(self, span: Span, what: str) -> None:
        if self.not_strict is None:
            self.not_strict = Problem(f"not_strict_json/{what}", span)

    def _scalar(self, start: int) -> tuple[Any, int]:
        """The string, number or literal at `start` and the offset at which it ends."""
        text = self.text
        if start >= self.end:
            end = len(self.text[: self.end].rstrip())
            raise NotSyntax("end", Span(end, end))
        if text[start] == '"':
            return self._string(start)
        number = _NUMBER.match(text, start)
        if number is not None:
            end = number.end()
            after = _WORD.match(text, end)
            if after is not None or text[end : end + 1] in (".", "+", "-") or text[end : end + 1].isdigit():
                raise NotSyntax("json_number", Span(start, after.end() if after else end + 1))
            return _number(number), end
        word = _WORD.match(text, start)
        if word is None:
            raise NotSyntax("unexpected", Span(start, start + 1), found=_quoted(text[start]))
        if word.group() not in _LITERALS:
            raise NotSyntax("json_value", Span(*word.span()), word=word.group()[:40])
        return _LITERALS[word.group()], word.end()

    def _string(self, start: int) -> tuple[str, int]:
        try:
            value, end = scanstring(self.text, start + 1, True)
        except json.JSONDecodeError as error:
            if error.msg.startswith("Unterminated string"):
                raise NotSyntax("string", Span(start, start + 1)) from None
            kind = "control" if "control" in error.msg else "escape"
            raise NotSyntax(kind, Span(error.pos, error.pos + 1)) from None
        if end > self.end:
            raise NotSyntax("string", Span(start, start + 1))
        return value, end


def _alike(one: Any, other: Any) -> bool:
    """Whether two values are the same, types included: 1 is neither 1.0 nor true."""
    written = json.dumps(one, sort_keys=True)
    # A number that is too long to be read has become infinite, and others have too.
    return written == json.dumps(other, sort_keys=True) and "Infinity" not in written


def _number(match: re.Match[str]) -> int | float:
    if match.group(1) or match.group(2):
        return float(match.group())
    digits = match.group()
    # Python refuses to turn more than 4,300 digits into an int; such a number is only ever quoted, so a float does.
    return int(digits) if len(digits) < 4000 else float(digits)


def _quoted(character: str) -> str:
    return f"`{character}`" if character.isprintable() else f"U+{ord(character):04X}"


_ESCAPE = re.compile(r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u[0-9a-fA-F]{4}|.)", re.DOTALL)


def unescape(raw: str) -> Sequence[int] | None:
    """For a raw JSON string with its quotes: the offset in it of each decoded character, and of the closing quote.

    An escape, and a pair of surrogate escapes, is one character. None if `raw` is not a JSON string.
    """
    if not raw.startswith('"'):
        return None
    if "\\" not in raw:
        return range(1, len(raw))
    return character_offsets(raw, 1, len(raw) - 1, _ESCAPE)
