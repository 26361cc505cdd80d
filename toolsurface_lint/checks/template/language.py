"""The `{{ }}` language itself: what does not parse, fails when rendered, or decides nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolsurface_lint.diagnostics import ERROR, WARNING, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.template import PromptTemplate
from toolsurface_lint.protocols.template_lint import (
    TemplateFinding,
    dead_conditions,
    identity_branches,
    unknown_filters,
    variant_explosion,
)
from toolsurface_lint.protocols.templates import Template

SYNTAX = Rule(
    code="TEMPLATE_SYNTAX",
    severity=ERROR,
    summary="A template does not parse.",
    message="{problem}",
    tags=("templates",),
)

UNKNOWN_FILTER = Rule(
    code="TEMPLATE_UNKNOWN_FILTER",
    severity=ERROR,
    summary="A template uses a filter that does not exist.",
    message="{problem}",
    tags=("templates",),
)

DEAD_CONDITION = Rule(
    code="TEMPLATE_DEAD_CONDITION",
    severity=WARNING,
    summary="A directive of a template decides nothing, and renders without an error.",
    message="{problem}",
    tags=("templates",),
)

UNKNOWN_VARIABLE = Rule(
    code="TEMPLATE_UNKNOWN_VARIABLE",
    severity=WARNING,
    summary="A template uses a variable that the settings do not declare.",
    message="the template uses `{name}`, which `template-variables` does not declare",
    tags=("templates",),
)

PROVIDER_IDENTITY_BRANCH = Rule(
    code="TEMPLATE_PROVIDER_IDENTITY_BRANCH",
    severity=WARNING,
    summary="A branch of a template asks which provider, model or family it is for.",
    message="{problem}",
    tags=("templates",),
)

VARIANT_EXPLOSION = Rule(
    code="TEMPLATE_VARIANT_EXPLOSION",
    severity=WARNING,
    summary="A template has more branches on model capabilities than can be kept apart.",
    message="{problem}",
    tags=("templates",),
)

RULES = (SYNTAX, UNKNOWN_FILTER, DEAD_CONDITION, UNKNOWN_VARIABLE, PROVIDER_IDENTITY_BRANCH, VARIANT_EXPLOSION)

_RUNTIME_NAMES = frozenset({"llm"})
"""Names that the runtime binds by itself."""


def check_template(template: PromptTemplate, target: Target) -> Iterator[Finding]:
    parsed = template.parsed
    if parsed is None:
        error = template.error
        assert error is not None
        yield SYNTAX.at(template.place(error.span), problem=error.message)
        return
    yield from _findings(template, UNKNOWN_FILTER, unknown_filters(parsed))
    yield from _findings(template, DEAD_CONDITION, dead_conditions(parsed))
    yield from _findings(template, PROVIDER_IDENTITY_BRANCH, identity_branches(parsed))
    yield from _findings(template, VARIANT_EXPLOSION, variant_explosion(parsed))
    if target.template_variables is not None:
        yield from _unknown_variables(template, parsed, target.template_variables)


def _findings(template: PromptTemplate, rule: Rule, found: Iterable[TemplateFinding]) -> Iterator[Finding]:
    for one in found:
        yield rule.at(template.place(one.span), problem=one.message)


def _unknown_variables(template: PromptTemplate, parsed: Template, declared: tuple[str, ...]) -> Iterator[Finding]:
    from toolsurface_lint.model.names import close_names

    for name, span in parsed.free_names():
        if name not in declared and name not in _RUNTIME_NAMES:
            near = close_names(name, declared)
            help = f"did you mean `{near[0]}`?" if near else None
            yield UNKNOWN_VARIABLE.at(template.place(span), field=name, help=help, name=name)
