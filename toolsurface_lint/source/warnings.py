"""What Python says of the code and the patterns that are linted."""

from __future__ import annotations

import warnings
from _thread import RLock  # `threading` takes longer to import
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

_lock = RLock()
"""The filters are the interpreter's, not a thread's."""


@contextmanager
def python_warnings(action: Literal["error", "ignore"]) -> Iterator[None]:
    """Let Python's warnings be raised or ignored meanwhile: what they speak of is linted, not ours."""
    with _lock, warnings.catch_warnings():
        warnings.simplefilter(action)
        yield
