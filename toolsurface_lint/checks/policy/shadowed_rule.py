"""A permission rule that another one always decides before."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.permission import PermissionFile, contradictions
from toolsurface_lint.model.surface import Surface

RULE = Rule(
    code="POLICY_SHADOWED_RULE",
    severity=WARNING,
    summary="A permission rule has no effect, because another one always decides first.",
    message="the rule `{name}` has no effect: `{other}` in `{where}` matches its calls too and decides first",
    tags=("policies",),
)


def check_permissions(file: PermissionFile, surface: Surface) -> Iterator[Finding]:
    for rule, other in contradictions(file.rules):
        if not rule.equals(other):
            yield RULE.at(
                rule.place,
                field=rule.field,
                related=[(f"this rule decides: `{other.action}`", other.place)],
                name=rule.text,
                other=other.text,
                where=other.field,
            )
