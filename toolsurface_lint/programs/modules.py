"""The files of one language that are read together, and what their imports join."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from itertools import count

from toolsurface_lint.programs.flow import ImportGroup
from toolsurface_lint.programs.values import Module


class Modules:
    """All files; `refused` are those that are not parsed for want of memory."""

    all: Sequence[Module]
    refused: set[Module]

    @cached_property
    def _importers(self) -> dict[Module, list[Module]]:
        """The files that import each file, but for tests."""
        found: dict[Module, list[Module]] = {}
        for module in self.all:
            if not module.is_test:
                for target in module.imported:
                    found.setdefault(target, []).append(module)
        return found

    def led_to(self, marks: Mapping[Module, Collection[str]]) -> dict[Module, str | None]:
        """Of the files from which imports lead to a mark, or that have one, the only one; None where there are several."""
        found: dict[Module, str | None] = {}
        # What is said of a file changes twice at most: from nothing to one mark, and to several.
        changed: list[tuple[Module, str | None]] = [(module, mark) for module, own in marks.items() for mark in own]
        while changed:
            module, mark = changed.pop()
            known = found.get(module, mark)
            new = mark if known == mark else None
            if module not in found or found[module] != new:
                found[module] = new
                changed.extend((importer, new) for importer in self._importers.get(module, ()))
        return found

    levels: int | None = None
    """Through how many imports files are looked for that import others; None for any number."""

    def may_put_together(self, module: Module) -> bool:
        """Whether a file may make something of the tools that it imports."""
        return True

    def with_importers(self, roots: list[Module]) -> list[Module]:
        """Files and all that import them, directly or not, in the order of all files; tests are left out."""
        found = set(roots)
        level = roots
        for _ in count() if self.levels is None else range(self.levels):
            level = [
                each
                for module in level
                for each in self._importers.get(module, ())
                if each not in found and self.may_put_together(each)
            ]
            if not level:
                break
            found.update(level)
        return [module for module in self.all if module in found]

    def groups(self, roots: Sequence[Module]) -> dict[Module, ImportGroup]:
        """The group of each file: `roots` with all that they import and that imports them, any other file by itself.

        Tests import what has nothing else in common: they join nothing unless they are roots.
        """
        own = set(roots)
        neighbours: dict[Module, list[Module]] = {}
        for module in self.all:
            if module in own or not module.is_test:
                for target in module.imported:
                    neighbours.setdefault(module, []).append(target)
                    neighbours.setdefault(target, []).append(module)
        found: dict[Module, ImportGroup] = {}
        for root in (*roots, *self.all):
            if root in found:
                continue
            members = _reached([root], neighbours)
            found.update(dict.fromkeys(members, ImportGroup(sum(len(module.source.peek()) for module in members))))
        return found


def _reached(roots: list[Module], edges: dict[Module, list[Module]]) -> list[Module]:
    """Files with all that the edges lead to, directly or not."""
    found = list(roots)
    known = set(roots)
    for module in found:
        for other in edges.get(module, ()):
            if other not in known:
                known.add(other)
                found.append(other)
    return found
