"""An active tool needs a higher side-effect level than the policy's ceiling."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import POLICY, check
from toolsurface_lint.model.diagnostics import ERROR, Finding, Rule
from toolsurface_lint.model.policy import CapabilityPolicy
from toolsurface_lint.model.surface import Surface

RULE = Rule(
    code="TOOL_SURFACE_SIDE_EFFECT_CEILING_EXCEEDED",
    since="0.1.0",
    harn=14,
    severity=ERROR,
    summary="A tool's side-effect level ranks above the policy's ceiling.",
    message="tool `{name}` has the side-effect level `{level}`, above the policy's ceiling `{ceiling}`",
    tags=("specification", "tools", "policies"),
)


@check(POLICY, RULE)
def check_policy(policy: CapabilityPolicy, surface: Surface) -> Iterator[Finding]:
    ceiling = policy.ceiling
    if ceiling is None:
        return
    for tool in surface.tools:
        annotations = surface.annotations(tool)
        if annotations is not None and policy.activates(tool.name) and policy.is_above_ceiling(annotations.level):
            level = annotations.node.get("side_effect_level") or annotations.node
            yield RULE.at(
                level.place,
                tool=tool.name,
                field="side_effect_level",
                related=[("the ceiling is set here", ceiling.place)],
                name=tool.name,
                level=annotations.level,
                ceiling=policy.ceiling_level,
            )
