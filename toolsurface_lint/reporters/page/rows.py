"""The tools of a surface with what is said about them on the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from toolsurface_lint.reporters.page.findings import FindingEntry, worst


class Row(NamedTuple):
    """A tool with its anchor on the page and the findings about it."""

    anchor: str
    tool: dict[str, Any]
    found: list[FindingEntry]

    @property
    def worst(self) -> str | None:
        return worst(self.found)


def tool_rows(tools: Sequence[dict[str, Any]], taken: Iterable[FindingEntry], anchor: str) -> list[Row]:
    """A row for each tool, with the findings that name it."""
    rows = [Row(f"{anchor}-tool-{number}", tool, []) for number, tool in enumerate(tools, 1)]
    by_name: dict[str, list[Row]] = {}
    for row in rows:
        by_name.setdefault(row.tool["name"], []).append(row)
    for entry in taken:
        found = entry.first
        named = by_name.get(found.tool or "", [])
        # Lists of several servers may share a name: then the file of the finding says which tool is meant.
        paths = {
            location.path for location in (found.location, *(other.location for other in found.related)) if location
        }
        here = [row for row in named if row.tool["path"] in paths] if len(named) > 1 else named
        for row in here or named:
            row.found.append(entry)
    return rows


def one_of_each_name(tools: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """One tool of each name, as what texts say is about the name."""
    return list({tool["name"]: tool for tool in tools}.values())
