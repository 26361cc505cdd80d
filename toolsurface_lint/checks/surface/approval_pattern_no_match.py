"""An exact pattern of an approval policy matches no active tool."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import APPROVAL_PATTERN, check
from toolsurface_lint.model.diagnostics import UNSAFE, WARNING, Finding, Rule, renaming
from toolsurface_lint.model.names import suggestion
from toolsurface_lint.model.policy import ApprovalPattern
from toolsurface_lint.model.surface import Surface

RULE = Rule(
    code="TOOL_SURFACE_APPROVAL_PATTERN_NO_MATCH",
    since="0.1.0",
    harn=9,
    severity=WARNING,
    summary="An approval policy names a tool that is not active.",
    message="the approval policy names `{pattern}` in `{where}`, which is not an active tool",
    tags=("specification", "policies"),
    fix=UNSAFE,
)


@check(APPROVAL_PATTERN, RULE)
def check_approval(pattern: ApprovalPattern, surface: Surface) -> Iterator[Finding]:
    text = str(pattern.node.value)
    if "*" in text or text in surface.active_names or surface.open:
        return
    near = surface.close_active_names(text)
    yield RULE.at(
        pattern.node.place,
        field=f"approval_policy.{pattern.field}",
        pattern=text,
        where=pattern.field,
        help=suggestion(near),
        fix=renaming(pattern.node.place, text, near),
    )
