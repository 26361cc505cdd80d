"""The conversations that are rendered, of words that no template contains.

They satisfy what templates demand and some APIs do: ids of nine letters and digits, results that name their tool, turns
that alternate, no text beside a call.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

SYSTEM = "brightvorpal"
QUESTION = "drybramble"
SECOND_QUESTION = "oldthistle"
ANSWER = "paleingot"
RESULT = "wetgranite"
SECOND_RESULT = "coldbasalt"
REASONING = "deepmurmur"
"""Before and after a call."""
PROPERTY = "quay_slug"
"""A name that only the schema of the first tool and its arguments have."""
VALUE = "Ostravian"
SECOND_VALUE = "Lunarossa"

CALL = ("level_of_tide", {PROPERTY: VALUE, "fathoms": 4417, "in_zone": True})
SECOND_CALL = ("phase_of_moon", {"night_slug": SECOND_VALUE})
"""Names and arguments."""

IDS = ("Zt4kQ8mW1", "Rb7nX2cV5")

TOOLS: tuple[Mapping[str, Any], ...] = (
    {
        "type": "function",
        "function": {
            "name": CALL[0],
            "description": 'The "level" of <water> & waves.',
            "parameters": {
                "type": "object",
                "properties": {
                    PROPERTY: {"type": "string", "description": "Name of the quay", "enum": [VALUE, "Port's end"]},
                    "fathoms": {"type": "integer", "description": "Depth"},
                    "in_zone": {"type": "boolean", "description": "Local time", "default": False},
                },
                "required": [PROPERTY],
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": SECOND_CALL[0],
            "description": "Look at the moon.",
            "parameters": {
                "type": "object",
                "properties": {"night_slug": {"type": "string", "description": "Name of the night"}},
                "required": ["night_slug"],
            },
        },
    },
)

_Message = dict[str, Any]


def _call(number: int, *, as_text: bool = False) -> _Message:
    name, arguments = (CALL, SECOND_CALL)[number]
    given = json.dumps(arguments) if as_text else arguments
    return {"id": IDS[number], "type": "function", "function": {"name": name, "arguments": given}}


def _result(number: int) -> _Message:
    content = (RESULT, SECOND_RESULT)[number]
    return {"role": "tool", "tool_call_id": IDS[number], "name": (CALL, SECOND_CALL)[number][0], "content": content}


def _thought() -> dict[str, str]:
    """Reasoning under each name that servers give it."""
    return {"reasoning_content": REASONING, "reasoning": REASONING, "thinking": REASONING}


_SYSTEM: _Message = {"role": "system", "content": SYSTEM}
_USER: _Message = {"role": "user", "content": QUESTION}
_USER_AGAIN: _Message = {"role": "user", "content": SECOND_QUESTION}
_ANSWER: _Message = {"role": "assistant", "content": ANSWER}
_ONE: _Message = {"role": "assistant", "content": "", "tool_calls": [_call(0)]}
_TWO: _Message = {"role": "assistant", "content": "", "tool_calls": [_call(0), _call(1)]}


def _conversation(*messages: _Message, tools: bool = False, prompt: bool = False) -> dict[str, Any]:
    return {"messages": list(messages), "tools": list(TOOLS) if tools else None, "add_generation_prompt": prompt}


CONVERSATIONS: Mapping[str, Mapping[str, Any]] = {
    "a question": _conversation(_USER),
    "a question to be answered": _conversation(_USER, prompt=True),
    "an answer": _conversation(_USER, _ANSWER),
    "a system message": _conversation(_SYSTEM, _USER, prompt=True),
    "a developer message": _conversation({**_SYSTEM, "role": "developer"}, _USER, prompt=True),
    "tools": _conversation(_USER, tools=True),
    "tools and a question to be answered": _conversation(_USER, tools=True, prompt=True),
    "tools and a system message": _conversation(_SYSTEM, _USER, tools=True),
    "one call": _conversation(_USER, _ONE, tools=True),
    "one call, arguments as a string": _conversation(
        _USER, {**_ONE, "tool_calls": [_call(0, as_text=True)]}, tools=True
    ),
    "one call, content null": _conversation(_USER, {**_ONE, "content": None}, tools=True),
    "one call, no content": _conversation(
        _USER, {key: value for key, value in _ONE.items() if key != "content"}, tools=True
    ),
    "two calls": _conversation(_USER, _TWO, tools=True),
    "two calls, arguments as strings": _conversation(
        _USER, {**_TWO, "tool_calls": [_call(0, as_text=True), _call(1, as_text=True)]}, tools=True
    ),
    "a result": _conversation(_USER, _ONE, _result(0), tools=True),
    "a result to be answered": _conversation(_USER, _ONE, _result(0), tools=True, prompt=True),
    "a result and its answer": _conversation(_USER, _ONE, _result(0), _ANSWER, tools=True),
    "two results": _conversation(_USER, _TWO, _result(0), _result(1), tools=True),
    "an earlier answer with reasoning": _conversation(_USER, {**_ANSWER, **_thought()}, _USER_AGAIN, prompt=True),
    "an earlier answer without reasoning": _conversation(_USER, _ANSWER, _USER_AGAIN, prompt=True),
    "an earlier answer with <think>": _conversation(
        _USER, {**_ANSWER, "content": f"<think>\n{REASONING}\n</think>\n\n{ANSWER}"}, _USER_AGAIN, prompt=True
    ),
    "a call with reasoning and its result": _conversation(
        _USER, {**_ONE, **_thought()}, _result(0), tools=True, prompt=True
    ),
    "an answer with reasoning": _conversation(_USER, {**_ANSWER, **_thought()}),
}


def in_parts(conversation: Mapping[str, Any]) -> dict[str, Any]:
    """The same with each text as a list of one part, as templates for several media want it."""
    return {
        **conversation,
        "messages": [
            {**message, "content": [{"type": "text", "text": message["content"]}]}
            if isinstance(message.get("content"), str)
            else message
            for message in conversation["messages"]
        ],
    }
