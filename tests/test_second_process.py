"""What a second process leaves behind: nothing, however the first one ends."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from toolsurface_lint.run.second_process import Died, Messages, SecondProcess

REPOSITORY = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def sleep() -> int:
    time.sleep(600)
    return 1


@pytest.fixture
def uncollected() -> Iterator[None]:
    """As under a program that ignores the end of its children: they are gone without being waited for."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGCHLD, before)


def test_what_is_interrupted_leaves_no_process_and_does_not_do_its_work(
    forked_and_left: Callable[[], list[int]],
) -> None:
    with pytest.raises(KeyboardInterrupt), SecondProcess(sleep):
        raise KeyboardInterrupt
    assert not forked_and_left()


def test_a_system_that_does_not_signal_the_end_of_the_first_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "O_ASYNC")
    with SecondProcess(os.getpid) as second:
        assert second.result() != os.getpid()


def test_a_result_is_no_longer_waited_for_once_it_is_there(forked_and_left: Callable[[], list[int]]) -> None:
    def work() -> Iterator[object]:
        yield 1
        sleep()

    messages = Messages(work)
    assert messages.receive() == 1
    messages.stop()
    messages.stop()
    assert not forked_and_left()


def killed() -> Iterator[object]:
    os.kill(os.getpid(), signal.SIGKILL)
    yield 1


def test_a_process_that_was_killed(forked_and_left: Callable[[], list[int]]) -> None:
    messages = Messages(killed)
    with pytest.raises(Died):
        messages.receive()
    messages.stop()
    assert not forked_and_left()


@pytest.mark.usefixtures("uncollected")
def test_where_the_end_of_children_is_ignored() -> None:
    assert SecondProcess(lambda: 1).result() == 1


# A process with a child that is busy: in the interpreter, or where no handler of it is ever run.
PARENT = """
import os, re, sys, time
from toolsurface_lint.run.second_process import Messages
def busy():
    print(os.getpid(), flush=True)
    if sys.argv[1] == "sleeping":
        time.sleep(600)
    re.match("(a*)*b", "a" * 60)
Messages(lambda: iter([busy()])).receive()
"""


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize(
    "busy",
    [
        "sleeping",
        pytest.param("matching", marks=pytest.mark.skipif(sys.platform != "linux", reason="left to the interpreter")),
    ],
)
def test_a_process_ends_with_the_one_that_began_it(ending: int, busy: str) -> None:
    command = [sys.executable, "-c", PARENT, busy]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.send_signal(ending)
        assert parent.wait(60) == -ending
        try:
            # Both hold the other end: it is closed when both are gone.
            ready, _, _ = select.select([parent.stdout], [], [], 60)
            assert ready
            assert parent.stdout.read() == b""
        finally:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
