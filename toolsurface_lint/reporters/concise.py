"""One line a diagnostic, for editors and scripts, then the closing line."""

from __future__ import annotations

from toolsurface_lint.diagnostics import Diagnostic, Location, Report
from toolsurface_lint.reporters import RenderOptions
from toolsurface_lint.reporters.account import account
from toolsurface_lint.reporters.characters import visible


def render(report: Report, options: RenderOptions) -> str:
    """`path:line:col: severity[CODE] message` for each diagnostic; without a place, from the severity on."""
    lines = [line(diagnostic) for diagnostic in report.diagnostics]
    return "\n".join([*lines, account(report)]) + "\n"


def line(diagnostic: Diagnostic) -> str:
    place = f"{position(diagnostic.location)}: " if diagnostic.location else ""
    return f"{place}{diagnostic.severity}[{diagnostic.code}] {visible(diagnostic.message)}"


def position(location: Location) -> str:
    """`path:line:col`: where a location starts."""
    start = location.range.start
    return f"{visible(location.path)}:{start.line}:{start.column}"
