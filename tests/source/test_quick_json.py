"""The quick reader of JSON, which is an extra, gives what the standard one gives, or hands over to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.source.json_lines import Lines
from toolsurface_lint.source.json_values import quick_reader, scan_value

quickly = quick_reader()
pytestmark = pytest.mark.skipif(quickly is None, reason="needs the extra `fast`")

ODD = [
    "NaN", "[Infinity]", "-Infinity", "1e400", "-1e400", "1e-400", "5e-324", "-0", "-0.0", "0.1", "1E5", "01", "1.", ".5",
    "123456789012345678901234567890", "-9223372036854775809", "18446744073709551616", "9007199254740993.0",
    "1" + "0" * 400, "1" * 4400, '"\\ud800"', '"\\udc00x"', '"\\ud83d\\ude00"', '"\\ud83d\\u0041"', '{"\\ud800": 1}',
    '{"a": 1, "a": 2}', '{"a": 1, "b": 2, "\\u0061": 3}', '"\t"', '"\x7f"', '"\\/"', '"\\x"', '"\\u0000"', '"\u2028"', " 1 ",
    "1 2", "",
    '"a', "[" * 1500 + "]" * 1500, "[" * 700 + "]" * 700, "[" * 499 + "]" * 499, '{"a":' * 600 + "1" + "}" * 600, "tru", "null",
    "[1,]", "[1] // one", '{"a": 1,}', "{'a': 1}", "\x0b1", "\xa01",
]  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=12,
)
TEXTS = st.one_of(
    VALUES.map(json.dumps),
    VALUES.map(lambda value: json.dumps(value, ensure_ascii=False)),
    st.lists(
        st.sampled_from([*ODD, '{"a":', "}", "[", "]", ",", ":", '"', "\\", "\\u12", "1", "e", "-", "."]), max_size=6
    ).map("".join),
)


def standard(text: str) -> str | None:
    """What the value of a text is, with its types and the order of its keys; None if there is none."""
    try:
        value, end = scan_value(text, len(text) - len(text.lstrip(" \t\r\n")))
    except (StopIteration, ValueError, RecursionError):
        return None
    return None if text[end:].strip(" \t\r\n") else told(value)


def quick(text: str) -> str | None:
    assert quickly is not None
    try:
        return told(quickly(text.encode()))
    except (ValueError, RecursionError):
        return None


def told(value: Any) -> str:
    return repr(value)


@pytest.mark.parametrize("text", ODD, ids=lambda text: text[:24])
def test_odd_values_are_the_same_or_handed_over(text: str) -> None:
    assert quick(text) in (None, standard(text))


@given(TEXTS)
def test_any_value_is_the_same_or_handed_over(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    assert quick(text) in (None, standard(text))


@given(VALUES)
def test_what_is_ordinary_is_not_handed_over(value: Any) -> None:
    text = json.dumps(value)
    assert quick(text) is not None or "\\ud" in text


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_give_the_same_trees_and_problems(end: str, tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(end.join(["\ufeff{}", *ODD, '{"café": "ü"}']).encode() + b'\n"\xff"\n[1]')
    found = []
    for reader in (None, quickly):
        lines = Lines(str(path), "lines.jsonl", quickly=reader)
        trees = [
            (told(tree.value), tree.source.number, tree.source.offset) for tree in lines if tree.source is not None
        ]
        problems = [
            (problem.code, problem.at.source.number, problem.at.span, problem.at.lines) for problem in lines.problems
        ]
        found.append((trees, problems, lines.lines, lines.characters))
    assert found[0] == found[1]
    assert len(found[0][0]) > 20
