"""Names, looked up by the patterns of policies."""

from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.model.patterns import NameIndex, glob_match

TEXTS = st.text("ab*", max_size=4)


@given(st.lists(TEXTS, max_size=8), TEXTS)
def test_the_names_that_a_pattern_matches(names: list[str], pattern: str) -> None:
    matching = [position for position, name in enumerate(names) if glob_match(pattern, name)]
    assert NameIndex(names).matched(pattern, 100) == (matching, len(matching))
    found, count = NameIndex(names).matched(pattern, 2)
    assert count == len(matching)
    assert set(found) <= set(matching)
    assert len(found) == min(2, count)
