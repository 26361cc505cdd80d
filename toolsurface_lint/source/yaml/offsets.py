"""Where each character of a scalar's value is in the raw text of the scalar."""

from __future__ import annotations

import re
from collections.abc import Sequence

_BREAK = re.compile(r"\r\n?|\n")
_FOLD = re.compile(r"(?P<fold>[\r\n][ \t\r\n]*)")
_SINGLE = re.compile(rf"''|{_FOLD.pattern}")
_DOUBLE = re.compile(
    r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|(?P<joined>(?:\r\n?|\n)[ \t\r\n]*)|.)"
    rf"|{_FOLD.pattern}"
)
_HEADER = re.compile(r"[|>]([-+0-9]*)[^\r\n]*(?:\r\n?|\n)?")
_LINE = re.compile(r"( *)([^\r\n]*)(\r\n?|\n)?")


def unescape(raw: str, indent: int | None = None) -> Sequence[int] | None:
    """For the raw text of a scalar: the offset in it of each character of its value, and of the value's end.

    `indent` is the column at which the lines of a block scalar with an indentation indicator begin. A folded line
    break stands for the space that it became. None for an alias, and for a block scalar whose indentation is unknown.
    """
    opener = raw[:1]
    if opener == "*":
        return None
    if opener == "|" or opener == ">":
        return None if indent is None and indicator(raw) else block_offsets(raw, indent)
    if opener == '"':
        return _flow_offsets(raw, 1, len(raw) - 1, _DOUBLE)
    if opener == "'":
        return _flow_offsets(raw, 1, len(raw) - 1, _SINGLE)
    return _flow_offsets(raw, 0, len(raw), _FOLD)


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


def indicator(raw: str) -> int:
    """The digit in the header of a block scalar that says how far its lines are indented, 0 if there is none."""
    header = _HEADER.match(raw)
    assert header is not None
    return int(header.group(1).strip("+-") or 0)


def block_offsets(raw: str, indent: int | None) -> list[int]:
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
