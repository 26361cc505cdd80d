"""Work shared by processes: the same results, and no process left behind, however the first one ends."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from toolsurface_lint.run.parallel import Ahead, Died, Worker, share, shared, usable

REPOSITORY = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@pytest.fixture
def uncollected() -> Iterator[None]:
    """As under a program that ignores the end of its children: they are gone without being waited for."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGCHLD, before)


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2, 3, 20])
@pytest.mark.parametrize("count", [0, 1, 2, 7, 1500])
def test_results_come_in_order_whoever_makes_them(jobs: int, count: int) -> None:
    def work(number: int) -> tuple[int, int]:
        return number, os.getpid()

    seen: list[int] = []
    results = list(shared([partial(work, number) for number in range(count)], jobs, seen.append))
    assert [number for number, _ in results] == list(range(count))
    assert seen == [number for number, process in results if process == os.getpid()]
    assert len({process for _, process in results}) <= jobs


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2, 3])
@pytest.mark.parametrize("count", [3, 255, 256, 257, 1500])
def test_many_results_come_in_order_although_some_are_made_before_the_others(jobs: int, count: int) -> None:
    assert share([partial(int, number) for number in range(count)], jobs) == list(range(count))


@pytest.mark.slow
def test_work_is_given_to_whoever_has_none() -> None:
    first = os.getpid()

    def work(number: int) -> int:
        if os.getpid() == first:
            time.sleep(1)
        return os.getpid()

    results = share([partial(work, number) for number in range(50)], 2)
    assert results.count(first) < 10


def test_functions_that_are_alike_are_called_by_one_process() -> None:
    units = [partial(lambda number: (number, os.getpid()), number) for number in range(600)]
    results = share(units, 3, [number % 40 for number in range(600)])
    assert [number for number, _ in results] == list(range(600))
    assert {len({process for number, process in results if number % 40 == key}) for key in range(40)} == {1}


def test_the_largest_is_begun_first() -> None:
    sizes = [1] * 600
    sizes[450] = 2
    begun = [time.monotonic_ns] * 600
    results = share(begun, 2, sizes=sizes)
    # Sixteen are called before there is another process; it takes one at the same time.
    assert sorted(results).index(results[450]) in (16, 17)


def test_others_work_ahead_as_far_as_they_get(tmp_path: Path, forked_and_left: Callable[[], list[int]]) -> None:
    def work(number: int) -> tuple[int, int]:
        if number > 3:
            (tmp_path / "begun").touch()
            time.sleep(60)
        return number, os.getpid()

    with Ahead([partial(work, number) for number in range(4)], 1) as ahead:
        while not select.select([ahead._workers[0]._pipe], [], [], 10)[0]:
            pass
        found = ahead.results()
    assert [found[number][0] for number in range(4)] == [0, 1, 2, 3]
    assert os.getpid() not in {process for _, process in found.values()}
    with Ahead([partial(work, number) for number in range(9)], 1):
        while not (tmp_path / "begun").exists():
            time.sleep(0.01)
    assert forked_and_left() == []


def test_what_nobody_has_begun_is_left_to_the_caller() -> None:
    (begun, begin), (waiting, go_on) = os.pipe(), os.pipe()

    def first() -> bytes:
        os.write(begin, b"a")
        return os.read(waiting, 1)

    with Ahead([first, *[partial(bytes, 1)] * 8], 1) as ahead:
        os.read(begun, 1)
        taken = list(ahead._numbers)
        os.write(go_on, b"b")
        assert ahead.results() == {0: b"b"}
    assert taken == list(range(1, 9))
    for pipe in (begun, begin, waiting, go_on):
        os.close(pipe)


def test_what_a_worker_that_died_has_done_is_left_to_the_caller() -> None:
    with Ahead([lambda: 1, lambda: os.kill(os.getpid(), signal.SIGKILL)], 1) as ahead:
        assert ahead.results() == {}


@pytest.mark.parametrize("end", [lambda: os.kill(os.getpid(), signal.SIGKILL), lambda: 1 / 0])
def test_what_a_dead_worker_did_not_do_is_done_here(
    end: Callable[[], object], forked_and_left: Callable[[], list[int]]
) -> None:
    first = os.getpid()

    def work(number: int) -> int:
        if os.getpid() != first:
            end()
        time.sleep(0.01)
        return number

    assert share([partial(work, number) for number in range(20)], 3) == list(range(20))
    assert not forked_and_left()


def test_what_raises_in_a_worker_raises_here() -> None:
    with pytest.raises(ZeroDivisionError):
        share([lambda: 1 / 0, lambda: 1 / 0], 2)


def test_what_is_interrupted_leaves_no_process_and_does_not_do_its_work(
    forked_and_left: Callable[[], list[int]],
) -> None:
    first = os.getpid()

    def work() -> None:
        if os.getpid() != first:
            time.sleep(600)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        share([work] * 9, 4)
    assert not forked_and_left()


def test_a_thread_is_not_forked_from() -> None:
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(usable, 8).result() == 1
    assert usable(8) == 8
    assert usable(0) >= 1
    with pytest.raises(ValueError, match="jobs must be 0 or more"):
        usable(-1)


def test_a_system_that_cannot_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    assert usable(8) == 1


def test_a_system_that_does_not_signal_the_end_of_the_first_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "O_ASYNC")
    with Worker(lambda: iter([os.getpid()])) as worker:
        assert worker.receive() != os.getpid()


def test_a_result_is_no_longer_waited_for_once_it_is_there(forked_and_left: Callable[[], list[int]]) -> None:
    def work() -> Iterator[object]:
        yield 1
        time.sleep(600)

    worker = Worker(work)
    assert worker.receive() == 1
    worker.stop()
    worker.stop()
    assert not forked_and_left()


def test_a_process_that_was_killed(forked_and_left: Callable[[], list[int]]) -> None:
    def work() -> Iterator[object]:
        os.kill(os.getpid(), signal.SIGKILL)
        yield 1

    worker = Worker(work)
    with pytest.raises(Died):
        worker.receive()
    worker.stop()
    assert not forked_and_left()


@pytest.mark.usefixtures("uncollected")
def test_where_the_end_of_children_is_ignored() -> None:
    assert share([lambda: 1, lambda: 2, lambda: 3], 3) == [1, 2, 3]


# A process with children that are busy: in the interpreter, or where no handler of it is ever run.
PARENT = r"""
import os, re, sys, time
from toolsurface_lint.run.parallel import Worker
def busy():
    os.write(1, b"%d\n" % os.getpid())
    if sys.argv[1] == "sleeping":
        time.sleep(600)
    re.match("(a*)*b", "a" * 60)
workers = [Worker(lambda: iter([busy()])) for _ in range(3)]
workers[0].receive()
"""


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize(
    "busy",
    [
        "sleeping",
        pytest.param("matching", marks=pytest.mark.skipif(sys.platform != "linux", reason="left to the interpreter")),
    ],
)
def test_processes_end_with_the_one_that_began_them(ending: int, busy: str) -> None:
    command = [sys.executable, "-c", PARENT, busy]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        children = [int(parent.stdout.readline()) for _ in range(3)]
        parent.send_signal(ending)
        assert parent.wait(60) == -ending
        try:
            # All hold the other end: it is closed when all are gone.
            ready, _, _ = select.select([parent.stdout], [], [], 60)
            assert ready
            assert parent.stdout.read() == b""
        finally:
            for child in children:
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
