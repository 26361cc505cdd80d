"""The matrix of a surface: a row for each tool, a column for each question asked about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from toolsurface_lint.reporters.page.findings import counts, total
from toolsurface_lint.reporters.page.markup import Child, Markup, code, element
from toolsurface_lint.reporters.page.rows import Row, one_of_each_name
from toolsurface_lint.reporters.page.words import (
    OUTCOMES,
    absent,
    count,
    outcome_badge,
    outcome_word,
    severity_rank,
)

_ORDER = (None, "approved", *OUTCOMES)


class _Column(NamedTuple):
    """A column of the matrix: what a cell shows, what it is sorted by, and what the last row says of all tools."""

    key: str
    title: str
    shown: Callable[[Row], Child]
    value: Callable[[Row], str | int]
    total: Callable[[Sequence[Row]], Child]
    filled: Callable[[Row], bool] = lambda row: True
    always: bool = True
    style: str | None = None


def _name_cell(row: Row) -> Child:
    tool = row.tool
    tags = ["deferred"] if tool["deferred"] else []
    tags += [] if tool["active"] else ["not active"]
    return [
        element("a", code(tool["name"]), href=f"#{row.anchor}"),
        ([" ", element("span", tag, class_="tag")] for tag in tags),
    ]


def _decided_cell(key: str) -> Callable[[Row], Child]:
    def shown(row: Row) -> Child:
        decided = row.tool[key]
        if decided is None:
            return absent("no policy")
        by = [decision for decision in decided["decisions"] if decision["outcome"] == decided["outcome"]]
        why = next((decision["ceiling"] or decision["pattern"] for decision in by), None)
        return [outcome_badge(decided["outcome"]), [" ", code(why, class_="by")] if why else None]

    return shown


def _decided_value(key: str) -> Callable[[Row], int]:
    return lambda row: _ORDER.index(row.tool[key] and row.tool[key]["outcome"])


def _decided_total(key: str) -> Callable[[Sequence[Row]], Child]:
    def total(rows: Sequence[Row]) -> Child:
        found = Counter(row.tool[key]["outcome"] for row in rows if row.tool[key])
        ranked = sorted(found, key=_ORDER.index)
        return (
            element("ul", (element("li", f"{found[one]:,} {outcome_word(one).text}") for one in ranked), class_="plain")
            if found
            else absent("no policy")
        )

    return total


def _calls(row: Row) -> int:
    return row.tool["calls"]["calls"] if row.tool["calls"] else 0


def _failures(row: Row) -> int:
    return row.tool["calls"]["failures"] if row.tool["calls"] else 0


def _calls_cell(calls: int, failures: int) -> Child:
    return [count(calls, "call"), element("span", f"{failures:,} failed", class_="by") if failures else None]


def _total_calls(rows: Sequence[Row]) -> Child:
    if not any(row.tool["calls"] for row in rows):
        return absent("no transcripts")
    tools = {row.tool["name"]: row for row in rows}.values()
    return _calls_cell(sum(map(_calls, tools)), sum(map(_failures, tools)))


def _total_references(rows: Sequence[Row]) -> Child:
    return f"{sum(len(tool['references']) for tool in one_of_each_name(row.tool for row in rows)):,}"


def _stated_column(key: str, title: str, field: str) -> _Column:
    """A column of what tools may say of themselves; it is there if one of them does."""
    return _Column(
        key,
        title,
        lambda row: row.tool[field] or absent("none given"),
        lambda row: row.tool[field] or "",
        lambda rows: None,
        lambda row: row.tool[field] is not None,
        always=False,
    )


_COLUMNS = (
    _Column(
        "name",
        "Tool",
        _name_cell,
        lambda row: row.tool["name"],
        lambda rows: f"All {count(len(rows), 'tool')}" if len(rows) > 1 else "1 tool",
    ),
    _stated_column("kind", "Kind", "kind"),
    _stated_column("level", "Side effects", "side_effect_level"),
    _Column("policy", "Policy", _decided_cell("policy"), _decided_value("policy"), _decided_total("policy")),
    _Column("approval", "Approval", _decided_cell("approval"), _decided_value("approval"), _decided_total("approval")),
    _Column(
        "prompts",
        "Prompts",
        lambda row: f"{len(row.tool['references']):,}" if row.tool["references"] else absent("in no prompt"),
        lambda row: len(row.tool["references"]),
        _total_references,
        style="figure",
    ),
    _Column(
        "transcripts",
        "Transcripts",
        lambda row: _calls_cell(_calls(row), _failures(row)) if _calls(row) else absent("no calls"),
        _calls,
        _total_calls,
        style="figure",
    ),
    _Column(
        "tokens",
        "Tokens",
        lambda row: f"{row.tool['estimated_tokens']:,}",
        lambda row: row.tool["estimated_tokens"],
        lambda rows: f"{sum(row.tool['estimated_tokens'] for row in rows):,}",
        style="figure",
    ),
    _Column(
        "findings",
        "Findings",
        lambda row: counts(row.found) if row.found else absent("no findings"),
        lambda row: 1_000_000 * severity_rank(row.worst) + total(row.found),
        lambda rows: None,
    ),
)


def matrix(name: str, rows: Sequence[Row]) -> Markup:
    """The table of a surface's tools; a column about which nothing is known is left out."""
    columns = [column for column in _COLUMNS if column.always or any(map(column.filled, rows))]
    head = (element("th", column.title, scope="col", class_=column.style, data_sort=column.key) for column in columns)
    body = (
        element(
            "tr",
            (_cell(column, row) for column in columns),
            data_tool=row.anchor,
            data_outcome=row.tool["outcome"] or "none",
            data_severity=row.worst or "none",
        )
        for row in rows
    )
    foot = (
        element("th", column.total(rows), scope="row")
        if column is _COLUMNS[0]
        else element("td", column.total(rows), class_=column.style, data_label=column.title)
        for column in columns
    )
    return element(
        "table",
        element("caption", f"Tools of {name}", class_="unseen"),
        element("thead", element("tr", head)),
        element("tbody", body),
        element("tfoot", element("tr", foot)),
        class_="matrix",
    )


def _cell(column: _Column, row: Row) -> Markup:
    value = column.value(row)
    if column is _COLUMNS[0]:
        return element("th", column.shown(row), scope="row", data_value=value)
    return element("td", column.shown(row), class_=column.style, data_label=column.title, data_value=value)
