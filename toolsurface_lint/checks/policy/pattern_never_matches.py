"""A pattern that the matching of the specification, or of its client, can never satisfy as its author meant it."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import APPROVAL_PATTERN, CONSTRAINT, PERMISSIONS, POLICY, check
from toolsurface_lint.model.diagnostics import UNSAFE, WARNING, Finding, Rule, rewriting
from toolsurface_lint.model.patterns import has_inner_wildcard
from toolsurface_lint.model.permission import PermissionFile
from toolsurface_lint.model.policy import ApprovalPattern, ArgConstraint, CapabilityPolicy
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.source.tree import Node

RULE = Rule(
    code="POLICY_PATTERN_NEVER_MATCHES",
    since="0.1.0",
    severity=WARNING,
    summary="A policy pattern can never match as it is meant.",
    message={
        "beginning": "the pattern `{pattern}` matches only what begins with `{rest}`, its other `*` taken literally",
        "end": "the pattern `{pattern}` matches only what ends in `{rest}`, its other `*` taken literally",
        "literal": "the pattern `{pattern}` matches only the text `{rest}` itself: a `*` in the middle is taken literally",
        "dead/caret": '`^` never matches here: the pattern is searched behind `"command":"`',
        "dead/checked_as": "`{rule}` never matches: paths are checked against `{checked_as}` rules only",
        "dead/everything": "`*` alone allows nothing: it is not supported in `allowedTools`",
        "dead/governed": "`{rule}` has no effect: the tool asks for permission as `{governing}`",
        "dead/not_given": "`{rule}` allows nothing: it is not among the agent's `tools`",
        "dead/own_field": "`{rule}` is ignored: `{key}` is what the rule matches anyway",
        "dead/own_name": "`{rule}` never matches: beside `mcpName`, `toolName` is the server's own name of the tool",
        "dead/relative": "`{rule}` is not an absolute path: one `/` means the project's own folder",
        "dead/server_parentheses": "`{rule}` is skipped: a rule for the tools of a server takes no parentheses",
        "dead/server_wildcard": "`{rule}` allows nothing: in `allow`, `*` counts only behind `mcp__SERVER__`",
        "dead/underscores": "`{rule}` never matches: tools of servers are no longer named with `__`",
        "dead/wildcard": "`{rule}` allows nothing: in `allow`, `*` counts only behind `mcp__SERVER__`",
    },
    help={
        "dead/caret": "leave out the `^`",
        "dead/checked_as": "write `{instead}`",
        "dead/everything": "name the tools, or a server as `@server`",
        "dead/governed": "write it under `{governing}`",
        "dead/not_given": "add it to `tools`",
        "dead/own_field": "write `{instead}`",
        "dead/own_name": "write `{instead}`",
        "dead/relative": "write `{instead}`",
        "dead/server_parentheses": "write `{instead}`",
        "dead/server_wildcard": "name each server",
        "dead/underscores": "name the server in `mcpName`",
    },
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
    for problem in file.problems:
        if problem.kind in RULE.message:
            yield RULE.of(problem)


_ONE_WILDCARD = "write `{prefix}*`: only one `*`, at the start or the end, is special"
_NO_WILDCARD = "name each tool, or use `*`"


def _check(pattern: Node, field: str) -> Iterator[Finding]:
    text = str(pattern.value)
    if not has_inner_wildcard(text):
        return
    kind, rest = ("literal", text)
    if text.endswith("*"):
        kind, rest = "beginning", text[:-1]
    elif text.startswith("*"):
        kind, rest = "end", text[1:]
    prefix = text[: text.index("*")]
    meant = _with_one_star(text)
    yield RULE.at(
        pattern.place,
        kind,
        field=field,
        help=_ONE_WILDCARD.format(prefix=prefix) if prefix else _NO_WILDCARD,
        fix=None if meant is None else rewriting(pattern.place, meant),
        pattern=text,
        rest=rest,
    )


def _with_one_star(pattern: str) -> str | None:
    """The pattern with one `*` for several at its start or its end: `src/**` is meant as `src/*`, which crosses slashes."""
    rest = pattern.strip("*")
    if not rest or "*" in rest:
        return None
    if pattern.startswith(rest):
        return f"{rest}*"
    return f"*{rest}" if pattern.endswith(rest) else None
