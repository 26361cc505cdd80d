"""Branches that depend on who the model is, or on too many of its capabilities."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import TEMPLATE, check
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.template import PromptTemplate
from toolsurface_lint.protocols.expressions import Comparison, Expression, Literal, Path
from toolsurface_lint.protocols.templates import Template, expressions, paths
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span

PROVIDER_IDENTITY_BRANCH = Rule(
    code="TEMPLATE_PROVIDER_IDENTITY_BRANCH",
    since="0.1.0",
    severity=WARNING,
    summary="A branch of a template asks which provider, model or family it is for.",
    message="this branch depends on `llm.{part}`, not on a capability",
    help="ask for a capability instead",
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
def check_template(template: PromptTemplate, target: Target) -> Iterator[Finding]:
    if template.parsed is not None:
        for problem in identity_branches(template.parsed):
            yield PROVIDER_IDENTITY_BRANCH.of(problem, template.place(problem.at))
        for problem in variant_explosion(template.parsed):
            yield VARIANT_EXPLOSION.of(problem, template.place(problem.at))


def identity_branches(template: Template) -> Iterator[Problem[Span]]:
    """Branches that ask which provider, model or family it is; each branch once."""
    for branch in template.conditions():
        identity = next((name for part in expressions(branch.condition) if (name := _identity(part))), None)
        if identity is not None:
            yield Problem("identity", branch.directive.span, {"part": identity})


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
        branch
        for branch in template.conditions()
        if any(path.steps[:2] == ("llm", "capabilities") and len(path.steps) > 2 for path in paths(branch.condition))
    ]
    if len(branches) > max_variants:
        span = branches[max_variants].directive.span
        yield Problem("variants", span, {"count": len(branches), "most": max_variants})
