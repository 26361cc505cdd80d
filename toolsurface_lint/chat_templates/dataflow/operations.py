"""What Jinja's operators make of values, and how values are written out and read into.

Everything is bounded: a result is never much larger than what it is made of, or `NotFollowed` is raised. Other exceptions are
those that rendering would raise. Source: jinja2 3.1.6 (runtime.py, sandbox.py), MarkupSafe 3.0.
"""

from __future__ import annotations

import html
import re
from typing import Any

from toolsurface_lint.chat_templates.dataflow.values import (
    MAX_SIZE,
    MAX_TEXT,
    Function,
    Loop,
    Method,
    Namespace,
    NotFollowed,
    Safe,
    Undefined,
    Value,
    bounded,
)


def text_of(value: Value) -> str:
    """How a value is written out."""
    if type(value) is str:
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, Undefined):
        return ""
    if isinstance(value, dict | list | tuple):
        return bounded(repr(_plain(value)))
    if value is None or isinstance(value, int | float):
        return str(value)
    raise NotFollowed


def _plain(value: Value) -> Value:
    if isinstance(value, dict):
        return {_plain(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(_plain, value))
    return str.__str__(value) if isinstance(value, str) else value


def items_of(value: Value) -> list[Value]:
    """What a loop goes through. Raises TypeError."""
    if isinstance(value, list):
        return value
    if isinstance(value, str | tuple | dict | Undefined):
        return list(value)
    raise TypeError(f"{type(value).__name__} is not iterable")


def escaped(value: Value) -> Safe:
    if isinstance(value, Safe):
        return value
    return Safe(bounded(html.escape(text_of(value)).replace("&quot;", "&#34;").replace("&#x27;", "&#39;")))


def compare(operator: str, left: Value, right: Value) -> bool:
    """A comparison by jinja2's name of its operator."""
    match operator:
        case "eq":
            return bool(left == right)
        case "ne":
            return bool(left != right)
        case "in":
            return bool(left in right)
        case "notin":
            return bool(left not in right)
        case "gt":
            return bool(left > right)
        case "gteq":
            return bool(left >= right)
        case "lt":
            return bool(left < right)
        case "lteq":
            return bool(left <= right)
    raise NotFollowed


def percent_format(value: Value, *given: Value) -> str:
    text = text_of(value)
    if re.search(r"%[^%s]", text) or sum(map(len, map(text_of, given))) > MAX_TEXT:
        raise NotFollowed
    return bounded(text % tuple(map(text_of, given)))


def calculate(kind: str, left: Any, right: Any) -> Value:
    """An operator between two values, by the name of jinja2's node."""
    if isinstance(left, Undefined) or isinstance(right, Undefined):
        raise LookupError("an operand is undefined")
    if any(isinstance(each, int) and each.bit_length() > 64 for each in (left, right)):
        raise NotFollowed
    match kind:
        case "Add" if isinstance(left, Safe) or isinstance(right, Safe):
            return Safe(bounded(text_of(escaped(left)) + text_of(escaped(right))))
        case "Add" if isinstance(left, str) and isinstance(right, str):
            return bounded(text_of(left) + text_of(right))
        case "Add":
            if isinstance(left, list) and isinstance(right, list) and len(left) + len(right) > MAX_SIZE:
                raise NotFollowed
            return left + right
        case "Mul":
            if isinstance(left, str | list) or isinstance(right, str | list):
                sized, count = (left, right) if isinstance(right, int) else (right, left)
                if isinstance(count, int) and len(sized) * count > MAX_TEXT:
                    raise NotFollowed
            return left * right
        case "Sub":
            return left - right
        case "Div":
            return left / right
        case "FloorDiv":
            return left // right
        case "Mod" if isinstance(left, str):
            return percent_format(left, *(right if isinstance(right, tuple) else (right,)))
        case "Mod":
            return left % right
    raise NotFollowed


def attribute_of(value: Value, name: str) -> Value:
    """`value.name`."""
    if isinstance(value, dict):
        return Method(value, name) if name in _METHODS_OF_DICTS else value.get(name, Undefined(name))
    if isinstance(value, Namespace):
        return value.attributes.get(name, Undefined(name))
    if isinstance(value, Loop):
        return value.attribute(name)
    if isinstance(value, Undefined):
        raise LookupError(f"{value.name!r} is undefined")
    if isinstance(value, Function) and value.name == "dict" and name == "fromkeys":
        return Function("fromkeys")
    if isinstance(value, str) and name in _METHODS_OF_TEXT:
        return Method(value, name)
    if isinstance(value, list) and name in ("append", "pop", "insert", "extend", "index", "count"):
        return Method(value, name)
    return Undefined(name)


def item_of(value: Value, key: Value) -> Value:
    """`value[key]`."""
    if isinstance(value, Undefined):
        raise LookupError(f"{value.name!r} is undefined")
    if isinstance(value, dict | list | tuple | str) and not isinstance(key, Undefined):
        try:
            return value[key]
        except (LookupError, TypeError):
            pass
    return attribute_of(value, key) if isinstance(key, str) else Undefined(str(key))


_METHODS_OF_DICTS = frozenset(
    ("items", "keys", "values", "get", "update", "pop", "setdefault", "clear", "copy", "popitem")
)


_METHODS_OF_TEXT = frozenset(
    (
        *(
            "strip",
            "lstrip",
            "rstrip",
            "startswith",
            "endswith",
            "find",
            "rfind",
            "upper",
            "lower",
            "title",
            "capitalize",
        ),
        *("splitlines", "count", "index", "isdigit", "isalpha", "isupper", "islower", "isspace", "isalnum"),
        *("removeprefix", "removesuffix", "partition", "rpartition", "split", "rsplit", "replace", "join", "format"),
    )
)
