"""What the matcher needs of the interpreter does not outlast its tests."""

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _recursion_limit() -> Iterator[None]:
    """With the limit that the matcher sets, code that counts on `RecursionError` would overflow the stack instead."""
    limit = sys.getrecursionlimit()
    yield
    sys.setrecursionlimit(limit)
