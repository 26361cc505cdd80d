"""A policy's ceiling is no side-effect level."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import POLICY, check
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, Finding, Rule, renaming
from toolsurface_lint.model.names import close_names, suggestion
from toolsurface_lint.model.policy import CapabilityPolicy
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import SIDE_EFFECT_LEVELS

RULE = Rule(
    code="POLICY_UNKNOWN_SIDE_EFFECT_LEVEL",
    since="0.1.0",
    severity=ERROR,
    summary="A policy's side-effect ceiling is not a level, and counts as `none`.",
    message="the ceiling `{level}` is not a side-effect level, so it counts as `none`",
    tags=("policies",),
    fix=UNSAFE,
)


@check(POLICY, RULE)
def check_policy(policy: CapabilityPolicy, surface: Surface) -> Iterator[Finding]:
    ceiling = policy.ceiling
    if ceiling is None or ceiling.value in SIDE_EFFECT_LEVELS:
        return
    near = close_names(str(ceiling.value), SIDE_EFFECT_LEVELS)
    yield RULE.at(
        ceiling.place,
        field="policy.side_effect_level",
        level=ceiling.value,
        help=suggestion(near) or "write one of " + ", ".join(f"`{level}`" for level in SIDE_EFFECT_LEVELS),
        fix=renaming(ceiling.place, ceiling.value, near),
    )
