"""Tools that a new version does not have under their name, and those that only it has."""

from __future__ import annotations

from collections.abc import Iterator

from toolsurface_lint.checks.change._changes import ToolChange
from toolsurface_lint.checks.change._dependents import shown
from toolsurface_lint.checks.contract import CHANGED_TOOL, check
from toolsurface_lint.model.diagnostics import ERROR, INFO, Finding, Rule

REMOVED = Rule(
    code="CHANGE_TOOL_REMOVED",
    since="0.1.0",
    severity=ERROR,
    summary="A tool was removed.",
    message={
        "tool": "the tool `{name}` was removed",
        "file": "the tool `{name}` was removed with `{file}`",
    },
    help="keep the tool until nothing names it",
    tags=("changes",),
)

RENAMED = Rule(
    code="CHANGE_TOOL_RENAMED",
    since="0.1.0",
    severity=ERROR,
    summary="A tool was renamed.",
    message="the tool `{name}` was renamed to `{new}`",
    help="write `{new}` wherever `{name}` is named",
    tags=("changes",),
)

ADDED = Rule(
    code="CHANGE_TOOL_ADDED",
    since="0.1.0",
    severity=INFO,
    summary="A tool was added.",
    message="the tool `{name}` was added",
    tags=("changes",),
    preview=True,
)


@check(CHANGED_TOOL, REMOVED, RENAMED, ADDED)
def check_tool(change: ToolChange) -> Iterator[Finding]:
    old, new = change.old, change.new
    if old is None:
        if new is not None:
            yield ADDED.at(change.place, tool=new.name)
        return
    if new is None:
        kind = "tool" if change.file is None else "file"
        related = shown(change.dependents.naming(old))
        yield REMOVED.at(change.place, kind, tool=old.name, related=related, file=change.file)
    elif new.name != old.name:
        related = shown([*change.was_at(old.name_place), *change.dependents.naming(old)])
        yield RENAMED.at(change.place, tool=old.name, related=related, name=old.name, new=new.name)
