"""What is remembered of a content, how much of it, and what is not."""

from __future__ import annotations

from functools import partial

import pytest

from toolsurface_lint.source import shared as module
from toolsurface_lint.source.shared import Shared, look_around, remembered, shared


def test_a_content_is_asked_about_once() -> None:
    known = Shared[str](100)
    asked: list[str] = []

    def size(text: str) -> int:
        asked.append(text)
        return len(text)

    assert [remembered(known.of(text, 1), "size", partial(size, text)) for text in "aab"] == [1, 1, 1]
    assert asked == ["a", "b"]


def test_the_one_that_was_asked_about_first_is_forgotten_first() -> None:
    known = Shared[str](2)
    for text in "aba":
        known.of(text, 1)["question"] = text
    known.of("c", 1)
    assert "question" in known.of("a", 1)
    assert "question" not in known.of("b", 1)


def test_a_content_larger_than_all_that_is_kept_is_kept_alone() -> None:
    known = Shared[str](2)
    known.of("a", 1)["question"] = 1
    known.of("long", 4)["question"] = 2
    assert known.of("long", 4) == {"question": 2}
    assert known.of("a", 1) == {}
    assert known.of("long", 4) == {}


def test_an_answer_that_something_else_decides_is_not_remembered() -> None:
    known: dict[object, object] = {}

    def answer() -> int:
        look_around()
        return len(known)

    assert remembered(known, "inner", lambda: remembered(known, "outer", answer)) == 0
    assert known == {}


def test_equal_texts_have_one_answer_for_each_function_and_each_further_argument(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_texts", Shared[str](1000))
    calls: list[tuple[str, int]] = []

    @shared
    def doubled(text: str, times: int = 1) -> list[str]:
        calls.append((text, times))
        return [text] * times

    @shared
    def other(text: str, times: int = 1) -> list[str]:
        return [text]

    first = doubled("abc", 2)
    assert doubled("".join(["ab", "c"]), 2) is first
    assert doubled("abc", 3) == ["abc"] * 3
    assert other("abc", 2) == ["abc"]
    assert calls == [("abc", 2), ("abc", 3)]
