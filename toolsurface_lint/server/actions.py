"""What the editor may do about diagnostics at once: the safe fixes that fit together."""

from __future__ import annotations

from collections.abc import Iterable

from toolsurface_lint.diagnostics import AppliedFix, Diagnostic
from toolsurface_lint.source.text import Span


def safe_fixes(diagnostics: Iterable[Diagnostic]) -> list[AppliedFix]:
    """The safe fixes that can be applied together: of those whose edits meet, the first one."""
    chosen: list[AppliedFix] = []
    taken: list[tuple[str, Span]] = []
    for diagnostic in diagnostics:
        fix = diagnostic.fix
        if fix is None or not fix.safe or fix in chosen:
            continue
        spans = [(edit.location.path, edit.location.span) for edit in fix.edits]
        if not any(_meet(one, other) for one in spans for other in taken):
            chosen.append(fix)
            taken.extend(spans)
    return chosen


def _meet(one: tuple[str, Span], other: tuple[str, Span]) -> bool:
    return one[0] == other[0] and one[1].start <= other[1].end and other[1].start <= one[1].end
