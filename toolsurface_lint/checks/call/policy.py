"""A call against the policies of its surface."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolsurface_lint.checks.contract import CALL, check
from toolsurface_lint.model.decisions import DENIED as DENIES
from toolsurface_lint.model.decisions import decide_approval
from toolsurface_lint.model.diagnostics import ERROR, Finding, Rule
from toolsurface_lint.model.patterns import glob_match
from toolsurface_lint.model.policy import ArgConstraint
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.transcript import UNREADABLE, Call

OUTSIDE_POLICY = Rule(
    code="CALL_OUTSIDE_POLICY",
    since="0.1.0",
    severity=ERROR,
    summary="A call names a declared tool that the policy leaves out.",
    message="the call names the tool `{name}`, which the policy does not allow",
    tags=("calls", "policies"),
)

DENIED = Rule(
    code="CALL_DENIED",
    since="0.1.0",
    severity=ERROR,
    summary="A call names a tool whose calls the approval policy denies.",
    message="the call names the tool `{name}`, whose calls the approval policy denies",
    tags=("calls", "policies"),
)

ARG_CONSTRAINT_VIOLATED = Rule(
    code="CALL_ARG_CONSTRAINT_VIOLATED",
    since="0.1.0",
    severity=ERROR,
    summary="An argument of a call matches none of the patterns that the policy allows.",
    message="the policy does not allow `{value}` as `{key}` of `{name}`",
    tags=("calls", "policies"),
)


@check(CALL, OUTSIDE_POLICY, DENIED, ARG_CONSTRAINT_VIOLATED)
def check_call(call: Call, tool: Tool | None, surface: Surface) -> Iterable[Finding]:
    if tool is None or not (surface.policies or surface.approvals):
        return ()
    return _findings(call, tool, surface)


def _findings(call: Call, tool: Tool, surface: Surface) -> Iterator[Finding]:
    name = tool.name
    if name not in surface.active_names:
        places = [policy.node.get("tools") or policy.node for policy in surface.policies]
        related = [("the policy allows only these", node.place) for node in places]
        yield OUTSIDE_POLICY.at(call.place, tool=name, related=related, name=name)
    for approval in surface.approvals:
        decision = decide_approval(approval, name)
        if decision.outcome == DENIES and decision.pattern is not None:
            related = [("denied here", decision.place)]
            yield DENIED.at(call.place, tool=name, related=related, name=name)
    for policy in surface.policies:
        for constraint in policy.constraints_on(name):
            yield from _violation(call, tool, constraint, surface)


def _violation(call: Call, tool: Tool, constraint: ArgConstraint, surface: Surface) -> Iterator[Finding]:
    if not constraint.arg_patterns or call.value is UNREADABLE:
        return
    key = _key(tool, constraint, surface, call)
    node = None if key is None else call.arguments_node.get(key)
    if node is None or not isinstance(node.value, str):
        return
    if not any(glob_match(str(pattern.value), node.value) for pattern in constraint.arg_patterns):
        related = [("the constraint", constraint.node.place)]
        value = node.value if len(node.value) <= 80 else f"{node.value[:77]}..."
        yield ARG_CONSTRAINT_VIOLATED.at(
            node.place, tool=tool.name, field=key, related=related, value=value, key=key, name=tool.name
        )


def _key(tool: Tool, constraint: ArgConstraint, surface: Surface, call: Call) -> str | None:
    """The argument that is constrained: the one named, else the first path parameter that holds a text."""
    if constraint.arg_key is not None:
        return str(constraint.arg_key.value)
    annotations = surface.annotations(tool)
    names = () if annotations is None else annotations.path_params
    return next((name for name in names if isinstance(call.value.get(name), str)), None)
