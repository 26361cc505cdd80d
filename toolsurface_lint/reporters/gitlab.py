"""The code quality report of GitLab, which merge requests show next to the changed lines.

Source: "Code Quality report format" in GitLab's documentation. It has no place for what was inspected or skipped: the
run that writes it to a file shows that in its text output.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

from toolsurface_lint.model.diagnostics import ERROR, INFO, WARNING, Diagnostic, Report
from toolsurface_lint.reporters import RenderOptions
from toolsurface_lint.reporters.characters import visible
from toolsurface_lint.reporters.fingerprints import Fingerprints
from toolsurface_lint.reporters.json import dump
from toolsurface_lint.reporters.paths import any_path, from_root

_SEVERITIES = {ERROR: "major", WARNING: "minor", INFO: "info"}


def render(report: Report, options: RenderOptions) -> str:
    """A list of findings, each with an identity that lines inserted above do not change."""
    known_as = cache(partial(from_root, root=options.root))
    fingerprints = Fingerprints(report)

    def finding(diagnostic: Diagnostic) -> dict[str, Any]:
        location = diagnostic.location
        path = location.path if location else any_path(report, diagnostic)
        shown = known_as(path) if path else ""
        start, end = location.range if location else (None, None)
        return {
            "description": visible(diagnostic.message),
            "check_name": diagnostic.code,
            "fingerprint": fingerprints.next(diagnostic, shown),
            "severity": _SEVERITIES[diagnostic.severity],
            "location": {
                "path": visible(shown),
                "lines": {"begin": start.line if start else 1, "end": end.line if end else 1},
            },
        }

    return dump([finding(diagnostic) for diagnostic in report.diagnostics], 1) + "\n"
