"""Runs git: found once, started without a shell, waited for a limited time."""

from __future__ import annotations

import os
import time
from contextlib import suppress

SECONDS = 60.0
"""How long git may take: a thousand times what ten thousand files need. A repository that holds a pipe where git expects a
file would take forever."""

PAUSE = 10 * SECONDS
"""How long git is not asked after it gave no answer: a folder may hold thousands of repositories, each with a pipe."""

_not_before = 0.0
"""When git may be asked again, by the monotonic clock."""


class GitFailed(Exception):
    """Git could not be started, gave no answer in time, or ended with a status other than 0.

    `status` is the exit status; None where there is none.
    """

    def __init__(self, reason: str, status: int | None = None) -> None:
        super().__init__(reason)
        self.status = status


def run(arguments: list[str], environment: dict[str, str]) -> bytes:
    """Standard output of git. Raises `GitFailed`."""
    if time.monotonic() < _not_before:
        raise GitFailed("git gave no answer for another folder")
    program = _program()
    if program is None:
        raise GitFailed("git was not found")
    return (
        _wait_on_windows(program, arguments, environment)
        if os.name == "nt"
        else _spawn(program, arguments, environment)
    )


def _no_answer() -> GitFailed:
    global _not_before
    _not_before = time.monotonic() + PAUSE
    return GitFailed(f"git gave no answer in {SECONDS:g} seconds")


def _program() -> str | None:
    """The absolute path of git. The folder that is linted is often the working directory: nothing is looked for in it."""
    name = "git.exe" if os.name == "nt" else "git"
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, name)
        if os.path.isabs(folder) and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def _spawn(program: str, arguments: list[str], environment: dict[str, str]) -> bytes:
    """Without `subprocess`, whose import takes longer than git does."""
    read_end, write_end = os.pipe()
    with open(read_end, "rb", buffering=0) as pipe:
        try:
            pid = os.posix_spawn(
                program,
                [program, *arguments],
                environment,
                file_actions=[
                    (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                    (os.POSIX_SPAWN_DUP2, write_end, 1),
                    (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
                ],
            )
        except OSError as error:
            raise GitFailed(f"git cannot be started: {error.strerror or error}") from None
        finally:
            os.close(write_end)
        output = None
        try:
            output = _read_until(pipe.fileno(), time.monotonic() + SECONDS)
        finally:
            if output is None:
                with suppress(ProcessLookupError):
                    os.kill(pid, 9)
            try:
                _, waited = os.waitpid(pid, 0)
                status = os.waitstatus_to_exitcode(waited)
            except ChildProcessError:
                # The program that uses us collects its children itself; what git wrote is all there is to go by.
                status = 0 if output else 1
    if output is None:
        raise _no_answer()
    if status:
        raise GitFailed(f"git failed with status {status}", status)
    return output


def _read_until(pipe: int, deadline: float) -> bytes | None:
    """All that comes out of a pipe; None if it is still open at the deadline."""
    import select

    parts: list[bytes] = []
    waiting = select.poll()
    waiting.register(pipe, select.POLLIN)
    while waiting.poll(max(0.0, deadline - time.monotonic()) * 1000):
        part = os.read(pipe, 1 << 20)
        if not part:
            return b"".join(parts)
        parts.append(part)
    return None


def _wait_on_windows(program: str, arguments: list[str], environment: dict[str, str]) -> bytes:
    import subprocess

    try:
        done = subprocess.run(
            [program, *arguments],
            env=environment,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _no_answer() from None
    except OSError as error:
        raise GitFailed(f"git cannot be started: {error.strerror or error}") from None
    if done.returncode:
        raise GitFailed(f"git failed with status {done.returncode}", done.returncode)
    return done.stdout
