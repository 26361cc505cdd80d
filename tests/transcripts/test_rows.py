"""`Linter`: conversations as plain data have the findings that they have in files."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections import UserDict
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.long import examples
from tests.transcripts.conversations import (
    BOOK,
    CONVERSATION,
    MESSAGE_FORMATS,
    SEARCH,
    TOOLS,
    Answer,
    Make,
    Say,
    Step,
    openai_messages,
)
from toolsurface_lint import Linter, RowFinding, SettingsError, check_paths

WRONG_DEFAULT = {
    "type": "function",
    "function": {
        "name": "list_rooms",
        "description": "Lists the rooms of a house.",
        "parameters": {
            "type": "object",
            "properties": {"house": {"type": "integer", "description": "Its number.", "default": "one"}},
        },
    },
}
LINTER = Linter()


def codes(found: list[RowFinding]) -> list[str]:
    return [finding.code for finding in found]


def with_call(**changes: Any) -> list[Step]:
    return [SEARCH._replace(**changes) if step is SEARCH else step for step in CONVERSATION]


def test_a_wrong_call_is_at_its_place_in_the_row() -> None:
    messages = openai_messages(with_call(arguments={"place": 7, "kind": "single"}))
    assert LINTER.row(messages, TOOLS) == [
        RowFinding(
            "CALL_INVALID_ARGUMENTS",
            "error",
            "/messages/1/tool_calls/0/function/arguments/place",
            "the call of `search_rooms` breaks its schema: `place` must be a string, not `7`",
            "search_rooms",
            0,
        )
    ]


def test_calls_are_counted_through_the_conversation() -> None:
    steps = [BOOK._replace(arguments={}) if step is BOOK else step for step in CONVERSATION]
    (found,) = LINTER.row(openai_messages(steps), TOOLS)
    assert (found.code, found.tool, found.call) == ("CALL_INVALID_ARGUMENTS", "book_room", 1)
    assert found.pointer == "/messages/3/tool_calls/0/function/arguments"


def test_a_call_in_a_text_is_at_the_text() -> None:
    said = "<|tool_call_begin|>functions.book_room:0<|tool_call_argument_begin|>{}<|tool_call_end|>"
    messages = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": said}]
    found = [each for each in LINTER.row(messages, TOOLS) if each.code == "CALL_INVALID_ARGUMENTS"]
    assert [(each.pointer, each.tool, each.call) for each in found] == [("/messages/1/content", "book_room", 0)]


def test_a_pointer_leads_through_texts_that_are_json_and_no_others() -> None:
    call = json.dumps({"name": "book_room", "arguments": {"room": "x"}})
    tagged = f"<tool_call>\n{call}\n</tool_call>"
    for turn, pointers in (
        ({"from": "function_call", "value": call}, ["/messages/1/value/arguments/room"]),
        ({"from": "gpt", "value": f"{tagged}{tagged}"}, ["/messages/1/value"] * 2),
    ):
        found = LINTER.row([{"from": "human", "value": "Go."}, turn], TOOLS)
        assert [each.pointer for each in found] == pointers
        assert [each.call for each in found] == list(range(len(pointers)))


def test_a_result_without_a_call_is_of_no_call() -> None:
    steps = [*CONVERSATION, Answer("call_z", "book_room", "Booked."), Say("assistant", "Done.")]
    (found,) = LINTER.row(openai_messages(steps), TOOLS)
    assert (found.code, found.pointer, found.call) == ("TRANSCRIPT_ORPHAN_RESULT", "/messages/8/tool_call_id", None)


def test_the_tools_are_checked_too() -> None:
    for _ in range(2):
        # Twice: the second time they are known.
        (found,) = LINTER.row(openai_messages(CONVERSATION), [*TOOLS, WRONG_DEFAULT])
        pointer = "/tools/2/function/parameters/properties/house/default"
        assert (found.code, found.pointer, found.tool) == ("TOOL_SCHEMA_DEFAULT_INVALID", pointer, "list_rooms")


@pytest.mark.parametrize("before", [[], [None]])
def test_tools_are_the_same_as_values_and_as_text(before: list[None]) -> None:
    messages = openai_messages(CONVERSATION)
    found = LINTER.row(messages, [*before, *TOOLS, WRONG_DEFAULT])
    assert codes(found) == ["TOOL_SCHEMA_DEFAULT_INVALID"]
    written = [tool and json.dumps(tool) for tool in [*before, *TOOLS, WRONG_DEFAULT]]
    for tools in (json.dumps([*before, *TOOLS, WRONG_DEFAULT]), written, json.dumps(written)):
        assert LINTER.row(messages, tools) == found


def test_an_object_that_holds_tools() -> None:
    tools = {"tools": [*TOOLS, WRONG_DEFAULT]}
    found = LINTER.row(openai_messages(CONVERSATION), tools)
    assert [(each.code, each.pointer) for each in found] == [
        ("TOOL_SCHEMA_DEFAULT_INVALID", "/tools/tools/2/function/parameters/properties/house/default")
    ]
    assert LINTER.row(openai_messages(CONVERSATION), json.dumps(tools)) == found
    assert LINTER.row(openai_messages(CONVERSATION), {"allowed": True}) == []


def test_a_clean_row_has_no_finding() -> None:
    assert LINTER.row(openai_messages(CONVERSATION), TOOLS) == []
    assert LINTER.row(openai_messages(CONVERSATION)) == []


@pytest.mark.parametrize("messages", [None, 3, [], {}, [3], "no JSON", object()])
def test_what_is_not_a_conversation_is_a_finding(messages: Any) -> None:
    (found,) = LINTER.row(messages, TOOLS)
    assert (found.code, found.severity, found.pointer) == ("INPUT_WRONG_KIND", "error", "")


def test_rows_are_mappings() -> None:
    wrong = openai_messages(with_call(name="delete_account"))
    rows = [
        {"messages": openai_messages(CONVERSATION), "tools": TOOLS, "source": "a"},
        UserDict(messages=tuple(wrong), tools=tuple(TOOLS)),
        None,
        {"conversations": MESSAGE_FORMATS["sharegpt"](CONVERSATION)},
    ]
    assert (
        [codes(found) for found in LINTER.rows(rows)]
        == [  # type: ignore[arg-type]
            [],
            ["CALL_UNKNOWN_TOOL", "TRANSCRIPT_ORPHAN_RESULT"][:1],
            ["INPUT_WRONG_KIND"],
            [],
        ]
    )


def test_data_that_holds_itself() -> None:
    messages: list[Any] = openai_messages(CONVERSATION)
    messages.append({"role": "user", "content": messages})
    (found,) = LINTER.row(messages)
    assert (found.code, found.pointer) == ("INPUT_UNREADABLE", "")


def test_the_options_are_those_of_check() -> None:
    messages = openai_messages(with_call(arguments={"place": 7, "kind": "single"}))
    assert Linter(ignore=["CALL"]).row(messages, TOOLS) == []
    assert Linter(select=["TRANSCRIPT"]).row(messages, TOOLS) == []
    said = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": "All is well. ##DONE##"}]
    assert codes(Linter(done_sentinel="##DONE##").row(said, TOOLS)) == ["TRANSCRIPT_DONE_UNVERIFIED"]
    with pytest.raises(SettingsError):
        Linter(select=["NO_SUCH"])
    with pytest.raises(SettingsError):
        Linter(protocol="no-such")


def test_a_settings_file_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "toolsurface.toml"
    path.write_text('[severity]\nCALL_INVALID_ARGUMENTS = "warning"\n', encoding="utf-8")
    linter = Linter(config=str(path))
    copy = pickle.dumps(linter)
    path.unlink()
    messages = openai_messages(with_call(arguments={"place": 7, "kind": "single"}))
    for each in (linter, pickle.loads(copy)):
        assert [found.severity for found in each.row(messages, TOOLS)] == ["warning"]
    with pytest.raises(SettingsError):
        Linter(config=str(path))


def test_a_linter_is_small_when_pickled() -> None:
    LINTER.row(openai_messages(CONVERSATION), TOOLS)
    assert len(pickle.dumps(LINTER)) < 1000


@pytest.mark.parametrize("pool", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_threads_and_processes(pool: type[ThreadPoolExecutor] | type[ProcessPoolExecutor]) -> None:
    rows = []
    for number in range(200):
        tool = json.loads(json.dumps(TOOLS[1]).replace("book_room", f"book_room_{number % 90}"))
        steps = [step._replace(name=f"book_room_{number % 80}") if step is BOOK else step for step in CONVERSATION]
        rows.append((openai_messages(steps), [TOOLS[0], tool]))
    expected = [LINTER.row(*row) for row in rows]
    with pool(4) as workers:
        assert list(workers.map(LINTER.row, *zip(*rows, strict=True), chunksize=10)) == expected


def test_nothing_is_read_and_nothing_is_written(tmp_path: Path) -> None:
    program = """
import sys
opened = []
sys.addaudithook(lambda event, args: opened.append(args) if event in ("open", "subprocess.Popen", "os.fork") else None)
from toolsurface_lint import Linter
linter = Linter()
linter.row([{"role": "user", "content": "Go."}], [])
del opened[:]
linter.row([{"role": "user", "content": "Go on."}], [])
print(opened)
"""
    ran = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (ran.stdout, ran.stderr, list(tmp_path.iterdir())) == ("[]\n", "", [])


def test_the_tools_of_a_document_are_checked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from toolsurface_lint.run.transcripts import carried

    checked: list[str] = []
    for name in ("check_definition", "check_definitions"):
        monkeypatch.setattr(carried, name, lambda *_, name=name: checked.append(name) or iter(()))
    row = {"messages": openai_messages(CONVERSATION), "tools": [*TOOLS, WRONG_DEFAULT]}
    (tmp_path / "row.json").write_text(json.dumps(row), encoding="utf-8")
    report = check_paths([str(tmp_path)], isolated=True)
    assert [found.code for found in report.diagnostics] == ["TOOL_SCHEMA_DEFAULT_INVALID"]
    assert checked == []


def test_what_is_said_of_tools_points_into_the_line_that_carries_them(tmp_path: Path) -> None:
    messages = openai_messages(with_call(arguments={"place": 7, "kind": "single"}))
    for tools in (TOOLS, [*TOOLS, {"type": "web_search_preview"}]):
        line = json.dumps({"messages": messages, "tools": tools})
        (tmp_path / "rows.jsonl").write_text(f"{line}\n" * 3, encoding="utf-8")
        report = check_paths([str(tmp_path)], isolated=True, select=["CALL_INVALID_ARGUMENTS"])
        places = [
            (found.location.range.start.line, [related.location.range.start.line for related in found.related])
            for found in report.diagnostics
            if found.location is not None
        ]
        assert places == [(1, [1]), (2, [2]), (3, [3])]


# What `check` says of the same conversations

CHANGES = st.sampled_from(
    [
        SEARCH._replace(arguments={"place": 7}),
        SEARCH._replace(arguments={"place": "Oslo", "kind": "a/b~c", "colour": "red"}),
        SEARCH._replace(name="search_room"),
        SEARCH._replace(name="delete_account", id="call_b2"),
        SEARCH._replace(cut=True),
        SEARCH._replace(role="user"),
        BOOK._replace(arguments={}),
        Answer("call_a1", "search_rooms", "Error: no room."),
        Answer("call_x", "find", "Nothing."),
        Say("user", "Go on."),
        Say("assistant", 'It is <tool_call>{"name": "book_room", "arguments": {"room": "41"}}</tool_call>'),
    ]
)


@st.composite
def conversations(draw: st.DrawFn) -> list[Step]:
    steps = list(CONVERSATION)
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(steps) - 1))
        change = draw(st.one_of(st.none(), CHANGES))
        if change is None:
            del steps[at]
        elif draw(st.booleans()):
            steps[at] = change
        else:
            steps.insert(at, change)
        if not steps:
            return list(CONVERSATION)
    return steps


@pytest.mark.parametrize("name", sorted(MESSAGE_FORMATS))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=examples(40))
@given(steps=conversations(), tools=st.sampled_from([None, TOOLS, [*TOOLS, WRONG_DEFAULT]]))
def test_a_row_has_the_findings_of_a_file(name: str, tmp_path: Path, steps: list[Step], tools: Any) -> None:
    written = [step for step in steps if not isinstance(step, Answer)] if isinstance(steps[0], Answer) else steps
    messages = MESSAGE_FORMATS[name](written)
    row = {"messages": messages} if tools is None else {"messages": messages, "tools": tools}
    found = LINTER.row(messages, tools)
    for file, text in (("row.json", json.dumps(row, indent=1)), ("rows.jsonl", json.dumps(row) + "\n")):
        folder = tmp_path / file.replace(".", "_")
        folder.mkdir(exist_ok=True)
        (folder / file).write_text(text, encoding="utf-8")
        report = check_paths([str(folder)], isolated=True)
        expected = {(each.code, each.pointer or "", each.message, each.severity) for each in report.diagnostics}
        if found == [] or found[0].code != "INPUT_WRONG_KIND":
            assert {(each.code, each.pointer, each.message, each.severity) for each in found} == expected
        else:
            assert expected == set()
    made = [step for step in written if isinstance(step, Make)]
    for each in found:
        if each.code.startswith("CALL_") and not any(isinstance(step, Say) and "<tool" in step.text for step in steps):
            assert each.call is not None
            assert made[each.call].name == each.tool


def _tool(name: str, key: str = "parameters", kind: str = "object", **house: Any) -> dict[str, Any]:
    schema = {"type": kind, "properties": {"house": {"type": "integer", "description": "Its number.", **house}}}
    return {"type": "function", "function": {"name": name, "description": f"Asks for {name}.", key: schema}}


POOL = [
    *TOOLS,
    WRONG_DEFAULT,
    _tool("list_beds", default=None),
    _tool("list_doors", default=None),
    _tool("list_keys", key="input_schema"),
    _tool("list_maps", kind="dict"),
    _tool("List_Beds"),
    *(
        {"type": "function", "function": {"name": name, "description": f"Asks for {name}.", "parameters": {}}}
        for name in ("get_room", "delete_room", "update_room")
    ),
]


@settings(deadline=None, max_examples=examples(60))
@given(lists=st.lists(st.lists(st.sampled_from(POOL), min_size=1, max_size=6), min_size=2, max_size=6))
def test_what_was_met_before_changes_no_finding(lists: list[list[Any]]) -> None:
    messages = openai_messages(CONVERSATION)
    linter = Linter(extend_select=["ALL"])
    assert [linter.row(messages, tools) for tools in lists] == [
        Linter(extend_select=["ALL"]).row(messages, tools) for tools in lists
    ]


def test_large_definitions_are_not_all_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolsurface_lint.run.transcripts.carried._MOST_BYTES", 4000)
    linter, messages = Linter(), openai_messages(CONVERSATION)
    kept = linter._carried()
    for number in range(40):
        tools = [*TOOLS, {**WRONG_DEFAULT, "note": f"{number} {'x' * 700}"}]
        assert codes(linter.row(messages, tools)) == ["TOOL_SCHEMA_DEFAULT_INVALID"]
    for each in (kept._known, kept._lists):
        assert sum(len(value) for _, value in each) <= 4000
    assert len(kept._known) > 2
