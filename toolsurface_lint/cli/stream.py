"""Writing to the terminal, to pipes and to files."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import TextIO


class CommandError(Exception):
    """Wrong usage, or a request that cannot be carried out: told in one line, exit code 2."""


def prepare() -> None:
    """Let the standard streams take any text: a path or a message may hold what their encoding has no character for."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def flush() -> None:
    """Write out what the standard streams still hold; it is too late to complain about failures."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()


def write(text: str) -> None:
    """Write to standard output; a reader that has gone away ends it quietly."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still in the buffer would raise again when the interpreter flushes it.
        _discard(sys.stdout)
    except OSError as error:
        raise CommandError(f"cannot write to standard output: {error.strerror}") from None


def write_bytes(data: bytes) -> None:
    """Write bytes to standard output as they are; a reader that has gone away ends it quietly."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    except BrokenPipeError:
        _discard(sys.stdout)
    except OSError as error:
        raise CommandError(f"cannot write to standard output: {error.strerror}") from None


def _discard(stream: TextIO) -> None:
    with open(os.devnull, "wb") as nothing:
        os.dup2(nothing.fileno(), stream.fileno())


def complain(message: str) -> None:
    """Tell people something that is no part of the output."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(f"toolsurface-lint: {message}\n")
        sys.stderr.flush()
    except OSError:
        return


def write_file(path: str, text: str) -> None:
    """Write a report to a file. Raises `CommandError`."""
    try:
        with open(path, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise CommandError(f"cannot write {path}: {error.strerror}") from None


def on_terminal() -> bool:
    """Whether standard output is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def colour() -> bool:
    """Whether to colour what goes to standard output: on a terminal, unless `NO_COLOR` or `FORCE_COLOR` decides."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return on_terminal() and os.environ.get("TERM") != "dumb"


def width() -> int | None:
    """The columns of the terminal that standard output is; None if it is none."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns if on_terminal() else None
    except (OSError, ValueError):
        return None
