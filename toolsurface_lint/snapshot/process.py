"""Starts a server as a process of its own, and ends it with everything that it has started in its process group."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import cast

from toolsurface_lint.snapshot.intake import SnapshotFailed
from toolsurface_lint.snapshot.targets import Target

_GRACE = 2.0
"""Seconds that a server gets to end by itself: after its input ends, as MCP says, and after it is asked to."""
_KILLED = 0.5
"""Seconds to wait for the end of a killed process group; only the system can keep it alive that long."""
_STEP = 0.01
_LINES, _LINE = 10, 300
"""The last lines of standard error that are kept, and the characters of each."""


class Process(asyncio.SubprocessProtocol):
    """A running server. What it writes is handed on as it comes; only the last lines of standard error are kept.

    `on_output` gets bytes of standard output, `on_end` is called when there will be none any more.
    """

    def __init__(self, on_output: Callable[[bytes], None], on_end: Callable[[], None]) -> None:
        self._on_output = on_output
        self._on_end = on_end
        self._errors: deque[str] = deque(maxlen=_LINES)
        self._line = b""
        self._transport: asyncio.SubprocessTransport | None = None
        self._is_ending = False
        self._is_ended = False
        self.closed_its_output = False
        self.own_exit_code: int | None = None
        """Negative for a signal; None while it runs, and if it had to be ended."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.SubprocessTransport, transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 1:
            self._on_output(data)
            return
        *lines, rest = (self._line + data).split(b"\n")
        for line in lines[-_LINES:]:
            self._note(line)
        # Of a line without an end, the beginning is enough.
        self._line = rest[: 4 * _LINE]

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 1:
            self.closed_its_output = not self._is_ending
            self._on_end()

    def _note(self, line: bytes) -> None:
        text = line[: 4 * _LINE].decode("utf-8", "replace").rstrip()
        if text:
            self._errors.append(text[:_LINE])

    @property
    def last_lines(self) -> tuple[str, ...]:
        """The last lines of standard error, each shortened; text of a stranger."""
        self._note(self._line)
        self._line = b""
        return tuple(self._errors)

    def write(self, data: bytes) -> None:
        """Send bytes to standard input; one that is closed takes nothing."""
        pipe = None if self._transport is None else self._transport.get_pipe_transport(0)
        if isinstance(pipe, asyncio.WriteTransport) and not pipe.is_closing():
            pipe.write(data)

    async def end(self, *, at_once: bool) -> None:
        """End it and its process group: it gets the end of its input, then is asked to end, then killed.

        It takes a few seconds at most; `at_once`, it is asked to end without waiting first. What has left the process
        group, as daemons do, goes on.
        """
        transport = self._transport
        if transport is None:
            return
        self._is_ending = True
        pipe = transport.get_pipe_transport(0)
        if pipe is not None:
            pipe.close()
        process = transport.get_pid()
        try:
            await _until(lambda: transport.get_returncode() is not None, 0 if at_once else _GRACE)
            self.own_exit_code = transport.get_returncode()
            _signal_group(process, signal.SIGTERM)
            await _until(lambda: transport.get_returncode() is not None, _GRACE)
        finally:
            # Who breaks off the waiting still gets the end: a loop that is closed before asyncio has seen it logs that.
            _kill_group(process)
            await _until(lambda: transport.get_returncode() is not None and not _has_group(process), _KILLED)
            self._is_ended = True
            # Others may still hold its pipes.
            with suppress(ProcessLookupError, PermissionError):
                transport.close()
        await asyncio.sleep(0)

    def kill(self) -> None:
        """Kill it and its process group if even waiting for that was broken off."""
        if self._transport is not None and not self._is_ended:
            _kill_group(self._transport.get_pid())


async def start(
    target: Target,
    on_output: Callable[[bytes], None],
    on_end: Callable[[], None],
) -> Process:
    """Start the command of a server, without a shell, with exactly its environment. Raises `SnapshotFailed`."""
    words = list(target.command)
    options: dict[str, object] = {"start_new_session": True}
    if os.name == "nt":
        import shutil
        import subprocess

        # Windows starts `npx.cmd` only by that name.
        words[0] = shutil.which(words[0]) or words[0]
        options = {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
    try:
        _, process = await asyncio.get_running_loop().subprocess_exec(
            lambda: Process(on_output, on_end),
            *words,
            env=dict(target.environment),
            cwd=target.folder,
            **options,  # type: ignore[arg-type]
        )
    except FileNotFoundError:
        what = "program" if target.folder is None or os.path.isdir(target.folder) else "folder"
        raise SnapshotFailed(f"it cannot be started: there is no such {what}") from None
    except OSError as error:
        raise SnapshotFailed(f"it cannot be started: {error.strerror or error}") from None
    except ValueError as error:
        raise SnapshotFailed(f"it cannot be started: {error}") from None
    return process


async def _until(condition: Callable[[], bool], seconds: float) -> None:
    """Wait for something for a time at most."""
    for _ in range(int(seconds / _STEP)):
        if condition():
            return
        await asyncio.sleep(_STEP)


def _kill_group(process: int) -> None:
    _signal_group(process, getattr(signal, "SIGKILL", signal.SIGTERM))


def _has_group(process: int) -> bool:
    if os.name == "nt":
        return False
    try:
        os.killpg(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _signal_group(process: int, number: int) -> None:
    """Send a signal to a process group, led by this process or left by it."""
    if os.name == "nt":
        import subprocess

        program = os.path.join(os.environ.get("SYSTEMROOT", r"C:\Windows"), "System32", "taskkill.exe")
        with suppress(OSError):
            subprocess.run([program, "/T", "/F", "/PID", str(process)], capture_output=True, check=False, timeout=10)
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process, number)
