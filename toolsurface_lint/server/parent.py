"""The process that started the server."""

from __future__ import annotations

import os


class Parent:
    """The client's process, as far as it can be seen from here: in a container it may have another number, or none.

    Windows has no way to look at a process that does no harm and needs no library; there, the end of standard input is all.
    """

    def __init__(self, process: int) -> None:
        self._process = process
        self._is_direct = os.getppid() == process
        self._was_seen = _exists(process)

    def is_gone(self) -> bool:
        if self._is_direct:
            # Until somebody waits for it, a process that has ended still has its number.
            return os.getppid() != self._process
        return self._was_seen and not _exists(self._process)


def _exists(process: int) -> bool:
    if os.name == "nt" or process <= 0:
        return False
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True
