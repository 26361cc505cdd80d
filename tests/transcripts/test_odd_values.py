"""Whatever stands where something else is expected, a transcript is read and no check of ours fails."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolsurface_lint.api import check_paths, transcript_stats, transcript_validate

RUN = [
    {"role": "user", "content": "Go."},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "a", "type": "function", "function": {"name": "run", "arguments": '{"x": 1}'}}],
    },
    {"role": "tool", "tool_call_id": "a", "content": "ok"},
]
USE = [
    {"role": "user", "content": "Go."},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "run", "input": {"x": 1}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "ok", "is_error": False}]},
]
CONVERSE = [
    {"role": "user", "content": [{"text": "Go."}]},
    {"role": "assistant", "content": [{"toolUse": {"toolUseId": "a", "name": "run", "input": {"x": 1}}}]},
    {"role": "user", "content": [{"toolResult": {"toolUseId": "a", "content": [{"text": "ok"}]}}]},
]
CONTENTS = [
    {"role": "user", "parts": [{"text": "Go."}]},
    {"role": "model", "parts": [{"functionCall": {"name": "run", "args": {"x": 1}}}]},
    {"role": "user", "parts": [{"functionResponse": {"name": "run", "response": {"output": "ok"}}}]},
]
ITEMS = [
    {"role": "user", "content": "Go."},
    {"type": "function_call", "call_id": "a", "name": "run", "arguments": '{"x": 1}'},
    {"type": "function_call_output", "call_id": "a", "output": "ok"},
]
CALL = '<tool_call>{"name": "run", "arguments": {"x": 1}}</tool_call>'
TURNS = [
    {"from": "system", "value": 'Use <tools>[{"name": "run", "description": "Runs.", "parameters": {}}]</tools>'},
    {"from": "human", "value": "Go."},
    {"from": "gpt", "value": CALL},
    {"from": "tool", "value": "<tool_response>ok</tool_response>"},
]
EVENT = {"uuid": "u", "parentUuid": None, "sessionId": "s", "isSidechain": False}
TOOL = {
    "type": "function",
    "function": {
        "name": "run",
        "description": "Runs it.",
        "parameters": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]},
    },
}
SERVED = {
    "name": "run",
    "description": "Runs it.",
    "inputSchema": {"type": "object", "properties": {"x": {"type": "integer"}}},
    "outputSchema": {"type": "object", "properties": {"y": {"type": "integer"}}, "required": ["y"]},
}
WIRE = [
    {"jsonrpc": "2.0", "id": 1, "result": {"tools": [SERVED]}},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "run", "arguments": {"x": 1}}},
    {
        "jsonrpc": "2.0",
        "id": 2,
        "result": {"content": [{"type": "text", "text": "ok"}], "structuredContent": {"y": 1}, "isError": True},
    },
    {"jsonrpc": "2.0", "id": 3, "error": {"code": -32603, "message": "no"}},
]
PI = [
    {"type": "session", "version": 3, "id": "s", "timestamp": "t", "cwd": "/"},
    {"type": "message", "id": "1", "parentId": None, "message": {"role": "user", "content": "Go.", "timestamp": 1}},
    {
        "type": "message",
        "id": "2",
        "parentId": "1",
        "message": {
            "role": "assistant",
            "content": [{"type": "toolCall", "id": "a", "name": "run", "arguments": {"x": 1}}],
        },
    },
    {"type": "compaction", "id": "3", "parentId": "2", "timestamp": "t"},
    {"type": "message_end", "message": {"role": "toolResult", "toolCallId": "a", "content": "ok", "isError": True}},
]
SIMULATED = [
    {"role": "user", "tool_calls": [{"id": "a", "name": "run", "arguments": {"x": 1}, "requestor": "user"}]},
    {"role": "tool", "tool_messages": [{"id": "a", "role": "tool", "content": "ok", "error": True}]},
    {"role": "tool", "id": "b", "content": "ok", "requestor": "user", "turn_idx": 1, "timestamp": "t"},
]
STEPS = [
    {"role": "assistant", "content": "x", "extra": {"actions": [{"command": "ls"}]}},
    {"role": "user", "content": "x", "extra": {"raw_output": "x", "exception_info": "no"}},
    {
        "object": "response",
        "output": [ITEMS[1], {"type": "message", "content": [{"text": "x"}]}],
        "extra": {"actions": []},
    },
    {**ITEMS[2], "extra": {"raw_output": ""}},
    {"role": "exit", "extra": {"exit_status": "x"}},
]
ANSWER = {"choices": [{"message": RUN[1]}]}
ACTIONS = [
    {"source": "agent", "action": "system", "args": {"content": "x", "tools": [TOOL]}},
    {
        "source": "agent",
        "action": "run",
        "args": {},
        "tool_call_metadata": {"function_name": "run", "tool_call_id": "a", "model_response": ANSWER},
    },
    {"observation": "run", "content": "ok", "extras": {}, "tool_call_metadata": {"tool_call_id": "a"}},
]
KINDS = [
    {"kind": "SystemPromptEvent", "source": "agent", "tools": [TOOL]},
    {"kind": "MessageEvent", "source": "user", "llm_message": {"role": "user", "content": [{"text": "x"}]}},
    {"kind": "ActionEvent", "source": "agent", "tool_call": {"id": "a", "name": "run", "arguments": "{}"}},
    {"kind": "ObservationEvent", "source": "environment", "tool_call_id": "a", "observation": {"is_error": True}},
]
STREAM = [
    {
        "type": "RUN_STARTED",
        "threadId": "t",
        "input": {"tools": [SERVED], "messages": [{"role": "user", "content": "x"}]},
    },
    {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": CALL},
    {"type": "TEXT_MESSAGE_END", "messageId": "m"},
    {"type": "TOOL_CALL_START", "toolCallId": "a", "toolCallName": "run", "parentMessageId": "m"},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "a", "delta": '{"x": '},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "a", "delta": '"1"}'},
    {"type": "TOOL_CALL_END", "toolCallId": "a"},
    {"type": "TOOL_CALL_CHUNK", "toolCallId": "b", "toolCallName": "run", "delta": "["},
    {"type": "TOOL_CALL_RESULT", "toolCallId": "a", "content": "ok"},
    {
        "type": "MESSAGES_SNAPSHOT",
        "messages": [
            {"role": "assistant", "toolCalls": [{"id": "c", "function": {"name": "run", "arguments": "{}"}}]},
            {"role": "tool", "toolCallId": "c", "content": "x", "error": "no"},
        ],
    },
    {"type": "RUN_FINISHED", "threadId": "t"},
]
TEAM = [
    {"source": "user", "content": "Go.", "type": "TextMessage"},
    {"source": "a", "content": [{"id": "a", "name": "run", "arguments": "{}"}], "type": "ToolCallRequestEvent"},
    {"source": "a", "content": [{"call_id": "a", "content": "x"}], "type": "ToolCallExecutionEvent"},
]
USED = [
    {"timestamp": "t", "type": "tool_usage_started", "event_id": "a", "tool_name": "run", "tool_args": '{"x": 1}'},
    {"timestamp": "t", "type": "tool_usage_error", "event_id": "b", "started_event_id": "a", "tool_name": "run"},
]
VALUES: list[Any] = [
    PI,
    {"messages": [event["message"] for event in PI if "message" in event]},
    {"simulations": [{"messages": SIMULATED}]},
    {"messages": STEPS, "trajectory_format": "mini-swe-agent-1.1"},
    {"history": ACTIONS},
    KINDS,
    STREAM,
    STREAM[-2],
    {"messages": TEAM},
    {"agent_states": {"a": {"agent_state": {"llm_context": {"messages": TEAM}}}}},
    USED,
    {"events": [{**event, "event_data": event} for event in USED]},
    {"tasks_output": [{"messages": RUN}]},
    {"chat_history": [*RUN[:2], {"role": "tool", "tool_responses": [RUN[2]]}]},
    WIRE,
    {"session": {"interactions": [{"request": WIRE[1], "response": WIRE[2]}]}},
    [{"dir": "in", "server": "s", "msg": message} for message in WIRE],
    {"messages": RUN, "tools": [TOOL]},
    {"messages": USE},
    {"messages": CONVERSE},
    {"contents": CONTENTS},
    {"input": ITEMS},
    {"conversations": TURNS},
    {"history": [{**message, "agent": "main", "action": "run 1"} for message in RUN], "trajectory": []},
    {"history": [{"role": role, "content": "x", "agent": "a", "action": "ls"} for role in ("assistant", "user")]},
    {"_type": "run_record", "transcript": {"messages": RUN}},
    [{"type": message["role"], "message": message, **EVENT} for message in USE],
    {"loglines": [{"type": message["role"], "message": message, **EVENT} for message in USE]},
    [{"type": "response_item", "payload": item} for item in ITEMS],
    [{"type": "message", "span_id": 1, **message} for message in RUN],
    {"method": "generate", "response": [{"candidates": [{"content": CONTENTS[1], "finishReason": "STOP"}]}]},
    [{"type": "tool_schemas", "span_id": 1, "schemas": [TOOL]}],
    {"messages": [{"role": "assistant", "function_call": {"name": "run", "arguments": "{}"}}]},
]

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 2),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["", "x", "tool", "assistant", "{", "a", "[]", "\ud800", "<tool_call>{</tool_call>"]),
    st.just([]),
    st.just({}),
    st.just([[]]),
    st.just([None, 1, "x", {}]),
    st.just({"role": []}),
    st.just({"name": {}, "type": [], "id": 3}),
)


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path]
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        found.extend(paths(member, (*path, key)))
    return found


def changed(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    if not path:
        return odd
    copied = copy.deepcopy(value)
    inner = copied
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = odd
    return copied


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(VALUES)))
@given(data=st.data())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_odd_values_are_survived(number: int, data: st.DataObject, tmp_path: Path) -> None:
    value = VALUES[number]
    for _ in range(data.draw(st.integers(1, 2))):
        value = changed(value, data.draw(st.sampled_from(paths(value))), data.draw(ODD))
    (tmp_path / "tools.json").write_text(json.dumps([TOOL]), encoding="utf-8")
    (tmp_path / "run.json").write_text(json.dumps(value), encoding="utf-8")
    (tmp_path / "runs.jsonl").write_text((json.dumps(VALUES[number]) + "\n") + json.dumps(value), encoding="utf-8")
    report = check_paths([str(tmp_path)], isolated=True, select=["TRANSCRIPT", "CALL"])
    assert not report.internal_errors
    transcript_stats(value)
    transcript_validate(value if isinstance(value, list) else [value])


@pytest.mark.slow
@pytest.mark.parametrize(
    "events", [PI, ACTIONS, KINDS, STREAM, TEAM, USED, WIRE], ids=lambda events: str(events[0])[:20]
)
@given(data=st.data())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_odd_events_in_lines_are_survived(events: list[Any], data: st.DataObject, tmp_path: Path) -> None:
    value = events
    for _ in range(data.draw(st.integers(1, 3))):
        value = changed(value, data.draw(st.sampled_from(paths(value)[1:])), data.draw(ODD))
    (tmp_path / "tools.json").write_text(json.dumps([TOOL]), encoding="utf-8")
    lines = [json.dumps(event) + "\n" for event in value]
    (tmp_path / "run.jsonl").write_text("".join(lines), encoding="utf-8")
    (tmp_path / "run.log").write_text("".join(f"12:00 [x] {line}" for line in lines), encoding="utf-8")
    paths_ = [str(tmp_path), str(tmp_path / "run.log")]
    report = check_paths(paths_, isolated=True, select=["TRANSCRIPT", "CALL"])
    assert not report.internal_errors
