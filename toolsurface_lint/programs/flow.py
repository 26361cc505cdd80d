"""How control flows through a program that is followed: calls that are under way, loops and branches that may not be taken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from toolsurface_lint.programs.values import (
    CALL,
    FilePath,
    Literal,
    Made,
    Mapping,
    Module,
    Node,
    Scope,
    Text,
    Unknown,
    Value,
    is_none,
)

# How a block of statements ends: it does not; it leaves the function; it does so as long as a setting is off; it leaves
# this turn of the loop.
GOES_ON, ENDED, ENDED_BY_SETTING, NEXT = 0, 1, 2, 3

MAX_STEPS = 300_000
FREE_STEPS, STEPS_A_CHARACTER = 2_000, 10
"""Expressions and statements followed in one project, and what a small one may take; then the rest is left out and the
surface is open.

The largest published servers that were tried (1.5 MB of source, 98 tools) need 35,000.
"""

MAX_IDLE_STEPS = 3_000
"""What a call may take without registering anything; then it is taken for one that does not, and the code around it goes on."""

MAX_IDLE_CALLS = 10
"""How often an `__init__` that registers nothing is followed for what it may register; then only for an attribute."""

MAX_PARTS = 100_000
"""Parts of which the definitions of a project's tools are put together, unless more characters are written; then the
definitions that are left have no schema, and the surface is open.

A schema that is written once and shared by 100 tools of 100 parameters takes half of them.
"""

MAX_CALLS = 30
MAX_NESTING = 120
"""Nested calls and nested expressions beyond which a value is unknown."""

MAX_ITERATIONS = 2_000
MAX_TEXT = 100_000
"""Longer lists and texts are not followed: doubling one in a loop must not fill the memory."""


MAX_NAME = 100
"""Letters of a text that are looked at one by one: names are made of other names so."""


class OutOfSteps(Exception):
    """The project is larger than what is followed."""


class ImportGroup:
    """Files that have to do with one another.

    `left` is the number of steps that may still be taken, `parts` the number of parts of definitions that may still be put
    together, `complete` whether they have been enough so far. They depend on nothing but these files, so that no file is
    left out because of others that are checked beside it.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self.left = min(MAX_STEPS, FREE_STEPS + STEPS_A_CHARACTER * size)
        # What is written once always fits, however large the group is; what many tools share counts for each.
        self.parts = max(MAX_PARTS, size)
        self.complete = True

    def for_definitions(self) -> ImportGroup:
        """The same with the steps that reading the signatures of its tools may take: a model counts for each that takes it."""
        group = ImportGroup(self._size)
        group.left = max(MAX_STEPS, self._size)
        return group


def either(values: Sequence[Value], before: Value | None) -> Value:
    """What a name is after branches that bind it to these values: the first that is known and not None.

    A name that is None on one way is filled in on another one, and used for what it is there. None is certain only if it is
    None on all ways; `before` is its value on a way that does not bind it, if there is such a way.
    """
    telling = (value for value in values if not isinstance(value, Unknown) and not is_none(value))
    unknown = (value for value in values if isinstance(value, Unknown))
    return next(telling, None) or next(unknown, None) or before or values[0]


def returned(values: list[Value], module: Module, node: Node) -> Value:
    """What a call gives whose ways end in these values: the one that says something, if there is no other like it.

    Data is known only if all ways that say something give the same. Of several objects and lists the first stands for all:
    a server is the same whichever way it is set up.
    """
    telling = [value for value in values if not isinstance(value, Unknown) and not is_none(value)]
    texts = [value for value in values if isinstance(value, Text | FilePath)]
    if not telling and len(texts) == 1:
        return texts[0]
    if not telling:
        # None is certain only if all ways give it.
        certain = values and not any(isinstance(value, Unknown) for value in values)
        return values[0] if certain else Unknown(CALL, module, node)
    first = telling[0]
    if isinstance(first, Literal):
        same = all(isinstance(value, Literal) and value.value == first.value for value in values)
        return first if same else Unknown("a value chosen at run time", module, node)
    if isinstance(first, Made | Mapping) and any(value is not first for value in telling):
        return Unknown("a value chosen at run time", module, node)
    return first


class Loop(NamedTuple):
    """A loop over something that only a run can tell; `what` it is, for people."""

    module: Module
    node: Node
    what: str


class Frame:
    """One call, one class body or one file that is being followed."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.returns: list[Value] = []
        self.settled = False
        """Whether it has returned for certain, and is followed on only for what a setting would add."""
