"""Runs git: found once, started without a shell, waited for a limited time."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from typing import IO

from toolsurface_lint.source import disk

SECONDS = 60.0
"""How long git may take: a thousand times what ten thousand files need. A repository that holds a pipe where git expects a
file would take forever."""

PAUSE = 10 * SECONDS
"""How long git is not asked after it gave no answer: a folder may hold thousands of repositories, each with a pipe."""

MOST_GIVEN = 4096
"""Bytes that fit into a pipe before anybody reads from it, on every system."""

_not_before = 0.0
"""When git may be asked again, by the monotonic clock."""


class GitFailed(Exception):
    """Git could not be started, gave no answer in time, or ended with a status other than 0.

    `status` is the exit status; None where there is none.
    """

    def __init__(self, reason: str, status: int | None = None) -> None:
        super().__init__(reason)
        self.status = status


def run(arguments: list[str], environment: dict[str, str], given: bytes = b"", most: int | None = None) -> bytes:
    """Standard output of git, which gets `given`, at most `MOST_GIVEN` bytes, as its standard input.

    Raises `GitFailed`, also if there is more output than `most` bytes.
    """
    output, failure = b"", None
    try:
        output = _run(arguments, environment, given, most)
    except GitFailed as error:
        failure = error
    if disk.is_recording():
        question = json.dumps([arguments, sorted(environment.items()), given.hex(), most])
        disk.note(disk.GIT, question, _answer(output, failure))
    if failure is not None:
        raise failure
    return output


def ask_again(question: str) -> list[str | None]:
    """What git says now to what it was asked when that was recorded."""
    arguments, environment, given, most = json.loads(question)
    try:
        return _answer(_run(arguments, dict(environment), bytes.fromhex(given), most), None)
    except GitFailed as failure:
        return _answer(b"", failure)


def _answer(output: bytes, failure: GitFailed | None) -> list[str | None]:
    """The digest of what git wrote, and why it failed."""
    from hashlib import blake2b

    return [blake2b(output, digest_size=16).hexdigest(), None if failure is None else str(failure)]


def _run(arguments: list[str], environment: dict[str, str], given: bytes, most: int | None) -> bytes:
    global _not_before
    if time.monotonic() < _not_before:
        disk.give_up()
        raise GitFailed("git gave no answer for another folder")
    program = _program()
    if program is None:
        raise GitFailed("git was not found")
    try:
        start = _run_on_windows if os.name == "nt" else _spawn
        status, output = start([program, *arguments], environment, given, most)
    except TimeoutError:
        _not_before = time.monotonic() + PAUSE
        disk.give_up()
        raise GitFailed(f"git gave no answer in {SECONDS:g} seconds") from None
    except OSError as error:
        raise GitFailed(f"git cannot be started: {error.strerror or error}") from None
    if status:
        raise GitFailed(f"git failed with status {status}", status)
    return output


def _program() -> str | None:
    """The absolute path of git. The folder that is linted is often the working directory: nothing is looked for in it."""
    name = "git.exe" if os.name == "nt" else "git"
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, name)
        if os.path.isabs(folder) and disk.isfile(path) and disk.is_executable(path):
            return path
    return None


def _spawn(command: list[str], environment: dict[str, str], given: bytes, most: int | None) -> tuple[int, bytes]:
    """Exit status and output, without `subprocess`, whose import takes longer than git does.

    Raises `TimeoutError`, and `GitFailed` for too much output.
    """
    read_end, write_end = os.pipe()
    with open(read_end, "rb", buffering=0) as pipe, _input(given) as standard_input:
        try:
            pid = os.posix_spawn(
                command[0],
                command,
                environment,
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, standard_input.fileno(), 0),
                    (os.POSIX_SPAWN_DUP2, write_end, 1),
                    (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
                ],
            )
        finally:
            os.close(write_end)
        output = None
        try:
            output = _read_until(pipe.fileno(), time.monotonic() + SECONDS, most)
        finally:
            if output is None:
                with suppress(ProcessLookupError):
                    os.kill(pid, 9)
            try:
                status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            except ChildProcessError:
                # The program that uses us collects its children itself; what git wrote is all there is to go by.
                status = 0 if output else 1
    return status, output


def _input(given: bytes) -> IO[bytes]:
    """A file to read some bytes from, and then its end."""
    if not given:
        return open(os.devnull, "rb", buffering=0)
    read_end, write_end = os.pipe()
    with open(write_end, "wb", buffering=0) as pipe:
        pipe.write(given)
    return open(read_end, "rb", buffering=0)


def _read_until(pipe: int, deadline: float, most: int | None = None) -> bytes:
    """All that comes out of a pipe. Raises `TimeoutError` if it is still open at the deadline, `GitFailed` above `most`."""
    import select

    parts: list[bytes] = []
    size = 0
    waiting = select.poll()
    waiting.register(pipe, select.POLLIN)
    while waiting.poll(max(0.0, deadline - time.monotonic()) * 1000):
        part = os.read(pipe, 1 << 20)
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
        if most is not None and size > most:
            raise GitFailed(f"git wrote more than {most:,} bytes")
    raise TimeoutError


def _run_on_windows(
    command: list[str], environment: dict[str, str], given: bytes, most: int | None
) -> tuple[int, bytes]:
    """Exit status and output. Raises `TimeoutError`, and `GitFailed` for too much output."""
    import subprocess
    from threading import Timer

    with (
        _input(given) as standard_input,
        subprocess.Popen(
            command, env=environment, stdin=standard_input, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as process,
    ):
        end = Timer(SECONDS, process.kill)
        end.start()
        try:
            assert process.stdout is not None
            output = process.stdout.read(-1 if most is None else most + 1)
            late = end.finished.is_set()
        finally:
            end.cancel()
        too_much = most is not None and len(output) > most
        if too_much:
            process.kill()
    if late:
        raise TimeoutError
    if too_much:
        raise GitFailed(f"git wrote more than {most:,} bytes")
    return process.returncode, output
