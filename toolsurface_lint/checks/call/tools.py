"""A call against its tool and the policies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolsurface_lint.checks.contract import CALL, check
from toolsurface_lint.model.decisions import DENIED as DENIES
from toolsurface_lint.model.decisions import decide_approval
from toolsurface_lint.model.diagnostics import ERROR, WARNING, Finding, Rule
from toolsurface_lint.model.names import suggestion
from toolsurface_lint.model.patterns import glob_match
from toolsurface_lint.model.policy import ArgConstraint
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.transcript import UNREADABLE, Call

UNKNOWN_TOOL = Rule(
    code="CALL_UNKNOWN_TOOL",
    since="0.1.0",
    severity=ERROR,
    summary="A call names a tool that is not declared.",
    message={
        "tool": "the call names the tool `{name}`, which is not declared",
        "server": "the call of `{name}` names the server `{server}`, which declares no tools",
    },
    tags=("calls",),
)

DEFERRED_TOOL = Rule(
    code="CALL_DEFERRED_TOOL",
    since="0.1.0",
    severity=WARNING,
    summary="A call names a deferred tool while tool search is off.",
    message="the call names the tool `{name}`, which is deferred, and tool search is off",
    tags=("calls",),
)

DEPRECATED_ALIAS = Rule(
    code="CALL_DEPRECATED_ALIAS",
    since="0.1.0",
    severity=WARNING,
    summary="A call passes an argument by an alias instead of its canonical key.",
    message="the call of `{name}` passes `{alias}`, an alias of `{canonical}`",
    help="write `{canonical}`",
    tags=("calls",),
)

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


@check(CALL, UNKNOWN_TOOL, DEFERRED_TOOL, DEPRECATED_ALIAS, OUTSIDE_POLICY, DENIED, ARG_CONSTRAINT_VIOLATED)
def check_call(call: Call, tool: Tool | None, surface: Surface) -> Iterable[Finding]:
    if tool is None:
        # A tool that the settings name as a dispatcher may be the runtime's own.
        known = surface.open or not surface.tools or any(each.tool == call.name for each in surface.target.dispatchers)
        return () if known or call.name in surface.unread_names else (_unknown(call, surface),)
    annotations = surface.annotations(tool)
    aliased = annotations is not None and annotations.aliases
    return _findings(call, tool, surface) if aliased or tool.deferred or surface.policies or surface.approvals else ()


def _unknown(call: Call, surface: Surface) -> Finding:
    near = surface.close_names(call.name)
    related = surface.declared_instead(near)
    return UNKNOWN_TOOL.at(call.place, "tool", tool=call.name, related=related, help=suggestion(near))


def _findings(call: Call, tool: Tool, surface: Surface) -> Iterator[Finding]:
    name = tool.name
    declared = [(f"tool `{name}` is declared here", tool.name_place)]
    if tool.deferred and not surface.tool_search and all(other.deferred for other in surface.by_name.get(name, ())):
        yield DEFERRED_TOOL.at(call.place, tool=name, related=declared)
    annotations = surface.annotations(tool)
    if annotations is not None and annotations.aliases and call.value is not UNREADABLE:
        for key, member in call.arguments_node.members():
            canonical = annotations.aliases.get(key)
            if canonical is not None:
                place = member.key_place
                yield DEPRECATED_ALIAS.at(place, tool=name, field=key, related=declared, alias=key, canonical=canonical)
    if not (surface.policies or surface.approvals):
        return
    if name not in surface.active_names:
        places = [policy.node.get("tools") or policy.node for policy in surface.policies]
        related = [("the policy allows only these", node.place) for node in places]
        yield OUTSIDE_POLICY.at(call.place, tool=name, related=related)
    for approval in surface.approvals:
        decision = decide_approval(approval, name)
        if decision.outcome == DENIES and decision.pattern is not None:
            related = [("denied here", decision.place)]
            yield DENIED.at(call.place, tool=name, related=related)
    for policy in surface.policies:
        for constraint in policy.constraining.matching(name):
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
        yield ARG_CONSTRAINT_VIOLATED.at(node.place, tool=tool.name, field=key, related=related, value=value, key=key)


def _key(tool: Tool, constraint: ArgConstraint, surface: Surface, call: Call) -> str | None:
    """The argument that is constrained: the one named, else the first path parameter that holds a text."""
    if constraint.arg_key is not None:
        return str(constraint.arg_key.value)
    annotations = surface.annotations(tool)
    names = () if annotations is None else annotations.path_params
    return next((name for name in names if isinstance(call.value.get(name), str)), None)
