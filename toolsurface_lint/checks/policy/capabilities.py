"""A policy against the tools that it leaves active, and the ceiling of their side effects."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import POLICY, check
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, Finding, Rule, renaming
from toolsurface_lint.model.names import close_names, suggestion
from toolsurface_lint.model.policy import CapabilityPolicy
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import SIDE_EFFECT_LEVELS

ALLOWS_NOTHING = Rule(
    code="POLICY_ALLOWS_NOTHING",
    since="0.1.0",
    severity=ERROR,
    summary="A policy leaves no tool active.",
    message="the policy matches no declared tool, so the agent has none",
    tags=("policies",),
)


@check(POLICY, ALLOWS_NOTHING)
def check_tools(policy: CapabilityPolicy, surface: Surface) -> Iterator[Finding]:
    if surface.open or not surface.tools or any(policy.activates(tool.name) for tool in surface.tools):
        return
    tools = policy.node.get("tools") or policy.node
    yield ALLOWS_NOTHING.at(tools.place, field="policy.tools")


UNKNOWN_SIDE_EFFECT_LEVEL = Rule(
    code="POLICY_UNKNOWN_SIDE_EFFECT_LEVEL",
    since="0.1.0",
    severity=ERROR,
    summary="A policy's side-effect ceiling is not a level, and counts as `none`.",
    message={
        "unknown": "the ceiling `{level}` is not a side-effect level, so it counts as `none`",
        "empty": "the ceiling is empty, so it counts as `none`",
    },
    tags=("policies",),
    fix=UNSAFE,
)


@check(POLICY, UNKNOWN_SIDE_EFFECT_LEVEL)
def check_ceiling(policy: CapabilityPolicy, surface: Surface) -> Iterator[Finding]:
    ceiling = policy.ceiling
    if ceiling is None or ceiling.value in SIDE_EFFECT_LEVELS:
        return
    near = close_names(str(ceiling.value), SIDE_EFFECT_LEVELS)
    yield UNKNOWN_SIDE_EFFECT_LEVEL.at(
        ceiling.place,
        "empty" if ceiling.value == "" else "unknown",
        field="policy.side_effect_level",
        level=ceiling.value,
        help=suggestion(near) or "write one of " + ", ".join(f"`{level}`" for level in SIDE_EFFECT_LEVELS),
        fix=renaming(ceiling.place, ceiling.value, near),
    )


CEILING_EXCEEDED = Rule(
    code="TOOL_SURFACE_SIDE_EFFECT_CEILING_EXCEEDED",
    since="0.1.0",
    harn=14,
    severity=ERROR,
    summary="A tool's side-effect level ranks above the policy's ceiling.",
    message={
        "level": "tool `{name}` has the side-effect level `{level}`, above the policy's ceiling `{ceiling}`",
        "hints": "the hints of tool `{name}` mean at least `{level}`, above the policy's ceiling `{ceiling}`",
    },
    tags=("specification", "tools", "policies"),
)


@check(POLICY, CEILING_EXCEEDED)
def check_levels(policy: CapabilityPolicy, surface: Surface) -> Iterator[Finding]:
    ceiling = policy.ceiling
    if ceiling is None:
        return
    for tool in surface.tools:
        annotations = surface.annotations(tool)
        if annotations is not None and policy.activates(tool.name) and policy.is_above_ceiling(annotations.level):
            level = annotations.node.get("side_effect_level")
            yield CEILING_EXCEEDED.at(
                (level or annotations.node).place,
                "hints" if level is None else "level",
                tool=tool.name,
                field="side_effect_level",
                related=[("the ceiling is set here", ceiling.place)],
                level=annotations.level,
                ceiling=policy.ceiling_level,
            )
