"""A policy grants, or annotates, a tool that is not declared."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.policy import CapabilityPolicy
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.source.tree import Place

RULE = Rule(
    code="POLICY_UNKNOWN_TOOL",
    severity=WARNING,
    summary="A policy names a tool that is not declared.",
    message="the policy names the tool `{name}`, which is not declared",
    tags=("policies",),
)


def check_policy(policy: CapabilityPolicy, surface: Surface) -> Iterator[Finding]:
    if surface.open or not surface.tools:
        return
    for pattern in policy.tools:
        if "*" not in pattern.value and pattern.value not in surface.by_name:
            yield _finding(pattern.value, pattern.place, "policy.tools", surface)
    # At the workflow's own scope every annotated name is a tool by definition.
    if surface.scope != "workflow":
        for name, annotations in policy.annotations.items():
            if name not in surface.by_name:
                yield _finding(name, annotations.node.key_place, "policy.tool_annotations", surface)


def _finding(name: str, place: Place, field: str, surface: Surface) -> Finding:
    near = surface.close(name)
    related = [(f"`{near[0]}` is declared here", surface.by_name[near[0]][0].name_place)] if near else []
    help = f"did you mean `{near[0]}`?" if near else None
    return RULE.at(place, tool=name, field=field, related=related, name=name, help=help)
