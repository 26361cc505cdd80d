"""A large folder is checked by two processes, each of which reads, groups and checks its own part of the files.

The parts are whole folders, so that nearly every surface lies in one of them. Where one does not, as when a prompt at the
top speaks of the tools in both, the folder is checked as a whole. What is reported is the same either way.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolsurface_lint.model.diagnostics import SEVERITIES, Diagnostic, Report, Skipped, Suppressed, SurfaceSummary
from toolsurface_lint.project.grouping import finish, stands_alone
from toolsurface_lint.project.project import Project, Reading, read
from toolsurface_lint.run.analysis import Analysis
from toolsurface_lint.run.reporting import in_order, position_of
from toolsurface_lint.run.second_process import Died, Messages, may_fork
from toolsurface_lint.source.files import unread_source

_WORTH_DIVIDING = 2 * 1024 * 1024
"""Bytes from which on two processes are faster than one."""

_SMALLEST = 0.3
"""The share of the bytes that each half must have."""


class Halves(NamedTuple):
    """The files that each process reads; `shared` are the folders that lie above files of both."""

    ours: list[Reading]
    theirs: list[Reading]
    shared: frozenset[str]


def divide(project: Project, readings: Sequence[Reading]) -> Halves | None:
    """Two halves of the files of a folder; None where one process is enough, or has to see everything."""
    if project.given is not None or project.settings.surfaces or len(project.walked) != 1 or not may_fork():
        return None
    # Programs import one another, and what an editor holds is not on disk.
    if any(reading.is_program or reading.data is not None or reading.given for reading in readings):
        return None
    sizes = [_size(reading.path) for reading in readings]
    total = sum(sizes)
    if total < _WORTH_DIVIDING:
        return None
    cut = _cut(readings, sizes, total)
    if cut is None:
        return None
    shared = _above(_common_folder(readings[cut - 1].path, readings[cut].path))
    theirs = [reading for reading in readings[cut:] if os.path.dirname(reading.path) not in shared]
    mine = {reading.path for reading in theirs}
    ours = [reading for reading in readings if reading.path not in mine]
    # What lies above both halves joins the tools of both.
    if any(reading.language in ("markdown", "text") and os.path.dirname(reading.path) in shared for reading in ours):
        return None
    return Halves(ours, theirs, shared)


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _cut(readings: Sequence[Reading], sizes: Sequence[int], total: int) -> int | None:
    """Where the second half begins: between folders as far up as possible, then as near to the middle as possible."""
    best: tuple[int, int] | None = None
    found = None
    done = 0
    for index in range(1, len(readings)):
        done += sizes[index - 1]
        if done < _SMALLEST * total:
            continue
        if total - done < _SMALLEST * total:
            break
        before, after = readings[index - 1].path, readings[index].path
        if os.path.dirname(before) == os.path.dirname(after):
            continue
        rank = (_common_folder(before, after).count(os.sep), abs(total - 2 * done))
        if best is None or rank < best:
            best, found = rank, index
    return found


def _common_folder(first: str, second: str) -> str:
    return os.path.commonpath([os.path.dirname(first), os.path.dirname(second)])


def _above(folder: str) -> frozenset[str]:
    """A folder and all that it lies in."""
    found = {folder}
    while (parent := os.path.dirname(folder)) != folder:
        found.add(parent)
        folder = parent
    return frozenset(found)


class _Part(NamedTuple):
    """A report without the texts that it speaks of, only with their paths: it has to go from one process to the other."""

    diagnostics: tuple[Diagnostic, ...]
    suppressed: tuple[Suppressed, ...]
    surfaces: tuple[SurfaceSummary, ...]
    skipped: tuple[Skipped, ...]
    counts: dict[str, int]
    internal_errors: bool
    empty_folders: tuple[str, ...]
    broken: frozenset[tuple[str, str]]
    sources: tuple[str, ...]


def check_in_halves(
    project: Project, paths: Sequence[str], readings: Sequence[Reading], halves: Halves, analysis: Analysis
) -> Report | None:
    """Read, group and check a folder in two processes.

    `project` has the plan for `paths`, which is `readings`, and nothing else yet.

    None if the halves have to do with one another: everything has been read into `project` then, and nothing is grouped.
    """

    def second() -> Iterator[object]:
        theirs = Project(project.settings)
        theirs.walked = project.walked
        theirs.visit = project.visit
        read(theirs, halves.theirs)
        alone = stands_alone(theirs, halves.shared)
        yield alone
        if alone:
            yield _part(_checked(theirs, paths, analysis))

    messages = Messages(second)
    try:
        read(project, halves.ours)
        if stands_alone(project, halves.shared) and messages.receive():
            report = _checked(project, paths, analysis)
            part = messages.receive()
            assert isinstance(part, _Part)
            return _merged(report, part, halves.theirs)
    except Died:
        # Whatever has happened to it happens again here, where it can be seen, or it was an accident.
        project.surfaces.clear()
        project.workflows.clear()
    finally:
        messages.stop()
    analysis.begin(halves.theirs)
    read(project, halves.theirs)
    order = {reading.path: index for index, reading in enumerate(readings)}
    project.documents.sort(key=lambda document: order[project.absolute(document)])
    return None


def _checked(project: Project, paths: Sequence[str], analysis: Analysis) -> Report:
    finish(project, paths)
    # Two processes are at work already.
    return analysis.report(project, shared=False)


def _part(report: Report) -> _Part:
    counts = {key: count for key, count in report.summary.items() if key not in SEVERITIES}
    return _Part(
        report.diagnostics,
        report.suppressed,
        report.surfaces,
        report.skipped,
        counts,
        report.internal_errors,
        report.empty_folders,
        report.broken,
        tuple(report.sources),
    )


def _merged(report: Report, part: _Part, readings: Sequence[Reading]) -> Report:
    """The report on both halves; `readings` are the files of the second one."""
    files = {reading.display: reading for reading in readings}
    sources = {path: unread_source(files[path].path, path, files[path].max_size) for path in part.sources}
    ours = _part(report)
    return Report(
        # Findings about the settings concern both halves.
        tuple(sorted(dict.fromkeys(report.diagnostics + part.diagnostics), key=position_of)),
        surfaces=in_order(report.surfaces + part.surfaces),
        skipped=tuple(sorted(report.skipped + part.skipped)),
        counts={key: count + part.counts[key] for key, count in ours.counts.items()},
        suppressed=tuple(
            sorted(report.suppressed + part.suppressed, key=lambda hidden: position_of(hidden.diagnostic))
        ),
        internal_errors=report.internal_errors or part.internal_errors,
        rules=lambda: report.rules,
        sources={**report.sources, **sources},
        fail_on=report.fail_on,
        empty_folders=tuple(folder for folder in report.empty_folders if folder in part.empty_folders),
        broken=report.broken | part.broken,
    )
