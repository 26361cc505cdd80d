"""Work done by a second process at the same time."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Generic, TypeVar

T = TypeVar("T")

_is_second = False


def may_fork() -> bool:
    """Whether a second process helps and is safe: more than one processor, `fork`, and no other thread that holds a lock.

    Never in a second process: two are at work then.
    """
    threads = sys.modules.get("threading")
    return (
        not _is_second
        and hasattr(os, "fork")
        and (os.cpu_count() or 1) > 1
        and (threads is None or threads.active_count() == 1)
    )


class Died(Exception):
    """The second process ended before it had said all: it was killed, or its work raised."""


class _Child:
    """A forked process, whose number is 0 in the process itself. It ends when this one does, however that comes to pass,
    and whatever it is doing then.
    """

    def __init__(self) -> None:
        # Nobody writes to this pipe: its end is closed when the process that holds it is gone.
        watched, self._held = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self.number = os.fork()
        if self.number:
            os.close(watched)
            return
        try:
            os.close(self._held)
            # Where the system has no such signal, whoever waits for this process has to end it.
            with suppress(AttributeError, OSError):
                _end_with(watched)
        except BaseException:
            os._exit(1)

    def end(self, signal: int) -> None:
        """End it by a signal, and wait until it has ended."""
        with suppress(ProcessLookupError):
            os.kill(self.number, signal)
        # Where a program before us ignores the end of its children, they are gone without being waited for.
        with suppress(ChildProcessError):
            os.waitpid(self.number, 0)
        os.close(self._held)


def _end_with(pipe: int) -> None:
    """End this process as soon as the other end of a pipe is closed."""
    import fcntl
    import signal

    # On Linux the signal itself ends a process, even one that is busy outside of the interpreter; elsewhere it is for
    # the interpreter to see to that.
    signal.signal(signal.SIGIO, signal.SIG_DFL if sys.platform == "linux" else lambda *_: os._exit(1))
    fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC | os.O_NONBLOCK)
    # It may have been closed before the signal was asked for.
    with suppress(BlockingIOError):
        os.read(pipe, 1)
        os._exit(1)


class Messages:
    """What a forked process has to say, one picklable value after the other, from the moment this is made.

    What the work writes or changes stays in its own process.
    """

    def __init__(self, work: Callable[[], Iterator[object]]) -> None:
        reading, writing = os.pipe()
        self._child = _Child()
        if self._child.number:
            os.close(writing)
            self._pipe = os.fdopen(reading, "rb")
            return
        code = 1
        try:
            import pickle

            global _is_second
            _is_second = True
            os.close(reading)
            with os.fdopen(writing, "wb") as pipe:
                for message in work():
                    pickle.dump(message, pipe, pickle.HIGHEST_PROTOCOL)
                    pipe.flush()
            code = 0
        finally:
            os._exit(code)

    def receive(self) -> object:
        """The next message. Raises `Died`."""
        import pickle

        try:
            return pickle.load(self._pipe)
        except (EOFError, pickle.UnpicklingError):
            raise Died from None

    def stop(self) -> None:
        """End the process, whatever it does; once it is ended, nothing."""
        import signal

        if self._pipe.closed:
            return
        self._pipe.close()
        self._child.end(signal.SIGKILL)


class SecondProcess(Generic[T]):
    """A function that runs in a forked process from the moment this is made. Its result must be picklable.

    As a context, it leaves no process behind when what is done meanwhile is interrupted.
    """

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._messages = Messages(lambda: iter([work()]))

    def result(self) -> T:
        """What the function returned. If its process was killed or failed, the work is done here."""
        try:
            found: T = self._messages.receive()  # type: ignore[assignment]
        except Died:
            found = self._work()
        finally:
            self.stop()
        return found

    def stop(self) -> None:
        """End the process; nobody asks for the result any more."""
        self._messages.stop()

    def __enter__(self) -> SecondProcess[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
