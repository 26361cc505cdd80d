"""What policies decide about a tool, and by which entry."""

import pytest

from toolsurface_lint.model.decisions import (
    Decision,
    approval_outcome,
    decide_approval,
    decide_permission,
    decide_policy,
    policy_outcome,
)
from toolsurface_lint.model.permission import ALLOW, ASK, DENY, PermissionFile, PermissionRule
from toolsurface_lint.readers.documents.approval_policy import read_approval_policy
from toolsurface_lint.readers.surfaces import read_surface
from toolsurface_lint.source.tree import plain


def approval(policy: dict, name: str) -> tuple:
    decision = decide_approval(read_approval_policy(plain(policy)), name)
    return decision.outcome, decision.field, decision.pattern


@pytest.mark.parametrize(
    ("policy", "decided"),
    [
        ({"auto_approve": ["run_*"], "auto_deny": ["run_all"]}, ("denied", "auto_deny", "run_all")),
        ({"auto_approve": ["run_*"], "require_approval": ["run_all"]}, ("approved", "auto_approve", "run_*")),
        ({"require_approval": ["*"]}, ("needs_approval", "require_approval", "*")),
        ({"auto_deny": ["other"]}, ("approved", None, None)),
        ({"rules": [{"ask": "run_all"}, {"deny": "run_all"}]}, ("denied", "rules[1]", "run_all")),
        ({"rules": [{"ask": "run_all"}, {"allow": "run_*"}]}, ("approved", "rules[1]", "run_*")),
        ({"require_approval": ["run_all"], "rules": [{"allow": "run_*"}]}, ("approved", "rules[0]", "run_*")),
        ({"auto_approve": ["run_all"], "rules": [{"ask": "run_all"}]}, ("approved", "auto_approve", "run_all")),
        ({"rules": [{"deny": "other"}, {"deny": ["run_*"]}]}, ("denied", "rules[1]", "run_*")),
        ({"rules": [{"deny": True}]}, ("denied", "rules[0]", None)),
        ({"rules": [{"deny": {"tool": "run_all", "path": "/etc"}}]}, ("depends_on_call", "rules[0]", "run_all")),
        ({"rules": [{"deny": {"path": "/etc"}}, {"deny": "run_all"}]}, ("denied", "rules[1]", "run_all")),
        ({"auto_approve": ["*"], "rules": [{"deny": {"path": "/etc"}}]}, ("depends_on_call", "rules[0]", None)),
        ({"auto_approve": ["*"], "rules": [{"ask": {"path": "/etc"}}]}, ("approved", "auto_approve", "*")),
        ({"rules": [{"allow": {"path": "/srv"}}]}, ("approved", None, None)),
        ({"require_approval": ["*"], "rules": [{"allow": {"path": "/srv"}}]}, ("depends_on_call", "rules[0]", None)),
        (
            {"auto_approve": ["*"], "rules": [{"action": "perhaps", "match": "run_*"}]},
            ("depends_on_call", "rules[0]", "run_*"),
        ),
        ({"auto_approve": ["run_all"], "rules": [{"deny": "run_all"}]}, ("denied", "rules[0]", "run_all")),
    ],
)
def test_approval(policy: dict, decided: tuple) -> None:
    assert approval(policy, "run_all") == decided


def test_capability_policies() -> None:
    surface = read_surface(
        plain(
            {
                "tools": [{"name": "send", "annotations": {"kind": "execute", "side_effect_level": "network"}}],
                "policy": {"tools": ["s*"], "side_effect_level": "read_only"},
            }
        ),
        None,
    )
    (tool,) = surface.tools
    decision = decide_policy(surface.policies[0], tool, surface)
    assert (decision.outcome, decision.pattern, decision.ceiling) == ("above_ceiling", "s*", "read_only")
    surface = read_surface(plain({"tools": [{"name": "send"}], "policy": {"tools": ["read"]}}), None)
    decision = decide_policy(surface.policies[0], surface.tools[0], surface)
    assert (decision.outcome, decision.field, decision.pattern) == ("outside_policy", "tools", None)
    surface = read_surface(plain({"tools": [{"name": "send"}], "policy": {"side_effect_level": "nothing"}}), None)
    decision = decide_policy(surface.policies[0], surface.tools[0], surface)
    assert (decision.outcome, decision.field, decision.pattern) == ("allowed", "tools", None)


def permission(name: str, *rules: tuple[str, str, int, str | None]) -> tuple | None:
    node = plain({})
    file = PermissionFile(node, None)
    for tool, action, rank, specifier in rules:
        rule = PermissionRule(tool, node.place, action, action)
        rule.rank, rule.specifier = rank, specifier
        file.rules.append(rule)
    decision = decide_permission(file, name)
    return None if decision is None else (decision.outcome, decision.field, decision.pattern)


def test_permission_files() -> None:
    assert permission("Read", ("Edit", ALLOW, 1, None)) is None
    assert permission("Read", ("Read", ALLOW, 1, None), ("R*", DENY, 3, None)) == ("denied", "deny", "R*")
    assert permission("Read", ("Read", ASK, 2, None), ("Read", ALLOW, 1, "/srv")) == ("needs_approval", "ask", "Read")
    assert permission("Read", ("Read", ALLOW, 1, None), ("Read", DENY, 3, "/etc")) == (
        *("depends_on_call", "allow", "Read"),
    )
    assert permission("Read", ("Read", ALLOW, 1, "/srv")) == ("depends_on_call", "allow", "Read")


def test_several_policies() -> None:
    place = plain({}).place

    def made(*outcomes: str) -> list[Decision]:
        return [Decision(outcome, place) for outcome in outcomes]

    assert policy_outcome(made("outside_policy", "allowed")) == "allowed"
    assert policy_outcome(made("outside_policy", "above_ceiling")) == "above_ceiling"
    assert approval_outcome(made("approved", "needs_approval", "depends_on_call")) == "needs_approval"
    assert policy_outcome([]) is None
    assert approval_outcome([]) is None
