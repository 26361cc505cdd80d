"""Python files that import one another: what is followed of them has nothing to do with other files."""

from __future__ import annotations

from collections.abc import Sequence

from toolsurface_lint.programs.flow import FREE_STEPS, MAX_PARTS, MAX_STEPS, STEPS_A_CHARACTER
from toolsurface_lint.programs.python.modules import Module, Modules


class ImportGroup:
    """Files that have to do with one another.

    `left` is the number of steps that may still be taken, `parts` the number of parts of definitions that may still be put
    together, `complete` whether they have been enough so far. They depend on nothing but these files, so that no file is
    left out because of others that are checked beside it.
    """

    __slots__ = ("_size", "complete", "left", "parts")

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


def groups_of(modules: Modules, roots: Sequence[Module]) -> dict[Module, ImportGroup]:
    """The group of each file: `roots` with all that they import and that imports them, any other file by itself.

    Tests import what has nothing else in common: they join nothing unless they are roots.
    """
    own = set(roots)
    neighbours: dict[Module, list[Module]] = {}
    for module in modules.all:
        if module in own or not module.is_test:
            for target in modules.imported(module):
                neighbours.setdefault(module, []).append(target)
                neighbours.setdefault(target, []).append(module)
    found: dict[Module, ImportGroup] = {}
    for root in (*roots, *modules.all):
        if root in found:
            continue
        members = [root]
        known = {root}
        for member in members:
            more = [each for each in dict.fromkeys(neighbours.get(member, ())) if each not in known]
            known.update(more)
            members += more
        found.update(dict.fromkeys(members, ImportGroup(sum(len(module.source.peek()) for module in members))))
    return found
