"""Includes of templates that lead nowhere, or back to where they began."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import TEMPLATE, check
from toolsurface_lint.model.diagnostics import ERROR, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.template import PromptTemplate
from toolsurface_lint.protocols.includes import MAX_INCLUDE_DEPTH, Edge, Missing
from toolsurface_lint.protocols.rendering import Origin
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Place

INCLUDE_CYCLE = Rule(
    code="TEMPLATE_INCLUDE_CYCLE",
    since="0.1.0",
    severity=ERROR,
    summary="Templates include each other in a circle.",
    message={
        "cycle": "this include never ends: {way}",
        "step": "`{path}` is included here",
    },
    tags=("templates",),
)

INCLUDE_UNRESOLVED = Rule(
    code="TEMPLATE_INCLUDE_UNRESOLVED",
    since="0.1.0",
    severity=ERROR,
    summary="A template includes a file that cannot be included.",
    message={
        "not_found": "there is no file `{path}`",
        "outside": "`{path}` leads out of the project",
        "unreadable": "`{path}` is not a text file that can be read",
        "dots": "`{path}` has a `..`, which a path from a root of the project must not have",
        "no_manifest": "`{path}` begins at the project's root, but no folder above this file has a `harn.toml`",
        "no_alias": "`[asset_roots]` of `harn.toml` has no root for `{path}`",
        "too_deep": "this include is nested deeper than {levels} levels",
    },
    help={"not_found": "the path is relative to the folder of this file"},
    tags=("templates",),
)


@check(TEMPLATE, INCLUDE_CYCLE, INCLUDE_UNRESOLVED)
def check_includes(template: PromptTemplate, target: Target) -> Iterator[Finding]:
    graph = template.graph
    if graph is None:
        return
    for edge in graph.edges:
        if isinstance(edge.inner, Missing) and edge.inner.kind:
            yield INCLUDE_UNRESOLVED.at(_place(template, edge), edge.inner.kind, path=edge.path[:80])
    for edge in graph.deep:
        yield INCLUDE_UNRESOLVED.at(_place(template, edge), "too_deep", levels=MAX_INCLUDE_DEPTH)
    for cycle in graph.cycles:
        first, *others = cycle
        names = [template.files.display(edge.outer) for edge in cycle]
        shown = names if len(names) <= _MOST_SHOWN else [*names[: _MOST_SHOWN - 1], "..."]
        way = " → ".join(f"`{name}`" for name in (*shown, names[0]))
        steps = (Problem("step", _place(template, edge), {"path": edge.path[:80]}) for edge in others)
        related = [(INCLUDE_CYCLE.sentence(step), step.at) for step in steps]
        yield INCLUDE_CYCLE.at(_place(template, first), "cycle", related=related, way=way)


_MOST_SHOWN = 8
"""Files of a circle that are named."""


def _place(template: PromptTemplate, edge: Edge) -> Place:
    return template.place_of(Origin(edge.outer, edge.node.directive.span))
