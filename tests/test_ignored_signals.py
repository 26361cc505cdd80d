"""The tests where the parent of the test run ignores signals, as `nohup` and the jobs of a shell do."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
ENDED = ["tests/test_writing.py", "-k", "a_signal_leaves"]
"""Tests of a program that is ended by a signal."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_programs_end_all_the_same() -> None:
    def ignore() -> None:
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *ENDED],
        cwd=REPOSITORY,
        preexec_fn=ignore,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout
