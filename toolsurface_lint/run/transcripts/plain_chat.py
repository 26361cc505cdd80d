"""What is counted in conversations, and the quick way through those with nothing to find: the bulk of real logs.

It only ever accepts. A conversation that it accepts has no finding of any check in `COVERED`; every
other one, whatever it is that stands out, is followed turn by turn. It is an order of magnitude faster than that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolsurface_lint.knowledge import words
from toolsurface_lint.readers.transcript_format import starts_with_error
from toolsurface_lint.source.json_values import scan_value

COVERED = words(
    "TRANSCRIPT_ORPHAN_RESULT TRANSCRIPT_UNANSWERED_CALL TRANSCRIPT_DUPLICATE_CALL_ID "
    "TRANSCRIPT_RESULT_NOT_ADJACENT TRANSCRIPT_ROLE_ORDER TRANSCRIPT_UNKNOWN_ROLE TRANSCRIPT_REPEATED_CALL "
    "TRANSCRIPT_UNPARSED_CALL CALL_BEFORE_REQUIRED"
)
"""The rules about conversations that hold for whatever is accepted; those about calls hold for plain tools."""

_SPEAKERS = frozenset({"user", "system", "developer"})


class Tally:
    """What was counted, found or not.

    `tools` has the calls of each tool and how many of them failed, `protocols` the messages read by each response protocol,
    `schemas` the conversations by the schema of the dataset that they are rows of.
    """

    def __init__(self) -> None:
        self.conversations = 0
        self.clean = 0
        self.turns = 0
        self.calls = 0
        self.results = 0
        self.duplicate_ids = 0
        self.tools: dict[str, list[int]] = {}
        self.protocols: dict[str, int] = {}
        self.schemas: dict[str, int] = {}

    def add(self, other: Tally) -> None:
        """Count what was counted elsewhere too."""
        self.conversations += other.conversations
        self.clean += other.clean
        self.turns += other.turns
        self.calls += other.calls
        self.results += other.results
        self.duplicate_ids += other.duplicate_ids
        for name, (calls, failures) in other.tools.items():
            mine = self.tools.setdefault(name, [0, 0])
            mine[0] += calls
            mine[1] += failures
        for protocol, number in other.protocols.items():
            self.protocols[protocol] = self.protocols.get(protocol, 0) + number
        for schema, number in other.schemas.items():
            self.schemas[schema] = self.schemas.get(schema, 0) + number


def read_plain_chat(messages: list[Any], accepts: dict[str, Callable[[Any], bool]]) -> Tally | None:
    """What a conversation of OpenAI chat messages holds, if it is accepted, else None.

    `accepts` has, for each tool about which there is nothing to check but the arguments, the function that accepts them.
    """
    try:
        return _read(messages, accepts)
    except (KeyError, TypeError, ValueError, StopIteration, RecursionError, AttributeError):
        return None


def _read(messages: list[Any], accepts: dict[str, Callable[[Any], bool]]) -> Tally | None:
    waiting: dict[str, str] = {}
    tally = Tally()
    tools = tally.tools
    before = ("", "")
    for message in messages:
        role = message["role"]
        content = message.get("content")
        if content is not None and type(content) is not str:
            return None
        if role == "tool":
            name = waiting.pop(message["tool_call_id"])
            tally.results += 1
            if "tool_calls" in message:
                return None
            if starts_with_error(content) or message.get("is_error") is True or message.get("status") == "error":
                tools[name][1] += 1
            continue
        if waiting or "tool_call_id" in message or "function_call" in message:
            return None
        if role == "assistant":
            calls = message.get("tool_calls")
            if not calls:
                continue
            if type(calls) is not list:
                return None
            for call in calls:
                function = call["function"]
                name = function["name"]
                arguments = function["arguments"]
                value, end = scan_value(arguments, 0)
                if end != len(arguments) or type(value) is not dict or not accepts[name](value):
                    return None
                # Twice the same: whether it is a third time is for others to say.
                if (name, arguments) == before:
                    return None
                before = (name, arguments)
                id = call["id"]
                if id in waiting or type(id) is not str or not id:
                    return None
                waiting[id] = name
                tally.calls += 1
                tools.setdefault(name, [0, 0])[0] += 1
        elif role not in _SPEAKERS or "tool_calls" in message:
            return None
    if waiting:
        return None
    tally.conversations = tally.clean = 1
    tally.turns = len(messages)
    return tally


def makes_calls_in_text(messages: list[Any]) -> bool:
    """Whether the text of any answer is the raw output of a model that calls tools in it."""
    from toolsurface_lint.protocols.recognition import recognise_raw

    texts = (message.get("content") for message in messages if message["role"] == "assistant")
    return any(text and recognise_raw(text) is not None for text in texts)
