from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.long import examples
from tests.work import memory_taken
from toolsurface_lint.model.names import CloseNames, close_names
from toolsurface_lint.model.tool import Tool
from toolsurface_lint.model.vocabulary import (
    CLOSE,
    COMPOUND,
    DECLARED,
    NOTHING,
    PLAIN,
    SHAPED,
    Vocabulary,
    style_of,
)
from toolsurface_lint.readers.tool_format import set_schema
from toolsurface_lint.source.tree import Node, plain

_NAME = st.text("abAB_-.", min_size=1, max_size=12)
_OTHERS = [f"unlike_them_all_{number:02}" for number in range(40)]
"""So many that names among them are found by an index."""


@pytest.mark.slow
@settings(max_examples=examples(400))
@given(_NAME, st.lists(_NAME, max_size=12, unique=True))
@example("readfile", ["read_file", "ReadFile"])
@example("aaaaaaaaaa", ["baaaaaaaab", "aaaabbaaaa", "aaaaaaaa"])
def test_the_index_finds_what_comparing_finds(name: str, names: list[str]) -> None:
    assert CloseNames(names).find(name) == close_names(name, names)
    assert CloseNames([*names, *_OTHERS]).find(name) == close_names(name, [*names, *_OTHERS])


@given(_NAME, st.lists(_NAME, max_size=12), st.lists(_NAME, max_size=12))
@example("Reed", ["read"], ["Read", "reads"])
@example("read_flie", ["read_file"], ["read_file", "read_files"])
def test_the_names_of_a_client_are_found_like_declared_ones(name: str, names: list[str], own: list[str]) -> None:
    declared = Vocabulary({one: [] for one in names})
    together = Vocabulary({one: [] for one in (*own, *names)})
    assert declared.with_client(frozenset(own), {}).near(name) == together.near(name)


@pytest.mark.slow
@settings(max_examples=examples(200))
@given(st.text("abcdefgh_", min_size=5, max_size=20), st.data())
def test_the_index_finds_every_small_edit(name: str, data: st.DataObject) -> None:
    edited = list(name)
    for _ in range(data.draw(st.integers(1, 2))):
        at = data.draw(st.integers(0, len(edited) - 1))
        edited[at : at + data.draw(st.integers(0, 1))] = data.draw(st.sampled_from(["", "x", "y"]))
    other = "".join(edited)
    assert CloseNames([name, *_OTHERS]).find(other) == close_names(other, [name, *_OTHERS])


@pytest.mark.parametrize(
    ("name", "style"),
    [
        ("read_file", "snake"),
        ("read-file", "kebab"),
        ("files.read", "dotted"),
        ("files/read", "dotted"),
        ("readFile", "camel"),
        ("ReadFile", "pascal"),
        ("Read", "word"),
        ("read", "word"),
        ("_read", "word"),
        ("READ", "mixed"),
        ("READ_FILE", "snake"),
    ],
)
def test_the_style_of_a_name(name: str, style: str) -> None:
    assert style_of(name) == style


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("grep_search", DECLARED),
        ("grepSearch", CLOSE),
        ("grep_serch", CLOSE),
        ("replac", CLOSE),
        ("save_note", SHAPED),
        ("note_writer", SHAPED),
        ("code_search", SHAPED),
        ("response_parts", COMPOUND),
        ("session_id", PLAIN),
        ("archive", PLAIN),
        ("readNote", PLAIN),
        ("TypeScript", PLAIN),
        ("read-note", NOTHING),
        ("notes.read", NOTHING),
        ("save_note.py", NOTHING),
        ("SAVE_NOTE", NOTHING),
        ("__init__", NOTHING),
        ("pytest", NOTHING),
        ("snake_case", NOTHING),
        ("tool_search_tool_regex", NOTHING),
        ("x", NOTHING),
        ("x" * 200, NOTHING),
    ],
)
def test_the_kind_of_a_name(name: str, kind: int) -> None:
    known = Vocabulary({name: [] for name in ("grep_search", "replace", "web_fetch")})
    assert known.kind(name) == kind
    # The answer is remembered.
    assert known.kind(name) == kind


def test_other_styles_count_where_they_are_declared() -> None:
    assert Vocabulary({"read-note": []}).kind("save-note") == SHAPED
    assert Vocabulary({"readNote": []}).kind("saveNote") == SHAPED
    assert Vocabulary({"notes.read": []}).kind("notes.save") == SHAPED
    assert Vocabulary({"notes.read": []}).kind("config.save") == NOTHING


def test_parameters_at_any_depth_and_enum_values_are_arguments() -> None:
    schema = {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "items": {
                "type": "array",
                "items": {"type": "object", "properties": {"inner_name": {"enum": ["one_way"]}}},
            },
        },
    }
    tree = plain({"name": "a_b", "inputSchema": schema}).tree
    tool = Tool(Node(tree, ("name",), "a_b"), "mcp", tree, ())
    set_schema(tool, tree.root.get("inputSchema"))
    known = Vocabulary({"a_b": [tool]})
    assert [known.is_argument(name) for name in ("path", "inner_name", "one_way", "a_b")] == [True, True, True, False]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("blue_parcel", SHAPED),
        ("blue_parcel_queue", SHAPED),
        ("parcel_queue", SHAPED),
        ("blue_queue", COMPOUND),
        ("lue_parcel", COMPOUND),
        ("parcel_que", COMPOUND),
    ],
)
def test_what_stands_between_the_underscores_of_a_declared_name_is_shaped(name: str, kind: int) -> None:
    assert Vocabulary({"big_blue_parcel_queue_report": [], "z": []}).kind(name) == kind


def test_the_parts_of_names_take_memory_in_proportion_to_the_names() -> None:
    names = ["_".join(f"{letter}{number}" for letter in "abcdefghijklmnopqrstuvwxyz") for number in range(300)]
    vocabulary = Vocabulary({name: [] for name in names})
    assert memory_taken(lambda: vocabulary.kind("blue_parcel")) < 200 * sum(map(len, names))
