"""Where the values of a strict JSON text are, found step by step.

A finding needs the places on one path, and a list of a thousand tools has the places of all of them. The members of a value
are distinguished on demand, and skipped at the speed of C.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from json.decoder import scanstring  # type: ignore[attr-defined]

from toolsurface_lint.source.json_values import scan_value
from toolsurface_lint.source.tree import Spans

_LEVELS = 4
"""How many levels are distinguished by skipping, each of which looks once more at all that it holds; what is deeper is read
with all its places at once.
"""

_SPACE = re.compile(r"[ \t\n\r]*")
_NO_KEY = (-1, -1)


_Read = Callable[[str, int], Spans]


def find_places(text: str, start: int, read: _Read) -> Spans:
    """The places of the value that begins at or after `start`; `read` gives all those of a value, of this text, at once.

    Raises `ValueError` and `RecursionError` for a text that the standard library does not read there.
    """
    start = _skip(text, start)
    try:
        _, end = scan_value(text, start)
    except StopIteration:
        raise ValueError("no value") from None
    return _places(text, start, end, _NO_KEY, _LEVELS, read)


def _places(text: str, start: int, end: int, key: tuple[int, int], levels: int, read: _Read) -> Spans:
    opener = text[start]
    if opener not in "{[":
        return Spans(start, end, None, key)
    if not levels:
        return Spans(start, end, lambda: read(text, start).items, key)
    find = _members if opener == "{" else _elements
    return Spans(start, end, partial(find, text, start, levels - 1, read), key)


def _members(text: str, start: int, levels: int, read: _Read) -> dict[str, Spans]:
    found: dict[str, Spans] = {}
    position = _skip(text, start + 1)
    while text[position] != "}":
        name, key_end = scanstring(text, position + 1, True)
        value = _skip(text, _skip(text, key_end) + 1)
        _, end = scan_value(text, value)
        found[name] = _places(text, value, end, (position, key_end), levels, read)
        position = _after(text, end)
    return found


def _elements(text: str, start: int, levels: int, read: _Read) -> list[Spans]:
    found: list[Spans] = []
    position = _skip(text, start + 1)
    while text[position] != "]":
        _, end = scan_value(text, position)
        found.append(_places(text, position, end, _NO_KEY, levels, read))
        position = _after(text, end)
    return found


def _after(text: str, end: int) -> int:
    """Where the next member or element begins, or its container closes, after a value that ends at `end`."""
    position = _skip(text, end)
    return _skip(text, position + 1) if text[position] == "," else position


def _skip(text: str, position: int) -> int:
    return _SPACE.match(text, position).end()  # type: ignore[union-attr]
