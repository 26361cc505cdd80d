"""Policies and permission rules that are malformed, rejected, never match as they are meant, or allow too much."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import (
    APPROVAL_PATTERN,
    APPROVAL_POLICY,
    CONSTRAINT,
    DOCUMENT,
    HOOKS,
    PERMISSIONS,
    POLICY,
    check,
)
from toolsurface_lint.knowledge.client_versions import holds
from toolsurface_lint.model.diagnostics import ERROR, INFO, UNSAFE, WARNING, Finding, Rule, rewriting
from toolsurface_lint.model.document import Document
from toolsurface_lint.model.hooks import HookFile
from toolsurface_lint.model.patterns import has_inner_wildcard
from toolsurface_lint.model.permission import PermissionFile
from toolsurface_lint.model.policy import ApprovalPattern, ApprovalPolicy, ArgConstraint, CapabilityPolicy
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Node, Place

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
        "shape/matcher": "the matcher of `{name}` must be a string, a list, true or an object, not {got}",
        "shape/missing": "`{name}` is missing",
        "shape/mixed": "`{name}` mixes `{one}` with `{other}`",
        "shape/no_action": "`{name}` has neither an action nor one of `allow`, `ask`, `require_approval`, `deny`",
        "shape/no_match": "`{name}` has an action but no `match`",
        "shape/object": "`{name}` must be an object, not {got}",
        "shape/stray": "`{name}` has `{key}` next to its matcher",
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
    summary="A policy, an approval policy or a file for a coding client has a field that nothing reads.",
    message={
        "field": "unknown field `{name}` in `{owner}`",
        "input": "`{name}` is not an input of `{owner}`, so it has no effect",
        "key": "`{name}` is not a field of {owner}",
        "list": "`{name}` is not a field of {owner}, so the list has no effect",
        "option": "`{name}` is not an option of {owner}",
        "plugin": "`{name}` is ignored in {owner} of a plugin",
    },
    help={"input": "{instead}", "list": "write `{instead}`"},
    tags=("policies",),
    fix=UNSAFE,
)


UNKNOWN_VALUE = Rule(
    code="POLICY_UNKNOWN_VALUE",
    since="0.1.0",
    severity=WARNING,
    summary="A file for a coding client has a value that the client ignores.",
    message={"value": "`{got}` is not a value of `{name}` in {owner}"},
    tags=("policies",),
    fix=UNSAFE,
)


INVALID_RULE = Rule(
    code="POLICY_INVALID_RULE",
    since="0.1.0",
    severity=ERROR,
    summary="A permission rule is rejected or ignored by its client.",
    message={
        "rejected/empty": "an empty rule is rejected by Claude Code",
        "rejected/empty_parentheses": "the rule `{rule}` is rejected by Claude Code: its parentheses are empty",
        "rejected/fetch": "the rule `{rule}` is rejected by Claude Code: `WebFetch` requires `domain:` and a host",
        "rejected/inner_wildcard": "the rule `{rule}` is rejected by Claude Code: `:*` is only possible at the end",
        "rejected/lower_case": "the rule `{rule}` is rejected by Claude Code: a tool's name begins with a capital letter",
        "rejected/no_command": "the rule `{rule}` is rejected by Claude Code: there is no command before `:*`",
        "rejected/no_tool": "the rule `{rule}` is rejected by Claude Code: it has no tool before its parentheses",
        "rejected/empty_inside": "the rule `{rule}` is rejected by Claude Code: parentheses in it are empty",
        "rejected/malformed": "the rule `{rule}` is rejected by Claude Code: it does not end with its closing parenthesis",
        "rejected/unbalanced": "the rule `{rule}` is rejected by Claude Code: its parentheses do not match",
        "rejected/parentheses": "the rule `{rule}` is rejected by Claude Code: its parentheses do not match",
        "rejected/path_wildcard": "the rule `{rule}` is rejected by Claude Code: `:*` is for commands, not for paths",
        "rejected/search_wildcard": "the rule `{rule}` is rejected by Claude Code: `WebSearch` does not accept wildcards",
        "rejected/split": "the rule `{rule}` falls apart at its blanks, where `claude_args` is split as by a shell",
        "rejected/unclosed": "the rule `{rule}` never matches: its parentheses are not closed",
        "rejected/codex": "`{key}` is {got}, which Codex rejects: expected one of {words}",
        "rejected/gemini_both": "the rule is rejected by Gemini CLI: `{key}` and `{other}` exclude each other",
        "rejected/gemini_command": 'the rule is rejected by Gemini CLI: `{key}` needs `toolName = "{shell}"`, '
        "alone and not in a list",
        "rejected/gemini_decision": "the rule is rejected by Gemini CLI: its decision is {got}, "
        "expected `allow`, `deny` or `ask_user`",
        "rejected/gemini_missing": "the rule is rejected by Gemini CLI: it has no `{key}`",
        "rejected/gemini_mode": "the rule is rejected by Gemini CLI: {got} is not a mode: {words}",
        "rejected/gemini_modes": "the rule is rejected by Gemini CLI: `modes` must be a list, not {got}",
        "rejected/gemini_priority": "the rule is rejected by Gemini CLI: `priority` must be a whole number from 0 to {most}",
        "rejected/opencode": "the action is {got}, which OpenCode rejects: expected `allow`, `ask` or `deny`",
        "rejected/vs_code": "`{rule}` is ignored by VS Code: it must be true or false, not {got}",
    },
    help={
        "rejected/fetch": "write `WebFetch(domain:{instead})`",
        "rejected/inner_wildcard": "write ` *` for any text",
        "rejected/lower_case": "write `{instead}`",
        "rejected/no_command": "write `Bash` for any command",
        "rejected/path_wildcard": "write `**` for anything below a folder",
        "rejected/search_wildcard": "write `WebSearch`",
        "rejected/unclosed": "close the parenthesis",
        "rejected/split": "put the list in quotes",
    },
    tags=("policies",),
    fix=UNSAFE,
    # A rule that counts at last may contradict another one.
    reveals=("POLICY_CONFLICT",),
)


BROAD_ALLOW = Rule(
    code="POLICY_BROAD_ALLOW",
    since="0.1.0",
    severity=INFO,
    summary="A permission rule allows any command without asking.",
    message={
        "broad/everything": "`{rule}` allows any command and any tool",
        "broad/name": "`{rule}` allows any command",
        "broad/pattern": "`{pattern}` of `{rule}` allows any command",
        "broad/rule": "the rule `{rule}` allows any command",
        "broad/rule_for": "the rule for `{rule}` allows any command",
        "broad/unconfined": "`never` allows any command, as `sandbox_mode` does not confine it",
    },
    tags=("policies", "security"),
    preview=True,
)


PATTERN_NEVER_MATCHES = Rule(
    code="POLICY_PATTERN_NEVER_MATCHES",
    since="0.1.0",
    severity=WARNING,
    summary="A policy pattern never matches what it is meant to match.",
    message={
        "beginning": "the pattern `{pattern}` matches only what begins with `{rest}`, its other `*` taken literally",
        "end": "the pattern `{pattern}` matches only what ends in `{rest}`, its other `*` taken literally",
        "literal": "the pattern `{pattern}` matches only the text `{rest}` itself: a `*` in the middle is taken literally",
        "before/agent": "`{rule}` matches nothing before Claude Code {before}",
        "before/command_wildcard": "`{rule}` matches nothing before Claude Code {before}: `*` counts only in `:*` at the end",
        "before/name_wildcard": "`{rule}` matches nothing before Claude Code {before}: names have no wildcards",
        "before/parameter": "`{rule}` matches nothing before Claude Code {before}: parameters have no rules",
        "before/partial_wildcard": "`{rule}` matches nothing before Claude Code {before}: `*` stands for all tools of a server",
        "before/server_wildcard": "`{rule}` matches nothing before Claude Code {before}: a server stands for its tools",
        "before/skill_wildcard": "`{rule}` matches nothing before Claude Code {before}",
        "before/subdomains": "`{rule}` matches nothing before Claude Code {before}: hosts have no wildcards",
        "dead/caret": '`^` never matches here: the pattern is searched for after `"command":"`',
        "dead/checked_as": "`{rule}` never matches: paths are checked against `{checked_as}` rules only",
        "dead/everything": "`*` alone allows nothing: it is not supported in `allowedTools`",
        "dead/governed": "`{rule}` has no effect: the tool asks for permission as `{governing}`",
        "dead/not_given": "`{rule}` allows nothing: it is not among the agent's `tools`",
        "dead/own_field": "`{rule}` is ignored: `{key}` is what the rule matches anyway",
        "dead/own_name": "`{rule}` never matches: next to `mcpName`, `toolName` is the server's own name for the tool",
        "dead/relative": "`{rule}` is not an absolute path: one `/` means the project's own folder",
        "dead/server_parentheses": "`{rule}` is skipped: parentheses are not accepted after the tools of a server",
        "dead/server_wildcard": "`{rule}` allows nothing: in `allow`, `*` counts only after `mcp__SERVER__`",
        "dead/underscores": "`{rule}` never matches: tools of servers are no longer named with `__`",
        "dead/wildcard": "`{rule}` allows nothing: in `allow`, `*` counts only after `mcp__SERVER__`",
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


_BY_KIND = {
    kind: rule
    for rule in (INVALID, UNKNOWN_FIELD, INVALID_RULE, BROAD_ALLOW, PATTERN_NEVER_MATCHES)
    for kind in rule.message
}


@check(PERMISSIONS, INVALID, UNKNOWN_FIELD, INVALID_RULE, BROAD_ALLOW, PATTERN_NEVER_MATCHES)
def check_permissions(file: PermissionFile, surface: Surface) -> Iterator[Finding]:
    for problem in file.problems:
        if problem.kind in _BY_KIND and holds(problem.kind, surface.target.client_versions):
            yield _BY_KIND[problem.kind].of(problem)


@check(HOOKS, UNKNOWN_FIELD)
def check_hooks(file: HookFile, surface: Surface) -> Iterator[Finding]:
    from toolsurface_lint.checks.hook._plugins import has_known_client

    if has_known_client(file, surface):
        yield from (UNKNOWN_FIELD.of(problem) for problem in file.problems if problem.kind == "field")


@check(DOCUMENT, UNKNOWN_FIELD, UNKNOWN_VALUE)
def check_keys(document: Document) -> Iterator[Finding]:
    if document.client_file is not None:
        for problem in document.client_file.problems:
            yield (UNKNOWN_FIELD if problem.kind in UNKNOWN_FIELD.message else UNKNOWN_VALUE).of(problem)


@check(POLICY, INVALID, UNKNOWN_FIELD)
def check_policy(policy: CapabilityPolicy, surface: Surface) -> Iterator[Finding]:
    return _report(policy.problems, "policy")


@check(APPROVAL_POLICY, INVALID, UNKNOWN_FIELD)
def check_approval_policy(approval: ApprovalPolicy, surface: Surface) -> Iterator[Finding]:
    return _report(approval.problems, "approval_policy")


def _report(problems: tuple[Problem[Place], ...], what: str) -> Iterator[Finding]:
    for problem in problems:
        # Those of the annotations are TOOL_ANNOTATION_INVALID's.
        if problem.kind in _BY_KIND:
            field = what if problem.field is None else f"{what}.{problem.field}"
            yield _BY_KIND[problem.kind].of(problem, field=field)


@check(POLICY, PATTERN_NEVER_MATCHES)
def check_tools(policy: CapabilityPolicy, surface: Surface) -> Iterator[Finding]:
    for pattern in policy.tools:
        yield from _inner_wildcard(pattern, "policy.tools")


@check(CONSTRAINT, PATTERN_NEVER_MATCHES)
def check_constraint(constraint: ArgConstraint, policy: CapabilityPolicy, surface: Surface) -> Iterator[Finding]:
    yield from _inner_wildcard(constraint.tool, "tool_arg_constraints.tool")
    for pattern in constraint.arg_patterns:
        yield from _inner_wildcard(pattern, "tool_arg_constraints.arg_patterns")


@check(APPROVAL_PATTERN, PATTERN_NEVER_MATCHES)
def check_approval(pattern: ApprovalPattern, surface: Surface) -> Iterator[Finding]:
    yield from _inner_wildcard(pattern.node, f"approval_policy.{pattern.field}")


def _inner_wildcard(pattern: Node, field: str) -> Iterator[Finding]:
    text = str(pattern.value)
    if not has_inner_wildcard(text):
        return
    kind, rest = "literal", text
    if text.endswith("*"):
        kind, rest = "beginning", text[:-1]
    elif text.startswith("*"):
        kind, rest = "end", text[1:]
    prefix = text[: text.index("*")]
    meant = _with_one_star(text)
    yield PATTERN_NEVER_MATCHES.at(
        pattern.place,
        kind,
        field=field,
        help=f"write `{prefix}*`: only one `*`, at the start or the end, is special"
        if prefix
        else "name each tool, or use `*`",
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
