"""Logs of MCP: every way to write one down gives the same findings, and what is not one is not taken for it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.api import check_paths
from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.readers.conversations import envelope_of

Check = Callable[..., Report]

TOOL = {
    "name": "count_lines",
    "description": "Counts the lines of a text file.",
    "inputSchema": {"type": "object", "properties": {"path": {"type": "string", "description": "Which."}}},
    "outputSchema": {"type": "object", "properties": {"lines": {"type": "integer"}}, "required": ["lines"]},
}


def request(id: Any, method: str = "tools/call", **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def response(id: Any, **result: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "result": result}


LIST = (request(1, "tools/list"), response(1, tools=[TOOL]))
CALL = request(2, name="count_lines", arguments={"path": 3})
RESULT = response(2, content=[{"type": "text", "text": "12"}], structuredContent={"lines": "12"})
PAIRS = [LIST, (CALL, RESULT)]
MESSAGES = [message for pair in PAIRS for message in pair]
FOUND = ["CALL_INVALID_ARGUMENTS", "RESULT_BREAKS_OUTPUT_SCHEMA"]


def lines(values: list[Any]) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def codes(folder: Path, check: Check, name: str, text: str) -> list[str]:
    (folder / name).write_text(text, encoding="utf-8")
    report = check(folder)
    assert sum(summary.calls for summary in report.transcripts) == 1
    return sorted(diagnostic.code for diagnostic in report.diagnostics)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("bare.jsonl", lines(MESSAGES)),
        ("bare.json", json.dumps(MESSAGES)),
        ("proxy.jsonl", lines([{"direction": "request", "message": message} for message in MESSAGES])),
        ("recorder.jsonl", lines([{"ts": 1.5, "dir": "client->server", "msg": message} for message in MESSAGES])),
        ("pairs.jsonl", lines([{"request": first, "response": second} for first, second in PAIRS])),
        ("cassette.json", json.dumps({"interactions": [{"request": one, "response": two} for one, two in PAIRS]})),
        ("nested.json", json.dumps({"session": {"interactions": [{"request": one, "response": two} for one, two in PAIRS]}})),
        ("messages.json", json.dumps({"messages": [{"message": message} for message in MESSAGES]}, indent=2)),
    ],
)  # fmt: skip
def test_every_way_to_write_it_down(name: str, text: str, tmp_path: Path, check: Check) -> None:
    assert codes(tmp_path, check, name, text) == FOUND


def test_a_log_of_one_side_is_not_blamed_for_the_other(tmp_path: Path, check: Check) -> None:
    sent = lines([request(1, name="count_lines", arguments={}), request(1, name="count_lines", arguments={})])
    (tmp_path / "sent.jsonl").write_text(sent, encoding="utf-8")
    received = lines([response(7, content=[]), {"jsonrpc": "2.0", "id": 8, "error": {"code": -32000, "message": "no"}}])
    (tmp_path / "received.jsonl").write_text(received, encoding="utf-8")
    report = check(tmp_path)
    assert report.diagnostics == ()
    assert [(summary.calls, summary.results) for summary in report.transcripts] == [(0, 0), (2, 0)]


def test_ids_begin_anew_with_each_session(tmp_path: Path, check: Check) -> None:
    # The first call was cut off: the result is that of the second one with its id.
    second = request(2, name="other_tool", arguments={})
    text = lines([*MESSAGES[:2], CALL, {"jsonrpc": "2.0", "method": "notifications/cancelled"}, second, RESULT])
    (tmp_path / "session.jsonl").write_text(text, encoding="utf-8")
    assert [diagnostic.code for diagnostic in check(tmp_path).diagnostics] == ["CALL_INVALID_ARGUMENTS"]


def test_servers_of_one_log_are_kept_apart(tmp_path: Path, check: Check) -> None:
    events = [{"server_name": "files", "message": message} for message in (*LIST, CALL)]
    events.append({"server_name": "mail", "message": RESULT})
    (tmp_path / "session.jsonl").write_text(lines(events), encoding="utf-8")
    assert [diagnostic.code for diagnostic in check(tmp_path).diagnostics] == ["CALL_INVALID_ARGUMENTS"]


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "id": 1, "method": "textDocument/hover", "params": {}},
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"processId": 4, "capabilities": {}}},
        {"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": {}}},
        {"jsonrpc": "2.0", "id": 1, "result": {"capabilities": {}}},
        {"jsonrpc": "1.0", "id": 1, "method": "tools/call", "params": {"name": "a"}},
        {"id": 1, "method": "tools/call", "params": {"name": "a"}},
    ],
)
def test_other_protocols_speak_json_rpc_too(message: dict[str, Any]) -> None:
    assert envelope_of(message) is None


def test_tools_that_a_log_lists_are_checked_as_such(tmp_path: Path, check: Check) -> None:
    array = {**TOOL, "outputSchema": {"type": "array", "items": {"type": "string"}}}
    (tmp_path / "session.jsonl").write_text(lines([LIST[0], response(1, tools=[array])]), encoding="utf-8")
    assert [diagnostic.code for diagnostic in check(tmp_path).diagnostics] == ["TOOL_SCHEMA_ROOT_NOT_OBJECT"]


def test_tools_come_in_pages(tmp_path: Path, check: Check) -> None:
    other = {**TOOL, "name": "count_words"}
    pages = [
        response(1, tools=[TOOL], nextCursor="2"),
        request(2, "tools/list", cursor="2"),
        response(2, tools=[other]),
    ]
    calls = [
        request(3, name="count_lines", arguments={"path": 3}),
        request(4, name="count_words", arguments={"path": 4}),
    ]
    (tmp_path / "session.jsonl").write_text(lines([LIST[0], *pages, *calls]), encoding="utf-8")
    assert [diagnostic.code for diagnostic in check(tmp_path).diagnostics] == ["CALL_INVALID_ARGUMENTS"] * 2


def test_a_list_that_is_asked_for_again_replaces_its_first_page(tmp_path: Path, check: Check) -> None:
    newer = {
        **TOOL,
        "inputSchema": {"type": "object", "properties": {"path": {"type": "integer", "description": "No."}}},
    }
    lists = [response(1, tools=[TOOL], nextCursor="2"), request(2, "tools/list"), response(2, tools=[newer])]
    (tmp_path / "session.jsonl").write_text(lines([LIST[0], *lists, CALL]), encoding="utf-8")
    found = {diagnostic.code for diagnostic in check(tmp_path).diagnostics}
    assert "CALL_INVALID_ARGUMENTS" not in found


def test_what_a_user_answers_to_a_server_is_no_result(tmp_path: Path, check: Check) -> None:
    # Both sides count their own requests, so the same id is in use twice.
    right = {"jsonrpc": "2.0", "id": 2, "result": {"content": [], "structuredContent": {"lines": 12}}}
    asked = request(2, "elicitation/create", message="Really?", requestedSchema={"type": "object"})
    answer = response(2, action="accept", content={"sure": True})
    call = request(2, name="count_lines", arguments={"path": "a"})
    (tmp_path / "session.jsonl").write_text(lines([*LIST, call, asked, answer, right]), encoding="utf-8")
    assert check(tmp_path).diagnostics == ()


def desktop(message: dict[str, Any], server: str = "files") -> str:
    """A line of Claude Desktop's log."""
    side = "client" if "method" in message else "server"
    return f"2026-01-01T00:00:00.000Z [{server}] [info] Message from {side}: {json.dumps(message)} {{ metadata: undefined }}\n"


TEXTS = [
    ("mcp-server-files.log", "".join(map(desktop, MESSAGES))),
    ("tee.log", "".join(f"{'-->' if 'method' in each else '<--'} {json.dumps(each)}\n" for each in MESSAGES)),
    ("noisy.log", "".join(f"listening on {{port}}\n{json.dumps(each)}\n\nat (file:1)\n" for each in MESSAGES)),
    ("times", "".join(f"[12:00:01] DEBUG mcp: sent={json.dumps(each)}\r\n" for each in MESSAGES)),
]


@pytest.mark.parametrize(("name", "text"), TEXTS)
def test_messages_in_the_lines_of_a_log(name: str, text: str, tmp_path: Path, check: Check) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    report = check(tmp_path, name)
    found = []
    for diagnostic in report.diagnostics:
        assert diagnostic.location is not None
        start, end = diagnostic.location.span
        found.append((diagnostic.code, text[start:end]))
        line, column = diagnostic.location.range.start
        assert (line, column) == (text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start))
    assert found == [("CALL_INVALID_ARGUMENTS", "3"), ("RESULT_BREAKS_OUTPUT_SCHEMA", '"12"')]


def test_a_text_that_is_said_to_be_a_transcript(tmp_path: Path, check: Check) -> None:
    (tmp_path / "log.txt").write_text("".join(map(desktop, MESSAGES)), encoding="utf-8")
    assert [each.code for each in check(tmp_path, "log.txt", kind="transcript").diagnostics] == FOUND
    assert check(tmp_path, "log.txt").transcripts == ()


def test_a_log_of_several_servers_keeps_them_apart(tmp_path: Path, check: Check) -> None:
    text = "".join(map(desktop, [*LIST, CALL])) + desktop(RESULT, "mail") + desktop(response(2, content=[]))
    (tmp_path / "mcp.log").write_text(text, encoding="utf-8")
    found = [diagnostic.code for diagnostic in check(tmp_path, "mcp.log").diagnostics]
    assert found == ["CALL_INVALID_ARGUMENTS", "RESULT_STRUCTURED_CONTENT_MISSING"]


@pytest.mark.parametrize(
    "text",
    [
        "started {}\n" * 9,
        'INFO sent {"role": "user", "content": "hi"}\n' * 9,
        'lsp {"jsonrpc": "2.0", "id": 1, "method": "textDocument/hover", "params": {}}\n' * 9,
        f"one {json.dumps(CALL)}\n",
    ],
)
def test_other_logs_are_not_transcripts(text: str, tmp_path: Path, check: Check) -> None:
    (tmp_path / "server.log").write_text(text, encoding="utf-8")
    assert check(tmp_path, "server.log").transcripts == ()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["lines", "more"]), JSON), st.booleans())
def test_a_result_breaks_its_schema_exactly_if_it_does(structured: dict[str, Any], failed: bool) -> None:
    result = response(2, content=[{"type": "text", "text": "12"}], structuredContent=structured, isError=failed)
    value = {"interactions": [{"request": one, "response": two} for one, two in (LIST, (CALL, result))]}
    is_right = type(structured.get("lines")) is int
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "log.json").write_text(json.dumps(value), encoding="utf-8")
        found = {diagnostic.code for diagnostic in check_paths([folder]).diagnostics}
    assert ("RESULT_BREAKS_OUTPUT_SCHEMA" in found) is not is_right
