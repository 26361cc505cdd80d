"""The values of a TOML text, by tomli; dates and times as text."""

from __future__ import annotations

import re
from datetime import date, time
from typing import Any

import tomli

from toolsurface_lint.source.text import MAX_DEPTH, MAX_INLINE, NotSyntax, Span, TooDeep
from toolsurface_lint.source.tree import Spans, depth_exceeds

_DATE_OR_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{2}:[0-9]{2}")


def toml_value(text: str) -> dict[str, Any]:
    """The value of a TOML text. Raises `NotSyntax` at the place where it is not one."""
    brackets = text.count("[") + text.count("{")
    if brackets > MAX_INLINE and (error := _too_deep(text)):
        raise error
    try:
        value = tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        from toolsurface_lint.source.toml.errors import not_syntax

        raise not_syntax(text, error) from None
    except RecursionError:
        raise _too_deep(text) or TooDeep("nesting", Span(0, 0), most=MAX_DEPTH) from None
    except ValueError:
        raise NotSyntax("toml_integer", _long_integer(text)) from None
    # Each level but the outermost takes a dot or a bracket.
    if brackets + text.count(".") >= MAX_DEPTH and depth_exceeds(value, MAX_DEPTH):
        raise _too_deep(text) or TooDeep("nesting", Span(0, 0), most=MAX_DEPTH)
    if _DATE_OR_TIME.search(text):
        _write_dates(text, value)
    return value


def _too_deep(text: str) -> TooDeep | None:
    """Where the text nests too deeply; whatever else may be wrong with it, tomli says."""
    try:
        _places(text)
    except TooDeep as error:
        return error
    except NotSyntax:
        pass
    return None


def _write_dates(text: str, value: Any) -> None:
    """Replace the dates and times in a value by their text."""
    containers: list[tuple[Any, Spans]] = [(value, _places(text))]
    while containers:
        container, spans = containers.pop()
        items: Any = spans.items
        for key, member in container.items() if isinstance(container, dict) else enumerate(container):
            place = items[key]
            if isinstance(member, date | time):
                container[key] = text[place.start : place.end]
            elif isinstance(member, dict | list):
                containers.append((member, place))


_INTEGER = re.compile("[-+]?[0-9_]+")


def _long_integer(text: str) -> Span:
    """The place of the first integer that Python refuses to convert."""
    places = [_places(text)]
    found = []
    while places:
        spans = places.pop()
        if spans.items is not None:
            places.extend(spans.items.values() if isinstance(spans.items, dict) else spans.items)
        elif spans.end - spans.start > 1000 and _INTEGER.fullmatch(text, spans.start, spans.end):
            found.append(Span(spans.start, spans.end))
    return min(found, default=Span(0, 0))


def _places(text: str) -> Spans:
    from toolsurface_lint.source.toml.index import Index

    return Index(text).read()
