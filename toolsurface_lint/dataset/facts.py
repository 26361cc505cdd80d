"""What the rows of a piece say about the dataset as a whole: gathered by workers, row by row, and put together by `run`.

Digests tell rows apart: of 16 bytes, so that no two of any dataset are taken for one. All else is counted, with an example.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from struct import Struct
from typing import Any

from toolsurface_lint.dataset.pieces import SPLITS
from toolsurface_lint.model.names import folded
from toolsurface_lint.readers.conversations import read_turns
from toolsurface_lint.readers.transcript_format import FoundConversation
from toolsurface_lint.run.rows import RowReading
from toolsurface_lint.source.shared import EQUAL

CONVERSATION, TASK = 0, 1
DIGEST = Struct(">16sBIB")
"""A digest, what it is a digest of, the row, and the split: its index in `SPLIT_NAMES`."""
SPLIT_NAMES = ("", *sorted(set(SPLITS.values())))

_RESULTS = frozenset({"tool", "function", "tool_result"})
_ASKING = frozenset({"user", "human"})
_IDS = frozenset({"id", "uuid", "index", "idx", "__index_level_0__", "split"})


class RowFacts:
    """The facts of one piece, whose file is of the split `split`, or says nothing of that.

    `tasks`: other splits are known of, so that tasks are compared.
    """

    def __init__(self, split: str, tasks: bool) -> None:
        self._split = SPLIT_NAMES.index(split)
        self._tasks = tasks
        self.digests = bytearray()
        self._with_tools = 0
        self._without_tools: list[int] = []
        self._shared_keys: list[int] = []
        self._names: dict[tuple[str, str], list[Any]] = {}
        self._shared: tuple[bytes, bool] = b"", False

    def add(self, number: int, row: Mapping[str, Any], reading: RowReading) -> None:
        """Take in one row in which `reading` was read."""
        found = reading.conversation
        if found is None:
            return
        split = self._split_of(row)
        self._digest(number, CONVERSATION, split, _conversation(row, found))
        if split and (self._tasks or split != self._split):
            task = _task(found, reading)
            if task is not None:
                self._digest(number, TASK, split, task)
        if found.tools is not None:
            self._with_tools += 1
            if type(found.tools.value) is list and self._has_shared_keys(found.tools.value):
                _count(self._shared_keys, number)
        elif reading.tally.calls and not reading.declared:
            _count(self._without_tools, number)
        self._add_names(number, found, reading)

    def _split_of(self, row: Mapping[str, Any]) -> int:
        word = row.get("split")
        return SPLIT_NAMES.index(SPLITS.get(word.lower(), "")) or self._split if type(word) is str else self._split

    def _digest(self, number: int, kind: int, split: int, value: Any) -> None:
        try:
            data = marshal.dumps(value, EQUAL)
        except ValueError:
            # A date, a decimal: the rows of other libraries.
            data = repr(value).encode("utf-8", "surrogatepass")
        self.digests += DIGEST.pack(blake2b(data, digest_size=16).digest(), kind, number, split)

    def _has_shared_keys(self, tools: list[Any]) -> bool:
        """Whether properties of any schema are null, as those of all others are that share a struct."""
        try:
            key = marshal.dumps(tools, EQUAL)
        except ValueError:
            key = b""
        if not key or key != self._shared[0]:
            self._shared = key, any(_null_properties(tool) for tool in tools)
        return self._shared[1]

    def _add_names(self, number: int, found: FoundConversation, reading: RowReading) -> None:
        called = reading.tally.tools
        changes = [*_changes("call", called, reading.declared)] if reading.declared else []
        answered = {
            message["name"]
            for message in found.messages
            if type(message) is dict and message.get("role") in _RESULTS and type(message.get("name")) is str
        }
        if called:
            changes += _changes("result", answered, called)
        for where, how, name, written in {change[:2]: change for change in reversed(changes)}.values():
            counted = self._names.setdefault((where, how), [0, number, name, written])
            counted[0] += 1

    def done(self) -> dict[str, Any]:
        """The facts as plain data."""
        return {
            "with_tools": self._with_tools,
            "without_tools": self._without_tools,
            "shared_keys": self._shared_keys,
            "names": [[*key, *value] for key, value in self._names.items()],
        }


def _count(counted: list[int], number: int) -> None:
    if counted:
        counted[0] += 1
    else:
        counted += [1, number]


def _conversation(row: Mapping[str, Any], found: FoundConversation) -> Any:
    return found.messages or {name: value for name, value in row.items() if name not in _IDS}


def _task(found: FoundConversation, reading: RowReading) -> Any:
    """What is asked first, and the calls; None if there are none."""
    asked = next((text for text in map(_asked, found.messages) if text), None)
    if asked is None or not reading.tally.calls:
        return None
    calls = reading.calls
    if len(calls) != reading.tally.calls:
        calls = [call for turn in read_turns(found) for call in turn.calls]
    return [asked, [[call.name, call.arguments] for call in calls]]


def _asked(message: Any) -> str | None:
    if type(message) is not dict or message.get("role", message.get("from")) not in _ASKING:
        return None
    text = message.get("content", message.get("value"))
    return text if type(text) is str else None


def _null_properties(tool: Any) -> bool:
    return any(
        type(schema) is dict and any(value is None for value in schema.values()) for schema in _properties(tool, 12)
    )


def _properties(value: Any, depth: int) -> Iterator[Any]:
    if depth and type(value) is dict:
        for key, member in value.items():
            if key == "properties":
                yield member
            yield from _properties(member, depth - 1)


def _changes(where: str, written: Iterable[str], known: Iterable[str]) -> Iterator[tuple[str, str, str, str]]:
    """The names that are one of `known` in another way of writing."""
    others = [name for name in written if name not in known]
    if not others:
        return
    by_fold = {folded(name): name for name in known}
    for name in others:
        meant = by_fold.get(folded(name))
        if meant is not None:
            yield where, "case", meant, name
            continue
        fold = folded(name)
        ends = [other for key, other in by_fold.items() if fold and _ends_with_part(other, key, name, fold)]
        if len(ends) == 1:
            yield where, "prefix", ends[0], name


def _ends_with_part(one: str, fold: str, other: str, other_fold: str) -> bool:
    """Whether one of two names is the other behind a prefix that ends with a separator."""
    longer, shorter = (one, other) if len(fold) > len(other_fold) else (other, one)
    before = longer[: -len(shorter)] if longer.endswith(shorter) else ""
    return bool(before) and not before[-1].isalnum()
