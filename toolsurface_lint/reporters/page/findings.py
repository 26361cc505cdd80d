"""Findings on the page: what is wrong, where, how to fix it, and with which tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from toolsurface_lint.checks import pages as rule_pages
from toolsurface_lint.model.diagnostics import SEVERITIES, Diagnostic, Location, Report
from toolsurface_lint.model.secrets import shows_secret
from toolsurface_lint.reporters.page.markup import Child, Markup, code, element, joined, message
from toolsurface_lint.reporters.page.words import count, excerpt_line, place, severity_badge
from toolsurface_lint.source.excerpts import excerpt
from toolsurface_lint.source.text import SourceText

_MAX_RELATED = 6
_MAX_PLACES = 100
"""What touches more places is listed whole in the JSON and SARIF outputs."""


class FindingEntry(NamedTuple):
    """Diagnostics that say the same of different places, in order, and their anchor on the page."""

    anchor: str
    diagnostics: list[Diagnostic]

    @property
    def first(self) -> Diagnostic:
        return self.diagnostics[0]


class Findings:
    """The findings of a report, asked which of them belong to a surface and which to a tool."""

    def __init__(self, report: Report) -> None:
        self._sources: Mapping[str, SourceText] = report.sources
        self._of: dict[tuple[str | None, str | None], list[FindingEntry]] = {}
        alike: dict[tuple[object, ...], FindingEntry] = {}
        for one in report.diagnostics:
            key = (one.surface, one.scope, one.code, one.severity, one.message, one.tool)
            if key in alike:
                alike[key].diagnostics.append(one)
            else:
                entry = alike[key] = FindingEntry(f"finding-{len(alike) + 1}", [one])
                self._of.setdefault((one.surface, one.scope), []).append(entry)

    def take(self, name: str | None, scope: str | None) -> list[FindingEntry]:
        """Those of one surface, in order; each can be taken once."""
        return self._of.pop((name, scope), [])

    def rest(self) -> list[FindingEntry]:
        """Those that nobody has taken."""
        return [entry for entries in self._of.values() for entry in entries]

    def listed(self, entries: Sequence[FindingEntry]) -> Markup:
        """Findings in full."""
        return element("ol", map(self._item, entries), class_="findings")

    def _item(self, entry: FindingEntry) -> Markup:
        found = entry.first
        related = found.related[:_MAX_RELATED]
        return element(
            "li",
            element(
                "div",
                severity_badge(found.severity),
                rule_link(found),
                location_place(found.location),
                class_="about",
            ),
            element("p", message(found.message), class_="message"),
            self._line(found.location, found.severity),
            element("ul", map(self._related, related), class_="related") if related else None,
            _more(len(found.related) - len(related)),
            _help(found),
            self._others(entry.diagnostics[1:]),
            id=entry.anchor,
            class_=f"finding {found.severity}",
            data_severity=found.severity,
        )

    def _others(self, others: Sequence[Diagnostic]) -> Child:
        """The places of which the same is said, folded up."""
        if not others:
            return None
        lines = (
            element("li", location_place(one.location), self._line(one.location, one.severity))
            for one in others[:_MAX_PLACES]
            if one.location is not None
        )
        return element(
            "details",
            element("summary", element("span", f"The same in {count(len(others), 'more place')}")),
            element("ul", lines, class_="related"),
            _more(len(others) - _MAX_PLACES),
        )

    def _related(self, related: Any) -> Markup:
        said = element("p", message(related.message), " ", location_place(related.location))
        return element("li", said, self._line(related.location, ""))

    def _line(self, location: Location | None, tone: str) -> Child:
        source = None if location is None else self._sources.get(location.path)
        if location is None or source is None or shows_secret(source, location.span):
            return None
        shown = excerpt_line(excerpt(source, location.span)._asdict(), tone)
        number = element("span", location.range.start.line, class_="number", aria_hidden="true")
        return element("div", number, shown, class_="source")


def brief(entries: Iterable[FindingEntry]) -> Markup:
    """Findings in one line each, for a tool that they are about."""
    items = (
        element(
            "li",
            severity_badge(entry.first.severity),
            " ",
            element("a", code(entry.first.code), href=f"#{entry.anchor}"),
            " ",
            message(entry.first.message),
            element("span", f" ({count(number, 'place')})", class_="quiet")
            if (number := len(entry.diagnostics)) > 1
            else None,
        )
        for entry in entries
    )
    return element("ul", items, class_="plain")


def worst(entries: Iterable[FindingEntry]) -> str | None:
    """The most severe level among findings; None without any."""
    return min((entry.first.severity for entry in entries), key=SEVERITIES.index, default=None)


def total(entries: Iterable[FindingEntry]) -> int:
    """How many findings there are, each place counted."""
    return sum(len(entry.diagnostics) for entry in entries)


def counts(entries: Iterable[FindingEntry]) -> Markup:
    """How many findings there are of each severity, most severe first."""
    found = Counter(one.severity for entry in entries for one in entry.diagnostics)
    return joined([severity_badge(one, found[one]), " "] for one in SEVERITIES if found[one])


def _more(number: int) -> Child:
    return element("p", f"and {count(number, 'more place')}", class_="quiet") if number > 0 else None


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


def rule_link(found: Diagnostic) -> Markup:
    url = rule_pages.built_in_url(found)
    if url is None:
        return element("span", code(found.code), class_="rule")
    return element("a", code(found.code), href=url, rel="noreferrer", class_="rule")


def location_place(location: Location | None) -> Child:
    if location is None:
        return None
    start = location.range.start
    return place({"path": location.path, "line": start.line, "column": start.column})


def _help(found: Diagnostic) -> Child:
    help = found.help or (None if found.fix is None else found.fix.title)
    return None if help is None else element("p", element("strong", "help"), " ", message(help), class_="help")
