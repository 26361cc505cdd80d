"""Writing to the terminal, to pipes and to files: nothing else in the package writes to a standard stream."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from io import TextIOWrapper
from typing import TextIO


class CommandError(Exception):
    """Wrong usage, or a request that cannot be carried out: reported on one line, exit code 2."""


def prepare() -> None:
    """Let the standard streams take any text: a path or a message may hold characters that their encoding lacks."""
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
    _write_output(lambda output: output.write(text))


def write_bytes(data: bytes) -> None:
    """Write bytes to standard output as they are."""
    _write_output(lambda output: output.buffer.write(data))


def _write_output(put: Callable[[TextIO], object]) -> None:
    if sys.stdout is None:
        return
    try:
        put(sys.stdout)
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still in the buffer would raise again when the interpreter flushes it.
        with open(os.devnull, "wb") as nothing:
            os.dup2(nothing.fileno(), sys.stdout.fileno())
    except OSError as error:
        raise CommandError(f"cannot write to standard output: {error.strerror}") from None


def complain(message: str) -> None:
    """Report on standard error what is not part of the output, on one line.

    Whatever it quotes (paths, keys of settings, arguments) is made visible: it can neither steer a terminal, nor begin a
    line of its own.
    """
    from toolsurface_lint.reporters.characters import visible

    draw(f"toolsurface-lint: {visible(message)}\n")


def complain_of_defect() -> None:
    """Report the exception that is being handled, with its traceback unless the cause is known."""
    from traceback import format_exc

    from toolsurface_lint.project.discovery.paths import working_folder
    from toolsurface_lint.reporters.characters import no_commands, visible

    if working_folder() is None:
        complain(NOWHERE)
        return
    lines = "".join(f"{visible(line)}\n" for line in format_exc().splitlines())
    draw(f"toolsurface-lint: {no_commands(lines)}this is a bug in toolsurface-lint: report it\n")


def draw(text: str) -> None:
    """Write our own text to standard error as it is: help, a progress bar."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError):
        return


NOWHERE = "the working directory no longer exists: change to another one"


def write_file(path: str, text: str) -> None:
    """Write a report to a file. Raises `CommandError`."""
    from toolsurface_lint.run.writing import NotWritten, overwrite

    try:
        overwrite(path, text.encode("utf-8", "backslashreplace"), path)
    except NotWritten as error:
        raise CommandError(str(error)) from None


def on_terminal() -> bool:
    """Whether standard output is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


WHEN = ("auto", "always", "never")
"""When to colour: what `--color` takes."""


def colour(when: str | None = None) -> bool:
    """Whether to colour what goes to standard output: one of `WHEN`, None for `auto`.

    That is on a terminal, unless the environment decides: `NO_COLOR`, then `FORCE_COLOR` or `CLICOLOR_FORCE`, then
    `CLICOLOR=0` (no-color.org, force-color.org, bixense.com/clicolors).
    """
    if when in ("always", "never"):
        return when == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE", "0") not in ("", "0"):
        return True
    return on_terminal() and os.environ.get("TERM") != "dumb" and os.environ.get("CLICOLOR") != "0"


# Terminals that are known to make links of OSC 8 sequences, or to leave them out without a trace.
_LINKING_PROGRAMS = ("Hyper", "iTerm.app", "WezTerm", "ghostty", "rio", "terminology", "vscode", "zed")
_LINKING_TERMS = ("alacritty", "contour", "foot", "rio", "xterm-ghostty", "xterm-kitty")
_LINKING_VARIABLES = ("DOMTERM", "KONSOLE_VERSION", "WT_SESSION")
_VTE = 5000


def links() -> bool:
    """Whether standard output is a terminal that is known to show links. `FORCE_HYPERLINK`, if set, decides (0: no)."""
    forced = os.environ.get("FORCE_HYPERLINK")
    if forced:
        return forced != "0"
    if not on_terminal():
        return False
    vte = os.environ.get("VTE_VERSION", "")
    return (
        os.environ.get("TERM_PROGRAM") in _LINKING_PROGRAMS
        or os.environ.get("TERM", "").startswith(_LINKING_TERMS)
        or any(os.environ.get(name) for name in _LINKING_VARIABLES)
        or (vte.isdecimal() and int(vte) >= _VTE)
    )


def width() -> int | None:
    """The columns for lines on standard output: `COLUMNS`, else those of the terminal; None if it is none."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns if on_terminal() else None
    except (OSError, ValueError):
        return None
