"""In which parts a tool that a server served differs from its definition in the repository."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolsurface_lint.model.digests import PARTS, canonical, part_values
from toolsurface_lint.model.effects import MCP_HINTS
from toolsurface_lint.model.tool import Tool


def differing_parts(served: Tool, declared: Tool) -> list[str]:
    """The parts, in the order of `PARTS`, that are known in both and not the same.

    A list has what is served to the letter. What a program says is compared by its meaning: libraries add titles to a
    schema, and lay out a docstring, in ways that differ from version to version.
    """
    if declared.format == "mcp":
        ours, theirs = part_values(declared), part_values(served)
        return [part for part in PARTS if canonical(ours[part]) != canonical(theirs[part])]
    return [part for part in _differing(served, declared) if part not in declared.gaps]


def _differing(served: Tool, declared: Tool) -> Iterator[str]:
    if _words(served) != _words(declared):
        yield "description"
    if _differ_in_parameters(served, declared):
        yield "schema"
    if (served.output_path is None) != (declared.output_path is None):
        yield "output_schema"
    if _hints(served) != _hints(declared):
        yield "annotations"


def _words(tool: Tool) -> list[str]:
    return [] if tool.description is None else str(tool.description.value).split()


def _differ_in_parameters(served: Tool, declared: Tool) -> bool:
    ours = {parameter.name: parameter for parameter in declared.parameters}
    theirs = {parameter.name: parameter for parameter in served.parameters}
    return ours.keys() != theirs.keys() or any(
        own.required != theirs[name].required or _differ(own.type, theirs[name].type) for name, own in ours.items()
    )


def _differ(own: str | None, other: str | None) -> bool:
    return own is not None and other is not None and set(own.split("|")) != set(other.split("|"))


def _hints(tool: Tool) -> dict[str, Any]:
    hints = None if tool.hints is None else tool.hints.value
    given = hints if isinstance(hints, dict) else {}
    return {key: value for key, value in given.items() if key in MCP_HINTS and value is not None}
