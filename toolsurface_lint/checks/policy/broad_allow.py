"""A permission rule that allows any command."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import PERMISSIONS, check
from toolsurface_lint.model.diagnostics import INFO, Finding, Rule
from toolsurface_lint.model.permission import PermissionFile
from toolsurface_lint.model.surface import Surface

RULE = Rule(
    code="POLICY_BROAD_ALLOW",
    since="0.1.0",
    severity=INFO,
    summary="A permission rule allows any command without asking.",
    message={
        "broad/everything": "`{rule}` allows any command and any tool",
        "broad/name": "`{rule}` allows any command",
        "broad/pattern": "`{pattern}` of `{rule}` allows any command",
        "broad/rule": "the rule `{rule}` allows any command",
        "broad/rule_for": "the rule for `{rule}` allows any command",
        "broad/unconfined": "`never` allows any command, as `sandbox_mode` does not confine it",
    },
    tags=("policies", "security"),
    preview=True,
)


@check(PERMISSIONS, RULE)
def check_permissions(file: PermissionFile, surface: Surface) -> Iterator[Finding]:
    for problem in file.problems:
        if problem.kind in RULE.message:
            yield RULE.of(problem)
