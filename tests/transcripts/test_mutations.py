"""A right conversation in every format is clean; each way to break it gives its code at its place, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.transcripts.conversations import (
    BOOK,
    CONVERSATION,
    SEARCH,
    TOOLS,
    Answer,
    Make,
    Say,
    Step,
    anthropic_messages,
    bedrock_messages,
    gemini_contents,
    openai_messages,
    responses_items,
    sharegpt_turns,
    text,
)
from toolsurface_lint.model.diagnostics import Report

pytestmark = pytest.mark.slow


def document(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def lines(values: list[Any]) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def claude_code(steps: list[Step]) -> str:
    events: list[Any] = [{"type": "summary", "summary": "A room in the north", "leafUuid": "u9"}]
    for index, message in enumerate(anthropic_messages(steps)):
        parent = f"u{index - 1}" if index else None
        marks = {"uuid": f"u{index}", "parentUuid": parent, "sessionId": "s1", "isSidechain": False}
        events.append({"type": message["role"], **marks, "message": message})
    return lines(events)


def codex(steps: list[Step]) -> str:
    events: list[Any] = [{"type": "session_meta", "payload": {"id": "s1", "cwd": "/work"}}]
    events.extend({"type": "response_item", "payload": item} for item in responses_items(steps))
    return lines(events)


def swe_agent(steps: list[Step]) -> str:
    history: list[Any] = []
    for message in openai_messages(steps):
        if "tool_call_id" in message:
            message["tool_call_ids"] = [message.pop("tool_call_id")]
        if message.get("tool_calls"):
            message["action"] = "search_rooms Tromsø"
        history.append({**message, "agent": "main"})
    return document({"environment": "main", "trajectory": [], "history": history, "info": {}})


def harn_log(steps: list[Step]) -> str:
    events: list[Any] = [{"type": "system_prompt", "timestamp": 1, "span_id": 1, "content": "Be brief."}]
    for number, message in enumerate(openai_messages(steps)):
        events.append({"type": "message", "timestamp": number, "span_id": 2, "iteration": 0, **message})
    return lines(events)


def pi_messages(steps: list[Step]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for step in steps:
        if isinstance(step, Say):
            messages.append({"role": step.role, "content": [{"type": "text", "text": step.text}], "timestamp": 1})
        elif isinstance(step, Make):
            block = {"type": "toolCall", "id": step.id, "name": step.name, "arguments": step.arguments}
            messages.append({"role": step.role, "content": [block], "timestamp": 1})
        else:
            content = [{"type": "text", "text": step.text}]
            answer = {"role": "toolResult", "toolCallId": step.id, "toolName": step.name, "content": content}
            messages.append({**answer, "isError": False, "timestamp": 1})
    return messages


def pi_session(steps: list[Step], version: int) -> str:
    events: list[Any] = [{"type": "session", "version": version, "id": "s", "timestamp": "t", "cwd": "/work"}]
    for number, message in enumerate(pi_messages(steps)):
        place = {"id": f"e{number}", "parentId": f"e{number - 1}" if number else None} if version > 1 else {}
        events.append({"type": "message", **place, "timestamp": "t", "message": message})
    return lines(events)


def tau2_results(steps: list[Step]) -> str:
    messages: list[dict[str, Any]] = []
    for number, step in enumerate(steps):
        marks = {"turn_idx": number, "timestamp": "t"}
        if isinstance(step, Say):
            messages.append({"role": step.role, "content": step.text, "tool_calls": None, **marks})
        elif isinstance(step, Make):
            call = {"id": step.id, "name": step.name, "arguments": step.arguments, "requestor": "assistant"}
            messages.append({"role": step.role, "content": None, "tool_calls": [call], **marks})
        else:
            answer = {"id": step.id, "role": "tool", "content": step.text, "requestor": "assistant", "error": False}
            messages.append({**answer, **marks})
    return document({"info": {}, "tasks": [], "simulations": [{"id": "s", "task_id": "0", "messages": messages}]})


def mini_swe_agent(steps: list[Step], *, responses: bool = False) -> str:
    messages: list[Any] = []
    for message in responses_items(steps) if responses else openai_messages(steps):
        if message.get("tool_calls"):
            message["extra"] = {"actions": [{"command": "ls", "tool_call_id": "c"}], "timestamp": 1.0}
        elif message.get("type") == "function_call":
            message = {"object": "response", "output": [message], "extra": {"actions": [], "timestamp": 1.0}}
        elif "role" not in message or message["role"] == "tool":
            message["extra"] = {"raw_output": "x", "returncode": 0, "exception_info": ""}
        messages.append(message)
    messages.append({"role": "exit", "content": "", "extra": {"exit_status": "Submitted", "submission": ""}})
    return document({"info": {}, "messages": messages, "trajectory_format": "mini-swe-agent-1.1"})


def openhands_events(steps: list[Step]) -> list[Any]:
    events: list[Any] = []
    for step in steps:
        head = {"id": len(events), "timestamp": "t"}
        if isinstance(step, Say):
            source = {"assistant": "agent"}.get(step.role, step.role)
            events.append({**head, "source": source, "action": "message", "args": {"content": step.text}})
            continue
        metadata: dict[str, Any] = {"function_name": step.name, "tool_call_id": step.id, "total_calls_in_response": 1}
        if isinstance(step, Make):
            call = {"id": step.id, "type": "function", "function": {"name": step.name, "arguments": text(step)}}
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
            metadata = {**metadata, "model_response": {"choices": [{"index": 0, "message": message}]}}
            events.append({**head, "source": "agent", "action": "run", "args": {}, "tool_call_metadata": metadata})
        else:
            event = {**head, "source": "agent", "cause": len(events) - 1, "observation": "run", "content": step.text}
            events.append({**event, "tool_call_metadata": metadata, "extras": {}})
    return events


def openhands_sdk_events(steps: list[Step]) -> list[Any]:
    events: list[Any] = []
    for step in steps:
        head = {"id": f"e{len(events)}", "timestamp": "t"}
        if isinstance(step, Say):
            said = {"role": step.role, "content": [{"type": "text", "text": step.text}]}
            source = {"assistant": "agent"}.get(step.role, step.role)
            events.append({**head, "source": source, "llm_message": said, "kind": "MessageEvent"})
            continue
        named = {"tool_name": step.name, "tool_call_id": step.id}
        if isinstance(step, Make):
            call = {"id": step.id, "name": step.name, "arguments": text(step), "origin": "completion"}
            events.append({**head, "source": "agent", **named, "tool_call": call, "kind": "ActionEvent"})
        else:
            seen = {"content": [{"type": "text", "text": step.text}], "is_error": False, "kind": "RoomObservation"}
            events.append({**head, "source": "environment", **named, "observation": seen, "kind": "ObservationEvent"})
    return [{"id": "s", "source": "agent", "system_prompt": {}, "tools": [], "kind": "SystemPromptEvent"}, *events]


def ag_ui_input(steps: list[Step]) -> str:
    messages: list[Any] = []
    for number, message in enumerate(openai_messages(steps)):
        for old, new in (("tool_calls", "toolCalls"), ("tool_call_id", "toolCallId")):
            if old in message:
                message[new] = message.pop(old)
        messages.append({"id": f"m{number}", **message})
    return document({"threadId": "t", "runId": "r", "state": {}, "messages": messages, "tools": [], "context": []})


def autogen_messages(steps: list[Step]) -> list[Any]:
    events: list[Any] = []
    for step in steps:
        if isinstance(step, Say):
            events.append({"source": step.role, "content": step.text, "type": "TextMessage"})
        elif isinstance(step, Make):
            call = {"id": step.id, "arguments": text(step), "name": step.name}
            events.append({"source": "helper", "content": [call], "type": "ToolCallRequestEvent"})
        else:
            answer = {"content": step.text, "name": step.name, "call_id": step.id, "is_error": False}
            events.append({"source": "helper", "content": [answer], "type": "ToolCallExecutionEvent"})
    return events


def autogen_team(steps: list[Step]) -> str:
    kept: list[Any] = []
    for event in autogen_messages(steps):
        kind = {"ToolCallExecutionEvent": "FunctionExecutionResultMessage"}.get(event["type"], "AssistantMessage")
        kept.append({**event, "type": "UserMessage" if event["source"] == "user" else kind})
    helper = {"type": "ChatAgentContainerState", "agent_state": {"llm_context": {"messages": kept}}}
    manager = {"type": "RoundRobinManagerState", "message_thread": autogen_messages(steps)}
    return document({"type": "TeamState", "agent_states": {"helper": helper, "manager": manager}})


def genai_messages(steps: list[Step]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for step in steps:
        if isinstance(step, Say):
            part: dict[str, Any] = {"type": "text", "content": step.text}
            messages.append({"role": step.role, "parts": [part]})
        elif isinstance(step, Make):
            part = {"type": "tool_call", "id": step.id, "name": step.name, "arguments": step.arguments}
            messages.append({"role": "assistant", "parts": [part]})
        else:
            part = {"type": "tool_call_response", "id": step.id, "response": step.text}
            messages.append({"role": "tool", "parts": [part]})
    return messages


def requests(steps: list[Step]) -> list[tuple[list[Step], list[Step]]]:
    """What a model was sent and what it answered, for each of its answers; what comes after the last goes with an empty one."""
    answers = [index for index, step in enumerate(steps) if isinstance(step, Make) or step[0] == "assistant"]
    pairs: list[tuple[list[Step], list[Step]]] = [(steps[:index], steps[index : index + 1]) for index in answers]
    return pairs if answers and answers[-1] == len(steps) - 1 else [*pairs, (steps, [])]


def wrapped(value: Any) -> dict[str, Any]:
    """A value as OTLP has it."""
    if isinstance(value, list):
        return {"arrayValue": {"values": [wrapped(item) for item in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": [{"key": key, "value": wrapped(inner)} for key, inner in value.items()]}}
    return {"intValue": value} if isinstance(value, int) else {"stringValue": value}


def otlp(steps: list[Step]) -> str:
    spans = []
    for number, (sent, given) in enumerate(requests(steps)):
        attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": genai_messages(sent),
            "gen_ai.output.messages": genai_messages(given),
        }
        named = [{"key": name, "value": wrapped(value)} for name, value in attributes.items()]
        spans.append({"traceId": "0a", "spanId": f"{number}", "startTimeUnixNano": f"{number}0", "attributes": named})
    # An exporter writes them in any order.
    return document({"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": spans[::-1]}]}]})


def openinference(steps: list[Step]) -> str:
    spans = []
    for sent, given in requests(steps):
        attributes: dict[str, Any] = {"openinference.span.kind": "LLM"}
        for name, side in (("llm.input_messages", sent), ("llm.output_messages", given)):
            for index, message in enumerate(openai_messages(side)):
                start = f"{name}.{index}.message"
                attributes[f"{start}.role"] = message["role"]
                if message.get("content") is not None:
                    attributes[f"{start}.content"] = message["content"]
                if "tool_call_id" in message:
                    attributes[f"{start}.tool_call_id"] = message["tool_call_id"]
                for number, call in enumerate(message.get("tool_calls", ())):
                    inner = f"{start}.tool_calls.{number}.tool_call"
                    attributes[f"{inner}.id"] = call["id"]
                    attributes[f"{inner}.function.name"] = call["function"]["name"]
                    attributes[f"{inner}.function.arguments"] = call["function"]["arguments"]
        spans.append({"name": "request", "context": {"trace_id": "0x1", "span_id": "0x2"}, "attributes": attributes})
    return lines(spans)


def langchain_messages(steps: list[Step]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for step in steps:
        call = isinstance(step, Make)
        name = "Tool" if isinstance(step, Answer) else "AI" if call or step[0] == "assistant" else "Human"
        kwargs: dict[str, Any] = {"content": "" if isinstance(step, Make) else step.text}
        if isinstance(step, Make):
            kwargs["tool_calls"] = [{"name": step.name, "args": step.arguments, "id": step.id, "type": "tool_call"}]
        elif isinstance(step, Answer):
            kwargs["tool_call_id"] = step.id
        kind = ["langchain", "schema", "messages", f"{name}Message"]
        messages.append({"lc": 1, "type": "constructor", "id": kind, "kwargs": kwargs})
    return messages


def langsmith(steps: list[Step]) -> str:
    runs = []
    for number, (sent, given) in enumerate(requests(steps)):
        run: dict[str, Any] = {
            "run_type": "llm",
            "trace_id": "t1",
            "id": f"r{number}",
            "start_time": f"2026-01-0{number + 1}",
        }
        run["inputs"] = {"messages": [langchain_messages(sent)]}
        run["outputs"] = {"generations": [[{"text": "", "message": each} for each in langchain_messages(given)]]}
        runs.append(run)
    root = {"run_type": "chain", "trace_id": "t1", "id": "r", "inputs": {}, "outputs": {}, "child_runs": runs[::-1]}
    return document(root)


def langfuse(steps: list[Step]) -> str:
    observations = []
    for number, (sent, given) in enumerate(requests(steps)):
        answers = openai_messages(given)
        observation = {"id": f"o{number}", "traceId": "t1", "type": "GENERATION", "startTime": f"2026-01-0{number + 1}"}
        output = answers[0] if answers else None
        observations.append({**observation, "input": {"messages": openai_messages(sent)}, "output": output})
    return document({"trace": {"id": "t1"}, "observations": observations[::-1]})


def atif(steps: list[Step]) -> str:
    written: list[dict[str, Any]] = []
    for step in steps:
        if isinstance(step, Answer):
            result = {"source_call_id": step.id, "content": step.text}
            written[-1].setdefault("observation", {"results": []})["results"].append(result)
            continue
        role = step.role if isinstance(step, Say) else "assistant"
        said: dict[str, Any] = {"source": {"assistant": "agent"}.get(role, role), "message": step[1]}
        if isinstance(step, Make):
            said["message"] = ""
            said["tool_calls"] = [{"tool_call_id": step.id, "function_name": step.name, "arguments": step.arguments}]
        written.append({"step_id": len(written) + 1, **said})
    return document({"schema_version": "ATIF-v1.7", "agent": {"name": "guide", "version": "1"}, "steps": written})


def inspect_messages(steps: list[Step]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for number, step in enumerate(steps):
        if isinstance(step, Say):
            message: dict[str, Any] = {"role": step.role, "content": step.text}
        elif isinstance(step, Make):
            call = {"id": step.id, "function": step.name, "arguments": step.arguments, "type": "function"}
            message = {"role": step.role, "content": "", "tool_calls": [call]}
        else:
            message = {"role": "tool", "content": step.text, "tool_call_id": step.id, "function": step.name}
        messages.append({"id": f"m{number}", **message})
    return messages


def inspect_log(steps: list[Step]) -> str:
    """A log whose requests name the messages of a pool."""
    messages = inspect_messages(steps)
    events = [
        {"event": "model", "input": [], "input_refs": [[0, number]], "output": {"choices": [{"message": message}]}}
        for number, message in enumerate(messages)
        if message["role"] != "user" and "function" not in message
    ]
    sample = {"id": 1, "epoch": 1, "input": "A room.", "target": "41", "messages": messages, "events": events}
    sample["events_data"] = {"messages": messages, "calls": []}
    return document({"version": 2, "status": "success", "eval": {"task": "rooms"}, "samples": [sample]})


class Format(NamedTuple):
    """How a conversation is written: the file's name, and what the format has.

    `ids`: calls and results have ids. `text`: arguments are JSON text. `roles`: turns have roles that may be wrong.
    `own_tools`: its client has tools that nobody declares. `turns`: how many it makes of the conversation.
    """

    file: str
    write: Callable[[list[Step]], str]
    ids: bool = True
    text: bool = True
    roles: bool = True
    own_tools: bool = False
    turns: int = 8


FORMATS = {
    "openai": Format("run.json", lambda steps: document({"messages": openai_messages(steps)})),
    "openai-list": Format("run.json", lambda steps: document(openai_messages(steps))),
    "openai-jsonl": Format(
        "runs.jsonl",
        lambda steps: lines([{"messages": openai_messages(CONVERSATION)}, {"messages": openai_messages(steps)}]),
    ),
    "openai-lines": Format("run.jsonl", lambda steps: lines(openai_messages(steps))),
    "responses": Format("run.json", lambda steps: document({"input": responses_items(steps)}), roles=False),
    "anthropic": Format("run.json", lambda steps: document({"messages": anthropic_messages(steps)}), text=False),
    "anthropic-jsonl": Format("runs.jsonl", lambda steps: lines([{"messages": anthropic_messages(steps)}]), text=False),
    "bedrock": Format("run.json", lambda steps: document({"messages": bedrock_messages(steps)}), text=False),
    "gemini": Format("run.json", lambda steps: document({"contents": gemini_contents(steps)}), ids=False, text=False),
    "sharegpt": Format("run.json", lambda steps: document({"conversations": sharegpt_turns(steps)}), ids=False),
    "sharegpt-jsonl": Format("runs.jsonl", lambda steps: lines([{"conversations": sharegpt_turns(steps)}]), ids=False),
    "claude-code": Format("session.jsonl", claude_code, text=False, own_tools=True),
    "codex": Format("rollout.jsonl", codex, roles=False, own_tools=True),
    "swe-agent": Format("run.traj", swe_agent),
    "harn": Format(
        "run.json",
        lambda steps: document({"_type": "transcript", "version": 2, "messages": openai_messages(steps), "events": []}),
    ),
    "harn-run": Format(
        "run.json",
        lambda steps: document({"_type": "run_record", "transcript": {"messages": openai_messages(steps)}}),
    ),
    "harn-log": Format("llm_transcript.jsonl", harn_log),
    "pi": Format("session.jsonl", lambda steps: pi_session(steps, 3), text=False, own_tools=True),
    "pi-version-1": Format("session.jsonl", lambda steps: pi_session(steps, 1), text=False, own_tools=True),
    "mini-swe-agent": Format("run.traj.json", mini_swe_agent),
    "mini-swe-agent-responses": Format(
        "run.traj.json", lambda steps: mini_swe_agent(steps, responses=True), roles=False
    ),
    "openhands": Format(
        "trajectory.json", lambda steps: document(openhands_events(steps)), roles=False, own_tools=True
    ),
    "openhands-history": Format(
        "output.jsonl", lambda steps: lines([{"history": openhands_events(steps)}]), roles=False, own_tools=True
    ),
    "openhands-sdk": Format(
        "events.jsonl", lambda steps: lines(openhands_sdk_events(steps)), roles=False, own_tools=True, turns=9
    ),
    "ag-ui-input": Format("input.json", ag_ui_input, own_tools=True),
    "autogen": Format("result.json", lambda steps: document({"messages": autogen_messages(steps)}), roles=False),
    "autogen-lines": Format("run.jsonl", lambda steps: lines(autogen_messages(steps)), roles=False),
    "autogen-team": Format("state.json", autogen_team, roles=False),
    "tau2": Format("results.json", tau2_results, text=False),
    "otlp": Format("spans.json", otlp, text=False, roles=False),
    "openinference": Format("spans.jsonl", openinference),
    "langchain": Format(
        "run.json", lambda steps: document({"messages": langchain_messages(steps)}), text=False, roles=False
    ),
    "langsmith": Format("run.json", langsmith, text=False, roles=False),
    "langfuse": Format("trace.json", langfuse),
    "atif": Format("trajectory.json", atif, text=False, roles=False),
    "inspect": Format("log.json", inspect_log, text=False),
}


Check = Callable[..., Report]
NAMES = sorted(FORMATS)


def run(folder: Path, check: Check, name: str, steps: list[Any], policy: str | None = None) -> list[tuple[str, str]]:
    """The codes of a conversation's findings, each with the text at its place."""
    format = FORMATS[name]
    (folder / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
    if policy is not None:
        (folder / "policy.toml").write_text(policy, encoding="utf-8")
    text = format.write(steps)
    (folder / format.file).write_text(text, encoding="utf-8", newline="")
    report = check(folder)
    assert report.summary["transcripts"] == (2 if name == "openai-jsonl" else 1)
    found = []
    for diagnostic in report.diagnostics:
        assert diagnostic.location is not None
        assert diagnostic.location.path == format.file
        start, end = diagnostic.location.span
        found.append((diagnostic.code, text[start:end]))
        before = text[:start]
        line, column = diagnostic.location.range.start
        assert (line, column) == (before.count("\n") + 1, start - before.rfind("\n"))
    return found


def changed(**arguments: Any) -> list[Any]:
    """The conversation with other arguments of its first call; `None` leaves one out."""
    new = {key: value for key, value in {**SEARCH.arguments, **arguments}.items() if value is not None}
    return replaced(SEARCH._replace(arguments=new))


def replaced(call: Any) -> list[Any]:
    return [call if step is SEARCH else step for step in CONVERSATION]


def raw(name: str, value: Any) -> str:
    """A value as it stands in the text of a format: escaped once more where arguments are text."""
    text = json.dumps(value, ensure_ascii=False)
    return json.dumps(text, ensure_ascii=False)[1:-1] if FORMATS[name].text else text


@pytest.mark.parametrize("name", NAMES)
def test_the_conversation_is_clean(name: str, tmp_path: Path, check: Check) -> None:
    assert run(tmp_path, check, name, CONVERSATION) == []


@pytest.mark.parametrize("name", NAMES)
def test_every_turn_call_and_result_is_read(name: str, tmp_path: Path, check: Check) -> None:
    run(tmp_path, check, name, CONVERSATION)
    report = check(tmp_path)
    times = 2 if name == "openai-jsonl" else 1
    assert report.summary["turns"] == FORMATS[name].turns * times
    assert report.summary["calls"] == 2 * times
    (summary,) = report.transcripts
    assert (summary.conversations, summary.clean, summary.results) == (times, times, 2 * times)
    assert summary.tools == {"book_room": (times, 0), "search_rooms": (times, 0)}


@pytest.mark.parametrize("name", NAMES)
def test_a_dropped_required_argument(name: str, tmp_path: Path, check: Check) -> None:
    found = run(tmp_path, check, name, changed(kind=None))
    assert [code for code, _ in found] == ["CALL_INVALID_ARGUMENTS"]
    place = found[0][1]
    assert place.startswith("{")
    assert place.endswith("}")
    if name == "otlp":
        assert '"kvlistValue"' in place
        return
    assert json.loads(json.loads(f'"{place}"') if FORMATS[name].text else place) == {"place": "Tromsø", "nights": 2}


@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_enum_value(name: str, tmp_path: Path, check: Check) -> None:
    found = run(tmp_path, check, name, changed(kind='a "triple" \U0001f6cf'))
    assert found == [("CALL_INVALID_ARGUMENTS", raw(name, 'a "triple" \U0001f6cf'))]


@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_type(name: str, tmp_path: Path, check: Check) -> None:
    assert run(tmp_path, check, name, changed(nights="two")) == [("CALL_INVALID_ARGUMENTS", raw(name, "two"))]


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_argument_on_a_closed_schema(name: str, tmp_path: Path, check: Check) -> None:
    assert run(tmp_path, check, name, changed(colour="red")) == [("CALL_INVALID_ARGUMENTS", raw(name, "colour"))]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("tool", ["delete_account", "search_room"])
def test_an_unknown_or_renamed_tool(name: str, tool: str, tmp_path: Path, check: Check) -> None:
    steps = [
        step._replace(name=tool) if getattr(step, "name", None) == "search_rooms" else step for step in CONVERSATION
    ]
    found = run(tmp_path, check, name, steps)
    if FORMATS[name].own_tools:
        assert found == []
        return
    inside = name.startswith("sharegpt")
    assert found == [("CALL_UNKNOWN_TOOL", raw(name, tool) if inside else json.dumps(tool))]


@pytest.mark.parametrize("name", NAMES)
def test_a_removed_result(name: str, tmp_path: Path, check: Check) -> None:
    steps = [Say("user", "Go on.") if step == CONVERSATION[2] else step for step in CONVERSATION]
    found = run(tmp_path, check, name, steps)
    inside = name.startswith("sharegpt")
    place = '"call_a1"' if FORMATS[name].ids else raw(name, "search_rooms") if inside else '"search_rooms"'
    assert found == [("TRANSCRIPT_UNANSWERED_CALL", place)]


@pytest.mark.parametrize("name", NAMES)
def test_a_result_that_comes_twice(name: str, tmp_path: Path, check: Check) -> None:
    steps = [*CONVERSATION[:3], CONVERSATION[2]._replace(text="Room 41 is taken."), *CONVERSATION[3:]]
    found = run(tmp_path, check, name, steps)
    place = '"call_a1"' if FORMATS[name].ids else '"tool"' if name.startswith("sharegpt") else '"search_rooms"'
    assert found == [("TRANSCRIPT_ORPHAN_RESULT", place)]


@pytest.mark.parametrize("name", [name for name in NAMES if FORMATS[name].ids])
def test_a_changed_id(name: str, tmp_path: Path, check: Check) -> None:
    steps = [step._replace(id="call_x9") if step == CONVERSATION[2] else step for step in CONVERSATION]
    assert run(tmp_path, check, name, steps) == [("TRANSCRIPT_ORPHAN_RESULT", '"call_x9"')]


@pytest.mark.parametrize("name", [name for name in NAMES if FORMATS[name].ids])
def test_an_id_that_is_taken(name: str, tmp_path: Path, check: Check) -> None:
    second = BOOK._replace(id=SEARCH.id)
    steps = [step for step in CONVERSATION if not isinstance(step, Answer)]
    steps = [second if step == BOOK else step for step in steps]
    steps.insert(steps.index(second) + 1, Answer("call_a1", "book_room", "Booked."))
    steps.insert(steps.index(second), Say("user", "Go on."))
    found = run(tmp_path, check, name, steps)
    assert found == [("TRANSCRIPT_DUPLICATE_CALL_ID", '"call_a1"')]


@pytest.mark.parametrize("name", [name for name in NAMES if FORMATS[name].text])
def test_arguments_that_are_cut_off(name: str, tmp_path: Path, check: Check) -> None:
    found = run(tmp_path, check, name, replaced(SEARCH._replace(cut=True)))
    assert [code for code, _ in found] == ["CALL_ARGUMENTS_NOT_JSON"]
    assert len(found[0][1]) == 1


@pytest.mark.parametrize("name", [name for name in NAMES if FORMATS[name].roles])
def test_a_swapped_role(name: str, tmp_path: Path, check: Check) -> None:
    found = run(tmp_path, check, name, replaced(SEARCH._replace(role="user")))
    assert found == [("TRANSCRIPT_ROLE_ORDER", '"human"' if name.startswith("sharegpt") else '"user"')]


@pytest.mark.parametrize("name", NAMES)
def test_a_call_outside_the_policy(name: str, tmp_path: Path, check: Check) -> None:
    found = run(tmp_path, check, name, CONVERSATION, policy='tools = ["book_room"]\n')
    inside = name.startswith("sharegpt")
    place = raw(name, "search_rooms") if inside else '"search_rooms"'
    times = 2 if name == "openai-jsonl" else 1
    assert found == [("CALL_OUTSIDE_POLICY", place)] * times
