"""A permission rule that allows any command."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import PERMISSIONS, check
from toolsurface_lint.model.diagnostics import INFO, Finding, Rule
from toolsurface_lint.model.permission import BROAD, PermissionFile
from toolsurface_lint.model.surface import Surface

RULE = Rule(
    code="POLICY_BROAD_ALLOW",
    since="0.1.0",
    severity=INFO,
    summary="A permission rule allows any command without asking.",
    message="{problem}",
    tags=("policies", "security"),
    preview=True,
)


@check(PERMISSIONS, RULE)
def check_permissions(file: PermissionFile, surface: Surface) -> Iterator[Finding]:
    for defect in file.defects:
        if defect.what == BROAD:
            yield RULE.at(defect.place, field=defect.field, problem=defect.message, help=defect.help)
