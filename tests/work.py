"""Work, counted: what no other program on the machine changes."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from types import FrameType
from typing import Any

COUNTED = ("toolsurface_lint", "markdown_it", "yaml")


def lines_run(call: Callable[[], object]) -> int:
    """How many lines of the package, of markdown-it-py and of PyYAML a call runs, in this thread.

    What C code does within one line does not show: regular expressions, slices, `in`, `count`.
    """
    count = 0
    counted: dict[str, bool] = {}

    def each_line(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        if event == "line":
            count += 1
        return each_line

    def each_call(frame: FrameType, event: str, argument: Any) -> Any:
        path = frame.f_code.co_filename
        wanted = counted.get(path)
        if wanted is None:
            wanted = counted[path] = not set(COUNTED).isdisjoint(path.replace("\\", "/").split("/"))
        return each_line if wanted else None

    before = sys.gettrace()
    sys.settrace(each_call)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


def memory_taken(call: Callable[[], object]) -> int:
    """The bytes that the objects of a call take at the moment when they take the most."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
