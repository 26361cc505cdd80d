"""What is wrong at a place, as the rooms below the rules say it: a kind and its parameters, never a sentence."""

# No `from __future__ import annotations`: `NamedTuple` compiles annotations that are strings, each of them at every start.

from collections.abc import Mapping
from typing import Generic, NamedTuple, TypeVar

At = TypeVar("At")
"""How a room names a place: a `Span` of its text, a `Place` in a tree, or a path in a value."""


class Problem(NamedTuple, Generic[At]):
    """Something wrong at a place.

    `kind` is a key of the messages of the rule that reports it, and `values` fill that message: names, numbers and short
    pieces of the text that was read. `near` are the names that may have been meant, `meant` is the text that was plainly
    meant, `reason` the wording of a library. `field` is that of the Harn specification's reports; `related` pairs a kind
    with another place; `edits` are a correction: places, and what to write there.
    """

    kind: str
    at: At
    values: Mapping[str, object] = {}
    field: str | None = None
    related: tuple[tuple[str, At], ...] = ()
    edits: tuple[tuple[At, str], ...] = ()

    @property
    def code(self) -> str:
        """The kind without the variant after its slash: the name that the Harn specification's cases have for it."""
        return self.kind.partition("/")[0]
