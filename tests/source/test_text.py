"""The lines of a text: they end as editors count them."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.source.text import LineIndex


@given(st.text(alphabet="a\r\n\u2028\f"))
def test_lines_end_at_all_ends_that_editors_count(text: str) -> None:
    assert LineIndex(text).starts == [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", text))]
