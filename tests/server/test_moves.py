"""Places through edits: against a reference that follows every character of the old text by itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.server import moves
from toolsurface_lint.server.moves import Moves, changed
from toolsurface_lint.source.text import Span

SIZE = 12
EDITS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 6), st.integers(0, 4)), max_size=12)


def follow(edits):
    """The edits as a mapping, and the present text as a list: the old offset of each character, None for a new one."""
    mapping, text = Moves(), list(range(SIZE))
    for at, removed, size in edits:
        start = min(at, len(text))
        end = min(start + removed, len(text))
        mapping.add(Span(start, end), size)
        text[start:end] = [None] * size
    return mapping, text


@given(EDITS)
def test_what_is_left_of_the_old_text_is_found(edits):
    mapping, text = follow(edits)
    kept = {old: now for now, old in enumerate(text) if old is not None}
    for old in range(SIZE):
        start, end = mapping.span(Span(old, old + 1))
        assert 0 <= start <= end <= len(text)
        # What is gone stays between its neighbours that are left.
        before = max((now + 1 for other, now in kept.items() if other < old), default=0)
        behind = min((now for other, now in kept.items() if other > old), default=len(text))
        assert before <= start <= end <= behind
    last = mapping.span(Span(0, SIZE))
    assert all(last.start <= now < last.end for now in kept.values())


@given(EDITS)
def test_the_way_back_ends_where_it_began(edits):
    mapping, text = follow(edits)
    for now in range(len(text) + 1):
        old = mapping.back(now)
        assert 0 <= old <= SIZE
        before = [each for each in text[:now] if each is not None]
        behind = [each for each in text[now:] if each is not None]
        assert max(before, default=-1) < old or not before
        assert old <= min(behind, default=SIZE)


@given(EDITS)
def test_places_far_from_all_edits_move_exactly(edits):
    mapping, text = follow(edits)
    untouched = len(text)
    mapping.add(Span(untouched, untouched), 3)
    # Between two edits that touch neither of them.
    inner = [now for now in range(1, len(text) - 1) if None not in text[now - 1 : now + 2]]
    for now in inner:
        if text[now - 1] + 1 == text[now] == text[now + 1] - 1:
            assert mapping.span(Span(text[now], text[now] + 1)) == Span(now, now + 1)
            assert mapping.back(now) == text[now]


def test_what_is_typed_into_a_name_belongs_to_it_and_what_is_typed_beside_does_not():
    mapping = Moves()
    mapping.add(Span(5, 5), 2)
    assert mapping.span(Span(3, 8)) == Span(3, 10)
    assert mapping.span(Span(5, 8)) == Span(7, 10)
    assert mapping.span(Span(3, 5)) == Span(3, 5)
    assert [mapping.back(offset) for offset in (4, 5, 6, 7, 8)] == [4, 5, 5, 5, 6]


def test_typing_at_one_place_is_one_hunk_and_many_places_have_a_bound():
    typed = Moves()
    for number in range(1000):
        typed.add(Span(7 + number, 7 + number), 1)
    assert len(typed._hunks) == 1
    assert typed.span(Span(7, 9)) == Span(1007, 1009)
    many = Moves()
    for number in range(3 * moves._MOST):
        many.add(Span(10 * number, 10 * number), 1)
        assert len(many._hunks) <= moves._MOST
    end = 10 * 3 * moves._MOST
    assert many.span(Span(end, end + 1)) == Span(end + 3 * moves._MOST, end + 3 * moves._MOST + 1)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("abc", "abc", (Span(3, 3), 0)),
        ("abc", "abXc", (Span(2, 2), 1)),
        ("aXXb", "ab", (Span(1, 3), 0)),
        ("aa", "aaa", (Span(2, 2), 1)),
        ("", "ab", (Span(0, 0), 2)),
        ("ab", "", (Span(0, 2), 0)),
        ("abc", "xyz", (Span(0, 3), 3)),
    ],
)
def test_what_a_new_text_changes(old, new, expected):
    assert changed(old, new) == expected


@given(st.text(alphabet="ab", max_size=12), st.text(alphabet="ab", max_size=12))
def test_the_change_leads_from_one_text_to_the_other(old, new):
    span, size = changed(old, new)
    assert old[: span.start] + new[span.start : span.start + size] + old[span.end :] == new
