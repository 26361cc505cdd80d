"""JSON values at the speed of C, without places: one in a text, from an offset on; `source.json` reads whole files."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from json import JSONDecoder
from json.scanner import make_scanner
from typing import Any


def refuse(constant: str) -> Any:
    """For NaN and the infinities, which Python takes for JSON. Raises `ValueError`."""
    raise ValueError(constant)


scan_value: Callable[[str, int], tuple[Any, int]] = make_scanner(JSONDecoder(parse_constant=refuse))  # type: ignore[arg-type]
"""The JSON value at an offset and the offset after it.

Raises `StopIteration`, whose value is where a value is expected, `ValueError`, also for an integer of more digits than
Python converts, and `RecursionError`.
"""


LARGE = 16 * 1024 * 1024
"""Bytes of JSON for which loading another reader is worth its time."""


@cache
def quick_reader() -> Callable[[bytes], Any] | None:
    """A reader of one JSON value in UTF-8 that takes half the time, if it is installed (the extra `fast`: msgspec).

    It gives what `scan_value` gives, or raises `ValueError` or `RecursionError`, also where that gives a value: for texts with
    half a surrogate pair and numbers beyond the range of floats. Of what was compared, orjson reads as fast, but gives
    floats for integers of more than 64 bits, and simdjson takes longer as soon as every message is looked at.
    """
    try:
        read: Callable[[bytes], Any] = import_module("msgspec.json").Decoder().decode
    except ImportError:
        return None
    return read


def read_value(text: str) -> Any:
    """The value of a text that is strictly JSON; None if it is not, or is `null`."""
    try:
        value, stop = scan_value(text, 0)
        return value if stop == len(text) or not text[stop:].strip(" \t\r\n") else None
    except (StopIteration, ValueError, RecursionError):
        stripped = text.lstrip(" \t\r\n")
        return read_value(stripped) if len(stripped) < len(text) else None
