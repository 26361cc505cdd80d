"""Annotations that contradict one another."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.contract import DEFINITION, check
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.effects import READS, WRITES, Declared, declared_effects
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool

RULE = Rule(
    code="TOOL_ANNOTATION_CONTRADICTION",
    since="0.1.0",
    severity=WARNING,
    summary="Two annotations of a tool contradict each other.",
    message="`{second}` contradicts `{first}`",
    help="a tool is either read-only or not; correct the one that is wrong",
    tags=("tools",),
)


@check(DEFINITION, RULE)
def check_definition(tool: Tool, target: Target) -> Iterator[Finding]:
    if tool.hints is None and tool.annotations is None and tool.side_effects is None:
        return
    declared = declared_effects(tool)
    first = next((one for one in declared if one.effect == READS), None)
    second = next((one for one in declared if one.effect == WRITES), None)
    if first is not None and second is not None:
        if declared.index(first) > declared.index(second):
            first, second = second, first
        yield _finding(tool, first, second)
    elif tool.annotations is not None:
        yield from _execution(tool)


def _execution(tool: Tool) -> Iterator[Finding]:
    """A tool that runs commands has at least the level of a process."""
    assert tool.annotations is not None
    kind = tool.annotations.node.get("kind")
    level = tool.annotations.node.get("side_effect_level")
    if kind is not None and level is not None and kind.value == "execute" and level.value == "read_only":
        yield _finding(
            tool,
            Declared(WRITES, "kind: execute", kind.place),
            Declared(READS, "side_effect_level: read_only", level.place),
        )


def _finding(tool: Tool, first: Declared, second: Declared) -> Finding:
    return RULE.at(
        second.place,
        tool=tool.name,
        field="annotations",
        related=[(f"`{first.what}` is declared here", first.place)],
        first=first.what,
        second=second.what,
    )
