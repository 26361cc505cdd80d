"""What an active tool does not say: its annotations, its parameters, what runs it, who reads its results."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import ACTIVE_TOOL, check
from toolsurface_lint.model.diagnostics import ERROR, UNSAFE, WARNING, Finding, Rule, renaming
from toolsurface_lint.model.names import suggestion
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.tool import Tool

MISSING_SCHEMA = Rule(
    code="TOOL_SURFACE_MISSING_SCHEMA",
    since="0.1.0",
    harn=1,
    severity=WARNING,
    summary="An active tool does not say which arguments it accepts.",
    message="tool `{name}` has no parameter schema",
    help="declare its parameters, with an empty object schema if it has none",
    tags=("specification", "tools"),
)

MISSING_ANNOTATIONS = Rule(
    code="TOOL_SURFACE_MISSING_ANNOTATIONS",
    since="0.1.0",
    harn=2,
    severity=WARNING,
    summary="An active tool is not annotated.",
    message="tool `{name}` has no annotations, so nothing says what kind of tool it is or what it may change",
    help="give it annotations, or name it in the policy's `tool_annotations`",
    tags=("specification", "tools"),
)

MISSING_SIDE_EFFECT_LEVEL = Rule(
    code="TOOL_SURFACE_MISSING_SIDE_EFFECT_LEVEL",
    since="0.1.0",
    harn=3,
    severity=WARNING,
    summary="An annotated tool leaves its side-effect level at `none`.",
    message="tool `{name}` is annotated, but its side-effect level is `none`",
    help="state `read_only`, `workspace_write`, `process_exec`, `network` or `desktop_control`",
    tags=("specification", "tools"),
)

MISSING_EXECUTOR = Rule(
    code="TOOL_SURFACE_MISSING_EXECUTOR",
    since="0.1.0",
    harn=4,
    severity=WARNING,
    summary="An active registry tool does not say what runs it.",
    message="tool `{name}` declares no executor, so nothing says what runs it",
    help="add an `executor`: `harn`, `host_bridge`, `mcp_server` or `provider_native`",
    tags=("specification", "tools"),
)

MISSING_RESULT_READER = Rule(
    code="TOOL_SURFACE_MISSING_RESULT_READER",
    since="0.1.0",
    harn=5,
    severity=ERROR,
    summary="What an execute tool emits cannot be read by any active tool.",
    message="tool `{name}` emits artifacts, but no active tool can read them",
    help="declare an active reader in `result_readers`, or set `inline_result: true` if results are always complete",
    tags=("specification", "tools"),
)

UNKNOWN_RESULT_READER = Rule(
    code="TOOL_SURFACE_UNKNOWN_RESULT_READER",
    since="0.1.0",
    harn=6,
    severity=WARNING,
    summary="A tool names a result reader that is not active.",
    message="tool `{name}` names the result reader `{reader}`, which is not an active tool",
    tags=("specification", "tools"),
    fix=UNSAFE,
)


@check(ACTIVE_TOOL, MISSING_SCHEMA)
def check_schema(tool: Tool, surface: Surface) -> Iterator[Finding]:
    if tool.schema_path is None and "schema" in tool.declarable:
        yield MISSING_SCHEMA.at(tool.name_place, tool=tool.name, field="parameters")


@check(ACTIVE_TOOL, MISSING_ANNOTATIONS, MISSING_SIDE_EFFECT_LEVEL)
def check_annotations(tool: Tool, surface: Surface) -> Iterator[Finding]:
    if "annotations" not in tool.declarable and not surface.needs_annotations:
        return
    annotations = surface.annotations(tool)
    if annotations is None:
        yield MISSING_ANNOTATIONS.at(tool.name_place, tool=tool.name, field="annotations")
    elif annotations.level == "none":
        level = annotations.node.get("side_effect_level")
        place = tool.name_place if level is None else level.place
        yield MISSING_SIDE_EFFECT_LEVEL.at(place, tool=tool.name, field="side_effect_level")


@check(ACTIVE_TOOL, MISSING_EXECUTOR)
def check_executor(tool: Tool, surface: Surface) -> Iterator[Finding]:
    if not tool.executor and "executor" in tool.declarable:
        yield MISSING_EXECUTOR.at(tool.name_place, tool=tool.name, field="executor")


@check(ACTIVE_TOOL, MISSING_RESULT_READER, UNKNOWN_RESULT_READER)
def check_result_readers(tool: Tool, surface: Surface) -> Iterator[Finding]:
    annotations = None if surface.open else surface.annotations(tool)
    if annotations is None or annotations.kind != "execute":
        return
    if not annotations.emits_artifacts or annotations.inline_result:
        return
    if not surface.can_read_results(annotations):
        declared = annotations.node.get("result_readers")
        place = tool.name_place if declared is None else declared.place
        yield MISSING_RESULT_READER.at(place, tool=tool.name, field="result_readers")
    for reader in annotations.result_readers:
        if reader.value not in surface.active_names:
            near = surface.close_active.find(reader.value)
            yield UNKNOWN_RESULT_READER.at(
                reader.place,
                tool=tool.name,
                field="result_readers",
                reader=reader.value,
                help=suggestion(near),
                fix=renaming(reader.place, reader.value, near),
            )
