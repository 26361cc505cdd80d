"""Sessions of the pi coding agent and of its copies: one event a line, the message of a `message` event in pi's own form.

Events form a tree by `parentId`, as a session can be taken up again from any of them; those of version 1 have none, and
follow one another. Each branch is a conversation, which begins where it leaves another. A compaction drops the calls
before it. In the stream of `--mode json` a message is whole in its `message_end`.
Sources: `docs/session.md`, `docs/json.md` and the sample sessions of badlogic/pi-mono; the sample sessions of pi and of
oh-my-pi in EveryInc/compound-engineering-plugin.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from toolsurface_lint.knowledge import words
from toolsurface_lint.model.transcript import ASSISTANT, SYSTEM, TOOL, USER, Call, CallShape, Contract, Result, Turn
from toolsurface_lint.readers import transcript_format as messages
from toolsurface_lint.readers.transcript_format import Envelope, MessageFormat, TranscriptEntry, text_of
from toolsurface_lint.source.tree import Path, Tree

_CONTRACT = Contract(adjacent=False, client_tools=None)
_CALL = CallShape(("id",), ("name",), ("arguments",))
_ROLES = {"system": SYSTEM, "user": USER, "assistant": ASSISTANT, "toolResult": TOOL}
_ASIDE = words("branch_summary compaction custom custom_message label model_change session_info thinking_level_change")
_STREAMED = words("message_start message_update message_end")


def _recognises(event: dict[str, Any]) -> bool:
    kind = text_of(event.get("type"))
    message = event.get("message")
    if kind == "message":
        return type(message) is dict and "role" in message and ("parentId" in event or _is_ours(message))
    if kind in _STREAMED:
        return type(message) is dict and _is_ours(message)
    if kind == "turn_end":
        return type(event.get("toolResults")) is list and type(message) is dict
    if kind == "agent_end":
        return type(event.get("messages")) is list
    if kind == "session":
        return type(event.get("cwd")) is str and type(event.get("id")) is str
    return kind in _ASIDE and "timestamp" in event


def _is_ours(message: dict[str, Any]) -> bool:
    """Whether a message is as pi writes it: with the time in milliseconds, or with a call or a result of its form."""
    return text_of(message.get("role")) is not None and (type(message.get("timestamp")) is int or _identifies(message))


def _identifies(message: dict[str, Any]) -> bool:
    if message.get("role") == "toolResult":
        return "toolCallId" in message
    return any(block.get("type") == "toolCall" for _, block in messages.objects(message, "content"))


def _read_message(tree: Tree, path: Path, message: dict[str, Any]) -> Turn | None:
    role = _ROLES.get(text_of(message.get("role")) or "")
    if role is None:
        # What the client did by itself, such as a command that the user ran.
        return None
    calls: list[Call] = []
    results: list[Result] = []
    if role == TOOL:
        failed = message.get("isError") is True
        results.append(messages.read_result(tree, path, message, "toolCallId", failed, "content", "role"))
    for where, block in messages.objects(message, "content", path):
        if block.get("type") == "toolCall":
            calls.extend(messages.read_call(tree, where, block, _CALL))
    return Turn(tree, path, role, ("role",), _CONTRACT, calls, results, messages.block_texts, messages.was_cut_off)


class _Branch(NamedTuple):
    """One branch: whether it begins at the root, and whether a compaction was the last that came in it."""

    number: int
    starts: bool
    compacted: bool = False


class _Session:
    """The branches of one file, each by the event with which it ends so far."""

    def __init__(self) -> None:
        self._ends: dict[str | None, _Branch] = {}
        self._branches = 0
        self._is_whole = False

    def read(self, tree: Tree, path: Path, event: dict[str, Any]) -> Sequence[TranscriptEntry]:
        kind = event["type"]
        if kind == "session":
            self._is_whole = True
            return ()
        branch = self._branch(event)
        turn = None
        if kind in ("message", "message_end"):
            turn = _read_message(tree, (*path, "message"), event["message"])
        if turn is not None:
            turn.interrupts = branch.compacted
        if turn is not None or kind == "compaction":
            branch = branch._replace(compacted=turn is None)
        self._ends[text_of(event.get("id")) if "parentId" in event else None] = branch
        return () if turn is None else (TranscriptEntry(("pi", branch.number), turn, branch.starts),)

    def _branch(self, event: dict[str, Any]) -> _Branch:
        """The branch that an event goes on with: that of its parent, else of the event before; a new one if that has gone on."""
        parent = text_of(event.get("parentId"))
        branch = None
        if parent is not None or "parentId" not in event:
            branch = self._ends.pop(parent, None)
        if branch is None:
            self._branches += 1
            branch = _Branch(self._branches, self._is_whole if "parentId" not in event else parent is None)
        return branch


def _message_recognises(message: dict[str, Any]) -> bool:
    return type(message.get("role")) is str and type(message.get("content")) in (str, list)


ENVELOPE = Envelope(15, _recognises, None, open=lambda: _Session().read)
FORMAT = MessageFormat(45, _identifies, _message_recognises, _read_message)
