"""Writing suppressions for everything that is found, so that a project can begin with a clean report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.project.project import Project
from toolsurface_lint.run.add_suppressions.notes import NO_NOTE, Note
from toolsurface_lint.run.add_suppressions.plan import Plan
from toolsurface_lint.run.fixes import ROUNDS, Outcome, distinct

Check = Callable[[Mapping[str, bytes]], tuple[Project, Report]]
"""Checks everything, with the bytes of some files, by absolute path, in place of those on disk."""


def add_suppressions(check: Check, given: Sequence[str], note: Note = NO_NOTE, *, isolated: bool = False) -> Outcome:
    """Suppress all that is found in the given files and folders, in memory.

    `isolated`: no settings are read, so none are written. What is planned is checked: a comment after which its finding
    still shows, or another one, is given up for a table in the settings.
    """
    project, report = check({})
    plan = Plan(project, report, given, note, isolated)
    barred: set[tuple[str, int]] = set()
    for attempt in range(ROUNDS):
        changes = plan.make(barred)
        after = check({change.path: change.after for change in changes})[1] if changes else report
        wrong = plan.wrong(after, all_of_a_file=attempt >= ROUNDS // 2) - barred
        if not wrong:
            hidden = len(report.diagnostics) - len(after.diagnostics)
            return Outcome(after, distinct(changes), hidden, plan.refusals(), True)
        barred |= wrong
    return Outcome(report, (), 0, plan.refusals(), False)
