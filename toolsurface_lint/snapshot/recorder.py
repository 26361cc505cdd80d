"""Stands between a transport and the client, and keeps the answers of a server as it gave them.

The client hands out what it has made of an answer: without what a later version of MCP defines, and nothing at all of one
that has a mistake, such as a tool without a schema. A snapshot says what the server serves.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import TracebackType
from typing import Any

from toolsurface_lint.snapshot.intake import Intake

Streams = tuple[Any, Any]
"""What a transport gives the client: a stream to receive its messages from, and one to send them to."""


class Recorder:
    """Records one conversation: `answers` has the last result for each method that was answered."""

    def __init__(self, intake: Intake) -> None:
        self.answers: dict[str, dict[str, Any]] = {}
        self.asked = "initialize"
        """The method that was asked last."""
        self._intake = intake
        self._methods: dict[str, str] = {}

    @asynccontextmanager
    async def between(self, transport: AbstractAsyncContextManager[Streams]) -> AsyncIterator[Streams]:
        """The same transport, recorded."""
        async with transport as (incoming, outgoing):
            yield _Incoming(incoming, self), _Outgoing(outgoing, self)

    def note_sent(self, message: Any) -> None:
        from mcp.types import JSONRPCRequest

        if isinstance(message, JSONRPCRequest):
            self.asked = self._methods[str(message.id)] = message.method

    def passes(self, item: Any) -> bool:
        """Note what was received; whether it is for the client.

        A snapshot has no use for notifications and broken messages, and each would be a task of the client's.
        """
        from mcp.types import JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

        if isinstance(item, Exception) or isinstance(item.message, JSONRPCNotification):
            return False
        if isinstance(item.message, JSONRPCRequest):
            self._intake.count_message()
        if isinstance(item.message, JSONRPCResponse):
            method = self._methods.pop(str(item.message.id), None)
            if method is not None:
                self.answers[method] = dict(item.message.result)
        return self._intake.failure is None


class _Stream:
    """A stream that is closed with the one that it stands for."""

    def __init__(self, stream: Any, recorder: Recorder) -> None:
        self._stream = stream
        self._recorder = recorder

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> Any:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()


class _Incoming(_Stream):
    async def receive(self) -> Any:
        while True:
            item = await self._stream.receive()
            if self._recorder.passes(item):
                return item

    def __aiter__(self) -> _Incoming:
        return self

    async def __anext__(self) -> Any:
        import anyio

        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None


class _Outgoing(_Stream):
    async def send(self, item: Any) -> None:
        self._recorder.note_sent(item.message)
        await self._stream.send(item)
