"""Work shared by processes.

Processes are forked: they begin with all that has been read. Where that is not possible (Windows) or not safe (a program
with threads), one process does everything. What comes out is the same for any number of processes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from typing import Generic, TypeVar, cast

from toolsurface_lint.source import disk

T = TypeVar("T")

_MANY = 256
"""Functions of which a few take no time to speak of,"""
_FIRST = 16
"""and how many are a few."""

_MOST_SHARES = 1000
"""Parts that work is cut into, so that their numbers fit into a pipe."""


def usable(jobs: int) -> int:
    """How many of that many processes there can be; 0 asks for one for each core that this process may use.

    Raises `ValueError` for a negative number.
    """
    if jobs < 0:
        raise ValueError(f"jobs must be 0 or more, not {jobs}")
    threads = sys.modules.get("threading")
    if not hasattr(os, "fork") or (threads is not None and threads.active_count() > 1):
        # A thread that is not forked may hold a lock, which nobody releases in the fork.
        return 1
    if jobs:
        return jobs
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def share(
    units: Sequence[Callable[[], T]], jobs: int, alike: Sequence[Hashable] = (), sizes: Sequence[int] = ()
) -> list[T]:
    """The results of many small functions, in order: see `shared`.

    Some of them, spread over all, are called before there are other processes: what functions of each kind import, compile
    and remember is then there in all of them. `alike` has a key for each function, if any: those with the same key are
    called by one process, as what it remembers of the first makes the others quick. `sizes` says how much each has to do:
    the largest are begun first, so that no process is left with one at the end.
    """
    if jobs < 2 or len(units) < _MANY:
        return list(shared(units, jobs))
    groups: dict[Hashable, list[int]] = {}
    for index in range(len(units)):
        groups.setdefault(alike[index] if alike else index, []).append(index)
    together = list(groups.values())
    if sizes:
        together.sort(key=lambda group: -sum(sizes[index] for index in group))
    step = -(-len(together) // _FIRST)
    # The largest one is not among them.
    first = set(range(step // 2, len(together), step))
    before = [index for number in sorted(first) for index in together[number]]
    after = [group for number, group in enumerate(together) if number not in first]
    results = {index: units[index]() for index in before}

    def call(group: Sequence[int]) -> list[T]:
        return [units[index]() for index in group]

    for group, found in zip(after, shared([partial(call, group) for group in after], jobs), strict=True):
        results.update(zip(group, found, strict=True))
    return [results[index] for index in range(len(units))]


def shared(units: Sequence[Callable[[], T]], jobs: int, finished: Callable[[int], None] | None = None) -> Iterator[T]:
    """The results of functions, in order, each called in one of `jobs` processes; they must be picklable.

    `finished` is called with the number of each function that this process has called: of all those before it, none is
    still to be begun. What a worker that died would have done is done here. One process calls each function when its
    result is asked for, so that only what is kept of the results takes memory.
    """
    shares = _shares(len(units))
    if min(jobs, len(shares)) < 2:
        for index, unit in enumerate(units):
            result = unit()
            if finished is not None:
                finished(index)
            yield result
        return
    results: dict[int, T] = {}

    def work(numbers: Iterable[int]) -> Iterator[tuple[int, T]]:
        for number in numbers:
            for index in shares[number]:
                yield index, units[index]()

    with ExitStack() as stack:
        numbers = stack.enter_context(_Queue(len(shares)))
        workers = [
            stack.enter_context(Worker(lambda: iter([list(work(numbers))]))) for _ in range(min(jobs, len(shares)) - 1)
        ]
        for index, result in work(numbers):
            results[index] = result
            if finished is not None:
                finished(index)
        for worker in workers:
            with suppress(Died):
                results.update(cast("list[tuple[int, T]]", worker.receive()))
    for index, unit in enumerate(units):
        yield results.pop(index) if index in results else unit()


def _shares(count: int) -> list[range]:
    size = -(-count // _MOST_SHARES) or 1
    return [range(start, min(start + size, count)) for start in range(0, count, size)]


class Ahead(Generic[T]):
    """Functions that other processes call while this one does something else, in order, as far as they get.

    As a context, it leaves no process behind.
    """

    def __init__(self, units: Sequence[Callable[[], T]], processes: int) -> None:
        shares = _shares(len(units))
        self._numbers = _Queue(len(shares))

        def work() -> Iterator[object]:
            yield [(index, units[index]()) for number in self._numbers for index in shares[number]]

        self._workers = [Worker(work) for _ in range(min(processes, len(shares)))]

    def results(self) -> dict[int, T]:
        """The results by the number of the function; nothing is begun any more. What is not there is left to the caller."""
        for _ in self._numbers:
            pass
        found: dict[int, T] = {}
        for worker in self._workers:
            with suppress(Died):
                found.update(cast("list[tuple[int, T]]", worker.receive()))
        return found

    def __enter__(self) -> Ahead[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self._numbers.close()
        for worker in self._workers:
            worker.stop()


class _Queue:
    """The numbers below `count`, each given to one of the processes that ask."""

    def __init__(self, count: int) -> None:
        self._pipe, writing = os.pipe()
        os.write(writing, b"".join(number.to_bytes(4, "big") for number in range(count)))
        os.close(writing)

    def __iter__(self) -> Iterator[int]:
        while number := os.read(self._pipe, 4):
            yield int.from_bytes(number, "big")

    def close(self) -> None:
        os.close(self._pipe)

    def __enter__(self) -> Iterator[int]:
        return iter(self)

    def __exit__(self, *_: object) -> None:
        self.close()


class Died(Exception):
    """A worker ended before it had said all: it was killed, or its work raised."""


class Worker:
    """A forked process, and what it has to say: one picklable value after the other, from the moment this is made.

    What the work writes or changes stays in its own process, which ends when this one does, however that comes to pass,
    and whatever it is doing then. As a context, it leaves no process behind when what is done meanwhile is interrupted.
    """

    def __init__(self, work: Callable[[], Iterator[object]]) -> None:
        reading, writing = os.pipe()
        # Nobody writes to this pipe: its end is closed when the process that holds it is gone.
        watched, self._held = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self._number = os.fork()
        if self._number:
            os.close(writing)
            os.close(watched)
            self._pipe = os.fdopen(reading, "rb")
            return
        code = 1
        try:
            import gc
            import pickle

            # It is gone before there is much garbage, and a collection would copy what both processes share.
            gc.disable()
            os.close(reading)
            os.close(self._held)
            # Where the system has no such signal, whoever waits for this process has to end it.
            with suppress(AttributeError, OSError):
                _end_with(watched)
            # What is known to whoever receives it is not told.
            disk.news()
            with os.fdopen(writing, "wb") as pipe:
                for message in work():
                    pickle.dump((message, disk.news()), pipe, pickle.HIGHEST_PROTOCOL)
                    pipe.flush()
            code = 0
        finally:
            os._exit(code)

    def receive(self) -> object:
        """The next message. Raises `Died`."""
        import pickle

        try:
            message, news = pickle.load(self._pipe)
        except (EOFError, pickle.UnpicklingError):
            raise Died from None
        disk.learn(news)
        return cast(object, message)

    def stop(self) -> None:
        """End the process, whatever it does, and wait until it has ended; once it is ended, nothing."""
        import signal

        if self._pipe.closed:
            return
        self._pipe.close()
        with suppress(ProcessLookupError):
            os.kill(self._number, signal.SIGKILL)
        # Where a program before us ignores the end of its children, they are gone without being waited for.
        with suppress(ChildProcessError):
            os.waitpid(self._number, 0)
        os.close(self._held)

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


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
