"""A rule of ours crashed; the engine reports it, and the others still run."""

from __future__ import annotations

from toolsurface_lint.model.diagnostics import ERROR, INTERNAL_ERROR, Rule

RULE = Rule(
    code=INTERNAL_ERROR,
    severity=ERROR,
    summary="A rule of toolsurface-lint itself crashed.",
    message="the rules {codes} could not be run here: {problem}",
    tags=("input",),
)
