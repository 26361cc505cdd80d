"""Sessions of pi: trees of events, the older ones without parents, compactions, and the stream of events."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from toolsurface_lint.model.diagnostics import Report

Check = Callable[..., Report]

HEADER = {"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/work"}
ASKED = {"role": "user", "content": "Read it.", "timestamp": 1}
DONE = {"role": "assistant", "content": [{"type": "text", "text": "Done."}], "stopReason": "stop", "timestamp": 9}


def call(id: str, **more: Any) -> dict[str, Any]:
    block = {"type": "toolCall", "id": id, "name": "read", "arguments": {"path": id}}
    return {"role": "assistant", "content": [block], "stopReason": "toolUse", "timestamp": 2, **more}


def result(id: str, failed: bool = False) -> dict[str, Any]:
    content = [{"type": "text", "text": "ok"}]
    return {"role": "toolResult", "toolCallId": id, "toolName": "read", "content": content, "isError": failed}


def said(id: str, parent: str | None, message: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "message",
        "id": id,
        "parentId": parent,
        "timestamp": "2026-01-01T00:00:01.000Z",
        "message": message,
    }


def linear(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"type": "message", "timestamp": "2026-01-01T00:00:01.000Z", "message": each} for each in messages]


def codes(folder: Path, check: Check, events: list[dict[str, Any]]) -> tuple[list[tuple[str, str]], tuple[int, ...]]:
    """The findings, each with the text at its place; how many conversations, turns, calls and results there were."""
    text = "".join(json.dumps(event) + "\n" for event in events)
    (folder / "session.jsonl").write_text(text, encoding="utf-8")
    report = check(folder)
    found = []
    for diagnostic in report.diagnostics:
        assert diagnostic.location is not None
        start, end = diagnostic.location.span
        found.append((diagnostic.code, text[start:end]))
    (summary,) = report.transcripts
    return found, (summary.conversations, summary.turns, summary.calls, summary.results)


def test_events_of_version_1_have_no_parents(tmp_path: Path, check: Check) -> None:
    events = [HEADER, *linear(ASKED, call("a"), result("a", failed=True), DONE)]
    assert codes(tmp_path, check, events) == ([], (1, 4, 1, 1))
    assert check(tmp_path).transcripts[0].tools == {"read": (1, 1)}
    events = [HEADER, *linear(ASKED, call("a"), ASKED, DONE)]
    assert codes(tmp_path, check, events) == ([("TRANSCRIPT_UNANSWERED_CALL", '"a"')], (1, 4, 1, 0))


def test_each_branch_is_a_conversation(tmp_path: Path, check: Check) -> None:
    events = [
        HEADER,
        said("1", None, ASKED),
        {"type": "model_change", "id": "2", "parentId": "1", "timestamp": "t", "modelId": "m"},
        said("3", "2", call("a")),
        # The session is taken up again from the question: the call above has its result in its own branch.
        said("4", "2", call("b")),
        said("5", "3", result("a")),
        said("6", "4", ASKED),
        said("7", "5", DONE),
        said("8", "6", DONE),
    ]
    assert codes(tmp_path, check, events) == ([("TRANSCRIPT_UNANSWERED_CALL", '"b"')], (2, 7, 2, 1))


def test_a_branch_begins_in_the_middle_unless_it_begins_at_the_root(tmp_path: Path, check: Check) -> None:
    start = [
        HEADER,
        said("1", None, ASKED),
        said("2", "1", call("a")),
        said("3", "2", result("a")),
        said("4", "3", DONE),
    ]
    assert codes(tmp_path, check, [*start, said("5", "2", result("a")), said("6", "5", DONE)])[0] == []
    found, _ = codes(tmp_path, check, [*start, said("5", None, result("a")), said("6", "5", DONE)])
    assert found == [("TRANSCRIPT_ORPHAN_RESULT", '"a"')]


def test_a_compaction_drops_the_calls_before_it(tmp_path: Path, check: Check) -> None:
    compaction = {"type": "compaction", "timestamp": "t", "summary": "So far.", "tokensBefore": 9}
    events = [HEADER, *linear(ASKED, call("a")), compaction, *linear(ASKED, call("b"), ASKED, DONE)]
    assert codes(tmp_path, check, events)[0] == [("TRANSCRIPT_UNANSWERED_CALL", '"b"')]


def test_an_aborted_turn_leaves_its_calls_open(tmp_path: Path, check: Check) -> None:
    events = [HEADER, *linear(ASKED, call("a", stopReason="aborted"), ASKED, DONE)]
    assert codes(tmp_path, check, events)[0] == []


def test_the_stream_of_events_has_each_message_once(tmp_path: Path, check: Check) -> None:
    messages = [ASKED, call("a"), result("a"), DONE]
    events: list[dict[str, Any]] = [HEADER, {"type": "agent_start"}]
    for message in messages:
        events += [{"type": "message_start", "message": message}, {"type": "message_end", "message": message}]
    events += [
        {"type": "turn_end", "message": DONE, "toolResults": [result("a")]},
        {"type": "agent_end", "messages": messages},
    ]
    assert codes(tmp_path, check, events) == ([], (1, 4, 1, 1))


def test_a_list_of_messages_is_a_conversation(tmp_path: Path, check: Check) -> None:
    value = {"messages": [ASKED, call("a"), ASKED, DONE]}
    assert codes(tmp_path, check, [value]) == ([("TRANSCRIPT_UNANSWERED_CALL", '"a"')], (1, 4, 1, 0))
