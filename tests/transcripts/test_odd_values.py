"""Whatever stands where something else is expected, a transcript is read and no check of ours fails."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.long import examples
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
FLAT = {"name": "run", "description": "Runs it.", "parameters": {"x": {"type": "int, optional", "default": None}}}
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
PARTS = [
    {"role": "user", "parts": [{"type": "text", "content": "Go."}]},
    {"role": "assistant", "parts": [{"type": "tool_call", "id": "a", "name": "run", "arguments": {"x": 1}}]},
    {"role": "tool", "parts": [{"type": "tool_call_response", "id": "a", "response": "ok"}]},
]
CHAIN = [
    {"lc": 1, "type": "constructor", "id": ["HumanMessage"], "kwargs": {"content": "Go."}},
    {"type": "ai", "data": {"content": "", "tool_calls": [{"name": "run", "args": {"x": 1}, "id": "a"}]}},
    {"role": "run", "content": "ok", "additional_kwargs": {"tool_calls": [RUN[1]["tool_calls"]]}},
    {"type": "tool", "content": "ok", "tool_call_id": "a", "status": "error"},
]
INSPECT = [
    {"id": "1", "role": "user", "content": "Go."},
    {
        "id": "2",
        "role": "assistant",
        "tool_calls": [{"id": "a", "function": "run", "arguments": {"x": "attachment://k"}}],
    },
    {"id": "3", "role": "tool", "content": "ok", "tool_call_id": "a", "function": "run", "error": {"type": "x"}},
]
MODEL_EVENT = {"event": "model", "input": INSPECT, "input_refs": [[0, 2]], "tools": [TOOL["function"]]}
SAMPLE = {
    "epoch": 1,
    "target": "",
    "messages": INSPECT,
    "attachments": {"k": "1"},
    "events_data": {"messages": INSPECT},
    "events": [{**MODEL_EVENT, "output": {"choices": [{"message": INSPECT[1]}]}}],
}
STEP = {
    "source": "agent",
    "message": [{"type": "text", "text": "x"}],
    "tool_calls": [{"tool_call_id": "a", "function_name": "run", "arguments": {"x": 1}}],
    "observation": {"results": [{"source_call_id": "a", "content": "ok", "extra": {"is_error": True}}]},
}
FLAT = {
    "openinference.span.kind": "LLM",
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.contents.0.message_content.text": "Go.",
    "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "run",
    "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": '{"x": 1}',
    "llm.tools.0.tool.json_schema": json.dumps(TOOL),
}


def _wrapped(value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        return {"arrayValue": {"values": [_wrapped(item) for item in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": [{"key": key, "value": _wrapped(inner)} for key, inner in value.items()]}}
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}


SPAN = {
    "traceId": "t",
    "startTimeUnixNano": "1",
    "status": {"code": 2},
    "attributes": [
        {"key": "gen_ai.input.messages", "value": _wrapped(PARTS)},
        {"key": "gen_ai.output.messages", "value": {"stringValue": json.dumps(PARTS[1:2])}},
        {"key": "gen_ai.tool.definitions", "value": _wrapped([TOOL])},
        {"key": "session.id", "value": {"stringValue": "s"}},
    ],
}
EVENTS = [
    {"name": "gen_ai.user.message", "attributes": {"content": "Go."}},
    {"name": "gen_ai.choice", "attributes": {"message": json.dumps({"tool_calls": RUN[1]["tool_calls"]})}},
    {"name": "gen_ai.tool.message", "attributes": {"gen_ai.event.content": json.dumps({"id": "a", "content": "ok"})}},
]
EXECUTED = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "run",
    "gen_ai.tool.call.id": "a",
    "gen_ai.tool.call.arguments": '{"x": 1}',
    "gen_ai.tool.call.result": "ok",
}
GENERATION = {
    "type": "GENERATION",
    "traceId": "t",
    "startTime": "1",
    "sessionId": "s",
    "toolDefinitions": {"run": "{}"},
}
LLM_RUN = {"run_type": "llm", "trace_id": "t", "start_time": 1, "extra": {"invocation_params": {"tools": [TOOL]}}}
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
    {"resourceSpans": [{"scopeSpans": [{"spans": [SPAN, SPAN]}]}]},
    {
        "data": [
            {"spans": [{"traceID": "t", "tags": [{"key": key, "type": "string", "value": FLAT[key]} for key in FLAT]}]}
        ]
    },
    [{"context": {"trace_id": "t"}, "attributes": FLAT}],
    [{"trace_id": "t", "attributes": {"gen_ai.system": "x"}, "events": EVENTS}],
    [{"trace_id": "t", "attributes": EXECUTED, "status": {"code": 2}}],
    {
        "trace": {"sessionId": "s"},
        "observations": [
            {**GENERATION, "input": json.dumps([*RUN, {"role": "tool", "content": TOOL}]), "output": RUN[1]}
        ],
    },
    [{**GENERATION, "input": {"messages": USE}, "output": [{"toolCallId": "a", "toolName": "run", "input": "{}"}]}],
    {
        **LLM_RUN,
        "child_runs": [
            {**LLM_RUN, "inputs": {"messages": [CHAIN]}, "outputs": {"generations": [[{"message": CHAIN[1]}]]}}
        ],
    },
    {
        "post": [{**LLM_RUN, "inputs": {"messages": RUN}}],
        "patch": [{"trace_id": "t", "outputs": {"choices": [{"message": RUN[1]}]}}],
    },
    {"messages": CHAIN, "tools": [TOOL]},
    {
        "schema_version": "ATIF-v1.8",
        "agent": {"tool_definitions": [TOOL]},
        "steps": [STEP, STEP],
        "subagent_trajectories": [],
    },
    {"eval": {"task": "t"}, "samples": [SAMPLE]},
    {"messages": INSPECT},
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
    {"messages": json.dumps(RUN), "available_tools": json.dumps([TOOL]), "metadata": {"tools": [TOOL]}},
    {"prompt": RUN[:1], "completion": RUN[1:], "tools": [json.dumps(TOOL)]},
    {"input": RUN[:2], "output": "Done.", "generator": "m", "metadata": json.dumps({"tools": [TOOL]})},
    {"query": "Go.", "tools": json.dumps([FLAT]), "answers": json.dumps([{"name": "run", "arguments": {"x": 1}}])},
    {"query": "Go.", "tools": [FLAT], "answers": [{"name": "run", "arguments": {"x": 1}}]},
    {"question": "Go.", "tools": [json.dumps(FLAT)], "correct_answer": "tool_call", "answers": {"tool_call": "{}"}},
    {"tools": [FLAT], "messages": RUN[:1], "chosen_response": RUN[1], "rejected_response": RUN[1]},
    {
        "system": f"Functions: {json.dumps(FLAT)}",
        "chat": "USER: Go.\nASSISTANT: <functioncall> {}\nFUNCTION RESPONSE: 1",
    },
    {
        "system": f"Here is a list of functions in JSON format: {json.dumps([FLAT])}",
        "conversations": [{"from": "user", "value": "Go."}, {"from": "assistant", "value": "[run(x=1), run(x=[{}])]"}],
    },
    {"id": "a", "question": [[RUN[0]]], "function": [FLAT], "ground_truth": [{"run": {"x": [1, {"y": [1, ""]}]}}]},
    {"id": "a", "question": [[RUN[0]]], "function": [FLAT], "ground_truth": [["run(1)"], ["run(x=2)", "stop()"]]},
    {"conversations": TURNS, "tools": json.dumps([TOOL]), "category": "a", "subcategory": "b", "task": "c"},
    {"messages": [RUN[0], {"role": "tool_call", "content": CALL[11:-12]}, {"role": "tool_response", "content": "ok"}]},
    {"messages": [RUN[0], {"role": "assistant", "content": [{"type": "tool_call", "value": CALL[11:-12]}]}]},
    {"trajectory": RUN, "instance_id": "a"},
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
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
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
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
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
