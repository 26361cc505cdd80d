"""The report of a dataset in words, and as JSON. What it quotes is made visible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolsurface_lint.dataset.report import DatasetReport, NotRead
from toolsurface_lint.reporters import count
from toolsurface_lint.reporters.characters import no_commands, visible
from toolsurface_lint.reporters.json import dump

_WRITTEN = {"output": "findings", "keep": "rows that pass", "drop": "rows that do not pass"}
_SHOWN = 20
"""Files and rows that were not read, or are no part of the dataset, that are listed."""
_FEW = 3
"""So many of one reason are listed one by one."""


def render_json(report: DatasetReport) -> str:
    return dump(report.to_dict(), 3) + "\n"


def render_text(report: DatasetReport) -> str:
    return no_commands("".join(f"{line}\n" for line in _lines(report)))


def _lines(report: DatasetReport) -> Iterator[str]:
    if report.codes:
        width = max(len(each.code) for each in report.codes)
        yield f"{'code':{width}}  severity  {'rows':>12}  {'share':>7}"
        for each in report.codes:
            yield f"{each.code:{width}}  {each.severity:8}  {each.rows:12,}  {_share(each.rows, report.rows):>7}"
            place = f"{each.example} {each.pointer}".rstrip()
            yield f"    {visible(place)}: {visible(each.message)}"
        yield ""
    for finding in report.whole:
        yield f"{visible(str(finding.example))}: {finding.severity}[{finding.code}] {visible(finding.message)}"
        if finding.help:
            yield f"    help: {visible(finding.help)}"
    if report.whole:
        yield ""
    yield from _listed("not read:", report.not_read)
    yield from _listed("not a part of the dataset:", report.skipped)
    yield _summary(report)
    if report.failing:
        failing = report.rows - report.passing
        what = f"no {' or '.join(report.failing)}"
        yield f"{count(report.passing, 'row', ',')} ({_share(report.passing, report.rows)}) have {what}; {failing:,} do not pass."
    for written in report.written:
        nothing = "" if written.rows or written.option == "output" else ": nothing was written"
        yield f"{visible(written.path)}: {written.rows:,} {_WRITTEN[written.option]}{nothing}"


def _listed(title: str, entries: Sequence[NotRead]) -> Iterator[str]:
    if not entries:
        return
    yield title
    shown = 0
    for reason, same in _by_reason(entries):
        if len(same) > _FEW and not any(entry.rows for entry in same):
            # A folder with documents beside its data has many of one kind.
            yield f"    {visible(str(same[0].at))} and {len(same) - 1:,} more: {visible(reason)}"
            shown += len(same)
            continue
        for entry in same[: max(_SHOWN - shown, 0)]:
            rows = f"{count(entry.rows, 'row', ',')}: " if entry.rows else ""
            yield f"    {visible(str(entry.at))}: {rows}{visible(reason)}"
            shown += 1
    if len(entries) > shown:
        yield f"    and {len(entries) - shown:,} more"
    yield ""


def _by_reason(entries: Sequence[NotRead]) -> Iterator[tuple[str, list[NotRead]]]:
    found: dict[str, list[NotRead]] = {}
    for entry in entries:
        found.setdefault(entry.reason, []).append(entry)
    yield from found.items()


def _summary(report: DatasetReport) -> str:
    of = ""
    if report.sample is not None:
        of = f" (a sample: the first rows of {count(report.pieces, 'piece', ',')})"
    elif report.shard is not None:
        of = f" (shard {report.shard})"
    schemas = ", ".join(f"{visible(name)} {number:,}" for name, number in sorted(report.schemas.items()))
    read = f"{count(report.conversations, 'conversation', ',')} with {count(report.calls, 'call', ',')}"
    again = f" {count(report.resumed, 'piece', ',')} had been checked before." if report.resumed else ""
    layout = f" Columns: {schemas}." if schemas else ""
    return f"Checked {count(report.rows, 'row', ',')} of {count(report.files, 'file', ',')}{of}: {read}.{layout}{again}"


def _share(part: int, whole: int) -> str:
    share = 100 * part / whole if whole else 0.0
    return f"{share:.1f} %" if share >= 0.05 or not part else "< 0.1 %"
