"""What a format of transcripts is, registered by lying in `readers/transcripts/`, and reading conversations by them.

A `MessageFormat` reads one message, item or content. An `Envelope` is what a log wraps around a message, one a line. What
holds the messages of a conversation is found by its keys, whatever the format.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from toolsurface_lint.model.transcript import Call, CallShape, Result, Transcript, Turn
from toolsurface_lint.source.json_lines import first_values
from toolsurface_lint.source.modules import registered
from toolsurface_lint.source.tree import Node, Path, Tree


class MessageFormat(NamedTuple):
    """One way to write a message.

    `recognises` says whether the format can have written a message, `identifies` whether no other can. `read` makes a turn of
    it; None for what is not part of the conversation. Formats are asked in their `order`. `tools` finds the definitions
    that the text of a conversation's first message holds, in formats that have them there. `quick`: its conversations can
    be seen to hold nothing to find without a turn for each message (`transcripts.plain_chat`).
    """

    order: int
    identifies: Callable[[dict[str, Any]], bool]
    recognises: Callable[[dict[str, Any]], bool]
    read: Callable[[Tree, Path, dict[str, Any]], Turn | None]
    tools: Callable[[Tree, Path, dict[str, Any]], Node | None] | None = None
    quick: bool = False


class TranscriptEntry(NamedTuple):
    """What a line of a log says: the conversation that it belongs to, and its turn, if it has one.

    `starts`: the conversation begins here, or is known to be recorded from its beginning. `tools` is a list of tool
    definitions that the line carries, `more_tools` whether another line carries the next page of it.
    """

    conversation: Hashable
    turn: Turn | None
    starts: bool = False
    tools: Path | None = None
    more_tools: bool = False


class ModelRequest(NamedTuple):
    """What a model was sent at once, and what it answered: the whole history, as tracers record it again and again.

    `turns` are the messages of the request and then the answer, `tools` the definitions that were sent with it.
    Of the requests that share one of their `traces` each message is followed once: see `run.transcripts.requests`.
    `continues`: what came before is kept elsewhere, by the provider. `alone`: it is no request but a call that was made in
    the trace, which no request may say.
    """

    traces: tuple[Hashable, ...]
    turns: Sequence[Turn]
    tools: Node | None = None
    continues: bool = False
    alone: bool = False


class Envelope(NamedTuple):
    """One kind of log: `recognises` sees the value of a line, `read` says what the line holds.

    `marks` are keys of which its values have one, in logs whose values are asked about before anything in them is
    taken for a conversation: one of them alone is a log. `whole`: no conversation goes on in another value.
    """

    order: int
    recognises: Callable[[dict[str, Any]], bool]
    read: Callable[[Tree, Path, dict[str, Any]], Iterable[TranscriptEntry | ModelRequest]]
    marks: frozenset[str] = frozenset()
    whole: bool = False


@cache
def message_formats() -> tuple[MessageFormat, ...]:
    """Every format of messages, in the order in which they are asked."""
    return registered("toolsurface_lint.readers.transcripts", "FORMAT", "ENVELOPE")


@cache
def envelopes() -> tuple[Envelope, ...]:
    """Every kind of log, in the order in which they are asked."""
    return registered("toolsurface_lint.readers.transcripts", "ENVELOPE", "FORMAT")


_RESPONSE: Path = ("output",)
"""Where a response has what the model gave in one turn."""

_LISTS: tuple[Path, ...] = (
    ("messages",),
    ("contents",),
    ("conversations",),
    ("conversation",),
    ("history",),
    ("input",),
    ("transcript", "messages"),
    ("request", "messages"),
    ("request", "contents"),
    ("traj",),
    ("items",),
    _RESPONSE,
)
"""Where an object that is a conversation has its messages."""

_TOOL_LISTS: tuple[Path, ...] = (
    ("tools",),
    ("functions",),
    ("toolConfig", "tools"),
    ("config", "tools"),
    ("request", "tools"),
    ("request", "toolConfig", "tools"),
)
"""Where a conversation has the tools that its model was given."""


_LOG_LISTS: tuple[Path, ...] = (
    (),
    ("loglines",),
    ("interactions",),
    ("session", "interactions"),
    ("messages",),
    ("events",),
)
"""Where a value that was read whole has conversations, or the events of a log."""


def text_of(value: Any) -> str | None:
    """A value if it is a text, else None: where a name or a word is expected, there may be anything."""
    return value if type(value) is str else None


def at(value: Any, path: Path) -> Any:
    """The value at a path of keys, None if it leads nowhere."""
    for key in path:
        if type(value) is not dict:
            return None
        value = value.get(key)
    return value


class MessageList(NamedTuple):
    """One conversation in a value: the path to its messages and their format, and to its tools, if it carries any."""

    path: Path
    messages: list[Any]
    format: MessageFormat
    tools: Path | None = None
    from_start: bool = True


def find_conversation(value: Any, last: MessageFormat | None = None) -> MessageList | None:
    """The conversation that a value is, or holds under one of the usual keys; None if it holds none.

    `last` is the format of the value before, which is asked first.
    """
    for path in _LISTS if type(value) is dict else ((),):
        if path and path[0] not in value:
            continue
        messages = at(value, path)
        format = format_of(messages, last) if type(messages) is list else None
        if format is not None:
            # What came before a response is in its request, and a request may continue what the provider keeps.
            from_start = path != _RESPONSE and type(at(value, ("previous_response_id",))) is not str
            return MessageList(path, messages, format, _tools_of(value), from_start)
    return None


def _tools_of(value: dict[str, Any]) -> Path | None:
    for path in _TOOL_LISTS:
        tools = at(value, path)
        if type(tools) is list and tools and type(tools[0]) is dict:
            return path
    return None


_LISTED: Path = ("result", "tools")

_ASKING = frozenset({"system", "developer", "user", "human"})
_ANSWERING = frozenset({"assistant", "tool", "model", "function", "gpt"})


def _speaks(messages: list[Any]) -> bool:
    """Whether any of the first messages has a role that some format knows, or is of a format without roles.

    One in which the user talks with another role again and again, and with none that answers, has words of its own.
    """
    roles: list[str] = []
    for message in messages[:20]:
        if type(message) is dict:
            role = message.get("role", message.get("from"))
            if role in _ANSWERING if type(role) is str else _speaks_without_role(message):
                return True
            if type(role) is str:
                roles.append(role)
    others = [role for role in roles if role not in _ASKING]
    return len(others) < len(roles) and len(others) == len(set(others))


def _speaks_without_role(message: dict[str, Any]) -> bool:
    return "call_id" in message or "parts" in message or text_of(message.get("type")) in ("human", "ai", "constructor")


_GLANCE = 8
_LOOK = 200
"""How many messages are looked at to recognise the format of a conversation."""


def format_of(messages: list[Any], last: MessageFormat | None = None) -> MessageFormat | None:
    """The format that a list of messages is written in; None if it is not a list of messages."""
    if not messages:
        return None
    first = messages[0]
    if type(first) is not dict:
        return None
    if last is not None and any(type(message) is dict and last.identifies(message) for message in messages[:_GLANCE]):
        return last
    if not any(format.recognises(first) for format in message_formats()) or not _speaks(messages):
        return None
    return format_among(messages)


def format_among(messages: list[Any]) -> MessageFormat | None:
    """The format that one of some messages identifies, else the first that can have written the first of them."""
    formats = message_formats()
    for message in messages[:_LOOK]:
        if type(message) is dict:
            for format in formats:
                if format.identifies(message):
                    return format
    return next((format for format in formats if format.recognises(messages[0])), None)


def is_transcript(value: Any) -> bool:
    """Whether a value that was read whole is a conversation, or a list of conversations or of the events of a log."""
    if marked_envelope(value) is not None or find_conversation(value) is not None:
        return True
    return any(
        any(marked_envelope(item) is not None for item in items[:_LOOK])
        or (items and all(find_conversation(item) is not None or envelope_of(item) is not None for item in items[:3]))
        for _, items in log_lists(value)
    )


def log_lists(value: Any) -> Iterator[tuple[Path, list[Any]]]:
    """The lists of events or conversations in a value, with their paths."""
    for path in _LOG_LISTS:
        items = at(value, path)
        if type(items) is list:
            yield path, items


def carries_tools(value: Any) -> bool:
    """Whether a value is one conversation together with the tools that its model was given."""
    found = None if marked_envelope(value) is not None else find_conversation(value)
    return found is not None and found.tools is not None


def tools_node(tree: Tree, found: MessageList) -> Node | None:
    """The tools that a conversation carries: next to its messages, or in the text of its first."""
    if found.tools is not None:
        return tree.at(found.tools)
    first = found.messages[0] if found.messages else None
    if type(first) is not dict or found.format.tools is None:
        return None
    return found.format.tools(tree, (*found.path, 0), first)


@cache
def _marked() -> tuple[frozenset[str], tuple[Envelope, ...]]:
    marked = tuple(envelope for envelope in envelopes() if envelope.marks)
    return frozenset().union(*(envelope.marks for envelope in marked)), marked


def marked_envelope(value: Any) -> Envelope | None:
    """The log that a value is by its marks, whatever else in it looks like a conversation."""
    marks, marked = _marked()
    if type(value) is not dict or marks.isdisjoint(value):
        return None
    return next((each for each in marked if not each.marks.isdisjoint(value) and each.recognises(value)), None)


def envelope_of(value: Any) -> Envelope | None:
    """The log that a line's value comes from."""
    if type(value) is not dict:
        return None
    return next((envelope for envelope in envelopes() if envelope.recognises(value)), None)


def recognise_transcript(path: str, display: str, *, named_lines: bool, max_line: int) -> Transcript | None:
    """The transcript that a file of JSON Lines is, None if it is not one; what cannot be read is not one.

    `named_lines`: the file is JSON Lines by its name; otherwise it needs two lines with a value each, and
    more of them than others: the lines of a document that is written over many lines hold values now and then.
    """
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode) or not status.st_size:
            return None
        values, broken = first_values(path, max_line)
    except OSError:
        return None
    if not named_lines and (len(values) < 2 or broken > len(values)):
        return None
    others = [value for value in values if marked_envelope(value) is not None or find_conversation(value) is None]
    logs = [envelope for value in others if (envelope := envelope_of(value)) is not None]
    session = any(not envelope.whole for envelope in logs)
    if session and status.st_size <= max_line and any(type(at(value, _LISTED)) is list for value in others):
        # Definitions that a server listed are checked as such: then all of it is read at once.
        return None
    if len(others) == len(values) and not logs:
        return None
    return Transcript(display, file=path, size=status.st_size, session=session)


def read_turns(tree: Tree, found: MessageList) -> Iterator[Turn]:
    """The turns of a conversation, in order; anything else than a message is left out."""
    path = found.path
    read = found.format.read
    for index, message in enumerate(found.messages):
        if type(message) is dict:
            turn = read(tree, (*path, index), message)
            if turn is not None:
                yield turn


def objects(value: dict[str, Any], key: str, path: Path = ()) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The objects in the list under a key of the object at `path`, each with its path."""
    items = value.get(key)
    for index, item in enumerate(items if type(items) is list else ()):
        if type(item) is dict:
            yield (*path, key, index), item


def read_call(tree: Tree, path: Path, value: Any, shape: CallShape) -> Sequence[Call]:
    """The call that the value at `path` makes; empty if it does not name a tool."""
    name = at(value, shape.name)
    if type(name) is not str:
        return ()
    return (Call(tree, path, shape, text_of(at(value, shape.id)), name, at(value, shape.arguments)),)


def read_result(
    tree: Tree, path: Path, value: dict[str, Any], key: str, failed: bool, content: str, *others: str
) -> Result:
    """The result that an object is, by the id under `key`; it is reported there, or at the first of `others` that is a text."""
    at = next(((each,) for each in (key, *others) if type(value.get(each)) is str), ())
    return Result(tree, path, text_of(value.get(key)), None, at, failed, value.get(content))


def part_texts(turn: Turn, key: str) -> Iterator[Node]:
    """The texts of a message that is a list of parts under `key`, without what the model thinks."""
    for part in turn.node.elements(key):
        text = part.string("text")
        if text is not None and part.value.get("thought") is not True:
            yield text


def block_texts(turn: Turn, types: frozenset[str] = frozenset({"text"})) -> Iterator[Node]:
    """The texts of a message whose content is a string or a list of blocks with texts."""
    content = turn.node.get("content")
    if content is None:
        return
    if isinstance(content.value, str):
        yield content
        return
    for block in content.elements():
        if isinstance(block.value, str):
            yield block
        elif isinstance(block.value, dict) and text_of(block.value.get("type", "text")) in types:
            text = block.string("text")
            if text is not None:
                yield text


_CUT = frozenset({"error", "aborted", "abort", "cancelled", "canceled", "incomplete", "failed", "length", "max_tokens"})
_CUT_KEYS = ("stop_reason", "stopReason", "finish_reason", "finishReason", "status")


def is_cut_off(message: dict[str, Any]) -> bool:
    """Whether a message says that it ended in an error, was aborted, or ran into its limit."""
    if message.get("error") or message.get("isApiErrorMessage") is True or message.get("interrupted") is True:
        return True
    return any(str(message[key]).lower() in _CUT for key in _CUT_KEYS if isinstance(message.get(key), str))


def was_cut_off(turn: Turn) -> bool:
    """Whether the message of a turn says so (for `Turn.ended`)."""
    return is_cut_off(turn.node.value)


_ERROR_STARTS = frozenset("eE<[ \n")
_ERROR = re.compile(r"[<\[ \n]{0,3}error", re.IGNORECASE)


def starts_with_error(content: Any) -> bool:
    """Whether the text of a result, which has no flag for it, says that the call failed."""
    if type(content) is list and content and type(content[0]) is dict:
        content = content[0].get("text")
    return type(content) is str and content[:1] in _ERROR_STARTS and _ERROR.match(content) is not None
