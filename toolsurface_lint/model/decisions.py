"""What the policies of a surface decide about a tool, by which entry, and where that is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from toolsurface_lint.model.permission import ALLOW, ASK, DENY, PermissionFile
from toolsurface_lint.model.policy import ApprovalPolicy, ApprovalRule, CapabilityPolicy
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.source.tree import Node, Place

ALLOWED, ABOVE_CEILING, OUTSIDE = "allowed", "above_ceiling", "outside_policy"
"""What a capability policy says of a tool, from the mildest: in use; in use, with effects above the ceiling; left out."""

APPROVED, DEPENDS, NEEDS_APPROVAL, DENIED = "approved", "depends_on_call", "needs_approval", "denied"
"""What an approval policy says of a tool's calls, from the mildest: run; more than the tool decides; ask somebody; never."""

# The order in which an approval policy decides (semantics 3.3 of Harn): an action, the list and the rules that
# take it, and what comes of it.
_ORDER = (
    ("deny", "auto_deny", DENIED),
    ("approve", "auto_approve", APPROVED),
    ("ask", "require_approval", NEEDS_APPROVAL),
)
_PERMISSIONS = {ALLOW: APPROVED, ASK: NEEDS_APPROVAL, DENY: DENIED}


class Decision(NamedTuple):
    """What one policy decides about one tool.

    `pattern` is the entry that matched the tool's name, None where none had to: an empty list admits every tool, and what no
    entry of an approval policy matches is approved. `field` says where entries of this kind are (`tools`,
    `auto_deny`, `rules[0]`, ...). `place` is what decided: the pattern, the ceiling, the list that leaves the tool out, or
    the policy itself.
    """

    outcome: str
    place: Place
    field: str | None = None
    pattern: str | None = None
    ceiling: str | None = None


def decide_policy(policy: CapabilityPolicy, tool: Tool, surface: Surface) -> Decision:
    """Whether a capability policy leaves a tool in use, and whether the tool's side effects are within its ceiling."""
    entry = policy.admitting.first(tool.name)
    pattern = None if entry is None else str(entry.value)
    if entry is None and policy.tools:
        return Decision(OUTSIDE, (policy.node.get("tools") or policy.node).place, "tools")
    annotations = surface.annotations(tool)
    ceiling = policy.ceiling
    if ceiling is not None and annotations is not None and policy.is_above_ceiling(annotations.level):
        return Decision(ABOVE_CEILING, ceiling.place, "side_effect_level", pattern, policy.ceiling_level)
    return Decision(ALLOWED, policy.node.place if entry is None else entry.place, "tools", pattern)


def decide_approval(approval: ApprovalPolicy, name: str) -> Decision:
    """What an approval policy does with the calls of a tool, whatever their arguments.

    A denial decides first, then an approval, then what asks; a rule counts as an entry of the list of its action, wherever
    it is. What nothing matches is approved. It depends on the call if a rule that asks for more than the tool would
    decide otherwise before that, or one of an unknown action might.
    """
    decided = Decision(APPROVED, approval.node.place)
    narrower = [
        (DEPENDS, rule)
        for only_tools in (True, False)
        if (rule := approval.first_rule(None, name, only_tools=only_tools)) is not None
    ]
    narrower.sort(key=lambda found: found[1][0].position)
    for action, field, outcome in _ORDER:
        matched = approval.lists[field].first(name)
        whole = approval.first_rule(action, name, only_tools=True)
        if matched is not None:
            decided = _decided(outcome, matched, field)
            break
        if whole is not None:
            decided = _by_rule(whole, outcome)
            break
        some = approval.first_rule(action, name, only_tools=False)
        if some is not None:
            narrower.append((outcome, some))
    if decided.outcome == DENIED:
        return decided
    return next((_by_rule(rule, DEPENDS) for outcome, rule in narrower if outcome != decided.outcome), decided)


def decide_permission(file: PermissionFile, name: str) -> Decision | None:
    """What a client's permission file does with the calls of a tool; None if no entry names it.

    The entry of the highest rank decides; it depends on the call if one that narrows itself to some calls ranks as high.
    """
    found = file.deciding.matching(name)
    if not found:
        return None
    whole = [rule for rule in found if rule.is_whole]
    decisive = max(whole or found, key=lambda rule: rule.rank)
    narrower = (rule for rule in found if rule not in whole and rule.rank >= decisive.rank)
    depends = not whole or any(rule.action != decisive.action for rule in narrower)
    outcome = DEPENDS if depends else _PERMISSIONS[decisive.action]
    return Decision(outcome, decisive.place, decisive.field, decisive.text)


def policy_outcome(decisions: Iterable[Decision]) -> str | None:
    """The outcome of several capability policies, which are alternatives: the mildest. None without any."""
    return min((decision.outcome for decision in decisions), key=(ALLOWED, ABOVE_CEILING, OUTSIDE).index, default=None)


def approval_outcome(decisions: Iterable[Decision]) -> str | None:
    """The outcome of several approval policies, each of which can hold a call up: the strictest. None without any."""
    order = (APPROVED, DEPENDS, NEEDS_APPROVAL, DENIED)
    return max((decision.outcome for decision in decisions), key=order.index, default=None)


def _by_rule(found: tuple[ApprovalRule, Node | None], outcome: str) -> Decision:
    rule, matched = found
    field = f"rules[{rule.position}]"
    return Decision(outcome, rule.node.place, field) if matched is None else _decided(outcome, matched, field)


def _decided(outcome: str, matched: Node, field: str) -> Decision:
    return Decision(outcome, matched.place, field, str(matched.value))
