"""What one server may send, whatever it is: bytes, messages, pages, and what is noted of it."""

from __future__ import annotations

from collections.abc import Callable

MESSAGE = 4 * 1024 * 1024
"""Bytes of one message. The largest published lists of tools have a tenth of it."""
EVERYTHING = 4 * MESSAGE
"""Bytes of all that a server sends."""
MESSAGES = 10_000
PAGES = 1_000
"""Pages of one list."""
_SHOWN = 80
"""Characters of a line that is shown."""


class SnapshotFailed(Exception):
    """A server could not be started or reached, or did not say what it serves; the message says why.

    `last_lines` are the last lines that the server wrote to standard error. Both hold text of strangers.
    """

    def __init__(self, reason: str, last_lines: tuple[str, ...] = ()) -> None:
        super().__init__(reason)
        self.reason = reason
        self.last_lines = last_lines


class Intake:
    """Counts what a server sends. The first limit that it exceeds is the `failure`, and then `stop` is called.

    `notes` say what clients do not accept of it, although it could be read.
    """

    def __init__(self) -> None:
        self.failure: str | None = None
        self.stop: Callable[[], object] = lambda: None
        self.notes: list[str] = []
        self.refusal: int | None = None
        """The HTTP status of the last answer to a message, if that refuses it."""
        self._bytes = 0
        self._messages = 0
        self._stray = 0

    def fail(self, reason: str) -> None:
        """Note why the server is not listened to any longer."""
        if self.failure is None:
            self.failure = reason
            self.stop()

    def read(self, size: int) -> None:
        """Count bytes that were read."""
        self._bytes += size
        if self._bytes > EVERYTHING:
            self.fail(f"it sent more than {EVERYTHING:,} bytes")

    def read_of_message(self, size: int) -> None:
        """Say how many bytes of one message were read so far."""
        if size > MESSAGE:
            self.fail(f"it sent a message of more than {MESSAGE:,} bytes")

    def count_message(self) -> None:
        self._messages += 1
        if self._messages > MESSAGES:
            self.fail(f"it sent more than {MESSAGES:,} messages")

    def note_stray(self, line: bytes) -> None:
        """Note a line that is not a message; clients drop it, or give up."""
        if not self._stray:
            shown = line[: 4 * _SHOWN].decode("utf-8", "replace")[:_SHOWN]
            self.notes.append(f"it wrote to standard output what is not a message of JSON-RPC: {shown}")
        self._stray += 1
