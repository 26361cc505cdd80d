"""Our own directives: those that hide nothing, name no code, never end, have expired, or are misspelled."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import DIRECTIVE, check
from toolsurface_lint.model.diagnostics import INFO, SAFE, UNSAFE, WARNING, Finding, Rule
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Place

_VERBS = "write one of `{prefix}: ignore-start`, `{prefix}: ignore-end`, `{prefix}: ignore-next-line`, `{prefix}: ignore-line`"

UNUSED = Rule(
    code="SUPPRESSION_UNUSED",
    since="0.1.0",
    severity=WARNING,
    summary="A suppression hides nothing.",
    message={
        "unused/code": "`{name}` is not reported in the lines that this directive covers",
        "unused/directive": "`{text}` hides nothing",
        "unused/end": "`{text}` does not close an `ignore-start`",
    },
    help="remove it",
    title="remove `{text}`",
    tags=("suppressions",),
    fix=SAFE,
)

UNKNOWN_CODE = Rule(
    code="SUPPRESSION_UNKNOWN_CODE",
    since="0.1.0",
    severity=WARNING,
    summary="A suppression names a code that does not exist.",
    message={"unknown_code": "`{name}` is not a diagnostic code"},
    tags=("suppressions",),
    fix=UNSAFE,
)

UNCLOSED = Rule(
    code="SUPPRESSION_UNCLOSED",
    since="0.1.0",
    severity=WARNING,
    summary="An `ignore-start` has no `ignore-end`, and hides the rest of the text.",
    message={"unclosed": "`{text}` is never closed: it hides everything to the end of the text"},
    help="add `{prefix}: ignore-end`",
    tags=("suppressions",),
)

MALFORMED = Rule(
    code="SUPPRESSION_MALFORMED",
    since="0.1.0",
    severity=INFO,
    summary="A text looks like a suppression, but is not one.",
    message={
        "malformed/bracket": "`[` is not closed: the directive hides nothing",
        "malformed/day": "the last day is not written `until=YYYY-MM-DD`: the directive hides nothing",
        "malformed/end_day": "an `ignore-end` has no last day: it belongs to its `ignore-start`",
        "malformed/no_code": "no code between `[` and `]`: the directive hides nothing",
        "malformed/space": "exactly one space must follow `{prefix}:`: the directive hides nothing",
        "malformed/verb": "`{verb}` is not a verb of `{prefix}:`: the directive hides nothing",
    },
    help={
        "malformed/day": "give a date that exists, the last day on which it applies",
        **dict.fromkeys(("malformed/bracket", "malformed/no_code", "malformed/space", "malformed/verb"), _VERBS),
    },
    tags=("suppressions",),
    fix=UNSAFE,
)

EXPIRED = Rule(
    code="SUPPRESSION_EXPIRED",
    since="0.1.0",
    severity=WARNING,
    summary="A suppression's last day has passed.",
    message={
        "expired/directive": "`{text}` was valid until `{day}`: it no longer hides anything",
        "expired/settings": "what was ignored in `{path}` until `{day}` is reported again",
    },
    help={
        "expired/directive": "fix what it hid and remove it, or give it a later day",
        "expired/settings": "fix it and remove the table, or give it a later day",
    },
    title="remove `{text}`",
    tags=("suppressions",),
    fix=UNSAFE,
)

_RULES = {kind: rule for rule in (UNUSED, UNKNOWN_CODE, UNCLOSED, MALFORMED, EXPIRED) for kind in rule.message}


@check(DIRECTIVE, UNUSED, UNKNOWN_CODE, UNCLOSED, MALFORMED, EXPIRED)
def check_directive(problem: Problem[Place]) -> Iterator[Finding]:
    yield _RULES[problem.kind].of(problem)
