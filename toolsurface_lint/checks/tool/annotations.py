"""Annotations that nothing reads, or whose value the Harn specification does not know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolsurface_lint.checks.contract import DEFINITION, SURFACE, check
from toolsurface_lint.model.diagnostics import UNSAFE, WARNING, Edit, Finding, Fix, Rule
from toolsurface_lint.model.names import close_names, folded, suggestion
from toolsurface_lint.model.surface import Surface
from toolsurface_lint.model.target import Target
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.source.tree import Node

DEAD_KEY = Rule(
    code="TOOL_ANNOTATION_DEAD_KEY",
    since="0.1.0",
    severity=WARNING,
    summary="A tool has a hint that nothing reads.",
    message="nothing reads `{key}`{where}",
    tags=("tools",),
    fix=UNSAFE,
)

_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_BY_SHAPE = {folded(hint): hint for hint in _HINTS}
_WITHOUT_HINT = {shape.removesuffix("hint"): hint for shape, hint in _BY_SHAPE.items()}
# As the objects of the Python SDK name their fields, which is how they are dumped: beside `output_schema`.
_ATTRIBUTES = frozenset({"read_only_hint", "destructive_hint", "idempotent_hint", "open_world_hint"})
# What annotations hold besides hints: MCP's own, and the Harn specification's.
_OTHERS = frozenset({"title", "audience", "priority", "kind", "side_effect_level", "arg_schema", "capabilities"})


@check(DEFINITION, DEAD_KEY)
def check_definition(tool: Tool, target: Target) -> Iterator[Finding]:
    hints = tool.hints
    if hints is not None:
        dumped = (
            _ATTRIBUTES if isinstance(tool.definition.value, dict) and "output_schema" in tool.definition.value else ()
        )
        # `read_only`, `destructive`: where no key ends in `hint`, they are words of another program, which reads them.
        named = any(isinstance(key, str) and folded(key).endswith("hint") for key in hints.value)
        for key in hints.value:
            if key in _HINTS or key in _OTHERS or key in dumped or not isinstance(key, str):
                continue
            near = _meant(key) if named or folded(key) not in _WITHOUT_HINT else ()
            node = hints.get(key)
            if near and node is not None:
                yield _finding(tool, node, key, "", suggestion(near), _fix(node, key, near, hints))
    if "hints" in tool.declarable:
        definition = tool.definition
        for hint in _HINTS if isinstance(definition.value, dict) else ():
            node = definition.get(hint)
            if node is not None:
                yield _finding(tool, node, hint, " outside of `annotations`", "move it into `annotations`", None)


def _meant(key: str) -> tuple[str, ...]:
    """The hints that a key may be meant for, none if it is like none."""
    shape = folded(key)
    found = _BY_SHAPE.get(shape) or _WITHOUT_HINT.get(shape)
    return close_names(key, _HINTS) if found is None else (found,)


def _fix(node: Node, key: str, near: Sequence[str], hints: Node) -> Fix | None:
    """The right spelling in its place, safe where only case and separators change and the value is one that hosts take.

    None if several hints may be meant, or if two keys are meant for one hint.
    """
    others = [other for other in hints.value if isinstance(other, str) and other != key]
    if len(near) != 1 or any(near[0] in (other, *_meant(other)) for other in others):
        return None
    safe = folded(key) == folded(near[0]) and isinstance(node.value, bool)
    return Fix(f"replace `{key}` with `{near[0]}`", safe, (Edit(node.key_place, near[0]),))


def _finding(tool: Tool, node: Node, key: str, where: str, help: str | None, fix: Fix | None) -> Finding:
    return DEAD_KEY.at(node.key_place, tool=tool.name, field="annotations", key=key, where=where, help=help, fix=fix)


INVALID = Rule(
    code="TOOL_ANNOTATION_INVALID",
    since="0.1.0",
    severity=WARNING,
    summary="A tool annotation has an unknown value or a value of the wrong type.",
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


@check(SURFACE, INVALID)
def check_surface(surface: Surface) -> Iterator[Finding]:
    for tool in surface.tools:
        for problem in tool.problems:
            yield INVALID.of(problem, tool=tool.name, field="annotations")
    for policy in surface.policies:
        for problem in policy.problems:
            if problem.kind in INVALID.message:
                yield INVALID.of(problem, tool=_annotated(problem.at.path), field="annotations")


def _annotated(path: tuple[str | int, ...]) -> str | None:
    """The tool whose entry in `tool_annotations` a place lies in."""
    if "tool_annotations" in path:
        at = path.index("tool_annotations") + 1
        if at < len(path):
            return str(path[at])
    return None
