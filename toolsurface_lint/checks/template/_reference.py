"""The lints that the reference implementation of the template language has, under its own names."""

from __future__ import annotations

from toolsurface_lint.checks.template.branches import MAX_VARIANTS, identity_branches, variant_explosion
from toolsurface_lint.checks.template.filters import unknown_filters
from toolsurface_lint.protocols.template_parser import parse_template
from toolsurface_lint.protocols.templates import TemplateError
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.text import Span


def lint_template(text: str, max_variants: int = MAX_VARIANTS) -> list[Problem[Span]]:
    """The reference's own lints of a template, in the order of the text.

    Kinds: `template-parse`, `template-unknown-filter`, `template-provider-identity-branch`,
    `template-variant-explosion`. A template that does not parse has only the first.
    """
    try:
        template = parse_template(text)
    except TemplateError as error:
        return [error.problem._replace(kind="template-parse")]
    lints = {
        "template-unknown-filter": unknown_filters(template),
        "template-provider-identity-branch": identity_branches(template),
        "template-variant-explosion": variant_explosion(template, max_variants),
    }
    found = [problem._replace(kind=kind) for kind, problems in lints.items() for problem in problems]
    return sorted(found, key=lambda problem: problem.at)
