"""YAML: plain values and exact places from the event stream of PyYAML, with a composer of our own.

Why not `yaml.safe_load`: it knows no places, turns `no`, `012` and dates into something else (YAML 1.1), recurses, and
follows aliases without a limit. Here plain scalars are resolved by the core schema of YAML 1.2; merge keys (`<<`) are
applied all the same, because the clients that read these files apply them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import yaml
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from toolsurface_lint.source.text import MAX_DEPTH, Cure, NotSyntax, Problem, SourceText, Span, TooDeep
from toolsurface_lint.source.tree import Documents, Spans, Tree


def read_yaml(source: SourceText, start: int = 0, end: int | None = None) -> Documents:
    """The documents of a YAML stream, or of the slice of a text that begins at `start`, at the start of a line.

    Keys are strings: a key that is none is its text in the file. A custom tag counts as absent. Anchored values are
    shared by their aliases, never copied. Problems are of the kinds `syntax`, `unreadable` (nesting, aliases that
    expand without bound or contain themselves) and `duplicate_key`; the documents before the broken one are kept, those
    after it are not read. A document without any text, as after a last `---`, is none.
    """
    composer = _Composer(source.text, start, len(source.text) if end is None else end)
    trees: list[Tree] = []
    problems: list[Problem] = []
    try:
        for value, first, last in composer.documents():
            place = _Slice(source, first, last)
            trees.append(Tree(source, value, place.locate, place.unescape, place.load, escape))
    except NotSyntax as error:
        problems.append(Problem(_KINDS.get(type(error), "syntax"), error.message, error.span))
    return Documents(trees, problems + composer.duplicates)


class _Unbounded(NotSyntax):
    """Aliases that expand to too many nodes, or to infinitely many."""


_KINDS = {TooDeep: "unreadable", _Unbounded: "unreadable"}


class _Slice:
    """The part of a text that holds one document: reads it again when its places are asked for."""

    __slots__ = ("_indents", "end", "source", "start")

    def __init__(self, source: SourceText, start: int, end: int) -> None:
        self.source = source
        self.start = start
        self.end = end
        self._indents: dict[str, int | None] = {}

    def _read(self) -> tuple[Any, Spans]:
        # The file may have changed since: what is there now is read as far as it can be.
        text = self.source.text
        composer = _Composer(text, min(self.start, len(text)), min(self.end, len(text)), exact=True)
        try:
            for value, _, _ in composer.documents():
                self._indents = composer.indents
                return value, composer.spans
        except NotSyntax:
            pass
        return None, Spans(0, 0)

    def locate(self) -> Spans:
        return self._read()[1]

    def load(self) -> Any:
        return self._read()[0]

    def unescape(self, raw: str) -> Sequence[int] | None:
        return unescape(raw, self._indents.get(raw))


class _Frame:
    """A collection that is still open.

    `key` is the place of the key whose value is due, `name` its text, `merge` whether it is a merge key; `merged` the
    mappings to merge, the strongest last. `height` counts the levels of collections inside, itself included; `before`
    the nodes that stand before it.
    """

    __slots__ = ("anchor", "before", "height", "key", "merge", "merged", "name", "spans", "value")

    def __init__(self, value: Any, spans: Spans, anchor: str | None, before: int) -> None:
        self.value = value
        self.spans = spans
        self.anchor = anchor
        self.before = before
        self.height = 1
        self.key: tuple[int, int] | None = None
        self.name = ""
        self.merge = False
        self.merged: list[tuple[dict[str, Any], dict[str, Spans]]] = []


class _Anchored(NamedTuple):
    """What an alias stands for. `size` counts nodes, with aliases expanded; `text` is that of a scalar, else None."""

    value: Any
    spans: Spans
    text: str | None
    height: int
    size: int


class _Composer:
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
        self.duplicates: list[Problem] = []
        self.indents: dict[str, int | None] = {}
        self._anchors: dict[str, _Anchored | _Frame] = {}
        self._events = 0
        self._nodes = 0
        self._originals: dict[int, str] = {}

    def _without_odd_breaks(self) -> str:
        """The text with one stand-in for each U+0085, U+2028 and U+2029.

        They are no line breaks in YAML 1.2, but PyYAML folds them away as if they were; noncharacters pass unchanged.
        """
        part = self.text[self.start : self.end]
        if not _ODD_BREAK.search(part):
            return part
        free = (chr(code) for code in range(0xFDD0, 0xFDF0) if chr(code) not in part)
        stand_ins = {ord(odd): stand_in for odd, stand_in in zip("\x85\u2028\u2029", free, strict=False)}
        self._originals = {ord(stand_in): chr(odd) for odd, stand_in in stand_ins.items()}
        return part.translate(stand_ins)

    def documents(self) -> Iterator[tuple[Any, int, int]]:
        """The values of the stream's documents, each with the start and the end of the slice that holds it alone.

        Raises `NotSyntax` where the text stops being readable.
        """
        first = self.start
        try:
            get_event = _parser(self._without_odd_breaks()).get_event
            while True:
                event = get_event()
                kind = type(event)
                if kind is DocumentStartEvent:
                    self._anchors = {}
                    value, empty = self._document(get_event)
                elif kind is DocumentEndEvent:
                    last = self.start + event.end_mark.index
                    if not empty:
                        yield value, first, last
                    first = last
                elif kind is StreamEndEvent:
                    return
        except yaml.YAMLError as error:
            raise self._not_syntax(error) from None
        except UnicodeEncodeError as error:
            at = self.start + error.start
            raise NotSyntax("a lone surrogate is no character", Span(at, at + 1)) from None

    def _document(self, get_event: Callable[[], Any]) -> tuple[Any, bool]:
        """The value of the document that has begun, and whether no text stands behind it; its places go to `spans`."""
        shift = self.start
        stack: list[_Frame] = []
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
                    raise TooDeep(f"nested deeper than {MAX_DEPTH} levels", Span(start, start + 1))
                members: Any = {} if kind is MappingStartEvent else []
                spans = Spans(start, start, {} if kind is MappingStartEvent else [])
                frame = _Frame(members, spans, event.anchor, self._nodes)
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
        if frame.merged:
            # Own members win over merged ones.
            value: dict[str, Any] = {}
            items: dict[str, Spans] = {}
            for members, places in frame.merged:
                value.update(members)
                items.update(places)
            value.update(frame.value)
            items.update(frame.spans.items)  # type: ignore[arg-type]
            frame.value = value
            frame.spans.items = items
        # A node inside may have taken the same anchor name since: the later one counts.
        if frame.anchor is not None and self._anchors[frame.anchor] is frame:
            size = self._nodes - frame.before
            self._anchors[frame.anchor] = _Anchored(frame.value, frame.spans, None, frame.height, size)

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
            self.duplicates.append(
                Problem(
                    "duplicate_key",
                    f"key `{name}` is repeated; only the last value counts",
                    Span(spans.key_start, spans.key_end),
                    Span(first.key_start, first.key_end),
                    "first given here",
                    self._removal(name, first, frame.value[name], value),
                )
            )
        frame.value[name] = value
        items[name] = spans

    def _removal(self, name: str, member: Spans, value: Any, again: Any) -> Cure | None:
        """What takes out a member that is said `again` with the same value.

        None unless it has its line to itself, without a comment.
        """
        line = _ONE_MEMBER.match(self.text, self.text.rfind("\n", 0, member.key_start) + 1, self.end)
        if line is None or line.end(1) != member.key_start:
            return None
        between = self.text[member.key_end : member.end]
        colon = _COLON.match(between)
        rest = _REST_OF_LINE.match(self.text, member.end, self.end)
        # Behind an anchor or a tag, more hangs on the value than itself.
        if colon is None or member.key_end + colon.end() != member.start or rest is None or _SPECIAL.search(between):
            return None
        # 1 is neither 1.0 nor true.
        if repr(value) != repr(again):
            return None
        return Cure(f"remove the first `{name}`", ((Span(line.start(), rest.end()), ""),))

    def _scalar(self, event: Any, stack: list[_Frame]) -> tuple[Any, Spans, str]:
        text = event.value
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
        value = text if style and event.tag not in _RESOLVED_TAGS else _plain(text, event.tag)
        spans = Spans(start, end)
        if anchor is not None:
            self._anchors[anchor] = _Anchored(value, spans, text, 0, 1)
        return value, spans, text

    def _alias(self, event: Any, stack: list[_Frame]) -> tuple[Any, Spans, str | None]:
        start = self.start + event.start_mark.index
        end = self.start + event.end_mark.index
        span = Span(start, end)
        target = self._anchors.get(event.anchor)
        if target is None:
            raise NotSyntax(f"undefined alias `*{event.anchor}`: no anchor of that name stands before it", span)
        if isinstance(target, _Frame):
            raise _Unbounded(f"alias `*{event.anchor}` stands inside the value of its own anchor", span)
        if len(stack) + target.height > MAX_DEPTH:
            raise TooDeep(f"nested deeper than {MAX_DEPTH} levels through alias `*{event.anchor}`", span)
        if stack:
            stack[-1].height = max(stack[-1].height, target.height + 1)
        self._nodes += target.size
        most = min(_MOST_NODES, max(_HARMLESS_NODES, _MOST_NODES_AN_EVENT * self._events))
        if self._nodes > most:
            raise _Unbounded(f"aliases expand this document to more than {most} nodes", span)
        return target.value, Spans(start, end, target.spans.items), target.text

    def _after_properties(self, event: Any) -> int:
        """Where a node begins behind its anchor and tag, and the comments between them and it."""
        start: int = self.start + event.start_mark.index
        for present in (event.anchor is not None, event.tag is not None):
            if present:
                start = _PROPERTY.match(self.text, start, self.end).end()  # type: ignore[union-attr]
        # Of a scalar without text, nothing is left but the place behind its properties.
        end: int = self.start + event.end_mark.index
        return min(start, end) if type(event) is ScalarEvent else start

    def _block_end(self, start: int, end: int, stack: list[_Frame]) -> int:
        """Where the text of a block scalar ends: with the last line break that counts."""
        raw = self.text[start:end]
        indent: int | None = None
        if given := _indicator(raw):
            collection = stack[-1].spans.start if stack else -1
            column = collection - max(self.text.rfind("\n", 0, collection), self.text.rfind("\r", 0, collection)) - 1
            indent = given + column if stack else given
        end = start + _block_offsets(raw, indent)[-1]
        if indent is not None:
            raw = self.text[start:end]
            self.indents[raw] = indent if self.indents.get(raw, indent) == indent else None
        return end

    def _not_syntax(self, error: yaml.YAMLError) -> NotSyntax:
        """PyYAML's complaint in our words, at the place in the whole text."""
        if isinstance(error, yaml.reader.ReaderError):
            character = chr(error.character) if isinstance(error.character, int) else str(error.character)
            at = max(self.text.find(character, self.start, self.end), self.start)
            return NotSyntax(f"U+{ord(character):04X} is not allowed in YAML", Span(at, at + 1))
        assert isinstance(error, yaml.MarkedYAMLError)
        mark: Any = error.problem_mark or error.context_mark
        problem = (error.problem or "not YAML").strip()
        if error.context_mark is not None and problem.startswith(_AT_THE_CONTEXT):
            mark = error.context_mark
        at = min(self.start + (mark.index if mark is not None else 0), self.end)
        return NotSyntax(self._message(problem, error.context or "", at), Span(at, min(at + 1, self.end)))

    def _message(self, problem: str, context: str, at: int) -> str:
        character = self.text[at] if at < self.end else ""
        if "cannot start any token" in problem:
            if character == "\t":
                return "a tab cannot indent YAML"
            return f"{_quoted(character)} cannot begin a plain value: quote it"
        if "unexpected end of stream" in problem and "quoted" in context:
            return "unterminated string"
        if not character and context.endswith(("flow sequence", "flow mapping", "flow node")):
            return "the document ends inside an unclosed `[` or `{`"
        for theirs, ours in _MESSAGES:
            if theirs in problem or theirs in context:
                return ours
        return f"{problem} {context}".strip()


_MESSAGES = (
    ("']'", "expected `,` or `]`"),
    ("'}'", "expected `,` or `}`"),
    ("node content", "expected a value"),
    ("could not find expected ':'", "expected `:` after this key"),
    (
        "mapping values are not allowed",
        "a `:` that is not allowed here: indent the line differently, or quote the value",
    ),
    ("unknown escape character", "not a valid escape in a string"),
    ("invalid Unicode character escape", "an escape that stands for no character"),
    ("undefined tag handle", "the handle of this tag is not declared"),
    ("<document start>", "text after the end of the document: expected `---`"),
    ("block mapping", "this line does not fit the block before it: expected a key or the end of the block"),
    ("block collection", "this line does not fit the block before it: expected `-` or the end of the block"),
)
"""What PyYAML says, in its problem or its context, and what we say."""

_AT_THE_CONTEXT = ("could not find expected ':'", "found unexpected end of stream")
"""Where PyYAML points at the place at which it gave up, far behind the one at which the fault begins."""


def _parser(text: str) -> Any:
    """A source of events: libyaml where PyYAML was built with it, 30 times faster, else pure Python."""
    try:
        from yaml.cyaml import CParser  # type: ignore[attr-defined]
    except ImportError:
        return _PurePythonParser(text)
    return CParser(text)


class _PurePythonParser(yaml.reader.Reader, yaml.scanner.Scanner, yaml.parser.Parser):
    def __init__(self, text: str) -> None:
        yaml.reader.Reader.__init__(self, text)
        yaml.scanner.Scanner.__init__(self)
        yaml.parser.Parser.__init__(self)


def _quoted(character: str) -> str:
    return "a backtick" if character == "`" else f"`{character}`"


_MOST_NODES = 1_000_000
_MOST_NODES_AN_EVENT = 100
_HARMLESS_NODES = 10_000
"""So many nodes cost nothing: no document that stays below is called a bomb, however short it is."""

_ONE_MEMBER = re.compile(r"([ ]*)(?=[^ \t\r\n])")
_COLON = re.compile(r"[ \t]*:[ \t]*")
_SPECIAL = re.compile(r"[\r\n&*!#]")
# A comma in the next line belongs to a member of braces.
_REST_OF_LINE = re.compile(r"[ \t]*\r?\n(?![ \t\r\n]*,)")
_ODD_BREAK = re.compile("[\x85\u2028\u2029]")
_PROPERTY = re.compile(r"(?:!<[^>\s]*>|[&!][^\s,\[\]{}]*)(?:[ \t\r\n]++(?:#[^\r\n]*+)?)*+")


def _merges(merged: list[tuple[dict[str, Any], dict[str, Spans]]], value: Any, spans: Spans) -> bool:
    """Whether the value of a merge key can be merged: a mapping, or a list of them; it is then added to `merged`."""
    sources = [(value, spans)]
    if isinstance(value, list):
        assert isinstance(spans.items, list)
        # The first mapping of a list wins, so it is applied last.
        sources = list(zip(value, spans.items, strict=True))[::-1]
    if not all(isinstance(members, dict) for members, _ in sources):
        return False
    merged.extend((members, places.items) for members, places in sources)  # type: ignore[misc]
    return True


_RESOLVED_TAGS = frozenset("tag:yaml.org,2002:" + name for name in ("int", "float", "bool", "null"))
_STRING_TAGS = frozenset(("!", "tag:yaml.org,2002:str"))
_NOT_ONLY_STRING = frozenset("~nNtTfF+-.0123456789")
_LITERALS: dict[str, Any] = {
    **dict.fromkeys(("~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_NUMBER = re.compile(
    r"(?P<int>[-+]?[0-9]+)|0o(?P<octal>[0-7]+)|0x(?P<hex>[0-9a-fA-F]+)"
    r"|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
)


def _plain(text: str, tag: str | None) -> Any:
    """The value of a plain scalar by the core schema of YAML 1.2: dates, `no` and `1_000` are strings."""
    if not text:
        return "" if tag in _STRING_TAGS else None
    if text[0] not in _NOT_ONLY_STRING or tag in _STRING_TAGS:
        return text
    if text in _LITERALS:
        return _LITERALS[text]
    number = _NUMBER.fullmatch(text)
    if number is None:
        return text
    if number["octal"]:
        return int(number["octal"], 8)
    if number["hex"]:
        return int(number["hex"], 16)
    # Python refuses to turn more than 4,300 digits into an int; such a number is only ever quoted, so a float does.
    return int(text) if number["int"] and len(text) < 4000 else float(text)


def unescape(raw: str, indent: int | None = None) -> Sequence[int] | None:
    """For the raw text of a scalar: the offset in it of each character of its value, and of the value's end.

    `indent` is the column at which the lines of a block scalar with an indentation indicator begin. A folded line
    break stands for the space that it became. None for an alias, and for a block scalar whose indentation is unknown.
    """
    opener = raw[:1]
    if opener == "*":
        return None
    if opener == "|" or opener == ">":
        return None if indent is None and _indicator(raw) else _block_offsets(raw, indent)
    if opener == '"':
        return _flow_offsets(raw, 1, len(raw) - 1, _DOUBLE)
    if opener == "'":
        return _flow_offsets(raw, 1, len(raw) - 1, _SINGLE)
    return _flow_offsets(raw, 0, len(raw), _FOLD)


_PLAIN_PART = re.compile(r"[A-Za-z0-9_./$()*~^+=-]*")


def escape(raw: str, text: str, start: int, end: int) -> str | None:
    """A text as it is written from `start` to `end` of the scalar `raw`; None if its style has no sure way to write it."""
    if not text.isprintable():
        return None
    opener = raw[:1]
    if opener in ("|", ">"):
        return text if _indent_stays(raw, text, start, end) else None
    # White space beside a line break is folded away with it.
    if not text and ("\n" in raw or "\r" in raw) and (raw[start - 1].isspace() or raw[end : end + 1].isspace()):
        return None
    if opener == '"':
        return text.replace("\\", "\\\\").replace('"', '\\"')
    if opener == "'":
        return text.replace("'", "''")
    return text if _PLAIN_PART.fullmatch(text) and _is_plain_text(raw[:start] + text + raw[end:], raw) else None


def _indent_stays(raw: str, text: str, start: int, end: int) -> bool:
    """Whether the line of a block scalar in which something is written keeps its end, its indentation, and some text."""
    if _BREAK.search(raw, start, end):
        return False
    line_start = max(raw.rfind("\n", 0, start), raw.rfind("\r", 0, start)) + 1
    line_end = _BREAK.search(raw, end)
    before = raw[line_start : line_end.start() if line_end else len(raw)]
    after = raw[line_start:start] + text + raw[end : line_end.start() if line_end else len(raw)]
    return bool(before.strip() and after.strip()) and _indent(before) == _indent(after)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _is_plain_text(scalar: str, before: str) -> bool:
    """Whether a plain scalar, made of another one, is read as a text by every reader, within brackets too."""
    if scalar[:2] != before[:2] and not (scalar[:1].isalpha() or scalar[:1] in ("_", "/", "$", "(")):
        return False
    if _PLAIN_END.search(scalar) or scalar != scalar.strip():
        return False
    # Readers of YAML 1.1 take more words for literals than those of 1.2 do.
    return scalar.lower() not in _WORDS_OF_YAML and _plain(scalar, None) == scalar


_PLAIN_END = re.compile(r":(?:[\s,\[\]{}]|\Z)|\s#")
_WORDS_OF_YAML = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})

_BREAK = re.compile(r"\r\n?|\n")
_FOLD = re.compile(r"(?P<fold>[\r\n][ \t\r\n]*)")
_SINGLE = re.compile(rf"''|{_FOLD.pattern}")
_DOUBLE = re.compile(
    r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|(?P<joined>(?:\r\n?|\n)[ \t\r\n]*)|.)"
    rf"|{_FOLD.pattern}"
)


def _flow_offsets(raw: str, start: int, end: int, special: re.Pattern[str]) -> Sequence[int]:
    """The offsets for a scalar that folds its lines; `special` finds its escapes and line breaks."""
    offsets: list[int] = []
    position = start
    for match in special.finditer(raw, start, end):
        at = match.start()
        offsets.extend(range(position, at))
        position = match.end()
        groups = match.groupdict()
        if groups.get("fold"):
            # White space before the break is not part of the value; an escaped blank is, and begins with its backslash.
            while offsets and raw[offsets[-1]] in " \t":
                offsets.pop()
            breaks = [found.start() for found in _BREAK.finditer(raw, at, position)]
            offsets.extend(breaks[1:] or breaks)
        elif groups.get("joined"):
            breaks = [found.start() for found in _BREAK.finditer(raw, at, position)]
            offsets.extend(breaks[1:])
        else:
            offsets.append(at)
    if position == start:
        return range(start, end + 1)
    offsets.extend(range(position, end + 1))
    return offsets


_HEADER = re.compile(r"[|>]([-+0-9]*)[^\r\n]*(?:\r\n?|\n)?")
_LINE = re.compile(r"( *)([^\r\n]*)(\r\n?|\n)?")


def _indicator(raw: str) -> int:
    """The digit in the header of a block scalar that says how far its lines are indented, 0 if there is none."""
    header = _HEADER.match(raw)
    assert header is not None
    return int(header.group(1).strip("+-") or 0)


def _block_offsets(raw: str, indent: int | None) -> list[int]:
    """The offsets for a block scalar, whose raw text may run on past its end."""
    header = _HEADER.match(raw)
    assert header is not None
    folded = raw[0] == ">"
    if indent is None:
        indent = _detected_indent(raw, header.end())
    offsets: list[int] = []
    end = len(header.group().rstrip("\r\n"))
    line_break: int | None = None
    blank_lines: list[int] = []
    indented_more = False
    position = header.end()
    while position < len(raw):
        line = _LINE.match(raw, position)
        assert line is not None
        content = position + indent
        if content < line.end(2) and len(line.group(1)) >= indent:
            more = raw[content] in " \t"
            if line_break is not None and not (folded and not indented_more and not more and blank_lines):
                offsets.append(line_break)
            offsets.extend(blank_lines)
            offsets.extend(range(content, line.end(2)))
            end = line.end(2)
            line_break = line.start(3) if line.group(3) else None
            blank_lines = []
            indented_more = more
        elif line.group(2) or not line.group(3):
            break
        else:
            blank_lines.append(line.start(3))
        position = line.end()
    if "-" not in header.group(1) and line_break is not None:
        offsets.append(line_break)
        end = _BREAK.match(raw, line_break).end()  # type: ignore[union-attr]
    if "+" in header.group(1) and blank_lines:
        offsets.extend(blank_lines)
        end = _BREAK.match(raw, blank_lines[-1]).end()  # type: ignore[union-attr]
    return [*offsets, end]


def _detected_indent(raw: str, position: int) -> int:
    """The indentation of a block scalar: that of its first line with text, or of a longer blank line before it."""
    indent = 1
    while position < len(raw):
        line = _LINE.match(raw, position)
        assert line is not None
        indent = max(indent, len(line.group(1)))
        if line.group(2):
            break
        position = line.end()
    return indent
