"""TypeScript and JavaScript source: its syntax tree, and its string literals mapped back to their text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from toolsurface_lint.source.program_tree import ProgramTree
from toolsurface_lint.source.text import GAP
from toolsurface_lint.source.tree import Path

_ESCAPE = re.compile(
    r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|[\n\r\u2028\u2029])|([0-7]{1,3})|(.))",
    re.DOTALL,
)
_NAMED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_SURROGATES = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def _escaped(match: re.Match[str], named: Mapping[str, str]) -> str:
    code = match[1] or match[2] or match[3]
    if code is not None:
        number = int(code, 16)
        return chr(number) if number <= 0x10FFFF else GAP
    if match[4] is not None:
        return ""
    if match[5] is not None:
        return chr(int(match[5], 8))
    return named.get(match[6], match[6])


def unescape(raw: str, escape: re.Pattern[str] = _ESCAPE, named: Mapping[str, str] = _NAMED) -> tuple[str, list[int]]:
    """The text of what is written between quotes, and where in `raw` each of its characters, and its end, is written.

    Another language has an `escape` with the same groups, and `named` escapes of its own.
    """
    text: list[str] = []
    offsets: list[int] = []
    position = 0
    for match in escape.finditer(raw) if "\\" in raw else ():
        text.append(raw[position : match.start()])
        offsets.extend(range(position, match.start()))
        character = _escaped(match, named)
        if text and "\udc00" <= character <= "\udfff" and offsets and _ends_with_lead(text):
            # The second half of a pair: one character, written where the first half is.
            lead = _take_lead(text)
            character = chr(0x10000 + (ord(lead) - 0xD800) * 0x400 + ord(character) - 0xDC00)
            start = offsets.pop()
        else:
            start = match.start()
        text.append(character)
        offsets.extend([start] * len(character))
        position = match.end()
    text.append(raw[position:])
    offsets.extend(range(position, len(raw) + 1))
    return "".join(text), offsets


def _ends_with_lead(text: list[str]) -> bool:
    return not text[-1] and len(text) > 1 and "\ud800" <= text[-2] <= "\udbff"


def _take_lead(text: list[str]) -> str:
    del text[-1]
    return text.pop()


def decode_string(raw: str) -> str:
    """The text of a string literal, quotes included."""
    return unescape(raw[1:-1])[0]


def decode_template(raw: str) -> str:
    """What a part of a template literal stands for, in which line ends become one character."""
    return unescape(raw.replace("\r\n", "\n"))[0]


_LITERAL = re.compile(
    r"""'((?:[^'\\\n]++|\\(?:\r\n|.))*+)'|"((?:[^"\\\n]++|\\(?:\r\n|.))*+)"|`""",
    re.DOTALL,
)
_IN_TEMPLATE = re.compile(r"(?:[^`\\$]++|\\.|\$(?!\{))*+", re.DOTALL)
_SKIPPED = re.compile(r"(?:[^'\"`{}/]++|//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?|/)*+")


def literals(raw: str) -> Iterator[tuple[str, list[int]]]:
    """The string and template literals of an expression, in order: the text of each, and where its characters are written.

    A template has a gap for each substitution; what stands in that is not looked at.
    """
    position = 0
    while True:
        skipped = _SKIPPED.match(raw, position)
        assert skipped is not None
        position = skipped.end()
        if position >= len(raw):
            return
        literal = _LITERAL.match(raw, position)
        if literal is None:
            position += 1
        elif literal[0] == "`":
            text, offsets, position = _template(raw, position + 1)
            yield text, offsets
        else:
            inside = 1 if literal[1] is not None else 2
            text, places = unescape(literal[inside])
            start = literal.start(inside)
            yield text, [start + place for place in places]
            position = literal.end()


def _template(raw: str, position: int) -> tuple[str, list[int], int]:
    """The template literal whose text begins at a position, and the position behind it."""
    text: list[str] = []
    offsets: list[int] = []
    while True:
        part = _IN_TEMPLATE.match(raw, position)
        assert part is not None
        decoded, places = unescape(part[0])
        kept = [
            at for at, character in enumerate(decoded) if not (character == "\r" and decoded[at + 1 : at + 2] == "\n")
        ]
        text.append("".join(decoded[at] for at in kept))
        offsets.extend(position + places[at] for at in kept)
        position = part.end()
        if not raw.startswith("${", position):
            break
        text.append(GAP)
        offsets.append(position)
        position = _end_of_substitution(raw, position + 2)
    return "".join(text), [*offsets, position], position + 1


def _end_of_substitution(raw: str, position: int) -> int:
    """The position behind the brace that closes a substitution."""
    # What is open, from the outermost in: braces, and templates.
    opened = ["{"]
    while opened and position < len(raw):
        if opened[-1] == "`":
            part = _IN_TEMPLATE.match(raw, position)
            assert part is not None
            position = part.end()
            if raw.startswith("${", position):
                opened.append("{")
                position += 2
            else:
                opened.pop()
                position += 1
            continue
        skipped = _SKIPPED.match(raw, position)
        assert skipped is not None
        position = skipped.end()
        character = raw[position : position + 1]
        literal = _LITERAL.match(raw, position)
        if literal is not None and literal[0] != "`":
            position = literal.end()
            continue
        position += 1
        if character == "`":
            opened.append("`")
        elif character == "{":
            opened.append("{")
        elif character == "}":
            opened.pop()
    return position


def text_offsets(raw: str, value: str) -> Sequence[int] | None:
    """Where each character of `value`, and its end, lies in the expression that it was read from; None if unknown.

    `raw` is a string or template literal, an identifier that is `value`, or an expression that puts literals together in
    the order in which they are written: what they do not hold themselves (the line ends of a `join`) lies between them.
    """
    return range(len(raw) + 1) if raw == value else placed(value, literals(raw))


def placed(value: str, written: Iterable[tuple[str, list[int]]]) -> Sequence[int] | None:
    """Where each character of `value`, and its end, lies in an expression with these literals; None if unknown."""
    found: list[int] = []
    at = 0
    for text, offsets in written:
        kept = text.strip()
        start = value.find(kept, at)
        if not kept or start < 0:
            continue
        first = text.index(kept)
        # The white space around it, as far as it is there.
        low, high = start, start + len(kept)
        while low > at and first > 0 and value[low - 1] == text[first - 1]:
            low, first = low - 1, first - 1
        last = first + (high - low)
        while high < len(value) and last < len(text) and value[high] == text[last]:
            high, last = high + 1, last + 1
        found.extend([offsets[first]] * (low - at))
        found.extend(offsets[first:last])
        at = high
        end = offsets[last]
    if not found:
        return None
    return [*found, *[end] * (len(value) - at), end]


class ScriptTree(ProgramTree):
    """Values found in one TypeScript or JavaScript file."""

    __slots__ = ()

    def _offsets(self, path: Path, raw: str) -> Sequence[int] | None:
        value = self.at(path).value
        return text_offsets(raw, value) if isinstance(value, str) else None

    def escape(self, raw: str, text: str, start: int, end: int) -> str | None:
        """What is written alike in every kind of literal, and in a name another name; None for anything else."""
        if _NAME.fullmatch(raw):
            return text if _NAME.fullmatch(text) else None
        # The characters before must not become an escape together with those that then follow.
        if _OPEN_ESCAPE.search(raw, max(start - 9, 0), start):
            return None
        return text if text.isprintable() and _SPECIAL.isdisjoint(text) else None


_NAME = re.compile(r"[^\W\d][\w$]*")
_OPEN_ESCAPE = re.compile(r"\\(?:[0-7]{0,2}|u[0-9a-fA-F]{0,3}|u\{[0-9a-fA-F]{0,6}|x[0-9a-fA-F]?)\Z")
_SPECIAL = frozenset("\\'\"`${}")
