"""AG-UI: the events of an agent's run, in which calls and texts come in pieces; and its messages.

`TOOL_CALL_START`, `TOOL_CALL_ARGS` with a `delta` each, `TOOL_CALL_END`, `TOOL_CALL_RESULT`, or `TOOL_CALL_CHUNK` for the first
three; texts likewise. What was said before is in the `input` of a `RUN_STARTED`, with the tools of the frontend; the
agent's own are not listed, and the result of a frontend's tool is in the next run's input. A `MESSAGES_SNAPSHOT` says all
again: of messages only those calls and results are taken that have not been seen.
Source: ag-ui-protocol/ag-ui, `docs/concepts/events.mdx` and `sdks/python/ag_ui/core`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from toolsurface_lint.knowledge import words
from toolsurface_lint.model.transcript import (
    ASSISTANT,
    JSON_TEXT,
    SYSTEM,
    TOOL,
    USER,
    Call,
    CallShape,
    Contract,
    Turn,
)
from toolsurface_lint.readers import transcript_format as messages
from toolsurface_lint.readers.transcript_format import (
    Envelope,
    MessageFormat,
    TranscriptEntry,
    at,
    text_of,
)
from toolsurface_lint.source.gathered import GatheredTree
from toolsurface_lint.source.tree import Node, Path, Tree

_ROLES = {"developer": SYSTEM, "system": SYSTEM, "user": USER, "assistant": ASSISTANT, "tool": TOOL}
_MESSAGES = Contract(adjacent=False, client_tools=None)
_EVENTS = Contract(adjacent=False, itemised=True, client_tools=None, wire=True)
_TYPES = words(
    "RUN_STARTED RUN_FINISHED RUN_ERROR STEP_STARTED STEP_FINISHED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END "
    "TEXT_MESSAGE_CHUNK TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END TOOL_CALL_RESULT TOOL_CALL_CHUNK STATE_SNAPSHOT "
    "STATE_DELTA MESSAGES_SNAPSHOT ACTIVITY_SNAPSHOT ACTIVITY_DELTA REASONING_START REASONING_MESSAGE_START "
    "REASONING_MESSAGE_CONTENT REASONING_MESSAGE_END REASONING_MESSAGE_CHUNK REASONING_END REASONING_ENCRYPTED_VALUE "
    "THINKING_START THINKING_END THINKING_TEXT_MESSAGE_START THINKING_TEXT_MESSAGE_CONTENT THINKING_TEXT_MESSAGE_END"
)
_KEYS = ("threadId", "runId", "messageId", "toolCallId", "delta", "snapshot", "messages", "stepName", "message")
_CALL = CallShape(("id",), ("function", "name"), ("function", "arguments"), JSON_TEXT)


def _read_message(tree: Tree, path: Path, message: dict[str, Any], contract: Contract = _MESSAGES) -> Turn | None:
    role = _ROLES.get(text_of(message.get("role")) or "")
    if role is None:
        # What the model thinks, and what the frontend shows besides the conversation.
        return None
    calls: list[Call] = []
    for where, item in messages.objects(message, "toolCalls", path):
        calls.extend(messages.read_call(tree, where, item, _CALL))
    turn = Turn(tree, path, role, ("role",), contract, calls, texts=messages.block_texts)
    if role == TOOL or "toolCallId" in message:
        failed = bool(message.get("error")) or messages.starts_with_error(message.get("content"))
        turn.results = (messages.read_result(tree, path, message, "toolCallId", failed, "content", "role"),)
    return turn


def _identifies(message: dict[str, Any]) -> bool:
    if type(message.get("role")) is not str:
        return False
    return type(message.get("toolCalls")) is list or (message["role"] == "tool" and "toolCallId" in message)


def _recognises(event: dict[str, Any]) -> bool:
    return text_of(event.get("type")) in _TYPES and any(key in event for key in _KEYS)


_STREAMED = CallShape(("id",), ("name",), ("arguments",), JSON_TEXT)


class _Run:
    """What is open of the runs of one file: calls and texts by their ids, as the pieces that there are of them."""

    def __init__(self) -> None:
        self._thread: str | None = None
        self._open: dict[tuple[str, str], dict[str, list[Node]]] = {}
        self._chunk: tuple[str, str] | None = None
        """What comes in chunks: it ends with whatever else comes."""
        self._parents: dict[str, str | None] = {}
        self._called: set[str] = set()
        self._answered: set[str] = set()

    def read(self, tree: Tree, path: Path, event: dict[str, Any]) -> Sequence[TranscriptEntry]:
        kind: str = event["type"]
        node = Node(tree, path, event)
        turns: list[Turn] = []
        if kind.endswith("_CHUNK"):
            self._read_chunk(node, kind, turns)
        else:
            self._end(self._chunk, turns)
            self._chunk = None
            self._read_event(node, kind, turns)
        entries = [TranscriptEntry(("ag-ui", self._thread), turn) for turn in turns]
        tools = at(event, ("input", "tools")) if kind == "RUN_STARTED" else None
        if type(tools) is list and tools:
            entries.insert(0, TranscriptEntry(("ag-ui", self._thread), None, tools=(*path, "input", "tools")))
        return entries

    def _read_chunk(self, node: Node, kind: str, turns: list[Turn]) -> None:
        key = ("call", "toolCallId") if kind == "TOOL_CALL_CHUNK" else ("text", "messageId")
        id = text_of(node.value.get(key[1]))
        current = self._chunk
        if kind == "REASONING_MESSAGE_CHUNK":
            current = None
        elif id is not None and current != (key[0], id):
            current = (key[0], id)
        elif current is not None and current[0] != key[0]:
            current = None
        if current != self._chunk:
            self._end(self._chunk, turns)
            self._chunk = current
            if current is not None:
                self._begin(current, node)
        self._add(current, node)

    def _read_event(self, node: Node, kind: str, turns: list[Turn]) -> None:
        event = node.value
        call = ("call", text_of(event.get("toolCallId")) or "")
        text = ("text", text_of(event.get("messageId")) or "")
        if kind == "RUN_STARTED":
            self._thread = text_of(event.get("threadId"))
            input = node.get("input")
            if input is not None and isinstance(input.value, dict):
                self._said_before(input, turns)
        elif kind == "MESSAGES_SNAPSHOT":
            self._said_before(node, turns)
        elif kind == "TOOL_CALL_START":
            self._begin(call, node)
        elif kind == "TEXT_MESSAGE_START":
            self._begin(text, node)
        elif kind == "TOOL_CALL_ARGS":
            self._add(call, node)
        elif kind == "TEXT_MESSAGE_CONTENT":
            self._add(text, node)
        elif kind == "TOOL_CALL_END":
            self._end(call, turns)
        elif kind == "TEXT_MESSAGE_END":
            self._end(text, turns)
        elif kind == "TOOL_CALL_RESULT":
            self._end(call, turns)
            self._answered.add(call[1])
            failed = messages.starts_with_error(event.get("content"))
            result = messages.read_result(node.tree, node.path, event, "toolCallId", failed, "content", "type")
            turns.append(Turn(node.tree, node.path, TOOL, None, _EVENTS, results=(result,)))
        elif kind in ("RUN_FINISHED", "RUN_ERROR"):
            for key in list(self._open):
                self._end(key, turns, cut_off=kind == "RUN_ERROR")

    def _begin(self, key: tuple[str, str], node: Node) -> None:
        """What an event begins: its parts by name, each the nodes that it is written in."""
        names = (
            {"id": "toolCallId", "name": "toolCallName"} if key[0] == "call" else {"id": "messageId", "role": "role"}
        )
        found = {name: node.string(each) for name, each in names.items()}
        self._open[key] = {name: [part] for name, part in found.items() if part is not None}
        if key[0] == "call":
            self._parents[key[1]] = text_of(node.value.get("parentMessageId")) or None

    def _add(self, key: tuple[str, str] | None, node: Node) -> None:
        opened = None if key is None else self._open.get(key)
        delta = node.string("delta")
        if key is not None and opened is not None and delta is not None:
            opened.setdefault("arguments" if key[0] == "call" else "content", []).append(delta)

    def _end(self, key: tuple[str, str] | None, turns: list[Turn], *, cut_off: bool = False) -> None:
        opened = None if key is None else self._open.pop(key, None)
        if key is None or not opened:
            return
        tree = GatheredTree(opened)
        if key[0] == "text":
            role = _ROLES.get(tree.value.get("role", "assistant"), ASSISTANT)
            turns.append(Turn(tree, (), role, None, _EVENTS, texts=_texts))
            return
        parent = self._parents.pop(key[1], None)
        if "name" not in opened:
            return
        self._called.add(key[1])
        turn = Turn(tree, (), ASSISTANT, None, _EVENTS, messages.read_call(tree, (), tree.value, _STREAMED))
        turn.message = parent
        turn.ended = (lambda _: True) if cut_off else None
        turns.append(turn)

    def _said_before(self, node: Node, turns: list[Turn]) -> None:
        """The messages that an event lists, with those of their calls and results that are new."""
        for where, message in messages.objects(node.value, "messages", node.path):
            turn = _read_message(node.tree, where, message, _EVENTS)
            if turn is None:
                continue
            calls = [call for call in turn.calls if call.id not in self._called]
            results = [result for result in turn.results if result.id not in self._answered]
            if not calls and not results:
                continue
            self._called.update(call.id for call in calls if call.id is not None)
            self._answered.update(result.id for result in results if result.id is not None)
            turn.calls, turn.results, turn.texts = calls, results, None
            turns.append(turn)


def _texts(turn: Turn) -> Iterator[Node]:
    text = turn.node.string("content")
    return iter(() if text is None else (text,))


ENVELOPE = Envelope(25, _recognises, None, open=lambda: _Run().read, logged=True)
FORMAT = MessageFormat(9, _identifies, _identifies, _read_message)
