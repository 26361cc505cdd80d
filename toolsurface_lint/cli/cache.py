"""Which runs of `check` are taken from the cache, and what the user says about that."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolsurface_lint.cli.stream import complain
from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.run.cache import Cache, Unusable, open_cache
from toolsurface_lint.source import disk

if TYPE_CHECKING:
    from datetime import date

FOLDER, OFF = "TOOLSURFACE_LINT_CACHE_DIR", "TOOLSURFACE_LINT_NO_CACHE"
"""Variables of the environment: what `--cache-dir` and `--no-cache` say, which win."""


def cache_for(
    paths: Sequence[str], options: Mapping[str, Any], today: date | None, folder: str | None, off: bool
) -> Cache | None:
    """The cache that a run uses; None if the user wants none, or there is none that can be trusted."""
    if off or (folder is None and os.environ.get(OFF, "0") not in ("", "0")):
        return None
    folder = folder or os.environ.get(FOLDER) or None
    deciding = {name: value for name, value in options.items() if name != "jobs"}
    try:
        return open_cache(paths, deciding, today, folder)
    except Unusable as reason:
        complain(f"no cache is used: {folder}: {reason}")
        return None


class KeptRun:
    """One run, taken from a cache if that has it; `written` are the files that it writes."""

    def __init__(self, cache: Cache | None, written: Sequence[str]) -> None:
        self._cache = cache
        self._written = written
        self._made: tuple[Report, disk.Facts] | None = None

    def report(self, run: Callable[[], Report]) -> Report:
        if self._cache is None:
            return run()
        found = self._cache.load(self._written)
        if found is None:
            with disk.recording() as facts:
                found = run()
            self._made = found, facts
        return found

    def store(self) -> None:
        """Keep what was made. To be called last: nobody has to wait for it."""
        if self._cache is not None and self._made is not None:
            self._cache.store(*self._made)
