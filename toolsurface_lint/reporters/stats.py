"""Transcripts in figures: how many conversations are clean, what was called and how often it failed, what was found."""

from __future__ import annotations

from collections import Counter

from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.reporters import RenderOptions
from toolsurface_lint.reporters.account import closing_lines
from toolsurface_lint.reporters.characters import visible
from toolsurface_lint.reporters.tables import table


def render(report: Report, options: RenderOptions) -> str:
    """Three tables, of files, tools and codes, those with most first, then the closing lines."""
    tables = [_files(report), _tools(report), _codes(report)]
    shown = [part for part in (*tables, "\n".join(closing_lines(report, options))) if part]
    return "\n\n".join(shown) + "\n" if shown else ""


def _files(report: Report) -> str:
    rows: list[tuple[str | int, ...]] = [
        (
            visible(summary.path),
            summary.conversations,
            summary.clean,
            summary.conversations - summary.clean,
            summary.turns,
            summary.calls,
            summary.results,
            summary.duplicate_ids,
            sum(summary.findings.values()),
        )
        for summary in report.transcripts
    ]
    if len(rows) > 1:
        totals = (sum(int(row[column]) for row in rows) for column in range(1, 9))
        rows.append(("all", *totals))
    header = (
        "file",
        "conversations",
        "clean",
        "with findings",
        "turns",
        "calls",
        "results",
        "duplicate ids",
        "findings",
    )
    return table(header, rows)


def _tools(report: Report) -> str:
    calls: Counter[str] = Counter()
    failures: Counter[str] = Counter()
    for summary in report.transcripts:
        for name, (made, failed) in summary.tools.items():
            calls[name] += made
            failures[name] += failed
    ranked = sorted(calls, key=lambda name: (-calls[name], name))
    rows = [(visible(name), calls[name], failures[name], _share(failures[name], calls[name])) for name in ranked]
    return table(("tool", "calls", "failed", "share"), rows)


def _codes(report: Report) -> str:
    counts: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for summary in report.transcripts:
        counts.update(summary.findings)
        files.update(summary.findings.keys())
    ranked = sorted(counts, key=lambda code: (-counts[code], code))
    return table(("code", "findings", "files"), [(code, counts[code], files[code]) for code in ranked])


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"
