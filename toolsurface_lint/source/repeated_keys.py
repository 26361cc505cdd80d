"""Keys that an object of a file has more than once."""

from __future__ import annotations

from toolsurface_lint.source.text import Cure, Problem, Span
from toolsurface_lint.source.tree import Spans


def repeated_key(name: str, first: Spans, again: Spans, removable: Span | None) -> Problem:
    """The problem of a key that comes `again`; `removable` is the text of the first member if it may go."""
    return Problem(
        "duplicate_key",
        f"key `{name}` is repeated; only the last value counts",
        Span(again.key_start, again.key_end),
        Span(first.key_start, first.key_end),
        "first given here",
        None if removable is None else Cure(f"remove the first `{name}`", ((removable, ""),)),
    )
