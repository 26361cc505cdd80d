"""Files that are the linter's own: it reads them in other ways, and there is nothing to check in them."""

from __future__ import annotations

from typing import Any

from toolsurface_lint.model.document import Document

BASELINE_KEYS = frozenset(("version", "findings"))
ENTRY_KEYS = frozenset(("path", "code", "fingerprint", "times", "message"))
"""The keys of a baseline, and of each finding in it, as `run.baseline` writes them."""
COVERAGE_KEYS = frozenset(("version", "totals", "skipped", "targets", "asked", "rules", "disabled", "files"))
"""The keys of a coverage baseline, as `run.coverage_baseline` writes them."""


def is_baseline(document: Document) -> bool:
    """Whether a file that no reader recognises is a baseline, of findings or of coverage, of whatever version."""
    if len(document.trees) != 1:
        return False
    value = document.trees[0].root.value
    return isinstance(value, dict) and (value.keys() == COVERAGE_KEYS or _holds_entries(value))


def _holds_entries(value: dict[str, Any]) -> bool:
    entries = value["findings"] if value.keys() == BASELINE_KEYS else None
    # The first one tells: there may be many.
    return isinstance(entries, list) and all(isinstance(one, dict) and one.keys() == ENTRY_KEYS for one in entries[:1])
