"""Prompts: texts that a model reads, and the tools that they name."""

from __future__ import annotations

from collections.abc import Container
from typing import NamedTuple, Protocol

from toolsurface_lint.source.text import Span
from toolsurface_lint.source.tree import Node, Path, Place, Tree

STRONG, MEDIUM, WEAK = "strong", "medium", "weak"

USE, DENIAL, PROHIBITION = "use", "denial", "prohibition"
"""What a text says about the tool that it names: use it; there is none; do not use it."""


class Reference(NamedTuple):
    """A name in a prompt that may mean a tool. Offsets are into the prompt's text.

    `form` is how it is written: `call` (`x({...})`), `tag` (after `<tool_call>`), and what `check` adds to them.
    `call_end` is the end of the call that the name opens, or of the name; `specified` says that the specification's own
    scan finds it, which is all that the API reports. `if_declared`: it is a call only if the name is a declared tool;
    `call_end` is then the end of the name. `gaps` are hidden lines within the call, which are no part of it.
    """

    name: str
    start: int
    end: int
    form: str
    call_end: int
    evidence: str = STRONG
    specified: bool = True
    if_declared: bool = False
    gaps: tuple[Span, ...] = ()
    stance: str = USE


class Scanner(Protocol):
    """What finds references in a text: the module `readers.prose`, or what stands in for it."""

    def scan(self, text: str, markdown: bool = True, exact: bool = False) -> list[Reference]: ...

    def uses(
        self,
        text: str,
        references: list[Reference],
        declared: Container[str],
        markdown: bool = True,
        exact: bool = False,
    ) -> list[Reference]: ...

    def alias_uses(self, text: str, reference: Reference, aliases: Container[str]) -> list[tuple[str, int, int]]: ...


class Prompt:
    """One prompt text: a whole file, the body of a markdown file, or a string inside a document.

    Its references are found when it is made, so that its text need not be kept for them; see
    `readers.prose.read_prompt`.
    """

    __slots__ = ("_declared", "_exact", "_names", "_scanner", "_used", "field", "origin", "path", "references", "tree")

    def __init__(self, tree: Tree, path: Path, field: str, origin: str, scanner: Scanner) -> None:
        self.tree = tree
        self.path = path
        """Where the string stands in `tree`."""
        self.field = field
        """`system`, `prompt`, `prompts[0]`, ..."""
        self.origin = origin
        """The file that it comes from, as displayed."""
        self._scanner = scanner
        self._exact = False
        self.references = scanner.scan(self.text)
        """Everything that may name a tool, whatever is declared; rules ask `uses`."""
        self._names = frozenset(reference.name for reference in self.references)
        self._declared: Container[str] | None = None
        self._used: list[Reference] = []

    @property
    def node(self) -> Node:
        return self.tree.at(self.path)

    @property
    def text(self) -> str:
        value = self.node.value
        return value if isinstance(value, str) else ""

    def refine(self) -> bool:
        """Scan again with exact Markdown, before anything is reported; whether the references are others now."""
        if self._exact or not self.references:
            return False
        before = self.references
        self.references = self._scanner.scan(self.text, exact=True)
        self._exact = True
        self._declared = None
        return before != self.references

    def uses(self, declared: Container[str]) -> list[Reference]:
        """The references that use a tool if these names are declared; without those that deny or forbid one."""
        # Asked again and again with the names of one surface.
        if self._declared is not declared:
            self._used = self._find_uses(declared)
            self._declared = declared
        return self._used

    def _find_uses(self, declared: Container[str]) -> list[Reference]:
        if any(reference.if_declared and reference.name in declared for reference in self.references):
            return self._scanner.uses(self.text, self.references, declared, exact=self._exact)
        return [reference for reference in self.references if not reference.if_declared and reference.stance == USE]

    def alias_uses(self, tool: str, alias: str) -> list[tuple[int, int]]:
        """Where calls of a declared tool pass an argument by this name: starts and ends, in order."""
        if tool not in self._names:
            return []
        return [
            (start, end)
            for reference in self._find_uses((tool,))
            if reference.name == tool
            for _, start, end in self._scanner.alias_uses(self.text, reference, (alias,))
        ]

    def place(self, start: int, end: int) -> Place:
        """The place of a range of the text."""
        return Place(self.tree, self.path, "text", start, end)
