"""Our own directives: those that hide nothing, name no code, never end, have expired, or are misspelt."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import DIRECTIVE, check
from toolsurface_lint.model.diagnostics import INFO, SAFE, UNSAFE, WARNING, Finding, Fix, Rule
from toolsurface_lint.source.tree import Place

UNUSED = Rule(
    code="SUPPRESSION_UNUSED",
    since="0.1.0",
    severity=WARNING,
    summary="A suppression hides nothing.",
    message="{problem}",
    tags=("suppressions",),
    fix=SAFE,
)

UNKNOWN_CODE = Rule(
    code="SUPPRESSION_UNKNOWN_CODE",
    since="0.1.0",
    severity=WARNING,
    summary="A suppression names a code that does not exist.",
    message="{problem}",
    tags=("suppressions",),
    fix=UNSAFE,
)

UNCLOSED = Rule(
    code="SUPPRESSION_UNCLOSED",
    since="0.1.0",
    severity=WARNING,
    summary="An `ignore-start` has no `ignore-end`, and hides the rest of the text.",
    message="{problem}",
    tags=("suppressions",),
)

MALFORMED = Rule(
    code="SUPPRESSION_MALFORMED",
    since="0.1.0",
    severity=INFO,
    summary="A text looks like a suppression, and is none.",
    message="{problem}",
    tags=("suppressions",),
    fix=UNSAFE,
)

EXPIRED = Rule(
    code="SUPPRESSION_EXPIRED",
    since="0.1.0",
    severity=WARNING,
    summary="A suppression's last day has passed.",
    message="{problem}",
    tags=("suppressions",),
    fix=UNSAFE,
)

_RULES = {
    "unused": UNUSED,
    "unknown_code": UNKNOWN_CODE,
    "unclosed": UNCLOSED,
    "malformed": MALFORMED,
    "expired": EXPIRED,
}


@check(DIRECTIVE, *_RULES.values())
def check_directive(what: str, place: Place, problem: str, help: str | None, fix: Fix | None) -> Iterator[Finding]:
    yield _RULES[what].at(place, problem=problem, help=help, fix=fix)
