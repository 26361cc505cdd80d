"""Python's warnings about what is linted: raised or ignored, by one thread at a time."""

from __future__ import annotations

import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

import pytest

from toolsurface_lint.source.warnings import python_warnings


def test_threads_do_not_change_each_others_filters() -> None:
    def warn(action: Literal["error", "ignore"]) -> str:
        with python_warnings(action):
            time.sleep(0.01)
            try:
                warnings.warn("of what is linted", FutureWarning, stacklevel=1)
            except FutureWarning:
                return "error"
        return "ignore"

    before = list(warnings.filters)
    actions: list[Literal["error", "ignore"]] = ["error", "ignore", "ignore", "error"] * 5
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(warn, actions)) == actions
    assert list(warnings.filters) == before


def test_what_is_raised_leaves_the_filters_as_they_were() -> None:
    before = list(warnings.filters)
    with pytest.raises(KeyError), python_warnings("ignore"):
        raise KeyError
    assert list(warnings.filters) == before
