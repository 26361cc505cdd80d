"""Files that are the linter's own: it reads them in other ways, and there is nothing to check in them."""

from __future__ import annotations

from typing import Any

from toolsurface_lint.model.document import Document

BASELINE_KEYS = frozenset(("version", "findings"))
ENTRY_KEYS = frozenset(("path", "code", "fingerprint", "times", "message"))
"""The keys of a baseline, and of each finding in it, as `run.baseline` writes them."""


def is_baseline(document: Document) -> bool:
    """Whether a file that no reader recognises is a baseline, of whatever version."""
    return len(document.trees) == 1 and _holds_entries(document.trees[0].root.value)


def _holds_entries(value: Any) -> bool:
    if not isinstance(value, dict) or value.keys() != BASELINE_KEYS:
        return False
    entries = value["findings"]
    # The first one tells: there may be many.
    return isinstance(entries, list) and all(isinstance(one, dict) and one.keys() == ENTRY_KEYS for one in entries[:1])
