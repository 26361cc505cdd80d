"""Which templates include which: finding them, walking over them, and the circles that they make."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from toolsurface_lint.protocols.expressions import Literal
from toolsurface_lint.protocols.template_parser import parse_template
from toolsurface_lint.protocols.templates import Include, Template

MAX_INCLUDE_DEPTH = 32
"""How deep includes may nest (Harn's template language)."""

Resolver = Callable[[str], str | None]


class Missing(NamedTuple):
    """Why an include leads to no template; `kind` is empty where that cannot be known."""

    kind: str


class Includes:
    """How the includes of templates are found. By itself, nothing is known of any."""

    def find(self, outer: Template, path: str) -> Template | Missing:
        """What `outer` includes by a path; always the same object for the same file."""
        return Missing("")


class TextIncludes(Includes):
    """Includes by a function that gives the text of a path, None if there is none."""

    def __init__(self, text_of: Resolver | None) -> None:
        self._text_of = text_of

    def find(self, outer: Template, path: str) -> Template | Missing:
        text = None if self._text_of is None else self._text_of(path)
        if text is None:
            return Missing("not_found")
        found = parse_template(text)
        found.name = path
        return found


class Edge(NamedTuple):
    """One include with a path that is written out: the template that it stands in, and what it leads to."""

    outer: Template
    node: Include
    path: str
    inner: Template | Missing


def literal_path(node: Include) -> str | None:
    """The path of an include, None if it depends on values."""
    path = node.path
    return path.value if isinstance(path, Literal) and isinstance(path.value, str) else None


def edges_of(outer: Template, includes: Includes) -> Iterator[Edge]:
    """The includes of one template, in the order of the text."""
    for node in outer.walk():
        if isinstance(node, Include):
            path = literal_path(node)
            if path is not None:
                yield Edge(outer, node, path, includes.find(outer, path))


class IncludeGraph:
    """Everything that a template includes, directly or not.

    `templates` are the template itself and those that it includes, each once; `edges` are all of their includes. `cycles` are
    the ways from a template to itself, each with the includes that make it, and begin with the one whose template has the
    first name. `deep` are the includes below `MAX_INCLUDE_DEPTH` others.
    """

    def __init__(self, root: Template, includes: Includes) -> None:
        self.templates: dict[str, Template] = {root.name: root}
        self.edges: list[Edge] = []
        self.cycles: list[tuple[Edge, ...]] = []
        self.deep: list[Edge] = []
        way: list[Edge] = []
        open_at = {root.name: 0}
        stack = [edges_of(root, includes)]
        while stack:
            edge = next(stack[-1], None)
            if edge is None:
                stack.pop()
                if way:
                    inner = way.pop().inner
                    assert isinstance(inner, Template)
                    del open_at[inner.name]
                continue
            self.edges.append(edge)
            inner = edge.inner
            if isinstance(inner, Missing):
                continue
            if inner.name in open_at:
                self._add_cycle((*way[open_at[inner.name] :], edge))
            elif len(way) >= MAX_INCLUDE_DEPTH:
                self.deep.append(edge)
            elif inner.name not in self.templates:
                self.templates[inner.name] = inner
                way.append(edge)
                open_at[inner.name] = len(way)
                stack.append(edges_of(inner, includes))

    @property
    def contents(self) -> tuple[tuple[str, str], ...]:
        """What is included now: the path of each include, and the text that it leads to."""
        inner = ((edge.path, edge.inner) for edge in self.edges)
        return tuple((path, found.kind if isinstance(found, Missing) else found.text) for path, found in inner)

    def _add_cycle(self, cycle: tuple[Edge, ...]) -> None:
        first = min(range(len(cycle)), key=lambda index: cycle[index].outer.name)
        self.cycles.append((*cycle[first:], *cycle[:first]))
