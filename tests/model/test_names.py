from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.work import lines_run, memory_taken
from toolsurface_lint.model.names import (
    CloseNames,
    close_names,
    did_you_mean,
    edit_distance,
    folded,
    likely_meant,
    slip,
    suggestion,
    swapped_in,
)


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
    ("value", "words", "near"),
    [
        ("alow_it", ["allow_it", "deny"], ("allow_it",)),
        # Of two that are equally close, nobody knows which is meant.
        ("read_filex", ["read_filea", "read_fileb"], ("read_filea", "read_fileb")),
        ("something", ["allow_it", "deny"], ()),
        (3, ["allow_it"], ()),
    ],
)
def test_a_slip_is_a_text_that_is_close_to_a_word(value: object, words: list[str], near: tuple[str, ...]) -> None:
    assert slip(value, words) == near


@given(st.lists(st.text("abcde_", max_size=11), max_size=40, unique=True), st.text("abcde_", max_size=11))
def test_the_index_finds_what_a_look_at_all_names_does(names: list[str], name: str) -> None:
    # Few names are looked at without an index.
    many = [*names, *(f"unlike_them_all_{number:02}" for number in range(40))]
    assert CloseNames(names).find(name) == close_names(name, names)
    assert CloseNames(many).find(name) == close_names(name, many)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("linaer", ("linear",)),
        ("waether", ("weather",)),
        ("ilnear", ()),
        ("linear", ()),
        ("linera", ("linear",)),
        ("", ()),
    ],
)
def test_names_with_two_letters_swapped(name: str, meant: tuple[str, ...]) -> None:
    assert swapped_in(name, {"linear", "weather", "tides"}) == meant


@pytest.mark.slow
@given(st.lists(st.text("ab_", min_size=6, max_size=11), max_size=60, unique=True), st.text("ab_", max_size=11))
def test_in_a_crowd_the_first_name_an_edit_away_is_found(names: list[str], name: str) -> None:
    crowd = [f"create_item_{number:04}" for number in range(600)]
    names = [f"create_item_{one}" for one in names]
    name = f"create_item_{name}"
    found, all_close = CloseNames([*crowd, *names]).find(name), close_names(name, [*crowd, *names])
    # Two edits away, only neighbours in the alphabet are compared.
    assert set(found) <= set(all_close)
    near = [one for one in all_close if folded(one) == folded(name) or edit_distance(one, name, 1) is not None]
    assert found[: min(len(near), 2)] == tuple(near[:2])


NAMES = {
    "numbered": ("read_file_{}", "read_filx_{}"),
    "of one beginning": ("read_file_{}_x", "read_file_y_{}"),
    "of one end": ("a{}_read_files", "b{}_read_files"),
    "one letter apart": ("read_file_{0:c}", "read_file_{0:c}s"),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", NAMES)
def test_work_grows_with_the_names(kind: str) -> None:
    declared, unknown = NAMES[kind]

    def search(size: int) -> None:
        numbers = range(0x4E00, 0x4E00 + size) if ":c" in declared else range(size)
        index = CloseNames([declared.format(number) for number in numbers])
        for number in numbers:
            index.find(unknown.format(number))

    assert lines_run(lambda: search(1_000)) < 5 * lines_run(lambda: search(250))


@pytest.mark.slow
def test_the_index_takes_memory_in_proportion_to_the_names() -> None:
    """In a crowd of long ones too, each of which has two hundred places for an edit."""
    names = [f"{'a_long_name_' * 9}{number:06}" for number in range(500)]
    assert memory_taken(lambda: CloseNames(names).find(names[0][:-1] + "x")) < 200 * sum(map(len, names))


@pytest.mark.parametrize(
    ("name", "other", "meant"),
    [
        ("tols", "tools", True),
        ("toolls", "tools", True),
        ("toosl", "tools", True),
        ("Raed", "Read", True),
        ("commnad", "command", True),
        ("Reads", "Read", True),
        ("Bead", "Read", False),
        ("Rear", "Read", False),
        ("ead", "Read", False),
        ("Tasks", "Read", False),
        ("read_fil", "read_file", True),
        ("Read", "Read", False),
    ],
)
def test_short_names_are_meant_only_where_a_letter_is_lost_doubled_or_swapped(
    name: str, other: str, meant: bool
) -> None:
    assert likely_meant(name, [other]) == ((other,) if meant else ())
