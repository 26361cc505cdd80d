"""One pattern is both approved and denied."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.permission import PermissionFile, contradictions
from toolsurface_lint.model.policy import ApprovalPolicy
from toolsurface_lint.model.surface import Surface

RULE = Rule(
    code="POLICY_CONFLICT",
    severity=WARNING,
    summary="One pattern stands among the approved and among the denied.",
    message="`{pattern}` is both in `{approved}` and in `{denied}`, which always wins",
    tags=("policies",),
)


def check_approval_policy(approval: ApprovalPolicy, surface: Surface) -> Iterator[Finding]:
    denied = {str(pattern.value): pattern for pattern in reversed(approval.auto_deny)}
    for field in ("auto_approve", "require_approval"):
        for pattern in getattr(approval, field):
            if pattern.value in denied:
                yield RULE.at(
                    pattern.place,
                    field=f"approval_policy.{field}",
                    related=[("denied here", denied[pattern.value].place)],
                    pattern=pattern.value,
                    approved=field,
                    denied="auto_deny",
                )


def check_permissions(file: PermissionFile, surface: Surface) -> Iterator[Finding]:
    for rule, other in contradictions(file.rules):
        if rule.equals(other):
            yield RULE.at(
                rule.place,
                field=rule.field,
                related=[(f"the other one is here, with `{other.action}`", other.place)],
                pattern=rule.text,
                approved=rule.field,
                denied=other.field,
            )
