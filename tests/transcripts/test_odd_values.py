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
VALUES: list[Any] = [
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
