"""What a tool said of its effects, and says no more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolsurface_lint.checks.change._changes import ToolChange
from toolsurface_lint.checks.change._dependents import shown
from toolsurface_lint.checks.contract import CHANGED_TOOL, check
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.model.tool import Tool, rank
from toolsurface_lint.source.tree import Node

WEAKENED = Rule(
    code="CHANGE_ANNOTATION_WEAKENED",
    since="0.1.0",
    severity=WARNING,
    summary="An annotation of a tool promises less than before.",
    message={
        "changed": "`{hint}` of `{name}` was `{old}`, and is now `{new}`",
        "gone": "`{hint}` of `{name}` was `{old}`, and is no longer set",
        "kind": "the kind of `{name}` was `{old}`, and is now `{new}`",
    },
    help="review what lets the tool run without asking",
    tags=("changes",),
)

RAISED = Rule(
    code="CHANGE_SIDE_EFFECTS_RAISED",
    since="0.1.0",
    severity=WARNING,
    summary="The side effects that a tool declares are greater than before.",
    message={
        "level": "the side-effect level of `{name}` was `{old}`, and is now `{new}`",
        "tags": "the side effects of `{name}` now include `{new}`",
    },
    help="review what lets the tool run without asking",
    tags=("changes",),
)

_PROMISES = (("readOnlyHint", True), ("destructiveHint", False), ("idempotentHint", True), ("openWorldHint", False))
"""The hints of MCP, each with the value that promises something; without it, the client has to expect the other one."""
_HARMLESS = ("read", "search", "think")
_TAGS = ("read", "network", "write", "mutate")


@check(CHANGED_TOOL, WEAKENED)
def check_hints(change: ToolChange) -> Iterator[Finding]:
    old, new = change.old, change.new
    if old is None or new is None:
        return
    allowing = None
    for hint, promise in _PROMISES:
        before, after = _hint(old, hint), _hint(new, hint)
        if before is None or before.value is not promise or (after is not None and after.value is promise):
            continue
        if new.hints is None and "hints" not in new.declarable:
            # It has no place for them, or nobody knows what is there.
            continue
        if allowing is None:
            allowing = shown(change.dependents.allowing(new, was=old))
        related = [*change.was_at(before.place), *allowing]
        said: dict[str, Any] = {
            "hint": hint,
            "old": _word(promise),
            "new": _word(None if after is None else after.value),
        }
        place = after.place if after is not None else new.name_place if new.hints is None else new.hints.place
        place = new.hint_place(after) if after is not None else place
        yield WEAKENED.at(
            place, "gone" if after is None else "changed", tool=new.name, field=hint, related=related, **said
        )
    annotated, annotates = change.annotations
    if annotated is not None and annotates is not None and annotated.kind in _HARMLESS:
        node = annotates.node.string("kind")
        if node is not None and annotates.kind not in (*_HARMLESS, "other"):
            related = shown(change.dependents.allowing(new, was=old))
            kinds: dict[str, Any] = {"old": annotated.kind, "new": annotates.kind}
            yield WEAKENED.at(node.place, "kind", tool=new.name, field="kind", related=related, **kinds)


@check(CHANGED_TOOL, RAISED)
def check_levels(change: ToolChange) -> Iterator[Finding]:
    old, new = change.old, change.new
    if old is None or new is None:
        return
    annotated, annotates = change.annotations
    if annotated is not None and annotates is not None:
        before, after = (each.node.string("side_effect_level") for each in (annotated, annotates))
        known = before is not None and after is not None and None not in (annotated.level, annotates.level)
        if known and rank(str(annotates.level)) > rank(str(annotated.level)):
            assert before is not None
            assert after is not None
            related = [*change.was_at(before.place), *shown(change.dependents.allowing(new, was=old))]
            said: dict[str, Any] = {"old": before.value, "new": after.value}
            yield RAISED.at(after.place, "level", tool=new.name, field="side_effect_level", related=related, **said)
    tags = {node.value for node in _tags(old)}
    if old.side_effects is not None and new.side_effects is not None:
        for node in _tags(new):
            if node.value not in tags and node.value in _TAGS[1:]:
                related = shown(change.dependents.allowing(new, was=old))
                yield RAISED.at(
                    node.place, "tags", tool=new.name, field="side_effects", related=related, new=node.value
                )


def _hint(tool: Tool, name: str) -> Node | None:
    return None if tool.hints is None else tool.hints.get(name)


def _tags(tool: Tool) -> list[Node]:
    found = () if tool.side_effects is None else tool.side_effects.elements()
    return [node for node in found if isinstance(node.value, str)]


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else "not a boolean"
