from __future__ import annotations

import ast
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.source.fstrings import written_offsets, written_text
from toolsurface_lint.source.python import text_offsets
from toolsurface_lint.source.text import GAP


def read(raw: str) -> tuple[str, list[int] | None]:
    node = ast.parse(f"({raw}\n)", mode="eval").body
    assert isinstance(node, ast.JoinedStr)
    return written_text(node), written_offsets(raw)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ('f"use {x} now"', "use _ now"),
        ('f"{x}"', "_"),
        ('f"a" "b{x}" f"{y}c"', "ab{x}_c"),
        ('f"{{x}} {y}"', "{x} _"),
        ('f"{x!r} {y:>{width}} {z:%d {a}}b"', "_ _ _b"),
        ("f\"{d['a']} {f'{x}'} {g('}')}b\"", "_ _ _b"),
        ('f"{ {1: 2}[1] }{x[1:2]}{(lambda: 1)()}b"', "___b"),
        ('f"{x != y}{(y:=1)}b"', "__b"),
        ('f"""{\nx\n}\nb\\\nc"""', "_\nbc"),
        ('f"\\n\\x41\\N{BULLET}\\d{x}"', "\nA\N{BULLET}\\d_"),
        ("rf'\\n\\'{x}\\\\'", "\\n\\'_\\\\"),
        ('f"é{x}é"', "é_é"),
        ('f"a"  # f"\n f"{x}"', "a_"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_the_text_that_is_written_in_an_f_string(raw: str, text: str) -> None:
    written, offsets = read(raw)
    assert written == text.replace("_", GAP)
    assert offsets is not None
    assert len(offsets) == len(written) + 1
    assert raw[offsets[-1]] in "\"'"
    for character, at in zip(written, offsets, strict=False):
        assert raw[at] in (character, "{" if character == GAP else "\\")


def test_a_field_that_shows_its_own_text_is_not_read() -> None:
    assert text_offsets('f"{x=}"', read('f"{x=}"')[0]) is None


@pytest.mark.parametrize("raw", ['f"{x"', "f'''a", 'f"}"', "x", 'f"{' + "f'{" * 30, 'bf"a"', ""])
def test_what_is_no_f_string(raw: str) -> None:
    assert written_offsets(raw) is None


@pytest.mark.skipif(sys.version_info < (3, 12), reason="only newer versions allow the quotes around a field in it")
def test_quotes_in_a_field() -> None:
    raw = 'f"a {d["k"]} {f"{"b"}"} c"'
    assert read(raw)[0] == f"a {GAP} {GAP} c"


LITERAL = st.tuples(
    st.sampled_from(["", "f", "F", "rf", "r"]),
    st.sampled_from(['"', "'", '"""', "'''"]),
    st.text(st.sampled_from("ab é\n\t{}\\'\"x:!#1[]()"), max_size=12),
)


@given(st.lists(LITERAL, min_size=1, max_size=3))
@pytest.mark.filterwarnings("ignore")
def test_what_python_reads_is_understood_or_left(literals: list[tuple[str, str, str]]) -> None:
    raw = " ".join(prefix + quote + text + quote for prefix, quote, text in literals)
    offsets = written_offsets(raw)
    try:
        node = ast.parse(f"({raw}\n)", mode="eval").body
    except (SyntaxError, ValueError):
        return
    if isinstance(node, ast.JoinedStr):
        text = written_text(node)
        if offsets is not None and len(offsets) == len(text) + 1:
            for character, at in zip(text, offsets, strict=False):
                assert raw[at] in (character, "{", "\\")
