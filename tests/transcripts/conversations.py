"""One conversation as a list of steps, `Say`, `Make` (a call) and `Answer` (a result), and how each format writes it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple


class Say(NamedTuple):
    role: str
    text: str


class Make(NamedTuple):
    id: str
    name: str
    arguments: dict[str, Any]
    cut: bool = False
    role: str = "assistant"


class Answer(NamedTuple):
    id: str
    name: str
    text: str


Step = Say | Make | Answer

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "search_rooms",
            "description": "Finds rooms that are free.",
            "parameters": {
                "type": "object",
                "properties": {
                    "place": {"type": "string", "description": "The town."},
                    "kind": {"type": "string", "description": "What kind of room.", "enum": ["single", "double"]},
                    "nights": {"type": "integer", "description": "How many nights."},
                },
                "required": ["place", "kind"],
                "additionalProperties": False,
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "book_room",
            "description": "Books a room for the guest.",
            "parameters": {
                "type": "object",
                "properties": {"room": {"type": "integer", "description": "The number of the room."}},
                "required": ["room"],
            },
        },
    },
]

SEARCH = Make("call_a1", "search_rooms", {"place": "Tromsø", "kind": "single", "nights": 2})
BOOK = Make("call_b2", "book_room", {"room": 41})

CONVERSATION: list[Step] = [
    Say("user", 'A room in Tromsø, please: "quiet" \U0001f6cf and cheap.'),
    SEARCH,
    Answer("call_a1", "search_rooms", "Room 41 is free."),
    BOOK,
    Answer("call_b2", "book_room", "Booked."),
    Say("assistant", "You have room 41."),
    Say("user", "Thanks."),
    Say("assistant", "You are welcome."),
]


def text(make: Make) -> str:
    """The arguments as JSON text, if it is cut only half of it."""
    whole = json.dumps(make.arguments, ensure_ascii=False)
    return whole[: len(whole) // 2] if make.cut else whole


def openai_messages(steps: list[Step]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for step in steps:
        if isinstance(step, Say):
            messages.append({"role": step.role, "content": step.text})
        elif isinstance(step, Make):
            function = {"name": step.name, "arguments": text(step)}
            call = {"id": step.id, "type": "function", "function": function}
            messages.append({"role": step.role, "content": None, "tool_calls": [call]})
        else:
            messages.append({"role": "tool", "tool_call_id": step.id, "content": step.text})
    return messages


def anthropic_messages(steps: list[Step]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for step in steps:
        if isinstance(step, Say):
            messages.append({"role": step.role, "content": [{"type": "text", "text": step.text}]})
        elif isinstance(step, Make):
            use = {"type": "tool_use", "id": step.id, "name": step.name, "input": step.arguments}
            messages.append({"role": step.role, "content": [{"type": "text", "text": "One moment."}, use]})
        else:
            result = {"type": "tool_result", "tool_use_id": step.id, "content": step.text}
            last = messages[-1]["content"]
            if last[0]["type"] == "tool_result":
                last.append(result)
            else:
                messages.append({"role": "user", "content": [result]})
    return messages


def bedrock_messages(steps: list[Step]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    for step in steps:
        if isinstance(step, Say):
            messages.append({"role": step.role, "content": [{"text": step.text}]})
        elif isinstance(step, Make):
            use = {"toolUse": {"toolUseId": step.id, "name": step.name, "input": step.arguments}}
            messages.append({"role": step.role, "content": [{"text": "One moment."}, use]})
        else:
            result = {"toolResult": {"toolUseId": step.id, "content": [{"text": step.text}]}}
            last = messages[-1]["content"]
            if "toolResult" in last[0]:
                last.append(result)
            else:
                messages.append({"role": "user", "content": [result]})
    return messages


def gemini_contents(steps: list[Step]) -> list[dict[str, Any]]:
    roles = {"assistant": "model", "user": "user"}
    contents: list[dict[str, Any]] = []
    for step in steps:
        if isinstance(step, Say):
            contents.append({"role": roles[step.role], "parts": [{"text": step.text}]})
        elif isinstance(step, Make):
            call = {"functionCall": {"name": step.name, "args": step.arguments}}
            contents.append({"role": roles[step.role], "parts": [call]})
        else:
            part = {"functionResponse": {"name": step.name, "response": {"output": step.text}}}
            last = contents[-1]["parts"]
            if "functionResponse" in last[0]:
                last.append(part)
            else:
                contents.append({"role": "user", "parts": [part]})
    return contents


def responses_items(steps: list[Step]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    for step in steps:
        if isinstance(step, Say):
            items.append({"type": "message", "role": step.role, "content": step.text})
        elif isinstance(step, Make):
            call = {"type": "function_call", "id": f"fc_{step.id}", "call_id": step.id}
            items.append({**call, "name": step.name, "arguments": text(step)})
        else:
            items.append({"type": "function_call_output", "call_id": step.id, "output": step.text})
    return items


def sharegpt_turns(steps: list[Step]) -> list[dict[str, Any]]:
    roles = {"assistant": "gpt", "user": "human"}
    turns: list[dict[str, Any]] = []
    for step in steps:
        if isinstance(step, Say):
            turns.append({"from": roles[step.role], "value": step.text})
        elif isinstance(step, Make):
            call = json.dumps({"name": step.name, "arguments": step.arguments}, ensure_ascii=False)
            call = call[: len(call) - 9] if step.cut else call
            turns.append({"from": roles[step.role], "value": f"One moment.\n<tool_call>\n{call}\n</tool_call>"})
        else:
            turns.append({"from": "tool", "value": f"<tool_response>\n{step.text}\n</tool_response>"})
    return turns


MESSAGE_FORMATS: dict[str, Callable[[list[Step]], list[dict[str, Any]]]] = {
    "openai": openai_messages,
    "anthropic": anthropic_messages,
    "bedrock": bedrock_messages,
    "gemini": gemini_contents,
    "responses": responses_items,
    "sharegpt": sharegpt_turns,
}
"""What writes the messages of a conversation, by format."""
