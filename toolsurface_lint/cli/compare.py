"""`toolsurface-lint compare`: what changed between two versions, and whom it breaks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from toolsurface_lint.cli.check import (
    FAILURE,
    find_targets,
    outcome_of,
    parse_outputs,
    progress_bar,
    read_today,
    refuse_useless,
    write_reports,
)
from toolsurface_lint.cli.stream import complain
from toolsurface_lint.reporters import COMPARING, RenderOptions

if TYPE_CHECKING:
    from toolsurface_lint.project.project import Project

_kept: Project | None = None
"""What was read: to free it would take longer than all that is left to do before the process ends."""


def compare(
    old: str,
    new: str | None = None,
    *,
    output: Sequence[str] = (),
    fail_on: str | None = None,
    no_snippets: bool = False,
    color: str | None = None,
    explain: bool = False,
    statistics: bool = False,
    quiet: bool = False,
    sarif_category: str | None = None,
    select: Sequence[str] = (),
    config: str | None = None,
    **options: Any,
) -> int:
    """Run the command and return its exit code. Raises `CommandError`, `SettingsError` and `PathMissing`."""
    outputs = parse_outputs(output or ("text",), COMPARING)
    paths = [path for path in (old, new) if path is not None]
    planned = find_targets(outputs, paths, None, config)
    wanted = RenderOptions(
        snippets=not no_snippets, explain=explain, statistics=statistics, quiet=quiet, sarif_category=sarif_category
    )
    refuse_useless(outputs, wanted, select)
    from toolsurface_lint.api import compare_projects

    bar = None if quiet else progress_bar()
    today = read_today()
    try:
        global _kept
        _kept, report = compare_projects(
            old, new, config=config, select=select or None, progress=bar, today=today, planned=planned, **options
        )
    finally:
        if bar is not None:
            bar.clear()
    write_reports(report, outputs, color, wanted)
    assert report.compared is not None
    if not report.compared.old_tools and not report.compared.new_tools:
        complain("neither version has a tool that is recognised")
        return FAILURE
    return FAILURE if report.internal_errors else outcome_of(report, fail_on or report.fail_on)
