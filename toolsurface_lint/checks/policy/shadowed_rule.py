"""A permission rule that another one always decides before."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import PERMISSIONS, check
from toolsurface_lint.model.contradictions import MOST_COMPARED, contradictions, uncompared
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.permission import PermissionFile
from toolsurface_lint.model.surface import Surface

RULE = Rule(
    code="POLICY_SHADOWED_RULE",
    since="0.1.0",
    severity=WARNING,
    summary="A permission rule has no effect, because another one always decides first.",
    message="the rule `{name}` {problem}",
    tags=("policies",),
)


@check(PERMISSIONS, RULE)
def check_permissions(file: PermissionFile, surface: Surface) -> Iterator[Finding]:
    for rule, other in contradictions(file.rules):
        if not rule.equals(other):
            yield RULE.at(
                rule.place,
                field=rule.field,
                related=[(f"this rule decides: `{other.action}`", other.place)],
                name=rule.text,
                problem=f"has no effect: `{other.text}` in `{other.field}` matches its calls too and decides first",
            )
    for rule in uncompared(file.rules)[:1]:
        yield RULE.at(
            rule.place,
            field=rule.field,
            name=rule.text,
            problem=f"and all like it below are not compared with the others: {MOST_COMPARED} rules before them hold "
            "several `*` or further conditions",
        )
