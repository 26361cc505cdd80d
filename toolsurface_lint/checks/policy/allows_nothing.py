"""A policy leaves no tool active."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import POLICY, check
from toolsurface_lint.model.diagnostics import ERROR, Finding, Rule
from toolsurface_lint.model.policy import CapabilityPolicy
from toolsurface_lint.model.surface import Surface

RULE = Rule(
    code="POLICY_ALLOWS_NOTHING",
    since="0.1.0",
    severity=ERROR,
    summary="A policy leaves no tool active.",
    message="the policy matches no declared tool, so the agent has none",
    tags=("policies",),
)


@check(POLICY, RULE)
def check_policy(policy: CapabilityPolicy, surface: Surface) -> Iterator[Finding]:
    if surface.open or not surface.tools or any(policy.activates(tool.name) for tool in surface.tools):
        return
    tools = policy.node.get("tools") or policy.node
    yield RULE.at(tools.place, field="policy.tools")
