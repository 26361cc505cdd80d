"""A pattern that the matching of the specification, or of its client, can never satisfy as its author meant it."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import APPROVAL_PATTERN, CONSTRAINT, PERMISSIONS, POLICY, check
from toolsurface_lint.checks.policy.invalid import correction
from toolsurface_lint.model.diagnostics import UNSAFE, WARNING, Finding, Rule, rewriting
from toolsurface_lint.model.permission import DEAD, PermissionFile
from toolsurface_lint.model.policy import ApprovalPattern, ArgConstraint, CapabilityPolicy
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.source.tree import Node

RULE = Rule(
    code="POLICY_PATTERN_NEVER_MATCHES",
    since="0.1.0",
    severity=WARNING,
    summary="A policy pattern can never match as it is meant.",
    message="{problem}",
    tags=("policies",),
    fix=UNSAFE,
    reveals=("POLICY_SHADOWED_RULE",),
)


@check(POLICY, RULE)
def check_policy(policy: CapabilityPolicy, surface: Surface) -> Iterator[Finding]:
    for pattern in policy.tools:
        yield from _check(pattern, "policy.tools")


@check(CONSTRAINT, RULE)
def check_constraint(constraint: ArgConstraint, policy: CapabilityPolicy, surface: Surface) -> Iterator[Finding]:
    yield from _check(constraint.tool, "tool_arg_constraints.tool")
    for pattern in constraint.arg_patterns:
        yield from _check(pattern, "tool_arg_constraints.arg_patterns")


@check(APPROVAL_PATTERN, RULE)
def check_approval(pattern: ApprovalPattern, surface: Surface) -> Iterator[Finding]:
    yield from _check(pattern.node, f"approval_policy.{pattern.field}")


@check(PERMISSIONS, RULE)
def check_permissions(file: PermissionFile, surface: Surface) -> Iterator[Finding]:
    for defect in file.defects:
        if defect.what == DEAD:
            yield RULE.at(
                defect.place, field=defect.field, problem=defect.message, help=defect.help, fix=correction(defect)
            )


def _check(pattern: Node, field: str) -> Iterator[Finding]:
    text = str(pattern.value)
    reading, cure = _reading(text)
    if reading is not None:
        meant = _with_one_star(text)
        yield RULE.at(
            pattern.place,
            field=field,
            problem=f"the pattern `{text}` {reading}",
            help=cure,
            fix=None if meant is None else rewriting(pattern.place, meant),
        )


def _with_one_star(pattern: str) -> str | None:
    """The pattern with one `*` for several at its start or its end: `src/**` is meant as `src/*`, which crosses slashes."""
    rest = pattern.strip("*")
    if not rest or "*" in rest:
        return None
    if pattern.startswith(rest):
        return f"{rest}*"
    return f"*{rest}" if pattern.endswith(rest) else None


def _reading(pattern: str) -> tuple[str | None, str | None]:
    """What the specified matching makes of a pattern with a `*` that it takes literally, and how to fix it."""
    if pattern == "*" or "*" not in pattern:
        return None, None
    if pattern.endswith("*"):
        rest = pattern[:-1]
        if "*" not in rest:
            return None, None
        return f"matches only what begins with `{rest}`, its other `*` taken literally", _cure(pattern)
    if pattern.startswith("*"):
        rest = pattern[1:]
        if "*" not in rest:
            return None, None
        return f"matches only what ends in `{rest}`, its other `*` taken literally", _cure(pattern)
    return f"matches only the text `{pattern}` itself: a `*` in the middle is taken literally", _cure(pattern)


def _cure(pattern: str) -> str:
    prefix = pattern[: pattern.index("*")]
    return f"only one `*`, at the start or the end, is special: `{prefix}*`" if prefix else "name each tool, or use `*`"
