"""Filters that rendering would fail at."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import TEMPLATE, check
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, Finding, Rule, renaming
from toolsurface_lint.model.names import suggestion
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.template import PromptTemplate
from toolsurface_lint.protocols.rendering import FILTERS
from toolsurface_lint.protocols.templates import Template, filters
from toolsurface_lint.source.edit_distance import edit_distance
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span

RULE = Rule(
    code="TEMPLATE_UNKNOWN_FILTER",
    since="0.1.0",
    severity=ERROR,
    summary="A template uses a filter that does not exist.",
    message="`{name}` is not a filter",
    tags=("templates",),
    fix=UNSAFE,
)


@check(TEMPLATE, RULE)
def check_template(template: PromptTemplate, target: Target) -> Iterator[Finding]:
    for problem in unknown_filters(template.parsed) if template.parsed is not None else ():
        place = template.place(problem.at)
        name = place.reads() or ""
        distances = {known: edit_distance(name, known, 2) for known in FILTERS}
        near = sorted((distance, known) for known, distance in distances.items() if distance is not None)
        names = [known for _, known in near]
        yield RULE.of(problem, place, help=suggestion(names), fix=renaming(place, name, names))


def unknown_filters(template: Template) -> Iterator[Problem[Span]]:
    for use in filters(template):
        if use.name not in FILTERS:
            yield Problem("unknown_filter", use.name_span, {"name": use.name[:40]})
