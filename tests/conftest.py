"""What all tests share: no network, and one way to run the linter over a folder."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.long import examples
from toolsurface_lint.api import check_paths
from toolsurface_lint.model.diagnostics import Report

# How long an example takes says something of the machine: no test asserts it. The same examples at every run, so that a
# red run is one that anybody can repeat.
settings.register_profile(
    "repeatable",
    max_examples=examples(100),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")

# What is tested is made anew, whatever the user's cache holds; `tests/cache` has users of its own.
os.environ["TOOLSURFACE_LINT_NO_CACHE"] = "1"


@pytest.fixture(autouse=True, scope="session")
def _no_network() -> Iterator[None]:
    def refuse(*_: Any) -> None:
        raise AssertionError("a test reached for the network")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", refuse)
        patch.setattr(socket, "getaddrinfo", refuse)
        yield


@pytest.fixture(autouse=True, scope="session")
def _no_signal_stays_ignored() -> None:
    """Programs that tests start can be ended by any signal, also where the parent of the test run ignores it.

    An ignored signal is inherited, and a program sent one would run for ever; a handler is not.
    """
    for name in ("SIGHUP", "SIGINT", "SIGIO", "SIGQUIT", "SIGTERM"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


@pytest.fixture
def no_privileges() -> Iterator[None]:
    """Files are as closed to root as to everybody else: to the test, and to the programs that it starts."""
    if os.name != "posix" or os.geteuid() != 0:
        yield
        return
    if sys.platform != "linux":
        pytest.skip("root may write everything")
    libc = ctypes.CDLL(None)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # the version of the structures, this thread
    kept, left = (ctypes.c_uint32 * 6)(), (ctypes.c_uint32 * 6)()
    libc.capget(header, kept)
    libc.capget(header, left)
    left[0] &= ~0b110  # effective: neither CAP_DAC_OVERRIDE nor CAP_DAC_READ_SEARCH
    libc.capset(header, left)
    # SECBIT_NOROOT: what is run gets nothing back; SECBIT_NO_SETUID_FIXUP: `access` asks for what is effective.
    set_securebits = 28
    if libc.prctl(set_securebits, 0b101, 0, 0, 0) != 0:
        libc.capset(header, kept)
        pytest.skip("root may write everything, and cannot give that up here")
    yield
    libc.prctl(set_securebits, 0, 0, 0, 0)
    libc.capset(header, kept)


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Report]:
    """Checks a folder as the command does from inside it, with the settings that lie there and no others."""

    def run(folder: Path, *paths: str, **options: Any) -> Report:
        monkeypatch.chdir(folder)
        options.setdefault("isolated", not os.path.exists("toolsurface.toml"))
        return check_paths(paths or ["."], **options)

    return run


@pytest.fixture
def full_lines() -> Callable[[Report], list[str]]:
    """The diagnostics of a report, one a line: `path:line:col-line:col severity[CODE] message`."""

    def lines(report: Report) -> list[str]:
        found = []
        for diagnostic in report.diagnostics:
            assert diagnostic.location is not None
            (line, column), (end_line, end_column) = diagnostic.location.range
            place = f"{diagnostic.location.path}:{line}:{column}-{end_line}:{end_column}"
            found.append(f"{place} {diagnostic.severity}[{diagnostic.code}] {diagnostic.message}")
        return found

    return lines


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """However little there is to do, it is shared by as many processes as there may be."""
    for name, value in {
        "analysis._WORTH_SHARING": 1,
        "groups._FEW": 2,
        "groups._WORTH_DIVIDING": 1,
        "transcripts.WORTH_SHARING": 1,
    }.items():
        monkeypatch.setattr(f"toolsurface_lint.run.{name}", value)


@pytest.fixture
def forked_and_left(monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[int]]:
    """The processes forked in a test, and not collected: asked for by number, as the test run has children of its own."""
    forked: list[int] = []
    fork = os.fork

    def remembered() -> int:
        child = fork()
        forked.append(child)
        return child

    def left() -> list[int]:
        assert forked
        found = []
        for child in forked:
            with suppress(ChildProcessError):
                os.waitpid(child, os.WNOHANG)
                found.append(child)
        return found

    monkeypatch.setattr(os, "fork", remembered)
    return left
