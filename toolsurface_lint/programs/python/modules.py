"""The Python files that are read together, and which of them an import names."""

from __future__ import annotations

import ast
import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.framework import names as known_packages
from toolsurface_lint.programs.markers import may_define_tools
from toolsurface_lint.programs.modules import Modules
from toolsurface_lint.programs.python.bodies import docstring_of, drop_bodies, nodes
from toolsurface_lint.programs.python.expressions import EXPRESSIONS
from toolsurface_lint.programs.python.hints import arguments, hinted, read_hint
from toolsurface_lint.programs.python.library import call_library
from toolsurface_lint.programs.python.statements import STATEMENTS
from toolsurface_lint.source.program_tree import Located, Location, Offsets
from toolsurface_lint.source.python import PythonTree, parse_python
from toolsurface_lint.source.text import SourceText

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

# A line begins with the end of the one before: a plain character is searched for at memory speed. The names in parentheses
# have a bound, so that many that are never closed cost no more than the text is long.
_IMPORT = re.compile(
    r"\n[ \t]*+(?:from[ \t]++(?P<level>\.*+)(?P<base>[\w.]*+)[ \t]++import[ \t]*+(?P<names>\([^)]{0,8000}\)|[^\n;]*)"
    r"|import[ \t]+(?P<modules>[^\n;]*))"
)
_IMPORTED = re.compile(r"([^\W\d][\w.]*)(?:[ \t]+as[ \t]+\w+)?")


_DEFINED = re.compile(r"\n(?:class|def|async[ \t]+def)[ \t]+(\w+)")
_START = re.compile(r"\nif[ \t]+__name__[ \t]*==")
_RELATIVE = re.compile(r"\n[ \t]*+from[ \t]+\.")

KEPT_WHOLE = 500_000
"""Characters of files whose trees are kept as they are; of others that have no sign of tools, the bodies of functions are
parsed when needed."""

MAX_NODES = 1_200_000
"""Nodes that the trees of other files may have; then no more files are parsed: a node takes 400 bytes."""


class PythonModule(v.Module):
    """A Python file: the nodes of its statements are those of `ast`."""

    expressions = EXPRESSIONS
    statements = STATEMENTS
    library = staticmethod(call_library)
    tree_class = PythonTree
    may_define_tools = staticmethod(may_define_tools)

    def __init__(self, source: SourceText, path: str, modules: PythonModules) -> None:
        super().__init__(source)
        self.location = path.replace("\\", "/")
        parts = self.location.removesuffix(".py").split("/")
        self.is_package = parts[-1] == "__init__"
        self.names = tuple(parts[:-1] if self.is_package else parts)
        self.parsed = False
        self.tree: ast.Module | None = None
        self.too_long = False
        """Whether that is why there is no tree: then nothing is wrong with the file."""
        self._modules = modules
        self._parameters: dict[ast.AST, tuple[v.Parameter, ...]] = {}
        self._classes: dict[ast.ClassDef, v.ClassSyntax] = {}

    def parse(self) -> list[ast.stmt] | None:
        if not self.parsed and self._modules.nodes > MAX_NODES:
            self._modules.refused.add(self)
        elif not self.parsed:
            self.parsed = True
            self.tree, self.problem = parse_python(self.source)
            self.too_long = self.tree is None and self.problem is None
            if self.tree is not None:
                self._modules.characters += len(self.source.text)
                if self._modules.characters > KEPT_WHOLE:
                    # Most functions of files that may define tools are followed.
                    if not self.has_signs:
                        drop_bodies(self.tree, self.source)
                    self._modules.nodes += len(nodes([self.tree]))
        return None if self.tree is None else self.tree.body

    @cached_property
    def offsets(self) -> Offsets:  # type: ignore[override]
        return Offsets(self.source)

    @cached_property
    def has_signs(self) -> bool:  # type: ignore[override]
        """Whether the file could define tools."""
        return may_define_tools(self.source.peek())

    @cached_property
    def import_names(self) -> tuple[str, ...]:  # type: ignore[override]
        start = max(len(self.names) - 1, 0)
        while start and self.names[:start] in self._modules.packages and self.names[start - 1].isidentifier():
            start -= 1
        return self.names[start:]

    @cached_property
    def package_defines(self) -> frozenset[str]:  # type: ignore[override]
        return self._modules.defined_below(self.names[: len(self.names) - len(self.import_names) + 1])

    @property
    def is_test(self) -> bool:  # type: ignore[override]
        """Whether the file's own name says that it is a test."""
        name = self.names[-1] if self.names else ""
        return name.startswith("test_") or name.endswith("_test") or name == "conftest"

    @cached_property
    def imported(self) -> set[PythonModule]:  # type: ignore[override]
        """The files that the file's import statements name, read from its text without parsing it."""
        found: set[PythonModule | None] = set()
        for match in _IMPORT.finditer("\n" + self.source.peek()):
            if match["modules"] is not None:
                found.update(self.find(name, 0) for name in _IMPORTED.findall(match["modules"]))
                continue
            level, base = len(match["level"]), match["base"].strip(".")
            target = self.find(base, level)
            found.add(target)
            for name in _IMPORTED.findall(match["names"]):
                if target is not None:
                    found.add(target.submodule(name))
                else:
                    found.add(self.find(f"{base}.{name}" if base else name, level))
        return {target for target in found if target is not None and target is not self}

    def find(self, dotted: str, level: int) -> PythonModule | None:
        if not level:
            return self._modules.absolute(self, dotted) if dotted else None
        base = self.names if self.is_package else self.names[:-1]
        base = base[: len(base) - (level - 1)]
        return self._modules.by_names.get((*base, *(dotted.split(".") if dotted else ())))

    def submodule(self, name: str) -> PythonModule | None:
        return self._modules.by_names.get((*self.names, name))

    def defer(self, statement: ast.stmt) -> bool:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target, value = statement.targets[0], statement.value
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            target, value = statement.target, statement.value
        else:
            return isinstance(statement, ast.Expr)
        if not isinstance(target, ast.Name):
            return False
        self.scope.names[target.id] = v.Deferred(value, self.scope)
        return True

    def body(self, code: FunctionNode) -> list[ast.stmt] | ast.expr:
        return code.body

    def assignments(self, code: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.stmt]:
        return [statement for statement in code.body if isinstance(statement, ast.Assign | ast.AnnAssign)]

    def docstring(self, code: FunctionNode | ast.ClassDef) -> v.Literal:
        node = None if isinstance(code, ast.Lambda) else docstring_of(code)
        return v.Literal(None, self, code) if node is None else v.Literal(node.value, self, node)

    def name_place(self, code: Located, name: str) -> Location:
        return self.offsets.identifier(code, name, keyword=True)

    def parameters(self, code: FunctionNode) -> tuple[v.Parameter, ...]:
        if code not in self._parameters:
            self._parameters[code] = tuple(_parameters(code.args))
        return self._parameters[code]

    def class_syntax(self, code: ast.ClassDef) -> v.ClassSyntax:
        if code not in self._classes:
            self._classes[code] = _class_syntax(code)
        return self._classes[code]

    def take_apart(self, evaluator: Any, function: v.Function, scope: v.Scope) -> None:
        """No parameter of Python takes its argument apart."""

    read_hint = staticmethod(read_hint)
    hinted = staticmethod(hinted)


def _parameters(written: ast.arguments) -> Iterator[v.Parameter]:
    positional = [*written.posonlyargs, *written.args]
    missing = len(positional) - len(written.defaults)
    for node, default in zip(positional, [*[None] * missing, *written.defaults], strict=True):
        yield v.Parameter(node.arg, node.annotation, default, node)
    for node, default in zip(written.kwonlyargs, written.kw_defaults, strict=True):
        yield v.Parameter(node.arg, node.annotation, default, node, v.NAMED)
    for rest, kind in ((written.vararg, v.REST), (written.kwarg, v.NAMED_REST)):
        if rest is not None:
            yield v.Parameter(rest.arg, rest.annotation, None, rest, kind)


def _class_syntax(code: ast.ClassDef) -> v.ClassSyntax:
    annotated = [statement for statement in code.body if isinstance(statement, ast.AnnAssign)]
    return v.ClassSyntax(
        tuple(
            v.Parameter(statement.target.id, statement.annotation, statement.value, statement.target)
            for statement in annotated
            if isinstance(statement.target, ast.Name)
        ),
        any("dataclass" in ast.dump(decorator) for decorator in code.decorator_list),
        any(
            keyword.arg == "total" and isinstance(keyword.value, ast.Constant) and keyword.value.value is False
            for keyword in code.keywords
        ),
        next((arguments(base)[0] for base in code.bases if isinstance(base, ast.Subscript)), None),
    )


class PythonModules(Modules):
    """All files, found by the names that imports use."""

    all: Sequence[PythonModule]

    def __init__(self, files: Sequence[SourceText], paths: Sequence[str] | None = None) -> None:
        paths = [source.path for source in files] if paths is None else paths
        self.characters = self.nodes = 0
        self.refused = set()
        self.all = [PythonModule(source, path, self) for source, path in zip(files, paths, strict=True)]
        # A package hides the file of its name.
        self.by_names = {module.names: module for module in sorted(self.all, key=lambda each: each.is_package)}
        self._last = {names[-1] for names in self.by_names if names}
        self._backwards = sorted(names[::-1] for names in self.by_names)
        self._defined: dict[tuple[str, ...], frozenset[str]] = {}
        self._nearest: dict[tuple[str, ...], dict[tuple[str, ...], PythonModule]] = {}
        self.packages = {module.names for module in self.all if module.is_package}

    def defined_below(self, package: tuple[str, ...]) -> frozenset[str]:
        """The names of the functions and classes at the top of the files of a package, read from their texts."""
        found = self._defined.get(package)
        if found is None:
            size = len(package)
            low = bisect_left(self._forwards, package)
            high = bisect_right(self._forwards, package, low, key=lambda each: each[:size])
            texts = (self.by_names[names].source.peek() for names in self._forwards[low:high])
            found = self._defined[package] = frozenset(name for text in texts for name in _DEFINED.findall("\n" + text))
        return found

    @cached_property
    def _forwards(self) -> list[tuple[str, ...]]:
        return sorted(self.by_names)

    @cached_property
    def _started(self) -> set[tuple[str, ...]]:
        """The packages with a file that is run as a program, which puts its folder on the path."""
        return {module.names[:-1] for module in self.all if not module.is_package and _is_program(module.source.peek())}

    def absolute(self, importer: PythonModule, dotted: str) -> PythonModule | None:
        """The file that `import dotted` names, if it is one of ours.

        Its root, the folder that would have to be on the path, must not be a package: `tools/json.py` of a package is not what
        `import json` means, unless a file beside it is run as a program, or the folder is called `src`. The importer lies
        below the root: else the file is a library that would have to be installed, and is not read, wherever the check
        begins. Of several, the one that shares the most folders with the importer, then the highest one.
        """
        names = tuple(dotted.split("."))
        if names[0] in sys.stdlib_module_names or names[-1] not in self._last:
            return None
        nearest = self._nearest.get(names)
        if nearest is None:
            nearest = self._nearest[names] = self._by_folders(names)
        ours = importer.names
        shared = range(len(ours), -1, -1) if nearest else ()
        return next((nearest[ours[:count]] for count in shared if ours[:count] in nearest), None)

    def _by_folders(self, names: tuple[str, ...]) -> dict[tuple[str, ...], PythonModule]:
        """The highest file of a dotted name below each folder (or under each file's own names), by the names of its path.

        It is found only from below its root.
        """
        low = bisect_left(self._backwards, names[::-1])
        high = bisect_right(self._backwards, names[::-1], low, key=lambda each: each[: len(names)])
        found: dict[tuple[str, ...], PythonModule] = {}
        for path in sorted((each[::-1] for each in self._backwards[low:high]), key=lambda each: (len(each), each)):
            root = path[: -len(names)]
            may_be_root = root in self._started or root[-1:] == ("src",)
            if root not in self.packages or (may_be_root and names[0] not in known_packages("packages")):
                for count in range(len(root), len(path) + 1):
                    found.setdefault(path[:count], self.by_names[path])
        return found


def _is_program(text: str) -> bool:
    """Whether a file is meant to be run by its path, in which it can import nothing relative to its package."""
    if "__main__" not in text:
        return False
    lines = "\n" + text
    return _START.search(lines) is not None and _RELATIVE.search(lines) is None
