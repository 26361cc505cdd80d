"""The matrix of a surface: a row for each tool, a column for each question asked about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from toolsurface_lint.model.diagnostics import SEVERITIES
from toolsurface_lint.reporters.page.findings import Row, counts, one_of_each_name, total
from toolsurface_lint.reporters.page.markup import Child, Markup, code, element
from toolsurface_lint.reporters.page.words import (
    OUTCOMES,
    absent,
    count,
    outcome_badge,
)

_ORDER = tuple(OUTCOMES)
_SEVERITIES = (None, *reversed(SEVERITIES))

Cell = tuple[Child, str | int]
"""What a cell shows, and what it is sorted by."""


class _Column(NamedTuple):
    """A column of the matrix: its cells, and what the last row says of all tools.

    An `optional` one is left out where every cell is sorted by an empty text.
    """

    key: str
    title: str
    cell: Callable[[Row], Cell]
    total: Callable[[Sequence[Row]], Child] = lambda rows: None
    style: str | None = None
    optional: bool = False


def _name(row: Row) -> Cell:
    tool = row.tool
    tags = ["deferred"] if tool["deferred"] else []
    tags += [] if tool["active"] else ["not active"]
    shown = [
        element("a", code(tool["name"]), href=f"#{row.anchor}"),
        ([" ", element("span", tag, class_="tag")] for tag in tags),
    ]
    return shown, tool["name"]


def _stated_column(key: str, title: str, field: str) -> _Column:
    """A column of what tools may say of themselves."""

    def cell(row: Row) -> Cell:
        return row.tool[field] or absent("none given"), row.tool[field] or ""

    return _Column(key, title, cell, optional=True)


def _decided_column(key: str, title: str) -> _Column:
    """A column of what the policies of one kind decide."""

    def cell(row: Row) -> Cell:
        decided = row.tool[key]
        if decided is None:
            return absent("no policy"), _ORDER.index(None)
        outcome = decided["outcome"]
        by = [decision for decision in decided["decisions"] if decision["outcome"] == outcome]
        why = next((decision["ceiling"] or decision["pattern"] for decision in by), None)
        return [outcome_badge(outcome), [" ", code(why, class_="by")] if why else None], _ORDER.index(outcome)

    def total(rows: Sequence[Row]) -> Child:
        found = Counter(row.tool[key]["outcome"] for row in rows if row.tool[key])
        if not found:
            return absent("no policy")
        ranked = sorted(found, key=_ORDER.index)
        return element("ul", (element("li", f"{found[one]:,} {OUTCOMES[one].text}") for one in ranked), class_="plain")

    return _Column(key, title, cell, total)


def _prompts(row: Row) -> Cell:
    number = len(row.tool["references"])
    return f"{number:,}" if number else absent("in no prompt"), number


def _all_prompts(rows: Sequence[Row]) -> Child:
    return f"{sum(len(tool['references']) for tool in one_of_each_name(row.tool for row in rows)):,}"


def _transcripts(row: Row) -> Cell:
    calls = row.tool["calls"]["calls"] if row.tool["calls"] else 0
    return _called([row.tool]) if calls else absent("no calls"), calls


def _all_transcripts(rows: Sequence[Row]) -> Child:
    tools = one_of_each_name(row.tool for row in rows)
    return _called(tools) if any(row.tool["calls"] for row in rows) else absent("no transcripts")


def _called(tools: Sequence[dict[str, Any]]) -> Child:
    calls, failures = (sum(tool["calls"][key] for tool in tools if tool["calls"]) for key in ("calls", "failures"))
    return [count(calls, "call"), element("span", f"{failures:,} failed", class_="by") if failures else None]


def _tokens(row: Row) -> Cell:
    number = row.tool["estimated_tokens"]
    return f"{number:,}", number


def _findings(row: Row) -> Cell:
    shown = counts(row.found) if row.found else absent("no findings")
    return shown, 1_000_000 * _SEVERITIES.index(row.worst) + total(row.found)


_COLUMNS = (
    _Column("name", "Tool", _name, lambda rows: f"All {count(len(rows), 'tool')}" if len(rows) > 1 else "1 tool"),
    _stated_column("kind", "Kind", "kind"),
    _stated_column("level", "Side effects", "side_effect_level"),
    _decided_column("policy", "Policy"),
    _decided_column("approval", "Approval"),
    _Column("prompts", "Prompts", _prompts, _all_prompts, "figure"),
    _Column("transcripts", "Transcripts", _transcripts, _all_transcripts, "figure"),
    _Column(
        "tokens",
        "Tokens",
        _tokens,
        lambda rows: f"{sum(row.tool['estimated_tokens'] for row in rows):,}",
        "figure",
    ),
    _Column("findings", "Findings", _findings),
)


def matrix(name: str, rows: Sequence[Row]) -> Markup:
    """The table of a surface's tools; a column about which nothing is known is left out."""
    columns = [column for column in _COLUMNS if not column.optional or any(column.cell(row)[1] != "" for row in rows)]
    head = (element("th", column.title, scope="col", class_=column.style, data_sort=column.key) for column in columns)
    body = (
        element(
            "tr",
            (_cell(column, *column.cell(row)) for column in columns),
            data_tool=row.anchor,
            data_outcome=row.tool["outcome"] or "none",
            data_severity=row.worst or "none",
        )
        for row in rows
    )
    foot = (_cell(column, column.total(rows)) for column in columns)
    return element(
        "table",
        element("caption", f"Tools of {name}", class_="unseen"),
        element("thead", element("tr", head)),
        element("tbody", body),
        element("tfoot", element("tr", foot)),
        class_="matrix",
    )


def _cell(column: _Column, shown: Child, value: str | int | None = None) -> Markup:
    if column is _COLUMNS[0]:
        return element("th", shown, scope="row", data_value=value)
    return element("td", shown, class_=column.style, data_label=column.title, data_value=value)
