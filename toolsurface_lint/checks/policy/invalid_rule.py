"""A permission rule that its client rejects."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import PERMISSIONS, check
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, Finding, Rule
from toolsurface_lint.model.permission import PermissionFile
from toolsurface_lint.model.surface import Surface

RULE = Rule(
    code="POLICY_INVALID_RULE",
    since="0.1.0",
    severity=ERROR,
    summary="A permission rule is one that its client rejects.",
    message={
        "rejected/empty": "an empty rule is rejected by Claude Code",
        "rejected/empty_parentheses": "the rule `{rule}` is rejected by Claude Code: its parentheses are empty",
        "rejected/fetch": "the rule `{rule}` is rejected by Claude Code: `WebFetch` takes `domain:` and a host",
        "rejected/inner_wildcard": "the rule `{rule}` is rejected by Claude Code: `:*` is only possible at the end",
        "rejected/lower_case": "the rule `{rule}` is rejected by Claude Code: a tool's name begins with a capital letter",
        "rejected/no_command": "the rule `{rule}` is rejected by Claude Code: there is no command before `:*`",
        "rejected/no_tool": "the rule `{rule}` is rejected by Claude Code: it has no tool before its parentheses",
        "rejected/parentheses": "the rule `{rule}` is rejected by Claude Code: its parentheses do not match",
        "rejected/path_wildcard": "the rule `{rule}` is rejected by Claude Code: `:*` is for commands, not for paths",
        "rejected/search_wildcard": "the rule `{rule}` is rejected by Claude Code: `WebSearch` takes no wildcards",
        "rejected/codex": "{got} is rejected by Codex: `{key}` must be one of {words}",
        "rejected/gemini_both": "the rule is rejected by Gemini CLI: `{key}` and `{other}` exclude each other",
        "rejected/gemini_command": 'the rule is rejected by Gemini CLI: `{key}` needs `toolName = "{shell}"`, '
        "alone and not in a list",
        "rejected/gemini_decision": "the rule is rejected by Gemini CLI: its decision is {got}, "
        "expected `allow`, `deny` or `ask_user`",
        "rejected/gemini_missing": "the rule is rejected by Gemini CLI: it has no `{key}`",
        "rejected/gemini_mode": "the rule is rejected by Gemini CLI: {got} is not a mode: {words}",
        "rejected/gemini_modes": "the rule is rejected by Gemini CLI: `modes` must be a list, not {got}",
        "rejected/gemini_priority": "the rule is rejected by Gemini CLI: `priority` must be a whole number from 0 to {most}",
        "rejected/opencode": "{got} is rejected by OpenCode: an action is `allow`, `ask` or `deny`",
        "rejected/vs_code": "`{rule}` is ignored by VS Code: it must be true or false, not {got}",
    },
    help={
        "rejected/fetch": "write `WebFetch(domain:example.com)`",
        "rejected/inner_wildcard": "write ` *` for any text",
        "rejected/lower_case": "write `{instead}`",
        "rejected/no_command": "write `Bash` for any command",
        "rejected/path_wildcard": "write `**` for anything below a folder",
        "rejected/search_wildcard": "write `WebSearch`",
    },
    tags=("policies",),
    fix=UNSAFE,
    # A rule that counts at last may contradict another one.
    reveals=("POLICY_CONFLICT",),
)


@check(PERMISSIONS, RULE)
def check_permissions(file: PermissionFile, surface: Surface) -> Iterator[Finding]:
    for problem in file.problems:
        if problem.kind in RULE.message:
            yield RULE.of(problem)
