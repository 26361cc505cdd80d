"""Values of templates: what is true, how they compare and are written, and the filters that change them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any


def truthy(value: Any) -> bool:
    """Whether a condition takes a value for true: nil, false, zero, blank text and empty collections are not."""
    return bool(value.strip()) if isinstance(value, str) else bool(value)


def display(value: Any) -> str:
    """A value as rendered text; nil is empty at the top and `nil` inside a collection."""
    return "" if value is None else _shown(value)


def _shown(value: Any) -> str:
    if value is None:
        return "nil"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_shown(item) for item in value) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_shown(value[key])}" for key in sorted(value)) + "}"
    return str(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def compare(operator: str, left: Any, right: Any) -> bool:
    if operator in ("==", "!="):
        equal = left == right and isinstance(left, bool) == isinstance(right, bool)
        return equal == (operator == "==")
    if not (_is_number(left) and _is_number(right)) and not (isinstance(left, str) and isinstance(right, str)):
        return False
    if operator in ("<", "<="):
        return bool(left < right or (operator == "<=" and left == right))
    return bool(left > right or (operator == ">=" and left == right))


class FilterError(Exception):
    """A filter cannot use this value; the message names what it takes."""


def _title(value: Any) -> str:
    letters = []
    inside = False
    for letter in display(value):
        letters.append(letter.lower() if inside else letter.upper())
        inside = not letter.isspace()
    return "".join(letters)


def _length(value: Any) -> int:
    if value is None:
        return 0
    if isinstance(value, (str, list, tuple, Mapping)):
        return len(value)
    raise FilterError("text, list or dict")


def _end(index: int) -> Callable[[Any], Any]:
    return lambda value: value[index] if isinstance(value, (str, list, tuple)) and value else None


def _reverse(value: Any) -> Any:
    return value[::-1] if isinstance(value, (str, list, tuple)) else value


def _join(value: Any, separator: Any) -> str:
    if isinstance(value, str):
        return value
    if not isinstance(value, (list, tuple)):
        raise FilterError("list")
    return display(separator).join(display(item) for item in value)


def _json(value: Any, pretty: Any = None) -> str:
    if truthy(pretty):
        return json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True, default=str)
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, sort_keys=True, default=str)


def _indent(value: Any, width: Any, first: Any = None) -> str:
    if not isinstance(width, int) or isinstance(width, bool):
        raise FilterError("whole number")
    pad = " " * max(width, 0)
    lines = display(value).split("\n")
    return "\n".join(pad + line if line and (number or truthy(first)) else line for number, line in enumerate(lines))


def _escape_md(value: Any) -> str:
    return "".join("\\" + letter if letter in "\\`*_{}[]()#+-.!|<>" else letter for letter in display(value))


FILTERS: dict[str, tuple[int, int, Callable[..., Any]]] = {
    "upper": (0, 0, lambda value: display(value).upper()),
    "lower": (0, 0, lambda value: display(value).lower()),
    "trim": (0, 0, lambda value: display(value).strip()),
    "capitalize": (0, 0, lambda value: display(value).capitalize()),
    "title": (0, 0, _title),
    "length": (0, 0, _length),
    "first": (0, 0, _end(0)),
    "last": (0, 0, _end(-1)),
    "reverse": (0, 0, _reverse),
    "lines": (0, 0, lambda value: display(value).split("\n")),
    "escape_md": (0, 0, _escape_md),
    "join": (1, 1, _join),
    "default": (1, 1, lambda value, other: value if truthy(value) else other),
    "json": (0, 1, _json),
    "indent": (1, 2, _indent),
    "replace": (2, 2, lambda value, old, new: display(value).replace(display(old), display(new))),
}
"""The least and the most arguments of each filter, and what it does with them."""
