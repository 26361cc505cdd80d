"""Annotations with a value that the specification does not know."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import SURFACE, check
from toolsurface_lint.model.diagnostics import UNSAFE, WARNING, Finding, Fix, Rule, renaming
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Defect

RULE = Rule(
    code="TOOL_ANNOTATION_INVALID",
    since="0.1.0",
    severity=WARNING,
    summary="A tool annotation has an unknown or ill-typed value.",
    message="{problem}",
    tags=("tools",),
    fix=UNSAFE,
)


@check(SURFACE, RULE)
def check_surface(surface: Surface) -> Iterator[Finding]:
    for tool in surface.tools:
        for defect in tool.defects:
            yield _finding(defect, tool.name)
    for policy in surface.policies:
        for defect in policy.defects:
            if defect.what == "annotation":
                yield _finding(defect, _annotated(defect.place.path))


def _finding(defect: Defect, tool: str | None) -> Finding:
    fix: Fix | None = None
    if defect.meant is not None:
        fix = renaming(defect.place, defect.place.reads() or "", (defect.meant,))
    return RULE.at(defect.place, tool=tool, field="annotations", problem=defect.message, help=defect.help, fix=fix)


def _annotated(path: tuple[str | int, ...]) -> str | None:
    """The tool whose entry in `tool_annotations` a place lies in."""
    if "tool_annotations" in path:
        at = path.index("tool_annotations") + 1
        if at < len(path):
            return str(path[at])
    return None
