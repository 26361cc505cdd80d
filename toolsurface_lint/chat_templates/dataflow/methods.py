"""The methods of values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import count

from toolsurface_lint.chat_templates.dataflow.filters import join, replace
from toolsurface_lint.chat_templates.dataflow.operations import text_of
from toolsurface_lint.chat_templates.dataflow.values import MAX_TEXT, Loop, Method, NotFollowed, Value


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


_OF_TEXT: Mapping[str, Callable[..., Value]] = {
    **{name: getattr(str, name) for name in ("strip", "lstrip", "rstrip", "startswith", "endswith", "find", "rfind")},
    **{name: getattr(str, name) for name in ("upper", "lower", "title", "capitalize", "splitlines", "count", "index")},
    **{name: getattr(str, name) for name in ("isdigit", "isalpha", "isupper", "islower", "isspace", "isalnum")},
    **{
        name: getattr(str, name)
        for name in ("removeprefix", "removesuffix", "partition", "rpartition", "split", "rsplit")
    },
    "replace": replace,
    "join": lambda text, items: join(items, text),
    "format": _braces,
}


def call_method(method: Method, given: tuple[Value, ...], named: Mapping[str, Value]) -> Value:
    owner, name = method.owner, method.name
    if isinstance(owner, str):
        return _OF_TEXT[name](text_of(owner), *given, **named)
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
