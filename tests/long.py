"""How much of what can be tried without end is tried.

The tests of the gate try a part, the same at every run. With `TOOLSURFACE_LINT_TEST_LONG=1` they try all.
"""

from __future__ import annotations

import os

LONG = os.environ.get("TOOLSURFACE_LINT_TEST_LONG") == "1"
_FEWEST = 5


def examples(number: int) -> int:
    """How many examples a property is tried with: `number` in the long run, a third of them in the gate."""
    return number if LONG else max(_FEWEST, number // 3)
