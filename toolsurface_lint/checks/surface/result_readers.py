"""An execute tool that emits artifacts, and who can read them."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import ACTIVE_TOOL, check
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, WARNING, Finding, Rule, renaming
from toolsurface_lint.model.names import suggestion
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool

MISSING = Rule(
    code="TOOL_SURFACE_MISSING_RESULT_READER",
    since="0.1.0",
    harn=5,
    severity=ERROR,
    summary="What an execute tool emits cannot be read by any active tool.",
    message="tool `{name}` emits artifacts, but no active tool can read them",
    tags=("specification", "tools"),
)

UNKNOWN = Rule(
    code="TOOL_SURFACE_UNKNOWN_RESULT_READER",
    since="0.1.0",
    harn=6,
    severity=WARNING,
    summary="A tool names a result reader that is not active.",
    message="tool `{name}` names the result reader `{reader}`, which is not an active tool",
    tags=("specification", "tools"),
    fix=UNSAFE,
)


@check(ACTIVE_TOOL, MISSING, UNKNOWN)
def check_tool(tool: Tool, surface: Surface) -> Iterator[Finding]:
    annotations = surface.annotations(tool)
    if (
        annotations is None
        or annotations.kind != "execute"
        or not annotations.emits_artifacts
        or annotations.inline_result
    ):
        return
    active = surface.active_names
    readers = annotations.result_readers
    if not surface.open and not surface.can_read_results(annotations):
        declared = annotations.node.get("result_readers")
        yield MISSING.at(
            tool.name_place if declared is None else declared.place,
            tool=tool.name,
            field="result_readers",
            name=tool.name,
            help="declare an active reader in `result_readers`, or set `inline_result: true` if results are always complete",
        )
    if surface.open:
        return
    for reader in readers:
        if reader.value not in active:
            near = surface.close_active_names(reader.value)
            yield UNKNOWN.at(
                reader.place,
                tool=tool.name,
                field="result_readers",
                name=tool.name,
                reader=reader.value,
                help=suggestion(near),
                fix=renaming(reader.place, reader.value, near),
            )
