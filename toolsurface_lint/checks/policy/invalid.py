"""A policy or approval policy of the wrong shape, or with fields that nothing reads."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import APPROVAL_POLICY, PERMISSIONS, POLICY, check
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, WARNING, Finding, Rule
from toolsurface_lint.model.permission import PermissionFile
from toolsurface_lint.model.policy import ApprovalPolicy, CapabilityPolicy
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Place

INVALID = Rule(
    code="POLICY_INVALID",
    since="0.1.0",
    severity=ERROR,
    summary="A policy or approval policy has a value of the wrong shape.",
    message={
        "shape/action": "`{name}` must be `allow`, `ask` or `deny`",
        "shape/choice": "`{name}` is {got}, expected one of {words}",
        "shape/count": "`{name}` must be a whole number, 0 or more",
        "shape/item": "`{name}` must hold strings, not {got}",
        "shape/list": "`{name}` must be a list, not {got}",
        "shape/matcher": "`{name}` must match a string, a list, true or an object, not {got}",
        "shape/missing": "`{name}` is missing",
        "shape/mixed": "`{name}` mixes `{one}` with `{other}`",
        "shape/no_action": "`{name}` has neither an action nor one of `allow`, `ask`, `require_approval`, `deny`",
        "shape/no_match": "`{name}` has an action but no `match`",
        "shape/object": "`{name}` must be an object, not {got}",
        "shape/stray": "`{name}` has `{key}` beside its matcher",
        "shape/string": "`{name}` must be a string, not {got}",
        "shape/string_or_strings": "`{name}` must be a string or a list of strings, not {got}",
        "shape/strings": "`{name}` must be a list of strings, not {got}",
    },
    help={"shape/mixed": "give one or the other", "shape/stray": "put it under `match`"},
    tags=("policies",),
    fix=UNSAFE,
)

UNKNOWN_FIELD = Rule(
    code="POLICY_UNKNOWN_FIELD",
    since="0.1.0",
    severity=WARNING,
    summary="A policy or approval policy has a field that nothing reads.",
    message={"field": "unknown field `{name}` in `{owner}`"},
    tags=("policies",),
    fix=UNSAFE,
)


@check(POLICY, INVALID, UNKNOWN_FIELD)
def check_policy(policy: CapabilityPolicy, surface: Surface) -> Iterator[Finding]:
    return _report(policy.problems, "policy")


@check(APPROVAL_POLICY, INVALID, UNKNOWN_FIELD)
def check_approval_policy(approval: ApprovalPolicy, surface: Surface) -> Iterator[Finding]:
    return _report(approval.problems, "approval_policy")


@check(PERMISSIONS, INVALID)
def check_permissions(file: PermissionFile, surface: Surface) -> Iterator[Finding]:
    for problem in file.problems:
        if problem.kind in INVALID.message:
            yield INVALID.of(problem)


def _report(problems: tuple[Problem[Place], ...], what: str) -> Iterator[Finding]:
    for problem in problems:
        for rule in (INVALID, UNKNOWN_FIELD):
            if problem.kind in rule.message:
                yield rule.of(problem, field=what if problem.field is None else f"{what}.{problem.field}")
