"""What is said of an exception that is a bug of the linter: what could not be done, and the exception in one line."""

from __future__ import annotations

from typing import TypeVar

from toolsurface_lint.source.modules import WrongDeclaration
from toolsurface_lint.source.problem import Problem

At = TypeVar("At")

_LONGEST = 200


def crash(kind: str, at: At, error: Exception, **values: str) -> Problem[At]:
    """The problem `crash/kind` at a place; `values` fill its message beside `problem`, which says what was raised.

    Nothing of the exception is kept: its traceback would keep all that was being read in memory. Raises it again if it says
    that the installation is broken: that is not about what was being read.
    """
    if isinstance(error, WrongDeclaration | ImportError):
        raise error
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    text = " ".join(text.split())
    return Problem(
        f"crash/{kind}", at, {"problem": text if len(text) <= _LONGEST else f"{text[:_LONGEST]}...", **values}
    )
