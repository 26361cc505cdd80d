"""Files that Daft lists and reads where they are: `hf://`, `s3://` and whatever else it knows. Only for paths that say so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO


class EngineFailed(Exception):
    """The engine could not go on; the message is its own, on one line."""


class EngineStopped(Exception):
    """The engine ended before it had run all pieces, and without an error: it was interrupted."""


def first_line(error: Exception) -> str:
    """What an engine says is wrong, without its trace."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__)[:200]


def list_remote(pattern: str) -> list[tuple[str, int]]:
    """The files that match a pattern where the engine can look, with their bytes. Raises `EngineFailed`."""
    import daft

    try:
        found = daft.from_glob_path(pattern).to_pydict()
    except Exception as error:
        raise EngineFailed(first_line(error)) from None
    return [(path, size or 0) for path, size in zip(found["path"], found["size"], strict=True)]


@contextmanager
def open_remote(path: str) -> Iterator[IO[bytes]]:
    """A file that the engine reads, piece by piece as it is asked for."""
    import daft

    with daft.open_file(path, "rb") as file:
        yield file
