"""How deep TOML may nest."""

from __future__ import annotations

from toolsurface_lint.source.text import MAX_DEPTH, Span, TooDeep

MAX_INLINE = 400
"""The nesting of arrays and inline tables that tomli reads; some of its versions crash on much more."""


def check_nesting(inline: int, depth: int, position: int) -> None:
    """Refuse the array or inline table that opens at an offset inside `inline` others and `depth` tables and arrays."""
    if inline >= MAX_INLINE:
        raise TooDeep("inline_nesting", Span(position, position + 1), most=MAX_INLINE)
    if inline + depth >= MAX_DEPTH:
        raise too_deep(position, position + 1)


def too_deep(start: int, end: int) -> TooDeep:
    """The error for what stands at these offsets on a level too deep."""
    return TooDeep("nesting", Span(start, end), most=MAX_DEPTH)
