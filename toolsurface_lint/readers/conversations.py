"""Finds the conversations that a value is or holds, and the tools that it carries: by its keys, whatever the format.

A row of a published dataset is recognised by its columns, a log by the events that it is made of.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from toolsurface_lint.model.transcript import Transcript, Turn
from toolsurface_lint.readers.tool_list import find_tool_lists
from toolsurface_lint.readers.transcript_format import (
    DatasetSchema,
    Envelope,
    FoundConversation,
    MessageFormat,
    at,
    dataset_schemas,
    envelopes,
    message_formats,
    text_of,
)
from toolsurface_lint.source import disk
from toolsurface_lint.source.composed import joined
from toolsurface_lint.source.derived import DerivedTree, without_nulls
from toolsurface_lint.source.embedded import embedded_objects, read_embedded
from toolsurface_lint.source.json_lines import first_values
from toolsurface_lint.source.tree import Node, Path, Tree

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
    ("trajectory",),
    ("events",),
    ("chat_history",),
    ("items",),
    _RESPONSE,
)
"""Where an object that is a conversation has its messages."""

_TOOL_LISTS: tuple[Path, ...] = (
    ("tools",),
    ("functions",),
    ("available_tools",),
    ("tool_defs",),
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
    ("simulations",),
    ("tasks_output",),
    ("llm_context", "messages"),
    ("agent_states", "*", "agent_state", "llm_context", "messages"),
)
"""Where a value that was read whole has conversations, or the events of a log; `*` is any key."""


def find_conversation(
    root: Node, format: MessageFormat | None = None, schema: DatasetSchema | None = None
) -> FoundConversation | None:
    """The conversation that a value is, or holds under one of the usual keys; None if it holds none.

    `format` and `schema` are those of the value before, which are asked first.
    """
    value = root.value
    if type(value) is not dict:
        return find_messages(root, format)
    if schema is None and format is not None:
        return find_messages(root, format) or _of_dataset(root)
    if schema is not None and schema.recognises(value):
        found = schema.read(root, format)
        if found is not None:
            return found._replace(schema=schema)
    return _of_dataset(root) or find_messages(root, format)


def _of_dataset(root: Node) -> FoundConversation | None:
    for schema in dataset_schemas():
        if schema.recognises(root.value):
            found = schema.read(root, None)
            if found is not None:
                return found._replace(schema=schema)
    return None


def column(root: Node, name: str) -> Node | None:
    """A column of a row by its name, or a member of one by names with dots between them, through columns of JSON text."""
    found = root.get(name)
    if found is not None or "." not in name:
        return found
    first, _, rest = name.partition(".")
    found = root.get(first)
    if found is not None and type(found.value) is str:
        found = read_embedded(found)
    return None if found is None else column(found, rest)


def mapped(messages: str, tools: str | None = None) -> DatasetSchema:
    """The schema that a user states: the columns of the messages and of the tools, or members of columns (`metadata.tools`)."""

    def read(root: Node, format: MessageFormat | None) -> FoundConversation | None:
        given = None if tools is None else tools_at(column(root, tools))
        return messages_at(column(root, messages), given, format=format)

    name = f"messages={messages}" if tools is None else f"messages={messages}, tools={tools}"
    return DatasetSchema(name, 0, lambda _: True, read)


def find_messages(root: Node, format: MessageFormat | None = None) -> FoundConversation | None:
    """The list of messages that a value is, or holds under one of the usual keys, as a list or as JSON text."""
    value = root.value
    if type(value) is list:
        return messages_at(root, format=format)
    if type(value) is not dict:
        return None
    for path in _LISTS:
        if path[0] in value and (node := root.find(*path)) is not None:
            found = messages_at(node, format=format)
            if found is not None:
                # What came before a response is in its request, and a request may continue what the provider keeps.
                from_start = path != _RESPONSE and type(value.get("previous_response_id")) is not str
                return found._replace(tools=carried_tools(root), from_start=from_start)
    return None


def messages_at(
    node: Node | None, tools: Node | None = None, *, format: MessageFormat | None = None
) -> FoundConversation | None:
    """The conversation whose messages are at a node, in a list or as JSON text; None if they are not. `tools` go with it."""
    node = listed(node)
    if node is None:
        return None
    found = format_of(node.value, format)
    return None if found is None else FoundConversation(node.tree, node.path, node.value, found, tools)


def listed(node: Node | None) -> Node | None:
    """A node if it is a list, or the list of objects that it holds as JSON text; else None."""
    if node is not None and type(node.value) is str and _is_list_of_objects(node.value):
        node = read_embedded(node)
    return node if node is not None and type(node.value) is list else None


_LIST_OF_OBJECTS = re.compile(r"[ \t\r\n]{0,8}\[[ \t\r\n]{0,8}\{")


def _is_list_of_objects(text: str) -> bool:
    """Whether a text begins like JSON for a list of objects."""
    return _LIST_OF_OBJECTS.match(text) is not None


def carried_tools(root: Node) -> Node | None:
    """What a row has of definitions under the usual keys, as it is written; None if it has none."""
    for path in _TOOL_LISTS:
        if path[0] in root.value and (tools := tools_at(root.find(*path))) is not None:
            return tools
    return None


def tools_at(node: Node | None) -> Node | None:
    """A node if it holds definitions: a list of objects, JSON text for some, a list of JSON texts, or an object with definitions.

    Else None.
    """
    value = None if node is None else node.value
    if node is not None and type(value) is dict:
        return node if any(found.is_plain for found in find_tool_lists(node, named_tool=True)) else None
    if type(value) is list and value:
        value = next((item for item in value if item is not None), None)
        if type(value) is dict:
            return node
    return node if type(value) is str and _OBJECTS.match(value) is not None else None


_OBJECTS = re.compile(r'[ \t\r\n]{0,8}(?:\[[ \t\r\n]{0,8}(?:null[ \t\r\n]{0,8},[ \t\r\n]{0,8}){0,8}"?)?\{')
"""How JSON text for an object, or for a list of objects or of their texts, begins."""


def definitions(found: FoundConversation, tools: Node) -> Node:
    """The tools of a conversation as a list that the readers of tools know; `tools` is how it carries them."""
    if type(tools.value) is str:
        tools = read_embedded(tools) or joined(tools, embedded_objects(tools, 0))
    if type(tools.value) is list and any(type(item) is str for item in tools.value):
        tools = joined(
            tools, [(read_embedded(item) if type(item.value) is str else None) or item for item in tools.elements()]
        )
    if found.schema is not None and found.schema.tools is not None:
        tools = found.schema.tools(tools)
    present = without_nulls(tools.value, _MEANT, _VALUES)
    if present is tools.value:
        return tools
    tree, path = tools.tree, tools.path
    return DerivedTree(tree, present, lambda inner: (tree, path + inner)).root


_MEANT = frozenset({"default", "const", "parameters"})
"""Members of definitions that may be null."""
_VALUES = frozenset({"default", "const", "enum", "examples", "example"})
"""Members of definitions that are values, in which a null is what somebody wrote."""


_LISTED: Path = ("result", "tools")

_ASKING = frozenset({"system", "developer", "user", "human"})
_ANSWERING = frozenset({"assistant", "tool", "model", "function", "gpt", "tool_call", "function_call"})


def _speaks(messages: list[Any]) -> bool:
    """Whether any of the first messages has a role that some format knows, or is of a format without roles.

    One in which the user talks with another role again and again, and with none that answers, has words of its own.
    """
    formats = message_formats()
    roles: list[str] = []
    for message in messages[:20]:
        if type(message) is dict:
            role = message.get("role", message.get("from"))
            if role in _ANSWERING if type(role) is str else any(format.identifies(message) for format in formats):
                return True
            if type(role) is str:
                roles.append(role)
    others = [role for role in roles if role not in _ASKING]
    return len(others) < len(roles) and len(others) == len(set(others))


def _speaks_without_role(message: dict[str, Any]) -> bool:
    return "call_id" in message or "parts" in message or text_of(message.get("type")) in ("human", "ai", "constructor")


_GLANCE = 8
_LOOK = 200
"""How many messages are looked at to recognise the format of a conversation; its tools are among the first few."""


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


def _holds_conversation(value: Any) -> bool:
    return find_conversation(Node(Tree(None, value), (), value)) is not None


def is_log(value: Any) -> bool:
    """Whether a value that was read whole is a list of conversations or of the events of a log, or holds one."""
    return any(
        any(marked_envelope(item) is not None for item in items[:_LOOK])
        or (items and all(_holds_conversation(item) or envelope_of(item) is not None for item in items[:3]))
        for _, items in log_lists(value)
    )


def log_lists(value: Any) -> Iterator[tuple[Path, list[Any]]]:
    """The lists of events or conversations in a value, with their paths."""
    for path in _LOG_LISTS:
        if "*" not in path:
            places: Iterable[Path] = (path,)
        else:
            cut = path.index("*")
            keyed = at(value, path[:cut])
            places = [(*path[:cut], key, *path[cut + 1 :]) for key in keyed] if type(keyed) is dict else ()
        for place in places:
            items = at(value, place)
            if type(items) is list:
                yield place, items


def tools_node(found: FoundConversation) -> Node | None:
    """The tools that a conversation carries: next to its messages, or in one of its first."""
    if found.tools is not None:
        return found.tools
    if found.format is not None and found.format.tools is not None:
        for index, message in enumerate(found.messages[:_GLANCE]):
            node = found.format.tools(found.tree, (*found.path, index), message) if type(message) is dict else None
            if node is not None:
                return node
    return None


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
        status = disk.stat(path)
        if not stat.S_ISREG(status.st_mode) or not status.st_size:
            return None
        values, broken = first_values(path, max_line)
    except OSError:
        return None
    if not named_lines and (len(values) < 2 or broken > len(values)):
        return _recognise_log(path, display, status.st_size, max_line)
    holds = known = session = lists = False
    for value in values:
        listed = type(at(value, _LISTED)) is list
        if session and not listed:
            # A log, whatever else there is in it.
            continue
        if marked_envelope(value) is None and _holds_conversation(value):
            holds = True
        else:
            envelope = envelope_of(value)
            known = known or envelope is not None
            session = session or (envelope is not None and not envelope.whole)
            lists |= listed
    if session and lists and status.st_size <= max_line:
        # Definitions that a server listed are checked as such: then all of it is read at once.
        return None
    if not holds and not known:
        return None
    return Transcript(display, file=path, size=status.st_size, session=session)


def _recognise_log(path: str, display: str, size: int, max_line: int) -> Transcript | None:
    """The transcript that stands in the lines of a log, each after other text; it takes two events."""
    values, _ = first_values(path, max_line, prefixed=True)
    events = [value for value in values if (envelope := envelope_of(value)) is not None and envelope.logged]
    return Transcript(display, file=path, size=size, session=True, prefixed=True) if len(events) > 1 else None


def read_turns(found: FoundConversation) -> Iterator[Turn]:
    """The turns of a conversation, in order; anything else than a message is left out."""
    if found.turns is not None:
        yield from found.turns()
    if found.format is None:
        return
    tree, path = found.tree, found.path
    read = found.format.read
    for index, message in enumerate(found.messages):
        if type(message) is dict:
            turn = read(tree, (*path, index), without_nulls(message, frozenset(), _FREE))
            if turn is not None:
                yield turn


_FREE = frozenset({"arguments", "args", "input"})
"""Members of messages in which a null is what the model wrote."""
