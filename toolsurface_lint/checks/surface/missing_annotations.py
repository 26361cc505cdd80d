"""An active tool has no annotations, or annotations without a side-effect level."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import ACTIVE_TOOL, check
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool

MISSING_ANNOTATIONS = Rule(
    code="TOOL_SURFACE_MISSING_ANNOTATIONS",
    since="0.1.0",
    harn=2,
    severity=WARNING,
    summary="An active tool is not annotated.",
    message="tool `{name}` has no annotations, so nothing says what kind of tool it is or what it may change",
    tags=("specification", "tools"),
)

MISSING_SIDE_EFFECT_LEVEL = Rule(
    code="TOOL_SURFACE_MISSING_SIDE_EFFECT_LEVEL",
    since="0.1.0",
    harn=3,
    severity=WARNING,
    summary="An annotated tool leaves its side-effect level at `none`.",
    message="tool `{name}` is annotated, but its side-effect level is `none`",
    tags=("specification", "tools"),
)


@check(ACTIVE_TOOL, MISSING_ANNOTATIONS, MISSING_SIDE_EFFECT_LEVEL)
def check_tool(tool: Tool, surface: Surface) -> Iterator[Finding]:
    if "annotations" not in tool.declarable and not surface.needs_annotations:
        return
    annotations = surface.annotations(tool)
    if annotations is None:
        yield MISSING_ANNOTATIONS.at(
            tool.name_place,
            tool=tool.name,
            field="annotations",
            name=tool.name,
            help="give it annotations, or name it in the policy's `tool_annotations`",
        )
    elif annotations.level == "none":
        level = annotations.node.get("side_effect_level")
        yield MISSING_SIDE_EFFECT_LEVEL.at(
            tool.name_place if level is None else level.place,
            tool=tool.name,
            field="side_effect_level",
            name=tool.name,
            help="state `read_only`, `workspace_write`, `process_exec`, `network` or `desktop_control`",
        )
