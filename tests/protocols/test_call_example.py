from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.protocols.call_example import CallExample, read_example


def read(text: str, within: str | None = None) -> CallExample | None:
    return read_example(text, 0, len(text), within=within)


def values(example: CallExample | None) -> dict[str, Any] | None:
    """The arguments by key; those that are no literals as the type `object`."""
    if example is None:
        return None
    return {argument.key: argument.value if argument.is_literal else object for argument in example.arguments}


@pytest.mark.parametrize(
    ("text", "expected", "complete"),
    [
        ('({a: 1, "b": "hey", c: [1, 2]})', {"a": 1, "b": "hey", "c": [1, 2]}, True),
        ("(a='x y', b=True, c=None)", {"a": "x y", "b": True, "c": None}, True),
        ("({a: -1.5e3, b: true, c: null, d: False})", {"a": -1500.0, "b": True, "c": None, "d": False}, True),
        ("(\n  a: 1,\n  b: 2,\n)", {"a": 1, "b": 2}, True),
        ("({a: 1, ...})", {"a": 1}, False),
        ("({a: 1, …})", {"a": 1}, False),
        ('("x", a=1)', {"a": 1}, False),
        ("({a: ...})", {"a": object}, False),
        ("({a: {b: 2}, c: f(1, 2), d: 3})", {"a": object, "c": object, "d": 3}, True),
        ('({a: {"b": [2]}})', {"a": {"b": [2]}}, True),
        ('({a: "x" | "y"})', {"a": object}, True),
        ("({a: 1", {"a": 1}, False),
        ("(a == 1)", None, False),
        ("(https://example.org)", None, False),
    ],
)
def test_arguments(text: str, expected: dict[str, Any] | None, complete: bool) -> None:
    example = read(text)
    assert values(example) == expected
    assert (example is not None and example.complete) == complete


@pytest.mark.parametrize("text", ["()", "({})", '("x")', "(x)", "", "x(a=1)", "(", "(" + "a" * 30_000 + ": 1)"])
def test_nothing_to_speak_of(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize(
    "value",
    [
        '"..."',
        '"<path>"',
        '"{path}"',
        '"$HOME"',
        '"YOUR_KEY"',
        '"your name"',
        '"value"',
        "path",
        "`x`",
        '"a\\nb"',
        "1 + 1",
    ],
)
def test_placeholders_are_no_literals(value: str) -> None:
    assert values(read(f"(a={value})")) == {"a": object}


def test_places_are_those_of_the_text() -> None:
    text = '😀 run({"a": "b", c: 12})'
    example = read_example(text, 5, len(text))
    assert example is not None
    assert [(text[slice(*one.key_span)], text[slice(*one.value_span)]) for one in example.arguments] == [
        ("a", '"b"'),
        ("c", "12"),
    ]


def test_the_arguments_of_a_call_that_is_an_object() -> None:
    text = '{"name": "x", "arguments": {"path": "a", "n": 1}}'
    assert values(read(text, within="arguments|args")) == {"path": "a", "n": 1}
    assert read('{"name": "x"}', within="arguments") is None


@given(st.text("(){}[]\"'`\\,:=ab1. …\n", max_size=40))
def test_it_never_fails(text: str) -> None:
    example = read(text)
    for argument in example.arguments if example else ():
        assert text[argument.key_span.start : argument.key_span.end] == argument.key
        assert 0 <= argument.value_span.start < argument.value_span.end <= len(text)
