"""A program that is to be read."""

from __future__ import annotations

from typing import NamedTuple


class ProgramFile(NamedTuple):
    """A program to read: its absolute path, how it is shown, its language, its bytes if they are not those on disk.

    `kind` is what somebody said that it is.
    """

    path: str
    display: str
    language: str
    kind: str | None
    max_size: int
    data: bytes | None = None
