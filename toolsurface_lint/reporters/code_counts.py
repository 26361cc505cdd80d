"""How often each rule was broken, and how many of its findings have a fix."""

from __future__ import annotations

from typing import Any

from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.reporters import RenderOptions
from toolsurface_lint.reporters.styles import linked, paint

_SAFE, _UNSAFE = "[*]", "[-]"
_MARKS = {
    _SAFE: "some or all can be fixed with --fix",
    _UNSAFE: "some or all can be fixed with --fix --unsafe-fixes",
}


def code_counts(report: Report) -> list[dict[str, Any]]:
    """The codes of a report, the most frequent first: each with its severity, its `count`, and how many have a fix."""
    counts: dict[str, dict[str, Any]] = {}
    for one in report.diagnostics:
        found = counts.setdefault(
            one.code, {"code": one.code, "severity": one.severity, "count": 0, "safe_fixes": 0, "unsafe_fixes": 0}
        )
        found["count"] += 1
        if one.fix is not None:
            found["safe_fixes" if one.fix.safe else "unsafe_fixes"] += 1
    return sorted(counts.values(), key=lambda found: (-found["count"], found["code"]))


def table(report: Report, options: RenderOptions) -> str:
    """A line a code: how many findings, `severity[CODE]`, and a mark if any has a fix; then what the marks mean."""
    counts = code_counts(report)
    width = max((len(str(found["count"])) for found in counts), default=0)
    longest = max((len(found["severity"] + found["code"]) for found in counts), default=0)
    known = {one.code: one for one in report.diagnostics}
    lines = []
    marks = set()
    for found in counts:
        severity, code = found["severity"], found["code"]
        kind = paint(f"{severity}[{linked(known[code], options)}]", severity, options)
        line = f"{found['count']:>{width}}  {kind}"
        mark = _SAFE if found["safe_fixes"] else _UNSAFE if found["unsafe_fixes"] else None
        if mark is not None:
            line += f"{'':{longest - len(severity + code)}}  {paint(mark, 'help', options)}"
            marks.add(mark)
        lines.append(line)
    return "\n".join([*lines, *(f"{mark} {meaning}" for mark, meaning in _MARKS.items() if mark in marks)])
