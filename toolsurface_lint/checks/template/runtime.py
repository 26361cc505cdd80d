"""What a template asks of its runtime: filters, variables, capabilities of the model."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import TEMPLATE, check
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, WARNING, Finding, Rule, renaming
from toolsurface_lint.model.names import CloseNames, edit_distance, suggestion
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.template import PromptTemplate
from toolsurface_lint.protocols.expressions import Comparison, Expression, Literal, Path
from toolsurface_lint.protocols.template_parser import parse_template
from toolsurface_lint.protocols.template_values import FILTERS
from toolsurface_lint.protocols.templates import Template, TemplateError, expressions, filters, paths
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span

UNKNOWN_FILTER = Rule(
    code="TEMPLATE_UNKNOWN_FILTER",
    since="0.1.0",
    severity=ERROR,
    summary="A template uses a filter that does not exist.",
    message="`{name}` is not a filter",
    tags=("templates",),
    fix=UNSAFE,
)


@check(TEMPLATE, UNKNOWN_FILTER)
def check_filters(template: PromptTemplate, target: Target) -> Iterator[Finding]:
    for problem in unknown_filters(template.parsed) if template.parsed is not None else ():
        place = template.place(problem.at)
        name = place.reads() or ""
        near = sorted((far, known) for known in FILTERS if (far := edit_distance(name, known, 2)) is not None)
        names = [known for _, known in near]
        yield UNKNOWN_FILTER.of(problem, place, help=suggestion(names), fix=renaming(place, name, names))


def unknown_filters(template: Template) -> Iterator[Problem[Span]]:
    for use in filters(template):
        if use.name not in FILTERS:
            yield Problem("unknown_filter", use.name_span, {"name": use.name[:40]})


UNKNOWN_VARIABLE = Rule(
    code="TEMPLATE_UNKNOWN_VARIABLE",
    since="0.1.0",
    severity=WARNING,
    summary="A template uses a variable that the settings do not declare.",
    message="the template uses `{name}`, which `template-variables` does not declare",
    tags=("templates",),
    fix=UNSAFE,
)

_RUNTIME_NAMES = frozenset({"llm"})
"""Names that the runtime binds by itself."""


@check(TEMPLATE, UNKNOWN_VARIABLE)
def check_variables(template: PromptTemplate, target: Target) -> Iterator[Finding]:
    if template.parsed is None or target.template_variables is None:
        return
    close = CloseNames(target.template_variables)
    known = {*target.template_variables, *_RUNTIME_NAMES}
    for name, span in template.parsed.free_names():
        if name not in known:
            near = close.find(name)
            place = template.place(span)
            # The name may be the first step of a path.
            is_written = (place.reads() or "").startswith(name)
            fix = renaming(place.part(0, len(name)), name, near) if is_written else None
            yield UNKNOWN_VARIABLE.at(place, field=name, help=suggestion(near), fix=fix, name=name)


PROVIDER_IDENTITY_BRANCH = Rule(
    code="TEMPLATE_PROVIDER_IDENTITY_BRANCH",
    since="0.1.0",
    severity=WARNING,
    summary="A branch of a template depends on the provider, model or family.",
    message="this branch depends on `llm.{part}`, not on a capability",
    help="branch on a capability instead",
    tags=("templates",),
)

VARIANT_EXPLOSION = Rule(
    code="TEMPLATE_VARIANT_EXPLOSION",
    since="0.1.0",
    severity=WARNING,
    summary="A template has more branches on model capabilities than can be kept apart.",
    message="{count} branches depend on `llm.capabilities`, more than the {most} that can be kept apart",
    tags=("templates",),
)

MAX_VARIANTS = 3
"""How many branches on model capabilities one template may have."""

_IDENTITY = frozenset({"provider", "model", "family"})


@check(TEMPLATE, PROVIDER_IDENTITY_BRANCH, VARIANT_EXPLOSION)
def check_branches(template: PromptTemplate, target: Target) -> Iterator[Finding]:
    if template.parsed is not None:
        for problem in identity_branches(template.parsed):
            yield PROVIDER_IDENTITY_BRANCH.of(problem, template.place(problem.at))
        for problem in variant_explosion(template.parsed):
            yield VARIANT_EXPLOSION.of(problem, template.place(problem.at))


def identity_branches(template: Template) -> Iterator[Problem[Span]]:
    """Branches that ask which provider, model or family it is; each branch once."""
    for directive, condition in template.conditions():
        identity = next((name for part in expressions(condition) if (name := _identity(part))), None)
        if identity is not None:
            yield Problem("identity", directive.span, {"part": identity})


def _identity(part: Expression) -> str | None:
    if not isinstance(part, Comparison) or part.operator not in ("==", "!="):
        return None
    for path, text in ((part.left, part.right), (part.right, part.left)):
        is_text = isinstance(text, Literal) and isinstance(text.value, str)
        if isinstance(path, Path) and is_text and len(path.steps) > 1 and path.name == "llm":
            step = path.steps[1]
            return step if isinstance(step, str) and step in _IDENTITY else None
    return None


def variant_explosion(template: Template, max_variants: int = MAX_VARIANTS) -> Iterator[Problem[Span]]:
    """More branches on capabilities than anybody can keep apart; reported at the first branch too many."""
    branches = [
        directive
        for directive, condition in template.conditions()
        if any(path.steps[:2] == ("llm", "capabilities") and len(path.steps) > 2 for path in paths(condition))
    ]
    if len(branches) > max_variants:
        span = branches[max_variants].span
        yield Problem("variants", span, {"count": len(branches), "most": max_variants})


def lint_template(text: str, max_variants: int = MAX_VARIANTS) -> list[Problem[Span]]:
    """Harn's own lints of a template, in the order of the text.

    Kinds: `template-parse`, `template-unknown-filter`, `template-provider-identity-branch`,
    `template-variant-explosion`. A template that does not parse has only the first, whose value `error` is the kind of
    its `TemplateError`.
    """
    try:
        template = parse_template(text)
    except TemplateError as error:
        values = {**error.problem.values, "error": error.problem.kind}
        return [error.problem._replace(kind="template-parse", values=values)]
    lints = {
        "template-unknown-filter": unknown_filters(template),
        "template-provider-identity-branch": identity_branches(template),
        "template-variant-explosion": variant_explosion(template, max_variants),
    }
    found = [problem._replace(kind=kind) for kind, problems in lints.items() for problem in problems]
    return sorted(found, key=lambda problem: problem.at)
