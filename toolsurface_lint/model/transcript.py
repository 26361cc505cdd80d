"""Transcripts: what was said, called and answered in a conversation, whatever it was recorded in.

Made by the hundred thousand, so the classes hold plain values and the way to their place, and no object refers back to
the one that holds it: whatever is not kept is gone at once, without a garbage collector.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from toolsurface_lint.model.tool import Tool
from toolsurface_lint.source.embedded import EmbeddedTree
from toolsurface_lint.source.json_lines import LinePlace
from toolsurface_lint.source.problem import Problem
from toolsurface_lint.source.tree import Node, Path, Place, Tree

SYSTEM, USER, ASSISTANT, TOOL = "system", "user", "assistant", "tool"
"""What a turn's role means, whatever the format calls it."""

JSON_TEXT, OBJECT, FREE = "json text", "object", "free"
"""How a format records arguments: JSON in a string, an object, or text in no particular form."""


class Contract(NamedTuple):
    """What a format requires of the order of turns; each is an error of the provider's API, or of its parser.

    `adjacent`: results follow their calls before any other turn. `answered`: results are recorded at all.
    `alternates`: user and assistant take turns, and the user begins. `prompted`: a turn with calls follows one of the
    user or one with results. `itemised`: every call is a turn of its own, so those that follow one another belong
    together. `result_roles` are the roles whose turns may hold results.
    """

    adjacent: bool = True
    answered: bool = True
    alternates: bool = False
    prompted: bool = False
    itemised: bool = False
    result_roles: frozenset[str] = frozenset({TOOL})
    wire: bool = False
    """What passed between a client and a server: nobody is seen to ask, one side may be missing, and ids may begin anew."""
    client_tools: frozenset[str] | None = frozenset()
    """Tools that the client has besides the declared ones; None if they cannot be known."""
    calls_in_text: bool = False
    """Whether the format itself writes calls into the text."""


class CallShape(NamedTuple):
    """Where the parts of a call are, relative to the call, and how its arguments are recorded."""

    id: Path
    name: Path
    arguments: Path
    encoding: str = OBJECT


UNREADABLE: Any = object()
"""The value of arguments that are not a JSON object."""

_UNREAD: Any = object()


class Call:
    """One recorded call. `arguments` is what the format records, `value` what it means; `id` is None where there is none."""

    __slots__ = ("_value", "arguments", "id", "name", "path", "result", "shape", "tree")

    def __init__(self, tree: Tree, path: Path, shape: CallShape, id: str | None, name: str, arguments: Any) -> None:
        self.tree = tree
        self.path = path
        self.shape = shape
        self.id = id
        self.name = name
        self.arguments = arguments
        self.result: Result | None = None
        """The result that answers it, once one has."""
        self._value = _UNREAD

    @property
    def value(self) -> Any:
        """The arguments as an object; `UNREADABLE` if they are not. Blank text and null count as no arguments."""
        if self._value is _UNREAD:
            self._value = _read_arguments(self.arguments, self.shape.encoding)
        return self._value

    @property
    def place(self) -> Place:
        """The call itself: where its name is."""
        return self.at(self.shape.name)

    @property
    def id_place(self) -> Place:
        return self.at(self.shape.id) if self.id is not None else self.place

    @property
    def arguments_node(self) -> Node:
        """The arguments as a node; those that are JSON text are read in the text."""
        path = self.path + self.shape.arguments
        if isinstance(self.arguments, str):
            return EmbeddedTree(self.tree, path, self.arguments, self.value).root
        return Node(self.tree, path, self.arguments)

    def at(self, path: Path) -> Place:
        return Place(self.tree, self.path + path)


def _read_arguments(arguments: Any, encoding: str) -> Any:
    if isinstance(arguments, dict):
        return arguments
    if arguments is None:
        return {}
    if encoding == FREE:
        return UNREADABLE
    if isinstance(arguments, str) and encoding == JSON_TEXT:
        from toolsurface_lint.source.json_values import read_value

        value = read_value(arguments)
        if type(value) is dict:
            return value
        if not arguments or arguments.isspace() or arguments == "null":
            return {}
    return UNREADABLE


class Result:
    """One recorded result: the id or the name of its call, whether it says that the call failed, what came back."""

    __slots__ = ("content", "failed", "id", "id_path", "name", "path", "served", "tree")

    def __init__(
        self, tree: Tree, path: Path, id: str | None, name: str | None, id_path: Path, failed: bool, content: Any
    ) -> None:
        self.tree = tree
        self.path = path
        self.id = id
        self.name = name
        self.id_path = id_path
        self.failed = failed
        self.content = content
        self.served: Node | None = None
        """The object that an MCP server gave, if that was recorded."""

    @property
    def place(self) -> Place:
        """Where it says which call it answers."""
        return Place(self.tree, self.path + self.id_path)


class Turn:
    """One message, item or event of a conversation.

    `role` is one of the four roles, None for a word that the format does not know, which is at `role_path`; a turn
    of a format without roles has no `role_path`. Turns of one `message` are parts of it, which a log writes one by one.
    """

    __slots__ = (
        "alternatives",
        "calls",
        "contract",
        "ended",
        "interrupts",
        "message",
        "path",
        "results",
        "role",
        "role_path",
        "text_calls",
        "texts",
        "tree",
    )

    def __init__(
        self,
        tree: Tree,
        path: Path,
        role: str | None,
        role_path: Path | None,
        contract: Contract,
        calls: Sequence[Call] = (),
        results: Sequence[Result] = (),
        texts: Callable[[Turn], Iterator[Node]] | None = None,
        ended: Callable[[Turn], bool] | None = None,
    ) -> None:
        self.tree = tree
        self.path = path
        self.role = role
        self.role_path = role_path
        self.contract = contract
        self.calls = calls
        self.results = results
        self.text_calls: Sequence[Call] = ()
        """The calls that its text makes in the raw output of a model; they are its `calls` where it has no others."""
        self.alternatives: Sequence[Call] = ()
        """The calls that would be as right as its `calls`, each with another of the values that are accepted."""
        self.message: str | None = None
        self.interrupts = False
        """Whether it says that the turn before was interrupted."""
        self.ended = ended
        """Asks whether it ended in an error or was cut off."""
        self.texts = texts
        """Gives the texts that it says, as string nodes."""

    @property
    def node(self) -> Node:
        return self.tree.at(self.path)

    @property
    def cut_off(self) -> bool:
        """Whether it ended in an error or an abort, so that its last call may be half a call."""
        return self.ended is not None and self.ended(self)

    def said(self) -> Iterator[Node]:
        return iter(()) if self.texts is None else self.texts(self)


ORPHAN, UNANSWERED, DUPLICATE, LATE = "orphan", "unanswered", "duplicate", "late"


class Mismatch(NamedTuple):
    """A call and a result that do not fit: `kind` is one of the four; `call` and `result` are those that there are.

    `ORPHAN`: a result without a call that waits for one; `call` is the one that it may mean, `first` the result that the
    call already has. `DUPLICATE`: `call` takes the id of `other`, which waits. `LATE`: a result with other turns before.
    """

    kind: str
    call: Call | None = None
    result: Result | None = None
    first: Result | None = None
    other: Call | None = None


class Pairing:
    """Joins the results of one conversation to its calls, turn by turn, and says what does not fit.

    A call waits for its result in `_open` until a turn comes that is not one of results; then in `_late`, from where a
    result still finds it. What is left there in the end has no result; calls that are open in the end are those of the
    last turn.
    """

    def __init__(self, *, from_start: bool = True, strict: bool = False) -> None:
        """`from_start`: the conversation is recorded from its beginning, so that a result without its call is an orphan.

        `strict`: nothing is excused: neither turns that ended in an error, nor the call that an orphan may have meant.
        """
        self.from_start = from_start
        self._strict = strict
        self._open: dict[str, deque[Call]] = {}
        self._without_id: deque[str] = deque()
        """The keys in `_open` of calls without an id, in order, and some that have been answered since."""
        self._with_id: dict[str, deque[str]] = {}
        """By name, those of calls with an id, in the same way."""
        self._late: dict[str, deque[Call]] = {}
        self._answered: dict[str, tuple[Call, Result]] = {}
        self._orphans = 0
        self._turn: Turn | None = None
        self._has_results = False
        self.answered: list[Call] = []
        """The calls that the last turn has answered."""

    def add(self, turn: Turn) -> list[Mismatch]:
        """Take the next turn; gives what is wrong with its results and its ids."""
        found: list[Mismatch] = []
        if self.answered:
            self.answered = []
        if not turn.contract.answered:
            return found
        calls = turn.calls
        if turn.results:
            self._has_results = True
            for result in turn.results:
                self._answer(result, turn, found)
        elif (self._open or self._answered) and not self._joins(turn):
            self._close(turn)
        if calls:
            for call in calls:
                key = call.id if call.id is not None else call.name
                waiting = self._open.setdefault(key, deque())
                # From here on the id means the new call; an old one that is late has been spoken of.
                others = waiting or self._late.pop(key, deque()) if call.id is not None else ()
                if others and turn.contract.wire:
                    waiting.clear()
                elif others:
                    found.append(Mismatch(DUPLICATE, call, other=others[-1]))
                if call.id is None and not waiting:
                    self._without_id.append(key)
                elif call.id is not None:
                    self._with_id.setdefault(call.name, deque()).append(key)
                waiting.append(call)
            self._turn = turn
        return found

    def _joins(self, turn: Turn) -> bool:
        """Whether a turn belongs to the one whose calls are open."""
        if turn.message is not None and self._turn is not None and turn.message == self._turn.message:
            return True
        return turn.contract.itemised and bool(turn.calls) and not self._answered

    def _answer(self, result: Result, turn: Turn, found: list[Mismatch]) -> None:
        key = result.id if result.id is not None else result.name
        call = self._take(key, result)
        if call is None and (call := _pop(self._late, key)) is not None and turn.contract.adjacent:
            found.append(Mismatch(LATE, call, result))
        if call is not None:
            call.result = result
            result.name = call.name
            self.answered.append(call)
            self._answered[key or ""] = (call, result)
            return
        if not self.from_start or turn.contract.wire:
            return
        answered = self._answered.get(key or "")
        if answered is not None:
            found.append(Mismatch(ORPHAN, answered[0], result, first=answered[1]))
            return
        self._orphans += 1
        meant = next((calls[0] for calls in self._open.values()), None)
        found.append(Mismatch(ORPHAN, meant, result))

    def _take(self, key: str | None, result: Result) -> Call | None:
        """The open call that a result answers: by its id, else by its name, else the first one."""
        if key is None:
            key = next(iter(self._open), None)
        if key not in self._open:
            key = self._other_key(result)
        return _pop(self._open, key)

    def _other_key(self, result: Result) -> str | None:
        """The open call of a result where one side alone has an id: the name says which, or the order if there is no name."""
        if result.id is None:
            keys = self._with_id.get(result.name or "", deque())
            while keys and keys[0] not in self._open:
                keys.popleft()
            return keys[0] if keys else None
        if result.name is not None:
            calls = self._open.get(result.name)
            return result.name if calls is not None and calls[0].id is None else None
        while self._without_id and self._without_id[0] not in self._open:
            self._without_id.popleft()
        return self._without_id[0] if self._without_id else None

    def _close(self, turn: Turn) -> None:
        """A turn has come that is not a result: what is open now has missed its turn."""
        if self._open:
            waiting = sum(map(len, self._open.values()))
            # As many results with an id of no call as calls without a result: one mistake, reported at the result.
            excused = waiting == self._orphans or turn.interrupts or (self._turn is not None and self._turn.cut_off)
            if self._strict or not excused:
                for key, calls in self._open.items():
                    self._late.setdefault(key, deque()).extend(calls)
            self._open.clear()
            self._without_id.clear()
            self._with_id.clear()
        self._answered.clear()
        self._orphans = 0

    def end(self) -> list[Mismatch]:
        """The conversation is over: the calls that never got a result, but for those of the last turn.

        A record that keeps neither the ids of calls nor results is a reduced one: there were results all the same.
        """
        if self._turn is not None and self._turn.contract.wire:
            return []
        late = (call for calls in self._late.values() for call in calls)
        return [Mismatch(UNANSWERED, call) for call in late if call.id is not None or self._has_results]

    @property
    def is_quiet(self) -> bool:
        """Whether no call waits for its result."""
        return not self._open and not self._late

    def skip(self, results: bool) -> None:
        """Turns come that are not given, and in which each call has its result; `results`: there are any."""
        self._has_results |= results

    def waiting(self) -> list[Call]:
        """Every call without a result, those of the last turn too."""
        return [call for calls in (*self._late.values(), *self._open.values()) for call in calls]


def _pop(waiting: dict[str, deque[Call]], key: str | None) -> Call | None:
    """Take the first call that waits under a key, if any does."""
    if key is None or key not in waiting:
        return None
    call = waiting[key].popleft()
    if not waiting[key]:
        del waiting[key]
    return call


class Transcript(NamedTuple):
    """A file, or a part of one, that holds conversations; `path` is displayed.

    `trees` are its values where it was read whole, of a text of `size` characters. Otherwise it is JSON Lines of `size`
    bytes at the absolute path `file`, read when it is checked; `session` says that its lines are parts of conversations,
    so that it must be read from the beginning. `prefixed`: it is a log of text, in whose lines other text comes before the
    values. `archived` gives the values of an archive of `size` bytes one at a time, and what is wrong with those that cannot be
    read.
    """

    path: str
    trees: Sequence[Tree] = ()
    file: str = ""
    size: int = 0
    session: bool = False
    prefixed: bool = False
    archived: Callable[[], Iterator[Tree | Problem[LinePlace]]] | None = None


_SEPARATORS = ("__", ".", "/", ":")
T = TypeVar("T")


def called_tools(name: str, declared: dict[str, list[Tool]]) -> list[Tool]:
    """The declared tools that a call means."""
    return meant_by(name, declared) or []


def meant_by(name: str, declared: Mapping[str, T]) -> T | None:
    """What is declared under the name of a call, or under its end where a client puts a server's name before."""
    found = declared.get(name)
    if found is not None:
        return found
    for separator in _SEPARATORS:
        start = name.find(separator)
        while start >= 0:
            found = declared.get(name[start + len(separator) :])
            if found is not None:
                return found
            start = name.find(separator, start + 1)
    return None
