"""The conversation with one server: who it is, and everything that it lists."""

from __future__ import annotations

import asyncio
import logging
import signal
import time
import warnings
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from toolsurface_lint import __version__
from toolsurface_lint.snapshot.http import over_http
from toolsurface_lint.snapshot.intake import PAGES, Intake, SnapshotFailed
from toolsurface_lint.snapshot.process import Process
from toolsurface_lint.snapshot.recorder import Recorder, Streams
from toolsurface_lint.snapshot.stdio import over_stdio
from toolsurface_lint.snapshot.targets import Target

if TYPE_CHECKING:
    from mcp import Client
    from mcp.types import ErrorData
    from pydantic import ValidationError

_NOT_FOUND = -32601
_SERVER_INFO = "io.modelcontextprotocol/serverInfo"
"""Where a server that needs no handshake says who it is (MCP 2026-07-28, the result of `server/discover`)."""


class Answer(NamedTuple):
    """What a server said: its entry of a snapshot, and what clients do not accept of it."""

    entry: dict[str, Any]
    notes: tuple[str, ...]


def ask(target: Target, seconds: float, progress: Callable[[str], None]) -> Answer:
    """Start or reach a server, ask it for everything that it lists, and end it.

    That takes `seconds` at most, and a few more until the server has ended. `progress` gets each method before it is
    called. Raises `SnapshotFailed`, and `KeyboardInterrupt` if this process is to end meanwhile.
    """
    level = logging.root.manager.disable
    # The client logs what it gets from the server, to standard error if nobody else does.
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            start = time.monotonic()
            try:
                return _ask(target, seconds, progress, "auto")
            except _EndedAtOnce:
                # Some end at the first message if it is not the handshake of the versions of MCP that have one.
                return _ask(target, seconds - (time.monotonic() - start), progress, "legacy")
    finally:
        logging.disable(level)


class _EndedAtOnce(SnapshotFailed):
    """A server ended before it gave any answer."""


def _ask(target: Target, seconds: float, progress: Callable[[str], None], mode: str) -> Answer:
    conversation = _Conversation(target, seconds, progress)
    try:
        return asyncio.run(conversation.hold(mode))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    finally:
        if conversation.process is not None:
            conversation.process.kill()


class _Conversation:
    def __init__(self, target: Target, seconds: float, progress: Callable[[str], None]) -> None:
        self._target = target
        self._seconds = seconds
        self._progress = progress
        self._intake = Intake()
        self._recorder = Recorder(self._intake)
        self._entry: dict[str, Any] | None = None
        self.process: Process | None = None

    async def hold(self, mode: str) -> Answer:
        """The whole conversation. Raises `SnapshotFailed`."""
        import anyio

        error: Exception | None = None
        with _ended_by_signals(), anyio.move_on_after(self._seconds) as scope:
            self._intake.stop = scope.cancel
            try:
                await self._talk(mode)
            except Exception as raised:
                error = next(_leaves(raised))
        if self._intake.failure is not None:
            raise self._failed(self._intake.failure)
        # One that has said everything may fail to end well.
        if self._entry is not None:
            shown = (self._target.without_secrets(note) for note in self._intake.notes)
            return Answer(self._target.without_secrets(self._entry), tuple(shown))
        if error is None:
            raise self._failed(f"it gave no answer to `{self._recorder.asked}` in {round(self._seconds, 1):g} seconds")
        raise self._why(error)

    def _failed(self, reason: str, kind: type[SnapshotFailed] = SnapshotFailed) -> SnapshotFailed:
        lines = () if self.process is None else self.process.last_lines
        return kind(self._target.without_secrets(reason), tuple(map(self._target.without_secrets, lines)))

    async def _talk(self, mode: str) -> None:
        from mcp import Client
        from mcp.types import Implementation

        client = Client(
            self._recorder.between(self._transport()),
            mode=mode,
            client_info=Implementation(name="toolsurface-lint", version=__version__),
            cache=None,
            # Some tools are there only for clients that can do this. Whatever is asked for by it is refused.
            sampling_callback=_refuse,
            elicitation_callback=_refuse,
            list_roots_callback=_refuse,
        )
        self._progress("the handshake")
        async with client:
            self._entry = await self._read(client)

    def _transport(self) -> AbstractAsyncContextManager[Streams]:
        target = self._target
        if target.url:
            return over_http(target.url, target.headers, self._seconds, self._intake)
        return over_stdio(target, self._intake, self._started)

    def _started(self, process: Process) -> None:
        self.process = process

    async def _read(self, client: Client) -> dict[str, Any]:
        """The server's entry of a snapshot, with its members in their order."""
        answers, target = self._recorder.answers, self._target
        said = answers.get("initialize") or answers.get("server/discover", {})
        info = said.get("serverInfo") or (said.get("_meta") or {}).get(_SERVER_INFO) or {}
        capabilities = said.get("capabilities") or {}
        own_name = info.get("name")
        entry: dict[str, Any] = {
            "name": target.name or (own_name if isinstance(own_name, str) and own_name else target.title),
            **({"url": target.shown[0]} if target.url else {"command": list(target.shown)}),
            "protocolVersion": client.protocol_version,
            "serverInfo": info,
            "capabilities": capabilities,
        }
        if isinstance(said.get("instructions"), str):
            entry["instructions"] = said["instructions"]
        for capability, key, method, call in (
            ("tools", "tools", "tools/list", client.list_tools),
            ("prompts", "prompts", "prompts/list", client.list_prompts),
            ("resources", "resources", "resources/list", client.list_resources),
            ("resources", "resourceTemplates", "resources/templates/list", client.list_resource_templates),
        ):
            entry[key] = await self._listed(method, key, call) if capability in capabilities else []
        return entry

    async def _listed(self, method: str, key: str, call: Callable[..., Awaitable[object]]) -> list[Any]:
        """All pages of a list."""
        from mcp import MCPError
        from pydantic import ValidationError

        found: list[Any] = []
        cursor: str | None = None
        cursors: set[str] = set()
        while True:
            self._progress(method)
            try:
                await call(cursor=cursor)
            except ValidationError as error:
                self._intake.notes.append(f"clients refuse its answer to `{method}`: {_first_mistake(error)}")
            except MCPError as error:
                # Templates came later than resources, and many servers have none.
                if error.code == _NOT_FOUND and method == "resources/templates/list":
                    return found
                raise
            answer = self._recorder.answers[method]
            items = answer.get(key)
            if not isinstance(items, list):
                raise SnapshotFailed(f"its answer to `{method}` has no list `{key}`")
            found.extend(items)
            cursor = answer.get("nextCursor")
            if not isinstance(cursor, str) or not cursor:
                return found
            if cursor in cursors or len(cursors) >= PAGES:
                raise SnapshotFailed(f"the pages of its answer to `{method}` have no end")
            cursors.add(cursor)

    def _why(self, error: Exception) -> SnapshotFailed:
        """What an exception of the conversation says to a person."""
        from httpx2 import TransportError
        from mcp import MCPError
        from pydantic import ValidationError

        asked = f"`{self._recorder.asked}`"
        if isinstance(error, SnapshotFailed):
            return self._failed(error.reason)
        if isinstance(error, TransportError):
            return self._failed(f"it cannot be reached: {error or type(error).__name__}")
        if isinstance(error, ValidationError):
            return self._failed(f"its answer to {asked} is not what MCP defines: {_first_mistake(error)}")
        if not isinstance(error, MCPError):
            return self._failed(f"the client of MCP gave up at {asked}: {error or type(error).__name__}")
        if self.process is not None and self.process.closed_its_output:
            status = self.process.own_exit_code
            what = "it closed its standard output" if status is None else f"it ended with status {status}"
            kind = _EndedAtOnce if self._recorder.asked == "server/discover" else SnapshotFailed
            return self._failed(f"{what} before it answered {asked}", kind)
        if self._intake.refusal is not None:
            return self._failed(f"it refused {asked} with the HTTP status {self._intake.refusal}")
        return self._failed(f"it answered {asked} with an error: {error.message}")


async def _refuse(context: object, params: object = None) -> ErrorData:
    """The answer to what a server wants of the client: a text of a model, an entry of the user, the folders."""
    from mcp.types import INVALID_REQUEST, ErrorData

    return ErrorData(code=INVALID_REQUEST, message="not available while a snapshot is taken")


def _leaves(error: Exception) -> Iterator[Exception]:
    """The exceptions that a group of them is made of."""
    if isinstance(error, ExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _first_mistake(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    # Of a union, the first steps are names of types.
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let what ends this process end the conversation, and with it the server, first."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    handled = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in handled:
        # Windows has no handlers.
        with suppress(NotImplementedError):
            loop.add_signal_handler(number, task.cancel)
    try:
        yield
    finally:
        for number in handled:
            with suppress(NotImplementedError):
                loop.remove_signal_handler(number)
