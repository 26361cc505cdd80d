"""Our own directives: those that hide nothing, name no code, never end, have expired, or are misspelt."""

from __future__ import annotations

from toolsurface_lint.model.diagnostics import INFO, SAFE, UNSAFE, WARNING, Rule

UNUSED = Rule(
    code="SUPPRESSION_UNUSED",
    severity=WARNING,
    summary="A suppression hides nothing.",
    message="{problem}",
    tags=("suppressions",),
    fix=SAFE,
)

UNKNOWN_CODE = Rule(
    code="SUPPRESSION_UNKNOWN_CODE",
    severity=WARNING,
    summary="A suppression names a code that does not exist.",
    message="{problem}",
    tags=("suppressions",),
    fix=UNSAFE,
)

UNCLOSED = Rule(
    code="SUPPRESSION_UNCLOSED",
    severity=WARNING,
    summary="An `ignore-start` has no `ignore-end`, and hides the rest of the text.",
    message="{problem}",
    tags=("suppressions",),
)

MALFORMED = Rule(
    code="SUPPRESSION_MALFORMED",
    severity=INFO,
    summary="A text looks like a suppression, and is none.",
    message="{problem}",
    tags=("suppressions",),
    fix=UNSAFE,
)

EXPIRED = Rule(
    code="SUPPRESSION_EXPIRED",
    severity=WARNING,
    summary="A suppression's last day has passed.",
    message="{problem}",
    tags=("suppressions",),
    fix=UNSAFE,
)

RULES = (UNUSED, UNKNOWN_CODE, UNCLOSED, MALFORMED, EXPIRED)

BY_LEFTOVER = {
    "unused": UNUSED,
    "unknown_code": UNKNOWN_CODE,
    "unclosed": UNCLOSED,
    "malformed": MALFORMED,
    "expired": EXPIRED,
}
"""The rule for each kind of leftover that `suppression.Suppressions` finds."""
