"""Workflow commands that GitHub Actions shows as annotations of the changed lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache, partial

from toolsurface_lint.model.diagnostics import ERROR, INFO, SEVERITIES, WARNING, Diagnostic, Report
from toolsurface_lint.reporters import RenderOptions
from toolsurface_lint.reporters.account import closing_lines
from toolsurface_lint.reporters.characters import visible
from toolsurface_lint.reporters.paths import from_root

_COMMANDS = {ERROR: "error", WARNING: "warning", INFO: "notice"}

# GitHub shows this many annotations of a kind for each step and drops the others in silence.
_SHOWN = 10


def render(report: Report, options: RenderOptions) -> str:
    """One command a diagnostic, most severe first, and the closing lines."""
    ranked = sorted(report.diagnostics, key=lambda diagnostic: SEVERITIES.index(diagnostic.severity))
    known_as = cache(partial(from_root, root=options.root))
    lines = [_command(diagnostic, known_as) for diagnostic in ranked]
    counts = Counter(_COMMANDS[diagnostic.severity] for diagnostic in ranked)
    lines += [
        f"GitHub shows {_SHOWN} of {count} {kind} annotations; the log has all of them."
        for kind, count in counts.items()
        if count > _SHOWN
    ]
    return "".join(f"{each}\n" for each in [*lines, *closing_lines(report, options)])


def _command(diagnostic: Diagnostic, known_as: Callable[[str], str]) -> str:
    properties: dict[str, str | int] = {}
    if diagnostic.location:
        start, end = diagnostic.location.range
        properties = {"file": visible(known_as(diagnostic.location.path)), "line": start.line, "endLine": end.line}
        # GitHub refuses columns of a range that has more than one line.
        if start.line == end.line:
            properties |= {"col": start.column, "endColumn": end.column}
    properties["title"] = diagnostic.code
    fields = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    message = visible(diagnostic.message)
    if diagnostic.help:
        message += f"\n{visible(diagnostic.help)}"
    return f"::{_COMMANDS[diagnostic.severity]} {fields}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
