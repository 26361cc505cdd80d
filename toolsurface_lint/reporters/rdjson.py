"""Reviewdog's diagnostic format, which reviewdog turns into comments on pull requests of many hosts.

Source: `proto/rdf/reviewdog.proto` of reviewdog. Columns count bytes of UTF-8; ends are exclusive.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

from toolsurface_lint.checks import pages as rule_pages
from toolsurface_lint.model.diagnostics import ERROR, INFO, WARNING, Diagnostic, Location, Report
from toolsurface_lint.reporters import HOME, RenderOptions
from toolsurface_lint.reporters.characters import visible
from toolsurface_lint.reporters.json import dump
from toolsurface_lint.reporters.paths import any_path, from_root
from toolsurface_lint.source.text import Position

_SEVERITIES = {ERROR: "ERROR", WARNING: "WARNING", INFO: "INFO"}


def render(report: Report, options: RenderOptions) -> str:
    known_as = cache(partial(from_root, root=options.root))
    found = [_diagnostic(report, diagnostic, known_as) for diagnostic in report.diagnostics]
    return dump({"source": {"name": "toolsurface-lint", "url": HOME}, "diagnostics": found}, 2) + "\n"


def _diagnostic(report: Report, diagnostic: Diagnostic, known_as: Callable[[str], str]) -> dict[str, Any]:
    def place(location: Location) -> dict[str, Any]:
        return {"path": visible(known_as(location.path)), "range": _range(report, location)}

    location = diagnostic.location
    path = any_path(report, diagnostic)
    message = visible(diagnostic.message)
    fields: dict[str, Any] = {
        "message": f"{message}\n{visible(diagnostic.help)}" if diagnostic.help else message,
        "location": place(location) if location else {"path": visible(known_as(path)) if path else ""},
        "severity": _SEVERITIES[diagnostic.severity],
        "code": {"value": diagnostic.code, "url": rule_pages.url_of(diagnostic)},
    }
    if fields["code"]["url"] is None:
        del fields["code"]["url"]
    fix = diagnostic.fix
    # Several suggestions are alternatives, and each is for the file of its finding.
    if fix is not None and location is not None and len(fix.edits) == 1:
        edit = fix.edits[0]
        if edit.location.path == location.path:
            fields["suggestions"] = [{"range": _range(report, edit.location), "text": edit.text}]
    if diagnostic.related:
        fields["related_locations"] = [
            {"message": visible(related.message), "location": place(related.location)} for related in diagnostic.related
        ]
    return fields


def _range(report: Report, location: Location) -> dict[str, Any]:
    start, end = location.range
    return {
        "start": {"line": start.line, "column": _column(report, location.path, location.span.start, start)},
        "end": {"line": end.line, "column": _column(report, location.path, location.span.end, end)},
    }


def _column(report: Report, path: str, offset: int, position: Position) -> int:
    source = report.sources.get(path)
    if source is None:
        return position.column
    before = source.text[offset - (position.column - 1) : offset]
    return len(before.encode("utf-8", "surrogatepass")) + 1
