"""Descriptions of tools and instructions of servers that changed: they may say something else than what was approved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from toolsurface_lint.checks.change._changes import InstructionsChange, ToolChange
from toolsurface_lint.checks.change._dependents import shown
from toolsurface_lint.checks.contract import CHANGED_INSTRUCTIONS, CHANGED_TOOL, check
from toolsurface_lint.model.diagnostics import WARNING, Finding, Rule
from toolsurface_lint.source.text import GAP

DESCRIPTION = Rule(
    code="CHANGE_DESCRIPTION",
    since="0.1.0",
    severity=WARNING,
    summary="The description of a tool or of a parameter changed.",
    message={
        "changed": "the description of `{name}` changed (words: {added} added, {removed} removed)",
        "added": "the description of `{name}` is new",
        "gone": "the description of `{name}` was removed",
        "parameter": "the description of `{parameter}` of `{name}` changed (words: {added} added, {removed} removed)",
        "parameter/added": "the description of `{parameter}` of `{name}` is new",
    },
    help="review it: the tool was approved with other words",
    tags=("changes",),
)

INSTRUCTIONS = Rule(
    code="CHANGE_INSTRUCTIONS",
    since="0.1.0",
    severity=WARNING,
    summary="The instructions of a server changed.",
    message={
        "changed": "the instructions of the server changed (words: {added} added, {removed} removed)",
        "added": "the server now has instructions",
    },
    help="review them: the server was approved with other words",
    tags=("changes",),
)


@check(CHANGED_TOOL, DESCRIPTION)
def check_descriptions(change: ToolChange) -> Iterator[Finding]:
    old, new = change.old, change.new
    if old is None or new is None:
        return
    before = "" if old.description is None else str(old.description.value)
    after = "" if new.description is None else str(new.description.value)
    if not change.unread_texts and before.split() != after.split():
        kind = "added" if not before.strip() else "changed" if after.strip() else "gone"
        place = new.name_place if new.description is None else new.description.place
        was = change.was_at(None if old.description is None else old.description.place)
        related = [*was, *shown(change.dependents.allowing(new, was=old))]
        yield DESCRIPTION.at(place, kind, tool=new.name, field="description", related=related, **_words(before, after))
    for parameter in new.parameters:
        if old.parameter(parameter.name) is None:
            continue
        first, second = old.description_of(parameter.name) or "", new.description_of(parameter.name) or ""
        # What is left out hides nothing.
        if not second.strip() or GAP in first + second or first.split() == second.split():
            continue
        kind = "parameter" if first.strip() else "parameter/added"
        at = () if new.schema_path is None else ("properties", parameter.name, "description")
        said = {"parameter": parameter.name, **_words(first, second)}
        yield DESCRIPTION.at(change.input_place(at), kind, tool=new.name, field=parameter.name, **said)


@check(CHANGED_INSTRUCTIONS, INSTRUCTIONS)
def check_instructions(change: InstructionsChange) -> Iterator[Finding]:
    before = "" if change.old is None else change.old.text
    after = change.new.text
    if after.strip() and GAP not in before + after and before.split() != after.split():
        kind = "changed" if before.strip() else "added"
        yield INSTRUCTIONS.at(change.new.node.place, kind, field="instructions", **_words(before, after))


def _words(before: str, after: str) -> dict[str, Any]:
    """How many words there are in one text that the other does not have as often."""
    old, new = Counter(before.split()), Counter(after.split())
    return {"added": (new - old).total(), "removed": (old - new).total()}
