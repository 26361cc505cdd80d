"""The Python files that are read together, and which of them an import names."""

from __future__ import annotations

import ast
import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from toolsurface_lint.programs.python.bodies import drop_bodies
from toolsurface_lint.programs.values import Scope
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.python import Offsets, parse_python
from toolsurface_lint.source.text import SourceText, Span

# The names in parentheses have a bound, so that many that are never closed cost no more than the text is long.
_IMPORT = re.compile(
    r"^[ \t]*+(?:from[ \t]++(?P<level>\.*+)(?P<base>[\w.]*+)[ \t]++import[ \t]*+(?P<names>\([^)]{0,8000}\)|[^\n;]*)"
    r"|import[ \t]+(?P<modules>[^\n;]*))",
    re.MULTILINE,
)
_IMPORTED = re.compile(r"([^\W\d][\w.]*)(?:[ \t]+as[ \t]+\w+)?")


KEPT_WHOLE = 500_000
"""Characters of files whose trees are kept as they are; of others, the bodies of functions are parsed when needed."""

MAX_NODES = 550_000
"""Nodes that the trees of other files may have without those bodies; then no more files are parsed."""


class Budget:
    """The memory that the trees of all files may take together; `refused` are the files that are not parsed for it."""

    __slots__ = ("_characters", "_nodes", "refused")

    def __init__(self) -> None:
        self._characters = 0
        self._nodes = 0
        self.refused: set[Module] = set()

    def admits(self, module: Module) -> bool:
        """Whether a file may still be parsed; if not, that is noted."""
        if self._nodes > MAX_NODES:
            self.refused.add(module)
        return self._nodes <= MAX_NODES

    def spend(self, tree: ast.Module, source: SourceText) -> None:
        """Count the tree of a file, and if there are many, take the bodies of its functions out."""
        self._characters += len(source.text)
        if self._characters > KEPT_WHOLE:
            self._nodes += drop_bodies(tree, source)


class Module:
    """One file. `state` says how far its statements have been followed: `new`, `running`, `names` or `done`.

    `names`: only for the names that other files import from it.
    """

    __slots__ = (
        "_offsets",
        "imports",
        "is_package",
        "names",
        "parsed",
        "path",
        "problem",
        "scope",
        "source",
        "state",
        "tree",
    )

    def __init__(self, source: SourceText, path: str) -> None:
        self.source = source
        self.path = source.path
        parts = path.replace("\\", "/").removesuffix(".py").split("/")
        self.is_package = parts[-1] == "__init__"
        self.names = tuple(parts[:-1] if self.is_package else parts)
        self.scope = Scope(self)
        self.state = "new"
        self.parsed = False
        self.tree: ast.Module | None = None
        self.problem: Problem[Span] | None = None
        self._offsets: Offsets | None = None
        self.imports: set[Module] | None = None

    def parse(self, budget: Budget) -> ast.Module | None:
        """The file's syntax tree; None if it is not Python, or if the budget is spent."""
        if not self.parsed and budget.admits(self):
            self.parsed = True
            self.tree, self.problem = parse_python(self.source)
            if self.tree is not None:
                budget.spend(self.tree, self.source)
        return self.tree

    @property
    def offsets(self) -> Offsets:
        if self._offsets is None:
            self._offsets = Offsets(self.source)
        return self._offsets

    @property
    def is_test(self) -> bool:
        """Whether the file's own name says that it is a test."""
        name = self.names[-1] if self.names else ""
        return name.startswith("test_") or name.endswith("_test") or name == "conftest"


class Modules:
    """All files, found by the names that imports use."""

    def __init__(self, files: Sequence[SourceText], paths: Sequence[str] | None = None) -> None:
        paths = [source.path for source in files] if paths is None else paths
        self.all = [Module(source, path) for source, path in zip(files, paths, strict=True)]
        # A package hides the file of its name.
        self._by_names = {module.names: module for module in sorted(self.all, key=lambda each: each.is_package)}
        self._last = {names[-1] for names in self._by_names if names}
        self._backwards = sorted(names[::-1] for names in self._by_names)
        self._nearest: dict[tuple[str, ...], dict[tuple[str, ...], Module]] = {}
        self.budget = Budget()
        self._packages = {module.names for module in self.all if module.is_package}

    def relative(self, importer: Module, level: int, dotted: str) -> Module | None:
        """The file that `from ..dotted import` names, `level` dots before it."""
        base = importer.names if importer.is_package else importer.names[:-1]
        if level > 1:
            base = base[: len(base) - (level - 1)]
        return self._by_names.get((*base, *(dotted.split(".") if dotted else ())))

    def absolute(self, importer: Module, dotted: str) -> Module | None:
        """The file that `import dotted` names, if it is one of ours.

        Its root, the folder that would have to be on the path, must not lie inside a package: `tools/json.py` of a package is not
        what `import json` means. Of several, the one that shares the most folders with the importer, then the highest one.
        """
        names = tuple(dotted.split("."))
        if names[0] in sys.stdlib_module_names or names[-1] not in self._last:
            return None
        ours = importer.names
        if len(names) == 1:
            return self._around(ours, names[0])
        nearest = self._nearest.get(names)
        if nearest is None:
            nearest = self._nearest[names] = self._by_folders(names)
        shared = range(len(ours), -1, -1) if nearest else ()
        return next((nearest[ours[:count]] for count in shared if ours[:count] in nearest), None)

    def _around(self, ours: tuple[str, ...], name: str) -> Module | None:
        """The nearest file of a name whose root is a folder around the importer."""
        best: Module | None = None
        most = -1
        for count in range(len(ours) + 1):
            root = ours[:count]
            module = self._by_names.get((*root, name))
            if module is not None and root not in self._packages:
                shared = count + (ours[count : count + 1] == (name,))
                if shared > most:
                    best, most = module, shared
        return best

    def _by_folders(self, names: tuple[str, ...]) -> dict[tuple[str, ...], Module]:
        """The highest file of a dotted name below each folder (or under each file's own names), by the names of its path."""
        low = bisect_left(self._backwards, names[::-1])
        high = bisect_right(self._backwards, names[::-1], low, key=lambda each: each[: len(names)])
        found: dict[tuple[str, ...], Module] = {}
        for path in sorted((each[::-1] for each in self._backwards[low:high]), key=lambda each: (len(each), each)):
            if path[: -len(names)] not in self._packages:
                for count in range(len(path) + 1):
                    found.setdefault(path[:count], self._by_names[path])
        return found

    def submodule(self, package: Module, name: str) -> Module | None:
        return self._by_names.get((*package.names, name))

    def imported(self, module: Module) -> set[Module]:
        """The files that a file's import statements name, read from its text without parsing it."""
        if module.imports is None:
            module.imports = self._read_imports(module)
        return module.imports

    def _read_imports(self, module: Module) -> set[Module]:
        found: set[Module | None] = set()
        for match in _IMPORT.finditer(module.source.peek()):
            if match["modules"] is not None:
                found.update(self.absolute(module, name) for name in _IMPORTED.findall(match["modules"]))
                continue
            level, base = len(match["level"]), match["base"].strip(".")
            target = self.relative(module, level, base) if level else self.absolute(module, base) if base else None
            found.add(target)
            for name in _IMPORTED.findall(match["names"]):
                if target is not None:
                    found.add(self.submodule(target, name))
                elif level:
                    found.add(self.relative(module, level, f"{base}.{name}" if base else name))
                else:
                    found.add(self.absolute(module, f"{base}.{name}"))
        return {target for target in found if target is not None and target is not module}

    def with_importers(self, roots: list[Module]) -> list[Module]:
        """Files and all that import them, directly or not, in the order of all files; tests are left out."""
        importers: dict[Module, list[Module]] = {}
        for module in self.all:
            if not module.is_test:
                for target in self.imported(module):
                    importers.setdefault(target, []).append(module)
        found = set(roots)
        pending = list(roots)
        while pending:
            for importer in importers.get(pending.pop(), ()):
                if importer not in found:
                    found.add(importer)
                    pending.append(importer)
        return [module for module in self.all if module in found]
