"""Annotations with a value that the specification does not know."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.surface import Surface

RULE = Rule(
    code="TOOL_ANNOTATION_INVALID",
    severity=WARNING,
    summary="A tool annotation has an unknown or ill-typed value.",
    message="{problem}",
    tags=("tools",),
)


def check_surface(surface: Surface) -> Iterator[Finding]:
    for tool in surface.tools:
        for defect in tool.defects:
            yield RULE.at(defect.place, tool=tool.text, field="annotations", problem=defect.message, help=defect.help)
    for policy in surface.policies:
        for defect in policy.defects:
            if defect.what == "annotation":
                yield RULE.at(
                    defect.place,
                    tool=_annotated(defect.place.path),
                    field="annotations",
                    problem=defect.message,
                    help=defect.help,
                )


def _annotated(path: tuple[str | int, ...]) -> str | None:
    """The tool whose entry in `tool_annotations` a place lies in."""
    if "tool_annotations" in path:
        at = path.index("tool_annotations") + 1
        if at < len(path):
            return str(path[at])
    return None
