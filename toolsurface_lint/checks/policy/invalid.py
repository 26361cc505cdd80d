"""A policy or approval policy of the wrong shape, or with fields that nothing reads."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import APPROVAL_POLICY, PERMISSIONS, POLICY, check
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, WARNING, Finding, Fix, Rule, renaming, rewriting
from toolsurface_lint.model.permission import SHAPE, PermissionFile
from toolsurface_lint.model.policy import ApprovalPolicy, CapabilityPolicy
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Defect

INVALID = Rule(
    code="POLICY_INVALID",
    since="0.1.0",
    severity=ERROR,
    summary="A policy or approval policy has a value of the wrong shape.",
    message="{problem}",
    tags=("policies",),
    fix=UNSAFE,
)

UNKNOWN_FIELD = Rule(
    code="POLICY_UNKNOWN_FIELD",
    since="0.1.0",
    severity=WARNING,
    summary="A policy or approval policy has a field that nothing reads.",
    message="{problem}",
    tags=("policies",),
    fix=UNSAFE,
)

_RULES = {"shape": INVALID, "field": UNKNOWN_FIELD}


@check(POLICY, INVALID, UNKNOWN_FIELD)
def check_policy(policy: CapabilityPolicy, surface: Surface) -> Iterator[Finding]:
    return _report(policy.defects, "policy")


@check(APPROVAL_POLICY, INVALID, UNKNOWN_FIELD)
def check_approval_policy(approval: ApprovalPolicy, surface: Surface) -> Iterator[Finding]:
    return _report(approval.defects, "approval_policy")


@check(PERMISSIONS, INVALID)
def check_permissions(file: PermissionFile, surface: Surface) -> Iterator[Finding]:
    for defect in file.defects:
        if defect.what == SHAPE:
            yield INVALID.at(
                defect.place, field=defect.field, problem=defect.message, help=defect.help, fix=correction(defect)
            )


def _report(defects: tuple[Defect, ...], what: str) -> Iterator[Finding]:
    for defect in defects:
        rule = _RULES.get(defect.what)
        if rule is not None:
            field = what if defect.field is None else f"{what}.{defect.field}"
            yield rule.at(defect.place, field=field, problem=defect.message, help=defect.help, fix=correction(defect))


def correction(defect: Defect) -> Fix | None:
    """The fix that puts what its author plainly meant in the place of a defect.

    Unsafe: what a policy permits is for a person to decide.
    """
    if defect.meant is None:
        return None
    if defect.place.aspect == "key":
        return renaming(defect.place, defect.place.reads() or "", (defect.meant,))
    return rewriting(defect.place, defect.meant)
