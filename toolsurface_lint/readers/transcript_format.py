"""What a format of transcripts is, registered by lying in `readers/transcripts/`, and reading conversations by them.

A `MessageFormat` reads one message, item or content. An `Envelope` is what a log wraps around a message, one a line. What
holds the messages of a conversation is found by its keys, whatever the format; the columns of published datasets are
known to a `DatasetSchema`, which lies in `readers/datasets/`.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from toolsurface_lint.model.transcript import Call, CallShape, Contract, Result, Transcript, Turn
from toolsurface_lint.readers.tool_list import find_tool_lists
from toolsurface_lint.source.derived import DerivedTree, without_nulls
from toolsurface_lint.source.embedded import embedded_objects, read_embedded
from toolsurface_lint.source.json_lines import first_values
from toolsurface_lint.source.modules import registered
from toolsurface_lint.source.tree import Node, Path, Tree


class NotPlain(Exception):
    """A message that is not of the usual form of its format: what it means is for `read` to say."""


GlancedCall = tuple[str | None, str, Any]
GlancedResult = tuple[str | None, str | None, bool]
Glance = tuple[str, Sequence[GlancedCall], Sequence[GlancedResult], Sequence[str]]
"""What `read` makes of a message, as plain values: the role, calls and results of its turn, and what it says.

A call is its id, its name, and its arguments as they are written, JSON text or an object; a result is the id and the name
of its call, as far as it states them, and whether it says that the call failed. The texts are those that may hold calls of
a model's raw output: those of the assistant, in a format that writes its calls there those without any.
"""


class Quick(NamedTuple):
    """The quick way through messages of a format: without paths, turns and places (`run.transcripts.plain_chat`).

    `glance` gives None where `read` does. It raises `NotPlain`, or what a value of an unexpected type makes Python
    raise, wherever it is not sure to say what `read` says; members that are null are absent. `contract` is that of all
    turns that it gives.
    """

    glance: Callable[[dict[str, Any]], Glance | None]
    contract: Contract


class MessageFormat(NamedTuple):
    """One way to write a message.

    `recognises` says whether the format can have written a message, `identifies` whether no other can. `read` makes a turn of
    it; None for what is not part of the conversation. Formats are asked in their `order`. `tools` finds the definitions
    that one of the first messages of a conversation holds, in formats that have them there. `quick` is the quick way to see
    that a conversation holds nothing to find, if the format has one.
    """

    order: int
    identifies: Callable[[dict[str, Any]], bool]
    recognises: Callable[[dict[str, Any]], bool]
    read: Callable[[Tree, Path, dict[str, Any]], Turn | None]
    tools: Callable[[Tree, Path, dict[str, Any]], Node | None] | None = None
    quick: Quick | None = None


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


class QuickLog(NamedTuple):
    """The quick way through the lines of a log, as `Quick` for messages.

    `glance` gives the conversation of a line, whether it starts there, and what its turn says; None where `read` gives no
    entry. It sees no text before the value of a line, and raises also for whatever `recognises` does not take, for tools, and
    for a turn of another contract.
    """

    glance: Callable[[dict[str, Any]], tuple[Hashable, bool, Glance] | None]
    contract: Contract


ReadEvent = Callable[[Tree, Path, dict[str, Any]], "Iterable[TranscriptEntry | ModelRequest]"]


class Envelope(NamedTuple):
    """One kind of log: `recognises` sees the value of a line, `read` says what the line holds.

    `quick` is the quick way to see that there is nothing to find, if the log has one: only where neither turns have to
    alternate nor a turn with calls needs another one before it. `open`: for a log whose events need those before them, makes
    the `read` of one file, which may remember. `logged`: its events are also written into lines of other logs, after a time or
    `data:`, and nothing else is taken for them there.
    `marks` are keys of which its values have one, in logs whose values are asked about before anything in them is
    taken for a conversation: one of them alone is a log. `whole`: no conversation goes on in another value.
    """

    order: int
    recognises: Callable[[dict[str, Any]], bool]
    read: ReadEvent | None
    quick: QuickLog | None = None
    open: Callable[[], ReadEvent] | None = None
    logged: bool = False
    marks: frozenset[str] = frozenset()
    whole: bool = False

    def begin(self) -> ReadEvent:
        """What reads the events of one file, from its beginning."""
        read = self.read if self.open is None else self.open()
        assert read is not None
        return read


class FoundConversation(NamedTuple):
    """One conversation in a value: its messages, which are at `path` of `tree`, and their format.

    `tree` may be one that a text holds. `tools` is what the conversation carries of definitions, as it is written (`definitions`
    reads it); None if it carries none. `schema` is the schema of the dataset that the value is a row of, if it is one that
    has a name. What is not a list of messages has no `format`: its `turns` gives the turns.
    """

    tree: Tree
    path: Path
    messages: list[Any]
    format: MessageFormat | None
    tools: Node | None = None
    from_start: bool = True
    schema: DatasetSchema | None = None
    turns: Callable[[], Iterator[Turn]] | None = None

    @property
    def quick(self) -> Quick | None:
        """The quick way through its messages, if there is one."""
        return None if self.turns is not None or self.format is None else self.format.quick


class DatasetSchema(NamedTuple):
    """The columns of a published dataset, or of many that share them.

    `name` is what reports call it. `recognises` sees a row, as plain data, and looks at its columns first: all rows of a file
    have the same. `read` gives the conversation of a row, None if it holds none; the format that the messages of the row
    before had is asked first. Schemas are asked in their `order`, that of the row before first. `tools` puts definitions of
    a form that is the dataset's own, a list, into one that the readers of tools know. Where the tools of a row are in
    another file, under the same `id`, `beside` gives the paths where that may be, and `join` reads the two rows.
    """

    name: str
    order: int
    recognises: Callable[[dict[str, Any]], bool]
    read: Callable[[Node, MessageFormat | None], FoundConversation | None]
    tools: Callable[[Node], Node] | None = None
    beside: Callable[[str], Sequence[str]] | None = None
    join: Callable[[Node, Node], FoundConversation | None] | None = None


@cache
def dataset_schemas() -> tuple[DatasetSchema, ...]:
    """Every schema that has a name, in the order in which they are asked."""
    return registered("toolsurface_lint.readers.datasets", "SCHEMA")


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


def joined(outer: Node, nodes: Sequence[Node]) -> Node:
    """Some nodes as one list, which is itself at `outer`."""

    def where(path: Path) -> tuple[Tree, Path]:
        if not path:
            return outer.tree, outer.path
        node = nodes[int(path[0])]
        return node.tree, node.path + path[1:]

    return DerivedTree(outer.tree, [node.value for node in nodes], where).root


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
        status = os.stat(path)
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


def glance_blocks(content: Any, types: frozenset[str] = frozenset({"text"})) -> Sequence[str]:
    """The same texts as those of `block_texts`, from the plain content of a message."""
    if type(content) is str:
        return (content,)
    if content is None:
        return ()
    texts = []
    for block in content:
        kind = block.get("type")
        if kind is None or kind in types:
            texts.append(block["text"])
    return texts


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
