"""MCP over the standard streams of a server that is started for it, a line for each message.

The client of the `mcp` package has such a transport too, but it reads a line to its end however long that is, and logs
what it cannot read: a server could fill the memory, or write to the terminal. This one counts what it reads, looks at no
line above a limit, and keeps the last lines of standard error for a message. Everything above the lines is the client's.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from toolsurface_lint.snapshot.intake import Intake
from toolsurface_lint.snapshot.process import Process, start
from toolsurface_lint.snapshot.recorder import Streams
from toolsurface_lint.snapshot.targets import Target


class Lines:
    """Splits what a server writes into its messages: the lines that are not empty, up to the first limit."""

    def __init__(self, intake: Intake, on_line: Callable[[bytes], None]) -> None:
        self._intake = intake
        self._on_line = on_line
        self._parts: list[bytes] = []
        self._size = 0

    def take(self, data: bytes) -> None:
        """Take what was read next."""
        if self._intake.failure is not None:
            return
        self._intake.read(len(data))
        *ends, rest = data.split(b"\n")
        for end in ends:
            self._add(end)
            self._intake.count_message()
            if self._intake.failure is not None:
                return
            line = b"".join(self._parts).strip()
            self._parts, self._size = [], 0
            if line:
                self._on_line(line)
        self._add(rest)

    def _add(self, part: bytes) -> None:
        self._size += len(part)
        self._intake.read_of_message(self._size)
        if part:
            self._parts.append(part)


@asynccontextmanager
async def over_stdio(target: Target, intake: Intake, started: Callable[[Process], None]) -> AsyncIterator[Streams]:
    """A server that runs as long as the context. `started` gets its process. Raises `SnapshotFailed`."""
    import anyio
    from mcp.shared.message import SessionMessage
    from mcp.types import jsonrpc_message_adapter

    # `intake` bounds what comes in.
    received, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](math.inf)
    outgoing, to_send = anyio.create_memory_object_stream[SessionMessage](0)

    def on_line(line: bytes) -> None:
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError:
            intake.note_stray(line)
            return
        # Nobody listens any longer to a server that is being ended.
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            received.send_nowait(SessionMessage(message))

    async def send(process: Process) -> None:
        async for sent in to_send:
            text = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
            process.write(text.encode("utf-8") + b"\n")

    process = None
    is_broken_off = False
    try:
        process = await start(target, Lines(intake, on_line).take, received.close)
        started(process)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(send, process)
            try:
                yield incoming, outgoing
            finally:
                tasks.cancel_scope.cancel()
    except anyio.get_cancelled_exc_class():
        is_broken_off = True
        raise
    finally:
        if process is not None:
            with anyio.CancelScope(shield=True):
                await process.end(at_once=is_broken_off)
        for stream in (received, incoming, outgoing, to_send):
            stream.close()
