"""JSON values at the speed of C, without places: one in a text, from an offset on; `source.json` reads whole files."""

from __future__ import annotations

from collections.abc import Callable
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


def read_value(text: str) -> Any:
    """The value of a text that is strictly JSON; None if it is not, or is `null`."""
    try:
        value, stop = scan_value(text, 0)
        return value if stop == len(text) or not text[stop:].strip(" \t\r\n") else None
    except (StopIteration, ValueError, RecursionError):
        stripped = text.lstrip(" \t\r\n")
        return read_value(stripped) if len(stripped) < len(text) else None
