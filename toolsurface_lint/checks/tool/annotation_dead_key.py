"""A hint that no client reads: misspelt, or in a place where nobody looks."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.diagnostics import SAFE, WARNING, Edit, Finding, Fix, Rule
from toolsurface_lint.model.names import close_names, folded
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.source.tree import Node

RULE = Rule(
    code="TOOL_ANNOTATION_DEAD_KEY",
    severity=WARNING,
    summary="A tool has a hint that nothing reads.",
    message="nothing reads `{key}`{where}",
    tags=("tools",),
    fix=SAFE,
)

_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_BY_SHAPE = {folded(hint): hint for hint in _HINTS}
_WITHOUT_HINT = {shape.removesuffix("hint"): hint for shape, hint in _BY_SHAPE.items()}
# What annotations hold besides hints: MCP's own, and the specification's.
_OTHERS = frozenset({"title", "audience", "priority", "kind", "side_effect_level", "arg_schema", "capabilities"})


def check_definition(tool: Tool, target: Target) -> Iterator[Finding]:
    hints = tool.hints
    if hints is not None:
        for key in hints.value:
            if key in _HINTS or key in _OTHERS or not isinstance(key, str):
                continue
            meant = _meant(key)
            node = hints.get(key)
            if meant is not None and node is not None:
                yield _finding(tool, node, key, "", f"did you mean `{meant}`?", _fix(node, key, meant, hints))
    if "hints" in tool.takes:
        definition = tool.definition
        for hint in _HINTS if isinstance(definition.value, dict) else ():
            node = definition.get(hint)
            if node is not None:
                yield _finding(tool, node, hint, " outside of `annotations`", "move it into `annotations`", None)


def _meant(key: str) -> str | None:
    """The hint that a key is meant for; None if it is like none."""
    shape = folded(key)
    found = _BY_SHAPE.get(shape) or _WITHOUT_HINT.get(shape)
    if found is not None:
        return found
    near = close_names(key, _HINTS)
    return near[0] if near else None


def _fix(node: Node, key: str, meant: str, hints: Node) -> Fix | None:
    """The right spelling in its place; None where another word would take its place, or the right one is there too."""
    if folded(key) != folded(meant) or meant in hints.value:
        return None
    return Fix(f"replace `{key}` with `{meant}`", True, (Edit(node.key_place, meant),))


def _finding(tool: Tool, node: Node, key: str, where: str, help: str, fix: Fix | None) -> Finding:
    return RULE.at(node.key_place, tool=tool.text, field="annotations", key=key, where=where, help=help, fix=fix)
