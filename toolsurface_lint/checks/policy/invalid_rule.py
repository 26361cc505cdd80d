"""A permission rule that its client rejects."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import PERMISSIONS, check
from toolsurface_lint.checks.policy.invalid import correction
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, Finding, Rule
from toolsurface_lint.model.permission import REJECTED, PermissionFile
from toolsurface_lint.model.surface import Surface

RULE = Rule(
    code="POLICY_INVALID_RULE",
    since="0.1.0",
    severity=ERROR,
    summary="A permission rule is one that its client rejects.",
    message="{problem}",
    tags=("policies",),
    fix=UNSAFE,
    # A rule that counts at last may contradict another one.
    reveals=("POLICY_CONFLICT",),
)


@check(PERMISSIONS, RULE)
def check_permissions(file: PermissionFile, surface: Surface) -> Iterator[Finding]:
    for defect in file.defects:
        if defect.what == REJECTED:
            yield RULE.at(
                defect.place, field=defect.field, problem=defect.message, help=defect.help, fix=correction(defect)
            )
