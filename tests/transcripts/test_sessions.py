"""Claude Code sessions: split messages, sub-agents, interruptions, excerpts; and what belongs to which surface."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from toolsurface_lint.model.diagnostics import Report

Check = Callable[..., Report]


def event(number: int, role: str, content: Any, *, message: str | None = None, **marks: Any) -> dict[str, Any]:
    said: dict[str, Any] = {"role": role, "content": content}
    if message is not None:
        said["id"] = message
    parent = f"u{number - 1}" if number else None
    head = {"type": role, "uuid": f"u{number}", "parentUuid": parent, "sessionId": "s", "isSidechain": False}
    return {**head, "message": said, **marks}


def use(id: str, name: str = "Read", **arguments: Any) -> list[dict[str, Any]]:
    return [{"type": "tool_use", "id": id, "name": name, "input": arguments}]


def result(id: str) -> list[dict[str, Any]]:
    return [{"type": "tool_result", "tool_use_id": id, "content": "ok"}]


def codes(folder: Path, check: Check, *events: dict[str, Any]) -> list[tuple[str, int]]:
    (folder / "session.jsonl").write_text("".join(json.dumps(one) + "\n" for one in events), encoding="utf-8")
    report = check(folder)
    rows = []
    for diagnostic in report.diagnostics:
        assert diagnostic.location is not None
        rows.append((diagnostic.code, diagnostic.location.range.start.line))
    return rows


def test_a_message_on_several_lines_with_results_between(tmp_path: Path, check: Check) -> None:
    assert codes(
        tmp_path,
        check,
        event(0, "user", "Read both."),
        event(1, "assistant", use("a"), message="m1"),
        event(2, "user", result("a")),
        event(3, "assistant", use("b", path="b"), message="m1"),
        event(4, "assistant", use("c", path="c"), message="m1"),
        event(5, "user", result("c")),
        event(6, "user", result("b")),
        event(7, "assistant", "Done.", message="m2"),
    ) == []  # fmt: skip


def test_a_sub_agent_is_a_conversation_of_its_own(tmp_path: Path, check: Check) -> None:
    found = codes(
        tmp_path,
        check,
        event(0, "user", "Ask another."),
        event(1, "assistant", use("a", "Task")),
        event(2, "user", "Look.", isSidechain=True, parentUuid=None),
        event(3, "assistant", use("b"), isSidechain=True),
        event(4, "assistant", "Seen.", isSidechain=True),
        event(5, "user", result("a")),
        event(6, "assistant", "Done."),
    )
    assert found == [("TRANSCRIPT_UNANSWERED_CALL", 4)]


def test_an_interrupted_turn_may_leave_calls_open(tmp_path: Path, check: Check) -> None:
    start = (event(0, "user", "Read."), event(1, "assistant", use("a")))
    end = (event(3, "user", "Now go on."), event(4, "assistant", "Done."))
    said = [{"type": "text", "text": "[Request interrupted by user]"}]
    assert codes(tmp_path, check, *start, event(2, "user", said), *end) == []
    assert codes(tmp_path, check, *start, event(2, "user", "Wait."), *end) == [("TRANSCRIPT_UNANSWERED_CALL", 2)]


def test_an_excerpt_is_not_held_to_what_lies_before_it(tmp_path: Path, check: Check) -> None:
    assert codes(tmp_path, check, event(7, "user", result("a")), event(8, "assistant", "Done.")) == []
    found = codes(tmp_path, check, event(0, "user", result("a")), event(1, "assistant", "Done."))
    assert found == [("TRANSCRIPT_ORPHAN_RESULT", 1)]


def test_a_result_that_comes_late_is_a_result(tmp_path: Path, check: Check) -> None:
    assert codes(
        tmp_path,
        check,
        event(0, "user", "Read."),
        event(1, "assistant", use("a")),
        event(2, "user", "And hurry."),
        event(3, "user", result("a")),
        event(4, "assistant", "Done."),
    ) == []  # fmt: skip


TOOL = {
    "name": "read_page",
    "description": "Reads one page.",
    "inputSchema": {
        "type": "object",
        "properties": {"page": {"type": "integer", "description": "Which."}},
        "required": ["page"],
    },
}


def test_a_prefixed_name_is_held_to_the_servers_tool(tmp_path: Path, check: Check) -> None:
    (tmp_path / "tools.json").write_text(json.dumps({"tools": [TOOL]}), encoding="utf-8")
    found = codes(
        tmp_path,
        check,
        event(0, "user", "Read."),
        event(1, "assistant", use("a", "mcp__book__read_page", page="one")),
        event(2, "user", result("a")),
        event(3, "assistant", use("b", "Bash", command="ls")),
        event(4, "user", result("b")),
        event(5, "assistant", "Done."),
    )
    assert found == [("CALL_INVALID_ARGUMENTS", 2)]


def openai(*names: str, **more: Any) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Go."}]
    for number, name in enumerate(names):
        function = {"name": name, "arguments": '{"page": 1}'}
        messages.append({"role": "assistant", "tool_calls": [{"id": f"c{number}", "function": function}]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": "ok"})
    return {"messages": [*messages, {"role": "assistant", "content": "Done."}], **more}


def test_in_a_folders_surface_an_unknown_tool_needs_a_known_one_beside_it(tmp_path: Path, check: Check) -> None:
    (tmp_path / "tools.json").write_text(json.dumps({"tools": [TOOL]}), encoding="utf-8")
    found = codes(
        tmp_path,
        check,
        openai("send_mail"),
        openai("send_mail", "read_page"),
        openai("read_page", "send_mail"),
        openai("read_pages"),
    )
    assert found == [("CALL_UNKNOWN_TOOL", 2), ("CALL_UNKNOWN_TOOL", 3), ("CALL_UNKNOWN_TOOL", 4)]


def test_a_transcript_that_carries_its_tools_is_its_own_surface(tmp_path: Path, check: Check) -> None:
    (tmp_path / "tools.json").write_text(json.dumps({"tools": [TOOL]}), encoding="utf-8")
    mail = {**TOOL, "name": "send_mail"}
    found = codes(
        tmp_path,
        check,
        openai("send_mail", tools=[mail]),
        openai("send_mail", "read_page", tools=[mail]),
        openai("read_page"),
    )
    assert found == [("CALL_UNKNOWN_TOOL", 2)]
    report = check(tmp_path)
    (related,) = report.diagnostics[0].related
    assert related.location.range.start.line == 2


def test_the_order_of_calls_is_known_only_from_the_beginning(tmp_path: Path, check: Check) -> None:
    (tmp_path / "toolsurface.toml").write_text('call-rules = [{tool = "Write", requires = "Read"}]', encoding="utf-8")
    asked, done = event(0, "user", "Write it."), (event(2, "user", result("a")), event(3, "assistant", "Done."))
    write = event(1, "assistant", use("a", "Write"))
    assert codes(tmp_path, check, asked, write, *done) == [("CALL_BEFORE_REQUIRED", 2)]
    assert codes(tmp_path, check, write, *done) == []


def test_a_log_of_mcp_begins_with_its_handshake(tmp_path: Path, check: Check) -> None:
    (tmp_path / "toolsurface.toml").write_text('call-rules = [{tool = "write", requires = "read"}]', encoding="utf-8")
    head = {"jsonrpc": "2.0", "id": 1}
    begin = {**head, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}}}
    call = {**head, "id": 2, "method": "tools/call", "params": {"name": "write", "arguments": {}}}
    assert codes(tmp_path, check, begin, call) == [("CALL_BEFORE_REQUIRED", 2)]
    assert codes(tmp_path, check, call) == []
