"""What the filters, tests, operators and methods of Jinja make of values, as far as chat templates use them.

Everything is bounded: a result is never much larger than what it is made of, or `NotFollowed` is raised. Other exceptions are
those that rendering would raise. Source: jinja2 3.1.6, filters.py and tests.py; transformers 5.24.0, chat_template_utils.py.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from toolsurface_lint.chat_templates.dataflow.values import (
    MAX_TEXT,
    Function,
    Lazy,
    Loop,
    Macro,
    Method,
    Namespace,
    NotFollowed,
    Safe,
    Undefined,
    Value,
    bounded,
    measure,
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


def to_json(
    value: Value, ensure_ascii: Value = False, indent: Value = None, separators: Value = None, sort_keys: Value = False
) -> str:
    measure(value)
    if isinstance(value, Lazy):
        raise TypeError("Object of type generator is not JSON serializable")
    if isinstance(indent, int) and indent > 8:
        raise NotFollowed
    return bounded(
        json.dumps(
            value, ensure_ascii=bool(ensure_ascii), indent=indent, separators=separators, sort_keys=bool(sort_keys)
        )
    )


def _length(value: Value) -> int:
    if isinstance(value, str | list | tuple | dict | Undefined) and not isinstance(value, Lazy):
        return len(value)
    raise TypeError(f"object of type {type(value).__name__} has no len()")


def _default(value: Value, default: Value = "", boolean: Value = False) -> Value:
    return default if isinstance(value, Undefined) or (boolean and not value) else value


def _join(value: Value, separator: Value = "", attribute: Value = None) -> str:
    items = items_of(value)
    if attribute is not None:
        items = [attribute_of(item, text_of(attribute)) for item in items]
    separator = text_of(separator)
    texts = list(map(text_of, items))
    if sum(map(len, texts)) + len(separator) * len(texts) > MAX_TEXT:
        raise NotFollowed
    return separator.join(texts)


def _list(value: Value) -> list[Value]:
    return list(items_of(value))


def _items(value: Value) -> list[Value]:
    if isinstance(value, Undefined):
        return []
    if not isinstance(value, dict):
        raise TypeError("Can only get item pairs from a mapping.")
    return list(value.items())


def _sorted(
    value: Value, reverse: Value = False, case_sensitive: Value = False, attribute: Value = None
) -> list[Value]:
    def key(item: Value) -> Value:
        item = item if attribute is None else attribute_of(item, text_of(attribute))
        return item.lower() if isinstance(item, str) and not case_sensitive else item

    return sorted(items_of(value), key=key, reverse=bool(reverse))


def _dictsort(value: Value, case_sensitive: Value = False, by: Value = "key", reverse: Value = False) -> list[Value]:
    if not isinstance(value, dict):
        raise TypeError("not a mapping")
    at = 1 if by == "value" else 0

    def key(item: tuple[Value, Value]) -> Value:
        return item[at].lower() if isinstance(item[at], str) and not case_sensitive else item[at]

    return sorted(value.items(), key=key, reverse=bool(reverse))


def _replace(value: Value, old: Value, new: Value, count: Value = -1) -> str:
    text, old, new = text_of(value), text_of(old), text_of(new)
    if len(text) + (text.count(old) + 1) * len(new) > MAX_TEXT:
        raise NotFollowed
    return text.replace(old, new, count if isinstance(count, int) else -1)


def _map(
    value: Value, name: Value = None, *given: Value, attribute: Value = None, default: Value = None
) -> list[Value]:
    items = items_of(value or ())
    if attribute is not None:
        found = [attribute_of(item, text_of(attribute)) for item in items]
        return Lazy(default if isinstance(each, Undefined) and default is not None else each for each in found)
    return Lazy(apply_filter(text_of(name), item, given, {}) for item in items)


def _select(keep: bool) -> Callable[..., list[Value]]:
    def select(value: Value, name: Value = None, *given: Value) -> list[Value]:
        items = items_of(value or ())
        if name is None:
            return Lazy(item for item in items if bool(item) is keep)
        return Lazy(item for item in items if apply_test(text_of(name), item, given) is keep)

    return select


def _select_attribute(keep: bool) -> Callable[..., list[Value]]:
    def select(value: Value, attribute: Value, name: Value = None, *given: Value) -> list[Value]:
        def passes(item: Value) -> bool:
            found = attribute_of(item, text_of(attribute))
            return bool(found) if name is None else apply_test(text_of(name), found, given)

        return Lazy(item for item in items_of(value or ()) if passes(item) is keep)

    return select


def _unique(value: Value) -> list[Value]:
    found: dict[Value, Value] = {}
    for item in items_of(value):
        found.setdefault(item.lower() if isinstance(item, str) else item, item)
    return Lazy(found.values())


def _int(value: Value, default: Value = 0) -> Value:
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return default


def _indent(value: Value, width: Value = 4, first: Value = False, blank: Value = False) -> str:
    text = text_of(value)
    if not isinstance(width, int) or not 0 <= width <= 16 or blank:
        raise NotFollowed
    lines = f"{text}\n".splitlines()
    spaces = " " * width
    rest = [spaces + line if line else line for line in lines[1:]]
    return bounded("\n".join([(spaces if first else "") + lines[0], *rest]))


def _format(value: Value, *given: Value) -> str:
    text = text_of(value)
    if re.search(r"%[^%s]", text) or sum(map(len, map(text_of, given))) > MAX_TEXT:
        raise NotFollowed
    return bounded(text % tuple(map(text_of, given)))


def _end(at: int) -> Callable[[Value], Value]:
    def end(value: Value) -> Value:
        items = items_of(value)
        return items[at] if items else Undefined("item")

    return end


def _trim(value: Value, characters: Value = None) -> str:
    return text_of(value).strip(characters)


def _escaped(value: Value) -> Safe:
    if isinstance(value, Safe):
        return value
    return Safe(bounded(html.escape(text_of(value)).replace("&quot;", "&#34;").replace("&#x27;", "&#39;")))


FILTERS: Mapping[str, Callable[..., Value]] = {
    "tojson": to_json,
    "length": _length,
    "count": _length,
    "trim": _trim,
    "string": lambda value: value if isinstance(value, Safe) else text_of(value),
    "safe": lambda value: Safe(text_of(value)),
    "escape": _escaped,
    "default": _default,
    "d": _default,
    "join": _join,
    "list": _list,
    "items": _items,
    "first": _end(0),
    "last": _end(-1),
    "upper": lambda value: text_of(value).upper(),
    "lower": lambda value: text_of(value).lower(),
    "capitalize": lambda value: text_of(value).capitalize(),
    "title": lambda value: text_of(value).title(),
    "replace": _replace,
    "sort": _sorted,
    "dictsort": _dictsort,
    "map": _map,
    "select": _select(True),
    "reject": _select(False),
    "selectattr": _select_attribute(True),
    "rejectattr": _select_attribute(False),
    "unique": _unique,
    "reverse": lambda value: value[::-1] if isinstance(value, str) else items_of(value)[::-1],
    "int": _int,
    "float": float,
    "round": lambda value, digits=0: round(value, digits),
    "abs": abs,
    "min": lambda value: min(items_of(value)),
    "max": lambda value: max(items_of(value)),
    "sum": lambda value: sum(items_of(value)),
    "indent": _indent,
    "format": _format,
    "e": _escaped,
    "forceescape": lambda value: _escaped(text_of(value)),
}


def apply_filter(name: str, value: Value, given: tuple[Value, ...], named: Mapping[str, Value]) -> Value:
    if name not in FILTERS:
        raise LookupError(f"No filter named {name!r} found.")
    return FILTERS[name](value, *given, **named)


def _is_iterable(value: Value) -> bool:
    return isinstance(value, str | list | tuple | dict | Undefined)


TESTS: Mapping[str, Callable[..., Value]] = {
    "defined": lambda value: not isinstance(value, Undefined),
    "undefined": lambda value: isinstance(value, Undefined),
    "none": lambda value: value is None,
    "string": lambda value: isinstance(value, str),
    "mapping": lambda value: isinstance(value, dict),
    "iterable": _is_iterable,
    "sequence": _is_iterable,
    "number": lambda value: isinstance(value, int | float),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "float": lambda value: isinstance(value, float),
    "boolean": lambda value: isinstance(value, bool),
    "true": lambda value: value is True,
    "false": lambda value: value is False,
    "callable": lambda value: isinstance(value, Macro | Method),
    "odd": lambda value: value % 2 == 1,
    "even": lambda value: value % 2 == 0,
    "divisibleby": lambda value, number: value % number == 0,
    "sameas": lambda value, other: value is other,
    "lower": lambda value: text_of(value).islower(),
    "upper": lambda value: text_of(value).isupper(),
}


def apply_test(name: str, value: Value, given: tuple[Value, ...]) -> bool:
    if name in TESTS:
        return bool(TESTS[name](value, *given))
    operator = _OPERATORS_AS_TESTS.get(name)
    if operator is None:
        raise LookupError(f"No test named {name!r} found.")
    return compare(operator, value, *given)


_OPERATORS_AS_TESTS = {
    **dict.fromkeys(("equalto", "eq", "=="), "eq"),
    **dict.fromkeys(("ne", "!="), "ne"),
    **dict.fromkeys(("gt", "greaterthan", ">"), "gt"),
    **dict.fromkeys(("ge", ">="), "gteq"),
    **dict.fromkeys(("lt", "lessthan", "<"), "lt"),
    **dict.fromkeys(("le", "<="), "lteq"),
    "in": "in",
}


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
    if isinstance(value, str) and name in METHODS_OF_TEXT:
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


def _braces(text: str, *given: Value, **named: Value) -> str:
    """`str.format`, as far as fields are empty, numbers or names."""
    numbers = count()

    def fill(field: re.Match[str]) -> str:
        name = field.group(1)
        if not name or name.isdigit():
            return text_of(given[int(name) if name else next(numbers)])
        return text_of(named[name])

    if len(text) + text.count("{") * sum(map(len, map(text_of, (*given, *named.values())))) > MAX_TEXT:
        raise NotFollowed
    found = _FIELD.sub(fill, text)
    if len(_FIELD.findall(text)) != text.count("{") or text.count("{") != text.count("}"):
        raise NotFollowed
    return found


_FIELD = re.compile(r"\{(\w{0,40})\}")

_METHODS_OF_DICTS = frozenset(
    ("items", "keys", "values", "get", "update", "pop", "setdefault", "clear", "copy", "popitem")
)

METHODS_OF_TEXT: Mapping[str, Callable[..., Value]] = {
    **{name: getattr(str, name) for name in ("strip", "lstrip", "rstrip", "startswith", "endswith", "find", "rfind")},
    **{name: getattr(str, name) for name in ("upper", "lower", "title", "capitalize", "splitlines", "count", "index")},
    **{name: getattr(str, name) for name in ("isdigit", "isalpha", "isupper", "islower", "isspace", "isalnum")},
    **{
        name: getattr(str, name)
        for name in ("removeprefix", "removesuffix", "partition", "rpartition", "split", "rsplit")
    },
    "replace": _replace,
    "join": lambda text, items: _join(items, text),
    "format": _braces,
}


def call_method(method: Method, given: tuple[Value, ...], named: Mapping[str, Value]) -> Value:
    owner, name = method.owner, method.name
    if isinstance(owner, str):
        return METHODS_OF_TEXT[name](text_of(owner), *given, **named)
    if isinstance(owner, dict) and name in ("items", "keys", "values"):
        return list(getattr(owner, name)(*given))
    if isinstance(owner, dict) and name == "get":
        return owner.get(*given, **named)
    if isinstance(owner, dict) and name == "copy":
        return dict(owner)
    if isinstance(owner, list) and name in ("index", "count"):
        return getattr(owner, name)(*given)
    if isinstance(owner, Loop):
        return given[owner.at % len(given)]
    raise RuntimeError(f"access to {name!r} is unsafe: it changes what the template was given")


def calculate(kind: str, left: Any, right: Any) -> Value:
    """An operator between two values, by the name of jinja2's node."""
    if isinstance(left, Undefined) or isinstance(right, Undefined):
        raise LookupError("an operand is undefined")
    if any(isinstance(each, int) and each.bit_length() > 64 for each in (left, right)):
        raise NotFollowed
    match kind:
        case "Add" if isinstance(left, Safe) or isinstance(right, Safe):
            return Safe(bounded(text_of(_escaped(left)) + text_of(_escaped(right))))
        case "Add" if isinstance(left, str) and isinstance(right, str):
            return bounded(text_of(left) + text_of(right))
        case "Add":
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
            return _format(left, *(right if isinstance(right, tuple) else (right,)))
        case "Mod":
            return left % right
    raise NotFollowed
