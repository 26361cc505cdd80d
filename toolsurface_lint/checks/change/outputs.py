"""Results: what their readers could rely on, and cannot any more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolsurface_lint.checks._schema_words import shown
from toolsurface_lint.checks.change._changes import ToolChange, schema_place, spelled_schema_path, type_words
from toolsurface_lint.checks.contract import CHANGED_TOOL, check
from toolsurface_lint.model.diagnostics import ERROR, Finding, Rule
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.schemas.comparing import ADDED, BOUND, ENUM, FORMAT, RENAMED, REQUIRED, TYPE, Difference
from toolsurface_lint.source.tree import Path, Place

NARROWED = Rule(
    code="CHANGE_OUTPUT_NARROWED",
    since="0.1.0",
    severity=ERROR,
    summary="The results of a tool promise less than before.",
    message={
        "schema": "the results of `{name}` no longer have a schema",
        "removed": "the results of `{name}` no longer have `{where}`",
        "renamed": "`{where}` in the results of `{name}` was renamed to `{new}`",
        "optional": "the results of `{name}` always had `{where}`, and may now lack it",
        "type": "`{where}` in the results of `{name}` was {old}, and may now be {new}",
        "enum": "`{where}` in the results of `{name}` may now have other values than it had",
        "bound": "`{keyword}` of `{where}` in the results of `{name}` was {old}, and no longer holds",
        "format": "the {keyword} of `{where}` in the results of `{name}` was {old}, and is now {new}",
    },
    tags=("changes",),
)


@check(CHANGED_TOOL, NARROWED)
def check_results(change: ToolChange) -> Iterator[Finding]:
    old, new = change.old, change.new
    if old is None or new is None or old.output_path is None:
        return
    if new.output_path is None:
        if not new.is_in_program:
            yield NARROWED.at(new.name_place, "schema", tool=new.name, related=change.was_at(_place(old, ())))
        return
    for difference in change.outputs.differences:
        # The comparison was turned around: `at` is where it was.
        said = _said(difference)
        if said is not None:
            kind, values = said
            where = spelled_schema_path(difference.at) or "the whole"
            related = change.was_at(_place(old, difference.at))
            values = {"where": where, **values}
            place = _place(new, difference.was)
            yield NARROWED.at(place, kind, tool=new.name, field=str(values["where"]), related=related, **values)


def _said(difference: Difference) -> tuple[str, dict[str, Any]] | None:
    """What is to be said of a difference; nothing of what is only more than before."""
    kind, values = difference.kind, difference.values
    if kind == ADDED:
        return "removed", {}
    if kind == RENAMED:
        return "renamed", {"new": str(values["name"])}
    if kind == REQUIRED:
        outer = spelled_schema_path(difference.at)
        is_named = difference.at[-2:-1] == ("properties",)
        return ("removed" if values["added"] else "optional"), (
            {} if is_named else {"where": f"{outer}.{values['name']}".removeprefix(".")}
        )
    if kind == TYPE:
        return "type", {"old": type_words(values["new"]), "new": type_words(values["old"])}
    if kind == ENUM:
        return "enum", {}
    if kind == BOUND:
        return "bound", {"keyword": values["keyword"], "old": shown(values["new"])}
    if kind == FORMAT:
        new = "not set" if values["old"] is None else shown(values["old"])
        return "format", {"keyword": values["keyword"], "old": shown(values["new"]), "new": new}
    return None


def _place(tool: Tool, path: Path) -> Place:
    return tool.name_place if tool.output_path is None else schema_place(tool, tool.output_path, path)
