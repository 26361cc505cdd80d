import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.reporters.fingerprints import Fingerprints, line_hashes


def hashes_by_definition(text):
    """The same hashes from a rolling window over the characters, one after the other."""
    window, places = [0] * 100, [-1] * 100
    value, index, line, at_start, after_return = 0, 0, 0, True, False
    counts, found = {}, {}

    def output():
        digits = f"{value % 2**64:x}"
        counts[digits] = counts.get(digits, 0) + 1
        found[places[index]] = f"{digits}:{counts[digits]}"
        places[index] = -1

    def push(unit):
        nonlocal value, index
        value = (value * 37 + unit - pow(37, 100) * window[index]) % 2**64
        window[index] = unit
        index = (index + 1) % 100

    data = text.encode("utf-16-le")
    units = [int.from_bytes(data[at : at + 2], "little") for at in range(0, len(data), 2)]
    for unit in [*units, 65535]:
        if unit in (32, 9) or (after_return and unit == 10):
            after_return = False
            continue
        after_return = unit == 13
        unit = 10 if unit == 13 else unit
        if places[index] != -1:
            output()
        if at_start:
            at_start = False
            line += 1
            places[index] = line
        at_start = unit == 10
        push(unit)
    for _ in range(100):
        if places[index] != -1:
            output()
        push(0)
    return found


# Published by GitHub with the source of its upload action.
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["c129715d7a2bc9a3:1"]),
        (
            " a\nb\n  \t\tc\n d",
            ["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"],
        ),
        (
            "Lorem ipsum dolor sit amet.\n" * 10,
            [f"a7f2ff13bc495cf2:{number}" for number in range(1, 7)],
        ),
    ],
    ids=["empty", "blanks", "repeated"],
)
def test_line_hashes_are_githubs(text, expected):
    lines = range(1, len(expected) + 1)
    assert line_hashes(text, lines) == dict(zip(lines, expected, strict=True))


@given(st.text(st.sampled_from("ab \t\r\n{}\u00e9\u5de5\U0001f600\u2028"), max_size=300))
def test_line_hashes_agree_with_the_definition(text):
    expected = hashes_by_definition(text)
    assert line_hashes(text, expected) == expected


def test_only_the_wanted_lines_are_given():
    text = "".join(random.Random(7).choices("abc\n", k=2000))
    expected = hashes_by_definition(text)
    assert line_hashes(text, {40, 3}) == {3: expected[3], 40: expected[40]}
    assert line_hashes(text, ()) == {}


def test_hashes_that_collide_are_counted_together():
    # 37 * "a" + "z" == 37 * "b" + "U": different text, one hash.
    text = f"az\n{'x' * 120}\nbU\n{'x' * 120}\n"
    hashes = line_hashes(text, {1, 3})
    assert hashes == {line: hashes_by_definition(text)[line] for line in (1, 3)}
    assert hashes[3] == hashes[1][:-1] + "2"


def fingerprints(report):
    named = Fingerprints(report)
    return [named.next(diagnostic, diagnostic.location.path) for diagnostic in report.diagnostics]


@pytest.fixture
def twice(build):
    """A function that gives the fingerprints of two findings in a text."""

    def run(text, message="`read_flie` is no tool", **fields):
        build.diagnostics.clear()
        build.file("a.md", text)
        for nth in (0, 1):
            build.add("SOME_CODE", "error", message, build.at("a.md", "read_flie", nth), **fields)
        return fingerprints(build.report())

    return run


def test_equal_findings_are_counted(twice):
    first, second = twice("read_flie, read_flie")
    assert first.endswith(":1")
    assert second == first[:-1] + "2"


def test_text_above_and_the_wording_change_nothing(twice):
    before = twice("read_flie\nread_flie\n")
    assert twice("\n\n# Title\n\n  read_flie, read_flie\n") == before
    assert twice("read_flie\nread_flie\n", "no tool is called `read_flie`") == before


@pytest.mark.parametrize(
    "fields",
    [{"parameters": ("name=read_flie",)}, {"tool": "x"}, {"field": "x"}],
    ids=["parameters", "tool", "field"],
)
def test_what_is_found_changes_it(twice, fields):
    assert not set(twice("read_flie read_flie")) & set(twice("read_flie read_flie", **fields))
