"""MCP over streamable HTTP, by the client's own transport over an HTTP client that counts.

That transport follows no redirect to another host, and bounds an event of a stream, but reads an answer in JSON to its end.
Answers are asked for uncompressed: a few bytes of a compressed one can stand for a thousand times as many.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from toolsurface_lint.snapshot.intake import MESSAGE, Intake
from toolsurface_lint.snapshot.recorder import Streams


@asynccontextmanager
async def over_http(url: str, headers: Mapping[str, str], seconds: float, intake: Intake) -> AsyncIterator[Streams]:
    """A server at an address, which gets these headers with every request."""
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    class Counted(httpx2.AsyncByteStream):
        def __init__(self, stream: httpx2.AsyncByteStream, events: bool) -> None:
            self._stream = stream
            self._events = events

        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for part in self._stream:
                size += len(part)
                intake.read(len(part))
                if not self._events:
                    intake.read_of_message(size)
                if intake.failure is not None:
                    return
                yield part

        async def aclose(self) -> None:
            await self._stream.aclose()

    async def count(response: httpx2.Response) -> None:
        if response.request.method == "POST":
            intake.refusal = response.status_code if response.status_code >= 400 else None
        if response.headers.get("content-encoding", "identity") != "identity":
            intake.fail("it sent a compressed answer, although only others are accepted")
        events = response.headers.get("content-type", "").startswith("text/event-stream")
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = Counted(response.stream, events)

    async with (
        httpx2.AsyncClient(
            headers={**headers, "accept-encoding": "identity"},
            timeout=httpx2.Timeout(seconds),
            event_hooks={"response": [count]},
        ) as client,
        streamable_http_client(url, http_client=client, max_sse_event_size=MESSAGE) as streams,
    ):
        yield streams
