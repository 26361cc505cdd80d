"""What a format of transcripts is, registered by lying in `readers/transcripts/`, and what formats share in reading messages.

A `MessageFormat` reads one message, item or content. An `Envelope` is what a log wraps around a message, one a line. The
columns of a published dataset are known to a `DatasetSchema`, which lies in `readers/datasets/`. Which of them a value is
in, `readers.conversations` finds out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from toolsurface_lint.model.transcript import Call, CallShape, Contract, Result, Turn
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
