"""A progress bar for long runs: on standard error, on terminals, once it is clear that the run will take a while."""

from __future__ import annotations

import time

from toolsurface_lint.cli.stream import draw

_PATIENCE = 1.0
"""Seconds without a bar."""

_WIDTH = 30


class Progress:
    """Draws how much has been read; call it with the bytes that have been read and that there are."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._drawn = False

    def __call__(self, done: int, total: int) -> None:
        if not total or time.monotonic() - self._start < _PATIENCE:
            return
        filled = _WIDTH * done // total
        megabytes = f"{done // 1_000_000:,} of {total // 1_000_000:,} MB"
        draw(f"\r[{'#' * filled}{'.' * (_WIDTH - filled)}] {100 * done // total:3} %  {megabytes}")
        self._drawn = True

    def clear(self) -> None:
        """Remove the bar, so that what follows is on a line of its own."""
        if self._drawn:
            draw("\r\x1b[K")
