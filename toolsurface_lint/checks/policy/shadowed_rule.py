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
    message={
        "shadowed": "the rule `{name}` has no effect: `{other}` in `{list}` matches its calls too and decides first",
        "uncompared": "the rule `{name}` and all like it below are not compared with the others: {most} rules before them hold "
        "several `*` or further conditions",
    },
    tags=("policies",),
)


@check(PERMISSIONS, RULE)
def check_permissions(file: PermissionFile, surface: Surface) -> Iterator[Finding]:
    for rule, other in contradictions(file.rules):
        if not rule.equals(other):
            yield RULE.at(
                rule.place,
                "shadowed",
                field=rule.field,
                related=[(f"this rule decides: `{other.action}`", other.place)],
                name=rule.text,
                other=other.text,
                list=other.field,
            )
    for rule in uncompared(file.rules)[:1]:
        yield RULE.at(rule.place, "uncompared", field=rule.field, name=rule.text, most=MOST_COMPARED)
