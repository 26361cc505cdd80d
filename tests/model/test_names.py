from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.model.names import close_names, did_you_mean, edit_distance, folded, slip, suggestion


@pytest.mark.parametrize(
    ("name", "other", "close"),
    [
        ("read_flie", "read_file", True),
        ("read_file", "readFile", True),
        ("Read-File", "read_file", True),
        ("search", "serch", True),
        ("search", "serhc", False),
        ("searching", "saerching", True),
        ("grep", "grap", False),
        ("Read", "read", False),
        ("run_a", "run_b", False),
        ("list_a", "list_b", True),
        ("abcdefgh", "abcdefXY", True),
        ("abcdefgh", "abcdeXYZ", False),
        ("abcdefg", "abcdeXY", False),
        # The shorter of the two decides how far apart they may be.
        ("abcdefg", "abcdefgXY", False),
        ("read_file", "write_file", False),
    ],
)
def test_names_are_close_by_their_length(name: str, other: str, close: bool) -> None:
    assert (close_names(name, [other]) == (other,)) is close
    assert (close_names(other, [name]) == (name,)) is close


def test_the_closest_comes_first_then_the_alphabet() -> None:
    candidates = ["read_fileXX", "read_filz", "read_filb", "readFile", "read_file", "other_name"]
    assert close_names("read_file", candidates) == ("readFile", "read_filb", "read_filz", "read_fileXX")


def test_folding_leaves_letters_and_digits() -> None:
    assert folded("Read-File_2.x") == "readfile2x"


def _full_distance(left: str, right: str) -> int:
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        diagonal, row[0] = row[0], i
        for j, b in enumerate(right, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (a != b))
    return row[-1]


_NAMES = st.text(alphabet="abc_", max_size=9)


@given(_NAMES, _NAMES, st.integers(0, 3))
def test_the_bounded_distance_is_the_distance(left: str, right: str, limit: int) -> None:
    distance = _full_distance(left, right)
    assert edit_distance(left, right, limit) == (distance if distance <= limit else None)


def test_a_suggestion_is_the_first_of_the_names_that_are_close() -> None:
    assert suggestion(("read_file", "read_fires")) == "did you mean `read_file`?"
    assert suggestion(()) is None
    assert did_you_mean("read_fiel", ["read_file"]) == ", did you mean `read_file`?"


@pytest.mark.parametrize(
    ("value", "words", "help", "meant"),
    [
        ("alow_it", ["allow_it", "deny"], "did you mean `allow_it`?", "allow_it"),
        # Of two that are equally close, nobody knows which is meant.
        ("read_filex", ["read_filea", "read_fileb"], "did you mean `read_filea`?", None),
        ("something", ["allow_it", "deny"], None, None),
        (3, ["allow_it"], None, None),
    ],
)
def test_a_slip_is_corrected_if_one_word_is_meant(
    value: object, words: list[str], help: str | None, meant: str | None
) -> None:
    assert slip(value, words) == (help, meant)
