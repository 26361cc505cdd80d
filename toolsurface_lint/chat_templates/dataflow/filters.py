"""What the filters and tests of Jinja make of values, as far as chat templates use them.

Source: jinja2 3.1.6 (filters.py, tests.py); for `tojson`, transformers 5.24.0 (utils/chat_template_utils.py).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from toolsurface_lint.chat_templates.dataflow.operations import (
    attribute_of,
    compare,
    escaped,
    items_of,
    percent_format,
    text_of,
)
from toolsurface_lint.chat_templates.dataflow.values import (
    MAX_TEXT,
    Lazy,
    Macro,
    Method,
    NotFollowed,
    Safe,
    Undefined,
    Value,
    bounded,
    measure,
)


def to_json(
    value: Value, ensure_ascii: Value = False, indent: Value = None, separators: Value = None, sort_keys: Value = False
) -> str:
    measure(value)
    if isinstance(value, Lazy):
        raise TypeError("Object of type generator is not JSON serializable")
    if isinstance(indent, int) and indent > 8:
        raise NotFollowed
    text: str = json.dumps(
        value, ensure_ascii=bool(ensure_ascii), indent=indent, separators=separators, sort_keys=bool(sort_keys)
    )
    return bounded(text)


def _length(value: Value) -> int:
    if isinstance(value, str | list | tuple | dict | Undefined) and not isinstance(value, Lazy):
        return len(value)
    raise TypeError(f"object of type {type(value).__name__} has no len()")


def _default(value: Value, default: Value = "", boolean: Value = False) -> Value:
    return default if isinstance(value, Undefined) or (boolean and not value) else value


def join(value: Value, separator: Value = "", attribute: Value = None) -> str:
    items = items_of(value)
    if attribute is not None:
        items = [attribute_of(item, text_of(attribute)) for item in items]
    separator = text_of(separator)
    texts = list(map(text_of, items))
    if sum(map(len, texts)) + len(separator) * len(texts) > MAX_TEXT:
        raise NotFollowed
    return str(separator).join(texts)


def _list(value: Value) -> list[Value]:
    return list(items_of(value))


def _items(value: Value) -> list[Value]:
    if isinstance(value, Undefined):
        return Lazy()
    if not isinstance(value, dict):
        raise TypeError("Can only get item pairs from a mapping.")
    return Lazy(value.items())


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


def replace(value: Value, old: Value, new: Value, count: Value = -1) -> str:
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


def _end(at: int) -> Callable[[Value], Value]:
    def end(value: Value) -> Value:
        items = items_of(value)
        return items[at] if items else Undefined("item")

    return end


def _title(value: Value) -> str:
    return "".join(word[:1].upper() + word[1:].lower() for word in re.split(r"([-\s({\[<]+)", text_of(value)))


def _trim(value: Value, characters: Value = None) -> str:
    return text_of(value).strip(characters)


FILTERS: Mapping[str, Callable[..., Value]] = {
    "tojson": to_json,
    "length": _length,
    "count": _length,
    "trim": _trim,
    "string": lambda value: value if isinstance(value, Safe) else text_of(value),
    "safe": lambda value: Safe(text_of(value)),
    "escape": escaped,
    "default": _default,
    "d": _default,
    "join": join,
    "list": _list,
    "items": _items,
    "first": _end(0),
    "last": _end(-1),
    "upper": lambda value: text_of(value).upper(),
    "lower": lambda value: text_of(value).lower(),
    "capitalize": lambda value: text_of(value).capitalize(),
    "title": _title,
    "replace": replace,
    "sort": _sorted,
    "dictsort": _dictsort,
    "map": _map,
    "select": _select(True),
    "reject": _select(False),
    "selectattr": _select_attribute(True),
    "rejectattr": _select_attribute(False),
    "unique": _unique,
    "reverse": lambda value: value[::-1] if isinstance(value, str) else Lazy(items_of(value)[::-1]),
    "int": _int,
    "float": float,
    "round": lambda value, digits=0: round(value, digits),
    "abs": abs,
    "min": lambda value: min(items_of(value)),
    "max": lambda value: max(items_of(value)),
    "sum": lambda value: sum(items_of(value)),
    "indent": _indent,
    "format": percent_format,
    "e": escaped,
    "forceescape": lambda value: escaped(text_of(value)),
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
