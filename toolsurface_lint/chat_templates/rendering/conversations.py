"""The conversations that are rendered, of words that no template contains.

They satisfy what templates demand and some APIs do: ids of nine letters and digits, results that name their tool, and turns
that alternate.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

SYSTEM = "brightvorpal"
QUESTION = "drybramble"
SECOND_QUESTION = "oldthistle"
ANSWER = "paleingot"
REMARK = "slowferret"
"""What a turn says beside its calls."""
RESULT = "wetgranite"
SECOND_RESULT = "coldbasalt"
REASONING = "deepmurmur"
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


class Form(NamedTuple):
    """One way in which calls stand in a conversation.

    `calls` is how many the turn has, 1 or 2. `end` says what follows: nothing (`call`), their results (`result`), or also an
    answer and another question (`later`). `content` is what the turn says beside them: `empty` text, a `text`, `null`, or
    that the field is `absent`. `as_text`: the arguments are a string of JSON.
    """

    calls: int
    end: str
    content: str = "empty"
    as_text: bool = False
    after_system: bool = False

    @property
    def name(self) -> str:
        what = {1: ("a call", "a call and its result"), 2: ("two calls", "two calls and their results")}[self.calls]
        return ", ".join(
            (
                what[self.end != "call"],
                *(("an answer and a question",) if self.end == "later" else ()),
                *({"empty": (), "text": ("with text",), "null": ("content null",)}.get(self.content, ("no content",))),
                *(("arguments as strings" if self.calls == 2 else "arguments as a string",) if self.as_text else ()),
                *(("after a system message",) if self.after_system else ()),
            )
        )

    def messages(self) -> list[_Message]:
        count = range(self.calls)
        turn: _Message = {"role": "assistant", "tool_calls": [_call(number, self.as_text) for number in count]}
        if self.content != "absent":
            turn["content"] = {"empty": "", "text": REMARK}.get(self.content)
        before = [_SYSTEM, _USER] if self.after_system else [_USER]
        results = [] if self.end == "call" else [_result(number) for number in count]
        return [*before, turn, *results, *([_ANSWER, _USER_AGAIN] if self.end == "later" else ())]


def _call(number: int, as_text: bool = False) -> _Message:
    name, arguments = (CALL, SECOND_CALL)[number]
    given = json.dumps(arguments) if as_text else arguments
    return {"id": IDS[number], "type": "function", "function": {"name": name, "arguments": given}}


def _result(number: int, of: int | None = None) -> _Message:
    """A result, said to be that of one call or another."""
    of = number if of is None else of
    content = (RESULT, SECOND_RESULT)[number]
    return {"role": "tool", "tool_call_id": IDS[of], "name": (CALL, SECOND_CALL)[of][0], "content": content}


_SYSTEM: _Message = {"role": "system", "content": SYSTEM}
_USER: _Message = {"role": "user", "content": QUESTION}
_USER_AGAIN: _Message = {"role": "user", "content": SECOND_QUESTION}
_ANSWER: _Message = {"role": "assistant", "content": ANSWER}
_THOUGHT = {"reasoning_content": REASONING, "reasoning": REASONING, "thinking": REASONING}
"""Reasoning under each name that servers give it."""

FORMS = (
    *(Form(1, "result", content) for content in ("empty", "text", "null", "absent")),
    *(Form(1, "result", content, as_text=True) for content in ("empty", "text", "null", "absent")),
    *(Form(1, "later", content) for content in ("empty", "text")),
    Form(1, "later", as_text=True),
    *(Form(2, end) for end in ("result", "later")),
    Form(2, "result", as_text=True),
    *(Form(calls, "call", as_text=as_text) for as_text in (False, True) for calls in (1, 2)),
    Form(1, "result", after_system=True),
)


def _conversation(*messages: _Message, tools: bool = True, prompt: bool = True) -> dict[str, Any]:
    return {"messages": list(messages), "tools": list(TOOLS) if tools else None, "add_generation_prompt": prompt}


_ONE, _TWO = Form(1, "call").messages(), Form(2, "call").messages()
_THOUGHTFUL = [_USER, {**_ONE[1], **_THOUGHT}, _result(0)]

STARTS: Mapping[str, tuple[list[_Message], bool]] = {
    "a question": ([_USER], False),
    "a question with tools": ([_USER], True),
    "a result": ([*_ONE, _result(0)], True),
}
"""What the model has to answer, and whether there are tools: each is rendered with and without a generation prompt, and
with the answer."""

WITHOUT_PROMPT = "{}, no generation prompt"
ANSWERED = "{} and its answer"
IDS_THAT_NAME = "two calls, with ids that name them"
"""Some formats write the id of a call and no name."""

CONVERSATIONS: Mapping[str, Mapping[str, Any]] = {
    **{name: _conversation(*messages, tools=tools) for name, (messages, tools) in STARTS.items()},
    **{
        WITHOUT_PROMPT.format(name): _conversation(*messages, tools=tools, prompt=False)
        for name, (messages, tools) in STARTS.items()
    },
    **{
        ANSWERED.format(name): _conversation(*messages, _ANSWER, tools=tools, prompt=False)
        for name, (messages, tools) in STARTS.items()
    },
    "a system message": _conversation(_SYSTEM, _USER, tools=False),
    "a system message with tools": _conversation(_SYSTEM, _USER),
    **{form.name: _conversation(*form.messages(), prompt=form.end != "call") for form in FORMS},
    IDS_THAT_NAME: _conversation(
        _USER,
        {
            **_TWO[1],
            "tool_calls": [{**_call(n), "id": f"functions.{_call(n)['function']['name']}:{n}"} for n in (0, 1)],
        },
        prompt=False,
    ),
    "two results, said to be each other's": _conversation(*_TWO, _result(0, 1), _result(1, 0)),
    "an earlier answer with reasoning": _conversation(_USER, {**_ANSWER, **_THOUGHT}, _USER_AGAIN, tools=False),
    "an earlier call with reasoning": _conversation(*_THOUGHTFUL, _ANSWER, _USER_AGAIN),
    "a call with reasoning": _conversation(*_THOUGHTFUL),
    "an answer with reasoning": _conversation(_USER, {**_ANSWER, **_THOUGHT}),
}

WITHOUT_TOOLS = {name: each for name, each in CONVERSATIONS.items() if each["tools"] is None}
"""For templates that know nothing of tools."""


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
