"""What the logs of agents, benchmarks and their frameworks have beyond the turns of every format."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
