"""Patterns that are matched without going back match what Python's `re` matches, or are not run."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.chat_templates.patterns import LinearPattern, NotRun

PATTERNS = (
    r"</t>\s*",
    r"<\|end\|>\s*",
    r"call:(?P<name>\w+)\{",
    r"call:(?P<name>\S+)\n?",
    r"<p=(?P<key>[^>\n]+)>\s*(?P<value>.*?)\s*</p>",
    r"<p=(?P<key>[^<]+)</p>\s*\n(?P<value>.+?)b",
    r"\{k:\s+a(?P<name>[^b]+)b",
    r"\s*a\s*b",
    r"[ab]+a\n",
    r"a.*?b",
    r"(?:a)b?",
)
PARTS = ("<p=", "</p>", "</t>", "<|end|>", "call:", "{k:", "{", "a", "b", " ", "\n", ">")


@given(st.sampled_from(PATTERNS), st.lists(st.sampled_from(PARTS), max_size=12), st.integers(0, 4))
def test_the_same_as_re(pattern: str, parts: list[str], start: int) -> None:
    text = "".join(parts)
    expected = re.compile(pattern, re.DOTALL).search(text, start)
    try:
        found = LinearPattern(pattern).search(text, start)
    except NotRun:
        return
    assert (found and (found.start, found.end, found.groups)) == (expected and (*expected.span(), expected.groupdict()))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_usual_patterns_are_run(pattern: str) -> None:
    assert LinearPattern(pattern).search("nothing of it") is None


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(?=a)", "a|b", ".*x", "(a)*", r"\bx", "a{2}", "(?P<n>ab)c", "(", "[", "a.*?", r"(.)\1"]
)
def test_others_are_not(pattern: str) -> None:
    with pytest.raises(NotRun):
        LinearPattern(pattern)


@pytest.mark.parametrize("pattern", [r"\w+\{", r"a\s*.*?b", r"(?P<k>[^>]+)>\s*(?P<v>.*?)\s*</p>"])
def test_hostile_texts_take_little_time(pattern: str) -> None:
    start = time.perf_counter()
    for text in ("a" * 8_000, " " * 8_000, "a " * 4_000, "a>" * 4_000):
        try:
            LinearPattern(pattern).search(text)
        except NotRun:
            continue
    assert time.perf_counter() - start < 2
    with pytest.raises(NotRun):
        LinearPattern(pattern).search("a" * 8_001)
