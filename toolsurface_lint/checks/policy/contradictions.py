"""Rules of one policy that contradict each other: one of them has no effect."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import APPROVAL_POLICY, PERMISSIONS, check
from toolsurface_lint.model.contradictions import MOST_COMPARED, contradictions, uncompared
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.permission import PermissionFile
from toolsurface_lint.model.policy import ApprovalPolicy
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.source.tree import Node

CONFLICT = Rule(
    code="POLICY_CONFLICT",
    since="0.1.0",
    severity=WARNING,
    summary="A pattern is both approved and denied.",
    message="`{pattern}` is both in `{approved}` and in `{denied}`, which always wins",
    tags=("policies",),
)

SHADOWED_RULE = Rule(
    code="POLICY_SHADOWED_RULE",
    since="0.1.0",
    severity=WARNING,
    summary="A permission rule has no effect, because another one always decides first.",
    message={
        "shadowed": "the rule `{name}` has no effect: `{other}` in `{list}` matches its calls too and decides first",
        "uncompared": "the rule `{name}` and all like it below are not compared with the others: {most} rules before them hold "
        "several `*` or further conditions",
    },
    tags=("policies",),
)


@check(APPROVAL_POLICY, CONFLICT)
def check_approval_policy(approval: ApprovalPolicy, surface: Surface) -> Iterator[Finding]:
    denied: dict[str, tuple[Node, str]] = {}
    for pattern, field in _entries(approval, "auto_deny", "deny"):
        denied.setdefault(str(pattern.value), (pattern, field))
    for kept, action in (("auto_approve", "approve"), ("require_approval", "ask")):
        for pattern, field in _entries(approval, kept, action):
            if pattern.value in denied:
                denial, denying = denied[pattern.value]
                yield CONFLICT.at(
                    pattern.place,
                    field=f"approval_policy.{field}",
                    related=[("denied here", denial.place)],
                    pattern=pattern.value,
                    approved=field,
                    denied=denying,
                )


def _entries(approval: ApprovalPolicy, field: str, action: str) -> Iterator[tuple[Node, str]]:
    """The patterns of one list, and of the rules that do the same with every call of a tool; each with where it is."""
    for pattern in getattr(approval, field):
        yield pattern, field
    for rule in approval.rules:
        if rule.action == action and rule.only_tools:
            for pattern in rule.tools:
                yield pattern, f"rules[{rule.position}]"


@check(PERMISSIONS, CONFLICT, SHADOWED_RULE)
def check_permissions(file: PermissionFile, surface: Surface) -> Iterator[Finding]:
    for rule, other in contradictions(file.rules):
        if rule.equals(other):
            related = [(f"the other one is here, with `{other.action}`", other.place)]
            yield CONFLICT.at(
                rule.place,
                field=rule.field,
                related=related,
                pattern=rule.text,
                approved=rule.field,
                denied=other.field,
            )
        else:
            related = [(f"this rule decides: `{other.action}`", other.place)]
            yield SHADOWED_RULE.at(
                rule.place,
                "shadowed",
                field=rule.field,
                related=related,
                name=rule.text,
                other=other.text,
                list=other.field,
            )
    for rule in uncompared(file.rules)[:1]:
        yield SHADOWED_RULE.at(rule.place, "uncompared", field=rule.field, name=rule.text, most=MOST_COMPARED)
