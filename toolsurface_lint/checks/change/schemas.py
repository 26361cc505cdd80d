"""Parameters and their values: what calls that were right pass, or leave out, and is refused now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from toolsurface_lint.checks._schema_words import listed, shown
from toolsurface_lint.checks.change._changes import ToolChange, first_name, spelled_schema_path, type_words
from toolsurface_lint.checks.change._dependents import Related
from toolsurface_lint.checks.change._dependents import shown as shown_places
from toolsurface_lint.checks.contract import CHANGED_TOOL, check
from toolsurface_lint.model.diagnostics import ERROR, WARNING, Finding, Rule
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.schemas.comparing import (
    BOUND,
    CLOSED,
    DEFAULT,
    ENUM,
    FORMAT,
    REMOVED,
    RENAMED,
    REQUIRED,
    TYPE,
    Difference,
)

PARAMETER_REMOVED = Rule(
    code="CHANGE_PARAMETER_REMOVED",
    since="0.1.0",
    severity=ERROR,
    summary="A parameter of a tool was removed.",
    message="the parameter `{where}` of `{name}` was removed",
    tags=("changes",),
)

PARAMETER_RENAMED = Rule(
    code="CHANGE_PARAMETER_RENAMED",
    since="0.1.0",
    severity=ERROR,
    summary="A parameter of a tool was renamed.",
    message="the parameter `{old}` of `{name}` was renamed to `{where}`",
    tags=("changes",),
)

PARAMETER_REQUIRED = Rule(
    code="CHANGE_PARAMETER_REQUIRED",
    since="0.1.0",
    severity=ERROR,
    summary="A parameter of a tool is now required that could be left out.",
    message={
        "added": "the parameter `{where}` of `{name}` is new and required",
        "optional": "the parameter `{where}` of `{name}` was optional and is now required",
    },
    help="give it a default",
    tags=("changes",),
)

TYPE_NARROWED = Rule(
    code="CHANGE_TYPE_NARROWED",
    since="0.1.0",
    severity=ERROR,
    summary="A parameter of a tool no longer accepts a type that it accepted.",
    message="`{where}` of `{name}` accepted {old}, and now accepts only {new}",
    tags=("changes",),
)

ENUM_NARROWED = Rule(
    code="CHANGE_ENUM_NARROWED",
    since="0.1.0",
    severity=ERROR,
    summary="A parameter of a tool no longer accepts a value that it accepted.",
    message={
        "gone": "`{where}` of `{name}` no longer accepts {values}",
        "allowed": "`{where}` of `{name}` now accepts only {values}",
    },
    tags=("changes",),
)

CONSTRAINT_NARROWED = Rule(
    code="CHANGE_CONSTRAINT_NARROWED",
    since="0.1.0",
    severity=ERROR,
    summary="A limit on a parameter of a tool was added or tightened.",
    message={
        "added": "`{keyword}` of `{where}` of `{name}` was not set, and is now {new}",
        "tightened": "`{keyword}` of `{where}` of `{name}` was {old}, and is now {new}",
        "closed": "`{where}` of `{name}` no longer accepts other properties",
        "closed/tool": "`{name}` no longer accepts other arguments",
    },
    tags=("changes",),
)

FORMAT_CHANGED = Rule(
    code="CHANGE_FORMAT",
    since="0.1.0",
    severity=WARNING,
    summary="The format or the pattern of a parameter of a tool changed.",
    message={
        "added": "the {keyword} of `{where}` of `{name}` was not set, and is now {new}",
        "changed": "the {keyword} of `{where}` of `{name}` was {old}, and is now {new}",
    },
    tags=("changes",),
)

DEFAULT_CHANGED = Rule(
    code="CHANGE_DEFAULT",
    since="0.1.0",
    severity=WARNING,
    summary="The default of a parameter of a tool changed.",
    message={
        "changed": "the default of `{where}` of `{name}` was {old}, and is now {new}",
        "gone": "the default of `{where}` of `{name}` was {old}, and is no longer set",
    },
    help="calls that leave it out now do something else",
    tags=("changes",),
)


@check(
    CHANGED_TOOL,
    PARAMETER_REMOVED,
    PARAMETER_RENAMED,
    PARAMETER_REQUIRED,
    TYPE_NARROWED,
    ENUM_NARROWED,
    CONSTRAINT_NARROWED,
    FORMAT_CHANGED,
    DEFAULT_CHANGED,
)
def check_parameters(change: ToolChange) -> Iterator[Finding]:
    for difference in change.inputs.differences:
        found = _finding(change, difference)
        if found is not None:
            yield found


def _finding(change: ToolChange, difference: Difference) -> Finding | None:
    old, new = change.old, change.new
    assert old is not None
    assert new is not None
    kind, values = difference.kind, difference.values
    where = spelled_schema_path(difference.at) or "arguments"
    at: dict[str, Any] = {"tool": new.name, "field": where, "where": where}
    place = change.input_place(difference.at)
    before = change.was_at(change.old_input_place(difference.was))
    if kind == REMOVED:
        where = spelled_schema_path(difference.was)
        at["field"] = at["where"] = where
        return PARAMETER_REMOVED.at(place, related=[*before, *_passing(change, old, new, difference)], **at)
    if kind == RENAMED:
        related = [*before, *_passing(change, old, new, difference)]
        return PARAMETER_RENAMED.at(place, related=related, old=values["name"], **at)
    if kind == REQUIRED:
        if difference.at[-1:] == ("required",) or not difference.at:
            at["where"] = at["field"] = f"{spelled_schema_path(difference.at)}.{values['name']}".removeprefix(".")
        name = first_name(difference.at)
        related = _shown(change.dependents.leaving_out(new, name, was=old) if name and len(difference.at) == 2 else ())
        before = [] if values["added"] else before
        return PARAMETER_REQUIRED.at(
            place, "added" if values["added"] else "optional", related=[*before, *related], **at
        )
    name = first_name(difference.at)
    refused = _shown(change.dependents.refused(new, name, was=old) if name else ())
    related = [*before, *refused]
    if kind == TYPE:
        types: dict[str, Any] = {"old": type_words(values["old"]), "new": type_words(values["new"])}
        return TYPE_NARROWED.at(place, related=related, **types, **at)
    if kind == ENUM:
        which = "gone" if "gone" in values else "allowed"
        return ENUM_NARROWED.at(place, which, related=related, values=_named(values[which], which == "gone"), **at)
    if kind == BOUND:
        return CONSTRAINT_NARROWED.at(place, *_set(values, "tightened"), related=related, **_said(values), **at)
    if kind == CLOSED:
        outer = spelled_schema_path(difference.at)
        return CONSTRAINT_NARROWED.at(place, "closed" if outer else "closed/tool", related=related, **at)
    if kind == FORMAT:
        return FORMAT_CHANGED.at(place, *_set(values, "changed"), related=related, **_said(values), **at)
    if kind == DEFAULT:
        said: dict[str, Any] = {"old": shown(values["old"]), "new": shown(values["new"])}
        return DEFAULT_CHANGED.at(place, "gone" if values["gone"] else "changed", related=before, **said, **at)
    return None


def _passing(change: ToolChange, old: Tool, new: Tool, difference: Difference) -> list[Related]:
    """What passes a parameter by its old name; one of an object inside is not looked for."""
    if len(difference.was) != 2:
        return []
    return _shown(change.dependents.passing(new, str(difference.values["name"]), was=old))


def _shown(found: Iterable[Related]) -> list[Related]:
    return shown_places(found)


def _set(values: Any, otherwise: str) -> tuple[str]:
    return ("added" if values["old"] is None else otherwise,)


def _said(values: Any) -> dict[str, Any]:
    return {"keyword": values["keyword"], "old": shown(values["old"]), "new": shown(values["new"])}


def _named(values: list[Any], gone: bool) -> str:
    if not gone:
        return listed(values)
    texts = [shown(value) for value in values[:6]]
    if len(values) > len(texts):
        texts.append(f"{len(values) - len(texts)} more")
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
