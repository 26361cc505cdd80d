"""Annotations with a value that the specification does not know."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import SURFACE, check
from toolsurface_lint.model.diagnostics import UNSAFE, WARNING, Finding, Rule
from toolsurface_lint.model.surface import Surface

RULE = Rule(
    code="TOOL_ANNOTATION_INVALID",
    since="0.1.0",
    severity=WARNING,
    summary="A tool annotation has an unknown or ill-typed value.",
    message={
        "annotation/alias": "`{name}` must name the canonical argument, not {got}",
        "annotation/boolean": "`{name}` must be true or false, not {got}",
        "annotation/item": "`{name}` must hold strings, not {got}",
        "annotation/object": "`{name}` must be an object, not {got}",
        "annotation/string": "`{name}` must be a string, not {got}",
        "annotation/strings": "`{name}` must be a list of strings, not {got}",
        "annotation/word": "`{value}` is not a `{name}`",
    },
    help={"annotation/word": "write one of {words}"},
    tags=("tools",),
    fix=UNSAFE,
)


@check(SURFACE, RULE)
def check_surface(surface: Surface) -> Iterator[Finding]:
    for tool in surface.tools:
        for problem in tool.problems:
            yield RULE.of(problem, tool=tool.name, field="annotations")
    for policy in surface.policies:
        for problem in policy.problems:
            if problem.kind in RULE.message:
                yield RULE.of(problem, tool=_annotated(problem.at.path), field="annotations")


def _annotated(path: tuple[str | int, ...]) -> str | None:
    """The tool whose entry in `tool_annotations` a place lies in."""
    if "tool_annotations" in path:
        at = path.index("tool_annotations") + 1
        if at < len(path):
            return str(path[at])
    return None
