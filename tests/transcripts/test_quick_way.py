"""The quick way through conversations: a glance says what a turn says, and what it accepts has no finding and the same counts.

It is one way for all formats. A glance at a message is compared with its turn on messages of every format with any member
replaced; whole conversations are checked both ways, with any steps in any order.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.long import examples
from tests.transcripts import test_mutations as formats
from tests.transcripts.conversations import TOOLS, Answer, Make, Say, Step
from tests.transcripts.test_mutations import FORMATS
from toolsurface_lint.api import check_paths
from toolsurface_lint.model.transcript import ASSISTANT, UNREADABLE, Turn
from toolsurface_lint.readers import conversations
from toolsurface_lint.readers.conversations import envelope_of
from toolsurface_lint.readers.transcript_format import Glance, MessageFormat, message_formats
from toolsurface_lint.run.transcripts.plain_chat import CANNOT_SAY
from toolsurface_lint.source.json_values import read_value
from toolsurface_lint.source.tree import Tree

NAMES = st.sampled_from(["search_rooms", "search_rooms", "book_room", "cancel_room", "Bash", "server__book_room"])
IDS = st.sampled_from(["call_a", "call_b", "call_c"])
ARGUMENTS = st.sampled_from([
    {"place": "Tromsø", "kind": "single"},
    {"place": "Tromsø", "kind": "double", "nights": 2},
    {"place": "Tromsø"},
    {"room": 41},
    {"room": "41"},
    {},
])  # fmt: skip
RAW = '<tool_call>\n{"name": "book_room", "arguments": {"room": 41}}\n</tool_call>'
TEXTS = st.sampled_from(["Go on.", "Error: no such room", "A < b, and TOOL_CALLS", RAW, "<tool_response>\nfree\n", ""])
STEPS = st.one_of(
    st.builds(Say, st.sampled_from(["user", "assistant"]), TEXTS),
    st.builds(Make, IDS, NAMES, ARGUMENTS, st.just(False), st.just("assistant")),
    st.builds(Make, IDS, NAMES, ARGUMENTS, st.booleans(), st.sampled_from(["assistant", "assistant", "user"])),
    st.builds(Answer, IDS, NAMES, TEXTS),
)
ROUND = st.tuples(IDS, NAMES, ARGUMENTS, TEXTS).map(
    lambda given: [Make(given[0], given[1], given[2]), Answer(given[0], given[1], given[3])]
)
CONVERSATIONS = st.lists(st.one_of(STEPS.map(lambda step: [step]), ROUND, ROUND), min_size=1, max_size=6).map(
    lambda parts: [Say("user", "A room, please."), *(step for part in parts for step in part)]
)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(FORMATS))
@given(data=st.data())
@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_the_quick_way_finds_what_the_long_one_finds(name: str, tmp_path: Path, data: st.DataObject) -> None:
    steps = data.draw(CONVERSATIONS)
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
    try:
        (tmp_path / FORMATS[name].file).write_text(FORMATS[name].write(steps), encoding="utf-8")
    except IndexError:
        # Some formats write a result into the message before, which there is not.
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        quick = check_paths(["."], isolated=True)
        patch.setattr("toolsurface_lint.run.transcripts.conversation.ConversationChecks.quick", lambda *_: False)
        exact = check_paths(["."], isolated=True)
    assert quick.to_dict() == exact.to_dict()


def mcp(steps: list[Step]) -> str:
    messages: list[Any] = [{"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}]
    for step in steps:
        if isinstance(step, Say):
            messages.append({"method": "notifications/message", "params": {"level": "info", "data": step.text}})
        elif isinstance(step, Make):
            call = {"name": step.name, "arguments": step.arguments}
            messages.append({"id": step.id, "method": "tools/call", "params": call})
        else:
            result: dict[str, Any] = {"content": [{"type": "text", "text": step.text}]}
            if "Error" in step.text:
                result["isError"] = True
            messages.append({"id": step.id, "result": result})
    return formats.lines([{"jsonrpc": "2.0", **message} for message in messages])


TALKS = {
    "claude-code": formats.claude_code,
    "codex": formats.codex,
    "harn-log": formats.harn_log,
    "openai-lines": FORMATS["openai-lines"].write,
}
LOGS = {**TALKS, "mcp": mcp}
LONG = st.lists(st.one_of(STEPS.map(lambda step: [step]), *[ROUND] * 6), min_size=1, max_size=25).map(
    lambda parts: [Say("user", "A room, please."), *(step for part in parts for step in part)]
)


@pytest.mark.slow
@pytest.mark.parametrize("name", LOGS)
@given(steps=LONG, most=st.sampled_from([3, 8, 200]))
@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_stretches_of_a_log_change_nothing(name: str, tmp_path: Path, steps: list[Step], most: int) -> None:
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
    try:
        (tmp_path / "run.jsonl").write_text(LOGS[name](steps), encoding="utf-8")
    except IndexError:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        patch.setattr("toolsurface_lint.run.transcripts.session._MOST_EVENTS", most)
        quick = check_paths(["."], isolated=True)
        patch.setattr("toolsurface_lint.run.transcripts.conversation.ConversationChecks.quick", lambda *_: False)
        exact = check_paths(["."], isolated=True)
    assert quick.to_dict() == exact.to_dict()


WRITERS = {
    "openai": formats.openai_messages,
    "anthropic": formats.anthropic_messages,
    "bedrock": formats.bedrock_messages,
    "gemini": formats.gemini_contents,
    "responses": formats.responses_items,
    "sharegpt": formats.sharegpt_turns,
    "swe_agent": lambda steps: json.loads(formats.swe_agent(steps))["history"],
}
JUNK = st.sampled_from([
    None, True, 0, 7, "", "user", "model", "text", "tool_use", "toolUse", "function_call_output", "error", [], {}, [None],
    ["x"], {"type": "text", "text": "x"}, {"name": "book_room", "arguments": "{}"}, {"text": None}, RAW,
]).map(deepcopy)  # fmt: skip
KEYS = st.sampled_from([
    "role", "content", "tool_calls", "tool_call_id", "tool_call_ids", "function_call", "function", "name", "args", "parts",
    "type", "text", "id", "call_id", "status", "is_error", "action", "agent", "thought", "from", "value", "function_response",
    "toolResult", "input", "arguments", "custom", "response",
    "jsonrpc", "method", "params", "result", "error", "isError", "structuredContent", "tools", "session_id", "message",
])  # fmt: skip


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every object and list in a value with each of its keys or indexes."""
    found: list[tuple[Any, Any]] = []
    if isinstance(value, dict | list):
        keys = value if isinstance(value, dict) else range(len(value))
        for key in keys:
            found += [(value, key), *places(value[key])]
    return found


def format_named(name: str) -> MessageFormat:
    return next(each for each in message_formats() if each.read.__module__.endswith(f".{name}"))


@pytest.mark.parametrize("name", WRITERS)
@given(data=st.data())
@settings(max_examples=examples(200), deadline=None)
def test_a_glance_says_what_the_turn_says(name: str, data: st.DataObject) -> None:
    format = format_named(name)
    assert format.quick is not None
    message = changed_message(data, WRITERS[name])
    try:
        found = format.quick.glance(message)
    except CANNOT_SAY:
        return
    plain = conversations.without_nulls(message, frozenset(), conversations._FREE)
    turn = format.read(Tree(None, [plain]), (0,), plain)
    if found is None or turn is None:
        assert found is turn
    elif is_usable(found):
        assert turn.contract == format.quick.contract
        assert said_by_glance(found, turn) == said_by_turn(turn)


@pytest.mark.parametrize("name", LOGS)
@given(data=st.data())
@settings(max_examples=examples(200), deadline=None)
def test_a_glance_at_a_line_says_what_its_entry_says(name: str, data: st.DataObject) -> None:
    (envelope,) = {envelope_of(json.loads(line)) for line in LOGS[name]([Say("user", "A room.")]).splitlines()} - {None}
    assert envelope is not None
    assert envelope.quick is not None
    event = changed_message(data, lambda steps: [json.loads(line) for line in LOGS[name](steps).splitlines()])
    try:
        found = envelope.quick.glance(event)
    except CANNOT_SAY:
        return
    assert envelope.recognises(event)
    entries = envelope.read(Tree(None, event), (), event)
    if found is None:
        assert not entries
        return
    (entry,) = entries
    assert entry.tools is None
    assert entry.turn is not None
    assert found[:2] == (entry.conversation, entry.starts)
    if is_usable(found[2]):
        assert not entry.turn.interrupts
        assert entry.turn.contract == envelope.quick.contract
        assert said_by_glance(found[2], entry.turn) == said_by_turn(entry.turn)


def changed_message(data: st.DataObject, write: Callable[[list[Step]], list[Any]]) -> Any:
    """A message of a format of which up to two members are replaced, dropped or added."""
    steps: list[Step] = [Say("user", "A room."), *data.draw(st.lists(STEPS, min_size=1, max_size=2))]
    messages = deepcopy(write(steps))
    message = messages[data.draw(st.integers(0, len(messages) - 1))]
    for _ in range(data.draw(st.integers(0, 2))):
        holder, key = data.draw(st.sampled_from(places(message) or [(message, "role")]))
        change = data.draw(st.sampled_from(["replace", "drop", "add"]))
        if change == "replace":
            holder[key] = data.draw(JUNK)
        elif change == "drop":
            del holder[key]
        elif isinstance(holder, dict):
            holder[data.draw(KEYS)] = data.draw(JUNK)
    return message


def is_usable(found: Glance) -> bool:
    """Whether the quick way takes what a glance gives: names and ids are texts, arguments objects."""
    _, calls, results, _ = found
    return all(
        type(name) is str and (id is None or (type(id) is str and id)) and type(value_of(given)) is dict
        for id, name, given in calls
    ) and all(
        (id is None or type(id) is str) and (name is None or type(name) is str) and type(failed) is bool
        for id, name, failed in results
    )


def value_of(arguments: Any) -> Any:
    return read_value(arguments) if type(arguments) is str else arguments


def said_by_glance(found: Glance, turn: Turn) -> Any:
    role, calls, results, texts = found
    said = [text for text in texts if type(text) is str] if role == ASSISTANT else []
    return role, [(id, name, value_of(given)) for id, name, given in calls], list(results), said


def said_by_turn(turn: Turn) -> Any:
    calls = [(call.id, call.name, None if call.value is UNREADABLE else call.value) for call in turn.calls]
    # Which name a result states counts only where it has no id.
    results = [(result.id, result.name if result.id is None else None, result.failed) for result in turn.results]
    in_calls = bool(calls) and turn.contract.calls_in_text
    said = [text.value for text in turn.said()] if turn.role == ASSISTANT and not in_calls else []
    return turn.role, calls, results, said


def rounds(count: int, name: str = "book_room") -> list[Step]:
    """So many calls that are right, each with its result."""
    return [
        step
        for number in range(count)
        for step in (Make(f"call_{number}", name, {"room": number}), Answer(f"call_{number}", name, "Booked."))
    ]


def found_in(folder: Path, name: str, steps: list[Step]) -> list[str]:
    (folder / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
    (folder / "run.jsonl").write_text(LOGS[name](steps), encoding="utf-8")
    report = check_paths([str(folder)], isolated=True)
    assert report.summary["turns"] == len(steps)
    return [diagnostic.code for diagnostic in report.diagnostics]


@pytest.mark.parametrize("name", TALKS)
def test_a_call_left_in_a_text_is_found_after_a_stretch_of_parsed_ones(name: str, tmp_path: Path) -> None:
    steps: list[Step] = [Say("user", "Go on."), *rounds(4), Say("user", "And now?"), Say("assistant", RAW)]
    assert found_in(tmp_path, name, steps) == ["TRANSCRIPT_UNPARSED_CALL"]


@pytest.mark.parametrize("name", ["harn-log", "openai-lines"])
def test_an_unknown_tool_is_reported_once_a_stretch_calls_declared_ones(name: str, tmp_path: Path) -> None:
    unknown = Make("call_x", "cancel_everything", {})
    steps: list[Step] = [Say("user", "Go on."), unknown, Answer("call_x", "cancel_everything", "Done.")]
    assert found_in(tmp_path, name, steps) == []
    assert found_in(tmp_path, name, [*steps, Say("user", "Go on."), *rounds(4)]) == ["CALL_UNKNOWN_TOOL"]


@pytest.mark.parametrize("name", TALKS)
def test_what_stands_out_after_a_stretch_is_reported_at_its_place(name: str, tmp_path: Path) -> None:
    wrong = [Make("call_x", "book_room", {"room": "first"}), Answer("call_x", "book_room", "No.")]
    steps: list[Step] = [Say("user", "Go on."), *rounds(250), *wrong, *rounds(3), Say("user", "Go on."), *rounds(250)]
    assert found_in(tmp_path, name, [*steps, *wrong]) == ["CALL_INVALID_ARGUMENTS"] * 2
    lines = (tmp_path / "run.jsonl").read_text(encoding="utf-8").splitlines()
    report = check_paths([str(tmp_path)], isolated=True)
    for diagnostic in report.diagnostics:
        assert diagnostic.location is not None
        assert "first" in lines[diagnostic.location.range.start.line - 1]


@pytest.mark.parametrize("name", TALKS)
def test_a_stretch_of_a_log_is_not_followed(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from toolsurface_lint.run.transcripts.conversation import Conversation

    followed: list[Turn] = []
    exact = Conversation.turn
    monkeypatch.setattr(Conversation, "turn", lambda self, turn: (followed.append(turn), exact(self, turn))[1])
    assert found_in(tmp_path, name, [Say("user", "Go on."), *rounds(250), Say("assistant", "Done.")]) == []
    assert len(followed) <= 1


def test_a_rule_of_the_settings_counts_for_a_tool_of_the_client(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS), encoding="utf-8")
    steps: list[Step] = [
        Say("user", "Go on."),
        Make("call_a", "bash", {"command": "ls"}),
        Answer("call_a", "bash", "a"),
    ]
    (tmp_path / "run.traj").write_text(formats.swe_agent(steps), encoding="utf-8")
    rule = '[[surface]]\nname = "rooms"\ntools = ["tools.json"]\ntranscripts = ["*.traj"]\n\n'
    for required, expected in ((None, []), ("book_room", ["CALL_BEFORE_REQUIRED"])):
        calls = "" if required is None else f'[[surface.call-rules]]\ntool = "bash"\nrequires = ["{required}"]\n'
        (tmp_path / "toolsurface.toml").write_text(rule + calls, encoding="utf-8")
        report = check_paths([str(tmp_path)])
        assert [diagnostic.code for diagnostic in report.diagnostics] == expected
