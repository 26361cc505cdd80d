"""Command lines split into words, each character with its place."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.readers.shell_words import shell_words
from toolsurface_lint.source.text import GAP


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("--a b", ["--a", "b"]),
        ("--a 'b c'\"d\"", ["--a", "b cd"]),
        (r'a\ b "c\"d" "\e"', ["a b", 'c"d', r"\e"]),
        ("Bash(gh:*) '' |", ["Bash(gh:*)", "", "|"]),
        ("# no\n  # no\na # b\n#c\nd", ["a", "#", "b", "d"]),
        ("${{ inputs.a || 'b c' }}d e", [f"{GAP}d", "e"]),
        ("'open and", ["open and"]),
        ("${{ open", ["${{", "open"]),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert [word.text for word in shell_words(text)] == words


@given(st.text("ab'\"\\ \t\n#${}(),-"))
def test_every_character_has_its_place(text: str) -> None:
    for word in shell_words(text):
        assert len(word.offsets) == len(word.text) + 1
        assert word.offsets == sorted(set(word.offsets)) or not word.text
        for character, offset in zip(word.text, word.offsets, strict=False):
            assert character in (text[offset], GAP)


@given(st.lists(st.text("ab'\"\\ (),-*", min_size=1)))
def test_quoted_words_come_back(words: list[str]) -> None:
    assert [word.text for word in shell_words(shlex.join(words))] == words
