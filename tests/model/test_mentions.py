"""Which names in a description may be tools, and by what evidence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.model.mentions import CALL, CODE, NEAR, TOOL, USE, mentions_in


def found(text: str, *, kebab: bool = False, skip: tuple[str, ...] = ()) -> list[tuple[str, str, bool]]:
    every = list(mentions_in(text, skip, kebab=kebab))
    assert all(text[one.start : one.end] == one.name for one in every)
    return [(one.name, one.evidence, one.coded) for one in every]


@pytest.mark.parametrize(
    ("text", "name", "evidence", "coded"),
    [
        ("To rename it, use the 'update_note' tool.", "update_note", TOOL, True),
        ("Proceed to create_note tool.", "create_note", TOOL, False),
        ("Found by the find/read_note tools.", "read_note", TOOL, False),
        ("the `search` tool finds it", "search", TOOL, True),
        ("Ask the tool `read_note` first.", "read_note", TOOL, True),
        ("the read_note() MCP tool", "read_note", TOOL, False),
        ("Use read_note first.", "read_note", USE, False),
        ("then call **read_note**", "read_note", USE, True),
        ("instead of read_note, which is gone", "read_note", USE, False),
        ("More than calling\n  read_note often.", "read_note", USE, False),
        ("with the output of the read_note", "read_note", USE, False),
        ("The note (from read_note).", "read_note", NEAR, False),
        ("Types with\nread_note_types to see", "read_note_types", NEAR, False),
        ("Example workflow: read_note(note_id) gives it", "read_note", CALL, False),
        ("Notes, `read_note`, and more", "read_note", CODE, True),
        ("found with the listAllNotes tool.", "listAllNotes", TOOL, False),
        ("the 'ListNotes' tools", "ListNotes", TOOL, True),
        ("the **findNotes** tool", "findNotes", TOOL, True),
        ("Routing: all notes \u2192 read_note, then", "read_note", NEAR, False),
    ],
)
def test_evidence(text: str, name: str, evidence: str, coded: bool) -> None:
    assert found(text) == [(name, evidence, coded)]


@pytest.mark.parametrize(
    "text",
    [
        "Notes have read_count and more.",
        "Use the read_count field.",
        "Calls the `read_note` API.",
        "the parameter `read_note` says so",
        "Set the method: `read_note`",
        "Use READ_NOTE_TOKEN.",
        "Use read_note=1 or use read_note.py or use import_to_cloud_* or use a/read_note or use {read_note}.",
        "Use obj.read_note or use $read_note or use --read_note or use #read_note_1.",
        "There is no `save_note` tool. Do not use the `write_note` tool. Never call drop_note.",
        "read it without using read_cache",
        "in_progress (only one), note_s(s), read_note()",
        "Use CloudFormation and the Data tool.",
        "Use the 'query_params' returned in the response.",
        "It enables the built-in x_amz_search tool.",
        "The consolidated tool replacing `batch_delete_notes`.",
        "``limit`` (list_monitors, query; at most 200)",
        "Use `note` or call note.",
        "the x-listNotes tool, the Notes tool, the 2ndNotes tool, and `a b` tools",
        "_ __ a_ _b `_` tool",
    ],
)
def test_no_evidence(text: str) -> None:
    assert found(text) == []


def test_names_with_hyphens_count_where_names_have_them() -> None:
    text = "Call read-note first, with read-only access by a find-in-page search."
    assert found(text) == []
    assert found(text, kebab=True)[0] == ("read-note", USE, False)


def test_names_to_skip() -> None:
    assert found("Use read_note, then use find_notes.", skip=("read_note",)) == [("find_notes", USE, False)]


PIECES = ["use ", "the ", "`", "read_note", "find-notes", " tool", "(", ")", ".", "\n", "no ", "_", "-", "é", "x"]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_names_are_where_they_say(text: str) -> None:
    for one in mentions_in(text, kebab=True):
        assert text[one.start : one.end] == one.name
        assert one.evidence in (TOOL, USE, NEAR, CALL, CODE)
