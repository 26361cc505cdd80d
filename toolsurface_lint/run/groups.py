"""A large folder is checked in groups of files by one process each, which reads, groups and checks its own part.

The groups are whole folders, so that nearly every surface lies in one of them. Where one does not, as when a prompt at the
top speaks of the tools in both, the folder is checked as a whole. What is reported is the same either way.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import NamedTuple, cast

from toolsurface_lint.knowledge.clients import AGENT
from toolsurface_lint.model.diagnostics import COUNTS, SEVERITIES, Report
from toolsurface_lint.model.unseen import by_place
from toolsurface_lint.project.discovery.names import is_lock
from toolsurface_lint.project.discovery.paths import with_parents
from toolsurface_lint.project.grouping import finish, stands_alone
from toolsurface_lint.project.project import KEPT_TEXT, Project, Reading, read
from toolsurface_lint.run.analysis import Analysis
from toolsurface_lint.run.parallel import Died, Worker
from toolsurface_lint.run.reporting import in_order, position_of
from toolsurface_lint.source import disk
from toolsurface_lint.source.files import MAX_FILE_SIZE, unread_source

_FEW = 64
"""Files that are not divided, however large."""

_WORTH_DIVIDING = 1024 * 1024
"""Bytes that each group has on average, at least: with fewer, its process costs more than it saves."""

_LEEWAY = 0.4
"""How far from where groups of one size would end a group may end, as a share of such a group."""


class Groups(NamedTuple):
    """The files that each process reads; `shared` are the folders that lie above files of several."""

    groups: list[list[Reading]]
    shared: frozenset[str]


def divide(project: Project, readings: Sequence[Reading], jobs: int) -> Groups | None:
    """The files of a folder in at most `jobs` groups; None where one process is enough, or has to see everything."""
    if project.given is not None or project.settings.surfaces or len(readings) < _FEW:
        return None
    # Beside the one folder, no file was named.
    if len(project.paths) != 1:
        return None
    # Programs import one another, and what an editor holds is not on disk.
    if any(reading.is_program or reading.data is not None for reading in readings):
        return None
    # A lock is about all tools.
    if any(is_lock(reading.path) for reading in readings):
        return None
    sizes = [_size(reading.path) for reading in readings]
    cuts = _cuts(readings, sizes, min(jobs, sum(sizes) // _WORTH_DIVIDING))
    if not cuts:
        return None
    shared = frozenset(
        folder for cut in cuts for folder in with_parents(_common_folder(readings[cut - 1].path, readings[cut].path))
    )
    groups: list[list[Reading]] = [[]]
    for index, reading in enumerate(readings):
        if index in cuts:
            groups.append([])
        groups[0 if os.path.dirname(reading.path) in shared else -1].append(reading)
    if _meet_others(readings, shared):
        return None
    groups = [group for group in groups if group]
    return Groups(groups, shared) if len(groups) > 1 else None


def _meet_others(readings: Sequence[Reading], shared: Container[str]) -> bool:
    """Whether any file shows by its place that `stands_alone` will refuse its group, before all of that is read."""
    texts: set[str] = set()
    others: set[str] = set()
    for reading in readings:
        folder = os.path.dirname(reading.path)
        if reading.language not in ("markdown", "text"):
            others.add(_highest(folder, shared))
        # What lies above several groups joins the tools of all, and every text sees every agent.
        elif folder in shared or (reading.standing is not None and reading.standing.kind == AGENT):
            return True
        elif reading.ours:
            texts.add(_highest(folder, shared))
    # Where nothing below can hold tools, a text joins those beside it.
    return not texts <= others


def _highest(folder: str, shared: Container[str]) -> str:
    """The highest folder around a file that is not shared; its own if that is."""
    highest = folder
    for parent in with_parents(folder):
        if parent in shared:
            break
        highest = parent
    return highest


def _size(path: str) -> int:
    try:
        return disk.stat(path).st_size
    except OSError:
        return 0


def _cuts(readings: Sequence[Reading], sizes: Sequence[int], groups: int) -> list[int]:
    """Where all groups but the first begin: between folders as far up as possible, then as even as possible."""
    share = sum(sizes) / max(groups, 1)
    best: dict[int, tuple[int, float, int]] = {}
    done = 0
    for index in range(1, len(readings)):
        done += sizes[index - 1]
        number = round(done / share) if share else 0
        off = abs(done - number * share)
        if not 0 < number < groups or off > _LEEWAY * share:
            continue
        before, after = readings[index - 1].path, readings[index].path
        if os.path.dirname(before) != os.path.dirname(after):
            rank = (_common_folder(before, after).count(os.sep), off, index)
            best[number] = min(best.get(number, rank), rank)
    return [index for _, (_, _, index) in sorted(best.items())]


def _common_folder(first: str, second: str) -> str:
    return os.path.commonpath([os.path.dirname(first), os.path.dirname(second)])


def check_groups(project: Project, readings: Sequence[Reading], divided: Groups, analysis: Analysis) -> Report | None:
    """Read, group and check a folder in a process for each group.

    Nothing of `readings`, the plan, has been read into `project` yet; `analysis` is for one process. None if the groups
    have to do with one another: everything has been read into `project` then, and nothing is grouped.
    """
    mine, *others = divided.groups
    project.most_text = KEPT_TEXT // len(divided.groups)

    def check(group: Sequence[Reading]) -> Iterator[object]:
        # What the plan has skipped is said by the first process.
        project.skipped.clear()
        read(project, group)
        alone = stands_alone(project, divided.shared)
        yield alone
        if alone:
            report = _report(project, analysis)
            # The process that receives it has the rules and the texts too.
            report._rules = ()
            report.sources = dict.fromkeys(report.sources)  # type: ignore[assignment]
            yield report

    with ExitStack() as stack:
        workers = [stack.enter_context(Worker(partial(check, group))) for group in others]
        try:
            read(project, mine)
            if stands_alone(project, divided.shared) and all(worker.receive() for worker in workers):
                reports = [_report(project, analysis)]
                reports += (cast(Report, worker.receive()) for worker in workers)
                return _joined(reports, {reading.display: reading for group in others for reading in group})
        except Died:
            # Whatever has happened to it happens again here, where it can be seen, or it was an accident.
            project.surfaces.clear()
            project.workflows.clear()
    project.most_text = KEPT_TEXT
    analysis.jobs = len(divided.groups)
    read(project, [reading for group in others for reading in group])
    order = {reading.path: index for index, reading in enumerate(readings)}
    project.documents.sort(key=lambda document: order[project.absolute(document)])
    return None


def _report(project: Project, analysis: Analysis) -> Report:
    finish(project)
    return analysis.report(project)


def _joined(reports: Sequence[Report], files: Mapping[str, Reading]) -> Report:
    """One report of those on all groups; `files` are those that other processes have read, by displayed path."""
    first, *others = reports
    sources = dict(first.sources)
    for path in (path for report in others for path in report.sources):
        reading = files.get(path)
        # What a template includes is not read by itself.
        full, most = (os.path.abspath(path), MAX_FILE_SIZE) if reading is None else (reading.path, reading.max_size)
        sources[path] = unread_source(full, path, most)
    return Report(
        # Findings about the settings concern all groups.
        tuple(sorted({found for report in reports for found in report.diagnostics}, key=position_of)),
        surfaces=in_order(surface for report in reports for surface in report.surfaces),
        skipped=tuple(sorted(skipped for report in reports for skipped in report.skipped)),
        counts={key: sum(report.summary[key] for report in reports) for key in COUNTS if key not in SEVERITIES},
        suppressed=tuple(
            sorted(
                (hidden for report in reports for hidden in report.suppressed),
                key=lambda hidden: position_of(hidden.diagnostic),
            )
        ),
        rules=lambda: first.rules,
        codes=first.codes,
        sources=sources,
        fail_on=first.fail_on,
        empty_folders=tuple(
            folder for folder in first.empty_folders if all(folder in report.empty_folders for report in others)
        ),
        open_reasons=by_place(unseen for report in reports for unseen in report.open_reasons),
        without_tools=tuple(sorted({path for report in reports for path in report.without_tools})),
        unread_tools=by_place(unseen for report in reports for unseen in report.unread_tools),
        not_rendered=by_place(unseen for report in reports for unseen in report.not_rendered),
        broken=frozenset().union(*(report.broken for report in reports)),
        protocols=_summed(report.protocols for report in reports),
        asked=_summed(report.asked for report in reports),
    )


def _summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(sorted(total.items()))
