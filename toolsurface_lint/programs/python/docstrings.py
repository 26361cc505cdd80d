"""Parameter sections of docstrings in the Google, NumPy and Sphinx styles, with places.

A parser of our own: griffe, the well-kept one, gives no places inside a docstring, and importing it costs as much as
a whole run on a small file (60 ms). The tests hold the two against each other.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple


class Documented(NamedTuple):
    """A parameter that a docstring names, at `start` to `end` of the text; the description has its lines joined."""

    name: str
    start: int
    end: int
    description: str


class Document(NamedTuple):
    """A docstring's parameters, and the offset at which its text before the first section ends."""

    parameters: tuple[Documented, ...]
    summary_end: int


_PARAMETERS = "args|arguments|params|parameters|keyword args|keyword arguments|other parameters"
_OTHERS = (
    "returns?|raises|exceptions|yields?|receives|examples?|attributes|functions|methods|classes|modules|warns|warnings"
    "|notes?|references|see also"
)
_SECTION = re.compile(rf"[ \t]*(?:(?P<parameters>{_PARAMETERS})|(?:{_OTHERS}))[ \t]*:[ \t]*", re.IGNORECASE)
_HEADING = re.compile(rf"[ \t]*(?:(?P<parameters>{_PARAMETERS})|(?:{_OTHERS}))[ \t]*", re.IGNORECASE)
_LINE = re.compile(r"^.*", re.MULTILINE)
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_RULE = re.compile(r"[ \t]*-{3,}[ \t]*")
_GOOGLE_ITEM = re.compile(
    r"[ \t]*+(?:[-*][ \t]++)?`{0,2}\*{0,2}([^\W\d]\w*)`{0,2}[ \t]*+"
    r"(?:\([^()]*+(?:\([^()]*+\)[^()]*+)*+\)[ \t]*+)?:(?:[ \t]++|$)"
)
_NUMPY_NAMES = re.compile(r"[ \t]*(\*{0,2}[^\W\d]\w*(?:[ \t]*,[ \t]*\*{0,2}[^\W\d]\w*)*)[ \t]*(?::.*)?")
_NAME = re.compile(r"[^\W\d]\w*")
_SPHINX = re.compile(
    r"[ \t]*:(?:param|parameter|arg|argument|key|keyword)[ \t]++(?:[^:\n]*?[ \t])??\\?\*{0,2}([^\W\d]\w*)[ \t]*:[ \t]*"
)
_SPHINX_ANY = re.compile(
    r"[ \t]*:(?:param|parameter|arg|argument|key|keyword|type|returns?|rtype|raises?|except|exception|var|ivar|cvar|vartype)\b"
    r"[^:\n]*:"
)


class _Line(NamedTuple):
    start: int
    text: str

    @property
    def indent(self) -> int:
        return len(self.text) - len(self.text.lstrip(" \t"))

    @property
    def blank(self) -> bool:
        return not self.text.strip()


@lru_cache(maxsize=16)
def read_docstring(text: str) -> Document:
    """The parameters that a docstring documents, in the order in which it names them."""
    lines = [_Line(line.start(), line.group()) for line in _LINE.finditer(text)]
    parameters: list[Documented] = []
    summary_end = len(text)
    number = 0
    while number < len(lines):
        line = lines[number]
        following = number + 1
        # Longer lines are prose, and no pattern here should have to find that out.
        if len(line.text) > 1000:
            number = following
            continue
        fence = _FENCE.match(line.text)
        if fence is not None:
            # Code has docstrings of its own.
            number = _behind_fence(lines, following, fence[1])
            continue
        ruled = following < len(lines) and _RULE.fullmatch(lines[following].text[:1000]) is not None
        numpy = _HEADING.fullmatch(line.text) if ruled else None
        google = _SECTION.fullmatch(line.text)
        sphinx = _SPHINX_ANY.match(line.text)
        if numpy is not None:
            following += 1
            if numpy["parameters"]:
                following = _items(lines, following, True, parameters)
        elif google is not None and google["parameters"]:
            following = _items(lines, following, False, parameters)
        elif sphinx is not None:
            following = _sphinx_item(lines, number, parameters)
        if numpy is not None or google is not None or sphinx is not None:
            summary_end = min(summary_end, line.start)
        number = following
    return Document(tuple(parameters), summary_end)


def _items(lines: list[_Line], number: int, numpy: bool, parameters: list[Documented]) -> int:
    """The items from line `number` on, all of the indentation of the first; the number of the line after the section.

    In the Google style they are indented deeper than the heading, and other lines may stand between them.
    """
    outer, inner = -1 if numpy else lines[number - 1].indent, -1
    # The first line of a docstring has no indentation of its own.
    at_start = number == 1
    while number < len(lines):
        line = lines[number]
        if line.blank:
            number += 1
            continue
        if line.indent < inner or (line.indent <= outer and not (at_start and inner < 0)):
            break
        inner = line.indent if inner < 0 else inner
        names, text = _item(lines, number, numpy) if line.indent == inner else ([], 0)
        if numpy and not names:
            break
        end = _block_end(lines, number + 1, inner) if names else number + 1
        parameters.extend(_documented(lines, number, end, name, text) for name in names)
        number = end
    return number


def _item(lines: list[_Line], number: int, numpy: bool) -> tuple[list[tuple[int, int]], int]:
    """Where the names of an item lie in its line, none if it is not one; and where its description begins."""
    text = lines[number].text
    item = (_NUMPY_NAMES.fullmatch if numpy else _GOOGLE_ITEM.match)(text[:1000])
    if item is None or (numpy and number + 1 < len(lines) and _RULE.fullmatch(lines[number + 1].text)):
        return [], 0
    if numpy:
        return [name.span() for name in _NAME.finditer(text, *item.span(1))], len(text)
    return [item.span(1)], item.end()


def _sphinx_item(lines: list[_Line], number: int, parameters: list[Documented]) -> int:
    line = lines[number]
    end = number + 1
    while end < len(lines) and not lines[end].blank and lines[end].indent > line.indent:
        end += 1
    item = _SPHINX.match(line.text)
    if item is not None:
        parameters.append(_documented(lines, number, end, item.span(1), item.end()))
    return end


def _behind_fence(lines: list[_Line], number: int, fence: str) -> int:
    """The number of the line behind fenced code, which ends with the text if nothing ends it before."""
    return next((after + 1 for after in range(number, len(lines)) if lines[after].text.strip() == fence), len(lines))


def _block_end(lines: list[_Line], number: int, indent: int) -> int:
    """The number of the first line from `number` on that is indented no deeper than `indent`; blank lines do not end it."""
    while number < len(lines) and (lines[number].blank or lines[number].indent > indent):
        number += 1
    return number


def _documented(lines: list[_Line], number: int, end: int, name: tuple[int, int], text: int) -> Documented:
    line = lines[number]
    parts = [line.text[text:].strip(), *(below.text.strip() for below in lines[number + 1 : end])]
    description = " ".join(part for part in parts if part)
    return Documented(line.text[slice(*name)], line.start + name[0], line.start + name[1], description)
