"""One line a diagnostic, for editors and scripts, then the closing lines."""

from __future__ import annotations

from toolsurface_lint.model.diagnostics import Diagnostic, Location, Report
from toolsurface_lint.reporters import DEFAULTS, RenderOptions
from toolsurface_lint.reporters.account import closing_lines
from toolsurface_lint.reporters.characters import visible
from toolsurface_lint.reporters.styles import linked, paint


def render(report: Report, options: RenderOptions) -> str:
    """`path:line:col: severity[CODE] message` for each diagnostic; without a place, from the severity on."""
    if options.statistics:
        from toolsurface_lint.reporters.code_counts import table

        lines = [table(report, options)] if report.diagnostics else []
    else:
        lines = [line(diagnostic, options) for diagnostic in report.diagnostics]
    if options.explain and lines:
        from toolsurface_lint.reporters.explanations import explanations

        lines += ["", *(f"{block}\n" for block in explanations(report, options))]
    return "".join(f"{each}\n" for each in [*lines, *closing_lines(report, options)])


def line(diagnostic: Diagnostic, options: RenderOptions = DEFAULTS) -> str:
    """One diagnostic: its place, its severity and code, its message."""
    place = f"{paint(position(diagnostic.location), 'strong', options)}: " if diagnostic.location else ""
    kind = f"{diagnostic.severity}[{linked(diagnostic, options)}]"
    return f"{place}{paint(kind, diagnostic.severity, options)} {visible(diagnostic.message)}"


def position(location: Location) -> str:
    """`path:line:col`: where a location starts."""
    start = location.range.start
    return f"{visible(location.path)}:{start.line}:{start.column}"
