"""Traces: each request has the history before it, and each message is checked once, wherever it stands and however it is kept."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.long import examples
from toolsurface_lint.api import check_paths
from toolsurface_lint.model.diagnostics import Report
from toolsurface_lint.readers.transcript_format import ModelRequest
from toolsurface_lint.run.transcripts.requests import Requests

Check = Callable[..., Report]
Message = dict[str, Any]

TOOL = {
    "type": "function",
    "name": "find_room",
    "description": "Finds a free room in a town.",
    "parameters": {
        "type": "object",
        "properties": {
            "town": {"type": "string", "description": "The town."},
            "nights": {"type": "integer", "description": "How many nights."},
        },
        "required": ["town"],
    },
}
FUNCTION = {"type": "function", "function": {key: value for key, value in TOOL.items() if key != "type"}}


def text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def user(said: str = "A room in Tromsø.") -> Message:
    return {"role": "user", "parts": [{"type": "text", "content": said}]}


def call(id: str | None = "c1", nights: Any = "two", name: str = "find_room") -> Message:
    part = {"type": "tool_call", "name": name, "arguments": {"town": "Tromsø", "nights": nights}}
    return {"role": "assistant", "parts": [part if id is None else {"id": id, **part}]}


def result(id: str | None = "c1", said: str = "Room 4") -> Message:
    part = {"type": "tool_call_response", "response": said}
    return {"role": "tool", "parts": [part if id is None else {"id": id, **part}]}


def answer(said: str = "Room 4 is yours.") -> Message:
    return {"role": "assistant", "parts": [{"type": "text", "content": said}]}


def span(sent: list[Message], given: list[Message] = (), trace: str = "t1", **more: Any) -> dict[str, Any]:  # type: ignore[assignment]
    """A span of the console's exporter, whose messages are JSON text."""
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": text(sent),
        "gen_ai.output.messages": text(list(given)),
        "gen_ai.tool.definitions": text([TOOL]),
        **more,
    }
    return {"name": "chat", "context": {"trace_id": trace, "span_id": "s"}, "attributes": attributes}


def write(folder: Path, *values: Any, name: str = "run.jsonl") -> str:
    written = "".join(text(value) + "\n" for value in values)
    (folder / name).write_text(written, encoding="utf-8", newline="")
    return written


def found(report: Report, written: str) -> list[tuple[str, str]]:
    """The code and the text of each finding."""
    rows = []
    for diagnostic in report.diagnostics:
        assert diagnostic.location is not None
        start, end = diagnostic.location.span
        rows.append((diagnostic.code, written[start:end]))
    return rows


def counts(report: Report) -> tuple[int, int, int, int]:
    """Conversations, turns, calls and results."""
    (summary,) = report.transcripts
    return summary.conversations, summary.turns, summary.calls, summary.results


WRONG = [("CALL_INVALID_ARGUMENTS", '\\"two\\"')]


def test_a_growing_history_is_read_once(tmp_path: Path, check: Check) -> None:
    written = write(tmp_path, span([user()], [call()]), span([user(), call(), result()], [answer()]))
    report = check(tmp_path)
    assert found(report, written) == WRONG
    assert report.diagnostics[0].location.range.start[0] == 1  # type: ignore[union-attr]
    assert counts(report) == (1, 4, 1, 1)


def test_the_newest_request_may_come_first(tmp_path: Path, check: Check) -> None:
    written = write(tmp_path, span([user(), call(), result()], [answer()]), span([user()], [call()]))
    report = check(tmp_path)
    assert found(report, written) == WRONG
    assert counts(report) == (1, 4, 1, 1)


def test_a_history_that_was_shortened_goes_on(tmp_path: Path, check: Check) -> None:
    later = [call(), result(), answer(), user("And in Bodø?")]
    written = write(
        tmp_path,
        span([user()], [call()]),
        span([user(), call(), result()], [answer()]),
        span(later, [call("c2", 3)]),
        span([*later[2:], call("c2", 3), result("c2")], [answer("Room 5.")]),
    )
    report = check(tmp_path)
    assert found(report, written) == WRONG
    assert counts(report) == (1, 8, 2, 2)


def test_a_second_answer_to_the_same_request_is_a_branch(tmp_path: Path, check: Check) -> None:
    written = write(tmp_path, span([user()], [call()]), span([user()], [call("c2", "three")]))
    report = check(tmp_path)
    assert found(report, written) == [*WRONG, ("CALL_INVALID_ARGUMENTS", '\\"three\\"')]
    assert counts(report) == (2, 3, 2, 0)


def test_what_the_system_says_may_change(tmp_path: Path, check: Check) -> None:
    first = {"role": "system", "parts": [{"type": "text", "content": "It is noon."}]}
    second = {"role": "system", "parts": [{"type": "text", "content": "It is one."}]}
    write(
        tmp_path, span([first, user()], [call(nights=1)]), span([second, user(), call(nights=1), result()], [answer()])
    )
    assert counts(check(tmp_path)) == (1, 5, 1, 1)


def test_only_what_is_new_may_be_sent(tmp_path: Path, check: Check) -> None:
    write(tmp_path, span([user()], [call(nights=1)]), span([result()], [answer()]))
    report = check(tmp_path)
    assert report.diagnostics == ()
    assert counts(report) == (1, 4, 1, 1)


def test_a_result_without_its_call_in_a_whole_history(tmp_path: Path, check: Check) -> None:
    written = write(tmp_path, span([user(), call(nights=1), result("c9")], [answer()]))
    assert found(check(tmp_path), written) == [("TRANSCRIPT_ORPHAN_RESULT", '\\"c9\\"')]


def test_the_same_call_made_again_is_another_one(tmp_path: Path, check: Check) -> None:
    steps = [user(), *[message for _ in range(3) for message in (call(None, 1), result(None))]]
    write(tmp_path, *(span(steps[:end], [steps[end]]) for end in (1, 3, 5)), span(steps, [answer()]))
    report = check(tmp_path)
    assert [diagnostic.code for diagnostic in report.diagnostics] == ["TRANSCRIPT_REPEATED_CALL"]
    assert counts(report) == (1, 8, 3, 3)


def test_traces_are_apart_unless_they_share_a_session(tmp_path: Path, check: Check) -> None:
    first, second = span([user()], [call()]), span([user(), call(), result()], [answer()], "t2")
    written = write(tmp_path, first, second)
    assert found(check(tmp_path), written) == WRONG * 2
    for one in (first, second):
        one["attributes"]["gen_ai.conversation.id"] = "session"
    written = write(tmp_path, first, second)
    report = check(tmp_path)
    assert found(report, written) == WRONG
    assert counts(report) == (1, 4, 1, 1)


def test_each_request_has_its_own_tools(tmp_path: Path, check: Check) -> None:
    other = text([{**TOOL, "name": "book_room", "parameters": {"type": "object", "properties": {}}}])
    written = write(
        tmp_path,
        span([user()], [call(nights=1)]),
        span([user(), call(nights=1), result()], [call("c2", 1)], **{"gen_ai.tool.definitions": other}),
    )
    assert found(check(tmp_path), written) == [("CALL_UNKNOWN_TOOL", '\\"find_room\\"')]


STEPS = [
    user(),
    call("c1", 1),
    result("c1"),
    call("c2", "two"),
    result("c2"),
    answer(),
    user("Thanks."),
    call("c3", 1, "find_rom"),
    result("c3"),
    answer("Bye."),
]


@settings(max_examples=examples(60))
@given(st.permutations([1, 3, 5, 7, 9]))
def test_in_any_order_the_same_is_found(tmp_path_factory: pytest.TempPathFactory, order: list[int]) -> None:
    folder = tmp_path_factory.mktemp("trace")
    written = write(folder, *(span(STEPS[:end], [STEPS[end]]) for end in order))
    report = check_paths([str(folder)])
    assert sorted(found(report, written)) == [*WRONG, ("CALL_UNKNOWN_TOOL", '\\"find_rom\\"')]
    assert counts(report)[1:] == (10, 3, 3)


# What the conventions and their exporters write


def one(folder: Path, value: Any, name: str = "trace.json") -> tuple[Report, str]:
    written = json.dumps(value, indent=1, ensure_ascii=False)
    (folder / name).write_text(written, encoding="utf-8", newline="")
    return check_paths([str(folder)]), written


def test_one_span_is_a_trace(tmp_path: Path) -> None:
    report, written = one(tmp_path, span([user()], [call()]))
    assert found(report, written) == WRONG
    (related,) = report.diagnostics[0].related
    start, end = related.location.span
    assert written[start:end] == '\\"integer\\"'


def test_a_trace_without_recorded_content_is_said(tmp_path: Path) -> None:
    from toolsurface_lint.reporters.account import closing_lines

    report, _ = one(tmp_path, {"trace_id": "t", "attributes": {"gen_ai.operation.name": "chat"}})
    path = report.transcripts[0].path
    assert f"1 transcript holds no conversation that could be read: {path}." in closing_lines(report)


def test_spans_of_anything_else_may_come_before(tmp_path: Path) -> None:
    other = {"name": "GET", "context": {"trace_id": "t1"}, "attributes": {"http.method": "GET"}}
    report, written = one(tmp_path, [other] * 5 + [span([user()], [call()])])
    assert found(report, written) == WRONG


def attributes_of(value: dict[str, Any]) -> list[tuple[str, str]]:
    return list(span([user()], [call()], **value)["attributes"].items())


def test_an_export_of_jaeger(tmp_path: Path) -> None:
    tags = [{"key": key, "type": "string", "value": value} for key, value in attributes_of({})]
    http = {"traceID": "0a", "spanID": "1", "startTime": 2, "tags": [{"key": "error", "type": "bool", "value": True}]}
    chat = {"traceID": "0a", "spanID": "2", "startTime": 1, "operationName": "chat", "tags": tags}
    report, written = one(tmp_path, {"data": [{"traceID": "0a", "spans": [http, chat], "processes": {}}], "total": 0})
    assert found(report, written) == WRONG


def test_an_export_of_tempo(tmp_path: Path) -> None:
    attributes = [{"key": key, "value": {"stringValue": value}} for key, value in attributes_of({})]
    group = {"resource": {}, "scopeSpans": [{"spans": [{"traceId": "0a", "spanId": "1", "attributes": attributes}]}]}
    report, written = one(tmp_path, {"batches": [group]})
    assert found(report, written) == WRONG


def test_the_request_of_googles_adk(tmp_path: Path) -> None:
    declared = {
        "functionDeclarations": [{"name": "find_room", "description": "Finds.", "parameters": TOOL["parameters"]}]
    }
    sent = {"contents": [{"role": "user", "parts": [{"text": "A room."}]}], "config": {"tools": [declared]}}
    made = {"function_call": {"name": "find_room", "args": {"town": "Tromsø", "nights": "two"}}}
    attributes = {
        "gcp.vertex.agent.llm_request": text(sent),
        "gcp.vertex.agent.llm_response": text({"content": {"role": "model", "parts": [made]}}),
    }
    report, written = one(tmp_path, {"trace_id": "t", "attributes": attributes})
    assert found(report, written) == WRONG


def test_a_number_of_otlp_is_a_number(tmp_path: Path) -> None:
    inner = [{"key": "town", "value": {"stringValue": "Oslo"}}, {"key": "nights", "value": {"intValue": "2"}}]
    part = [
        {"key": "type", "value": {"stringValue": "tool_call"}},
        {"key": "name", "value": {"stringValue": "find_room"}},
        {"key": "arguments", "value": {"kvlistValue": {"values": inner}}},
    ]
    parts = {"arrayValue": {"values": [{"kvlistValue": {"values": part}}]}}
    message = [{"key": "role", "value": {"stringValue": "assistant"}}, {"key": "parts", "value": parts}]
    given = {"arrayValue": {"values": [{"kvlistValue": {"values": message}}]}}
    attributes = [
        {"key": "gen_ai.output.messages", "value": given},
        {"key": "gen_ai.tool.definitions", "value": {"stringValue": text([TOOL])}},
    ]
    report, _ = one(tmp_path, {"traceId": "0a", "spanId": "1", "attributes": attributes})
    assert report.diagnostics == ()
    assert counts(report) == (1, 1, 1, 0)


def test_a_span_of_anything_else_is_not_ours(tmp_path: Path) -> None:
    report, _ = one(tmp_path, {"name": "GET", "context": {"trace_id": "t"}, "attributes": {"http.method": "GET"}})
    assert [skipped.reason for skipped in report.skipped] == ["not recognised"]


def test_openinference_is_flattened(tmp_path: Path) -> None:
    start = "llm.output_messages.0.message"
    attributes = {
        "openinference.span.kind": "LLM",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.contents.0.message_content.type": "text",
        "llm.input_messages.0.message.contents.0.message_content.text": "A room.",
        f"{start}.role": "assistant",
        f"{start}.tool_calls.0.tool_call.id": "c1",
        f"{start}.tool_calls.0.tool_call.function.name": "find_room",
        f"{start}.tool_calls.0.tool_call.function.arguments": text({"town": "Tromsø", "nights": "two"}),
        "llm.tools.0.tool.json_schema": text(FUNCTION),
    }
    report, written = one(tmp_path, {"context": {"trace_id": "t"}, "attributes": attributes})
    assert found(report, written) == WRONG
    assert counts(report) == (1, 2, 1, 0)


def test_openinference_may_be_nested(tmp_path: Path) -> None:
    inner = {"id": "c1", "function": {"name": "find_rom", "arguments": "{}"}}
    message = {"message": {"role": "assistant", "tool_calls": [{"tool_call": inner}]}}
    llm = {"output_messages": [message], "tools": [{"tool": {"json_schema": text(FUNCTION)}}]}
    llm["input_messages"] = [{"message": {"role": "user", "content": "A room."}}]
    report, written = one(tmp_path, {"context": {"trace_id": "t"}, "attributes": {"llm": llm}})
    assert found(report, written) == [("CALL_UNKNOWN_TOOL", '"find_rom"')]


def test_openinference_without_messages_has_the_request(tmp_path: Path) -> None:
    made = {"id": "c1", "type": "function", "function": {"name": "find_rom", "arguments": "{}"}}
    attributes = {
        "openinference.span.kind": "LLM",
        "input.value": text({"messages": [{"role": "user", "content": "A room."}], "tools": [FUNCTION]}),
        "output.value": text({"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [made]}}]}),
    }
    report, written = one(tmp_path, {"context": {"trace_id": "t"}, "attributes": attributes})
    assert found(report, written) == [("CALL_UNKNOWN_TOOL", '\\"find_rom\\"')]


def test_openllmetry_is_flattened_too(tmp_path: Path) -> None:
    attributes = {
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "A room.",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.tool_calls.0.id": "c1",
        "gen_ai.completion.0.tool_calls.0.name": "find_room",
        "gen_ai.completion.0.tool_calls.0.arguments": text({"town": "Tromsø", "nights": "two"}),
        "llm.request.functions.0.name": "find_room",
        "llm.request.functions.0.description": "Finds a room.",
        "llm.request.functions.0.parameters": text(TOOL["parameters"]),
    }
    report, written = one(tmp_path, {"trace_id": "t", "attributes": attributes})
    assert found(report, written) == WRONG


def test_events_of_a_span_are_its_messages(tmp_path: Path) -> None:
    made = [{"id": "c1", "type": "function", "function": {"name": "find_rom", "arguments": "{}"}}]
    events = [
        {"name": "gen_ai.user.message", "attributes": {"content": "A room."}},
        {"name": "gen_ai.assistant.message", "attributes": {"tool_calls": text(made)}},
        {"name": "gen_ai.tool.message", "attributes": {"id": "c1", "content": "None."}},
        {"name": "gen_ai.choice", "attributes": {"index": 0, "message": text({"content": "No room."})}},
    ]
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.tool.definitions": text([TOOL])}
    report, written = one(tmp_path, {"trace_id": "t", "attributes": attributes, "events": events})
    assert found(report, written) == [("CALL_UNKNOWN_TOOL", '\\"find_rom\\"')]
    assert counts(report) == (1, 4, 1, 1)


def test_events_may_be_json_text_in_one_attribute(tmp_path: Path) -> None:
    made = [{"id": "c1", "type": "function", "function": {"name": "find_rom", "arguments": "{}"}}]
    choice = {"message": {"content": "", "tool_calls": made}, "finish_reason": "tool_calls"}
    events = [
        {"name": "gen_ai.user.message", "attributes": {"gen_ai.event.content": text({"content": "A room."})}},
        {"name": "gen_ai.choice", "attributes": {"gen_ai.event.content": text(choice)}},
    ]
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.tool.definitions": text([TOOL])}
    report, written = one(tmp_path, {"trace_id": "t", "attributes": attributes, "events": events})
    assert found(report, written) == [("CALL_UNKNOWN_TOOL", '\\"find_rom\\"')]
    assert counts(report) == (1, 2, 1, 0)


def test_the_tools_of_pydantic_ai(tmp_path: Path) -> None:
    functions = [{"name": "find_room", "description": "Finds.", "parameters_json_schema": TOOL["parameters"]}]
    outputs = [{"name": "final_result", "parameters_json_schema": {"type": "object", "properties": {}}}]
    given = {"function_tools": functions, "output_tools": outputs}
    value = span([user()], [call(), call("c2", 1, "final_result")], model_request_parameters=text(given))
    del value["attributes"]["gen_ai.tool.definitions"]
    report, written = one(tmp_path, value)
    assert found(report, written) == WRONG


def tool_span(**more: Any) -> dict[str, Any]:
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "find_room",
        "gen_ai.tool.call.arguments": text({"town": "Tromsø", "nights": "two"}),
        **more,
    }
    return {"name": "execute_tool", "context": {"trace_id": "t1", "span_id": "s"}, "attributes": attributes}


def test_a_call_on_a_span_is_checked_where_no_request_says_it(tmp_path: Path, check: Check) -> None:
    (tmp_path / "tools.json").write_text(text([FUNCTION]), encoding="utf-8")
    alone = tool_span(**{"gen_ai.tool.call.id": "c1", "gen_ai.tool.call.result": "Room 4"})
    written = write(tmp_path, alone, {**tool_span(), "status": {"status_code": "ERROR"}})
    report = check(tmp_path)
    assert found(report, written) == WRONG * 2
    assert counts(report) == (1, 4, 2, 2)
    assert report.transcripts[0].tools == {"find_room": (2, 1)}


def test_a_call_on_a_span_that_a_request_says_is_that_one(tmp_path: Path, check: Check) -> None:
    alone = tool_span(**{"gen_ai.tool.call.id": "c1", "gen_ai.tool.call.result": "Room 4"})
    history = span([user(), call(), result()], [answer()])
    written = write(tmp_path, span([user()], [call()]), alone, history)
    report = check(tmp_path)
    assert found(report, written) == WRONG
    assert counts(report) == (1, 4, 1, 1)


def test_what_is_answered_in_a_message_itself_the_provider_ran(tmp_path: Path) -> None:
    both = {"role": "assistant", "parts": [*call(nights=1, name="search")["parts"], *result()["parts"]]}
    report, _ = one(tmp_path, span([user()], [both]))
    assert report.diagnostics == ()
    assert counts(report) == (1, 2, 0, 0)


def test_a_role_of_the_provider_is_no_mistake(tmp_path: Path) -> None:
    report, _ = one(tmp_path, span([{**user(), "role": "critic"}], [answer()]))
    assert report.diagnostics == ()


@pytest.mark.parametrize(
    "broken", ["[", "[1]", '{"a": 1}', "", "text", '[{"role": 1}]', '[{"role": "user", "parts": 1}]']
)
def test_messages_that_cannot_be_read_are_none(broken: str, tmp_path: Path, check: Check) -> None:
    value = span([], [])
    value["attributes"]["gen_ai.input.messages"] = broken
    value["attributes"]["gen_ai.tool.definitions"] = broken
    write(tmp_path, value, span([user()], [call(nights=1)], "t2"))
    report = check(tmp_path)
    assert report.diagnostics == ()
    assert counts(report) == (1, 2, 1, 0)


@pytest.mark.parametrize("depth", [100, 500, 900, 3000, 100_000])
def test_json_text_that_nests_deep(depth: int, tmp_path: Path, check: Check) -> None:
    deep = "[" * depth + "]" * depth
    value = span([user()], [call(nights=1)])
    value["attributes"]["gen_ai.tool.definitions"] = f'[{{"type": "function", "name": "x", "parameters": {deep}}}]'
    other = span([], [], "t2")
    other["attributes"]["gen_ai.output.messages"] = (
        f'[{{"role": "assistant", "parts": [{{"type": "tool_call", "name": "x", "arguments": {deep}}}]}}]'
    )
    write(tmp_path, value, other)
    assert not check(tmp_path).internal_errors


# Langfuse


def observation(sent: Any, given: Any, **more: Any) -> dict[str, Any]:
    return {"type": "GENERATION", "traceId": "t1", "startTime": "2026-01-01", "input": sent, "output": given, **more}


CHAT_CALL = {"id": "c1", "type": "function", "function": {"name": "find_rom", "arguments": '{"town": "Oslo"}'}}
CHAT: list[Message] = [
    {"role": "user", "content": "A room."},
    {"role": "assistant", "content": "", "tool_calls": [CHAT_CALL]},
]
UNKNOWN = [("CALL_UNKNOWN_TOOL", '\\"find_rom\\"')]


def test_langfuse_has_lines_of_observations(tmp_path: Path, check: Check) -> None:
    sent = {"messages": CHAT[:1], "tools": [FUNCTION]}
    other = {**observation({"q": 1}, None), "type": "SPAN"}
    written = write(tmp_path, other, observation(text(sent), text(CHAT[1])))
    report = check(tmp_path)
    assert found(report, written) == UNKNOWN
    assert counts(report) == (1, 2, 1, 0)


def test_langchain_puts_tools_among_the_messages(tmp_path: Path) -> None:
    sent = [*CHAT[:1], {"role": "tool", "content": FUNCTION}]
    given = {"role": "assistant", "content": "", "additional_kwargs": {"tool_calls": [CHAT_CALL]}}
    report, written = one(tmp_path, {"trace": {}, "observations": [observation(text(sent), text(given))]})
    assert found(report, written) == UNKNOWN
    assert counts(report) == (1, 2, 1, 0)


def test_a_tool_name_may_be_the_role_of_a_result(tmp_path: Path) -> None:
    back = {"role": "find_rom", "content": "None.", "additional_kwargs": {}}
    report, _ = one(tmp_path, [observation(text([*CHAT, back]), {"role": "assistant", "content": "No."})])
    assert report.diagnostics == ()
    assert counts(report) == (1, 4, 1, 1)


@pytest.mark.parametrize(
    ("more", "place"),
    [
        ({"metadata": {"attributes": {"gen_ai.tool.definitions": text([TOOL])}}}, '"find_rom"'),
        ({"metadata": {"tools": [text(TOOL)]}}, '"find_rom"'),
        ({"toolDefinitions": {"find_room": text({"description": "", "parameters": TOOL["parameters"]})}}, '"find_rom"'),
    ],
)
def test_the_tools_of_langfuse(more: dict[str, Any], place: str, tmp_path: Path) -> None:
    report, written = one(tmp_path, [observation(CHAT[:1], CHAT[1], **more)])
    assert found(report, written) == [("CALL_UNKNOWN_TOOL", place)]


def test_the_calls_of_the_ai_sdk(tmp_path: Path) -> None:
    made = [{"toolCallId": "c1", "toolName": "find_room", "input": text({"town": "Tromsø", "nights": "two"})}]
    value = observation(text(CHAT[:1]), made, metadata={"tools": [text(TOOL)]})
    report, written = one(tmp_path, [value])
    assert found(report, written) == WRONG


@pytest.mark.parametrize(
    "given",
    [
        {"choices": [{"message": CHAT[1], "finish_reason": "tool_calls"}]},
        {"output": [{"type": "function_call", "call_id": "c1", "name": "find_rom", "arguments": "{}"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "find_rom", "input": {}}]},
        {"candidates": [{"content": {"role": "model", "parts": [{"functionCall": {"name": "find_rom", "args": {}}}]}}]},
        {
            "output": {
                "message": {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c1", "name": "find_rom"}}]}
            }
        },
        [CHAT[1]],
    ],
    ids=["chat", "responses", "anthropic", "gemini", "bedrock", "list"],
)
def test_the_answers_of_providers(given: Any, tmp_path: Path) -> None:
    report, written = one(tmp_path, [observation({"messages": CHAT[:1], "tools": [FUNCTION]}, given)])
    assert found(report, written) == [("CALL_UNKNOWN_TOOL", '"find_rom"')]


def test_an_answer_that_was_cut_off(tmp_path: Path) -> None:
    half = {**CHAT[1], "tool_calls": [{**CHAT_CALL, "function": {"name": "find_room", "arguments": '{"town'}}]}
    given = {"choices": [{"message": half, "finish_reason": "length"}]}
    report, _ = one(tmp_path, [observation({"messages": CHAT[:1], "tools": [FUNCTION]}, given)])
    assert report.diagnostics == ()


# LangSmith


def lc(name: str, **kwargs: Any) -> Message:
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", name], "kwargs": kwargs}


def run(sent: Any, given: Any, **more: Any) -> dict[str, Any]:
    extra = {"invocation_params": {"tools": [FUNCTION]}}
    return {"run_type": "llm", "trace_id": "t1", "inputs": sent, "outputs": given, "extra": extra, **more}


LC_CALL = {"name": "find_room", "args": {"town": "Tromsø", "nights": "two"}, "id": "c1", "type": "tool_call"}
LC_BROKEN = {"name": "find_room", "args": '{"town', "id": "c2", "type": "invalid_tool_call", "error": None}


def test_langsmith_has_lines_of_runs(tmp_path: Path, check: Check) -> None:
    asked = [lc("SystemMessage", content="Be brief."), lc("HumanMessage", content="A room.")]
    made = lc("AIMessage", content="", tool_calls=[LC_CALL])
    back = lc("ToolMessage", content="None.", tool_call_id="c1", status="error")
    written = write(
        tmp_path,
        {"run_type": "chain", "trace_id": "t1", "inputs": {}, "outputs": {}},
        run({"messages": [asked]}, {"generations": [[{"message": made}]]}),
        run({"messages": [[*asked, made, back]]}, {"generations": [[{"message": lc("AIMessage", content="No.")}]]}),
    )
    report = check(tmp_path)
    assert found(report, written) == [("CALL_INVALID_ARGUMENTS", '"two"')]
    assert counts(report) == (1, 5, 1, 1)
    assert report.transcripts[0].tools == {"find_room": (1, 1)}


def test_what_langchain_could_not_read_is_not_json(tmp_path: Path) -> None:
    made = lc("AIMessage", content="", tool_calls=[], invalid_tool_calls=[LC_BROKEN])
    sent = {"messages": [[lc("HumanMessage", content="A room.")]]}
    report, _ = one(tmp_path, run(sent, {"generations": [[{"message": made}]]}))
    assert [diagnostic.code for diagnostic in report.diagnostics] == ["CALL_ARGUMENTS_NOT_JSON"]


def test_a_batch_of_langsmith_says_a_run_twice(tmp_path: Path) -> None:
    begun = run({"messages": CHAT[:1]}, None)
    ended = run({"messages": CHAT[:1]}, {"choices": [{"message": CHAT[1]}]})
    del ended["run_type"]
    report, written = one(tmp_path, {"post": [begun], "patch": [ended]})
    assert found(report, written) == [("CALL_UNKNOWN_TOOL", '"find_rom"')]
    assert counts(report) == (1, 2, 1, 0)


@pytest.mark.parametrize(
    "messages",
    [
        [
            {"type": "human", "content": "A room."},
            {"type": "ai", "content": "", "tool_calls": [LC_CALL]},
            {"type": "tool", "content": "None.", "tool_call_id": "c1"},
        ],
        [
            {"type": "human", "data": {"content": "A room."}},
            {"type": "ai", "data": {"content": "", "tool_calls": [LC_CALL]}},
            {"type": "tool", "data": {"content": "None.", "tool_call_id": "c1"}},
        ],
    ],
    ids=["dumped", "with data"],
)
def test_langchain_messages_are_a_conversation(messages: list[Message], tmp_path: Path) -> None:
    report, written = one(tmp_path, {"messages": messages, "tools": [FUNCTION]})
    assert found(report, written) == [("CALL_INVALID_ARGUMENTS", '"two"')]
    assert counts(report) == (1, 3, 1, 1)


@pytest.mark.parametrize("written", ["--5", "-", "", "5-", "٣", "1e3", "9" * 30])
def test_a_number_that_is_none(written: str, tmp_path: Path, check: Check) -> None:
    message = {"kvlistValue": {"values": [{"key": "role", "value": {"intValue": written}}]}}
    attributes = [{"key": "gen_ai.input.messages", "value": {"arrayValue": {"values": [message]}}}]
    spans = [{"traceId": "t", "spanId": "s", "attributes": attributes}]
    (tmp_path / "spans.json").write_text(
        text({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}), encoding="utf-8"
    )
    assert check(tmp_path).diagnostics == ()


def test_a_long_name_is_not_repeated_for_every_value_below_it(tmp_path: Path) -> None:
    def peak(size: int) -> int:
        name = "llm.input_messages.0." + ".".join(["a"] * size)
        attributes = {name: {f"k{number}": 1 for number in range(size)}}
        path = tmp_path / f"{size}.json"
        path.write_text(text({"traceId": "t", "attributes": attributes}), encoding="utf-8")
        tracemalloc.start()
        try:
            assert check_paths([str(path)]).diagnostics == ()
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(10)
    assert peak(3000) < 3 * peak(1500)


def test_the_traces_of_a_session_are_not_compared_with_each_other() -> None:
    compared = 0

    class Name(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return str.__eq__(self, other)

    requests = Requests(pytest.fail, pytest.fail)
    for number in range(500):
        requests.add(ModelRequest((Name(number), Name("session")), []), False)
    assert compared < 5 * 500
