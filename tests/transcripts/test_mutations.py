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
    Say,
    Step,
    anthropic_messages,
    bedrock_messages,
    gemini_contents,
    openai_messages,
    responses_items,
    sharegpt_turns,
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


class Format(NamedTuple):
    """How a conversation is written: the file's name, and what the format has.

    `ids`: calls and results have ids. `text`: arguments are JSON text. `roles`: turns have roles that may be wrong.
    `own_tools`: its client has tools that nobody declares.
    """

    file: str
    write: Callable[[list[Step]], str]
    ids: bool = True
    text: bool = True
    roles: bool = True
    own_tools: bool = False


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
    assert report.summary["turns"] == 8 * times
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
