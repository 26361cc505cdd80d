"""The closing line: what was found, and what was looked at, so that "clean" cannot mean "not read"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from toolsurface_lint.model.diagnostics import SEVERITIES, Report
from toolsurface_lint.reporters import count
from toolsurface_lint.reporters.characters import visible

# Reasons may name what is wrong with a single file; the JSON output has the rest of them.
_MAX_REASONS = 3


def account(report: Report) -> str:
    """One line: the findings of a report by severity, what it checked, and what it left out with the reasons."""
    found = severities(report)
    verdict = f"Found {found}." if found else "No problems found."
    text = f"{verdict} {_checked(report)}" if checked_anything(report) else "Nothing was checked"
    if report.without_tools:
        text += f"; {_names(report.without_tools)} met no tools"
    if report.summary["suppressed"]:
        text += f"; suppressed {report.summary['suppressed']}"
    if report.stale:
        text += f"; {len(report.stale)} stale in the baseline"
    if report.skipped:
        text += f"; skipped {len(report.skipped)} ({_reasons(report)})"
    return f"{text}."


def checked_anything(report: Report) -> bool:
    """Whether there was anything to find problems in."""
    return any(report.summary.values())


def severities(report: Report) -> str:
    """How many findings there are of each severity, most severe first; empty without any."""
    return ", ".join(count(report.summary[one], one) for one in SEVERITIES if report.summary[one])


def _checked(report: Report) -> str:
    summary = report.summary
    files = f" in {count(summary['files'], 'file')}" if summary["files"] else ""
    parts = [count(summary["tools"], "tool")] if summary["surfaces"] else []
    for key, noun in (("prompts", "prompt"), ("policies", "policy"), ("templates", "template")):
        if summary[key]:
            parts.append(count(summary[key], noun))
    if summary["transcripts"]:
        turns, calls = count(summary["turns"], "turn"), count(summary["calls"], "call")
        parts.append(f"{count(summary['transcripts'], 'transcript')} ({turns}, {calls})")
    elif summary["turns"]:
        parts.append(f"{count(summary['turns'], 'response')} ({count(summary['calls'], 'call')})")
    if summary["surfaces"]:
        return f"Checked {count(summary['surfaces'], 'surface')}: {', '.join(parts)}{files}"
    return f"Checked {', '.join(parts)}{files}" if parts else f"Checked no surface{files}"


def _names(paths: Sequence[str]) -> str:
    """The first of some files by name, and how many more there are."""
    others = f" and {count(len(paths) - 1, 'other file')}" if len(paths) > 1 else ""
    return visible(paths[0]) + others


def _reasons(report: Report) -> str:
    counts = Counter(visible(skipped.reason) for skipped in report.skipped)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    if len(ranked) == 1:
        return ranked[0][0]
    named = [f"{files} {reason}" for reason, files in ranked[:_MAX_REASONS]]
    others = sum(files for _, files in ranked[_MAX_REASONS:])
    return ", ".join([*named, f"{others} for other reasons"] if others else named)
