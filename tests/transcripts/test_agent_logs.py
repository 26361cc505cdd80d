"""What the logs of agents, benchmarks and their frameworks have beyond the turns of every format."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsurface_lint.api import check_paths
from toolsurface_lint.model.diagnostics import Report

Check = Callable[..., Report]
Found = list[tuple[str, str]]


def read(folder: Path, check: Check, name: str, value: Any) -> tuple[Found, tuple[int, int, int, int]]:
    """The findings, each with the text at its place; how many conversations, turns, calls and results there were.

    `value` is a text, or what is written as JSON, in lines if the name says so.
    """
    if name.endswith(".jsonl"):
        text = "".join(json.dumps(each) + "\n" for each in value)
    else:
        text = value if isinstance(value, str) else json.dumps(value, indent=1)
    (folder / name).write_text(text, encoding="utf-8", newline="")
    report = check(folder, name)
    found = []
    for diagnostic in report.diagnostics:
        assert diagnostic.location is not None
        start, end = diagnostic.location.span
        before = text[:start]
        line, column = diagnostic.location.range.start
        assert (line, column) == (before.count("\n") + 1, start - before.rfind("\n"))
        found.append((diagnostic.code, text[start:end]))
    (summary,) = report.transcripts
    return found, (summary.conversations, summary.turns, summary.calls, summary.results)


def failures(folder: Path, check: Check, name: str) -> dict[str, tuple[int, int]]:
    (summary,) = check(folder, name).transcripts
    return summary.tools


# tau2


def tau2(*messages: dict[str, Any]) -> dict[str, Any]:
    numbered = [{**message, "turn_idx": number, "timestamp": "t"} for number, message in enumerate(messages)]
    return {"info": {"environment_info": {}}, "tasks": [{"id": "0"}], "simulations": [{"messages": numbered}]}


def tau2_call(role: str, requestor: str, *ids: str) -> dict[str, Any]:
    calls = [{"id": id, "name": "lookup", "arguments": {"key": id}, "requestor": requestor} for id in ids]
    return {"role": role, "content": None, "tool_calls": calls}


def tau2_result(id: str, requestor: str = "assistant", error: bool = False) -> dict[str, Any]:
    return {"id": id, "role": "tool", "content": "x", "requestor": requestor, "error": error}


def test_tau2_results_in_one_message_and_calls_of_the_simulated_user(tmp_path: Path, check: Check) -> None:
    both = {"role": "tool", "tool_messages": [tau2_result("a", error=True), tau2_result("b")]}
    value = tau2(
        tau2_call("assistant", "assistant", "a", "b"),
        both,
        tau2_call("user", "user", "c"),
        tau2_result("c", "user"),
        {"role": "assistant", "content": "Bye.", "tool_calls": None},
    )
    assert read(tmp_path, check, "results.json", value) == ([], (1, 5, 3, 3))
    assert failures(tmp_path, check, "results.json") == {"lookup": (3, 1)}


def test_tau2_calls_that_are_wrong(tmp_path: Path, check: Check) -> None:
    value = tau2(
        tau2_call("user", "assistant", "a"),
        tau2_result("a"),
        tau2_call("assistant", "assistant", "b"),
        {"role": "user", "content": "Well?", "tool_calls": None},
        {"role": "assistant", "content": "Bye.", "tool_calls": None},
    )
    found, _ = read(tmp_path, check, "results.json", value)
    assert found == [("TRANSCRIPT_ROLE_ORDER", '"user"'), ("TRANSCRIPT_UNANSWERED_CALL", '"b"')]


def test_numbered_messages_of_a_provider_are_not_those_of_tau2(tmp_path: Path, check: Check) -> None:
    call = {"id": "a", "type": "function", "function": {"name": "lookup", "arguments": "{}"}}
    chat = [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "x"},
    ]
    blocks = [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "lookup", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x"}]},
    ]
    for name, messages in (("chat.json", chat), ("blocks.json", blocks)):
        assert read(tmp_path, check, name, tau2(*messages)["simulations"][0]) == ([], (1, 3, 1, 1))


# mini-swe-agent


def test_mini_swe_agents_commands_are_calls_of_its_shell(tmp_path: Path, check: Check) -> None:
    def command(text: str) -> dict[str, Any]:
        return {"role": "assistant", "content": f"```\n{text}\n```", "extra": {"actions": [{"command": text}]}}

    def output(trouble: str = "") -> dict[str, Any]:
        return {"role": "user", "content": "x", "extra": {"raw_output": "", "returncode": 1, "exception_info": trouble}}

    messages = [
        {"role": "system", "content": "You are."},
        {"role": "user", "content": "Do it."},
        *(command("ls"), output(), command("sleep 9"), output("timed out")),
        {"role": "user", "content": "Write one.", "extra": {"interrupt_type": "FormatError"}},
        *(command("ls"), output(), command("ls"), output(), command("ls"), output()),
        {"role": "exit", "content": "LimitsExceeded", "extra": {"exit_status": "LimitsExceeded"}},
    ]
    value = {"info": {}, "messages": messages, "trajectory_format": "mini-swe-agent-1.1"}
    found, counts = read(tmp_path, check, "run.traj.json", value)
    assert (found, counts) == ([], (1, 13, 5, 5))
    assert failures(tmp_path, check, "run.traj.json") == {"bash": (5, 1)}


def test_mini_swe_agent_has_one_tool(tmp_path: Path, check: Check) -> None:
    tools = [{"name": "read_note", "description": "Reads one note.", "input_schema": {"type": "object"}}]
    (tmp_path / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    function = {"name": "read_notes", "arguments": "{}"}
    calls = [{"id": "a", "type": "function", "function": function}]
    messages = [
        {"role": "assistant", "content": None, "tool_calls": calls, "extra": {"actions": []}},
        {"role": "tool", "tool_call_id": "a", "content": "x", "extra": {"raw_output": "x", "exception_info": "no"}},
    ]
    text = json.dumps({"messages": messages, "trajectory_format": "mini-swe-agent-1.1"})
    (tmp_path / "run.traj.json").write_text(text, encoding="utf-8")
    (diagnostic,) = check(tmp_path).diagnostics
    assert diagnostic.location is not None
    assert (diagnostic.code, text[slice(*diagnostic.location.span)]) == ("CALL_UNKNOWN_TOOL", '"read_notes"')


# OpenHands

PARAMETERS = {"type": "object", "properties": {"command": {"type": "string", "description": "Which."}}}
BASH = {"type": "function", "function": {"name": "execute_bash", "description": "Runs it.", "parameters": PARAMETERS}}
STATE = {"id": 0, "source": "environment", "observation": "agent_state_changed", "content": "", "extras": {}}
SYSTEM = {"id": 1, "source": "agent", "action": "system", "args": {"content": "You are.", "tools": [BASH]}}
ASKED = {"id": 2, "source": "user", "action": "message", "args": {"content": "Do it."}}


def metadata(id: str, name: str, *ids: str, arguments: str = "{}", kept: bool = True) -> dict[str, Any]:
    found: dict[str, Any] = {"function_name": name, "tool_call_id": id, "total_calls_in_response": len(ids) or 1}
    if kept:
        calls = [
            {"id": each, "type": "function", "function": {"name": name, "arguments": arguments}} for each in ids or [id]
        ]
        found["model_response"] = {"choices": [{"message": {"role": "assistant", "tool_calls": calls}}]}
    return found


def action(id: str, *ids: str, name: str = "execute_bash", kind: str = "run", **more: Any) -> dict[str, Any]:
    return {"source": "agent", "action": kind, "args": {}, "tool_call_metadata": metadata(id, name, *ids, **more)}


def observation(id: str, kind: str = "run", content: str = "x") -> dict[str, Any]:
    return {
        "source": "agent",
        "observation": kind,
        "content": content,
        "extras": {},
        "tool_call_metadata": metadata(id, "execute_bash"),
    }


def test_openhands_arguments_are_those_that_the_model_wrote(tmp_path: Path, check: Check) -> None:
    wrong = action("b", "a", "b", arguments='{"command": ["ls"]}')
    events = [STATE, SYSTEM, ASKED, action("a", "a", "b"), observation("a"), wrong, observation("b")]
    found, counts = read(tmp_path, check, "trajectory.json", events)
    assert (found, counts) == ([("CALL_INVALID_ARGUMENTS", '[\\"ls\\"]')], (1, 6, 2, 2))
    assert read(tmp_path, check, "events.jsonl", events)[0] == found
    assert read(tmp_path, check, "output.jsonl", [{"instance_id": "i", "history": events}])[0] == found


def test_openhands_answers_that_were_not_kept_and_failures(tmp_path: Path, check: Check) -> None:
    kept = [action("a", kept=False), observation("a", "error"), action("b"), observation("b", content="ERROR: no")]
    events = [SYSTEM, ASKED, *kept, action("c", name="finish", kind="finish"), ASKED, action("d"), observation("d")]
    assert read(tmp_path, check, "trajectory.json", {"trajectory": events}) == ([], (1, 10, 4, 3))
    tools = failures(tmp_path, check, "trajectory.json")
    assert tools == {"execute_bash": (3, 2), "finish": (1, 0)}


def test_openhands_calls_without_an_observation(tmp_path: Path, check: Check) -> None:
    events = [SYSTEM, ASKED, action("a"), ASKED, action("b"), observation("b"), observation("x")]
    found, _ = read(tmp_path, check, "trajectory.json", events)
    assert found == [("TRANSCRIPT_UNANSWERED_CALL", '"a"'), ("TRANSCRIPT_ORPHAN_RESULT", '"x"')]


def sdk(kind: str, source: str = "agent", **more: Any) -> dict[str, Any]:
    return {"id": "e", "timestamp": "t", "source": source, **more, "kind": kind}


def sdk_action(id: str, arguments: str = "{}") -> dict[str, Any]:
    call = {"id": id, "name": "execute_bash", "arguments": arguments, "origin": "completion"}
    return sdk("ActionEvent", tool_name="execute_bash", tool_call_id=id, tool_call=call, llm_response_id="r")


def test_openhands_sdk_events(tmp_path: Path, check: Check) -> None:
    asked = sdk("MessageEvent", "user", llm_message={"role": "user", "content": [{"type": "text", "text": "Go."}]})
    answer = {"tool_name": "execute_bash", "action_id": "e"}
    seen = {"content": [{"type": "text", "text": "x"}], "is_error": True, "kind": "TerminalObservation"}
    events = [
        sdk("SystemPromptEvent", system_prompt={"type": "text", "text": "You are."}, tools=[BASH]),
        sdk("ConversationStateUpdateEvent", "environment", key="execution_status", value="running"),
        *(asked, sdk_action("a", '{"command": 1}'), sdk_action("b"), sdk_action("c"), sdk_action("d")),
        sdk("ObservationEvent", "environment", observation=seen, tool_call_id="a", **answer),
        sdk("AgentErrorEvent", error="no", tool_call_id="b", tool_name="execute_bash"),
        sdk("UserRejectObservation", "environment", rejection_reason="no", tool_call_id="c", **answer),
        asked,
    ]
    expected = [("CALL_INVALID_ARGUMENTS", "1"), ("TRANSCRIPT_UNANSWERED_CALL", '"d"')]
    assert read(tmp_path, check, "events.jsonl", events) == (expected, (1, 10, 4, 3))
    assert failures(tmp_path, check, "events.jsonl") == {"execute_bash": (4, 3)}
    assert read(tmp_path, check, "events.json", {"events": events})[0] == expected


def test_tools_that_openhands_names_by_their_classes_are_not_definitions(tmp_path: Path, check: Check) -> None:
    tool = {"description": "Runs it.", "action_type": "TerminalAction", "kind": "TerminalTool"}
    events = [sdk("SystemPromptEvent", system_prompt={}, tools=[tool]), sdk_action("a", '{"command": 1}')]
    assert read(tmp_path, check, "events.jsonl", events) == ([], (1, 2, 1, 0))


# AG-UI

ROOM = {
    "name": "book_room",
    "description": "Books a room.",
    "parameters": {
        "type": "object",
        "properties": {"place": {"type": "string", "description": "Where."}, "nights": {"type": "integer"}},
        "required": ["place"],
    },
}


def started(thread: str = "t", *said: dict[str, Any], **more: Any) -> dict[str, Any]:
    head = {"threadId": thread, "runId": "r"}
    return {"type": "RUN_STARTED", **head, "input": {**head, "messages": list(said), "tools": [ROOM], **more}}


FINISHED = {"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}


def streamed(id: str, *pieces: str, end: bool = True) -> list[dict[str, Any]]:
    start = {"type": "TOOL_CALL_START", "toolCallId": id, "toolCallName": "book_room", "parentMessageId": "m"}
    deltas = [{"type": "TOOL_CALL_ARGS", "toolCallId": id, "delta": piece} for piece in pieces]
    return [start, *deltas, *([{"type": "TOOL_CALL_END", "toolCallId": id}] if end else [])]


def answered(id: str, content: str = "ok") -> dict[str, Any]:
    return {"type": "TOOL_CALL_RESULT", "messageId": f"r{id}", "toolCallId": id, "content": content, "role": "tool"}


def sse(events: list[dict[str, Any]]) -> str:
    return ": stream\n\n" + "".join(f"event: message\ndata: {json.dumps(event)}\n\n" for event in events)


WAYS = [("run.sse", sse), ("run.jsonl", list), ("run.json", list), ("run.log", sse)]


@pytest.mark.parametrize(("name", "write"), WAYS)
def test_ag_ui_arguments_in_pieces(name: str, write: Callable[[Any], Any], tmp_path: Path, check: Check) -> None:
    first = streamed("a", '{"place": "Oslo", "nights": ', "true", "}")
    second = streamed("b", '{"pla', 'ce": 3}')
    # Two calls at once, the second of which ends first.
    events = [
        started(),
        first[0],
        second[0],
        *second[1:],
        *first[1:],
        answered("b"),
        answered("a", "Error: full"),
        FINISHED,
    ]
    found, counts = read(tmp_path, check, name, write(events))
    assert found in (
        [("CALL_INVALID_ARGUMENTS", "3"), ("CALL_INVALID_ARGUMENTS", "true")],
        [("CALL_INVALID_ARGUMENTS", "true"), ("CALL_INVALID_ARGUMENTS", "3")],
    )
    assert counts == (1, 4, 2, 2)
    assert failures(tmp_path, check, name) == {"book_room": (2, 1)}


def test_ag_ui_chunks_end_with_what_comes_after_them(tmp_path: Path, check: Check) -> None:
    chunk = {"type": "TOOL_CALL_CHUNK"}
    events = [
        started(),
        {**chunk, "toolCallId": "a", "toolCallName": "book_room", "delta": '{"place"'},
        {**chunk, "delta": ': "Oslo"}'},
        {**chunk, "toolCallId": "b", "toolCallName": "book_room", "delta": "[]"},
        {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "Do"},
        {"type": "TEXT_MESSAGE_CHUNK", "delta": "ne."},
        FINISHED,
    ]
    assert read(tmp_path, check, "run.jsonl", events) == ([("CALL_ARGUMENTS_NOT_JSON", '"[]"')], (1, 3, 2, 0))


def test_ag_ui_says_each_call_and_result_once(tmp_path: Path, check: Check) -> None:
    function = {"name": "book_room", "arguments": "{}"}
    made = {"id": "m", "role": "assistant", "toolCalls": [{"id": "a", "type": "function", "function": function}]}
    old = {**made, "id": "o", "toolCalls": [{"id": "o", "type": "function", "function": function}]}
    result = {"id": "r", "role": "tool", "toolCallId": "a", "content": "", "error": "closed"}
    thought = {"id": "x", "role": "reasoning", "content": "Hm."}
    events = [
        started("t", old),
        *streamed("a", "{}"),
        FINISHED,
        started("t", old, made, result, thought),
        {"type": "MESSAGES_SNAPSHOT", "messages": [old, made, result, thought]},
        FINISHED,
    ]
    found, counts = read(tmp_path, check, "run.jsonl", events)
    assert (found, counts) == ([("CALL_INVALID_ARGUMENTS", "{}")] * 2, (1, 3, 2, 1))
    assert failures(tmp_path, check, "run.jsonl") == {"book_room": (2, 1)}


def test_ag_ui_threads_and_runs_that_fail(tmp_path: Path, check: Check) -> None:
    error = {"type": "RUN_ERROR", "message": "no", "threadId": "t"}
    events = [started(), *streamed("a", '{"pla', end=False), error, started("u"), *streamed("a", '{"place": "Oslo"}')]
    assert read(tmp_path, check, "run.jsonl", [*events, FINISHED]) == ([], (2, 2, 2, 0))
    assert read(tmp_path, check, "run.jsonl", events[:2] + events[3:])[0] == []


@given(st.lists(st.integers(0, 48), max_size=6), st.booleans())
def test_ag_ui_places_lie_in_the_pieces(cuts: list[int], indented: bool) -> None:
    text = '{"place": "Troms\u00f8 \U0001f6cf \\n", "nights": "two"}'
    bounds = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [text[start:end] for start, end in pairwise(bounds)]
    events = [started(), *streamed("a", *pieces), FINISHED]
    lines = json.dumps(events, indent=1) if indented else "".join(json.dumps(event) + "\n" for event in events)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "run.json" if indented else "run.jsonl").write_text(lines, encoding="utf-8")
        (diagnostic,) = check_paths([folder]).diagnostics
    assert diagnostic.location is not None
    start, end = diagnostic.location.span
    at = text.index('"two"')
    first = next(piece for piece, bound in zip(pieces, bounds, strict=False) if bound <= at < bound + len(piece))
    last = next(piece for piece, bound in zip(pieces, bounds, strict=False) if bound <= at + 4 < bound + len(piece))
    assert lines[start:].startswith('\\"')
    assert lines[:end].endswith('\\"')
    begins, ends = (lines.count("\n", 0, place) for place in (start, end))
    assert json.dumps(first)[1:-1] in lines.split("\n")[begins]
    assert json.dumps(last)[1:-1] in lines.split("\n")[ends]
    (line, column), (end_line, end_column) = diagnostic.location.range
    assert (line, column) == (begins + 1, start - lines.rfind("\n", 0, start))
    assert (end_line, end_column) == (ends + 1, end - lines.rfind("\n", 0, end))


# AutoGen

LOOKUP = {"name": "lookup", "description": "Looks up a key.", "inputSchema": {"type": "object", "properties": {}}}


def asked_for(id: str, name: str, agent: str = "helper") -> dict[str, Any]:
    call = {"id": id, "arguments": "{}", "name": name}
    return {"source": agent, "content": [call], "type": "ToolCallRequestEvent"}


def executed(id: str, name: str, content: str = "x", failed: bool | None = False) -> dict[str, Any]:
    answer = {"content": content, "name": name, "call_id": id, "is_error": failed}
    return {"source": "helper", "content": [answer], "type": "ToolCallExecutionEvent"}


def test_autogen_handovers_are_calls_of_its_framework(tmp_path: Path, check: Check) -> None:
    (tmp_path / "tools.json").write_text(json.dumps({"tools": [LOOKUP]}), encoding="utf-8")
    messages = [
        {"source": "user", "content": "Go.", "type": "TextMessage"},
        *(asked_for("a", "lookup"), executed("a", "lookup", failed=True)),
        {"source": "helper", "content": "", "type": "ThoughtEvent"},
        *(asked_for("b", "transfer_to_writer"), executed("b", "transfer_to_writer")),
        {"source": "helper", "content": "Yours.", "target": "writer", "type": "HandoffMessage"},
        *(asked_for("c", "look_it_up", "writer"), executed("c", "look_it_up", "Error: unknown", None)),
    ]
    text = json.dumps({"messages": messages, "stop_reason": None})
    (tmp_path / "result.json").write_text(text, encoding="utf-8")
    report = check(tmp_path)
    (diagnostic,) = report.diagnostics
    assert diagnostic.location is not None
    assert (diagnostic.code, text[slice(*diagnostic.location.span)]) == ("CALL_UNKNOWN_TOOL", '"look_it_up"')
    (summary,) = report.transcripts
    assert summary.tools == {"look_it_up": (1, 1), "lookup": (1, 1), "transfer_to_writer": (1, 0)}


def test_each_agent_of_a_saved_team_has_a_conversation(tmp_path: Path, check: Check) -> None:
    def state(*ids: str) -> dict[str, Any]:
        call = [{"id": id, "arguments": "{}", "name": "lookup"} for id in ids]
        kept = [
            {"content": "Go.", "source": "user", "type": "UserMessage"},
            {"content": call, "source": "a", "type": "AssistantMessage"},
            {"content": "Done.", "source": "a", "type": "AssistantMessage"},
        ]
        return {"agent_state": {"type": "AssistantAgentState", "llm_context": {"messages": kept}}}

    team = {"type": "TeamState", "agent_states": {"one": state("a"), "two": state("a", "b"), "manager": {}}}
    expected = [("TRANSCRIPT_UNANSWERED_CALL", each) for each in ('"a"', '"a"', '"b"')]
    assert read(tmp_path, check, "team.json", team) == (expected, (2, 6, 3, 0))
    assert read(tmp_path, check, "agent.json", state("a")["agent_state"])[0] == expected[:1]


def test_a_chat_history_has_the_results_of_a_turn_in_one_message(tmp_path: Path, check: Check) -> None:
    function = {"name": "lookup", "arguments": "{}"}
    calls = [{"id": id, "type": "function", "function": function} for id in "abc"]
    answers = [{"tool_call_id": id, "role": "tool", "content": text} for id, text in (("a", "x"), ("b", "Error: no"))]
    history = [
        {"content": "Go.", "role": "user", "name": "asker"},
        {"content": None, "role": "assistant", "tool_calls": calls},
        {"content": "x\n\nError: no", "role": "tool", "name": "runner", "tool_responses": answers},
        {"content": "Done.", "role": "user", "name": "helper"},
    ]
    value = {"chat_id": 1, "chat_history": history, "summary": "Done."}
    assert read(tmp_path, check, "chat.json", value) == ([("TRANSCRIPT_UNANSWERED_CALL", '"c"')], (1, 4, 3, 2))
    assert failures(tmp_path, check, "chat.json") == {"lookup": (3, 1)}


# CrewAI


def crew(kind: str, id: str, name: str = "execute_bash", **more: Any) -> dict[str, Any]:
    head = {"timestamp": "t", "type": kind, "source_fingerprint": None, "task_id": "t1", "event_id": id}
    return {**head, "tool_name": name, **more}


def test_crewai_events_pair_by_the_event_that_they_name(tmp_path: Path, check: Check) -> None:
    tool = {**LOOKUP, "name": "execute_bash", "inputSchema": {**PARAMETERS, "required": ["command"]}}
    (tmp_path / "tools.json").write_text(json.dumps({"tools": [tool]}), encoding="utf-8")
    events = [
        {"timestamp": "t", "type": "crew_kickoff_started", "event_id": "k", "crew_name": "c"},
        crew("tool_usage_started", "a", tool_args={"command": 1}),
        crew("tool_usage_started", "b", tool_args='{"commands": "ls"}'),
        crew("tool_usage_started", "c", tool_args="{'command': 'ls'}"),
        crew("tool_usage_finished", "d", tool_args={}, started_event_id="b", output="x", failure=None),
        # The framework has found out which tool was meant.
        crew("tool_usage_error", "e", tool_args={}, started_event_id="a", error="ValueError('no')"),
        crew("tool_usage_finished", "f", tool_args={}, started_event_id="c", output="x", failure={"message": "no"}),
    ]
    for name, written in (
        ("events.jsonl", "".join(json.dumps(event) + "\n" for event in events)),
        ("trace.json", json.dumps({"events": [{**event, "event_data": event} for event in events]})),
    ):
        (tmp_path / name).write_text(written, encoding="utf-8")
        report = check(tmp_path)
        found = sorted(
            (each.code, written[slice(*each.location.span)]) for each in report.diagnostics if each.location is not None
        )
        assert found == [("CALL_INVALID_ARGUMENTS", "1"), ("CALL_INVALID_ARGUMENTS", '{\\"commands\\": \\"ls\\"}')]
        (summary,) = report.transcripts
        assert (summary.conversations, summary.turns, summary.calls, summary.results) == (1, 6, 3, 3)
        assert summary.tools == {"execute_bash": (3, 2)}
        (tmp_path / name).unlink()


def test_older_crewai_events_pair_by_the_name_of_the_tool(tmp_path: Path, check: Check) -> None:
    events = [
        {**crew("tool_usage_started", "a", "lookup", tool_args={}), "event_id": None},
        {**crew("tool_usage_error", "b", "lookup", tool_args={}, error="no"), "event_id": None},
        {**crew("tool_usage_finished", "c", "other", tool_args={}, output="x"), "event_id": None},
    ]
    assert read(tmp_path, check, "events.jsonl", events) == ([], (1, 3, 1, 2))
    assert failures(tmp_path, check, "events.jsonl") == {"lookup": (1, 1)}


def test_the_messages_of_a_crews_tasks(tmp_path: Path, check: Check) -> None:
    function = {"name": "lookup", "arguments": "{}"}
    messages = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "a", "type": "function", "function": function}]},
        {"role": "assistant", "content": "Done."},
    ]
    output = {"description": "d", "raw": "Done.", "agent": "Helper", "messages": messages}
    value = {"raw": "Done.", "tasks_output": [output, {**output, "messages": messages[:1]}], "token_usage": {}}
    found, counts = read(tmp_path, check, "result.json", value)
    assert (found, counts) == ([("TRANSCRIPT_UNANSWERED_CALL", '"a"')], (2, 4, 1, 0))
