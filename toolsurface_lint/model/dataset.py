"""What only a whole dataset shows: facts of its rows, put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from toolsurface_lint.source.tree import Place


class Rows(NamedTuple):
    """Rows that have something in common: how many there are, and the place of the first."""

    number: int
    first: Place


class NameChange(NamedTuple):
    """One way in which rows write the name of a tool differently than it was written before.

    `where` is what writes it so, `call` or `result`; `how` is `case` (case and separators) or `prefix` (without the name of its
    server). `name` and `written` are the two ways in the first of the rows.
    """

    where: str
    how: str
    name: str
    written: str
    rows: Rows


class Repeated(NamedTuple):
    """Rows that are the same as one before; `like` says where the one is that the first of them repeats."""

    rows: Rows
    like: str


class Leak(NamedTuple):
    """Rows of one split that another one has, too: all of the `conversation`, or the `task`: what is asked, and the calls."""

    kind: str
    split: str
    other: str
    repeated: Repeated


class DatasetFacts(NamedTuple):
    """What the rows of a dataset say together. None, or empty, where there is nothing to say.

    `shared_keys`: rows in which every schema of a tool has the keys of all, most of them null. `without_tools`: rows that call
    and carry no tools, where others do; `with_tools` counts those.
    """

    rows: int
    shared_keys: Rows | None = None
    without_tools: Rows | None = None
    with_tools: int = 0
    name_changes: Sequence[NameChange] = ()
    duplicates: Repeated | None = None
    leaks: Sequence[Leak] = ()
