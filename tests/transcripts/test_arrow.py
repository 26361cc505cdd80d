"""`arrow.lint`: rows in Arrow have the findings of rows in Python, whichever way they are looked at."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pa = pytest.importorskip("pyarrow")

from tests.transcripts.conversations import CONVERSATION, SEARCH, TOOLS, openai_messages  # noqa: E402
from toolsurface_lint import Linter, arrow  # noqa: E402

LINTER = Linter()
GOOD = openai_messages(CONVERSATION)
WRONG = openai_messages([SEARCH._replace(arguments={"place": 7}) if step is SEARCH else step for step in CONVERSATION])
SPOKEN = [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hello!"}]
ODD_TOOL = {"type": "function", "function": {"name": "x y", "description": "Odd.", "parameters": {"type": "object"}}}


def plain(found: Any) -> list[list[dict[str, Any]]]:
    result: list[list[dict[str, Any]]] = found.to_pylist()
    return result


def expected(rows: list[dict[str, Any]], linter: Linter = LINTER) -> list[list[dict[str, Any]]]:
    return [[finding._asdict() for finding in each] for each in linter.rows(rows)]


def test_columns_of_text() -> None:
    messages = [json.dumps(each) for each in (GOOD, WRONG, SPOKEN)]
    batch = pa.RecordBatch.from_pydict({"id": [1, 2, 3], "messages": messages, "tools": [json.dumps(TOOLS)] * 3})
    found = arrow.lint(batch)
    assert found.type == arrow.FINDINGS
    assert found.null_count == 0
    assert [[each["code"] for each in row] for row in plain(found)] == [[], ["CALL_INVALID_ARGUMENTS"] * 2, []]
    assert plain(found)[1][0] == {
        "code": "CALL_INVALID_ARGUMENTS",
        "severity": "error",
        "pointer": "/messages/1/tool_calls/0/function/arguments/place",
        "message": "the call of `search_rooms` breaks its schema: `place` must be a string, not `7`",
        "tool": "search_rooms",
        "call": 0,
    }


def test_columns_of_structs() -> None:
    rows = [{"messages": each, "tools": TOOLS} for each in (GOOD, WRONG, SPOKEN)]
    table = pa.Table.from_pylist(rows)
    assert [[each["code"] for each in row] for row in plain(arrow.lint(table))] == [
        [],
        ["CALL_INVALID_ARGUMENTS"] * 2,
        [],
    ]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_kinds_of_text(kind: Any) -> None:
    texts = pa.array([json.dumps(SPOKEN), json.dumps(WRONG), None], pa.string()).cast(kind)
    table = pa.table({"messages": texts})
    assert [len(row) for row in plain(arrow.lint(table))] == [0, 0, 1]


def test_the_names_of_columns() -> None:
    batch = pa.RecordBatch.from_pydict({"talk": [json.dumps(WRONG)], "functions": [json.dumps(TOOLS)]})
    found = plain(arrow.lint(batch, "talk", "functions"))
    # A pointer leads into the row as it is.
    assert found[0][0]["pointer"] == "/talk/1/tool_calls/0/function/arguments/place"
    spoken = pa.RecordBatch.from_pydict({"talk": [json.dumps(SPOKEN)], "functions": [json.dumps([ODD_TOOL])]})
    pointers = {each["pointer"] for each in plain(arrow.lint(spoken, "talk", "functions"))[0]}
    assert pointers == {"/functions/0/function/name"}
    for names in (("no", "functions"), ("talk", "no")):
        with pytest.raises(KeyError):
            arrow.lint(batch, *names)


def test_tools_in_a_column_of_another_name_are_found_by_the_layout() -> None:
    batch = pa.RecordBatch.from_pydict({"messages": [json.dumps(WRONG)], "available_tools": [json.dumps(TOOLS)]})
    assert [each["code"] for each in plain(arrow.lint(batch))[0]] == ["CALL_INVALID_ARGUMENTS"] * 2


def test_without_a_column_of_messages_the_layout_says_what_a_row_is() -> None:
    turns = [{"from": "human", "value": "Hello."}, {"from": "gpt", "value": "Hello!"}]
    batch = pa.RecordBatch.from_pylist([{"conversations": turns}, {"conversations": []}])
    assert [[each["code"] for each in row] for row in plain(arrow.lint(batch))] == [[], ["INPUT_WRONG_KIND"]]


def test_a_null_that_stands_over_messages() -> None:
    items = pa.array([{"role": role, "content": "Hello."} for role in ("user", "tool", "user")])
    lists = pa.ListArray.from_arrays(pa.array([0, 1, 2, 3], pa.int32()), items, mask=pa.array([False, True, False]))
    batch = pa.RecordBatch.from_arrays([lists, pa.array(["[]"] * 3)], ["messages", "tools"])
    assert [[each["code"] for each in row] for row in arrow.lint(batch).to_pylist()] == [[], ["INPUT_WRONG_KIND"], []]


def test_half_a_surrogate_pair_in_json_text() -> None:
    messages = r'[{"role": "user", "content": "Hello."}, {"role": "\ud800", "content": "Hello."}]'
    (found,) = arrow.lint(pa.RecordBatch.from_pydict({"messages": [messages], "tools": ["[]"]})).to_pylist()
    assert [(each["code"], each["message"]) for each in found] == [
        ("TRANSCRIPT_UNKNOWN_ROLE", r"`\ud800` is not a role of a message")
    ]


def test_an_empty_batch() -> None:
    assert plain(arrow.lint(pa.table({"messages": pa.array([], pa.string())}))) == []
    assert plain(arrow.lint(pa.table({"messages": pa.chunked_array([], pa.string())}))) == []


def test_the_options_of_a_linter() -> None:
    said = [*SPOKEN, {"role": "assistant", "content": "Done. ##DONE##"}]
    batch = pa.RecordBatch.from_pydict({"messages": [json.dumps(said)]})
    assert plain(arrow.lint(batch)) == [[]]
    found = plain(arrow.lint(batch, linter=Linter(done_sentinel="##DONE##")))
    assert [each["code"] for each in found[0]] == ["TRANSCRIPT_DONE_UNVERIFIED"]


def test_plain_rows_are_not_copied_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Any] = []
    monkeypatch.setattr(arrow, "read_row", lambda *row: read.append(row))
    spoken = [*SPOKEN, {"role": "user", "content": 'Say "a\\b" in Norwegian: æøå \U0001f6cf\n'}]
    arrow.lint(pa.table({"messages": [json.dumps(spoken), json.dumps(spoken, indent=1, ensure_ascii=False)]}))
    arrow.lint(pa.Table.from_pylist([{"messages": [{**each, "tool_calls": None} for each in spoken]}]))
    assert read == []


TEXTS = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        [
            "",
            "a | b",
            '<tool_call>{"name": "f", "arguments": {}}</tool_call>',
            "\u003ctool_call\u003e",
            "[[CALL]]",
            '[TOOL_CALLS][{"name": "f", "arguments": {}}]',
            "functools[{}]",
            "<\uff5ctool\u2581calls\u2581begin\uff5c>",
            "```tool\n{}\n```",
        ]
    ),
)
MESSAGES = st.lists(
    st.fixed_dictionaries(
        {
            "role": st.sampled_from(["system", "user", "assistant", "tool", "developer", "critic", None]),
            "content": st.one_of(st.none(), TEXTS),
        },
        optional={
            "tool_calls": st.sampled_from([None, [], GOOD[1]["tool_calls"]]),
            "tool_call_id": st.sampled_from([None, "call_a1", "call_z"]),
        },
    ),
    max_size=5,
)
WRITERS = (
    json.dumps,
    lambda value: json.dumps(value, indent=1, ensure_ascii=False),
    lambda value: json.dumps(value, separators=(",", ":")).replace("<", "\\u003c"),
    lambda value: json.dumps(value).replace("tool_calls", "tool\\u005fcalls"),
    lambda value: json.dumps(value)[:-1],
    lambda value: json.dumps(value) + "x",
)


@settings(deadline=None)
@given(
    rows=st.lists(MESSAGES, min_size=1, max_size=4), tools=st.sampled_from([None, TOOLS, [ODD_TOOL]]), data=st.data()
)
def test_text_has_the_findings_of_rows(rows: list[Any], tools: Any, data: st.DataObject) -> None:
    write = data.draw(st.sampled_from(WRITERS))
    written = [{"messages": write(row)} | ({} if tools is None else {"tools": json.dumps(tools)}) for row in rows]
    assert plain(arrow.lint(pa.Table.from_pylist(written))) == expected(written)


@settings(deadline=None)
@given(rows=st.lists(MESSAGES, min_size=1, max_size=4), tools=st.sampled_from([None, TOOLS, [ODD_TOOL]]))
def test_structs_have_the_findings_of_rows(rows: list[Any], tools: Any) -> None:
    written = [{"messages": row} | ({} if tools is None else {"tools": tools}) for row in rows]
    table = pa.Table.from_pylist(written)
    assert plain(arrow.lint(table)) == expected(table.to_pylist())
