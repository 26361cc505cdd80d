"""Keys that an object of a file has more than once."""

from __future__ import annotations

from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Spans


def repeated_key(name: str, first: Spans, again: Spans, removable: Span | None) -> Problem[Span]:
    """The problem of a key that comes `again`; `removable` is the text of the first member if it may go."""
    return Problem(
        "duplicate_key",
        Span(again.key_start, again.key_end),
        {"name": name},
        related=(("first", Span(first.key_start, first.key_end)),),
        edits=() if removable is None else ((removable, ""),),
    )
