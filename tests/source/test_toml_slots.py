"""Where something is written in a TOML text, or may be."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.project.settings.toml import toml_key, toml_value
from toolsurface_lint.source.toml.slots import HEADER, KEY, VALUE, slot_at, slots

NAMES = st.sampled_from(["a", "b", "c-d", "e f", "é"])
SCALARS = st.one_of(st.booleans(), st.integers(0, 99), st.sampled_from(["", "x", 'a"b', "c'd", "#", "]", "𝒜", "e\\f"]))
INLINE: st.SearchStrategy[Any] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=6
)
TABLES = st.dictionaries(NAMES, INLINE, max_size=3)
DOCUMENTS = st.tuples(
    TABLES, st.lists(st.tuples(NAMES, TABLES), max_size=4), st.sampled_from(["", "\n", " # x\n", "\r\n"])
)


def written(document: tuple[dict[str, Any], list[tuple[str, dict[str, Any]]], str]) -> str:
    """A document of a table, and of arrays of tables whose names are not in it."""
    root, tables, end = document
    lines = [f"{toml_key(key)} = {toml_value(value)}" for key, value in root.items()]
    for name, table in tables:
        lines += [f"[[t-{toml_key(name)}]]" if name == "a" else f'[["t {name}".{toml_key(name)}]]']
        lines += [f"  {toml_key(key)}={toml_value(value)}" for key, value in table.items()]
    return (end or "\n").join(lines) + end


def scalars(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], Any]]:
    if isinstance(value, dict):
        return [one for key, item in value.items() for one in scalars(item, (*path, key))]
    if isinstance(value, list):
        return [one for index, item in enumerate(value) for one in scalars(item, (*path, index))]
    return [(path, value)]


@given(DOCUMENTS)
def test_values_are_at_the_paths_that_a_parser_finds(document: Any) -> None:
    text = written(document)
    found = [slot for slot in slots(text) if slot.role == VALUE and (slot.text or slot.quote)]
    expected = sorted((str(path), value) for path, value in scalars(tomllib.loads(text)))
    as_text = {True: "true", False: "false"}
    assert sorted((str(slot.path), slot.text) for slot in found) == sorted(
        (
            path,
            value
            if isinstance(value, str)
            else as_text.get(value, str(value))
            if isinstance(value, bool)
            else str(value),
        )
        for path, value in expected
    )
    for slot in found:
        assert (
            text[slot.whole.start : slot.whole.end] == slot.quote + text[slot.span.start : slot.span.end] + slot.quote
        )


@given(st.text(st.sampled_from("[]{}\"'ab.= \n\r#,\\"), max_size=60))
def test_any_text_has_slots_inside_of_it(text: str) -> None:
    for slot in slots(text):
        assert 0 <= slot.whole.start <= slot.span.start <= slot.span.end <= slot.whole.end <= len(text)


UNFINISHED = [
    ("sel|", (KEY, (), "sel")),
    ("sel\n|", (KEY, (), "")),
    ("a = |", (VALUE, ("a",), "")),
    ("a = | # x", (VALUE, ("a",), "")),
    ("a.b.|\n", (KEY, ("a", "b"), "")),
    ('a = "b|\nc = 1', (VALUE, ("a",), "b")),
    ('a = ["b", |\nc = 1', (VALUE, ("a", 1), "")),
    ('a = ["b"\n[c]\n|', (KEY, ("c",), "")),
    ('a = ["b"\nc = |', (VALUE, ("c",), "")),
    ('a = [\n  # x\n  |\n]', (VALUE, ("a", 0), "")),
    ("a = {b = 1, |", (KEY, ("a",), "")),
    ("a = [{b = '|'", (VALUE, ("a", 0, "b"), "")),
    ("[[a]]\n[[a]]\n|", (KEY, ("a", 1), "")),
    ("[[a]]\n[[a.b]]\nc = |", (VALUE, ("a", 0, "b", 0, "c"), "")),
    ("[a.|", (HEADER, ("a",), "")),
    ("[[|]]", (HEADER, (), "")),
]  # fmt: skip


@pytest.mark.parametrize(("marked", "expected"), UNFINISHED)
def test_what_may_be_written_at_the_mark(marked: str, expected: tuple[str, Any, str]) -> None:
    slot = slot_at(slots(marked.replace("|", "", 1)), marked.index("|"))
    assert slot is not None
    assert (slot.role, slot.path, slot.text) == expected


@pytest.mark.parametrize("marked", ["# |", "a = 1 |", "a = 1 # |", 'a = ["b" |', "a = [ # |\n", '"a" = "b"|'])
def test_where_nothing_may_be_written(marked: str) -> None:
    assert slot_at(slots(marked.replace("|", "", 1)), marked.index("|")) is None


@pytest.mark.parametrize("opener", ["[", "{", "a.", "a={b=", "[[", '"""'])
def test_what_nests_too_deeply_is_not_looked_at(opener: str) -> None:
    assert len(slots("a = " + opener * 5000)) < 200
