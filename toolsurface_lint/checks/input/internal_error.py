"""A rule of ours crashed; the others still run."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import CRASH, check
from toolsurface_lint.model.diagnostics import ERROR, INTERNAL_ERROR, Finding, Rule
from toolsurface_lint.source.tree import Place

RULE = Rule(
    code=INTERNAL_ERROR,
    since="0.1.0",
    severity=ERROR,
    summary="A rule of toolsurface-lint itself crashed.",
    message="{codes} could not be run here: {problem}",
    tags=("input",),
)


@check(CRASH, RULE)
def check_crash(rules: tuple[Rule, ...], place: Place, error: Exception) -> Iterator[Finding]:
    codes = ", ".join(f"`{rule.code}`" for rule in rules)
    problem = f"{type(error).__name__}: {error}"
    yield RULE.at(place, codes=codes, problem=problem, help="report it: this is a bug in toolsurface-lint")
