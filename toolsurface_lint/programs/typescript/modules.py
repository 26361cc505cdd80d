"""The TypeScript and JavaScript files that are read together, and which of them an import names."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

from toolsurface_lint.programs import values as v
from toolsurface_lint.programs.modules import Modules
from toolsurface_lint.programs.typescript.expressions import EXPRESSIONS, bind
from toolsurface_lint.programs.typescript.library import call_library
from toolsurface_lint.programs.typescript.markers import may_define_tools
from toolsurface_lint.programs.typescript.schemas import as_object, schema_of
from toolsurface_lint.programs.typescript.statements import STATEMENTS, declared, exported_default, hoisted
from toolsurface_lint.source.syntax import ByteOffsets, Syntax, grammar_of, parse_syntax
from toolsurface_lint.source.text import SourceText
from toolsurface_lint.source.typescript import ScriptTree

_ENDINGS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
# Begins with plain text, which is searched for at memory speed.
_IMPORTED = re.compile(r"""(?:from|import|require)[ \t]*+\(?[ \t\n]*+["']([^"'\n]{1,200})["']""")
_TEST = re.compile(r"[._-](?:test|spec|vitest|stories|bench)s?(?:-d)?$|(?:^|/)__(?:tests|mocks)__/")
_SPEAKS_OF_TOOLS = re.compile(r"[tT]ools?\b|[tT]ool[A-Z]|[mM][cC][pP]|[aA]gent|createServer|[sS]erver\(")
_ALIAS = re.compile(r"(?:@|~|#)/|#(?=\w)|~(?=\w)|(?=src/)")
"""How the paths of imports begin that a setting of the compiler maps to a folder, most often `src`."""

_FRAMEWORKS = (
    "@modelcontextprotocol/", "@mastra/", "@langchain/", "@openai/", "@anthropic-ai/", "@ai-sdk/", "@genkit-ai/",
    "@google/", "@opencode-ai/", "@rekog/",
)  # fmt: skip
"""Scopes whose packages are what they are elsewhere, in their own repository too."""


class ScriptModule(v.Module):
    """A TypeScript or JavaScript file: the nodes of its statements are `Syntax`."""

    expressions = EXPRESSIONS
    statements = STATEMENTS
    library = staticmethod(call_library)
    receiver_is_parameter = False
    arguments_may_be_left_out = True
    tree_class = ScriptTree
    may_define_tools = staticmethod(may_define_tools)
    import_names = ()
    package_defines = frozenset()

    def __init__(self, source: SourceText, path: str, modules: ScriptModules) -> None:
        super().__init__(source)
        self.location = path.replace("\\", "/")
        self.stem, self.ending = posixpath.splitext(self.location)
        self.parsed = False
        self.too_long = False
        self.exported: dict[str, Syntax] = {}
        """The names that others can import, each with the place that says so."""
        self.followed: set[Syntax] = set()
        """The functions that are expressions and have been noted: one that is evaluated again is the same."""
        self._modules = modules
        self._statements: list[Syntax] | None = None
        self._parameters: dict[Syntax, tuple[v.Parameter, ...]] = {}

    def parse(self) -> list[Syntax] | None:
        if not self.parsed:
            self.parsed = True
            root = parse_syntax(self.source, grammar_of(self.location))
            self.too_long = root is None
            if root is not None:
                self._statements = hoisted(root.children)
        return self._statements

    @cached_property
    def offsets(self) -> ByteOffsets:  # type: ignore[override]
        return ByteOffsets(self.source)

    @cached_property
    def has_signs(self) -> bool:  # type: ignore[override]
        return may_define_tools(self.source.peek())

    @cached_property
    def says_tool(self) -> bool:
        """Whether it speaks of tools anywhere."""
        return "tool" in self.source.text.lower()

    @cached_property
    def is_test(self) -> bool:  # type: ignore[override]
        return _TEST.search(self.stem) is not None

    @cached_property
    def imported(self) -> set[v.Module]:  # type: ignore[override]
        text = self.source.peek()
        found = (self._modules.find(self, match[1]) for match in _IMPORTED.finditer(text))
        return {target for target in found if target is not None and target is not self}

    def find(self, dotted: str, level: int) -> v.Module | None:
        """Nothing: what an attribute of a package is, no file says."""
        return None

    def find_import(self, path: str) -> v.Module | None:
        """The file that an import of this one names; None for a package."""
        return self._modules.find(self, path)

    def submodule(self, name: str) -> v.Module | None:
        return None

    def defer(self, statement: Syntax) -> bool:
        return declared(statement, self) or exported_default(statement, self)

    def body(self, code: Syntax) -> Any:
        body = code.get("body")
        if body is None:
            return []
        return hoisted(body.children) if body.kind == "statement_block" else body

    def assignments(self, code: Syntax) -> list[Syntax]:
        body = code.get("body")
        return [] if body is None else body.all("lexical_declaration", "variable_declaration")

    def docstring(self, code: Syntax) -> v.Literal:
        return v.Literal(None, self, code)

    def name_place(self, code: Syntax, name: str) -> Any:
        return code.get("name") or code

    def parameters(self, code: Syntax) -> tuple[v.Parameter, ...]:
        if code not in self._parameters:
            self._parameters[code] = tuple(self._read_parameters(code))
        return self._parameters[code]

    def _read_parameters(self, code: Syntax) -> Iterator[v.Parameter]:
        alone = code.get("parameter")
        if alone is not None:
            # `name => ...`
            yield v.Parameter(self.offsets.text(alone), None, None, alone)
        written = code.get("parameters")
        for number, parameter in enumerate(() if written is None else written.children):
            pattern = parameter.get("pattern") or parameter
            kind = v.POSITIONAL
            if pattern.kind == "rest_pattern":
                pattern, kind = (pattern.children or [pattern])[0], v.REST
            if pattern.kind == "this":
                continue
            # What takes its argument apart has no name: a number is none that a program can use.
            name = self.offsets.text(pattern) if pattern.kind == "identifier" else str(number)
            yield v.Parameter(name, parameter.get("type"), parameter.get("value"), pattern, kind)

    def take_apart(self, evaluator: Any, function: v.Function, scope: v.Scope) -> None:
        """Bind the names in patterns, and the fields that parameters of a constructor declare."""
        for parameter in self.parameters(function.code):
            value, pattern = scope.names.get(parameter.name), parameter.node
            if value is not None and isinstance(pattern, Syntax) and pattern.kind != "identifier":
                bind(evaluator, pattern, value, scope)
        written = function.code.get("parameters")
        if function.name == "__init__" and isinstance(function.receiver, v.Instance) and written is not None:
            for declared_field in written.children:
                pattern = declared_field.get("pattern")
                is_field = declared_field.first("accessibility_modifier", "override_modifier") is not None
                if pattern is not None and (is_field or "readonly" in declared_field.tokens):
                    name = self.offsets.text(pattern)
                    evaluator.set_attribute(function.receiver, name, scope.names.get(name) or v.Unknown(f"`{name}`"))

    def schema_of(self, value: v.Value, evaluator: Any) -> v.Mapping | None:
        found = schema_of(value, evaluator)
        if found is not None and isinstance(value, v.Made):
            as_object(found)
        return found

    def class_syntax(self, code: Syntax) -> v.ClassSyntax:
        return v.ClassSyntax((), False, False, None)


class ScriptModules(Modules):
    """All files, found by their paths."""

    # Of an application, nearly all files import the one that talks to a model, in some way; who puts servers together is near.
    levels = 2

    def __init__(self, files: Sequence[SourceText], paths: Sequence[str] | None = None) -> None:
        paths = [source.path for source in files] if paths is None else paths
        self.refused = set()
        self.all: Sequence[ScriptModule] = [
            ScriptModule(source, path, self) for source, path in zip(files, paths, strict=True)
        ]
        self._by_stem: dict[str, ScriptModule] = {}
        """By path without its ending, which an import may leave out: of several, the one whose ending comes first."""
        order = {ending: number for number, ending in enumerate(_ENDINGS)}
        for module in sorted(self.all, key=lambda each: order.get(each.ending.lower(), len(order))):
            self._by_stem.setdefault(module.stem, module)
        self._names = {posixpath.basename(stem) for stem in self._by_stem}
        self._found: dict[tuple[str, str], ScriptModule | None] = {}

    def may_put_together(self, module: v.Module) -> bool:
        return _SPEAKS_OF_TOOLS.search(module.source.peek()) is not None

    def find(self, importer: ScriptModule, name: str) -> ScriptModule | None:
        """The file that an import names, if it is one of ours.

        A path that begins with an alias is looked for below the folders above the importer, the nearest first, as it is
        and below `src`; a name of a scope (`@scope/name`) as a folder of that name, which packages of one repository have.
        """
        folder = posixpath.dirname(importer.location)
        key = folder, name
        if key not in self._found:
            self._found[key] = self._find(folder, name)
        return self._found[key]

    def _find(self, folder: str, name: str) -> ScriptModule | None:
        if name.startswith("."):
            return self._at(posixpath.normpath(posixpath.join(folder, name)))
        alias = _ALIAS.match(name)
        if alias is not None:
            inside = name[alias.end() :]
            return self._below(folder, lambda parent: (f"{parent}src/{inside}", f"{parent}{inside}"), inside)
        if name.startswith("@") and "/" in name and not name.startswith(_FRAMEWORKS):
            package, _, inside = name.partition("/")[2].partition("/")
            places = [f"{package}/src/{inside or 'index'}", f"{package}/{inside or 'index'}"]
            places += [f"{package}/src/{inside}/index"] if inside else []
            return self._below(
                folder,
                lambda parent: [
                    f"{parent}{above}{place}" for above in ("", "packages/", "libs/", "apps/") for place in places
                ],
                inside or "index",
            )
        return None

    def _below(self, folder: str, places: Callable[[str], Sequence[str]], inside: str) -> ScriptModule | None:
        last = posixpath.basename(inside)
        if not {last, posixpath.splitext(last)[0], "index"} & self._names:
            return None
        parent = folder
        while True:
            for place in places(f"{parent}/" if parent else ""):
                found = self._at(place)
                if found is not None:
                    return found
            if not parent or parent == "/":
                return None
            parent = posixpath.dirname(parent)

    def _at(self, path: str) -> ScriptModule | None:
        stem, ending = posixpath.splitext(path)
        for each in (stem, path) if ending in _ENDINGS else (path,):
            found = self._by_stem.get(each) or self._by_stem.get(f"{each}/index")
            if found is not None:
                return found
        return None
