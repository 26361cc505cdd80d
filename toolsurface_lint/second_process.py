"""Work done by a second process at the same time: forked, so that nothing has to be handed to it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


def may_fork() -> bool:
    """Whether a second process helps and is safe: more than one processor, `fork`, and no other thread that holds a lock."""
    threads = sys.modules.get("threading")
    return hasattr(os, "fork") and (os.cpu_count() or 1) > 1 and (threads is None or threads.active_count() == 1)


class SecondProcess(Generic[T]):
    """A function that runs in a forked process from the moment this is made.

    Its result must be picklable. What it writes or changes stays in its own process.
    """

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._pipe, writing = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self._child = os.fork()
        if self._child:
            os.close(writing)
            return
        code = 1
        try:
            import pickle

            os.close(self._pipe)
            with os.fdopen(writing, "wb") as pipe:
                pickle.dump(work(), pipe, pickle.HIGHEST_PROTOCOL)
            code = 0
        finally:
            os._exit(code)

    def result(self) -> T:
        """What the function returned. If its process was killed or failed, the work is done here."""
        with os.fdopen(self._pipe, "rb") as pipe:
            sent = pipe.read()
        _, status = os.waitpid(self._child, 0)
        if status == 0:
            import pickle

            found: T = pickle.loads(sent)
            return found
        return self._work()
