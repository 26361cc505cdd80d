"""Coverage baselines on the command line: read, compared with, written."""

from __future__ import annotations

from toolsurface_lint.cli.stream import CommandError, complain, write_file
from toolsurface_lint.model.coverage import FIGURES
from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.project.project import Project
from toolsurface_lint.reporters import count
from toolsurface_lint.run.coverage_baseline import (
    CoverageBaseline,
    CoverageError,
    compare_coverage,
    coverage_text,
    read_coverage,
    refuse_others,
)


def read_known(path: str) -> CoverageBaseline:
    """The coverage baseline in a file. Raises `CommandError`."""
    try:
        return read_coverage(path)
    except CoverageError as error:
        raise CommandError(str(error)) from None


def refuse_target(path: str) -> None:
    """Raise `CommandError` for a file that holds something else than a coverage baseline."""
    try:
        refuse_others(path)
    except CoverageError as error:
        raise CommandError(f"cannot write the coverage baseline: {error}") from None


def write_coverage(path: str, report: Report, quiet: bool) -> None:
    """Write down what a run checked. Raises `CommandError`."""
    assert report.coverage is not None
    write_file(path, coverage_text(report.coverage, path))
    if quiet:
        return
    files, totals = len(report.coverage.files), report.coverage.totals
    held = [count(totals[key], FIGURES[key]) for key in ("tools", "prompts", "policies", "calls") if totals[key]]
    complain(f"wrote {path}: {', '.join(held) or 'nothing'} in {count(files, 'file')}")


def compare(known: CoverageBaseline, project: Project, report: Report) -> bool:
    """Give a report its losses; whether there is more than the baseline knows."""
    compared = compare_coverage(known, project, report)
    report.losses = compared.losses
    return compared.is_more


def say_losses(report: Report, path: str, is_more: bool) -> None:
    """Say on standard error what is checked less, and how the baseline at `path` takes in what is meant."""
    update = f"--write-coverage-baseline {path}"
    for loss in report.losses or ():
        complain(f"less is checked: {loss.message}")
    if report.losses:
        complain(f"if that is meant, write the coverage baseline again: {update}")
    elif is_more:
        complain(f"{path} does not know all that is checked now, and would not notice its loss: {update} takes it in")
