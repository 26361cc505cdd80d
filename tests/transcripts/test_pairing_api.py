"""`transcript_validate` and `transcript_stats` on plain data."""

from __future__ import annotations

from typing import Any

import pytest

from toolsurface_lint import transcript_stats, transcript_validate


def call(id: str, name: str = "run") -> dict[str, Any]:
    return {"role": "assistant", "tool_calls": [{"id": id, "function": {"name": name, "arguments": "{}"}}]}


def result(id: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": "ok"}


def use(id: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "run", "input": {}}]}


def used(id: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "ok"}]}


@pytest.mark.parametrize(
    ("messages", "orphans", "unanswered"),
    [
        ([], [], []),
        ([call("c1"), result("c1")], [], []),
        ([call("c1")], [], ["c1"]),
        ([result("c1")], ["c1"], []),
        ([call("c1"), result("c2")], ["c2"], ["c1"]),
        ([call("c1"), result("c1"), result("c1")], ["c1"], []),
        ([call("c1"), call("c2"), result("c2")], [], ["c1"]),
        ([use("t1"), used("t1")], [], []),
        ([use("t1")], [], ["t1"]),
        ([used("t1")], ["t1"], []),
        ([use("t1"), used("t2"), {"role": "user", "content": "x"}], ["t2"], ["t1"]),
        (
            [{"role": "assistant", "tool_calls": [{"function": {"index": 0, "name": "run", "arguments": {}}}]}],
            [],
            ["run"],
        ),
        (
            [
                {"role": "assistant", "tool_calls": [{"function": {"index": 0, "name": "run", "arguments": {}}}]},
                {"role": "tool", "tool_name": "run", "content": "ok"},
            ],
            [],
            [],
        ),
        ([{"role": "assistant", "tool_calls": [{"id": "n1", "name": "run", "arguments": {}}]}, result("n1")], [], []),
        ([42, None, "x"], [], []),
        ([{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hello"}], [], []),
    ],
)
def test_pairing(messages: list[Any], orphans: list[str], unanswered: list[str]) -> None:
    assert transcript_validate(messages) == {"orphan_results": orphans, "unanswered_calls": unanswered}


def test_stats_count_messages_calls_and_visible_events() -> None:
    two = {"role": "assistant", "content": "", "tool_calls": [{"id": "a"}, {"id": "b"}]}
    transcript = {
        "messages": [
            {"role": "user", "content": "hello"},
            {"role": "assistant", "content": "hello"},
            two,
            {"role": "tool", "content": "ok"},
            {"role": "tool_result", "content": "ok"},
            {"role": "system", "content": "be brief"},
            {"content": "no role"},
            "no message",
        ],
        "events": [{"visibility": "visible"}, {"visibility": "public"}, {"kind": "message"}],
    }
    assert transcript_stats(transcript) == {
        "message_count": 7,
        "user_facing_message_count": 3,
        "tool_result_message_count": 2,
        "tool_call_count": 2,
        "assistant_message_count": 2,
        "user_message_count": 1,
        "visible_event_count": 1,
    }


@pytest.mark.parametrize("value", [None, [], "x", {}, {"messages": None, "events": 3}])
def test_stats_of_what_is_no_transcript_are_zero(value: Any) -> None:
    assert set(transcript_stats(value).values()) == {0}
